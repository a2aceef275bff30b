// Gathers of plain 2D images of up to four bytes a texel, in code for what is bound: the texels of a footprint that lie
// side by side are loaded together. What lies elsewhere than inside of the image is the view's (abi::SampleLevels), and
// so are other images. The arithmetic is that of runtime/tex/lanes/square.h.
#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using abi::DirectSampler;
using abi::DirectView;
using abi::TexInst;
using isa::Inst;

/// Whether an instruction is such a gather.
bool Emitter::gathersTexels(const Inst& inst) const {
  if (isa::opInfo(inst).native != isa::Native::Texture) return false;
  const TexInst tex = TexInst::unpack(inst.imm);
  if (tex.kind != abi::TexKind::Gather || tex.dim != abi::TexDim::D2 || tex.rule != abi::DimRule::Given ||
      tex.type != abi::TexType::Float || tex.arrayed || tex.sparse || tex.dref || tex.offsets4 || tex.minLod ||
      !isUniform(inst.src[0]) || !isUniform(inst.src[2]))
    return false;
  const std::optional<KnownSample> known = whatIsBound(inst);
  if (!known || known->view.logBytes > 2 || !(known->view.has & DirectView::kRead)) return false;
  const bool converted =
      known->view.format == DirectView::Format::Codes || known->view.format == DirectView::Format::Word;
  // Neither Y'CbCr nor anything else that is not plain; which texels they are depends on no filter.
  const bool plain =
      known->sampler.filter != DirectSampler::Filter::Other || known->sampler.first != DirectSampler::Filter::Other;
  return converted && plain;
}

/// The left and the right texels of a row of footprints.
std::array<llvm::Value*, 2> Emitter::loadPairs(const TexelPlaces& places, uint32_t logBytes, uint32_t row) {
  llvm::Type* i64 = ir_.getInt64Ty();
  V base = places.texels;
  if (row) base = ir_.CreateGEP(ir_.getInt8Ty(), base, ir_.CreateSExt(places.pitch, i64));
  if (logBytes < 2) return loadSmallPairs(places, base, logBytes);
  // Those of lanes 0, 1, 4, 5 and of lanes 2, 3, 6, 7: what shuffles halves of registers takes apart.
  V pairs[2] = {llvm::PoisonValue::get(llvm::FixedVectorType::get(i64, 4)), nullptr};
  pairs[1] = pairs[0];
  for (uint64_t i = 0; i < kWarpLanes; ++i) {
    V p = ir_.CreateGEP(ir_.getInt8Ty(), base, ir_.CreateZExt(ir_.CreateExtractElement(places.offset, i), i64));
    V& half = pairs[i / 2 % 2];
    half = ir_.CreateInsertElement(half, ir_.CreateAlignedLoad(i64, p, llvm::Align(4)), i / 4 * 2 + i % 2);
  }
  for (V& half : pairs) half = ir_.CreateBitCast(half, words8());
  const int left[8] = {0, 2, 8, 10, 4, 6, 12, 14}, right[8] = {1, 3, 9, 11, 5, 7, 13, 15};
  return {ir_.CreateShuffleVector(pairs[0], pairs[1], left), ir_.CreateShuffleVector(pairs[0], pairs[1], right)};
}

/// The same of texels of one or two bytes in a row at `base`.
std::array<llvm::Value*, 2> Emitter::loadSmallPairs(const TexelPlaces& places, V base, uint32_t logBytes) {
  const uint32_t bits = 8u << logBytes;
  llvm::Type* pair = ir_.getIntNTy(2 * bits);
  V pairs = llvm::PoisonValue::get(lanes(pair));
  for (uint64_t i = 0; i < kWarpLanes; ++i) {
    V offset = ir_.CreateZExt(ir_.CreateExtractElement(places.offset, i), ir_.getInt64Ty());
    V p = ir_.CreateGEP(ir_.getInt8Ty(), base, offset);
    pairs = ir_.CreateInsertElement(pairs, ir_.CreateAlignedLoad(pair, p, llvm::Align(1)), i);
  }
  pairs = ir_.CreateZExt(pairs, words8());
  return {ir_.CreateAnd(pairs, splat(ir_.getInt32((1u << bits) - 1))), ir_.CreateLShr(pairs, bits)};
}

/// Runs a gather, or those of two strands, the second one where `second`, i1, says so: all are found before the first
/// texel is loaded.
void Emitter::gatherTexels(llvm::ArrayRef<SampleOfStrand> gathers, V second) {
  const Inst& inst = begin(gathers[0]);
  const uint32_t words = isa::dstWords(inst);
  V view = viewOf(inst.src[0]);
  V texels = directView(inst.src[0], view), sampler = directSampler(inst.src[2]);
  std::vector<FoundFootprints> found(gathers.size());
  V inside = ir_.getTrue();
  for (uint32_t i = 0; i < gathers.size(); ++i) {
    findPlaces(begin(gathers[i]), texels, sampler, ir_.getTrue(), found[i]);
    inside = ir_.CreateAnd(inside, found[i].inside);
  }
  llvm::BasicBlock *here = block("gather"), *ask = block("gatherlevels"), *done = block("gathered");
  ir_.CreateCondBr(inside, here, ask, likely());
  enter(here);
  const Component component = formatOf(texels).component[TexInst::unpack(inst.imm).component];
  const bool areCodes = whatIsBound(inst)->view.format == DirectView::Format::Codes;
  const uint32_t logBytes = whatIsBound(inst)->view.logBytes;
  std::vector<V> loaded;
  for (const FoundFootprints& f : found) {
    const std::array<V, 2> upper = loadPairs(f.places, logBytes, 0), lower = loadPairs(f.places, logBytes, 1);
    const V inOrder[4] = {lower[0], lower[1], upper[1], upper[0]};
    for (V t : llvm::ArrayRef(inOrder, words))
      loaded.push_back(areCodes ? numberOf(component, t) : maskedWord(component, t));
  }
  here = ir_.GetInsertBlock();  // sums that are rounded once may be several
  ir_.CreateBr(done);
  enter(ask);
  const auto asked = [&](uint32_t i) {
    sampleLevels(begin(gathers[i]), view, texels, block("samplecall"), block("sampled"));
    return textureResults(words);
  };
  const std::vector<V> others = second ? readApart(second, asked) : asked(0);
  ask = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(done);
  setResults(gathers, eitherOf(loaded, here, others, ask));
}

}  // namespace etzel::native
