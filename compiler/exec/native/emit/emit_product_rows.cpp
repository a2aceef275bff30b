// Where products of matrices read and write their words: in memory, one after the other, since sums are more than
// registers hold and numbers of the second factor are read one by one.
#include <algorithm>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Operand;

/// A word of eight lanes, or of sixteen: two operands' side by side.
llvm::Value* Emitter::wordOfRows(Operand low, Operand high, uint32_t w) {
  if (!high.present()) return splat(word(low, w));
  if (V both = placeOf(low, high, w)) return ir_.CreateLoad(words16(), both);
  V words = splat(word(low, w));
  return joined(words, splat(word(high, w)));
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

/// The group that is made at once with one. Matrices that are not turned gain nothing by it: their rows are made of
/// columns first.
const ProductGroup* Emitter::nextOf(const ProductGroup& group) const {
  return group.next && !turned_.empty() && joinsProducts(host_) ? &products_.at(*group.next) : nullptr;
}

/// Lets the factors of products, what they add to and what they give lie in memory as products read and write them:
/// sums are more than registers hold. Of groups that are made at once, the second one's factors lie behind the first
/// one's.
void Emitter::layRows() {
  for (const auto& [first, group] : products_) {
    const Inst& inst = program_.code[first];
    const ProductGroup* next = nextOf(group);
    if (!next || !layRun({std::pair{inst.src[1], program_.code[*group.next].src[1]}}, inst.count))
      layRun({std::pair{inst.src[1], Operand{}}}, inst.count);
    const std::vector<Rows> rows = rowsOf(group), nextRows = next ? rowsOf(*next) : std::vector<Rows>{};
    if (multipliesInTiles(host_)) layTiles(rows, nextRows, group.results);
    for (size_t r = 0, i = 0; r < rows.size(); i += rows[r++].product[1] ? 2 : 1) {
      const auto results = [&, &all = group.results](uint32_t half) {
        return rows[r].product[half] ? program_.code[all[i + half]].dst : Operand{};
      };
      const auto sources = [](const Rows& of, uint32_t s) { return std::pair{of.source(s, 0), of.source(s, 1)}; };
      layRun({std::pair{results(0), results(1)}}, inst.count);
      layRun({sources(rows[r], 2)}, inst.count);
      if (!next || !layRun({sources(rows[r], 0), sources(nextRows[r], 0)}, kWarpLanes))
        layRun({sources(rows[r], 0)}, kWarpLanes);
    }
  }
}

/// Lets what all products of a group have lie one behind the other, for tilesOf().
void Emitter::layTiles(const std::vector<Rows>& rows, const std::vector<Rows>& next,
                       const std::vector<uint32_t>& results) {
  if (!rows.back().product[1]) return;
  std::vector<std::pair<Operand, Operand>> factors, before, after;
  for (size_t r = 0; r < rows.size(); ++r) {
    factors.push_back({rows[r].source(0, 0), rows[r].source(0, 1)});
    if (!next.empty()) factors.push_back({next[r].source(0, 0), next[r].source(0, 1)});
    before.push_back({rows[r].source(2, 0), rows[r].source(2, 1)});
    after.push_back({program_.code[results[2 * r]].dst, program_.code[results[2 * r + 1]].dst});
  }
  const uint32_t columns = rows[0].product[0]->count;
  layRun(after, columns), layRun(before, columns), layRun(factors, kWarpLanes);
}

/// `parts` lie one behind the other, `count` words of each operand.
/// \returns false where some of the words are not in registers of their own, or lie elsewhere already
bool Emitter::layRun(const std::vector<std::pair<Operand, Operand>>& parts, uint32_t count) {
  std::map<uint32_t, Place> places;
  bool isUndefined = false;
  uint32_t word = 0;
  for (const auto& [low, high] : parts)
    for (uint32_t w = 0; w < count; ++w, ++word)
      for (uint32_t half = 0; half < (high.present() ? 2 : 1); ++half) {
        const Operand o = half ? high : low;
        if (o.bank != Bank::Temp) return false;
        const uint32_t web = webs_.webOf(o, w);
        const Place place{static_cast<uint32_t>(runs_.size()), word, half};
        if (!divergence_.shape[web].varying() || kept_.count(web) || places_.count(web) ||
            !places.emplace(web, place).second)
          return false;
        isUndefined |= webs_.undefined[web];
      }
  places_.merge(places);
  runs_.push_back({parts[0].second.present(), isUndefined, word});
  return true;
}

llvm::Value* Emitter::inRun(const Place& place) {
  Run& run = runs_[place.run];
  llvm::Type* type = run.ofPairs ? words16() : words8();
  if (!run.home) {
    run.home = registerSlot(llvm::ArrayType::get(type, run.words), run.isUndefined);
    run.home->setAlignment(llvm::Align(64));
  }
  return ir_.CreateConstInBoundsGEP1_64(words8(), run.home, run.ofPairs ? 2 * place.word + place.half : place.word);
}

/// Whether a word is in a run, or two words are a pair of one.
bool Emitter::arePair(Operand low, Operand high, uint32_t w) const {
  const auto find = [&](Operand o) -> const Place* {
    if (o.bank != Bank::Temp) return nullptr;
    const auto place = places_.find(webs_.webOf(o, w));
    return place == places_.end() ? nullptr : &place->second;
  };
  const Place* at = find(low);
  if (!at || at->half || runs_[at->run].ofPairs != high.present()) return false;
  const Place* other = high.present() ? find(high) : nullptr;
  return !high.present() || (other && other->run == at->run && other->word == at->word && other->half);
}

/// Where that is; null where it is not.
llvm::Value* Emitter::placeOf(Operand low, Operand high, uint32_t w) {
  return arePair(low, high, w) ? inRun(places_.at(webs_.webOf(low, w))) : nullptr;
}

/// The first place of words that lie one after the other in a run; null where they do not.
const Emitter::Place* Emitter::firstPlaceOf(Operand o, uint32_t count) const {
  const Place* first = nullptr;
  for (uint32_t w = 0; w < count; ++w) {
    const auto place = o.bank == Bank::Temp ? places_.find(webs_.webOf(o, w)) : places_.end();
    if (place == places_.end()) return nullptr;
    const Place& at = place->second;
    if (!first) first = &at;
    if (at.run != first->run || at.half != first->half || at.word != first->word + w) return nullptr;
  }
  return first;
}

/// Where words, or pairs of words, lie one after the other in a run; null where they do not.
llvm::Value* Emitter::runOf(Operand low, Operand high, uint32_t count) {
  return firstPlaceOf(low, count) && (!high.present() || firstPlaceOf(high, count)) ? placeOf(low, high, 0) : nullptr;
}

/// A second factor, whose numbers are read one by one.
Emitter::Numbers Emitter::numbersInMemory(Operand o, uint32_t count) {
  const Place* place = firstPlaceOf(o, count);
  if (place && runs_[place->run].ofPairs) return {inRun(*place), 2 * kWarpLanes};
  return {rowsInMemory(o, {}, count), kWarpLanes};
}

/// Whether the factors of a group's products lie right behind those of the group before it.
bool Emitter::lieTogether(const ProductGroup& group, const ProductGroup& next) const {
  const auto follows = [&](Operand a, Operand b, uint32_t count, Place apart) {
    const Place *first = firstPlaceOf(a, count), *second = firstPlaceOf(b, count);
    return first && second && first->run == second->run && first->half + apart.half == second->half &&
           first->word + apart.word == second->word;
  };
  const Inst &a = program_.code[group.products[0]], &b = program_.code[next.products[0]];
  if (!follows(a.src[1], b.src[1], a.count, {.run = 0, .word = 0, .half = 1})) return false;
  const std::vector<Rows> rows = rowsOf(group), nextRows = rowsOf(next);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (const uint32_t half : {0, 1})
      if (rows[r].product[half] && !follows(rows[r].source(0, half), nextRows[r].source(0, half), kWarpLanes,
                                            {.run = 0, .word = kWarpLanes, .half = 0}))
        return false;
    if (!arePair(rows[r].source(0, 0), rows[r].source(0, 1), 0)) return false;
  }
  return true;
}

}  // namespace etzel::native
