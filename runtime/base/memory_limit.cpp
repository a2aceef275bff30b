#include "runtime/base/memory_limit.h"

#include <fcntl.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace etzel {
namespace {

/// Text of a file, in memory of the caller's; empty without it.
std::string_view textOf(const std::string& file, std::span<char> room) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  size_t length = 0;
  for (ssize_t n; length < room.size() && (n = read(fd, room.data() + length, room.size() - length)) > 0;)
    length += size_t(n);
  close(fd);
  return {room.data(), length};
}
uint64_t numberOf(std::string_view text, uint64_t otherwise) {
  uint64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}
/// The number that a file begins with, or `otherwise`: version 2 says "max" for no limit.
uint64_t readNumber(const std::string& file, uint64_t otherwise) {
  char room[32];
  return numberOf(textOf(file, room), otherwise);
}
/// What lines "name number" say of a name; 0 without one.
uint64_t lineIn(std::string_view text, std::string_view name) {
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ')
      return numberOf(line.substr(name.size() + 1), 0);
    at += line.size() + 1;
  }
  return 0;
}

uint64_t difference(uint64_t a, uint64_t b) { return a - std::min(a, b); }

constexpr size_t kStatBytes = 16384;  ///< more than a memory.stat has

/// The files of one version of control groups.
struct Files {
  const char *limit, *used, *droppable;  ///< the last: a name in memory.stat
};

void lower(MemoryLimit& least, const std::string& folder, const Files& files) {
  const uint64_t limit = readNumber(folder + files.limit, MemoryLimit::kNone);
  // No group has no memory; version 1 says "no limit" with a number that no machine has.
  if (limit == 0 || limit >= MemoryLimit::kNone / 4) return;
  const uint64_t used = readNumber(folder + files.used, 0);
  char space[kStatBytes];
  const uint64_t held = difference(used, lineIn(textOf(folder + "/memory.stat", space), files.droppable));
  least.bytes = std::min(least.bytes, limit);
  least.free = std::min(least.free, difference(limit, held));
}

/// A limited group's files; those about swap space need not be there.
struct LimitedGroup {
  std::string limit, used, stat, swapLimit, swapUsed;
  std::string_view droppable[2];  ///< names in `stat`
  bool swapLimitHasMemory;        ///< version 1: it is of both together
};

std::vector<LimitedGroup> limitedGroups(const ControlGroups& where) {
  std::vector<LimitedGroup> all;
  const auto add = [&](const LimitedGroup& group) {
    const uint64_t limit = readNumber(group.limit, MemoryLimit::kNone);
    if (limit && limit < MemoryLimit::kNone / 4) all.push_back(group);
  };
  forEachGroup(
      where, "memory",
      [&](const std::string& folder) {
        const std::string m = folder + "/memory.";
        add({m + "max",
             m + "current",
             m + "stat",
             m + "swap.max",
             m + "swap.current",
             {"inactive_file", "active_file"},
             false});
      },
      [&](const std::string& folder) {
        const std::string m = folder + "/memory.";
        add({m + "limit_in_bytes",
             m + "usage_in_bytes",
             m + "stat",
             m + "memsw.limit_in_bytes",
             m + "memsw.usage_in_bytes",
             {"total_inactive_file", "total_active_file"},
             true});
      });
  return all;
}

bool hasRoomFor(const LimitedGroup& group, uint64_t bytes, uint64_t freeSwapBytes) {
  const uint64_t limit = readNumber(group.limit, MemoryLimit::kNone), used = readNumber(group.used, 0);
  if (limit >= MemoryLimit::kNone / 4) return true;
  const uint64_t wanted = std::min(bytes, limit) + limit / 16;
  uint64_t room = difference(limit, used);
  if (room >= wanted) return true;
  char space[kStatBytes];
  const std::string_view stat = textOf(group.stat, space);
  uint64_t dropped = 0;
  for (std::string_view name : group.droppable) dropped += lineIn(stat, name);
  dropped = std::min(dropped, used);
  room += dropped;
  // What swap space the group may have.
  const uint64_t swapLimit = readNumber(group.swapLimit, MemoryLimit::kNone);
  const uint64_t swap = difference(swapLimit, readNumber(group.swapUsed, 0));
  if (group.swapLimitHasMemory) return std::min(room + freeSwapBytes, swap + std::min(dropped, ~swap)) >= wanted;
  return room + std::min(freeSwapBytes, swap) >= wanted;
}

bool haveRoomFor(const std::vector<LimitedGroup>& groups, uint64_t bytes, uint64_t freeSwapBytes) {
  return std::all_of(groups.begin(), groups.end(),
                     [=](const LimitedGroup& group) { return hasRoomFor(group, bytes, freeSwapBytes); });
}

}  // namespace

bool groupsHaveRoomFor(uint64_t bytes) try {
  static const auto* const groups = new std::vector<LimitedGroup>(limitedGroups({}));
  if (groups->empty()) return true;
  struct sysinfo system {};
  const bool known = sysinfo(&system) == 0;
  return haveRoomFor(*groups, bytes, known ? uint64_t{system.freeswap} * system.mem_unit : 0);
} catch (const std::exception&) {
  return false;  // not even for the groups' names
}
bool groupsHaveRoomFor(uint64_t bytes, const ControlGroups& where, uint64_t freeSwapBytes) {
  return haveRoomFor(limitedGroups(where), bytes, freeSwapBytes);
}

MemoryLimit memoryLimit(const ControlGroups& where) {
  MemoryLimit least;
  forEachGroup(
      where, "memory",
      [&](const std::string& folder) {
        lower(least, folder, {"/memory.max", "/memory.current", "inactive_file"});
      },
      [&](const std::string& folder) {
        lower(least, folder, {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"});
      });
  return least;
}

uint64_t physicalBytes() {
  return std::min(uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGE_SIZE)), memoryLimit().bytes);
}

}  // namespace etzel
