#include "runtime/base/live_memory.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "runtime/base/debug_flags.h"
#include "runtime/base/log.h"

namespace etzel {
namespace {

struct Ranges {
  std::shared_mutex mutex;
  std::multimap<uint64_t, uint64_t> endOf;  ///< by begin; buffers may share memory
};
// Never destroyed: devices may live while the process ends.
Ranges& ranges() {
  static Ranges* const all = new Ranges;
  return *all;
}

uint64_t addressOf(const void* p) { return reinterpret_cast<uintptr_t>(p); }

}  // namespace

bool checksAddresses() { return debug(DebugFlag::CheckAddresses); }

void addLiveMemory(const void* begin, uint64_t bytes) {
  if (!checksAddresses()) return;
  std::unique_lock lock(ranges().mutex);
  ranges().endOf.emplace(addressOf(begin), addressOf(begin) + bytes);
}

void removeLiveMemory(const void* begin, uint64_t bytes) {
  if (!checksAddresses()) return;
  std::unique_lock lock(ranges().mutex);
  auto& all = ranges().endOf;
  const auto [first, last] = all.equal_range(addressOf(begin));
  const auto at = std::find_if(first, last, [&](const auto& r) { return r.second == addressOf(begin) + bytes; });
  if (at != last) all.erase(at);
}

void removeLiveMemoryWithin(const void* begin, uint64_t bytes) {
  if (!checksAddresses()) return;
  std::unique_lock lock(ranges().mutex);
  auto& all = ranges().endOf;
  all.erase(all.lower_bound(addressOf(begin)), all.lower_bound(addressOf(begin) + bytes));
}

bool isLiveMemory(uint64_t address, uint64_t bytes) {
  {
    std::shared_lock lock(ranges().mutex);
    const auto& all = ranges().endOf;
    for (auto r = all.upper_bound(address); r != all.begin();)
      if (--r; address + bytes <= r->second && address + bytes > address) return true;
  }
  static std::atomic<uint32_t> reported{0};
  constexpr uint32_t kReports = 16;
  if (reported.fetch_add(1, std::memory_order_relaxed) < kReports)
    logMessage(LogLevel::Warning, "check-addresses: a shader reaches for %llu bytes at 0x%llx, in no live buffer",
               static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(address));
  return false;
}

}  // namespace etzel
