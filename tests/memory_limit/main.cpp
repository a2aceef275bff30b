// etzel-limits: control groups' limits on memory. Without a command, what a program asks for that there is not
// (inside.h) in groups of several limits; with one, that command in a group. No process may be ended by the kernel.
// Exit status 77: no group can be made here.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/memory_limit/group.h"
#include "tests/memory_limit/inside.h"

namespace limits {
namespace {

constexpr int kSkipped = 77;
constexpr uint64_t kMiB = 1 << 20;

/// \returns 0, 1 or kSkipped
int inGroup(const std::string& name, uint64_t mib, const std::function<int()>& body) {
  const auto group = Group::make(mib * kMiB);
  if (!group) return kSkipped;
  const int status = group->run(body);
  const bool fine = WIFEXITED(status) && WEXITSTATUS(status) == 0 && group->killed() == 0;
  const std::string how = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                              : "status " + std::to_string(WEXITSTATUS(status));
  std::printf("| %s | %llu | %llu | %s | %llu |\n", name.c_str(), static_cast<unsigned long long>(mib),
              static_cast<unsigned long long>(group->mostBytes() / kMiB), fine ? "fine" : how.c_str(),
              static_cast<unsigned long long>(group->killed()));
  return fine ? 0 : 1;
}

int runAll(const std::vector<uint64_t>& sizes, std::vector<std::string>& command) {
  struct Case {
    const char* name;
    int (*body)(uint64_t);
  };
  constexpr Case kCases[] = {{"heaps filled", fillHeaps},
                             {"heaps filled beside as much of the program's own", fillHeapsBesideOthers},
                             {"an implicit image larger than the heap", drawToTooManySamples}};
  std::printf("| what | limit, MiB | at most used, MiB | ended | killed |\n|---|---|---|---|---|\n");
  int worst = 0;
  for (const uint64_t mib : sizes) {
    const auto add = [&](const std::string& name, const std::function<int()>& body) {
      if (worst != kSkipped) worst = std::max(worst, inGroup(name, mib, body));
    };
    if (command.empty())
      for (const Case& c : kCases) add(c.name, [&] { return c.body(mib * kMiB); });
    else
      add(command[0].substr(command[0].rfind('/') + 1), [&] {
        std::vector<char*> arguments;
        for (std::string& argument : command) arguments.push_back(argument.data());
        arguments.push_back(nullptr);
        execvp(arguments[0], arguments.data());
        std::perror(arguments[0]);
        return 1;
      });
  }
  return worst;
}

}  // namespace
}  // namespace limits

int main(int argc, char** argv) {
  CLI::App app("Runs programs in control groups that limit their memory");
  std::vector<uint64_t> sizes{256};
  std::vector<std::string> command;
  app.add_option("--limit", sizes, "MiB; more than one: one after the other")->delimiter(',');
  app.add_option("command", command, "Runs this in a group, instead of what the program tries itself");
  app.positionals_at_end();
  CLI11_PARSE(app, argc, argv);
  return limits::runAll(sizes, command);
}
