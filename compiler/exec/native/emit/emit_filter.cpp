// Bilinear filters of plain 2D images of up to four bytes a texel, in code for what is bound. The operations on each
// number are those of WeightedSum (runtime/tex/lanes/kernels.h) in the same order.
#include <algorithm>
#include <bit>

#include "compiler/exec/native/emit/emitter.h"
#include "compiler/exec/native/emit/host.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectView;
using isa::Inst;

/// Whether texels can be weighed here: all components that are read are codes of texels, or constants.
bool Emitter::weighsTexels(const Inst& inst) {
  constexpr std::ptrdiff_t kMostFilters = 16;  // they are long
  const std::optional<KnownSample> known = knownSample(inst);
  if (!known || countSamples() > kMostFilters || known->view.logBytes > 2) return false;
  const bool srgb = known->view.format == DirectView::Format::Srgb;
  if (srgb ? !fusesAtOnce() : known->view.format != DirectView::Format::Codes) return false;
  return std::all_of(known->view.component, known->view.component + isa::dstWords(inst),
                     [](const DirectView::Component& c) { return c.mask <= 0xFFFF; });
}

/// The same of footprints that were `found`, if it is known that they are filtered.
bool Emitter::filtersTexels(const Inst& inst, const FoundFootprints& found) {
  const auto is = [](V v, uint64_t value) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(v);
    return constant && constant->equalsInt(value);
  };
  return is(found.nearest, 0) && is(found.known, 1) && weighsTexels(inst);
}

/// Fetches ahead what the pixels eight to the right will read, if they go on as these do; as prefetchRight() of
/// runtime/tex/lanes/square.h.
void Emitter::prefetchRight(const TexelPlaces& places) {
  llvm::Type* i64 = ir_.getInt64Ty();
  const auto at = [&](uint64_t lane) { return ir_.CreateSExt(ir_.CreateExtractElement(places.offset, lane), i64); };
  V ahead = ir_.CreateShl(ir_.CreateSub(at(4), at(0)), 2);
  V next = ir_.CreateGEP(ir_.getInt8Ty(), places.texels, ir_.CreateAdd(ahead, ir_.CreateSExt(places.pitch, i64)));
  for (uint64_t lane : {2, 5}) fetch(ir_.CreateGEP(ir_.getInt8Ty(), next, at(lane)));
}

/// Adds the texels of footprints and their weights: one of each lane in a register, or where registers hold as many
/// numbers, the left and the right ones of a row.
void Emitter::loadWeighed(const WeighedFootprints& w, uint32_t logBytes, WeighedTexels& all) {
  for (uint32_t y = 0; y < 2; ++y) {
    const std::array<V, 2> row = loadPairs(w.places, logBytes, y);
    std::array<V, 2> weight;
    for (uint32_t x = 0; x < 2; ++x) weight[x] = ir_.CreateFMul(w.weight[0][x], w.weight[1][y]);
    addPair(row, weight, all);
  }
}

/// Two texels of each lane, and their weights.
void Emitter::addPair(const std::array<V, 2>& texels, const std::array<V, 2>& weights, WeighedTexels& all) {
  if (all.share)
    all.texels.push_back(joined(texels[0], texels[1])), all.weights.push_back(joined(weights[0], weights[1]));
  else
    for (uint32_t i = 0; i < 2; ++i) all.texels.push_back(texels[i]), all.weights.push_back(weights[i]);
}

/// The sum of a number of each texel, times its weight. `number`: those of the texels of register `at`
llvm::Value* Emitter::weighedSum(const WeighedTexels& all, const std::function<V(size_t at)>& number) {
  V sum = nullptr;
  const auto add = [&](V product) { sum = sum ? ir_.CreateFAdd(sum, product) : product; };
  for (size_t at = 0; at < all.texels.size(); ++at) {
    V product = ir_.CreateFMul(number(at), all.weights[at]);
    if (all.share)
      add(halfOf(product, 0)), add(halfOf(product, 1));
    else
      add(product);
  }
  return sum;
}

/// The words of such a sample, of one level or two. `direct`: directView() of its view
std::vector<llvm::Value*> Emitter::filterTexels(const Inst& inst, V direct, llvm::ArrayRef<WeighedFootprints> levels) {
  WeighedTexels all{.share = hasPairs(host_)};
  for (const WeighedFootprints& w : levels) prefetchRight(w.places);
  for (const WeighedFootprints& w : levels) loadWeighed(w, whatIsBound(inst)->view.logBytes, all);
  return sumsOf(inst, direct, all);
}

/// The same of a nearest texel of each of two levels, with the levels' weights.
std::vector<llvm::Value*> Emitter::mixTexels(const Inst& inst, V direct, llvm::ArrayRef<WeighedFootprints> levels,
                                             const V (&weight)[2]) {
  WeighedTexels all{.share = hasPairs(host_)};
  V first = loadTexels(levels[0].places), second = loadTexels(levels[1].places);
  addPair({first, second}, {weight[0], weight[1]}, all);
  return sumsOf(inst, direct, all);
}

/// The words of what has been loaded and weighed.
std::vector<llvm::Value*> Emitter::sumsOf(const Inst& inst, V direct, const WeighedTexels& all) {
  const DirectView::Kind view = whatIsBound(inst)->view;
  const bool srgb = view.format == DirectView::Format::Srgb;
  width_ = all.share ? 2 * kWarpLanes : kWarpLanes;
  std::vector<std::array<V, 3>> linear;  // by register
  if (srgb) {
    const TexelFormat format = formatOf(direct);
    for (V t : all.texels) linear.push_back(linearOf(format, t));
  }
  std::vector<V> colors;
  for (uint32_t i = 0, words = isa::dstWords(inst); i < words; ++i) {
    const DirectView::Component& c = view.component[i];
    if (c.mask == 0) {
      const bool isSum = c.power == 1;  // an alpha that texels lack
      const auto one = [&](size_t at) { return llvm::ConstantFP::get(all.weights[at]->getType(), 1); };
      colors.push_back(isSum ? ir_.CreateBitCast(weighedSum(all, one), words8())
                             : ir_.CreateVectorSplat(kWarpLanes, ir_.getInt32(c.constant)));
      continue;
    }
    V sum;
    if (srgb && i < 3) {
      sum = weighedSum(all, [&](size_t at) { return ir_.CreateBitCast(linear[at][i], lanes(ir_.getFloatTy())); });
    } else {
      // Codes stay in their place of the word, which rounds nowhere, but where that would be the sign.
      const bool stays = std::bit_width(c.mask) + c.shift < 32;
      const float unit = stays ? 1.0f / static_cast<float>(1u << c.shift) : 1.0f;
      const uint32_t shift = stays ? 0 : c.shift, mask = stays ? c.mask << c.shift : c.mask;
      V codes = weighedSum(all, [&](size_t at) { return codesOf(all.texels[at], shift, mask); });
      sum = ir_.CreateFAdd(ir_.CreateFMul(codes, llvm::ConstantFP::get(codes->getType(), c.power * unit)),
                           ir_.CreateFMul(codes, llvm::ConstantFP::get(codes->getType(), c.rest * unit)));
    }
    colors.push_back(ir_.CreateBitCast(sum, words8()));
  }
  width_ = kWarpLanes;
  return colors;
}

/// Weighs footprints that are filtered; where some do not lie inside of the image goes on in `outside`. Those that end
/// at the middle of the last texel are looked for only where not all lie before it.
std::vector<Emitter::WeighedFootprints> Emitter::weighInside(llvm::ArrayRef<FoundFootprints> found,
                                                             llvm::BasicBlock* outside) {
  llvm::BasicBlock *before = ir_.GetInsertBlock(), *ends = block("ends"), *inside = block("inside");
  std::vector<WeighedFootprints> weighed, ending;
  V allBefore = ir_.getTrue(), allInside = ir_.getTrue();
  for (const FoundFootprints& f : found) {
    weighed.push_back(weighBefore(f));
    allBefore = ir_.CreateAnd(allBefore, f.inside);
  }
  ir_.CreateCondBr(allBefore, inside, ends, likely());
  enter(ends);
  for (const FoundFootprints& f : found) {
    ending.push_back(weighFootprints(f));
    allInside = ir_.CreateAnd(allInside, ending.back().inside);
  }
  ir_.CreateCondBr(allInside, inside, outside);
  enter(inside);
  for (uint32_t i = 0; i < found.size(); ++i) {
    const auto merge = [&](V& v, V other) { v = eitherOf({v}, before, {other}, ends)[0]; };
    merge(weighed[i].places.offset, ending[i].places.offset);
    for (uint32_t d = 0; d < 2; ++d)
      for (uint32_t k = 0; k < 2; ++k) merge(weighed[i].weight[d][k], ending[i].weight[d][k]);
  }
  return weighed;
}

/// A sample that filterTexels() has; what does not lie inside of the image goes on in `more`, as what depends on
/// levels, of which `squares` are squaredSides().
void Emitter::readFiltered(const Inst& inst, V view, V texels, const FoundFootprints& f, llvm::BasicBlock* more,
                           V squares) {
  const std::vector<V> words = filterTexels(inst, texels, weighInside(f, more)[0]);
  llvm::BasicBlock *here = ir_.GetInsertBlock(), *done = block("filtered");
  ir_.CreateBr(done);
  enter(more);
  const std::vector<V> others = readLevels(inst, view, texels, squares);
  more = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(done);
  setResults({{index_, strand_}}, eitherOf(words, here, others, more));
}

}  // namespace etzel::native
