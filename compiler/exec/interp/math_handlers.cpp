// Transcendental functions: compiler/math defines them once for all executors; this file only finds the operands.
#include "compiler/exec/interp/frame.h"
#include "compiler/math/lane_math.h"

namespace etzel::interp {
namespace {

template <math::LaneMath::Unary math::LaneMath::*Member>
const Op* unary(const Op* op, Frame& f) {
  (math::laneMath().*Member)(f.words(op->src[0]), f.words(op->dst));
  return op + 1;
}
template <math::LaneMath::Binary math::LaneMath::*Member>
const Op* binary(const Op* op, Frame& f) {
  (math::laneMath().*Member)(f.words(op->src[0]), f.words(op->src[1]), f.words(op->dst));
  return op + 1;
}

}  // namespace

Handler mathHandler(const isa::Inst& inst) {
  using isa::Opcode;
  using M = math::LaneMath;
  switch (inst.op) {
    case Opcode::FSin: return unary<&M::sin>;
    case Opcode::FCos: return unary<&M::cos>;
    case Opcode::FTan: return unary<&M::tan>;
    case Opcode::FAsin: return unary<&M::asin>;
    case Opcode::FAcos: return unary<&M::acos>;
    case Opcode::FAtan: return unary<&M::atan>;
    case Opcode::FAtan2: return binary<&M::atan2>;
    case Opcode::FExp2: return unary<&M::exp2>;
    case Opcode::FLog2: return unary<&M::log2>;
    case Opcode::FExp: return unary<&M::exp>;
    case Opcode::FLog: return unary<&M::log>;
    case Opcode::FPow: return binary<&M::pow>;
    default: return nullptr;
  }
}

}  // namespace etzel::interp
