#include "compiler/isa/groups_abreast.h"

#include <algorithm>

#include "compiler/isa/info.h"

namespace etzel::isa {
namespace {

/// Whether an instruction concerns its own lanes alone, in whatever order workgroups come.
bool standsAlone(const Inst& inst) {
  if (!isExtension(inst.op) || inst.predicated) return false;
  const OpInfo& info = opInfo(inst);
  if (info.atomic || (info.memory && info.sub == SubKind::Space && static_cast<Space>(inst.sub) == Space::Shared))
    return false;
  switch (info.effect) {
    case Effect::None:
    case Effect::Flow:
    case Effect::Store: break;
    case Effect::ByImm:
      if (inst.op != Opcode::Tex2) return false;
      break;
    default: return false;
  }
  switch (info.native) {
    case Native::Call: return false;
    case Native::Lanes: return inst.op == Opcode::Sys;
    case Native::Texture: {
      const abi::TexInst tex = abi::TexInst::unpack(inst.imm);
      const bool derives =
          tex.kind == abi::TexKind::QueryLod ||
          (tex.kind == abi::TexKind::Sample && (tex.lod == abi::LodMode::Implicit || tex.lod == abi::LodMode::Bias));
      return tex.kind != abi::TexKind::ImageAtomic && !derives;
    }
    default: return true;
  }
}

}  // namespace

bool canLieAbreast(const Program& program) {
  using abi::sysBit;
  using abi::SysValue;
  const abi::ProgramInfo& info = program.info;
  constexpr uint64_t kSubgroups =
      sysBit(SysValue::LaneId) | sysBit(SysValue::SubgroupId) | sysBit(SysValue::NumSubgroups);
  return info.stage == abi::Stage::Compute && info.localSize[0] == 1 && !info.usesBarrier && !info.sharedBytes &&
         !(info.sysValues & kSubgroups) && std::all_of(program.code.begin(), program.code.end(), standsAlone);
}

}  // namespace etzel::isa
