// Products of matrices whose rows are lanes: a loop over the numbers of a row. A column of the first factor is a
// register, a number of the second one is read from memory, once for all lanes, and the sums of eight columns stay in
// registers. Products of one second factor are made together: two fill registers of sixteen numbers, and four read each
// number once for two of those.
#include <llvm/IR/InlineAsm.h>

#include <algorithm>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Operand;
using isa::Type;

/// A pointer or number of which LLVM does not know what it is: it would take what is loaded there from registers, by
/// two shuffles each, or compute what is seldom needed of it ahead.
llvm::Value* Emitter::opaque(V v) {
  auto* type = llvm::FunctionType::get(v->getType(), {v->getType()}, false);
  return ir_.CreateCall(type, llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false), {v});
}

/// Columns `first` to `first + count` of all `rows`, one's after the other's, of `steps` products of numbers each.
std::vector<llvm::Value*> Emitter::multiplyColumns(std::span<const Rows> rows, const Numbers& all, uint32_t steps,
                                                   uint32_t first, uint32_t count) {
  const Type type = rows[0].product[0]->type;
  llvm::Type* number = type == Type::F32 ? ir_.getFloatTy() : ir_.getInt32Ty();
  std::vector<llvm::Type*> types;
  std::vector<V> factors, sums;
  for (const Rows& r : rows) {
    factors.push_back(rowsInMemory(r.source(0, 0), r.source(0, 1), kWarpLanes));
    types.push_back(llvm::FixedVectorType::get(number, r.product[1] ? 2 * kWarpLanes : kWarpLanes));
    for (uint32_t j = 0; j < count; ++j)
      sums.push_back(ir_.CreateBitCast(wordOfRows(r.source(2, 0), r.source(2, 1), first + j), types.back()));
  }
  llvm::BasicBlock *before = ir_.GetInsertBlock(), *again = block("steps"), *done = block("multiplied");
  ir_.CreateBr(again);
  enter(again);
  llvm::PHINode* k = ir_.CreatePHI(ir_.getInt64Ty(), 2);
  k->addIncoming(constant64(0), before);
  std::vector<llvm::PHINode*> phis;
  for (V& sum : sums) {
    phis.push_back(ir_.CreatePHI(sum->getType(), 2));
    phis.back()->addIncoming(sum, before);
  }
  std::vector<V> columns;
  for (size_t r = 0; r < rows.size(); ++r)
    columns.push_back(ir_.CreateAlignedLoad(types[r], ir_.CreateInBoundsGEP(types[r], factors[r], k), llvm::Align(32)));
  V numbers = ir_.CreateInBoundsGEP(number, all.at, k);
  std::vector<V> next(phis.size());
  for (uint32_t j = 0; j < count; ++j) {
    V at = ir_.CreateConstInBoundsGEP1_64(number, numbers, (first + j) * all.apart);
    V one = ir_.CreateAlignedLoad(number, at, llvm::Align(4));
    for (size_t r = 0; r < rows.size(); ++r) {
      V same = ir_.CreateVectorSplat(llvm::cast<llvm::FixedVectorType>(types[r])->getNumElements(), one);
      V sum = phis[r * count + j];
      next[r * count + j] =
          type == Type::F32 ? fused(ir_, columns[r], same, sum) : ir_.CreateAdd(sum, ir_.CreateMul(columns[r], same));
    }
  }
  V following = ir_.CreateAdd(k, constant64(1));
  llvm::BasicBlock* last = ir_.GetInsertBlock();  // hosts that do not fuse at once branch
  k->addIncoming(following, last);
  for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], last);
  ir_.CreateCondBr(ir_.CreateICmpNE(following, constant64(steps)), again, done);
  enter(done);
  for (auto& [webs, kept] : rowsInMemory_)
    if (kept.block == before) kept.block = done;
  return next;
}

/// Sets word `w` of what the instructions `low` and `high` give, sixteen lanes.
void Emitter::setRows(uint32_t low, uint32_t high, uint32_t w, V sum) {
  const Inst* const insts[2] = {&program_.code[low], &program_.code[high]};
  sum = ir_.CreateBitCast(sum, words16());
  const auto isWhole = [&](uint32_t i) { return !program_.code[i].masked || !divergence_.blend[i]; };
  V both = placeOf(insts[0]->dst, insts[1]->dst, w);
  if (both && isWhole(low) && isWhole(high)) return void(ir_.CreateStore(sum, both));
  for (const uint32_t i : {0U, 1U}) {
    index_ = i ? high : low;
    setWord(*insts[i], w, halfOf(sum, i));
  }
}

/// Rows of a group's products, which registers hold.
std::vector<Emitter::Rows> Emitter::rowsOf(const ProductGroup& group) const {
  const uint32_t together = joinsProducts(host_) ? 2 : 1;
  std::vector<Rows> rows((group.products.size() + together - 1) / together);
  for (size_t i = 0; i < group.products.size(); ++i)
    rows[i / together].product[i % together] = &program_.code[group.products[i]];
  return rows;
}

/// Puts sums, by rows and columns, where they go.
void Emitter::setResults(const std::vector<uint32_t>& results, const std::vector<std::vector<V>>& sums) {
  for (size_t i = 0, r = 0; i < results.size(); ++r) {
    const bool isPair = joinsProducts(host_) && i + 1 < results.size();
    for (uint32_t w = 0; w < sums[r].size(); ++w) {
      index_ = results[i];
      if (isPair)
        setRows(results[i], results[i + 1], w, sums[r][w]);
      else
        setWord(program_.code[index_], w, ir_.CreateBitCast(sums[r][w], words8()));
    }
    i += isPair ? 2 : 1;
  }
}

/// All products of rows that registers hold, `steps` numbers of each.
void Emitter::multiplyRows(std::span<const Rows> rows, uint32_t steps, const std::vector<uint32_t>& results) {
  const Inst& inst = *rows[0].product[0];
  const Numbers numbers = numbersInMemory(inst.src[1], inst.count);
  // Where registers are sixteen there is room for eight sums of eight numbers beside others.
  const bool isOfTwo = rows[0].product[1];
  const uint32_t most = !host_.maskRegisters && (isOfTwo || rows.size() > 1) ? 4 : kWarpLanes;
  const size_t together = !host_.maskRegisters && isOfTwo ? 1 : rows.size();
  std::vector<std::vector<V>> sums(rows.size());  // by column
  for (size_t row = 0; row < rows.size(); row += together)
    for (uint32_t first = 0; first < inst.count; first += most) {
      const uint32_t count = std::min(most, inst.count - first);
      const std::vector<V> part = multiplyColumns(rows.subspan(row, together), numbers, steps, first, count);
      for (size_t r = 0; r < together; ++r)
        sums[row + r].insert(sums[row + r].end(), part.begin() + r * count, part.begin() + (r + 1) * count);
    }
  setResults(results, sums);
}

/// The products of a group whose first one is emitted, and those of the group that goes on with their sums.
void Emitter::multiply() {
  const uint32_t at = index_;
  const ProductGroup& group = products_.at(at);
  for (const uint32_t i : group.before) {
    if (early_[i]) continue;
    index_ = i;
    emit(program_.code[i]);
    early_[i] = true;
  }
  index_ = at;
  const ProductGroup* next = nextOf(group);
  if (next && !lieTogether(group, *next)) next = nullptr;
  if (const std::optional<Tiles> tiles = tilesOf(group, next))
    multiplyTiles(*tiles);
  else
    multiplyRows(rowsOf(group), next ? 2 * kWarpLanes : kWarpLanes, next ? next->results : group.results);
  for (const ProductGroup* done : {&group, next})
    for (size_t i = 0; done && i < done->products.size(); ++i)
      for (const uint32_t one : {done->products[i], done->results[i]})
        if (one != at) early_[one] = true;
  index_ = at;
}

}  // namespace etzel::native
