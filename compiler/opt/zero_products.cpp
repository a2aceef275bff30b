// Filters have weights that are 0: what is sampled for them need not be read. A product of a texel and a constant 0
// becomes that 0 where the shader lets products and sums be contracted, so neither asks for the signs of zeros nor for
// NaNs and infinities to be kept ("SignedZeroInfNanPreserve"); of a texel that is finite and not negative, nobody can
// tell. The sample is dead then. Other factors are left alone: they are cheap, and often negative.
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"
#include "runtime/abi/tex_inst.h"

namespace etzel::opt {
namespace {

using isa::Inst;
using isa::Operand;

/// Whether an instruction gives numbers that an image holds.
bool readsTexels(const Inst& inst) {
  if (isa::opInfo(inst).native != isa::Native::Texture) return false;
  const abi::TexInst tex = abi::TexInst::unpack(inst.imm);
  if (tex.type != abi::TexType::Float || tex.sparse) return false;
  switch (tex.kind) {
    case abi::TexKind::Sample:
    case abi::TexKind::Gather:
    case abi::TexKind::Fetch:
    case abi::TexKind::FragmentFetch:
    case abi::TexKind::ImageRead: return true;
    default: return false;
  }
}

}  // namespace

bool dropZeroProducts(isa::Program& program) {
  const auto isZero = [&](Operand o) {
    constexpr uint32_t kSign = 0x80000000;
    const std::optional<uint32_t> value = constantOf(program, o);
    return value && (*value & ~kSign) == 0;
  };
  const WordTable table(program);
  std::vector<bool> texel(program.tempWords);
  bool any = false;
  for (Inst& inst : program.code) {
    if (isa::isShadow(inst)) continue;
    const auto isTexel = [&](Operand o) { return o.bank == isa::Bank::Temp && texel[o.word]; };
    if (inst.op == isa::Opcode::FMul && inst.contract && inst.type == isa::Type::F32) {
      for (uint32_t i = 0; i < 2; ++i) {
        const Operand zero = inst.src[i];
        if (!isZero(zero) || !isTexel(inst.src[1 - i])) continue;
        inst.op = isa::Opcode::XMov, inst.type = isa::Type::I32, inst.contract = false;
        inst.src = {zero, {}, {}};
        any = true;
        break;
      }
    }
    if (inst.dst.bank != isa::Bank::Temp || !readsTexels(inst)) continue;
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w)
      texel[inst.dst.word + w] = table.writes[inst.dst.word + w] == 1;
  }
  return any;
}

}  // namespace etzel::opt
