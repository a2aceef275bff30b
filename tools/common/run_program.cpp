#include "tools/common/run_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace etzel_tools {

int runProgram(char** program, std::initializer_list<std::pair<const char*, std::string>> environment, Output output) {
  const pid_t child = fork();
  if (child < 0) {
    std::fprintf(stderr, "%s: cannot start a process: %s\n", program_invocation_short_name, std::strerror(errno));
    return 1;
  }
  if (child == 0) {
    for (const auto& [name, value] : environment) setenv(name, value.c_str(), 1);
    if (output == Output::Tools) dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(program[0], program);
    std::fprintf(stderr, "%s: cannot run %s: %s\n", program_invocation_short_name, program[0], std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace etzel_tools
