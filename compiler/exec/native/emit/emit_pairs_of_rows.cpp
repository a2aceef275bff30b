// Rows of two turned matrices (analysis/turned_matrices.h) that lie side by side in memory: one load for both, one
// conversion of sixteen numbers, and one store to where products read pairs of words. Half by half, products would wait
// until both stores are done.
#include <algorithm>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;
using isa::Type;

namespace {

/// Whether an instruction makes floats of 16 bits: halves, or the upper ones of floats.
bool widens(const Inst& inst) {
  if (inst.dst.bank != Bank::Temp || inst.count != 1) return false;
  if (inst.op == Opcode::CvtFF) return static_cast<Type>(inst.sub) == Type::F16 && inst.type == Type::F32;
  return inst.op == Opcode::Shl && inst.type == Type::I32 && inst.src[1].bank == Bank::Param;
}

bool areAlike(const Inst& a, const Inst& b) {
  Inst other = b;
  other.dst = a.dst, other.src[0] = a.src[0], other.line = a.line;
  return other == a;
}

}  // namespace

/// Whether nothing from `first` to `last` touches a register but these two, or branches.
bool Emitter::areFree(uint32_t first, uint32_t last, uint32_t web) const {
  for (uint32_t i = first + 1; i < last; ++i) {
    const Inst& inst = program_.code[i];
    bool touches = isa::opInfo(inst).control;
    const auto see = [&](Operand o, uint32_t words) {
      for (uint32_t w = 0; o.bank == Bank::Temp && w < words; ++w) touches |= webs_.webOf(o, w) == web;
    };
    isa::forEachSource(inst, see);
    if (inst.dst.present()) see(inst.dst, isa::dstWords(inst));
    if (touches) return false;
  }
  return true;
}

/// What becomes of wide loads of turned rows.
void Emitter::findPairsOfRows() {
  const auto isTurned = [&](const WideLoad& l) { return !turned_.empty() && turned_[l.loads[0]]; };
  if (std::none_of(wideLoads_.begin(), wideLoads_.end(), isTurned)) return;
  std::multimap<uint32_t, uint32_t> readers;  // instructions, by web
  for (uint32_t i = 0; i < program_.code.size(); ++i)
    isa::forEachSource(program_.code[i], [&](Operand o, uint32_t words) {
      for (uint32_t w = 0; o.bank == Bank::Temp && w < words; ++w) readers.emplace(webs_.webOf(o, w), i);
    });
  for (uint32_t l = 0; l < wideLoads_.size(); ++l)
    if (isTurned(wideLoads_[l])) findWidened(wideLoads_[l], l, readers);
}

void Emitter::findWidened(const WideLoad& pair, uint32_t load, const std::multimap<uint32_t, uint32_t>& readers) {
  const auto isWhole = [&](uint32_t i) { return !program_.code[i].masked || !divergence_.blend[i]; };
  const Inst &low = program_.code[pair.loads[0]], &high = program_.code[pair.loads[1]];
  if (!isWhole(pair.loads[0]) || !isWhole(pair.loads[1])) return;
  bool inPlace = true;
  for (uint32_t w = 0; w < kWarpLanes; ++w) {
    const uint32_t webs[2] = {webs_.webOf(low.dst, w), webs_.webOf(high.dst, w)};
    inPlace &= arePair(low.dst, high.dst, w) && areFree(pair.loads[0], pair.loads[1], webs[1]);
    if (readers.count(webs[0]) != 1 || readers.count(webs[1]) != 1) continue;
    const uint32_t at[2] = {readers.find(webs[0])->second, readers.find(webs[1])->second};
    const auto [first, last] = std::minmax(at[0], at[1]);
    const Inst &a = program_.code[at[0]], &b = program_.code[at[1]];
    if (!widens(a) || !areAlike(a, b) || !isWhole(at[0]) || !isWhole(at[1]) || !arePair(a.dst, b.dst, 0)) continue;
    // Both loads stand before, and nothing else writes what they give.
    if (first < pair.loads[1] || !areFree(pair.loads[0], at[0], webs[0]) || !areFree(pair.loads[1], at[1], webs[1]))
      continue;
    if (!areFree(pair.loads[0], first, webs_.webOf(a.dst)) ||
        !areFree(first, last, webs_.webOf(program_.code[last].dst)))
      continue;
    widened_[first] = {load, w, at[0], at[1]};
  }
  if (inPlace) rowsInPlace_.insert(load);
}

/// The rows of both matrices, sixteen numbers each.
std::vector<llvm::Value*> Emitter::loadPairOfRows(const Access& a) {
  const Shape lie = shapeOf(a.offset);
  V start = startOf(a), first = ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, start);
  if (multipliesInTiles(host_)) fetchNextRound(first, a, lie);
  const auto rows = [&] {
    std::vector<V> all;
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      V p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), first, lie.apart[lane]);
      all.push_back(ir_.CreateAlignedLoad(llvm::FixedVectorType::get(a.element, 2 * kWarpLanes), p, llvm::Align(1)));
    }
    return all;
  };
  if (a.inside && (a.anyLane || allActive())) return rows();
  const auto areInside = [&] {
    V end = ir_.CreateAdd(start, constant64(uint64_t(lie.farthest()) + a.total)), size = a.range.size;
    // No offset turns over that ends here.
    if (a.turns) size = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, size, constant64(0xFFFFFFFF));
    return ir_.CreateICmpULE(end, size);
  };
  const auto anywhere = [&] {
    if (multipliesInTiles(host_)) return loadElements(a);
    Access own = a;
    own.range = {opaque(a.range.base), opaque(a.range.size)};
    const std::vector<V> words = gatherLanes(own, nonzero(exec()));
    std::vector<V> half[2];
    for (uint32_t h = 0; h < 2; ++h) {
      const auto first = words.begin() + h * kWarpLanes;
      half[h] = turned({first, first + kWarpLanes});
      for (V& row : half[h]) row = ir_.CreateTrunc(row, lanes(a.element));
    }
    for (uint32_t w = 0; w < kWarpLanes; ++w) half[0][w] = joined(half[0][w], half[1][w]);
    return half[0];
  };
  return firstOf(kWarpLanes, {{areInside, rows, true}, {{}, anywhere}});
}

/// Gives a matrix its half of each row.
void Emitter::setRowsOfPair(uint32_t load, uint32_t part) {
  const WideLoad& pair = wideLoads_[load];
  const bool inPlace = rowsInPlace_.count(load);
  if (inPlace && part) return;
  for (uint32_t w = 0; w < kWarpLanes; ++w) {
    llvm::AllocaInst* row = wideResults_[load][w];
    V both = ir_.CreateLoad(row->getAllocatedType(), row);
    if (inPlace) {
      V place = placeOf(program_.code[pair.loads[0]].dst, program_.code[pair.loads[1]].dst, w);
      ir_.CreateStore(ir_.CreateZExt(both, words16()), place);
      continue;
    }
    setWord(program_.code[index_], w, ir_.CreateZExt(halfOf(both, part), words8()));
  }
}

/// Makes floats of a word of both matrices, where the instruction at index_ is the first of two that do.
bool Emitter::widenPair() {
  const auto found = widened_.find(index_);
  if (found == widened_.end()) return false;
  const WidenedPair& pair = found->second;
  const Inst &low = program_.code[pair.low], &high = program_.code[pair.high];
  llvm::AllocaInst* row = wideResults_[pair.load][pair.word];
  V numbers = ir_.CreateLoad(row->getAllocatedType(), row), floats = nullptr;
  if (low.op == Opcode::CvtFF) {
    numbers = ir_.CreateBitCast(numbers, llvm::FixedVectorType::get(ir_.getHalfTy(), 2 * kWarpLanes));
    floats = ir_.CreateBitCast(floatsOfHalves(ir_, numbers), words16());
  } else {
    V bits = ir_.CreateAnd(word(low.src[1]), ir_.getInt32(31));
    floats = ir_.CreateShl(ir_.CreateZExt(numbers, words16()), ir_.CreateVectorSplat(2 * kWarpLanes, bits));
  }
  ir_.CreateStore(floats, placeOf(low.dst, high.dst, 0));
  early_[std::max(pair.low, pair.high)] = true;
  return true;
}

}  // namespace etzel::native
