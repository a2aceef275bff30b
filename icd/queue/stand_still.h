// How long work has stood still, as a watchdog sees it that looks now and then.
#pragma once

#include <algorithm>
#include <cstdint>

namespace etzel::icd {

/// Adds up the time between looks that saw no progress. A look that comes late shows that the process stood still (it
/// was stopped, its container was paused, the machine was asleep or busy), and its work with it: no interval counts for
/// more than two regular ones.
class StandStill {
 public:
  explicit StandStill(uint64_t intervalNs) : mostNs_(2 * intervalNs) {}

  /// A look at `nowNs`. \returns for how long nothing was finished
  uint64_t look(uint64_t nowNs, bool progress) {
    stoodNs_ = progress ? 0 : stoodNs_ + std::min(nowNs - lastNs_, mostNs_);
    lastNs_ = nowNs;
    return stoodNs_;
  }

 private:
  const uint64_t mostNs_;
  uint64_t lastNs_ = 0, stoodNs_ = 0;
};

}  // namespace etzel::icd
