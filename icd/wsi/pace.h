// When the pictures of a swapchain get their turn: by their modes, and by what the application asks for
// (VkPresentTimingInfoEXT). All times are nowNs() (CLOCK_MONOTONIC). One thread at a time; no clock is read.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>

namespace etzel::icd {

/// How long a refresh cycle lasts at least, in nanoseconds. X tells of no screen's; 60 Hz stands in for it.
inline constexpr uint64_t kRefreshNs = 16'666'667;

/// When the application wants a picture to be seen.
struct TargetTime {
  uint64_t ns = 0;        ///< 0: as soon as the mode allows it
  bool relative = false;  ///< counted from the picture before; else a time of nowNs()
};

/// Refresh cycles as a display has them whose rate varies: one begins with a picture, lasts kRefreshNs, and then until
/// the next picture comes.
class Pace {
 public:
  /// The earliest time for a picture, 0 where it has its turn at once.
  uint64_t turn(VkPresentModeKHR mode, const TargetTime& target) const;
  /// A picture is shown at `atNs` that could be from `fromNs` on: from its turn, or when it came, if that was later.
  void shown(VkPresentModeKHR mode, uint64_t fromNs, uint64_t atNs);
  /// Whether the cycle of the last picture shown has lasted long enough.
  bool cycleOver(uint64_t nowNs) const { return nowNs >= nextNs_; }
  /// Whether a picture that waits behind another one may take that one's place at `nowNs`: by its target time only.
  static bool due(const TargetTime& behind, uint64_t nowNs);

 private:
  uint64_t nextNs_ = 0;   ///< when the cycle of the last picture may end
  uint64_t shownNs_ = 0;  ///< when the last picture was shown; 0: none yet
};

}  // namespace etzel::icd
