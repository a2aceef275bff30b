#include "icd/wsi/pace.h"

#include <algorithm>

#include "runtime/mutant/mutant.h"

namespace etzel::icd {

namespace {

/// Whether pictures of the mode wait for the end of a refresh cycle. Those of the others have no target time either
/// ("VkPresentTimingsInfoEXT").
bool waitsForCycles(VkPresentModeKHR mode) {
  return mode != VK_PRESENT_MODE_IMMEDIATE_KHR && mode != VK_PRESENT_MODE_MAILBOX_KHR;
}

/// Later than any clock is late enough.
uint64_t sum(uint64_t a, uint64_t b) { return a + std::min(b, UINT64_MAX - a); }

}  // namespace

uint64_t Pace::turn(VkPresentModeKHR mode, const TargetTime& target) const {
  if (!waitsForCycles(mode)) return 0;
  if (target.ns == 0 || mutated(Mutant::PresentTarget)) return nextNs_;
  // "VkPresentTimingInfoFlagBitsEXT": a relative time is ignored before anything was presented. A cycle begins where
  // its picture is wanted, so none is nearer to a target than the target itself (PRESENT_AT_NEAREST_REFRESH_CYCLE).
  if (!target.relative) return std::max(nextNs_, target.ns);
  return shownNs_ ? std::max(nextNs_, sum(shownNs_, target.ns)) : nextNs_;
}

void Pace::shown(VkPresentModeKHR mode, uint64_t fromNs, uint64_t atNs) {
  shownNs_ = atNs;
  if (mode == VK_PRESENT_MODE_IMMEDIATE_KHR) return;
  // Not counted from when the thread woke up, so that its delays do not add up; a whole cycle's delay is another
  // matter.
  nextNs_ = sum(fromNs, kRefreshNs);
  if (nextNs_ <= atNs) nextNs_ = atNs + kRefreshNs;
}

bool Pace::due(const TargetTime& behind, uint64_t nowNs) {
  // What is counted from a picture that is not shown yet cannot be due.
  return behind.ns == 0 || (!behind.relative && behind.ns <= nowNs);
}

}  // namespace etzel::icd
