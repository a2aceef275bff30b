// The clock that parents and children share.
#pragma once

#include <time.h>

namespace vkbench {

/// Seconds on CLOCK_MONOTONIC, the same in all processes of the machine.
inline double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

}  // namespace vkbench
