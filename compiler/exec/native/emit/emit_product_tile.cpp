// Products of matrices whose rows are lanes, on hosts where registers of eight numbers are sixteen: all products of a
// group are one loop over tiles of four columns of two first factors, eight registers of sums, which lie in memory
// before and after. Written out, that loop would be most of the code of a program.
#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Inst;
using isa::Operand;
using isa::Type;

namespace {

constexpr uint32_t kTileColumns = 4;

}  // namespace

/// Where pairs of words of all `rows` lie, `count` of each, one row's right behind those of the row before; null where
/// they do not.
const Emitter::Place* Emitter::placeOfAll(const std::vector<std::pair<Operand, Operand>>& rows, uint32_t count,
                                          uint32_t apart) const {
  const Place* first = nullptr;
  for (uint32_t r = 0; r < rows.size(); ++r) {
    const auto [low, high] = rows[r];
    const Place *at = firstPlaceOf(low, count), *other = firstPlaceOf(high, count);
    if (!at || !other || !arePair(low, high, 0)) return nullptr;
    if (!first) first = at;
    if (at->run != first->run || at->word != first->word + r * apart) return nullptr;
  }
  return first;
}

/// What a group and the one that goes on with its sums do as one loop; nothing where their words do not lie one behind
/// the other, or where a result lies in what others are made of.
std::optional<Emitter::Tiles> Emitter::tilesOf(const ProductGroup& group, const ProductGroup* next) {
  const std::vector<Rows> rows = rowsOf(group);
  const Inst& inst = *rows[0].product[0];
  const std::vector<uint32_t>& results = next ? next->results : group.results;
  if (!multipliesInTiles(host_) || inst.count % kTileColumns || group.products.size() % 2) return {};
  Tiles tiles{.type = inst.type, .count = uint32_t(rows.size()) * inst.count / kTileColumns, .columns = inst.count};
  tiles.steps = next ? 2 * kWarpLanes : kWarpLanes;
  std::vector<std::pair<Operand, Operand>> factors, before, after;
  for (uint32_t r = 0; r < rows.size(); ++r) {
    factors.push_back({rows[r].source(0, 0), rows[r].source(0, 1)});
    before.push_back({rows[r].source(2, 0), rows[r].source(2, 1)});
    for (const uint32_t i : {results[2 * r], results[2 * r + 1]})
      if (program_.code[i].masked && divergence_.blend[i]) return {};
    after.push_back({program_.code[results[2 * r]].dst, program_.code[results[2 * r + 1]].dst});
  }
  const Place* factor = placeOfAll(factors, kWarpLanes, tiles.steps);
  const Place *sum = placeOfAll(before, inst.count, inst.count), *result = placeOfAll(after, inst.count, inst.count);
  const Place* number = firstPlaceOf(inst.src[1], inst.count);
  if (!factor || !sum || !result || result->run == factor->run || (number && number->run == result->run)) return {};
  if (sum->run == result->run && sum->word != result->word) return {};
  tiles.factors = inRun(*factor), tiles.sums = inRun(*sum), tiles.results = inRun(*result);
  tiles.numbers = numbersInMemory(inst.src[1], inst.count);
  return tiles;
}

void Emitter::multiplyTiles(const Tiles& t) {
  llvm::Type *i64 = ir_.getInt64Ty(), *number = t.type == Type::F32 ? ir_.getFloatTy() : ir_.getInt32Ty();
  llvm::Type* pair = llvm::FixedVectorType::get(number, 2 * kWarpLanes);
  llvm::BasicBlock *before = ir_.GetInsertBlock(), *tile = block("tile"), *step = block("steps");
  llvm::BasicBlock *multiplied = block("multiplied"), *done = block("tiles");
  const auto aligned = [&](V p) { return ir_.CreateAlignedLoad(pair, p, llvm::Align(64)); };
  ir_.CreateBr(tile);

  enter(tile);
  llvm::PHINode* at = ir_.CreatePHI(i64, 2);
  at->addIncoming(constant64(0), before);
  const uint32_t tilesOfRow = t.columns / kTileColumns;
  V row = ir_.CreateUDiv(at, constant64(tilesOfRow)), part = ir_.CreateURem(at, constant64(tilesOfRow));
  V factors = ir_.CreateInBoundsGEP(pair, t.factors, ir_.CreateMul(row, constant64(t.steps)));
  V first = ir_.CreateMul(at, constant64(kTileColumns));
  V numbers =
      ir_.CreateInBoundsGEP(number, t.numbers.at, ir_.CreateMul(part, constant64(kTileColumns * t.numbers.apart)));
  V sums = ir_.CreateInBoundsGEP(pair, t.sums, first), results = ir_.CreateInBoundsGEP(pair, t.results, first);
  V start[kTileColumns];
  for (uint32_t j = 0; j < kTileColumns; ++j) start[j] = aligned(ir_.CreateConstInBoundsGEP1_64(pair, sums, j));
  ir_.CreateBr(step);

  enter(step);
  llvm::PHINode* k = ir_.CreatePHI(i64, 2);
  k->addIncoming(constant64(0), tile);
  llvm::PHINode* sum[kTileColumns];
  for (uint32_t j = 0; j < kTileColumns; ++j) {
    sum[j] = ir_.CreatePHI(pair, 2);
    sum[j]->addIncoming(start[j], tile);
  }
  V column = aligned(ir_.CreateInBoundsGEP(pair, factors, k)), place = ir_.CreateInBoundsGEP(number, numbers, k);
  V next[kTileColumns];
  for (uint32_t j = 0; j < kTileColumns; ++j) {
    V p = ir_.CreateConstInBoundsGEP1_64(number, place, j * t.numbers.apart);
    V same = ir_.CreateVectorSplat(2 * kWarpLanes, ir_.CreateAlignedLoad(number, p, llvm::Align(4)));
    next[j] =
        t.type == Type::F32 ? fused(ir_, column, same, sum[j]) : ir_.CreateAdd(sum[j], ir_.CreateMul(column, same));
    sum[j]->addIncoming(next[j], step);
  }
  V following = ir_.CreateAdd(k, constant64(1));
  k->addIncoming(following, step);
  staysLoop(ir_.CreateCondBr(ir_.CreateICmpNE(following, constant64(t.steps)), step, multiplied));

  enter(multiplied);
  for (uint32_t j = 0; j < kTileColumns; ++j)
    ir_.CreateAlignedStore(next[j], ir_.CreateConstInBoundsGEP1_64(pair, results, j), llvm::Align(64));
  V another = ir_.CreateAdd(at, constant64(1));
  at->addIncoming(another, multiplied);
  staysLoop(ir_.CreateCondBr(ir_.CreateICmpNE(another, constant64(t.count)), tile, done));
  enter(done);
  for (auto& [webs, kept] : rowsInMemory_)
    if (kept.block == before) kept.block = done;
}

}  // namespace etzel::native
