// What the machine can do at best, measured on the spot by plain loops: memory and cache bandwidth, multiply-adds.
#pragma once

#include <string>

#include "scenario.h"

namespace vkbench {

struct Limits {
  /// GB/s (copies: bytes copied, once), GFLOP/s.
  struct Set {
    double read = 0, write = 0, copy = 0;                 ///< main memory, 256 MiB
    double cacheRead = 0, cacheWrite = 0, cacheCopy = 0;  ///< a 1080p image of 8 MiB, shared among the threads
    double fma = 0, fma256 = 0;                           ///< the widest vectors of the machine; 256 bits
  };
  Set one, all;
  unsigned threads = 1;
  std::string cpu;  ///< the model's name
  std::string features;

  /// The limit of `scenario` in its own unit; 0 when none is known.
  double of(const Scenario& scenario) const;
};

Limits measureLimits();

}  // namespace vkbench
