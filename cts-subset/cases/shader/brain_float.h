// bfloat16, as the cases expect it: the upper half of a float, rounded to the nearest or the even one of two.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace etzel::cts {

inline uint32_t brainOf(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f), upper = bits >> 16, lower = bits & 0xffff;
  return std::isnan(f) ? upper | 0x40 : lower > 0x8000 || (lower == 0x8000 && upper & 1) ? upper + 1 : upper;
}
inline float fromBrain(uint32_t brain) { return std::bit_cast<float>(brain << 16); }

}  // namespace etzel::cts
