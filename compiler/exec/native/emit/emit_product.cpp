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

/// A word of eight lanes, or of sixteen: two operands' side by side.
llvm::Value* Emitter::wordOfRows(Operand low, Operand high, uint32_t w) {
  if (!high.present()) return splat(word(low, w));
  if (V both = placeOf(low, high, w)) return ir_.CreateLoad(words16(), both);
  V words = splat(word(low, w));
  int order[2 * kWarpLanes];
  for (int i = 0; i < 2 * int(kWarpLanes); ++i) order[i] = i;
  return ir_.CreateShuffleVector(words, splat(word(high, w)), order);
}

/// Where words lie in memory, as wordOfRows() gives them, one after the other.
llvm::Value* Emitter::rowsInMemory(Operand low, Operand high, uint32_t count) {
  if (V run = runOf(low, high, count)) return run;
  const auto isKept = [](Operand o) { return o.bank == Bank::Temp || !o.present(); };
  const auto webOf = [&](Operand o) { return o.present() ? webs_.webOf(o) : ~0u; };
  const bool mayStay = isKept(low) && isKept(high);
  RowsInMemory other, &rows = mayStay ? rowsInMemory_[{webOf(low), webOf(high)}] : other;
  const auto writes = [&](const Inst& inst) {
    if (inst.dst.bank != Bank::Temp) return false;
    for (uint32_t d = 0; d < isa::dstWords(inst); ++d)
      for (uint32_t w = 0; w < count; ++w)
        for (Operand o : {low, high})
          if (o.present() && webs_.webOf(inst.dst, d) == webs_.webOf(o, w)) return true;
    return false;
  };
  const auto code = program_.code.begin();
  const bool areThere = rows.block == ir_.GetInsertBlock() && rows.count >= count &&
                        std::none_of(code + rows.at, code + std::ptrdiff_t(index_), writes);
  rows.at = index_;
  if (areThere) return rows.home;
  llvm::Type* type = high.present() ? words16() : words8();
  if (!rows.home) rows.home = slot(llvm::ArrayType::get(type, kWarpLanes), "rows");
  rows.home->setAlignment(llvm::Align(64));
  for (uint32_t w = 0; w < count; ++w)
    ir_.CreateAlignedStore(wordOfRows(low, high, w), ir_.CreateConstInBoundsGEP1_64(type, rows.home, w),
                           llvm::Align(32));
  rows.block = ir_.GetInsertBlock(), rows.count = count;
  return rows.home;
}

/// The pointer, of which LLVM does not know what it points to: it would take what is loaded there from registers, by
/// two shuffles each.
llvm::Value* Emitter::opaque(V pointer) {
  auto* type = llvm::FunctionType::get(ir_.getPtrTy(), {ir_.getPtrTy()}, false);
  return ir_.CreateCall(type, llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false), {pointer});
}

/// Columns `first` to `first + count` of all `rows`, one's after the other's. The second factor is in `memory`.
std::vector<llvm::Value*> Emitter::multiplyColumns(std::span<const Rows> rows, V memory, uint32_t first,
                                                   uint32_t count) {
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
  llvm::BasicBlock *before = ir_.GetInsertBlock(), *steps = block("steps"), *done = block("multiplied");
  ir_.CreateBr(steps);
  enter(steps);
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
  V numbers = ir_.CreateInBoundsGEP(number, memory, k);
  std::vector<V> next(phis.size());
  for (uint32_t j = 0; j < count; ++j) {
    V at = ir_.CreateConstInBoundsGEP1_64(number, numbers, (first + j) * kWarpLanes);
    V one = ir_.CreateAlignedLoad(number, at, llvm::Align(4));
    for (size_t r = 0; r < rows.size(); ++r) {
      V all = ir_.CreateVectorSplat(llvm::cast<llvm::FixedVectorType>(types[r])->getNumElements(), one);
      V sum = phis[r * count + j];
      next[r * count + j] =
          type == Type::F32 ? fused(ir_, columns[r], all, sum) : ir_.CreateAdd(sum, ir_.CreateMul(columns[r], all));
    }
  }
  V following = ir_.CreateAdd(k, constant64(1));
  llvm::BasicBlock* last = ir_.GetInsertBlock();  // hosts that do not fuse at once branch
  k->addIncoming(following, last);
  for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], last);
  ir_.CreateCondBr(ir_.CreateICmpNE(following, constant64(kWarpLanes)), steps, done);
  enter(done);
  for (auto& [webs, kept] : rowsInMemory_)
    if (kept.block == before) kept.block = done;
  return next;
}

/// Sums that are needed behind a barrier are in the warp's memory all the time: products read and write memory anyway.
void Emitter::keepSums() {
  std::map<uint32_t, uint32_t> homes, users;  // by web; how many sums have a home
  for (const auto& live : webs_.barriers)
    for (const Webs::Live& l : live) homes[l.web] = l.home;
  for (const auto& [first, group] : products_)
    for (size_t i = 0; i < group.products.size(); ++i)
      for (const Operand o : {program_.code[group.results[i]].dst, program_.code[group.products[i]].src[2]})
        for (uint32_t w = 0; o.bank == Bank::Temp && w < program_.code[first].count; ++w) {
          const auto home = homes.find(webs_.webOf(o, w));
          if (home != homes.end() && divergence_.shape[home->first].varying() && kept_.insert(*home).second)
            ++users[home->second];
        }
  // A home is one value's alone, so that it does not matter when the value is written.
  std::erase_if(kept_, [&](const auto& kept) { return users[kept.second] > 1; });
}

/// Lets the factors of products, what they add to and what they give lie in memory as products read and write them:
/// sums are more than registers hold.
void Emitter::layRows() {
  const uint32_t together = host_.maskRegisters ? 2 : 1;
  for (const auto& [first, group] : products_) {
    const uint32_t count = program_.code[first].count;
    layRun(program_.code[first].src[1], {}, count);
    for (size_t i = 0; i < group.products.size(); i += together) {
      const bool isPair = i + 1 < group.products.size() && together == 2;
      const auto operandOf = [&](const std::vector<uint32_t>& all, auto member) {
        layRun(member(program_.code[all[i]]), isPair ? member(program_.code[all[i + 1]]) : Operand{}, count);
      };
      operandOf(group.results, [](const Inst& inst) { return inst.dst; });
      operandOf(group.products, [](const Inst& inst) { return inst.src[2]; });
      layRun(program_.code[group.products[i]].src[0], isPair ? program_.code[group.products[i + 1]].src[0] : Operand{},
             kWarpLanes);
    }
  }
}

/// \returns false where some of the words are not in registers of their own, or lie elsewhere already
bool Emitter::layRun(Operand low, Operand high, uint32_t count) {
  std::map<uint32_t, Place> places;
  bool isUndefined = false;
  for (uint32_t half = 0; half < (high.present() ? 2 : 1); ++half)
    for (uint32_t w = 0; w < count; ++w) {
      const Operand o = half ? high : low;
      if (o.bank != Bank::Temp) return false;
      const uint32_t web = webs_.webOf(o, w);
      const Place place{static_cast<uint32_t>(runs_.size()), w, half};
      if (!divergence_.shape[web].varying() || kept_.count(web) || places_.count(web) ||
          !places.emplace(web, place).second)
        return false;
      isUndefined |= webs_.undefined[web];
    }
  places_.merge(places);
  runs_.push_back({high.present(), isUndefined});
  return true;
}

llvm::Value* Emitter::inRun(const Place& place) {
  Run& run = runs_[place.run];
  llvm::Type* type = run.ofPairs ? words16() : words8();
  if (!run.home) {
    run.home = registerSlot(llvm::ArrayType::get(type, kWarpLanes), run.isUndefined);
    run.home->setAlignment(llvm::Align(64));
  }
  return ir_.CreateConstInBoundsGEP1_64(words8(), run.home, run.ofPairs ? 2 * place.word + place.half : place.word);
}

/// Where a word is in a run, or two words are a pair of one; null where they are not.
llvm::Value* Emitter::placeOf(Operand low, Operand high, uint32_t w) {
  const auto find = [&](Operand o) -> const Place* {
    if (o.bank != Bank::Temp) return nullptr;
    const auto place = places_.find(webs_.webOf(o, w));
    return place == places_.end() ? nullptr : &place->second;
  };
  const Place* at = find(low);
  if (!at || at->half || runs_[at->run].ofPairs != high.present()) return nullptr;
  const Place* other = high.present() ? find(high) : nullptr;
  if (high.present() && (!other || other->run != at->run || other->word != at->word || !other->half)) return nullptr;
  return inRun(*at);
}

/// Where words lie one after the other in a run; null where they do not.
llvm::Value* Emitter::runOf(Operand low, Operand high, uint32_t count) {
  for (uint32_t w = 0; w < count; ++w) {
    if (!placeOf(low, high, w)) return nullptr;
    const Place &first = places_.at(webs_.webOf(low)), &at = places_.at(webs_.webOf(low, w));
    if (first.run != at.run || first.word != 0 || at.word != w) return nullptr;
  }
  return placeOf(low, high, 0);
}

/// Sets word `w` of what the instructions `low` and `high` give, sixteen lanes.
void Emitter::setRows(uint32_t low, uint32_t high, uint32_t w, V sum) {
  const Inst* const insts[2] = {&program_.code[low], &program_.code[high]};
  sum = ir_.CreateBitCast(sum, words16());
  const auto isWhole = [&](uint32_t i) { return !program_.code[i].masked || !divergence_.blend[i]; };
  V both = placeOf(insts[0]->dst, insts[1]->dst, w);
  if (both && isWhole(low) && isWhole(high)) return void(ir_.CreateStore(sum, both));
  for (const int i : {0, 1}) {
    int half[kWarpLanes];
    for (int l = 0; l < int(kWarpLanes); ++l) half[l] = l + i * int(kWarpLanes);
    index_ = i ? high : low;
    setWord(*insts[i], w, ir_.CreateShuffleVector(sum, half));
  }
}

/// The products of a group whose first one is emitted.
void Emitter::multiply() {
  const uint32_t at = index_;
  const Inst& inst = program_.code[at];
  const ProductGroup& group = products_.at(at);
  for (const uint32_t i : group.before) {
    if (early_[i]) continue;
    index_ = i;
    emit(program_.code[i]);
    early_[i] = true;
  }
  index_ = at;
  const uint32_t together = host_.maskRegisters ? 2 : 1;  // in a register
  std::vector<Rows> rows((group.products.size() + together - 1) / together);
  for (size_t i = 0; i < group.products.size(); ++i)
    rows[i / together].product[i % together] = &program_.code[group.products[i]];
  V memory = rowsInMemory(inst.src[1], {}, inst.count);
  // Sums of four columns are what there is room for beside others where registers are sixteen.
  const uint32_t most = !host_.maskRegisters && rows.size() > 1 ? 4 : kWarpLanes;
  std::vector<std::vector<V>> sums(rows.size());  // by column
  for (uint32_t first = 0; first < inst.count; first += most) {
    const uint32_t count = std::min(most, inst.count - first);
    const std::vector<V> part = multiplyColumns(rows, memory, first, count);
    for (size_t r = 0; r < rows.size(); ++r)
      sums[r].insert(sums[r].end(), part.begin() + r * count, part.begin() + (r + 1) * count);
  }
  for (size_t i = 0; i < group.products.size(); i += together) {
    const bool isPair = rows[i / together].product[1];
    for (uint32_t w = 0; w < inst.count; ++w) {
      V sum = sums[i / together][w];
      index_ = group.results[i];
      if (isPair)
        setRows(group.results[i], group.results[i + 1], w, sum);
      else
        setWord(program_.code[index_], w, ir_.CreateBitCast(sum, words8()));
    }
  }
  for (size_t i = 0; i < group.products.size(); ++i)
    for (const uint32_t done : {group.products[i], group.results[i]})
      if (done != at) early_[done] = true;
  index_ = at;
}

}  // namespace etzel::native
