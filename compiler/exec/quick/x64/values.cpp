// Instructions that compute, as the interpreter's handlers do (interp/vector).
#include "compiler/exec/quick/x64/generator.h"

namespace etzel::quick::x64 {
namespace {

/// vcmpps's immediate.
uint8_t predicateOf(isa::CmpF c) {
  using isa::CmpF;
  switch (c) {
    case CmpF::OEq: return 0x00;
    case CmpF::ONe: return 0x0C;
    case CmpF::OLt: return 0x11;
    case CmpF::OLe: return 0x12;
    case CmpF::OGt: return 0x1E;
    case CmpF::OGe: return 0x1D;
    case CmpF::UEq: return 0x08;
    case CmpF::UNe: return 0x04;
    case CmpF::ULt: return 0x19;
    case CmpF::ULe: return 0x1A;
    case CmpF::UGt: return 0x16;
    case CmpF::UGe: return 0x15;
    case CmpF::Ord: return 0x07;
    case CmpF::Uno: return 0x03;
  }
  return 0;
}

}  // namespace

/// The interpreter's handler.
void Generator::call(const Op& op, bool jumps) {
  forget();
  a.zeroUpper();
  a.set64(kRdi, reinterpret_cast<uint64_t>(&op));
  a.move64(kRsi, kFrame);
  a.set64(kRax, reinterpret_cast<uint64_t>(op.handler));
  a.callReg(kRax);
  if (jumps) a.jump(dispatch_);
}

/// The decoder's second step: result words to their place, in the active lanes or all.
void Generator::copy(const Op& op, bool masked) {
  if (masked) laneMask();
  for (uint32_t w = 0; w < op.count; ++w) {
    const uint8_t from = in(op.src[0], w), to = masked ? in(op.dst, w) : from, r = fresh();
    if (masked)
      a.blend(r, to, from, 3);
    else
      a.vex(kVmovaps, r, 0, from);
    out(op.dst, r, w);
  }
}
/// ymm3 = ~0 in active lanes.
void Generator::laneMask() {
  a.vex(kVpbroadcastd, 3, 0, kExec);
  a.vex(kVpand, 3, 3, pool(kLaneBits));
  a.vex(kVpcmpeqd, 3, 3, pool(kLaneBits));
}

bool Generator::withSecond(const Op& op, VexOp opcode) {
  const uint8_t x = in(op.src[0]), y = in(op.src[1]), r = fresh();
  a.vex(opcode, r, x, y);
  return out(op.dst, r);
}
bool Generator::withOne(const Op& op, VexOp opcode) {
  const uint8_t x = in(op.src[0]), r = fresh();
  a.vex(opcode, r, 0, x);
  return out(op.dst, r);
}
bool Generator::withConstant(const Op& op, VexOp opcode, Pool constant) {
  const uint8_t x = in(op.src[0]), r = fresh();
  a.vex(opcode, r, x, pool(constant));
  return out(op.dst, r);
}
uint8_t Generator::rounded(Location l, uint8_t mode) {
  const uint8_t x = in(l), r = fresh();
  a.vex(kVroundps, r, 0, x), a.byte(mode);
  return r;
}
bool Generator::shift(const Op& op, VexOp opcode) {
  const uint8_t x = in(op.src[0]), y = in(op.src[1]), r = fresh();
  a.vex(kVpand, 1, y, pool(kShiftMask));
  a.vex(opcode, r, x, uint8_t{1});
  return out(op.dst, r);
}
void Generator::compareFloats(uint8_t predicate, uint8_t to, uint8_t x, uint8_t y) {
  a.vex(kVcmpps, to, x, y), a.byte(predicate);
}

/// Instructions that compute; false: none of those here. ymm0 to ymm3 are for what lies between.
bool Generator::value(const Op& op, const Inst& inst) {
  switch (inst.op) {
    case Opcode::XMov: copy(op, inst.masked && (op.dst & 31) != static_cast<uint32_t>(Home::Result)); return true;
    case Opcode::LdImm: {
      const uint8_t r = fresh();
      a.set32(kRax, inst.imm);
      a.vex(kVmovd, 0, 0, uint8_t{kRax}, false);
      a.vex(kVpbroadcastd, r, 0, uint8_t{0});
      return out(op.dst, r);
    }
    case Opcode::Sys: {
      const uint8_t r = fresh();
      a.load(r, mem(op.src[0]));
      return out(op.dst, r);
    }
    case Opcode::Sel:
      a.vex(kVpxor, 2, 2, uint8_t{2});
      a.vex(kVpcmpeqd, 2, 2, in(op.src[0]));
      for (uint32_t w = 0; w < op.count; ++w) {
        const uint8_t x = in(op.src[1], w), y = in(op.src[2], w), r = fresh();
        a.blend(r, x, y, 2);
        out(op.dst, r, w);
      }
      return true;
    default: break;
  }
  if (inst.type == Type::F32) return float32(op, inst);
  if (inst.type == Type::I32) return int32(op, inst);
  return false;
}

bool Generator::float32(const Op& op, const Inst& inst) {
  switch (inst.op) {
    case Opcode::FAdd: return withSecond(op, kVaddps);
    case Opcode::FSub: return withSecond(op, kVsubps);
    case Opcode::FMul: return withSecond(op, kVmulps);
    case Opcode::FDiv: return withSecond(op, kVdivps);
    case Opcode::FSqrt: return withOne(op, kVsqrtps);
    case Opcode::FNeg: return withConstant(op, kVxorps, kSignBits);
    case Opcode::FAbs: return withConstant(op, kVandps, kAbsMask);
    case Opcode::FRoundE: return out(op.dst, rounded(op.src[0], 8));
    case Opcode::FFloor: return out(op.dst, rounded(op.src[0], 9));
    case Opcode::FCeil: return out(op.dst, rounded(op.src[0], 10));
    case Opcode::FTrunc: return out(op.dst, rounded(op.src[0], 11));
    case Opcode::FFract: {
      const uint8_t floor = rounded(op.src[0], 9), x = in(op.src[0]), r = fresh();
      a.vex(kVsubps, r, x, floor);
      return out(op.dst, r);
    }
    case Opcode::FRsq: {
      const uint8_t x = in(op.src[0]), r = fresh();
      a.vex(kVsqrtps, 1, 0, x);
      a.load(0, pool(kFloatOne));
      a.vex(kVdivps, r, 0, uint8_t{1});
      return out(op.dst, r);
    }
    case Opcode::FFma: {
      const uint8_t x = in(op.src[0]), y = in(op.src[1]), z = in(op.src[2]), r = fresh();
      a.vex(kVmovaps, r, 0, x);
      a.vex(kVfmadd213ps, r, y, z);
      return out(op.dst, r);
    }
    case Opcode::FMin:
    case Opcode::FMax: {
      const bool min = inst.op == Opcode::FMin;
      const uint8_t x = in(op.src[0]), y = in(op.src[1]), r = fresh();
      a.vex(min ? kVminps : kVmaxps, 0, x, y);  // x < y ? x : y
      a.vex(min ? kVorps : kVandps, 1, x, y);   // of equal ones: zeros of either sign
      compareFloats(0, 2, x, y);
      a.blend(0, 0, uint8_t{1}, 2);
      compareFloats(3, 2, y, y);  // y is a NaN
      a.blend(r, 0, x, 2);
      return out(op.dst, r);
    }
    case Opcode::FCmp: {
      const uint8_t x = in(op.src[0]), y = in(op.src[1]), r = fresh();
      compareFloats(predicateOf(static_cast<isa::CmpF>(inst.sub)), r, x, y);
      return out(op.dst, r);
    }
    case Opcode::FIsNan: {
      const uint8_t x = in(op.src[0]), r = fresh();
      compareFloats(3, r, x, x);
      return out(op.dst, r);
    }
    case Opcode::CvtSF: return static_cast<Type>(inst.sub) == Type::I32 && withOne(op, kVcvtdq2ps);
    default: return false;
  }
}

bool Generator::int32(const Op& op, const Inst& inst) {
  switch (inst.op) {
    case Opcode::IAdd: return withSecond(op, kVpaddd);
    case Opcode::ISub: return withSecond(op, kVpsubd);
    case Opcode::IMul: return withSecond(op, kVpmulld);
    case Opcode::And: return withSecond(op, kVpand);
    case Opcode::Or: return withSecond(op, kVpor);
    case Opcode::Xor: return withSecond(op, kVpxor);
    case Opcode::SMin: return withSecond(op, kVpminsd);
    case Opcode::SMax: return withSecond(op, kVpmaxsd);
    case Opcode::UMin: return withSecond(op, kVpminud);
    case Opcode::UMax: return withSecond(op, kVpmaxud);
    case Opcode::IAbs: return withOne(op, kVpabsd);
    case Opcode::Not: return withConstant(op, kVpxor, kOnes);
    case Opcode::INeg: {
      const uint8_t x = in(op.src[0]), r = fresh();
      a.vex(kVpxor, 0, 0, uint8_t{0});
      a.vex(kVpsubd, r, 0, x);
      return out(op.dst, r);
    }
    case Opcode::Shl: return shift(op, kVpsllvd);
    case Opcode::Shr: return shift(op, kVpsrlvd);
    case Opcode::Sar: return shift(op, kVpsravd);
    case Opcode::ICmp: return compare(op, static_cast<isa::CmpI>(inst.sub));
    default: return false;
  }
}

bool Generator::compare(const Op& op, isa::CmpI c) {
  using isa::CmpI;
  const uint8_t x = in(op.src[0]), y = in(op.src[1]), r = fresh();
  bool negated = false;
  switch (c) {
    case CmpI::Ne: negated = true; [[fallthrough]];
    case CmpI::Eq: a.vex(kVpcmpeqd, r, x, y); break;
    case CmpI::SLe: negated = true; [[fallthrough]];
    case CmpI::SGt: a.vex(kVpcmpgtd, r, x, y); break;
    case CmpI::SGe: negated = true; [[fallthrough]];
    case CmpI::SLt: a.vex(kVpcmpgtd, r, y, x); break;
    case CmpI::UGt: negated = true; [[fallthrough]];
    case CmpI::ULe:  // the smaller one is x
      a.vex(kVpminud, 0, x, y);
      a.vex(kVpcmpeqd, r, x, uint8_t{0});
      break;
    case CmpI::ULt: negated = true; [[fallthrough]];
    case CmpI::UGe:
      a.vex(kVpmaxud, 0, x, y);
      a.vex(kVpcmpeqd, r, x, uint8_t{0});
      break;
  }
  if (negated) a.vex(kVpxor, r, r, pool(kOnes));
  return out(op.dst, r);
}

}  // namespace etzel::quick::x64
