#include "icd/sync/wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>

namespace etzel::icd {
namespace {

// Constant-initialized: no global constructor.
std::atomic<uint32_t> epoch{0};
std::atomic<uint32_t> sleepers{0};
std::atomic<int> foreignPayloads{0};
constexpr uint64_t kShortestPollNs = 200'000, kLongestPollNs = 5'000'000;

}  // namespace

uint64_t nowNs() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1'000'000'000u + uint64_t(t.tv_nsec);
}

uint64_t deadlineAfter(uint64_t timeoutNs) {
  if (timeoutNs == 0) return 0;
  uint64_t now = nowNs();
  // A signed count of seconds is what the kernel takes; anything beyond is forever.
  return timeoutNs >= uint64_t(INT64_MAX) - now ? kForever : now + timeoutNs;
}

void notifyWaiters() {
  epoch.fetch_add(1, std::memory_order_seq_cst);
  // A waiter counts itself before it reads the epoch and then the predicate, so one of the two sides sees the other.
  if (sleepers.load(std::memory_order_seq_cst) != 0)
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&epoch), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void pollWhileWaiting(int change) { foreignPayloads.fetch_add(change, std::memory_order_seq_cst); }

namespace wait_detail {

uint32_t enlist() {
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  return epoch.load(std::memory_order_seq_cst);
}

void sleep(uint32_t expected, uint64_t deadline, uint64_t& began) {
  if (foreignPayloads.load(std::memory_order_relaxed) > 0) {
    const uint64_t now = nowNs();
    if (!began) began = now;
    deadline = std::min(deadline, now + std::clamp((now - began) / 8, kShortestPollNs, kLongestPollNs));
  }
  timespec until{};
  if (deadline != kForever) {
    until.tv_sec = time_t(deadline / 1'000'000'000u);
    until.tv_nsec = long(deadline % 1'000'000'000u);
  }
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&epoch), FUTEX_WAIT_BITSET_PRIVATE, expected,
          deadline == kForever ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void leave() { sleepers.fetch_sub(1, std::memory_order_seq_cst); }

}  // namespace wait_detail
}  // namespace etzel::icd
