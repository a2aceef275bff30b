#include "compiler/opt/one_color.h"

#include "compiler/isa/info.h"

namespace etzel::opt {
namespace {

/// Whether the instruction gives all fragments of a primitive the same where its operands are the same for all, and
/// leaves nothing behind but its result. No instruction of a program being otherwise, no operand is.
bool isAlike(const isa::Inst& inst) {
  if (!isa::isExtension(inst.op) || inst.predicated) return false;
  const isa::OpInfo& info = isa::opInfo(inst);
  if (info.effect != isa::Effect::None && info.effect != isa::Effect::Flow) return false;
  // Looks at other lanes, or is a texture's: its lanes need not be quads of this primitive.
  if (info.samples == isa::Samples::Never || info.samples == isa::Samples::ByImage) return false;
  switch (info.lanes) {
    case isa::Lanes::None:
    case isa::Lanes::Alike:
    case isa::Lanes::Follow:
    case isa::Lanes::Copy: return true;
    case isa::Lanes::BySys:
      return abi::sysValueInfo(static_cast<abi::SysValue>(inst.imm)).fragments == abi::SysFragments::Primitive;
    case isa::Lanes::BySpace: return isa::spaceOf(inst).uniform;
    case isa::Lanes::Differ: return false;
  }
  return false;
}

}  // namespace

bool givesOneColor(const isa::Program& program) {
  const abi::ProgramInfo& info = program.info;
  if (info.stage != abi::Stage::Fragment || info.hasSideEffects || info.discards || info.interlock ||
      info.readsAttachments || info.sampleRate || info.readsVertices)
    return false;
  for (const isa::Inst& inst : program.code)
    if (!isAlike(inst)) return false;
  return true;
}

}  // namespace etzel::opt
