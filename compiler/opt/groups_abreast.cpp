#include "runtime/abi/groups_abreast.h"

#include <algorithm>

#include "compiler/isa/groups_abreast.h"
#include "compiler/isa/info.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {
namespace {

/// Whether it pays: what lanes do differs by the workgroup's x, and there are rows of texels to go along, or else warps
/// of one invocation. Buffers may well be laid out for those who count downwards.
bool gains(const isa::Program& program) {
  using abi::sysBit;
  using abi::SysValue;
  const abi::ProgramInfo& info = program.info;
  if (info.subgroupSize != kWarpLanes) return false;  // it is to say what was required
  if (!(info.sysValues & (sysBit(SysValue::GlobalIdX) | sysBit(SysValue::WorkgroupIdX)))) return false;
  if (info.localSize[1] == 1 && info.localSize[2] == 1) return true;
  return std::any_of(program.code.begin(), program.code.end(),
                     [](const isa::Inst& inst) { return isa::opInfo(inst).native == isa::Native::Texture; });
}

}  // namespace

void layGroupsAbreast(isa::Program& program) {
  if (gains(program) && isa::canLieAbreast(program)) program.info.subgroupSize = abi::kSubgroupAbreast;
}

}  // namespace etzel::opt
