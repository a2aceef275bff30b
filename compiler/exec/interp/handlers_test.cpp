// Every row of the instruction set runs.
#include <gtest/gtest.h>

#include "compiler/exec/interp/interp.h"
#include "compiler/isa/info.h"

namespace etzel::interp {
namespace {

using isa::Inst;
using isa::OpInfo;

/// Whether the row has what the sub-operation needs: source types of a conversion, spaces that may be written.
bool isLegal(const Inst& inst, const OpInfo& info) {
  if (info.sub == isa::SubKind::SourceType) return isa::isFloatType(static_cast<isa::Type>(inst.sub)) == info.fromFloat;
  if (info.sub != isa::SubKind::Space) return true;
  const isa::SpaceInfo& space = isa::spaceOf(inst);
  if (inst.op == isa::Opcode::LdRaw || inst.op == isa::Opcode::StRaw)
    return inst.sub == static_cast<uint8_t>(isa::Space::Buffer) || inst.sub == static_cast<uint8_t>(isa::Space::Shared);
  if (info.atomic) return space.access == isa::SpaceInfo::Access::Atomic;
  if (space.element == isa::SpaceInfo::Element::Words && isa::typeBytes(inst.type) < 4) return false;
  return info.effect != isa::Effect::Store || space.access != isa::SpaceInfo::Access::Load;
}

TEST(Handlers, EveryRowOfTheTableHasOneForEachTypeAndSubOperation) {
  for (uint32_t n = 0; n < 256; ++n) {
    const auto op = static_cast<isa::Opcode>(n);
    const OpInfo& info = isa::opInfo(op);
    if (!info.name || !info.extension || info.control) continue;  // control flow needs its scopes around it
    for (uint32_t type = 0; type < isa::kTypeCount; ++type)
      for (uint32_t sub = 0; sub < isa::subCount(info.sub); ++sub) {
        if (!(info.typeMask >> type & 1)) continue;
        isa::Program program;
        program.tempWords = 32;
        program.resources.resize(1);
        Inst inst;
        inst.op = op, inst.type = static_cast<isa::Type>(type), inst.sub = static_cast<uint8_t>(sub);
        if (!isLegal(inst, info)) continue;
        if (info.dst != isa::OperandShape::None) inst.dst = isa::temp(0);
        for (uint32_t s = 0; s < info.srcCount; ++s) inst.src[s] = isa::temp(8 * (s + 1));
        program.code.push_back(inst);
        const auto code = decode(program);
        EXPECT_TRUE(code.ok()) << code.error().message;
      }
  }
}

}  // namespace
}  // namespace etzel::interp
