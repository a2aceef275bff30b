// Which fragment programs Executable::fragments (kernel.h) can have, and how FragmentGroups::color holds their colours.
#pragma once

#include <bit>

#include "runtime/abi/kernel.h"

namespace etzel::abi {

inline constexpr uint32_t kMaxGroupLocations = 8;

/// The first location whose colour a group has; 0 where the program writes none.
inline uint32_t firstGroupLocation(const ProgramInfo& i) {
  return i.outputLocations ? static_cast<uint32_t>(std::countr_zero(i.outputLocations)) : 0;
}
/// Locations whose colours a group has, four words each: from the first one that the program writes to the last, and
/// behind them the second source, if it writes one. Words of those between that it does not write may hold anything.
inline uint32_t groupLocations(const ProgramInfo& i) {
  return static_cast<uint32_t>(std::bit_width(i.outputLocations)) - firstGroupLocation(i) + i.writesColorIndex1;
}
/// Words of a group: those, and behind them the depth, if the program writes one for all samples.
inline constexpr uint32_t kMaxGroupWords = 4 * kMaxGroupLocations + 1;
inline uint32_t groupWords(const ProgramInfo& i) { return 4 * groupLocations(i) + i.writesDepth; }
/// Where a group has what Warp::out has at `word`, which is of a colour that the program writes, or its depth.
inline uint32_t groupWord(const ProgramInfo& i, uint32_t word) {
  if (word == kFragOutDepth) return 4 * groupLocations(i);
  if (word >= kFragOutColorIndex1) return 4 * (groupLocations(i) - i.writesColorIndex1) + word - kFragOutColorIndex1;
  return word - kFragOutColor - 4 * firstGroupLocation(i);
}

/// System values that follow from the place, the primitive's setup and FragmentPlanes.
inline constexpr uint64_t kPlaneSysValues = sysBit(SysValue::FragCoordZ) | sysBit(SysValue::FragCoordW) |
                                            sysBit(SysValue::PointCoordX) | sysBit(SysValue::PointCoordY);
/// System values that differ between pixels and that programs for groups may read: those, and PosX and PosY by other
/// names.
inline constexpr uint64_t kGroupSysValues =
    sysBit(SysValue::FragCoordX) | sysBit(SysValue::FragCoordY) | kPlaneSysValues;
/// Those that they may not.
inline constexpr uint64_t kPixelSysValues = (kPlaceSysValues | kFragmentSysValues) & ~kGroupSysValues;
/// But programs that run once a sample may read which one theirs is, which all pixels of a call have in common:
/// SamplePixel is PosX and PosY, the others are in Warp::sys.
inline constexpr uint64_t kSampleSysValues = sysBit(SysValue::SampleId) | sysBit(SysValue::SamplePosX) |
                                             sysBit(SysValue::SamplePosY) | sysBit(SysValue::SamplePixelX) |
                                             sysBit(SysValue::SamplePixelY);
/// And programs for groups may read the centroid, which is taken to be PosX and PosY: pixels must be covered in all
/// samples or none, or have one.
inline constexpr uint64_t kCentroidSysValues = sysBit(SysValue::CentroidX) | sysBit(SysValue::CentroidY);
/// Whether programs for groups may read what a program reads.
inline bool readsGroupValues(const ProgramInfo& i) {
  return !(i.sysValues & kPixelSysValues & ~kCentroidSysValues & ~(i.sampleRate ? kSampleSysValues : 0));
}
/// Whether that is so for pixels of any coverage.
inline bool readsCoveredValues(const ProgramInfo& i) {
  return readsGroupValues(i) && !(i.sysValues & kCentroidSysValues);
}

}  // namespace etzel::abi
