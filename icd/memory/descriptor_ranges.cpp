#include "icd/memory/descriptor_ranges.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>

namespace etzel::icd {
namespace {

struct Ranges {
  struct Range {
    const void* owner;
    uint64_t bytes;
  };
  std::mutex mutex;
  std::multimap<const std::byte*, Range> all;  ///< by begin
};
Ranges& ranges() {
  // Never destroyed: buffers may go while the process ends. Without an allocation: memory is freed where there is none.
  alignas(Ranges) static std::byte room[sizeof(Ranges)];
  static Ranges& all = *new (room) Ranges;
  return all;
}

}  // namespace

void addDescriptorRange(const void* owner, const std::byte* begin, uint64_t bytes) {
  std::lock_guard lock(ranges().mutex);
  ranges().all.emplace(begin, Ranges::Range{owner, bytes});
}

void removeDescriptorRange(const void* owner, const std::byte* begin) {
  std::lock_guard lock(ranges().mutex);
  auto& all = ranges().all;
  const auto [first, last] = all.equal_range(begin);
  const auto at = std::find_if(first, last, [&](const auto& r) { return r.second.owner == owner; });
  if (at != last) all.erase(at);
}

void removeDescriptorRangesWithin(const std::byte* begin, uint64_t bytes) {
  std::lock_guard lock(ranges().mutex);
  auto& all = ranges().all;
  all.erase(all.lower_bound(begin), all.lower_bound(begin + bytes));
}

std::span<const std::byte> descriptorRangeAt(const std::byte* address) {
  std::lock_guard lock(ranges().mutex);
  const auto& all = ranges().all;
  std::span<const std::byte> found;
  for (auto r = all.upper_bound(address); r != all.begin();) {
    --r;
    const std::byte* end = r->first + r->second.bytes;
    if (end > address && (found.empty() || end > found.data() + found.size())) found = {r->first, r->second.bytes};
  }
  return found;
}

}  // namespace etzel::icd
