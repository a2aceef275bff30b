// Subgroup instructions. A subgroup is the warp of 8 lanes, so a ballot is 8 bits in the first word of its uvec4.
// "Subgroups" and "Group Operations" chapters.
#include "compiler/lower/lower.h"
#include "runtime/debug/mutant.h"

namespace etzel::lower {
namespace {

using isa::CmpI;
using isa::ReduceOp;
using isa::Type;
using spv::Op;

constexpr uint32_t kLaneBits = kWarpLanes - 1;
constexpr uint32_t kBallotBits = kAllLanes;

/// 32-bit integer helpers around one instruction.
struct Sub {
  Lowerer& l;
  const spirv::Instruction& inst;

  Operand i32(Opcode op, Operand a, Operand b = {}) { return l.b.value(op, Type::I32, a, b); }
  Operand k(uint32_t v) { return l.imm(v); }
  Operand lane() { return l.sys(abi::SysValue::LaneId); }
  Operand equal(Operand a, Operand b) { return l.b.icmp(CmpI::Eq, Type::I32, a, b); }
  Operand ballot(Operand predicate) { return l.b.value(Opcode::SgBallot, Type::I32, predicate); }
  /// Scalar operand n as a 32-bit integer.
  Operand word(uint32_t n) { return l.toWord(l.scalar(inst.operand(n)), l.scalarTypeOf(l.typeOf(inst.operand(n)))); }

  /// Moves whole values between lanes: SgFirst, or SgShuffle with the source lane.
  void move(uint32_t valueId, Opcode op, Operand from = {}) {
    const uint32_t words = l.wordsOfScalar(l.scalarTypeOf(inst.type));
    const auto& c = l.components(valueId);
    const uint32_t count = uint32_t(c.size());
    const Operand run = l.consecutive(c, words);
    const Operand r = l.b.value(op, Type::I32, run, from, {}, 0, 0, uint8_t(count * words));
    l.setResult(inst, Lowerer::split(r, count, words));
  }
  void shuffle(uint32_t valueId, Operand from) { move(valueId, Opcode::SgShuffle, from); }

  void allEqual(uint32_t valueId) {
    const Type t = l.isaType(l.scalarTypeOf(l.typeOf(valueId)));
    Operand all;
    for (Operand c : l.components(valueId)) {
      const Operand same = l.b.value(Opcode::SgAllEq, t, c);
      all = all.present() ? i32(Opcode::And, all, same) : same;
    }
    l.setResult(inst, all);
  }
  void all(Operand predicate) { l.setResult(inst, equal(ballot(i32(Opcode::Not, predicate)), k(0))); }
  void any(Operand predicate) { l.setResult(inst, l.b.icmp(CmpI::Ne, Type::I32, ballot(predicate), k(0))); }
  void ballotResult(Operand predicate) { l.setResult(inst, {ballot(predicate), k(0), k(0), k(0)}); }

  /// Bit `index` (0-127) of a uvec4 as a boolean.
  void bitExtract(uint32_t valueId, Operand index) {
    const auto& v = l.components(valueId);
    const Operand which = i32(Opcode::Shr, index, k(5));
    Operand bits = k(0);
    for (uint32_t w = 0; w < 4 && w < v.size(); ++w) bits = l.b.select(equal(which, k(w)), v[w], bits);
    const Operand bit = i32(Opcode::And, i32(Opcode::Shr, bits, i32(Opcode::And, index, k(31))), k(1));
    l.setResult(inst, l.b.icmp(CmpI::Ne, Type::I32, bit, k(0)));
  }
  void bitCount() {
    const auto operation = spv::GroupOperation(inst.operand(1));
    Operand bits = l.componentOf(inst.operand(2), 0);
    Operand mask = k(kBallotBits);
    if (operation == spv::GroupOperation::InclusiveScan)
      mask = i32(Opcode::ISub, i32(Opcode::Shl, k(2), lane()), k(1));
    else if (operation == spv::GroupOperation::ExclusiveScan)
      mask = i32(Opcode::ISub, i32(Opcode::Shl, k(1), lane()), k(1));
    l.setResult(inst, l.b.value(Opcode::BCnt, Type::I32, i32(Opcode::And, bits, mask)));
  }
  void findBit(Opcode op) {
    const Operand bits = i32(Opcode::And, l.componentOf(inst.operand(1), 0), k(kBallotBits));
    l.setResult(inst, l.b.value(op, Type::I32, bits));
  }
  void quadSwap() {
    const uint32_t direction = l.constantOr(inst.operand(2), 0);  // horizontal, vertical, diagonal
    shuffle(inst.operand(1), i32(Opcode::Xor, lane(), k((direction & 3) + 1)));
  }
  void rotate() {
    const uint32_t cluster = inst.size() > 3 ? l.constantOr(inst.operand(3), kWarpLanes) : kWarpLanes;
    const uint32_t bits = (cluster ? cluster - 1 : kLaneBits) & kLaneBits;
    const Operand moved = i32(Opcode::And, i32(Opcode::IAdd, lane(), word(2)), k(bits));
    shuffle(inst.operand(1), i32(Opcode::Or, i32(Opcode::And, lane(), k(kLaneBits & ~bits)), moved));
  }
  void reduce(ReduceOp op) {
    const auto operation = spv::GroupOperation(inst.operand(1));
    const Type t = l.isaType(l.scalarTypeOf(inst.type));
    Opcode code = Opcode::SgReduce;
    uint32_t cluster = 0;
    switch (operation) {
      case spv::GroupOperation::Reduce: break;
      case spv::GroupOperation::InclusiveScan: code = Opcode::SgScanI; break;
      case spv::GroupOperation::ExclusiveScan: code = Opcode::SgScanE; break;
      case spv::GroupOperation::ClusteredReduce:
        cluster = l.constantOr(inst.operand(3), kWarpLanes);
        if (cluster >= kWarpLanes) cluster = 0;
        break;
      default: l.unsupported(inst, "partitioned group operation"); return;
    }
    std::vector<Operand> r;
    for (Operand c : l.components(inst.operand(2))) {
      // Clusters of one lane: the value itself.
      r.push_back(cluster == 1 ? c : l.b.value(code, t, c, {}, {}, uint8_t(op), cluster));
    }
    l.setResult(inst, std::move(r));
  }
};

struct ReduceForm {
  Op op;
  ReduceOp reduce;
};
constexpr ReduceForm kReductions[] = {
    {Op::OpGroupNonUniformIAdd, ReduceOp::Add},       {Op::OpGroupNonUniformFAdd, ReduceOp::Add},
    {Op::OpGroupNonUniformIMul, ReduceOp::Mul},       {Op::OpGroupNonUniformFMul, ReduceOp::Mul},
    {Op::OpGroupNonUniformSMin, ReduceOp::SMin},      {Op::OpGroupNonUniformUMin, ReduceOp::UMin},
    {Op::OpGroupNonUniformFMin, ReduceOp::FMin},      {Op::OpGroupNonUniformSMax, ReduceOp::SMax},
    {Op::OpGroupNonUniformUMax, ReduceOp::UMax},      {Op::OpGroupNonUniformFMax, ReduceOp::FMax},
    {Op::OpGroupNonUniformBitwiseAnd, ReduceOp::And}, {Op::OpGroupNonUniformBitwiseOr, ReduceOp::Or},
    {Op::OpGroupNonUniformBitwiseXor, ReduceOp::Xor}, {Op::OpGroupNonUniformLogicalAnd, ReduceOp::And},
    {Op::OpGroupNonUniformLogicalOr, ReduceOp::Or},   {Op::OpGroupNonUniformLogicalXor, ReduceOp::Xor},
};

}  // namespace

bool lowerSubgroup(Lowerer& l, const spirv::Instruction& inst) {
  Sub s{l, inst};
  for (const ReduceForm& f : kReductions)
    if (f.op == inst.op) {
      s.reduce(f.reduce);
      return true;
    }
  const auto lane = [&] { return s.lane(); };
  switch (inst.op) {
    case Op::OpGroupNonUniformElect:
      l.setResult(inst, s.equal(l.b.value(Opcode::SgFirst, Type::I32, lane()), lane()));
      return true;
    case Op::OpGroupNonUniformAll: s.all(l.scalar(inst.operand(1))); return true;
    case Op::OpGroupNonUniformAny: s.any(l.scalar(inst.operand(1))); return true;
    case Op::OpGroupNonUniformAllEqual: s.allEqual(inst.operand(1)); return true;
    case Op::OpSubgroupAllKHR: s.all(l.scalar(inst.operand(0))); return true;
    case Op::OpSubgroupAnyKHR: s.any(l.scalar(inst.operand(0))); return true;
    case Op::OpSubgroupAllEqualKHR: s.allEqual(inst.operand(0)); return true;

    case Op::OpGroupNonUniformBroadcast: s.shuffle(inst.operand(1), s.word(2)); return true;
    case Op::OpGroupNonUniformBroadcastFirst: s.move(inst.operand(1), Opcode::SgFirst); return true;
    case Op::OpSubgroupFirstInvocationKHR: s.move(inst.operand(0), Opcode::SgFirst); return true;
    case Op::OpSubgroupReadInvocationKHR: s.shuffle(inst.operand(0), s.word(1)); return true;

    case Op::OpGroupNonUniformBallot: s.ballotResult(l.scalar(inst.operand(1))); return true;
    case Op::OpSubgroupBallotKHR: s.ballotResult(l.scalar(inst.operand(0))); return true;
    case Op::OpGroupNonUniformInverseBallot: s.bitExtract(inst.operand(1), lane()); return true;
    case Op::OpGroupNonUniformBallotBitExtract: s.bitExtract(inst.operand(1), s.word(2)); return true;
    case Op::OpGroupNonUniformBallotBitCount: s.bitCount(); return true;
    case Op::OpGroupNonUniformBallotFindLSB: s.findBit(Opcode::Flsb); return true;
    case Op::OpGroupNonUniformBallotFindMSB: s.findBit(Opcode::Fmsbu); return true;

    case Op::OpGroupNonUniformShuffle: s.shuffle(inst.operand(1), s.word(2)); return true;
    case Op::OpGroupNonUniformShuffleXor:
      s.shuffle(inst.operand(1), s.i32(Opcode::Xor, mutated(Mutant::ShuffleXor) ? s.k(1) : lane(), s.word(2)));
      return true;
    case Op::OpGroupNonUniformShuffleUp:
      s.shuffle(inst.operand(1), s.i32(Opcode::ISub, lane(), s.word(2)));
      return true;
    case Op::OpGroupNonUniformShuffleDown:
      s.shuffle(inst.operand(1), s.i32(Opcode::IAdd, lane(), s.word(2)));
      return true;
    case Op::OpGroupNonUniformRotateKHR: s.rotate(); return true;
    case Op::OpGroupNonUniformQuadBroadcast:
      s.shuffle(inst.operand(1), s.i32(Opcode::Or, s.i32(Opcode::And, lane(), s.k(kLaneBits & ~3u)),
                                       s.i32(Opcode::And, s.word(2), s.k(3))));
      return true;
    case Op::OpGroupNonUniformQuadSwap: s.quadSwap(); return true;
    default: return false;
  }
}

}  // namespace etzel::lower
