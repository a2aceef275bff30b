#include "tests/memory_limit/group.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace limits {
namespace {

constexpr const char* kMounted = "/sys/fs/cgroup";

bool write(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  return bool(out << text << std::flush);
}

uint64_t numberIn(const std::string& file) {
  uint64_t number = 0;
  std::ifstream(file) >> number;
  return number;
}

uint64_t lineIn(const std::string& file, const std::string& name) {
  std::ifstream in(file);
  std::string key;
  for (uint64_t number; in >> key >> number;)
    if (key == name) return number;
  return 0;
}

/// This process's group: the path behind "id:controllers:" in a line that has this controller, or "0::" for "".
bool ownPath(const std::string& controller, std::string* path) {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    std::istringstream controllers(line.substr(first + 1, second - first - 1));
    std::string one;
    bool has = controller.empty() && controllers.str().empty();
    while (std::getline(controllers, one, ',')) has = has || (!controller.empty() && one == controller);
    if (!has) continue;
    *path = line.substr(second + 1);
    return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Group> Group::make(uint64_t bytes) {
  const std::string name = "/etzel-limit-" + std::to_string(getpid());
  std::string path;
  std::string tried;
  const auto attempt = [&](const std::string& parent, bool unified) -> std::unique_ptr<Group> {
    // Inside of a container the path may be the host's, and the folder the container's.
    for (const std::string& folder : {parent + path + name, parent + name}) {
      if (mkdir(folder.c_str(), 0755) != 0) continue;
      std::unique_ptr<Group> group(new Group(folder, unified));
      if (group->limit(bytes)) return group;
    }
    tried += " " + parent;
    return nullptr;
  };
  if (ownPath("memory", &path))
    if (auto group = attempt(std::string(kMounted) + "/memory", false)) return group;
  if (ownPath("", &path))
    if (auto group = attempt(kMounted, true)) return group;
  std::fprintf(stderr, "no control group with a limit on memory can be made in%s\n", tried.c_str());
  return nullptr;
}

bool Group::limit(uint64_t bytes) const {
  const std::string number = std::to_string(bytes);
  if (unified_) {
    if (!write(folder_ + "/memory.max", number)) return false;
    write(folder_ + "/memory.swap.max", "0");
    return numberIn(folder_ + "/memory.max") == bytes;
  }
  if (!write(folder_ + "/memory.limit_in_bytes", number)) return false;
  write(folder_ + "/memory.memsw.limit_in_bytes", number);
  return numberIn(folder_ + "/memory.limit_in_bytes") == bytes;
}

Group::~Group() {
  // Processes that ended are still there for a moment.
  for (int tries = 0; rmdir(folder_.c_str()) != 0 && tries < 100; ++tries) usleep(10'000);
}

int Group::run(const std::function<int()>& body) const {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (!write(folder_ + "/cgroup.procs", "0")) _exit(125);
    const int status = body();
    std::fflush(nullptr);
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

uint64_t Group::killed() const {
  return lineIn(folder_ + (unified_ ? "/memory.events" : "/memory.oom_control"), "oom_kill");
}
uint64_t Group::mostBytes() const {
  return numberIn(folder_ + (unified_ ? "/memory.peak" : "/memory.max_usage_in_bytes"));
}

}  // namespace limits
