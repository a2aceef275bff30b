// Compute programs whose warps are made of eight workgroups side by side: lane i is the same invocation of workgroup
// x + i. Workgroups of one column (1x64x1, as filters of video have them) would put lanes one below the other, which
// reads texels from eight rows and branches apart where rows differ; workgroups of one invocation would leave seven
// lanes idle. Fits programs alone that cannot tell (isa::canLieAbreast): every lane is a subgroup of its own then, and
// that is what the program says of itself.
#pragma once

#include "runtime/abi/kernel.h"

namespace etzel::abi {

inline constexpr uint32_t kSubgroupAbreast = 1;  ///< ProgramInfo::subgroupSize of such programs

constexpr bool groupsLieAbreast(const ProgramInfo& info) { return info.subgroupSize == kSubgroupAbreast; }

}  // namespace etzel::abi
