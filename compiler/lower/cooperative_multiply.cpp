// Products of cooperative matrices: C + A * B. A row of B is read from the lane that holds it, so a step of a row of
// the result is a product of one component of A with such a row. Eight steps of eight columns are one instruction where
// a row is a lane of a whole warp.
#include <algorithm>

#include "compiler/lower/cooperative_matrix.h"
#include "compiler/lower/encoded_float.h"
#include "compiler/lower/subgroup_lanes.h"

namespace etzel::lower {
namespace {

using isa::CmpI;
using isa::Type;

constexpr uint32_t kASigned = 1, kBSigned = 2, kCSigned = 4, kResultSigned = 8, kSaturates = 16;

/// Multiply-adds of a lane that are written one after the other; larger products are loops. A whole warp's are 64 an
/// instruction.
constexpr uint32_t kMostUnrolled = 1024, kMostOfWarp = 4096;

/// Columns that are multiplied at once: as many as an instruction moves between lanes.
constexpr uint32_t kColumns = 8;

struct Product {
  Lowerer& l;
  MatrixShape a, b, sum;

  Type wide() const { return sum.isFloat ? Type::F32 : Type::I32; }
  Operand multiplyAdd(Operand x, Operand y, Operand z) const {
    if (sum.isFloat) return l.b.value(Opcode::FFma, wide(), x, y, z);
    return l.b.value(Opcode::IAdd, wide(), z, l.b.value(Opcode::IMul, wide(), x, y));
  }
  /// sums += as many columns of A as a block of B has rows, side by side, * 8 columns of that: for each column of the
  /// result a component of `sums`.
  void addBlock(Operand factors, Operand rows, std::span<Operand> sums) const {
    if (b.lanes == kWarpLanes) {
      const Operand before = l.consecutive(sums);
      const Operand out = l.b.value(Opcode::SgProduct, wide(), factors, rows, before, 0, 0, uint8_t(kColumns));
      for (uint32_t j = 0; j < kColumns; ++j) sums[j] = Lowerer::word(out, j);
      return;
    }
    for (uint32_t k = 0; k < b.lanes; ++k) {
      const Operand lane = laneOfOwnSubgroup(l, l.imm(k));
      const Operand row = l.b.value(Opcode::SgShuffle, Type::I32, rows, lane, {}, 0, 0, uint8_t(kColumns));
      for (uint32_t j = 0; j < kColumns; ++j)
        sums[j] = multiplyAdd(Lowerer::word(factors, k), Lowerer::word(row, j), sums[j]);
    }
  }
};

/// Eight of the numbers are one register.
std::vector<Operand> inRuns(Lowerer& l, std::vector<Operand> all) {
  for (size_t i = 0; i < all.size(); i += kColumns) {
    const std::span<Operand> some = std::span(all).subspan(i, std::min<size_t>(kColumns, all.size() - i));
    const Operand run = l.consecutive(some);
    for (uint32_t k = 0; k < some.size(); ++k) some[k] = Lowerer::word(run, k);
  }
  return all;
}

/// Numbers that sums are made of: floats of 32 bits, integers of 32 bits that wrap. Eight of them are one register, so
/// that a second product finds those of the first one where they are.
std::vector<Operand> widened(Lowerer& l, uint32_t id, bool isSigned) {
  std::vector<Operand> all = l.components(id);
  const FloatEncoding encoding = encodingOf(l, l.typeOf(id));
  const bool wasBrain = encoding == FloatEncoding::Brain;
  if (encoding != FloatEncoding::Ieee && !wasBrain) return inRuns(l, widenEncoded(l, encoding, all));
  const Type t = l.isaType(l.typeOf(id));
  const bool isFloat = isa::isFloatType(t);
  const Type wide = isFloat ? Type::F32 : Type::I32;
  if (t == wide) return all;
  const Operand brainShift = wasBrain ? l.imm(16) : Operand{};
  const Opcode op = isFloat ? Opcode::CvtFF : isSigned ? Opcode::CvtSS : Opcode::CvtUU;
  Operand run;
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (i % kColumns == 0) run = l.newTemp(std::min<uint32_t>(kColumns, uint32_t(all.size()) - i));
    const Operand to = Lowerer::word(run, i % kColumns);
    if (wasBrain)
      l.b.into(to, Opcode::Shl, Type::I32, all[i], brainShift);
    else
      l.b.into(to, op, wide, all[i], {}, {}, static_cast<uint8_t>(t));
    all[i] = to;
  }
  return all;
}

void multiplyUnrolled(const Product& p, const std::vector<Operand>& a, const std::vector<Operand>& b,
                      std::vector<Operand>* sum) {
  for (uint32_t kBlock = 0; kBlock < p.b.blocks; ++kBlock) {
    std::vector<Operand> factors;
    for (uint32_t block = 0; block < p.a.blocks; ++block)
      factors.push_back(p.l.consecutive(std::span(a).subspan(block * p.a.columns + kBlock * p.b.lanes, p.b.lanes)));
    for (uint32_t column = 0; column < p.b.columns; column += kColumns) {
      const Operand rows = p.l.consecutive(std::span(b).subspan(kBlock * p.b.columns + column, kColumns));
      for (uint32_t block = 0; block < p.a.blocks; ++block)
        p.addBlock(factors[block], rows, std::span(*sum).subspan(block * p.sum.columns + column, kColumns));
    }
  }
}

/// The same in loops, over memory.
void multiplyInLoops(const Product& p, const std::vector<Operand>& a, const std::vector<Operand>& b,
                     std::vector<Operand>* sum) {
  Lowerer& l = p.l;
  const WorkingMatrix mA(l, 0, p.a.count), mB(l, 1, p.b.count), mSum(l, 2, p.sum.count);
  const auto i32 = [&](Opcode op, Operand x, Operand y) { return l.b.value(op, Type::I32, x, y); };
  forOwners(l, p.sum, [&] {
    mA.putAll(a), mB.putAll(b), mSum.putAll(*sum);
    repeat(l, p.a.blocks, [&](Operand block) {
      const Operand rowOfA = i32(Opcode::IMul, block, l.imm(p.a.columns));
      repeat(l, p.sum.columns / kColumns, [&](Operand group) {
        const Operand column = i32(Opcode::Shl, group, l.imm(3));
        const Operand at = i32(Opcode::IAdd, i32(Opcode::IMul, block, l.imm(p.sum.columns)), column);
        const Operand run = l.newTemp(kColumns);
        l.b.moveMasked(run, mSum.get(at, 0, kColumns), kColumns);
        repeat(l, p.b.blocks, [&](Operand kBlock) {
          const Operand factors = mA.get(i32(Opcode::IAdd, rowOfA, firstRow(l, p.b, kBlock)), 0, p.b.lanes);
          const Operand rowOfB = i32(Opcode::IMul, kBlock, l.imm(p.b.columns));
          const Operand rows = mB.get(i32(Opcode::IAdd, rowOfB, column), 0, kColumns);
          std::vector<Operand> sums = Lowerer::split(run, kColumns);
          p.addBlock(factors, rows, sums);
          for (uint32_t j = 0; j < kColumns; ++j) l.b.moveMasked(Lowerer::word(run, j), sums[j]);
        });
        mSum.put(at, run, 0, kColumns);
      });
    });
  });
  *sum = mSum.all();
}

/// x + y of integers of 32 bits, where `x` is a sum of products; at most what `bits` bits hold.
Operand addSaturating(Lowerer& l, Operand x, Operand y, uint32_t bits, bool isSigned) {
  const auto i32 = [&](Opcode op, Operand p, Operand q) { return l.b.value(op, Type::I32, p, q); };
  const Operand sum = i32(Opcode::IAdd, x, y);
  if (bits < 32 && !isSigned) return i32(Opcode::UMin, sum, l.imm((1u << bits) - 1));
  if (bits < 32) {
    const uint32_t most = (1u << (bits - 1)) - 1;
    return i32(Opcode::SMin, i32(Opcode::SMax, sum, l.imm(~most)), l.imm(most));
  }
  if (!isSigned) return l.b.select(l.b.icmp(CmpI::ULt, Type::I32, sum, x), l.imm(~0u), sum);
  // Signed sums overflow where both have a sign that the sum has not; then all bits are the opposite of the sum's sign.
  const Operand differs = i32(Opcode::And, i32(Opcode::Xor, x, sum), i32(Opcode::Xor, y, sum));
  const Operand most = i32(Opcode::Xor, i32(Opcode::Sar, sum, l.imm(31)), l.imm(0x80000000u));
  return l.b.select(l.b.icmp(CmpI::SLt, Type::I32, differs, l.imm(0)), most, sum);
}

void lowerMulAdd(Lowerer& l, const spirv::Instruction& inst) {
  const uint32_t mask = inst.operand(3);
  Product p{l, shapeOf(l, l.typeOf(inst.operand(0))), shapeOf(l, l.typeOf(inst.operand(1))), shapeOf(l, inst.type)};
  const std::vector<Operand> a = widened(l, inst.operand(0), mask & kASigned);
  const std::vector<Operand> b = widened(l, inst.operand(1), mask & kBSigned);
  const std::vector<Operand> c = widened(l, inst.operand(2), mask & kCSigned);
  if (l.failed()) return;
  if (p.a.columns != p.b.rows || p.a.rows != p.sum.rows || p.b.columns != p.sum.columns || c.size() != p.sum.count ||
      p.a.isFloat != p.sum.isFloat || p.b.isFloat != p.sum.isFloat)
    return l.error(ErrorCode::InvalidShader, "OpCooperativeMatrixMulAddKHR: the matrices do not fit each other");
  // "Saturating accumulation": the sum of products is exact where it fits, and so is what C adds to it.
  const bool saturates = !p.sum.isFloat && (mask & kSaturates);
  std::vector<Operand> sum = saturates ? std::vector<Operand>(c.size(), l.imm(0)) : c;
  const uint32_t steps = p.a.blocks * p.a.columns * p.b.columns;
  if (steps <= (p.b.lanes == kWarpLanes ? kMostOfWarp : kMostUnrolled) && !p.sum.isWorkgroups)
    multiplyUnrolled(p, a, b, &sum);
  else
    multiplyInLoops(p, a, b, &sum);
  if (saturates)
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] = addSaturating(l, sum[i], c[i], 8 * p.sum.componentBytes, mask & kResultSigned);
  const Type result = p.sum.component;
  if (isEncoded(l, inst.type))
    sum = narrowEncoded(l, encodingOf(l, inst.type), sum);
  else if (result != p.wide())
    for (Operand& o : sum) o = l.b.convert(p.sum.isFloat ? Opcode::CvtFF : Opcode::CvtUU, result, p.wide(), o);
  l.setResult(inst, sum);
}

}  // namespace

void addMatrixProducts(LoweringTable& table) { table.add(spirv::kOpCooperativeMatrixMulAdd, lowerMulAdd); }

}  // namespace etzel::lower
