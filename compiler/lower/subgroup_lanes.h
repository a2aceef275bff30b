// Which lanes of a warp are a subgroup: all 8, or where 4 are required those of a quad, so that a warp is two
// subgroups. Nothing but the compiler knows of the latter: whoever runs warps does what it always does, and no lane is
// idle.
#pragma once

#include "compiler/lower/lower.h"

namespace etzel::lower {

inline uint32_t subgroupSize(const Lowerer& l) { return l.source.requiredSubgroupSize; }

/// Whether subgroups are halves of warps.
inline bool isHalfWarp(const Lowerer& l) { return subgroupSize(l) < kWarpLanes; }

/// Where the lane is in its warp.
inline Operand laneOfWarp(Lowerer& l) { return l.sys(abi::SysValue::LaneId); }

/// SubgroupLocalInvocationId.
Operand laneOfSubgroup(Lowerer& l);
/// The lane of the warp that is lane `i` of one's own subgroup; numbers that no such lane has wrap in halves of warps.
Operand laneOfOwnSubgroup(Lowerer& l, Operand i);
/// The bits of one's own subgroup of those of a warp, its first lane's lowest.
Operand bitsOfOwnSubgroup(Lowerer& l, Operand bitsOfWarp);
/// SubgroupId and NumSubgroups.
Operand subgroupId(Lowerer& l);
Operand subgroupCount(Lowerer& l);

}  // namespace etzel::lower
