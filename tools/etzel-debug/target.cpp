#include "target.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace etzel_debug {

Target::~Target() {
  for (const int fd : pipe_)
    if (fd >= 0) close(fd);
}

std::string Target::start(const Launch& launch) {
  int out[2], err[2], failed[2];
  if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || pipe2(failed, O_CLOEXEC)) return std::strerror(errno);
  pid_ = fork();
  apart_ = launch.apart;
  if (pid_ < 0) return std::strerror(errno);
  if (pid_ == 0) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO), dup2(out[1], STDOUT_FILENO), dup2(err[1], STDERR_FILENO);
    // Out of reach of Ctrl-C and of a terminal that closes, it goes with the thread that has started it.
    if (launch.apart) setpgid(0, 0), prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (const auto& [name, value] : launch.environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : launch.command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    if (launch.folder.empty() || chdir(launch.folder.c_str()) == 0) execvp(words[0], words.data());
    const int why = errno;
    if (write(failed[1], &why, sizeof why) < 0) _exit(126);
    _exit(127);
  }
  close(out[1]), close(err[1]), close(failed[1]);
  pipe_[0] = out[0], pipe_[1] = err[0];
  int why = 0;
  const bool bad = ::read(failed[0], &why, sizeof why) == sizeof why;
  close(failed[0]);
  if (!bad) return {};
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
  return std::strerror(why);
}

std::string Target::read(size_t which) {
  char buffer[4096];
  ssize_t got;
  do got = ::read(pipe_[which], buffer, sizeof buffer);
  while (got < 0 && errno == EINTR);
  if (got > 0) return {buffer, static_cast<size_t>(got)};
  close(pipe_[which]);
  pipe_[which] = -1;
  return {};
}

std::optional<int> Target::ended() {
  int status = 0;
  if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) != pid_) return {};
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Target::signal(int number) const {
  if (pid_ > 0) ::kill(apart_ ? -pid_ : pid_, number);
}

void Target::kill() {
  signal(SIGKILL);
  while (pid_ > 0 && waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
}

}  // namespace etzel_debug
