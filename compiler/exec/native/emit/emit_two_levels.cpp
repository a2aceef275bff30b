// Bilinear filters of the levels that levels of detail select, of footprints or said by instructions, in code for what
// is bound: of two levels, or of the nearest one; and nearest texels of these. Lanes that differ in their
// levels, and footprints that do not lie inside of the image, are the view's routine's, as anisotropic samplers are:
// most of their work is weighing texels, which it does as fast. The operations on each number are those of
// runtime/tex/lanes/level_squares.h in the same order.
#include <llvm/IR/InlineAsm.h>

#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"
#include "runtime/abi/level_of_detail.h"

namespace etzel::native {

using abi::DirectSampler;
using abi::DirectView;
using abi::LevelPlace;
using abi::SamplerLimits;
using abi::TexInst;
using isa::Inst;

/// Whether a sample says its level of detail, which is no constant for the first level.
bool Emitter::saysLevel(const Inst& inst) const {
  const TexInst tex = TexInst::unpack(inst.imm);
  return tex.lod == abi::LodMode::Explicit && !tex.minLod && !readsFirstLevel(inst);
}

/// Whether one texel of a level is read.
bool Emitter::readsNearest(const Inst& inst) const {
  return knownSample(inst)->sampler.filter == DirectSampler::Filter::Nearest;
}

/// Whether texels of a sample that mayMagnify(), or that saysLevel(), are found and weighed here on any level.
bool Emitter::findsLevels(const Inst& inst) {
  constexpr std::ptrdiff_t kMostFilters = 12;  // they are longer than those of one level
  const std::optional<KnownSample> known = knownSample(inst);
  if (!known || !(known->view.has & DirectView::kLevels) || known->sampler.unnormalized) return false;
  const bool knows = known->sampler.filter == DirectSampler::Filter::Bilinear || readsNearest(inst);
  return knows && (mayMagnify(inst) || saysLevel(inst)) && countSamples() <= kMostFilters && weighsTexels(inst);
}

/// Half the base 2 logarithm of positive numbers, and of 0: log2Of() of runtime/tex/lanes/lane_math.h.
llvm::Value* Emitter::halfLog2(V x) {
  llvm::Type* floats = x->getType();
  const auto number = [&](float f) { return llvm::ConstantFP::get(floats, f); };
  const auto bits = [&](uint32_t w) { return llvm::ConstantInt::get(words8(), w); };
  V w = ir_.CreateBitCast(x, words8());
  V exponent = ir_.CreateSub(ir_.CreateLShr(w, 23), bits(127));
  V m = ir_.CreateBitCast(ir_.CreateOr(ir_.CreateAnd(w, bits(0x7FFFFF)), bits(0x3F800000)), floats);
  V upper = ir_.CreateFCmpOGT(m, number(abi::kLog2Fold));
  m = ir_.CreateSelect(upper, ir_.CreateFMul(m, number(0.5f)), m);
  V infinite = ir_.CreateICmpEQ(exponent, bits(128));
  exponent = ir_.CreateSub(exponent, ir_.CreateSExt(upper, words8()));
  V t = ir_.CreateFSub(m, number(1)), t2 = ir_.CreateFMul(t, t);
  const auto plus = [&](V a, V b, V c) { return ir_.CreateFAdd(a, ir_.CreateFMul(b, c)); };
  const auto line = [&](int k) { return plus(number(abi::kLog2Curve[k]), t, number(abi::kLog2Curve[k + 1])); };
  V highest = plus(line(4), t2, number(abi::kLog2Curve[6]));
  V p = plus(plus(line(0), t2, line(2)), ir_.CreateFMul(t2, t2), highest);
  V half = number(0.5f);
  V r = plus(ir_.CreateFMul(ir_.CreateSIToFP(exponent, floats), half), ir_.CreateFMul(t, half), p);
  r = ir_.CreateSelect(infinite, number(64), r);
  return ir_.CreateSelect(ir_.CreateFCmpOGT(x, number(0)), r, number(-63.5f));
}

/// Whether such a sample says its level.
bool Emitter::readsSaidLevel(const Inst& inst) { return saysLevel(inst) && findsLevels(inst); }

/// The same small number, found by counting, as predicted() of runtime/tex/lanes/sample.h: neighbouring pixels need the
/// same level, so branch prediction knows it long before the logarithm does, and places are found meanwhile.
llvm::Value* Emitter::predicted(V number) {
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::BasicBlock *before = ir_.GetInsertBlock(), *count = block("count"), *next = block("next"),
                   *done = block("counted");
  ir_.CreateBr(count);
  enter(count);
  llvm::PHINode* n = ir_.CreatePHI(i32, 2);
  n->addIncoming(ir_.getInt32(0), before);
  ir_.CreateCondBr(ir_.CreateICmpEQ(n, number), done, next);
  enter(next);
  // Nobody sees what the loop computes.
  auto* hidden = llvm::InlineAsm::get(llvm::FunctionType::get(i32, {i32}, false), "", "=r,0", false);
  n->addIncoming(ir_.CreateCall(hidden, {ir_.CreateAdd(n, ir_.getInt32(1))}), next);
  ir_.CreateBr(count);
  enter(done);
  return n;
}

/// The level that all lanes that run read, or the lower one of two; goes on in `apart` where they do not share it.
/// `squares`: squaredSides(), null where it saysLevel()
Emitter::SelectedLevels Emitter::selectLevels(const Inst& inst, V texels, V squares, llvm::BasicBlock* apart) {
  const bool nearest = knownSample(inst)->sampler.nearestLevel;
  llvm::Type* floats = lanes(ir_.getFloatTy());
  const auto number = [&](float f) { return llvm::ConstantFP::get(floats, f); };
  const auto least = [&](V a, V b) { return ir_.CreateSelect(ir_.CreateFCmpOLT(a, b), a, b); };
  const auto most = [&](V a, V b) { return ir_.CreateSelect(ir_.CreateFCmpOGT(a, b), a, b); };
  V lambda;
  if (squares) {
    squares = most(squares, number(0));  // NaN coordinates
    lambda = halfLog2(most(squares, ir_.CreateShuffleVector(squares, {1, 0, 3, 2, 5, 4, 7, 6})));
  } else {
    lambda = ir_.CreateBitCast(splat(word(inst.src[1], TexInst::unpack(inst.imm).argLod())), floats);
  }
  V sampler = directSampler(inst.src[2]);
  const auto limit = [&](size_t member) {
    return splat(field(sampler, sizeof(DirectSampler) + member, ir_.getFloatTy()));
  };
  lambda = ir_.CreateFAdd(lambda, limit(offsetof(SamplerLimits, bias)));
  lambda = least(limit(offsetof(SamplerLimits, maxLod)), lambda);
  if (!squares) {  // else there is no least level above the first
    lambda = most(limit(offsetof(SamplerLimits, minLod)), lambda);
    lambda = ir_.CreateSelect(ir_.CreateFCmpORD(lambda, lambda), lambda, number(0));
  }
  V last = field(texels, offsetof(DirectView, lastLevel), ir_.getInt32Ty());
  lambda = least(splat(ir_.CreateUIToFP(last, ir_.getFloatTy())), most(number(0), lambda));
  SelectedLevels s;
  V level;
  if (nearest) {
    V up = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, ir_.CreateFAdd(lambda, number(0.5f)));
    level = ir_.CreateSub(ir_.CreateFPToSI(up, words8()), splat(ir_.getInt32(1)));
  } else {
    V steps = ir_.CreateFAdd(ir_.CreateFMul(lambda, number(abi::kLodSteps)), number(0.5f));
    V fixed = ir_.CreateFPToSI(steps, words8());
    level = ir_.CreateAShr(fixed, std::countr_zero(abi::kLodSteps));
    V rest = ir_.CreateAnd(fixed, splat(ir_.getInt32(abi::kLodSteps - 1)));
    s.weight[1] = ir_.CreateFMul(ir_.CreateSIToFP(rest, floats), number(1.0f / abi::kLodSteps));
    s.weight[0] = ir_.CreateFSub(number(1), s.weight[1]);
  }
  // A quad mostly has one level; which of two has lanes that run?
  V first = ir_.CreateExtractElement(level, uint64_t(0));
  if (!allActive()) {
    V lower = ir_.CreateAnd(bitsOf(exec()), ir_.getInt32(0x0F));
    first = ir_.CreateSelect(nonzero(lower), first, ir_.CreateExtractElement(level, uint64_t(4)));
  }
  s.number[0] = predicted(first);
  V other = ir_.CreateICmpNE(level, splat(s.number[0]));
  if (!allActive()) other = ir_.CreateAnd(other, nonzero(exec()));
  llvm::BasicBlock* shared = block("onelevel");
  ir_.CreateCondBr(ir_.CreateICmpEQ(ir_.CreateBitCast(other, ir_.getInt8Ty()), ir_.getInt8(0)), shared, apart,
                   likely());
  enter(shared);
  V next = ir_.CreateAdd(s.number[0], ir_.getInt32(1));
  s.number[1] = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, next, last);
  return s;
}

/// Footprints, or nearest texels, on one of the view's levels, levelRule() of runtime/tex/lanes/level_squares.h.
Emitter::FoundFootprints Emitter::footprintsOf(const Inst& inst, V texels, V number) {
  const DirectSampler sampler = knownSample(inst)->sampler;
  llvm::Type *i32 = ir_.getInt32Ty(), *i64 = ir_.getInt64Ty(), *byte = ir_.getInt8Ty();
  V behind = ir_.CreateMul(ir_.CreateZExt(number, i64), ir_.getInt64(sizeof(LevelPlace)));
  V first = ir_.CreateConstInBoundsGEP1_64(byte, texels, offsetof(DirectView, level));
  V place = ir_.CreateInBoundsGEP(byte, first, behind);
  const bool nearest = readsNearest(inst);
  FoundFootprints f;
  f.axes = 2;
  AxisRule rules[2];
  for (uint32_t d = 0; d < 2; ++d) {
    const auto of = [&](size_t member, llvm::Type* type) { return field(place, member + 4 * d, type); };
    AxisRule& rule = rules[d];
    rule.size = of(offsetof(LevelPlace, size), i32);
    rule.scale = of(offsetof(LevelPlace, scale), ir_.getFloatTy());
    rule.kept = ir_.CreateOr(of(offsetof(LevelPlace, keep), i32), ir_.getInt32(~sampler.repeats[d]));
    rule.clamps = ir_.getInt32(nearest ? sampler.clamps[d] : 0);
    rule.middle = llvm::ConstantFP::get(ir_.getFloatTy(), nearest ? 0 : 0.5);
    rule.last = ir_.CreateSub(rule.size, ir_.getInt32(nearest ? 1 : 2));
  }
  const auto start = [&](V level) { return ir_.CreateSExt(field(level, offsetof(LevelPlace, start), i32), i64); };
  V base = field(texels, offsetof(DirectView, texels), ir_.getPtrTy());
  f.places.texels = ir_.CreateGEP(byte, base, ir_.CreateSub(start(place), start(first)));
  f.places.pitch = field(place, offsetof(LevelPlace, pitch), i32);
  f.places.logBytes = ir_.getInt32(knownSample(inst)->view.logBytes);
  placeByRules(inst, rules, f);
  return f;
}

/// The words of a sample that depends on its level of detail. `squares`: squaredSides(), null where it saysLevel()
std::vector<llvm::Value*> Emitter::readLevels(const Inst& inst, V view, V texels, V squares) {
  if (!findsLevels(inst)) return askedWords(inst, view, texels);
  llvm::BasicBlock *apart = block("apart"), *inside = block("inside"), *done = block("levelsdone");
  const SelectedLevels levels = selectLevels(inst, texels, squares, apart);
  std::vector<WeighedFootprints> footprints;
  V allInside = ir_.getTrue();
  for (uint32_t n = 0; n < (levels.weight[0] ? 2 : 1); ++n) {
    WeighedFootprints& f = footprints.emplace_back(weighBefore(footprintsOf(inst, texels, levels.number[n])));
    if (levels.weight[n] && !readsNearest(inst))
      for (V& w : f.weight[0]) w = ir_.CreateFMul(w, levels.weight[n]);
    allInside = ir_.CreateAnd(allInside, f.inside);
  }
  ir_.CreateCondBr(allInside, inside, apart, likely());
  enter(inside);
  std::vector<V> found;
  if (!readsNearest(inst))
    found = filterTexels(inst, texels, footprints);
  else if (footprints.size() == 1)
    found = colorsOf(formatOf(texels), loadTexels(footprints[0].places));
  else
    found = mixTexels(inst, texels, footprints, levels.weight);
  inside = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(apart);
  const std::vector<V> others = askedWords(inst, view, texels);
  apart = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(done);
  return eitherOf(found, inside, others, apart);
}

}  // namespace etzel::native
