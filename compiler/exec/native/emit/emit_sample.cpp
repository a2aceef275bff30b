// Nearest and bilinear samples of one level, whose descriptors are the same in all lanes: addresses and weights are
// computed here, with what depends on image and sampler loaded once; nearest texels go on as fetched ones, others are
// loaded, converted and weighed by a routine that the view has for its format (abi::ReadFootprints), or compared
// (abi::CompareFootprints). The arithmetic is that of runtime/tex/lanes/square.h.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectSampler;
using abi::DirectView;
using abi::Footprints;
using abi::TexInst;
using isa::Inst;

/// Whether an instruction may read such footprints, whatever it says of levels: images that have one need none of it.
bool Emitter::readsFootprints(const Inst& inst) const {
  const TexInst tex = TexInst::unpack(inst.imm);
  const bool flat = tex.dim == abi::TexDim::D2 || tex.dim == abi::TexDim::D1;
  return tex.kind == abi::TexKind::Sample && flat && tex.rule == abi::DimRule::Given &&
         tex.type == abi::TexType::Float && !tex.arrayed && !tex.sparse && isUniform(inst.src[0]) &&
         isUniform(inst.src[2]);
}

/// Whether a sample says that its level of detail is 0 or less, of whatever image.
bool Emitter::readsFirstLevel(const Inst& inst) const {
  const TexInst tex = TexInst::unpack(inst.imm);
  if (tex.lod == abi::LodMode::Zero) return !tex.minLod;
  if (tex.lod != abi::LodMode::Explicit || tex.minLod) return false;
  // Arguments are copied to where they are consecutive words.
  const isa::Operand level = copies_.original(wordOf(inst.src[1], tex.argLod()));
  if (level.bank != isa::Bank::Param) return false;
  const std::optional<uint32_t> bits = constantHandle(level);
  return bits && std::bit_cast<float>(*bits) <= 0;
}

/// The bits that stay of a texel's number: repetition by a power of two keeps low bits. `repeats`: ~0 or 0
llvm::Value* Emitter::keptBits(V size, V repeats) {
  V lowBits = ir_.CreateSub(size, ir_.getInt32(1));
  V isPower = ir_.CreateICmpEQ(ir_.CreateAnd(size, lowBits), ir_.getInt32(0));
  V whole = ir_.CreateNot(ir_.CreateAnd(repeats, ir_.CreateSExt(isPower, ir_.getInt32Ty())));
  return ir_.CreateOr(whole, lowBits);
}

/// What nearest texels and footprints of four have in common.
Emitter::FootprintAxis Emitter::footprintAxis(V coordinate, const AxisRule& rule) {
  llvm::Type* floats = lanes(ir_.getFloatTy());
  V x = ir_.CreateFMul(ir_.CreateBitCast(splat(coordinate), floats), splat(rule.scale));
  x = ir_.CreateFSub(x, splat(rule.middle));
  V whole = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
  FootprintAxis a;
  a.rule = rule;
  a.rest = ir_.CreateFSub(x, whole);
  // Within 2^22 nothing rounds; NaNs and infinities are beyond.
  V magnitude = ir_.CreateAnd(ir_.CreateBitCast(x, words8()), splat(ir_.getInt32(0x7FFFFFFF)));
  a.tooFar = ir_.CreateSub(splat(ir_.getInt32(0x4A800000)), magnitude);
  a.first = truncatedToWords(ir_, whole);
  if (rule.offset) a.first = ir_.CreateAdd(a.first, splat(rule.offset));
  a.first = ir_.CreateAnd(a.first, splat(rule.kept));
  // Edges clamp to the first and the last texel; else to what every number is between.
  V below = ir_.CreateAnd(ir_.CreateNot(rule.clamps), ir_.getInt32(0x80000000u));
  V above = ir_.CreateSelect(ir_.CreateIsNotNull(rule.clamps), rule.last, ir_.getInt32(0x7FFFFFFF));
  a.first = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a.first, splat(above));
  a.first = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a.first, splat(below));
  a.bad = ir_.CreateOr(ir_.CreateOr(a.tooFar, a.first), ir_.CreateSub(splat(rule.last), a.first));
  return a;
}

/// Footprints of four texels that all lie before the middle of the last one, FoundFootprints::inside.
Emitter::WeighedFootprints Emitter::weighBefore(const FoundFootprints& f) {
  llvm::Type* floats = lanes(ir_.getFloatTy());
  V one = llvm::ConstantFP::get(floats, 1.0);
  // One dimension: a row, and another one without weight.
  WeighedFootprints w = {f.places, f.inside, {{}, {one, llvm::Constant::getNullValue(floats)}}};
  for (uint32_t d = 0; d < f.axes; ++d)
    w.weight[d][0] = ir_.CreateFSub(one, f.axis[d].rest), w.weight[d][1] = f.axis[d].rest;
  return w;
}

/// Footprints of four texels. What nearest ones do not need is not computed for them.
Emitter::WeighedFootprints Emitter::weighFootprints(const FoundFootprints& f) {
  V zeros = llvm::Constant::getNullValue(lanes(ir_.getFloatTy()));
  WeighedFootprints w = weighBefore(f);
  V first[2] = {nullptr, f.axis[1].first}, bad = nullptr;
  for (uint32_t d = 0; d < f.axes; ++d) {
    const FootprintAxis& a = f.axis[d];
    V left = w.weight[d][0];
    // The middle of the last texel, where tables end: it is the right one of two then, the left one has no weight.
    V end = ir_.CreateAnd(ir_.CreateICmpEQ(a.first, splat(a.rule.end)), ir_.CreateFCmpOEQ(a.rest, zeros));
    first[d] = ir_.CreateAdd(a.first, ir_.CreateSExt(end, words8()));
    w.weight[d][1] = ir_.CreateSelect(end, left, a.rest);
    w.weight[d][0] = ir_.CreateSelect(end, zeros, left);
    V own = ir_.CreateOr(ir_.CreateOr(a.tooFar, first[d]), ir_.CreateSub(splat(a.rule.last), first[d]));
    bad = d ? ir_.CreateOr(bad, own) : own;
  }
  V everywhere;
  w.inside = allInside(bad, everywhere);
  placeFootprints(w.places, first[0], first[1], everywhere);
  return w;
}

/// \returns i1: whether no lane that runs is `bad`. `everywhere`: negative in lanes that are, whether they run or not
llvm::Value* Emitter::allInside(V bad, V& everywhere) {
  everywhere = bad;
  if (someRun()) {
    // Lanes that do not run may be anywhere. Where none does, it is not known that there are texels.
    V others = ir_.CreateSelect(any(exec()), ir_.getInt32(0), ir_.getInt32(-1));
    bad = ir_.CreateSelect(nonzero(exec()), bad, splat(others));
  }
  V outside = ir_.CreateICmpSLT(bad, llvm::Constant::getNullValue(words8()));
  return ir_.CreateICmpEQ(ir_.CreateBitCast(outside, ir_.getInt8Ty()), ir_.getInt8(0));
}

void Emitter::placeFootprints(TexelPlaces& p, V x, V y, V everywhere) {
  p.offset = ir_.CreateAdd(ir_.CreateMul(y, splat(p.pitch)), ir_.CreateShl(x, splat(p.logBytes)));
  // The first texels do for lanes that do not run.
  V zeros = llvm::Constant::getNullValue(words8());
  if (someRun()) p.offset = ir_.CreateSelect(ir_.CreateICmpSLT(everywhere, zeros), zeros, p.offset);
}

/// What depends on image and sampler, and where the footprints lie.
Emitter::FoundFootprints Emitter::findFootprints(const Inst& inst, V texels) {
  const TexInst tex = TexInst::unpack(inst.imm);
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::Type* ptr = ir_.getPtrTy();
  V sampler = directSampler(inst.src[2]);
  V kind = field(sampler, offsetof(DirectSampler, filter), i32);
  // Where it is the first level whatever there is, or else one level.
  const bool isFirstOnly = mayMagnify(inst) || (!tex.dref && readsFirstLevel(inst));
  V first = isFirstOnly ? field(sampler, offsetof(DirectSampler, first), i32) : nullptr;
  V isFirst = first ? ir_.CreateIsNotNull(first) : ir_.getFalse();
  if (first) kind = ir_.CreateSelect(isFirst, first, kind);
  const auto is = [&](DirectSampler::Filter f) {
    return ir_.CreateICmpEQ(kind, ir_.getInt32(static_cast<uint32_t>(f)));
  };
  V two = is(DirectSampler::Filter::Bilinear);
  FoundFootprints f;
  f.nearest = is(DirectSampler::Filter::Nearest);
  V exists;
  if (tex.dref) {
    f.read = field(texels, offsetof(DirectView, compare), ptr);
    exists = has(texels, DirectView::kCompare, f.read);
  } else {
    const auto routine = [&](size_t any, size_t one) {
      V of = field(texels, one, ptr);
      return first ? ir_.CreateSelect(isFirst, field(texels, any, ptr), of) : of;
    };
    const auto exist = [&](DirectView::Has any, DirectView::Has one, V of) {
      V does = has(texels, one, of);
      return first ? ir_.CreateSelect(isFirst, has(texels, any, of), does) : does;
    };
    V bilinear = routine(offsetof(DirectView, firstBilinear), offsetof(DirectView, bilinear));
    V nearest = routine(offsetof(DirectView, firstNearest), offsetof(DirectView, nearest));
    f.read = ir_.CreateSelect(two, bilinear, nearest);
    exists = known_.count(texels)
                 ? ir_.CreateSelect(two, exist(DirectView::kFirstBilinear, DirectView::kBilinear, bilinear),
                                    exist(DirectView::kFirstNearest, DirectView::kNearest, nearest))
                 : ir_.CreateIsNotNull(f.read);
  }
  f.known = ir_.CreateAnd(exists, tex.dref ? two : ir_.CreateOr(two, f.nearest));
  findPlaces(inst, texels, sampler, two, f);
  return f;
}

/// Where they lie; `two`, i1: whether they have two texels along an axis.
void Emitter::findPlaces(const Inst& inst, V texels, V sampler, V two, FoundFootprints& f) {
  const TexInst tex = TexInst::unpack(inst.imm);
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::Type* f32 = ir_.getFloatTy();
  llvm::Type* ptr = ir_.getPtrTy();
  V unnormalized = ir_.CreateICmpNE(field(sampler, offsetof(DirectSampler, unnormalized), i32), ir_.getInt32(0));
  constexpr size_t kSizes[2] = {offsetof(DirectView, width), offsetof(DirectView, height)};
  f.axes = tex.spatialDims();
  AxisRule rules[2];
  for (uint32_t d = 0; d < f.axes; ++d) {
    AxisRule& rule = rules[d];
    rule.size = field(texels, kSizes[d], i32);
    rule.scale = ir_.CreateSelect(unnormalized, llvm::ConstantFP::get(f32, 1.0), ir_.CreateSIToFP(rule.size, f32));
    rule.kept = keptBits(rule.size, field(sampler, offsetof(DirectSampler, repeats) + 4 * d, i32));
    rule.clamps = ir_.CreateSelect(two, ir_.getInt32(0), field(sampler, offsetof(DirectSampler, clamps) + 4 * d, i32));
    rule.middle = ir_.CreateSelect(two, llvm::ConstantFP::get(f32, 0.5), llvm::ConstantFP::get(f32, 0.0));
    rule.last = ir_.CreateSub(rule.size, ir_.CreateSelect(two, ir_.getInt32(2), ir_.getInt32(1)));
  }
  TexelPlaces& p = f.places;
  p.texels = field(texels, offsetof(DirectView, texels), ptr);
  p.pitch = f.axes == 2 ? field(texels, offsetof(DirectView, rowPitch), i32) : static_cast<V>(ir_.getInt32(0));
  p.logBytes = field(texels, offsetof(DirectView::Kind, logBytes), i32);
  placeByRules(inst, rules, f);
}

/// Finds the axes of footprints, whose number and `places` but for the offset are there, and where they lie. `rules`:
/// without `offset` and `end`
void Emitter::placeByRules(const Inst& inst, AxisRule (&rules)[2], FoundFootprints& f) {
  const TexInst tex = TexInst::unpack(inst.imm);
  V bad = nullptr, everywhere;
  f.axis[1].first = llvm::Constant::getNullValue(words8());
  for (uint32_t d = 0; d < f.axes; ++d) {
    rules[d].offset = tex.offset ? word(inst.src[1], tex.argOffset() + d) : nullptr;
    rules[d].end = ir_.CreateSub(rules[d].size, ir_.getInt32(1));
    f.axis[d] = footprintAxis(word(inst.src[1], d), rules[d]);
    bad = d ? ir_.CreateOr(bad, f.axis[d].bad) : f.axis[d].bad;
  }
  f.inside = allInside(bad, everywhere);
  placeFootprints(f.places, f.axis[0].first, f.axis[1].first, everywhere);
}

/// Leaves abi::Footprints in footprints_.
void Emitter::putFootprints(const WeighedFootprints& f) {
  llvm::Type* byte = ir_.getInt8Ty();
  words(footprints_, sizeof(Footprints) / sizeof(LaneWords)), words(resultBlock_, kResultWords);
  const auto put = [&](size_t at, V v, uint64_t align) {
    ir_.CreateAlignedStore(v, ir_.CreateConstInBoundsGEP1_64(byte, footprints_, at), llvm::Align(align));
  };
  put(offsetof(Footprints, row), f.places.texels, 32);
  put(offsetof(Footprints, row) + 8,
      ir_.CreateGEP(byte, f.places.texels, ir_.CreateSExt(f.places.pitch, ir_.getInt64Ty())), 8);
  put(offsetof(Footprints, offset), f.places.offset, 32);
  for (uint32_t k = 0; k < 2; ++k) {
    put(offsetof(Footprints, columns) + k * sizeof(LaneWords), f.weight[0][k], 32);
    put(offsetof(Footprints, rows) + k * sizeof(LaneWords), f.weight[1][k], 32);
  }
}

/// Has the view's routine read them. Leaves the result in resultBlock_.
void Emitter::callFilter(V view, const FoundFootprints& f, const WeighedFootprints& w) {
  llvm::Type* ptr = ir_.getPtrTy();
  putFootprints(w);
  ir_.CreateCall(llvm::FunctionType::get(ir_.getVoidTy(), {ptr, ptr, ptr}, false), f.read,
                 {view, footprints_, resultBlock_});
}

/// Whether a sample that this file knows is left to the view's routine, in code for the time until it is known what is
/// bound: what depends on that would be most of the code.
bool Emitter::isLeftToLater(const Inst& inst) const {
  return bound_.later && readsFootprints(inst) && !TexInst::unpack(inst.imm).dref && asksView(inst) &&
         constantHandle(inst.src[0]);
}

/// How many instructions of the program read footprints.
std::ptrdiff_t Emitter::countSamples() {
  if (samples_ < 0)
    samples_ = std::count_if(program_.code.begin(), program_.code.end(), [&](const Inst& inst) {
      return isa::opInfo(inst).native == isa::Native::Texture && readsFootprints(inst) &&
             !TexInst::unpack(inst.imm).dref;
    });
  return samples_;
}

/// Whether nearest texels are converted here. Programs with very many samples would take long to compile.
bool Emitter::loadsNearest() {
  constexpr std::ptrdiff_t kMost = 32;
  return countSamples() <= kMost;
}

/// A sample of the view's one level where that is known: of nearest texels, which `nearest` has and leaves its block
/// with, or filtered; on the level that `squares`, squaredSides(), select, or by the view's routine for several levels
/// else, in the block `more`. Goes on in the block that `nearest` is told, with the result in resultBlock_.
void Emitter::sampleFootprints(const Inst& inst, V view, V texels, const FoundFootprints& f, llvm::BasicBlock* more,
                               V squares, const std::function<void(llvm::BasicBlock* sampled)>& nearest) {
  llvm::BasicBlock* known = block("onelevel");
  llvm::BasicBlock* one = block("onetexel");
  llvm::BasicBlock* four = block("footprints");
  llvm::BasicBlock* load = block("sampled");
  llvm::BasicBlock* found = block("nearest");
  llvm::BasicBlock* filter = block("filter");
  ir_.CreateCondBr(f.known, known, more);
  enter(known);
  ir_.CreateCondBr(f.nearest, one, four);
  enter(one);
  ir_.CreateCondBr(f.inside, found, more, likely());
  enter(four);
  const WeighedFootprints weighed = weighFootprints(f);
  ir_.CreateCondBr(weighed.inside, filter, more, likely());
  enter(found);
  nearest(load);
  enter(filter);
  callFilter(view, f, weighed);
  ir_.CreateBr(load);
  enter(more);
  if (!squares || !findsLevels(inst)) return sampleLevels(inst, view, texels, block("samplecall"), load);
  const std::vector<V> levels = readLevels(inst, view, texels, squares);
  words(resultBlock_, kResultWords);
  for (uint32_t w = 0; w < levels.size(); ++w)
    ir_.CreateAlignedStore(levels[w], ir_.CreateConstInBoundsGEP1_64(words8(), resultBlock_, w), llvm::Align(32));
  ir_.CreateBr(load);
  enter(load);
}

void Emitter::readFootprints(const Inst& inst) {
  V view = viewOf(inst.src[0]);
  V texels = directView(inst.src[0], view);
  if (readsSaidLevel(inst)) return setResults({{index_, strand_}}, readLevels(inst, view, texels, nullptr));
  llvm::BasicBlock* more = block("levels");
  V squares = mayMagnify(inst) ? squaredSides(inst, texels) : nullptr;
  if (squares) whereWithinTexels(areWithinTexels(squares), more);
  const FoundFootprints f = findFootprints(inst, texels);
  if (filtersTexels(inst, f)) return readFiltered(inst, view, texels, f, more, squares);
  llvm::BasicBlock* done = block("sampledone");
  llvm::BasicBlock* nearest = nullptr;
  std::vector<V> numbers;
  sampleFootprints(inst, view, texels, f, more, squares, [&](llvm::BasicBlock*) {
    numbers = loadsNearest() ? texelsAt(f.places, formatOf(texels), view, f.read) : callReader(f.places, view, f.read);
    nearest = ir_.GetInsertBlock();
    ir_.CreateBr(done);
  });
  llvm::BasicBlock* sampled = ir_.GetInsertBlock();
  const std::vector<V> filtered = textureResults(isa::dstWords(inst));
  ir_.CreateBr(done);
  enter(done);
  const std::vector<V> results = eitherOf(numbers, nearest, filtered, sampled);
  for (uint32_t w = 0; w < results.size(); ++w) setWord(inst, w, results[w]);
}

/// The same of depth: how much of a footprint passes.
void Emitter::compareFootprints(const Inst& inst) {
  V view = viewOf(inst.src[0]);
  V texels = directView(inst.src[0], view);
  const FoundFootprints f = findFootprints(inst, texels);
  llvm::BasicBlock* known = block("onelevel");
  llvm::BasicBlock* more = block("levels");
  llvm::BasicBlock* found = block("footprints");
  llvm::BasicBlock* call = block("samplecall");
  llvm::BasicBlock* load = block("sampled");
  llvm::BasicBlock* done = block("sampledone");
  ir_.CreateCondBr(f.known, known, more);
  enter(known);
  const WeighedFootprints weighed = weighFootprints(f);
  ir_.CreateCondBr(weighed.inside, found, more, likely());
  enter(found);
  putFootprints(weighed);
  words(argumentBlock_, kArgumentWords), words(resultBlock_, kResultWords);
  ir_.CreateAlignedStore(splat(word(inst.src[1], TexInst::unpack(inst.imm).argDref())), argumentBlock_,
                         llvm::Align(32));
  llvm::Type* ptr = ir_.getPtrTy();
  ir_.CreateCall(llvm::FunctionType::get(ir_.getVoidTy(), {ptr, ptr, ptr, ptr, ptr}, false), f.read,
                 {view, samplerOf(inst.src[2]), footprints_, argumentBlock_, resultBlock_});
  V passed = textureResult(0);
  ir_.CreateBr(done);
  enter(more);
  sampleLevels(inst, view, texels, call, load);
  const std::vector<V> loaded = textureResults(isa::dstWords(inst));
  ir_.CreateBr(done);
  enter(done);
  V zero = splat(ir_.getInt32(0)), one = splat(ir_.getInt32(0x3F800000));  // what components that depth lacks are
  const std::vector<V> results = eitherOf({passed, zero, zero, one}, found, loaded, load);
  for (uint32_t w = 0; w < results.size(); ++w) setWord(inst, w, results[w]);
}

}  // namespace etzel::native
