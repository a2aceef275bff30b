// Which fragment programs Executable::fragments (kernel.h) can have, and how FragmentGroups::color holds their colours.
#pragma once

#include <bit>

#include "runtime/abi/kernel.h"

namespace etzel::abi {

inline constexpr uint32_t kMaxGroupLocations = 8;

/// The first location whose colour a group has. \pre the program writes some
inline uint32_t firstGroupLocation(const ProgramInfo& i) {
  return static_cast<uint32_t>(std::countr_zero(i.outputLocations));
}
/// Locations whose colours a group has, four words each: from the first one that the program writes to the last.
/// Words of those between that it does not write may hold anything.
inline uint32_t groupLocations(const ProgramInfo& i) {
  return static_cast<uint32_t>(std::bit_width(i.outputLocations)) - firstGroupLocation(i);
}

/// System values that differ between pixels and that programs for groups may read: PosX and PosY by other names.
inline constexpr uint64_t kGroupSysValues = sysBit(SysValue::FragCoordX) | sysBit(SysValue::FragCoordY);

}  // namespace etzel::abi
