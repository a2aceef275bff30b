// ATTILA's base instructions (docs/isa.md, Base instructions): four components at a time, operand modifiers, guards,
// predicates, the fixed-point accumulator. Plain loops: hand-written programs use these, compiled shaders do not.
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/exec/interp/base/base_operands.h"
#include "compiler/math/lane_math.h"

namespace etzel::interp {
namespace {

using namespace base;
using isa::Opcode;

int32_t floorToInt(float v) {
  v = std::floor(v);
  if (!(v == v)) return 0;
  if (v >= 0x1p31f) return std::numeric_limits<int32_t>::max();
  return v <= -0x1p31f ? std::numeric_limits<int32_t>::min() : static_cast<int32_t>(v);
}

// --- Vector arithmetic: one component of one lane at a time
float vectorStep(Opcode op, float a, float b, float c) {
  switch (op) {
    case Opcode::Add: return a + b;
    case Opcode::Flr: return std::floor(a);
    case Opcode::Frc: return a - std::floor(a);
    case Opcode::Mad: return a * b + c;
    case Opcode::Max: return a > b ? a : b;
    case Opcode::Min: return a < b ? a : b;
    case Opcode::Mul: return a * b;
    case Opcode::Sge: return a < b ? 0.0f : 1.0f;
    case Opcode::Slt: return a < b ? 1.0f : 0.0f;
    default: return a;
  }
}
const Op* vector(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const uint32_t n = isa::opInfo(inst).baseOperands;
  const Vec4 a = readVector(inst, f, 0), b = n > 1 ? readVector(inst, f, 1) : a, c = n > 2 ? readVector(inst, f, 2) : a;
  Vec4 r;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l) r.put(k, l, vectorStep(inst.op, a.get(k, l), b.get(k, l), c.get(k, l)));
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* move(const Op* op, Frame& f) {  // bits pass unchanged
  Vec4 a = readVector(*op->inst, f, 0);
  writeResult(*op->inst, f, a, guardLanes(*op->inst, f));
  return op + 1;
}
const Op* compareSelect(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0), b = readVector(inst, f, 1), c = readVector(inst, f, 2);
  const LaneMask lanes = guardLanes(inst, f);
  Vec4 r;
  LaneMask negative = 0;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      r.c[k].lane[l] = a.get(k, l) < 0 ? b.c[k].lane[l] : c.c[k].lane[l];
      if ((inst.base.mask & (8u >> k)) && r.get(k, l) < 0) negative |= 1u << l;
    }
  writeResult(inst, f, r, lanes);
  if (inst.op == Opcode::CmpKil) f.warp->killed |= negative & lanes, f.warp->helper |= negative & lanes;
  return op + 1;
}
const Op* dot(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0), b = readVector(inst, f, 1);
  Vec4 r;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    float v = a.get(0, l) * b.get(0, l) + a.get(1, l) * b.get(1, l) + a.get(2, l) * b.get(2, l);
    if (inst.op == Opcode::Dp4) v += a.get(3, l) * b.get(3, l);
    if (inst.op == Opcode::Dph) v += b.get(3, l);
    r.put(0, l, v);
  }
  broadcast(r);
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* distance(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0), b = readVector(inst, f, 1);
  Vec4 r;
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    r.put(0, l, 1.0f), r.put(1, l, a.get(1, l) * b.get(1, l)), r.put(2, l, a.get(2, l)), r.put(3, l, b.get(3, l));
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* integer(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0, true), b = readVector(inst, f, 1, true);
  Vec4 r;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      r.c[k].lane[l] = inst.op == Opcode::AddI ? a.c[k].lane[l] + b.c[k].lane[l] : a.c[k].lane[l] * b.c[k].lane[l];
  writeResult(inst, f, r, guardLanes(inst, f), true);
  return op + 1;
}
const Op* addressLoad(const Op* op, Frame& f) {
  Vec4 a = readVector(*op->inst, f, 0);
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l) a.c[k].lane[l] = static_cast<uint32_t>(floorToInt(a.get(k, l)));
  writeResult(*op->inst, f, a, guardLanes(*op->inst, f), true);
  return op + 1;
}

// --- Scalar functions
LaneWords mapped(const LaneWords& x, float (*fn)(float)) {
  LaneWords r;
  for (uint32_t l = 0; l < kWarpLanes; ++l) r.lane[l] = std::bit_cast<uint32_t>(fn(std::bit_cast<float>(x.lane[l])));
  return r;
}
const Op* scalar(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const math::LaneMath& m = math::laneMath();
  const LaneWords x = readSelect(inst, f, 0);
  Vec4 r;
  switch (inst.op) {
    case Opcode::Cos: m.cos(&x, &r.c[0]); break;
    case Opcode::Sin: m.sin(&x, &r.c[0]); break;
    case Opcode::Ex2: m.exp2(&x, &r.c[0]); break;
    case Opcode::Lg2: m.log2(&x, &r.c[0]); break;
    case Opcode::Rcp: r.c[0] = mapped(x, [](float v) { return 1.0f / v; }); break;
    default: r.c[0] = mapped(x, [](float v) { return 1.0f / std::sqrt(std::fabs(v)); }); break;
  }
  broadcast(r);
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* exponential(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const LaneWords x = readSelect(inst, f, 0);
  Vec4 r;
  const LaneWords whole = mapped(x, [](float v) { return std::floor(v); });
  math::laneMath().exp2(&whole, &r.c[0]);
  r.c[1] = mapped(x, [](float v) { return v - std::floor(v); });
  math::laneMath().exp2(&x, &r.c[2]);
  r.c[3] = mapped(x, [](float) { return 1.0f; });
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* logarithm(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const LaneWords x = mapped(readSelect(inst, f, 0), [](float v) { return std::fabs(v); });
  Vec4 r;
  math::laneMath().log2(&x, &r.c[2]);
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float v = std::bit_cast<float>(x.lane[l]);
    const float whole = v == 0             ? -std::numeric_limits<float>::infinity()
                        : std::isfinite(v) ? static_cast<float>(std::ilogb(v))
                                           : v;
    r.put(0, l, whole);
    r.put(1, l, v == 0 ? 1.0f : std::isfinite(v) ? std::scalbn(v, -std::ilogb(v)) : v);
    r.put(3, l, 1.0f);
  }
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* lighting(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0);
  LaneWords base, exponent, power;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float y = a.get(1, l) < 0 ? 0.0f : a.get(1, l);
    base.lane[l] = std::bit_cast<uint32_t>(y);
    exponent.lane[l] = std::bit_cast<uint32_t>(std::fmin(std::fmax(a.get(3, l), -128.0f), 128.0f));
  }
  math::laneMath().pow(&base, &exponent, &power);
  Vec4 r;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float x = a.get(0, l) < 0 ? 0.0f : a.get(0, l);
    const bool zeroPower = std::bit_cast<float>(exponent.lane[l]) == 0;  // 0^0 is 1 here
    r.put(0, l, 1.0f), r.put(1, l, x), r.put(3, l, 1.0f);
    r.put(2, l, x > 0 ? (zeroPower ? 1.0f : std::bit_cast<float>(power.lane[l])) : 0.0f);
  }
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}

// --- Predicates and jumps
LaneMask readPredicate(const Inst& inst, Frame& f, uint32_t operand) {
  const BaseFields& b = inst.base;
  if (b.absolute[operand]) return b.negate[operand] ? kAllLanes : 0;
  LaneMask m = 0;
  if (b.bank[operand] == Bank::Param || b.bank[operand] == Bank::Param2) {
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      m |= (rawWord(inst, f, operand, b.swizzle[operand] & 3, l) != 0 ? 1u : 0u) << l;
  } else {
    m = f.baseState->predicate[b.reg[operand] & 31];
  }
  return b.negate[operand] ? ~m & kAllLanes : m;
}
void writePredicate(const Inst& inst, Frame& f, LaneMask v) {
  if (inst.base.saturate) v = ~v;
  const LaneMask lanes = guardLanes(inst, f);
  LaneMask& p = f.baseState->predicate[inst.base.resultReg & 31];
  p = (p & ~lanes) | (v & lanes);
}
const Op* setPredicate(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const bool isInteger = isa::opInfo(inst).baseInteger;
  const LaneWords a = readSelect(inst, f, 0, isInteger), b = readSelect(inst, f, 1, isInteger);
  LaneMask m = 0;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float x = std::bit_cast<float>(a.lane[l]), y = std::bit_cast<float>(b.lane[l]);
    const int32_t i = static_cast<int32_t>(a.lane[l]), j = static_cast<int32_t>(b.lane[l]);
    bool v = false;
    switch (inst.op) {
      case Opcode::SetPEq: v = x == y; break;
      case Opcode::SetPGt: v = x > y; break;
      case Opcode::SetPLt: v = x < y; break;
      case Opcode::StPEqI: v = i == j; break;
      case Opcode::StPGtI: v = i > j; break;
      default: v = i < j; break;
    }
    m |= (v ? 1u : 0u) << l;
  }
  writePredicate(inst, f, m);
  return op + 1;
}
const Op* andPredicate(const Op* op, Frame& f) {
  writePredicate(*op->inst, f, readPredicate(*op->inst, f, 0) & readPredicate(*op->inst, f, 1));
  return op + 1;
}
const Op* jump(const Op* op, Frame& f) {
  const LaneMask taken = readPredicate(*op->inst, f, 0) & guardLanes(*op->inst, f);
  if ((f.exec & ~taken) != 0) return op + 1;
  const auto* cancel = f.warp->context->cancel;
  if (op->jump <= 0 && cancel && cancel->load(std::memory_order_relaxed)) {
    f.status = abi::WarpStatus::Cancelled;
    return nullptr;
  }
  return op + op->jump;
}

// --- Fixed point: Q16.16 operands, Q32.32 accumulator that wraps
int64_t toFixed(float v) {
  if (!(v == v)) return 0;
  const double scaled = std::trunc(static_cast<double>(v) * 65536.0);
  return static_cast<int64_t>(std::fmin(std::fmax(scaled, -2147483648.0), 2147483647.0));
}
const Op* fixedPoint(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0), b = readVector(inst, f, 1);
  const Vec4 c = inst.op == Opcode::FxMad2 ? readVector(inst, f, 2) : a;
  const LaneMask lanes = guardLanes(inst, f);
  Vec4 r;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      int64_t& acc = f.baseState->accumulator[k][l];
      uint64_t v = static_cast<uint64_t>(toFixed(a.get(k, l)) * toFixed(b.get(k, l)));
      if (inst.op == Opcode::FxMad2) v += static_cast<uint64_t>(toFixed(c.get(k, l))) << 16;
      if (inst.op == Opcode::FxMad) {
        v += static_cast<uint64_t>(acc);
        r.put(k, l, static_cast<float>(std::ldexp(static_cast<double>(static_cast<int64_t>(v)), -32)));
      } else if ((lanes >> l & 1) && (inst.base.mask & (8u >> k))) {
        acc = static_cast<int64_t>(v);
      }
    }
  if (inst.op == Opcode::FxMad) writeResult(inst, f, r, lanes);
  return op + 1;
}
const Op* nothing(const Op* op, Frame&) { return op + 1; }

}  // namespace

Handler baseHandler(const Inst& inst) {
  switch (inst.op) {
    case Opcode::Nop: return nothing;
    case Opcode::Add:
    case Opcode::Flr:
    case Opcode::Frc:
    case Opcode::Mad:
    case Opcode::Max:
    case Opcode::Min:
    case Opcode::Mul:
    case Opcode::Sge:
    case Opcode::Slt: return vector;
    case Opcode::Mov: return move;
    case Opcode::Cmp:
    case Opcode::CmpKil: return compareSelect;
    case Opcode::Dp3:
    case Opcode::Dp4:
    case Opcode::Dph: return dot;
    case Opcode::Dst: return distance;
    case Opcode::AddI:
    case Opcode::MulI: return integer;
    case Opcode::Arl: return addressLoad;
    case Opcode::Cos:
    case Opcode::Sin:
    case Opcode::Ex2:
    case Opcode::Lg2:
    case Opcode::Rcp:
    case Opcode::Rsq: return scalar;
    case Opcode::Exp: return exponential;
    case Opcode::Log: return logarithm;
    case Opcode::Lit: return lighting;
    case Opcode::SetPEq:
    case Opcode::SetPGt:
    case Opcode::SetPLt:
    case Opcode::StPEqI:
    case Opcode::StPGtI:
    case Opcode::StPLtI: return setPredicate;
    case Opcode::AndP: return andPredicate;
    case Opcode::Jmp: return jump;
    case Opcode::FxMul:
    case Opcode::FxMad:
    case Opcode::FxMad2: return fixedPoint;
    default: return pixelHandler(inst);
  }
}

}  // namespace etzel::interp
