// Small words that every part of Etzel uses. No behaviour lives here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace etzel {

/// Lanes of a warp: two 2x2 quads. Fixed on every machine, because applications see it as the subgroup size.
inline constexpr uint32_t kWarpLanes = 8;

/// One 32-bit word of each lane of a warp: the unit that registers, inputs and outputs are made of.
struct alignas(32) LaneWords {
  uint32_t lane[kWarpLanes];
  uint32_t& operator[](size_t i) { return lane[i]; }
  uint32_t operator[](size_t i) const { return lane[i]; }
};
static_assert(sizeof(LaneWords) == 32);

/// A set of lanes: bit i is lane i.
using LaneMask = uint32_t;
inline constexpr LaneMask kAllLanes = (1u << kWarpLanes) - 1;

template <class T>
constexpr T alignUp(T value, T alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// How many pieces of `unit` it takes for `value` of them; both unsigned, and their sum fits.
template <class T, class Unit>
constexpr auto divideUp(T value, Unit unit) {
  return (value + unit - 1) / unit;
}

}  // namespace etzel
