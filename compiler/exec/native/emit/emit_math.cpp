// Transcendental functions, of compiler/math/math.h.
#include "compiler/exec/native/emit/emitter.h"
#include "compiler/math/math.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;
using isa::Type;

/// Sines and cosines one after the other, those of a vector's components mostly: all of them share a branch. Ends at
/// the last one.
void Emitter::sines() {
  constexpr uint32_t kMost = 8;
  const auto belongs = [&](uint32_t i) {
    const Inst& inst = program_.code[i];
    if ((inst.op != Opcode::FSin && inst.op != Opcode::FCos) || inst.src[0].bank != isa::Bank::Temp) return false;
    for (uint32_t k = index_; k < i; ++k) {
      const Inst& before = program_.code[k];
      if (before.dst.bank == isa::Bank::Temp && webs_.webOf(before.dst) == webs_.webOf(inst.src[0])) return false;
    }
    return isScalar(inst) == isScalar(program_.code[index_]) && sharing(inst) == sharing(program_.code[index_]);
  };
  LlvmBuilder b{ir_};
  b.together = true;
  uint32_t end = index_;
  do {
    const Inst& inst = program_.code[end++];
    V x = element(inst.src[0], Type::F32);
    const LlvmBuilder::F operand{{&ir_, base_ ? x : splat(x)}};
    inst.op == Opcode::FSin ? math::sin(b, operand) : math::cos(b, operand);
  } while (end < program_.code.size() && end < index_ + kMost && belongs(end));
  b.replaceRare();
  for (const LlvmBuilder::Rare& r : b.rare) setElement(program_.code[index_++], r.value.v);
  --index_;
}

bool Emitter::transcendental(const Inst& inst) {
  if (inst.op == Opcode::FSin || inst.op == Opcode::FCos) {
    sines();
    return true;
  }
  LlvmBuilder b{ir_};
  const auto operand = [&](uint32_t i) { return LlvmBuilder::F{{&ir_, element(inst.src[i], Type::F32)}}; };
  LlvmBuilder::F r;
  switch (inst.op) {
    case Opcode::FTan: r = math::tan(b, operand(0)); break;
    case Opcode::FAsin: r = math::asin(b, operand(0)); break;
    case Opcode::FAcos: r = math::acos(b, operand(0)); break;
    case Opcode::FAtan: r = math::atan(b, operand(0)); break;
    case Opcode::FExp2: r = math::exp2(b, operand(0)); break;
    case Opcode::FLog2: r = math::log2(b, operand(0)); break;
    case Opcode::FExp: r = math::exp(b, operand(0)); break;
    case Opcode::FLog: r = math::log(b, operand(0)); break;
    case Opcode::FAtan2: r = math::atan2(b, operand(0), operand(1)); break;
    case Opcode::FPow: r = math::pow(b, operand(0), operand(1)); break;
    default: return false;
  }
  setElement(inst, r.v);
  return true;
}

}  // namespace etzel::native
