#include "runtime/base/control_groups.h"

#include <fstream>
#include <sstream>
#include <vector>

namespace etzel {
namespace {

bool lists(const std::string& controllers, const std::string& wanted) {
  std::istringstream in(controllers);
  for (std::string one; std::getline(in, one, ',');)
    if (one == wanted) return true;
  return false;
}

/// A group's path and those of the groups around it; "" is the root, which is a container's own group inside of it.
std::vector<std::string> upwards(std::string path) {
  std::vector<std::string> all;
  while (!path.empty() && path[0] == '/') {
    if (path != "/") all.push_back(path);
    path.erase(path.rfind('/'));
  }
  all.emplace_back();
  return all;
}

}  // namespace

void forEachGroup(const ControlGroups& where, const std::string& controller,
                  const std::function<void(const std::string& folder)>& unified,
                  const std::function<void(const std::string& folder)>& own) {
  std::ifstream in(where.groups);
  // Lines are "id:controllers:path"; version 2 has id 0 and no controllers.
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    for (const std::string& path : upwards(line.substr(second + 1))) {
      if (controllers.empty()) {
        for (const char* home : {"", "/unified"}) unified(where.mounted + home + path);
      } else if (lists(controllers, controller)) {
        own(where.mounted + '/' + controller + path);
        if (controllers != controller) own(where.mounted + '/' + controllers + path);
      }
    }
  }
}

}  // namespace etzel
