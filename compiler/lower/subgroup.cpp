// Subgroup instructions. A subgroup is a warp or a half of it, so a ballot is 8 or 4 bits in the first word of its
// uvec4. What instructions do across a warp stays within the halves where those are subgroups: lanes are read by
// numbers of the own half, ballots are the half's bits, reductions and scans have clusters. "Subgroups" and "Group
// Operations" chapters.
#include <algorithm>
#include <cmath>

#include "compiler/lower/instructions.h"
#include "compiler/lower/subgroup_lanes.h"
#include "compiler/spirv/newer.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {
namespace {

using isa::CmpI;
using isa::ReduceOp;
using isa::Type;
using spv::Op;

/// 32-bit integer helpers around one instruction.
struct Sub {
  Lowerer& l;
  const spirv::Instruction& inst;

  Operand i32(Opcode op, Operand a, Operand b = {}) { return l.b.value(op, Type::I32, a, b); }
  Operand k(uint32_t v) { return l.imm(v); }
  uint32_t size() const { return subgroupSize(l); }
  uint32_t laneBits() const { return size() - 1; }
  uint32_t ballotBits() const { return (1u << size()) - 1; }
  /// Clusters of `lanes` (0: whole subgroups), as reductions and scans have them: 0 is the whole warp.
  uint32_t cluster(uint32_t lanes = 0) const {
    if (mutated(Mutant::SubgroupHalves)) return lanes < kWarpLanes ? lanes : 0;
    if (lanes == 0 || lanes > size()) lanes = size();
    return lanes < kWarpLanes ? lanes : 0;
  }
  Operand lane() { return laneOfSubgroup(l); }
  Operand equal(Operand a, Operand b) { return l.b.icmp(CmpI::Eq, Type::I32, a, b); }
  Operand warpBallot(Operand predicate) { return l.b.value(Opcode::SgBallot, Type::I32, predicate); }
  Operand ballot(Operand predicate) { return bitsOfOwnSubgroup(l, warpBallot(predicate)); }
  Operand firstActive() { return l.b.value(Opcode::Flsb, Type::I32, ballot(k(1))); }
  /// Scalar operand n as a 32-bit integer.
  Operand word(uint32_t n) { return l.toWord(l.scalar(inst.operand(n)), l.scalarTypeOf(l.typeOf(inst.operand(n)))); }

  /// Components of `words` each, moved between lanes of the warp: SgFirst, or SgShuffle with the source lane.
  std::vector<Operand> moved(const std::vector<Operand>& c, uint32_t words, Opcode op, Operand from = {}) {
    constexpr uint32_t kMostWords = 8;  // of one instruction: no ordinary vector has more
    std::vector<Operand> out;
    for (size_t i = 0; i < c.size();) {
      const uint32_t count = uint32_t(std::min<size_t>(c.size() - i, kMostWords / words));
      const Operand run = l.consecutive(std::span(c).subspan(i, count), words);
      const Operand r = l.b.value(op, Type::I32, run, from, {}, 0, 0, uint8_t(count * words));
      for (Operand o : Lowerer::split(r, count, words)) out.push_back(o);
      i += count;
    }
    return out;
  }
  /// Components of the lane `from` of the subgroup.
  std::vector<Operand> shuffled(const std::vector<Operand>& c, uint32_t words, Operand from) {
    return moved(c, words, Opcode::SgShuffle, laneOfOwnSubgroup(l, from));
  }
  void shuffle(uint32_t valueId, Operand from) {
    const std::vector<Operand> c = l.components(valueId);
    l.setResult(inst, shuffled(c, l.wordsOfScalar(l.scalarTypeOf(inst.type)), from));
  }
  /// Components of the lowest active lane of the subgroup.
  std::vector<Operand> ofFirstActive(const std::vector<Operand>& c, uint32_t words) {
    return isHalfWarp(l) ? shuffled(c, words, firstActive()) : moved(c, words, Opcode::SgFirst);
  }
  void broadcastFirst(uint32_t valueId) {
    const std::vector<Operand> c = l.components(valueId);
    l.setResult(inst, ofFirstActive(c, l.wordsOfScalar(l.scalarTypeOf(inst.type))));
  }
  void elect() { l.setResult(inst, equal(ofFirstActive({lane()}, 1)[0], lane())); }

  /// Whether values of type `t` are equal, floats as numbers.
  Operand same(Type t, const std::vector<Operand>& a, const std::vector<Operand>& b) {
    Operand all;
    for (size_t i = 0; i < a.size(); ++i) {
      const Operand one =
          isa::isFloatType(t) ? l.b.fcmp(isa::CmpF::OEq, t, a[i], b[i]) : l.b.icmp(CmpI::Eq, t, a[i], b[i]);
      all = all.present() ? i32(Opcode::And, all, one) : one;
    }
    return all;
  }
  void allEqual(uint32_t valueId) {
    const uint32_t scalar = l.scalarTypeOf(l.typeOf(valueId));
    const Type t = l.isaType(scalar);
    const std::vector<Operand> components = l.components(valueId);
    if (isHalfWarp(l)) return all(same(t, components, ofFirstActive(components, l.wordsOfScalar(scalar))));
    Operand all;
    for (Operand c : components) {
      const Operand one = l.b.value(Opcode::SgAllEq, t, c);
      all = all.present() ? i32(Opcode::And, all, one) : one;
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
    Operand mask = k(ballotBits());
    if (operation == spv::GroupOperation::InclusiveScan)
      mask = i32(Opcode::ISub, i32(Opcode::Shl, k(2), lane()), k(1));
    else if (operation == spv::GroupOperation::ExclusiveScan)
      mask = i32(Opcode::ISub, i32(Opcode::Shl, k(1), lane()), k(1));
    l.setResult(inst, l.b.value(Opcode::BCnt, Type::I32, i32(Opcode::And, bits, mask)));
  }
  void findBit(Opcode op) {
    const Operand bits = i32(Opcode::And, l.componentOf(inst.operand(1), 0), k(ballotBits()));
    l.setResult(inst, l.b.value(op, Type::I32, bits));
  }
  /// The lanes of the quad that are active and have the predicate, as bits.
  Operand quadBallot(Operand predicate) {
    if (mutated(Mutant::QuadVote)) return warpBallot(predicate);
    const Operand quad = i32(Opcode::And, laneOfWarp(l), k(4));
    return i32(Opcode::And, warpBallot(predicate), i32(Opcode::Shl, k(15), quad));
  }
  void quadAll(Operand predicate) { l.setResult(inst, equal(quadBallot(i32(Opcode::Not, predicate)), k(0))); }
  void quadAny(Operand predicate) { l.setResult(inst, l.b.icmp(CmpI::Ne, Type::I32, quadBallot(predicate), k(0))); }
  void quadSwap() {
    const uint32_t direction = l.constantOr(inst.operand(2), 0);  // horizontal, vertical, diagonal
    shuffle(inst.operand(1), i32(Opcode::Xor, lane(), k((direction & 3) + 1)));
  }
  void rotate() {
    const uint32_t cluster = inst.size() > 3 ? l.constantOr(inst.operand(3), size()) : size();
    const uint32_t bits = (cluster - 1) & laneBits();
    const Operand moved = i32(Opcode::And, i32(Opcode::IAdd, lane(), word(2)), k(bits));
    shuffle(inst.operand(1), i32(Opcode::Or, i32(Opcode::And, lane(), k(laneBits() & ~bits)), moved));
  }
  /// The lanes that have the same value, as bits: each lane's, compared with all.
  Operand partitionOf(uint32_t valueId) {
    const uint32_t scalar = l.scalarTypeOf(l.typeOf(valueId)), words = l.wordsOfScalar(scalar);
    const Type t = l.isaType(scalar);
    const std::vector<Operand> c = l.components(valueId);
    Operand bits = i32(Opcode::Shl, k(1), lane());  // NaN is equal to nothing, but its lane belongs to a partition
    for (uint32_t other = 0; other < size(); ++other)
      bits = i32(Opcode::Or, bits, l.b.select(same(t, c, shuffled(c, words, k(other))), k(1u << other), k(0)));
    return i32(Opcode::And, bits, ballot(k(1)));
  }
  void partition() { l.setResult(inst, {partitionOf(inst.operand(0)), k(0), k(0), k(0)}); }

  /// What leaves other values as they are.
  Operand identityOf(ReduceOp op, uint32_t scalarType, Type t) {
    const uint32_t bits = 8 * isa::typeBytes(t);
    const uint64_t all = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    switch (op) {
      case ReduceOp::Mul: return isa::isFloatType(t) ? l.immFloat(scalarType, 1) : l.immOf(scalarType, 1);
      case ReduceOp::FMin: return l.immFloat(scalarType, INFINITY);
      case ReduceOp::FMax: return l.immFloat(scalarType, -INFINITY);
      case ReduceOp::SMin: return l.immOf(scalarType, all >> 1);
      case ReduceOp::SMax: return l.immOf(scalarType, (all >> 1) + 1);
      case ReduceOp::UMin:
      case ReduceOp::And: return l.immOf(scalarType, all);
      default: return l.immOf(scalarType, 0);
    }
  }
  /// "Group Operations", partitioned: one operation over the whole subgroup for each lane that may have a partition, in
  /// which the others take part with the identity.
  std::vector<Operand> reducePartitions(ReduceOp op, Opcode code) {
    const uint32_t scalar = l.scalarTypeOf(inst.type), words = l.wordsOfScalar(scalar);
    const Type t = l.isaType(scalar);
    const Operand partition = l.componentOf(inst.operand(3), 0), identity = identityOf(op, scalar, t);
    std::vector<Operand> result;
    for (Operand c : l.components(inst.operand(2))) {
      Operand r = identity;
      for (uint32_t of = 0; of < size(); ++of) {
        const Operand member = i32(Opcode::And, partition, k(1u << of));
        const Operand whole =
            l.b.value(code, t, l.b.select(member, c, identity, words), {}, {}, uint8_t(op), cluster());
        r = l.b.select(member, whole, r, words);
      }
      result.push_back(r);
    }
    return result;
  }

  void reduce(ReduceOp op) {
    const auto operation = spv::GroupOperation(inst.operand(1));
    const Type t = l.isaType(l.scalarTypeOf(inst.type));
    Opcode code = Opcode::SgReduce;
    uint32_t cluster = this->cluster();
    switch (operation) {
      case spv::GroupOperation::Reduce: break;
      case spv::GroupOperation::InclusiveScan: code = Opcode::SgScanI; break;
      case spv::GroupOperation::ExclusiveScan: code = Opcode::SgScanE; break;
      case spv::GroupOperation::ClusteredReduce: cluster = this->cluster(l.constantOr(inst.operand(3), size())); break;
      case spv::GroupOperation::PartitionedReduceNV: return l.setResult(inst, reducePartitions(op, Opcode::SgReduce));
      case spv::GroupOperation::PartitionedInclusiveScanNV:
        return l.setResult(inst, reducePartitions(op, Opcode::SgScanI));
      case spv::GroupOperation::PartitionedExclusiveScanNV:
        return l.setResult(inst, reducePartitions(op, Opcode::SgScanE));
      default: l.unsupported(inst, "group operation"); return;
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

/// One instruction each: what it asks of the lanes.
const std::unordered_map<Op, void (*)(Sub&)>& subgroupTable() {
  static const auto& table = *new std::unordered_map<Op, void (*)(Sub&)>{
      {Op::OpGroupNonUniformElect, [](Sub& s) { s.elect(); }},
      {Op::OpGroupNonUniformAll, [](Sub& s) { s.all(s.l.scalar(s.inst.operand(1))); }},
      {Op::OpGroupNonUniformAny, [](Sub& s) { s.any(s.l.scalar(s.inst.operand(1))); }},
      {Op::OpGroupNonUniformAllEqual, [](Sub& s) { s.allEqual(s.inst.operand(1)); }},
      {Op::OpSubgroupAllKHR, [](Sub& s) { s.all(s.l.scalar(s.inst.operand(0))); }},
      {Op::OpSubgroupAnyKHR, [](Sub& s) { s.any(s.l.scalar(s.inst.operand(0))); }},
      {Op::OpSubgroupAllEqualKHR, [](Sub& s) { s.allEqual(s.inst.operand(0)); }},
      {Op::OpGroupNonUniformBroadcast, [](Sub& s) { s.shuffle(s.inst.operand(1), s.word(2)); }},
      {Op::OpGroupNonUniformBroadcastFirst, [](Sub& s) { s.broadcastFirst(s.inst.operand(1)); }},
      {Op::OpSubgroupFirstInvocationKHR, [](Sub& s) { s.broadcastFirst(s.inst.operand(0)); }},
      {Op::OpSubgroupReadInvocationKHR, [](Sub& s) { s.shuffle(s.inst.operand(0), s.word(1)); }},
      {Op::OpGroupNonUniformBallot, [](Sub& s) { s.ballotResult(s.l.scalar(s.inst.operand(1))); }},
      {Op::OpSubgroupBallotKHR, [](Sub& s) { s.ballotResult(s.l.scalar(s.inst.operand(0))); }},
      {Op::OpGroupNonUniformInverseBallot, [](Sub& s) { s.bitExtract(s.inst.operand(1), s.lane()); }},
      {Op::OpGroupNonUniformBallotBitExtract, [](Sub& s) { s.bitExtract(s.inst.operand(1), s.word(2)); }},
      {Op::OpGroupNonUniformBallotBitCount, [](Sub& s) { s.bitCount(); }},
      {Op::OpGroupNonUniformBallotFindLSB, [](Sub& s) { s.findBit(Opcode::Flsb); }},
      {Op::OpGroupNonUniformBallotFindMSB, [](Sub& s) { s.findBit(Opcode::Fmsbu); }},
      {Op::OpGroupNonUniformShuffle, [](Sub& s) { s.shuffle(s.inst.operand(1), s.word(2)); }},
      {Op::OpGroupNonUniformShuffleXor,
       [](Sub& s) {
         s.shuffle(s.inst.operand(1), s.i32(Opcode::Xor, mutated(Mutant::ShuffleXor) ? s.k(1) : s.lane(), s.word(2)));
       }},
      {Op::OpGroupNonUniformShuffleUp,
       [](Sub& s) { s.shuffle(s.inst.operand(1), s.i32(Opcode::ISub, s.lane(), s.word(2))); }},
      {Op::OpGroupNonUniformShuffleDown,
       [](Sub& s) { s.shuffle(s.inst.operand(1), s.i32(Opcode::IAdd, s.lane(), s.word(2))); }},
      {Op::OpGroupNonUniformPartitionNV, [](Sub& s) { s.partition(); }},
      {Op::OpGroupNonUniformRotateKHR, [](Sub& s) { s.rotate(); }},
      {Op::OpGroupNonUniformQuadBroadcast,
       [](Sub& s) {
         s.shuffle(s.inst.operand(1), s.i32(Opcode::Or, s.i32(Opcode::And, s.lane(), s.k(s.laneBits() & ~3u)),
                                            s.i32(Opcode::And, s.word(2), s.k(3))));
       }},
      {Op::OpGroupNonUniformQuadSwap, [](Sub& s) { s.quadSwap(); }},
      {spirv::kOpGroupNonUniformQuadAll, [](Sub& s) { s.quadAll(s.l.scalar(s.inst.operand(0))); }},
      {spirv::kOpGroupNonUniformQuadAny, [](Sub& s) { s.quadAny(s.l.scalar(s.inst.operand(0))); }},
  };
  return table;
}

void lowerReduction(Lowerer& l, const spirv::Instruction& inst) {
  const auto form = std::find_if(std::begin(kReductions), std::end(kReductions),
                                 [&](const ReduceForm& f) { return f.op == inst.op; });
  Sub{l, inst}.reduce(form->reduce);
}

void lowerSubgroup(Lowerer& l, const spirv::Instruction& inst) {
  Sub s{l, inst};
  subgroupTable().at(inst.op)(s);
}

}  // namespace

void addSubgroups(LoweringTable& table) {
  for (const ReduceForm& f : kReductions) table.add(f.op, lowerReduction);
  for (const auto& [op, lower] : subgroupTable()) table.add(op, lowerSubgroup);
}

}  // namespace etzel::lower
