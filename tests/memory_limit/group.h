// A control group with a limit on memory, of whichever version the system has, for programs that run in it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace limits {

class Group {
 public:
  /// Below this process's own group. No swap space. \returns null where none can be made, and says why on stderr
  static std::unique_ptr<Group> make(uint64_t bytes);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// Runs `body` in a child that is in the group. \returns its status as of waitpid
  int run(const std::function<int()>& body) const;
  /// How many of its processes the kernel has ended, and how much memory it had at most.
  uint64_t killed() const;
  uint64_t mostBytes() const;

 private:
  Group(std::string folder, bool unified) : folder_(std::move(folder)), unified_(unified) {}
  bool limit(uint64_t bytes) const;
  const std::string folder_;
  const bool unified_;  ///< version 2
};

}  // namespace limits
