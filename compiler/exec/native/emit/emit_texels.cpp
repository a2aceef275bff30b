// Texels whose places are known: loaded and converted here, for formats of up to four bytes whose numbers are codes or
// sRGB, else by a routine that the view has for its format (abi::ReadTexels). What differs between formats are numbers
// that the code loads once, so that it fits whatever is bound.
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectView;

Emitter::TexelFormat Emitter::formatOf(V direct) {
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::Type* f32 = ir_.getFloatTy();
  V format = field(direct, offsetof(DirectView::Kind, format), i32);
  const auto is = [&](DirectView::Format f) {
    return ir_.CreateICmpEQ(format, ir_.getInt32(static_cast<uint32_t>(f)));
  };
  TexelFormat f;
  f.direct = direct;
  f.srgb = is(DirectView::Format::Srgb), f.word = is(DirectView::Format::Word);
  f.converted = ir_.CreateOr(ir_.CreateOr(is(DirectView::Format::Codes), f.srgb), f.word);
  for (uint32_t c = 0; c < 4; ++c) {
    const size_t at = offsetof(DirectView::Kind, component) + c * sizeof(DirectView::Component);
    f.component[c] = {field(direct, at + offsetof(DirectView::Component, shift), i32),
                      field(direct, at + offsetof(DirectView::Component, mask), i32),
                      field(direct, at + offsetof(DirectView::Component, power), f32),
                      field(direct, at + offsetof(DirectView::Component, rest), f32),
                      field(direct, at + offsetof(DirectView::Component, constant), i32)};
  }
  return f;
}

/// The texels of all lanes as the shader sees them. `read`: the view's routine.
std::vector<llvm::Value*> Emitter::texelsAt(const TexelPlaces& places, const TexelFormat& format, V view, V read) {
  llvm::BasicBlock* here = block("convert");
  llvm::BasicBlock* call = block("readtexels");
  llvm::BasicBlock* done = block("texels");
  ir_.CreateCondBr(format.converted, here, call);
  enter(here);
  const std::vector<V> converted = colorsOf(format, loadTexels(places));
  here = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(call);
  const std::vector<V> called = callReader(places, view, read);
  ir_.CreateBr(done);
  enter(done);
  return eitherOf(converted, here, called, call);
}

/// The same by the view's routine.
std::vector<llvm::Value*> Emitter::callReader(const TexelPlaces& places, V view, V read) {
  readTexels(places, view, read);
  return textureResults(4);
}

/// Leaves them in resultBlock_.
void Emitter::readTexels(const TexelPlaces& places, V view, V read) {
  llvm::Type* ptr = ir_.getPtrTy();
  words(argumentBlock_, kArgumentWords), words(resultBlock_, kResultWords);
  ir_.CreateAlignedStore(places.offset, argumentBlock_, llvm::Align(32));
  V inside = places.inside ? bitsOf(places.inside) : static_cast<V>(ir_.getInt32(kAllLanes));
  ir_.CreateCall(llvm::FunctionType::get(ir_.getVoidTy(), {ptr, ptr, ir_.getInt32Ty(), ptr}, false), read,
                 {view, argumentBlock_, inside, resultBlock_});
}

/// The bits of the texels of all lanes, others above them; 0 outside of the image.
llvm::Value* Emitter::loadTexels(const TexelPlaces& places) {
  // Lanes are neighbours often enough to look first: eight in a row, or in fragment programs, quads side by side.
  V first = ir_.CreateExtractElement(places.offset, uint64_t(0));
  const std::array<llvm::Constant*, 2> away = pixelsOfLanes();
  V expected = ir_.CreateShl(away[0], splat(places.logBytes));
  if (inQuads()) expected = ir_.CreateAdd(expected, ir_.CreateAnd(splat(places.pitch), ir_.CreateNeg(away[1])));
  V differs = ir_.CreateICmpNE(ir_.CreateSub(places.offset, splat(first)), expected);
  V neighbours = ir_.CreateICmpEQ(ir_.CreateBitCast(differs, ir_.getInt8Ty()), ir_.getInt8(0));
  llvm::BasicBlock* apart = block("fetchlanes");
  llvm::BasicBlock* loaded = block("fetched");
  llvm::BasicBlock* together = block("fetchrow");
  ir_.CreateCondBr(neighbours, together, apart);
  enter(together);
  std::vector<std::pair<V, llvm::BasicBlock*>> ways = loadNeighbours(places, first, loaded);
  enter(apart);
  ways.emplace_back(loadApart(places), ir_.GetInsertBlock());
  ir_.CreateBr(loaded);
  enter(loaded);
  llvm::PHINode* texels = ir_.CreatePHI(words8(), 4);
  for (const auto& [value, from] : ways) texels->addIncoming(value, from);
  if (!places.inside) return texels;
  return ir_.CreateSelect(places.inside, texels, llvm::Constant::getNullValue(words8()));
}

/// Neighbours of one, two or four bytes, from the texel at `first` on. All ways end in `loaded`, with the texels from
/// the blocks that are returned with them.
std::vector<std::pair<llvm::Value*, llvm::BasicBlock*>> Emitter::loadNeighbours(const TexelPlaces& places, V first,
                                                                                llvm::BasicBlock* loaded) {
  llvm::BasicBlock* bytes[3] = {block("fetch1"), block("fetch2"), block("fetch4")};
  llvm::SwitchInst* size = ir_.CreateSwitch(places.logBytes, bytes[2], 2);
  for (uint32_t i = 0; i < 2; ++i) size->addCase(ir_.getInt32(i), bytes[i]);
  std::vector<std::pair<V, llvm::BasicBlock*>> ways;
  for (uint32_t i = 0; i < 3; ++i) {
    enter(bytes[i]);
    V texels = loadRow(places, first, 1u << i);
    ways.emplace_back(texels, ir_.GetInsertBlock());
    ir_.CreateBr(loaded);
  }
  return ways;
}

/// Where the first or the second four of neighbours begin: rows of quads, or halves of a row.
llvm::Value* Emitter::rowOfNeighbours(const TexelPlaces& places, V first, uint32_t row, uint32_t bytes) {
  V step = inQuads() ? places.pitch : static_cast<V>(ir_.getInt32(kWarpLanes / 2 * bytes));
  V at = row ? ir_.CreateAdd(first, step) : first;
  return ir_.CreateGEP(ir_.getInt8Ty(), places.texels, ir_.CreateSExt(at, ir_.getInt64Ty()));
}

/// Neighbours, from the texel at `first` on.
llvm::Value* Emitter::loadRow(const TexelPlaces& places, V first, uint32_t bytes) {
  llvm::Type* texel = ir_.getIntNTy(8 * bytes);
  const auto load = [&](V p, uint32_t count) -> V {
    return ir_.CreateAlignedLoad(llvm::FixedVectorType::get(texel, count), p, llvm::Align(bytes));
  };
  V upper = rowOfNeighbours(places, first, 0, bytes);
  if (!inQuads()) return ir_.CreateZExt(load(upper, kWarpLanes), words8());
  V lower = rowOfNeighbours(places, first, 1, bytes);
  V top = load(upper, 4), bottom = load(lower, 4);
  // The lower row is the one that no pixel above has read: what pixels to the right will read of it is fetched ahead.
  constexpr uint64_t kAhead = 64;
  fetch(ir_.CreateConstGEP1_64(ir_.getInt8Ty(), lower, kAhead));
  const int order[8] = {0, 1, 4, 5, 2, 3, 6, 7};
  return ir_.CreateZExt(ir_.CreateShuffleVector(top, bottom, llvm::ArrayRef<int>(order, 8)), words8());
}

/// Lane by lane: the aligned word that has the texel, which lies in the image's memory too.
llvm::Value* Emitter::loadApart(const TexelPlaces& places) {
  const auto* logBytes = llvm::dyn_cast<llvm::ConstantInt>(places.logBytes);
  const bool areWords = logBytes && logBytes->equalsInt(2);
  V aligned = areWords ? places.offset : ir_.CreateAnd(places.offset, splat(ir_.getInt32(~3u)));
  V each = llvm::PoisonValue::get(words8());
  for (uint64_t i = 0; i < kWarpLanes; ++i) {
    // No offset is negative.
    V at = ir_.CreateZExt(ir_.CreateExtractElement(aligned, i), ir_.getInt64Ty());
    V p = ir_.CreateGEP(ir_.getInt8Ty(), places.texels, at);
    each = ir_.CreateInsertElement(each, ir_.CreateAlignedLoad(ir_.getInt32Ty(), p, llvm::Align(4)), i);
  }
  if (areWords) return each;
  V inWord = ir_.CreateShl(ir_.CreateAnd(places.offset, splat(ir_.getInt32(3))), splat(ir_.getInt32(3)));
  return ir_.CreateLShr(each, inWord);
}

/// A component of texels that are words as they are.
llvm::Value* Emitter::maskedWord(const Component& c, V texels) {
  return ir_.CreateOr(ir_.CreateAnd(texels, splat(c.mask)), splat(c.constant));
}

/// A component of all lanes. Fused or not, the sum is the same for all codes; the first product is exact.
llvm::Value* Emitter::numberOf(const Component& c, V texels) {
  V number = codesOf(texels, c.shift, c.mask);
  V sum = fused(ir_, number, splat(c.rest), ir_.CreateFMul(number, splat(c.power)));
  return ir_.CreateOr(ir_.CreateBitCast(sum, words8()), splat(c.constant));
}

std::vector<llvm::Value*> Emitter::colorsOf(const TexelFormat& format, V texels) {
  llvm::BasicBlock* word = block("word");
  llvm::BasicBlock* code = block("code");
  llvm::BasicBlock* srgb = nullptr;
  llvm::BasicBlock* codes = block("codes");
  llvm::BasicBlock* done = block("colors");
  ir_.CreateCondBr(format.word, word, code);
  enter(word);
  std::array<V, 4> words;
  for (uint32_t c = 0; c < 4; ++c) words[c] = maskedWord(format.component[c], texels);
  ir_.CreateBr(done);
  enter(code);
  V last = numberOf(format.component[3], texels);
  std::array<V, 3> linear = {};
  if (format.srgb) {
    srgb = block("srgb");
    ir_.CreateCondBr(format.srgb, srgb, codes);
    enter(srgb);
    linear = linearOf(format, texels);
    srgb = ir_.GetInsertBlock();
    ir_.CreateBr(done);
  } else {
    ir_.CreateBr(codes);
  }
  enter(codes);
  std::array<V, 3> numbers;
  for (uint32_t c = 0; c < 3; ++c) numbers[c] = numberOf(format.component[c], texels);
  codes = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(done);
  std::vector<V> colors;
  for (uint32_t c = 0; c < 4; ++c) {
    llvm::PHINode* either = ir_.CreatePHI(words8(), 3);
    either->addIncoming(words[c], word);
    if (srgb) either->addIncoming(c < 3 ? linear[c] : last, srgb);
    either->addIncoming(c < 3 ? numbers[c] : last, codes);
    colors.push_back(either);
  }
  return colors;
}

std::vector<llvm::Value*> Emitter::colorsOfBoth(const TexelFormat& format, const V (&texels)[2]) {
  llvm::BasicBlock* srgb = block("srgbs");
  llvm::BasicBlock* other = block("others");
  llvm::BasicBlock* done = block("bothcolors");
  ir_.CreateCondBr(format.srgb, srgb, other);
  enter(srgb);
  const std::vector<V> linear = linearOfBoth(format, texels);
  const V alpha[2] = {numberOf(format.component[3], texels[0]), numberOf(format.component[3], texels[1])};
  srgb = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(other);
  TexelFormat linearFormat = format;
  linearFormat.srgb = nullptr;
  std::vector<V> others = colorsOf(linearFormat, texels[0]);
  for (V v : colorsOf(linearFormat, texels[1])) others.push_back(v);
  other = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(done);
  std::vector<V> colors;
  for (uint32_t i = 0; i < 8; ++i) {
    llvm::PHINode* either = ir_.CreatePHI(words8(), 2);
    either->addIncoming(i % 4 < 3 ? linear[i / 4 * 3 + i % 4] : alpha[i / 4], srgb);
    either->addIncoming(others[i], other);
    colors.push_back(either);
  }
  return colors;
}

}  // namespace etzel::native
