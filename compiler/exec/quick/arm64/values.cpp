// Instructions that compute, as the interpreter's handlers do (interp/vector).
#include "compiler/exec/quick/arm64/generator.h"

namespace etzel::quick::arm64 {

void Generator::copy(const Op& op, bool masked) {
  if (masked) laneMask();
  for (uint32_t w = 0; w < op.count; ++w) {
    const Pair from = in(op.src[0], w), to = masked ? in(op.dst, w) : from, r = fresh();
    a.move(r, masked ? Pair{3} : from);
    if (masked) a.both(kBsl, r, from, to);
    out(op.dst, r, w);
  }
}
void Generator::laneMask() {
  constexpr Gpr kLanes = 9;
  a.load32(kLanes, kExec);
  a.broadcast(3, kLanes);
  a.load(2, {kLaneBits, 0});
  a.both(kCmtst, 3, 3, 2);
}

bool Generator::withSecond(const Op& op, VectorOp opcode) {
  const Pair x = in(op.src[0]), y = in(op.src[1]), r = fresh();
  a.both(opcode, r, x, y);
  return out(op.dst, r);
}
bool Generator::withOne(const Op& op, VectorOp opcode) {
  const Pair x = in(op.src[0]), r = fresh();
  a.both(opcode, r, x);
  return out(op.dst, r);
}
/// Counts below zero shift to the right.
bool Generator::shift(const Op& op, VectorOp opcode, bool right) {
  const Pair x = in(op.src[0]), y = in(op.src[1]), r = fresh();
  a.both(kMoviShiftMask, 0);
  a.both(kAnd, 0, 0, y);
  if (right) a.both(kNeg, 0, 0);
  a.both(opcode, r, x, 0);
  return out(op.dst, r);
}

bool Generator::value(const Op& op, const Inst& inst) {
  switch (inst.op) {
    case Opcode::XMov: copy(op, inst.masked && (op.dst & 31) != static_cast<uint32_t>(Home::Result)); return true;
    case Opcode::LdImm: {
      const Pair r = fresh();
      a.set(kScratch, inst.imm);
      a.broadcast(r, kScratch);
      return out(op.dst, r);
    }
    case Opcode::Sys: {
      const Pair r = fresh();
      a.load(r, mem(op.src[0]));
      return out(op.dst, r);
    }
    case Opcode::Sel:
      a.both(kCmeqZero, 2, in(op.src[0]));
      for (uint32_t w = 0; w < op.count; ++w) {
        const Pair x = in(op.src[1], w), y = in(op.src[2], w), r = fresh();
        a.move(r, 2);
        a.both(kBsl, r, y, x);
        out(op.dst, r, w);
      }
      return true;
    default: break;
  }
  if (inst.type == Type::F32) return float32(op, inst);
  if (inst.type == Type::I32) return int32(op, inst);
  return false;
}

void Generator::compareFloats(isa::CmpF c, Pair to, Pair x, Pair y) {
  using isa::CmpF;
  bool negated = false;
  switch (c) {
    case CmpF::UNe: negated = true; [[fallthrough]];
    case CmpF::OEq: a.both(kFcmeq, to, x, y); break;
    case CmpF::UGe: negated = true; [[fallthrough]];
    case CmpF::OLt: a.both(kFcmgt, to, y, x); break;
    case CmpF::UGt: negated = true; [[fallthrough]];
    case CmpF::OLe: a.both(kFcmge, to, y, x); break;
    case CmpF::ULe: negated = true; [[fallthrough]];
    case CmpF::OGt: a.both(kFcmgt, to, x, y); break;
    case CmpF::ULt: negated = true; [[fallthrough]];
    case CmpF::OGe: a.both(kFcmge, to, x, y); break;
    case CmpF::UEq:
    case CmpF::Uno: negated = true; [[fallthrough]];
    case CmpF::ONe:
    case CmpF::Ord:  // one of both is the greater one, or neither
      a.both(c == CmpF::Uno || c == CmpF::Ord ? kFcmge : kFcmgt, 0, x, y);
      a.both(kFcmgt, to, y, x);
      a.both(kOrr, to, to, 0);
      break;
  }
  if (negated) a.both(kMvn, to, to);
}

/// x where it is the lesser (greater) one or y is a NaN; of equal ones, zeros of either sign, -0 (0); else y.
bool Generator::minOrMax(const Op& op, bool min) {
  const Pair x = in(op.src[0]), y = in(op.src[1]), r = fresh();
  a.both(kFcmgt, r, min ? y : x, min ? x : y);
  a.both(kBsl, r, x, y);
  a.both(min ? kOrr : kAnd, 0, x, y);
  a.both(kFcmeq, 1, x, y);
  a.both(kBit, r, 0, 1);
  a.both(kFcmeq, 1, y, y);
  a.both(kBif, r, x, 1);
  return out(op.dst, r);
}

bool Generator::float32(const Op& op, const Inst& inst) {
  switch (inst.op) {
    case Opcode::FAdd: return withSecond(op, kFadd);
    case Opcode::FSub: return withSecond(op, kFsub);
    case Opcode::FMul: return withSecond(op, kFmul);
    case Opcode::FDiv: return withSecond(op, kFdiv);
    case Opcode::FSqrt: return withOne(op, kFsqrt);
    case Opcode::FNeg: return withOne(op, kFneg);
    case Opcode::FAbs: return withOne(op, kFabs);
    case Opcode::FRoundE: return withOne(op, kFrintn);
    case Opcode::FFloor: return withOne(op, kFrintm);
    case Opcode::FCeil: return withOne(op, kFrintp);
    case Opcode::FTrunc: return withOne(op, kFrintz);
    case Opcode::FFract: {
      const Pair x = in(op.src[0]), r = fresh();
      a.both(kFrintm, 0, x);
      a.both(kFsub, r, x, 0);
      return out(op.dst, r);
    }
    case Opcode::FRsq: {
      const Pair x = in(op.src[0]), r = fresh();
      a.both(kFsqrt, 1, x);
      a.both(kFmovOne, 0);
      a.both(kFdiv, r, 0, 1);
      return out(op.dst, r);
    }
    case Opcode::FFma: {
      const Pair x = in(op.src[0]), y = in(op.src[1]), z = in(op.src[2]), r = fresh();
      a.move(r, z);
      a.both(kFmla, r, x, y);
      return out(op.dst, r);
    }
    case Opcode::FMin:
    case Opcode::FMax: return minOrMax(op, inst.op == Opcode::FMin);
    case Opcode::FCmp: {
      const Pair x = in(op.src[0]), y = in(op.src[1]), r = fresh();
      compareFloats(static_cast<isa::CmpF>(inst.sub), r, x, y);
      return out(op.dst, r);
    }
    case Opcode::FIsNan: {
      const Pair x = in(op.src[0]), r = fresh();
      a.both(kFcmeq, r, x, x);
      a.both(kMvn, r, r);
      return out(op.dst, r);
    }
    case Opcode::CvtSF: return static_cast<Type>(inst.sub) == Type::I32 && withOne(op, kScvtf);
    default: return false;
  }
}

bool Generator::int32(const Op& op, const Inst& inst) {
  switch (inst.op) {
    case Opcode::IAdd: return withSecond(op, kAdd);
    case Opcode::ISub: return withSecond(op, kSub);
    case Opcode::IMul: return withSecond(op, kMul);
    case Opcode::And: return withSecond(op, kAnd);
    case Opcode::Or: return withSecond(op, kOrr);
    case Opcode::Xor: return withSecond(op, kEor);
    case Opcode::SMin: return withSecond(op, kSmin);
    case Opcode::SMax: return withSecond(op, kSmax);
    case Opcode::UMin: return withSecond(op, kUmin);
    case Opcode::UMax: return withSecond(op, kUmax);
    case Opcode::IAbs: return withOne(op, kAbs);
    case Opcode::Not: return withOne(op, kMvn);
    case Opcode::INeg: return withOne(op, kNeg);
    case Opcode::Shl: return shift(op, kUshl, false);
    case Opcode::Shr: return shift(op, kUshl, true);
    case Opcode::Sar: return shift(op, kSshl, true);
    case Opcode::ICmp: return compare(op, static_cast<isa::CmpI>(inst.sub));
    default: return false;
  }
}

bool Generator::compare(const Op& op, isa::CmpI c) {
  using isa::CmpI;
  const Pair x = in(op.src[0]), y = in(op.src[1]), r = fresh();
  switch (c) {
    case CmpI::Eq:
    case CmpI::Ne: a.both(kCmeq, r, x, y); break;
    case CmpI::SGt: a.both(kCmgt, r, x, y); break;
    case CmpI::SGe: a.both(kCmge, r, x, y); break;
    case CmpI::SLt: a.both(kCmgt, r, y, x); break;
    case CmpI::SLe: a.both(kCmge, r, y, x); break;
    case CmpI::UGt: a.both(kCmhi, r, x, y); break;
    case CmpI::UGe: a.both(kCmhs, r, x, y); break;
    case CmpI::ULt: a.both(kCmhi, r, y, x); break;
    case CmpI::ULe: a.both(kCmhs, r, y, x); break;
  }
  if (c == CmpI::Ne) a.both(kMvn, r, r);
  return out(op.dst, r);
}

}  // namespace etzel::quick::arm64
