// Samples of compressed multisampled images. Most pixels show one colour in all their samples, and a tile's state says
// so: its colour is loaded here then, for all fetches of the pixel's samples (analysis/sample_groups.h). The code among
// these is there twice, so that what is computed of each sample is computed once where all are the same. Where some
// pixel has several colours, or the pixels do not lie side by side, the view's routine reads all samples at once.
// Everything else is the texture unit's.
#include <algorithm>
#include <cstddef>

#include "compiler/exec/native/analysis/copies.h"
#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectView;
using abi::SampleTiles;
using abi::TexInst;
using isa::Inst;

namespace {
constexpr size_t tiles(size_t member) { return offsetof(DirectView, tiles) + member; }
constexpr uint32_t kLogTile = SampleTiles::kLogTile;
}  // namespace

/// How the pixels of the lanes lie to each other where they lie in one tile: two quads, or a row.
bool Emitter::inQuads() const { return program_.info.stage == abi::Stage::Fragment; }

/// Of the lanes, the pixels right of and below the first one.
std::array<llvm::Constant*, 2> Emitter::pixelsOfLanes() {
  uint32_t across[kWarpLanes], down[kWarpLanes];
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    across[i] = inQuads() ? i % 2 + i / 4 * 2 : i;
    down[i] = inQuads() ? i / 2 % 2 : 0;
  }
  return {llvm::ConstantDataVector::get(context_, llvm::ArrayRef<uint32_t>(across)),
          llvm::ConstantDataVector::get(context_, llvm::ArrayRef<uint32_t>(down))};
}

/// The pixels of a fetch. They lie in one tile wherever `together` says that they lie side by side.
Emitter::TilePlace Emitter::tilePlace(const Inst& inst) {
  const std::array<llvm::Constant*, 2> steps = pixelsOfLanes();
  TilePlace p;
  V apart = nullptr;
  for (uint32_t d = 0; d < 2; ++d) {
    V at = splat(word(inst.src[1], d));
    p.first[d] = ir_.CreateExtractElement(at, uint64_t(0));
    V off = ir_.CreateXor(ir_.CreateSub(at, splat(p.first[d])), steps[d]);
    apart = d ? ir_.CreateOr(apart, off) : off;
  }
  V differs = ir_.CreateICmpNE(apart, llvm::Constant::getNullValue(words8()));
  V low = ir_.CreateAnd(p.first[0], ir_.getInt32(inQuads() ? 3 : 7));
  if (inQuads()) low = ir_.CreateOr(low, ir_.CreateAnd(p.first[1], ir_.getInt32(1)));
  p.together = ir_.CreateAnd(ir_.CreateICmpEQ(ir_.CreateBitCast(differs, ir_.getInt8Ty()), ir_.getInt8(0)),
                             ir_.CreateICmpEQ(low, ir_.getInt32(0)));
  return p;
}

/// The tiles of an image, if there are any.
void Emitter::findTiles(SampledImage& image, isa::Operand handle) {
  image.view = viewOf(handle);
  image.direct = orZeros(image.view);
  image.states = field(image.direct, tiles(offsetof(SampleTiles, states)), ir_.getPtrTy());
  image.exists = ir_.CreateIsNotNull(image.states);
}

/// An image that is fetched from. `samples`: i32s by lane or one for all.
Emitter::SampledImage Emitter::sampledImage(const Inst& inst, const TilePlace& place, V samples) {
  llvm::Type* i32 = ir_.getInt32Ty();
  SampledImage image;
  findTiles(image, inst.src[0]);
  V count = field(image.direct, tiles(offsetof(SampleTiles, samples)), i32);
  V exist = ir_.CreateICmpULT(samples, isVector(samples) ? splat(count) : count);
  if (isVector(samples))
    exist = ir_.CreateICmpEQ(ir_.CreateBitCast(exist, ir_.getInt8Ty()), ir_.getInt8(static_cast<uint8_t>(kAllLanes)));
  image.exists = ir_.CreateAnd(image.exists, exist);
  image.known = ir_.CreateAnd(place.together, image.exists);
  constexpr size_t kSizes[2] = {offsetof(DirectView, width), offsetof(DirectView, height)};
  const uint32_t last[2] = {inQuads() ? 3u : 7u, inQuads() ? 1u : 0u};
  for (uint32_t d = 0; d < 2; ++d) {
    V end = ir_.CreateAdd(place.first[d], ir_.getInt32(last[d]));
    image.known = ir_.CreateAnd(image.known, ir_.CreateICmpULT(end, field(image.direct, kSizes[d], i32)));
  }
  return image;
}

/// Reads the tile's state. \returns i1: whether some pixel may show several colours. \pre the image is known
llvm::Value* Emitter::lookAtTile(SampledImage& image, const TilePlace& place) {
  llvm::Type *i8 = ir_.getInt8Ty(), *i32 = ir_.getInt32Ty(), *i64 = ir_.getInt64Ty(), *ptr = ir_.getPtrTy();
  V tilesX = field(image.direct, tiles(offsetof(SampleTiles, tilesX)), i32);
  V tile = ir_.CreateAdd(ir_.CreateMul(ir_.CreateLShr(place.first[1], kLogTile), tilesX),
                         ir_.CreateLShr(place.first[0], kLogTile));
  tile = ir_.CreateZExt(tile, i64);
  image.state = ir_.CreateZExt(ir_.CreateLoad(i8, ir_.CreateGEP(i8, image.states, tile)), i32);
  V edges = field(image.direct, tiles(offsetof(SampleTiles, edges)), ptr);
  edges = ir_.CreateLoad(i64, ir_.CreateGEP(i64, edges, tile));
  // msaa::pixelIndex() of the first one, and the pixels from there on.
  const auto bits = [&](uint32_t d, uint32_t mask, uint32_t left) {
    return ir_.CreateShl(ir_.CreateAnd(place.first[d], ir_.getInt32(mask)), left);
  };
  V first = ir_.CreateOr(bits(1, 6, 3), inQuads() ? bits(0, 4, 1) : bits(1, 1, 1));
  edges = ir_.CreateAnd(ir_.CreateLShr(edges, ir_.CreateZExt(first, i64)), ir_.getInt64(inQuads() ? 0xFF : 0x3333));
  V kind = ir_.CreateAnd(image.state, ir_.getInt32(3));
  image.clear = ir_.CreateICmpEQ(kind, ir_.getInt32(SampleTiles::kClear));
  V several = ir_.CreateAnd(ir_.CreateICmpEQ(kind, ir_.getInt32(SampleTiles::kGeneral)), nonzero(edges));
  return ir_.CreateOr(several, ir_.CreateICmpEQ(kind, ir_.getInt32(SampleTiles::kExpanded)));
}

/// What all samples of the pixels show. \pre no pixel shows several colours
std::vector<llvm::Value*> Emitter::onlyColors(const SampledImage& image, const TilePlace& place) {
  llvm::Type *i8 = ir_.getInt8Ty(), *i32 = ir_.getInt32Ty(), *i64 = ir_.getInt64Ty(), *ptr = ir_.getPtrTy();
  TexelPlaces p;
  p.texels = field(image.direct, offsetof(DirectView, texels), ptr);
  p.pitch = field(image.direct, offsetof(DirectView, rowPitch), i32);
  p.logBytes = field(image.direct, offsetof(DirectView::Kind, logBytes), i32);
  V first = ir_.CreateAdd(ir_.CreateMul(place.first[1], p.pitch), ir_.CreateShl(place.first[0], p.logBytes));
  V colors = field(image.direct, tiles(offsetof(SampleTiles, colors)), ptr);
  V color = ir_.CreateMul(ir_.CreateLShr(image.state, 6), ir_.getInt32(SampleTiles::kClearColorBytes));
  color = ir_.CreateGEP(i8, colors, ir_.CreateZExt(color, i64));
  const TexelFormat format = formatOf(image.direct);
  llvm::BasicBlock* here = block("convert");
  llvm::BasicBlock* clear = block("clear");
  llvm::BasicBlock* row = block("fetchpixels");
  llvm::BasicBlock* loaded = block("pixels");
  llvm::BasicBlock* call = block("readpixels");
  llvm::BasicBlock* done = block("shown");
  ir_.CreateCondBr(format.converted, here, call);
  enter(here);
  ir_.CreateCondBr(image.clear, clear, row);
  enter(clear);
  V everywhere = splat(ir_.CreateAlignedLoad(i32, color, llvm::Align(4)));
  ir_.CreateBr(loaded);
  enter(row);
  // Pixels to the right are fetched next, and no pixel above has read either row; loadNeighbours() asks for the lower.
  V ahead = ir_.CreateGEP(i8, p.texels, ir_.CreateSExt(first, i64));
  fetch(ir_.CreateConstGEP1_64(i8, ahead, 64));
  const std::vector<std::pair<V, llvm::BasicBlock*>> ways = loadNeighbours(p, first, loaded);
  enter(loaded);
  llvm::PHINode* texels = ir_.CreatePHI(words8(), 4);
  texels->addIncoming(everywhere, clear);
  for (const auto& [value, from] : ways) texels->addIncoming(value, from);
  const std::vector<V> converted = colorsOf(format, {texels});
  here = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(call);
  const std::array<llvm::Constant*, 2> steps = pixelsOfLanes();
  V offset = ir_.CreateAdd(ir_.CreateShl(steps[0], splat(p.logBytes)), ir_.CreateMul(steps[1], splat(p.pitch)));
  V away = ir_.CreateSub(ir_.CreatePtrToInt(color, i64), ir_.CreatePtrToInt(p.texels, i64));
  p.offset = ir_.CreateSelect(image.clear, splat(ir_.CreateTrunc(away, i32)), ir_.CreateAdd(offset, splat(first)));
  const std::vector<V> called = callReader(p, image.view, field(image.direct, tiles(offsetof(SampleTiles, read)), ptr));
  ir_.CreateBr(done);
  enter(done);
  return eitherOf(converted, here, called, call);
}

/// Whether a fetch of a sample is looked at here. Programs with very many would take long to compile.
bool Emitter::fetchesAlone(const Inst& inst) {
  constexpr auto kMost = 32;
  const auto fetches = [&](const Inst& i) { return native::fetchesSample(webs_, divergence_, i); };
  if (fetches_ < 0) fetches_ = std::count_if(program_.code.begin(), program_.code.end(), fetches);
  return fetches_ <= kMost && fetches(inst);
}

/// Fetches a sample without others.
void Emitter::fetchSample(const Inst& inst) {
  const TilePlace place = tilePlace(inst);
  SampledImage image = sampledImage(inst, place, word(inst.src[1], TexInst::unpack(inst.imm).argSample()));
  llvm::BasicBlock* look = block("tile");
  llvm::BasicBlock* one = block("onecolor");
  llvm::BasicBlock* call = block("fetchcall");
  llvm::BasicBlock* done = block("fetched");
  ir_.CreateCondBr(image.known, look, call);
  enter(look);
  ir_.CreateCondBr(lookAtTile(image, place), call, one);
  enter(one);
  const std::vector<V> found = onlyColors(image, place);
  one = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  elseByCall(inst, found, one, call, done);
}

/// Whether the instructions of the group that begins at index_ may be there twice.
bool Emitter::beginsSamples() const {
  const auto group = sampleGroups_.find(index_);
  if (group == sampleGroups_.end() || strands_.size() > 1 || copy_.group) return false;
  if (!scopes_.empty() && scopes_.back().straight) return false;
  // Words of a wide load are where the first of its loads has left them.
  return std::none_of(wideLoads_.begin(), wideLoads_.end(), [&](const WideLoad& w) {
    return w.loads.front() >= index_ && w.loads.front() < group->second.end && w.loads.back() >= group->second.end;
  });
}

/// One instruction, or several: index_ is the last one's then.
void Emitter::emitNext() {
  if (beginsSamples()) return emitSamples();
  const auto loop = sampleLoops_.find(index_);
  if (loop != sampleLoops_.end() && strands_.size() == 1) beginSampleLoop(loop->second);
  if (skipsSamples()) return emitSkipped();
  emit(program_.code[index_]);
}

/// Memory for all samples of an image.
llvm::Value* Emitter::samplesInMemory(std::vector<llvm::AllocaInst*>& all, uint32_t image) {
  if (all.size() <= image) all.resize(image + 1, nullptr);
  return words(all[image], 4 * SampleTiles::kMaxSamples);
}

/// Has the view's routine read samples of the pixels of the lanes that run. \returns abi::ReadSamples's i32
/// \pre the image exists
llvm::Value* Emitter::callSamples(const SampledImage& image, const isa::Operand (&place)[2], V samples, V result) {
  llvm::Type *i32 = ir_.getInt32Ty(), *ptr = ir_.getPtrTy();
  words(argumentBlock_, kArgumentWords);
  for (uint32_t d = 0; d < 2; ++d) {
    V at = ir_.CreateConstInBoundsGEP1_64(words8(), argumentBlock_, d);
    ir_.CreateAlignedStore(splat(word(place[d])), at, llvm::Align(32));
  }
  return ir_.CreateCall(llvm::FunctionType::get(i32, {ptr, ptr, i32, i32, ptr}, false),
                        field(image.direct, tiles(offsetof(SampleTiles, all)), ptr),
                        {image.view, argumentBlock_, bitsOf(exec()), samples, result});
}

/// `exists`, but not where invocations stand for several samples: the texture unit finds out which are alike.
llvm::Value* Emitter::unlessShared(V exists) {
  if (!program_.info.sharesSamples) return exists;
  V share = field(warp(), offsetof(abi::Warp, sampleShare), ir_.getPtrTy());
  return ir_.CreateAnd(exists, ir_.CreateIsNull(share));
}

/// Reads all samples of an image that a group wants.
Emitter::ReadSamples Emitter::readSamples(const SampleGroup& group, uint32_t image, const SampledImage& from) {
  llvm::Type* i32 = ir_.getInt32Ty();
  Inst inst = program_.code[group.images[image]];
  inst.src[1] = program_.code[group.fetches[0].at].src[1];  // its own copy of the place may not have been made yet
  V shown = samplesInMemory(sampleBlocks_, image);
  const uint32_t samples = group.samplesOf(image);
  llvm::BasicBlock* all = block("allsamples");
  llvm::BasicBlock* start = block("eachsample");
  llvm::BasicBlock* each = block("sample");
  llvm::BasicBlock* done = block("samples");
  ir_.CreateCondBr(unlessShared(from.exists), all, start);
  enter(all);
  V lie = ir_.CreateSelect(from.known, ir_.getInt32(inQuads() ? abi::kLieInQuads : abi::kLieInRow), ir_.getInt32(0));
  V wanted = ir_.CreateOr(lie, ir_.getInt32(samples));
  V alike = callSamples(from, {inst.src[1], wordOf(inst.src[1], 1)}, wanted, shown);
  ir_.CreateBr(done);
  enter(start);
  ir_.CreateBr(each);
  enter(each);
  llvm::PHINode* rest = ir_.CreatePHI(i32, 2);
  rest->addIncoming(ir_.getInt32(samples), start);
  V sample = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, ir_.getInt1(true));
  callTexture(inst, sample, ir_.CreateGEP(words8(), shown, ir_.CreateShl(sample, 2)));
  V next = ir_.CreateAnd(rest, ir_.CreateSub(rest, ir_.getInt32(1)));
  each = ir_.GetInsertBlock();
  rest->addIncoming(next, each);
  ir_.CreateCondBr(nonzero(next), rest->getParent(), done);
  enter(done);
  llvm::PHINode* same = ir_.CreatePHI(i32, 2);
  same->addIncoming(alike, all);
  same->addIncoming(ir_.getInt32(0), each);
  return {shown, same};
}

/// The group that begins at index_, which is its last instruction then.
void Emitter::emitSamples() {
  const uint32_t begin = index_;
  const SampleGroup& group = sampleGroups_.at(begin);
  const TilePlace place = tilePlace(program_.code[begin]);
  std::vector<SampledImage> images;
  V known = ir_.getTrue();
  for (uint32_t i = 0; i < group.images.size(); ++i) {
    const auto most = static_cast<uint32_t>(std::bit_width(group.samplesOf(i))) - 1;
    images.push_back(sampledImage(program_.code[group.images[i]], place, ir_.getInt32(most)));
    known = ir_.CreateAnd(known, images[i].known);
  }
  llvm::BasicBlock* look = block("tiles");
  llvm::BasicBlock* color = block("color");
  llvm::BasicBlock* read = block("read");
  llvm::BasicBlock* alike = block("alike");
  llvm::BasicBlock* one = block("onecolor");
  llvm::BasicBlock* some = block("somecolors");
  llvm::BasicBlock* done = block("resolved");
  ir_.CreateCondBr(known, look, read);
  enter(look);
  V several = ir_.getFalse();
  for (SampledImage& image : images) several = ir_.CreateOr(several, lookAtTile(image, place));
  ir_.CreateCondBr(several, read, color);
  enter(color);
  std::vector<std::vector<V>> shown;
  shown.reserve(images.size());
  for (const SampledImage& image : images) shown.push_back(onlyColors(image, place));
  color = ir_.GetInsertBlock();
  ir_.CreateBr(one);
  enter(read);
  std::vector<V> memory;
  V differ = ir_.getInt32(0);
  for (uint32_t i = 0; i < images.size(); ++i) {
    const ReadSamples samples = readSamples(group, i, images[i]);
    memory.push_back(samples.at);
    const uint32_t wanted = group.samplesOf(i), later = wanted & (wanted - 1);
    differ = ir_.CreateOr(differ, ir_.CreateXor(samples.same, ir_.getInt32(later)));
  }
  ir_.CreateCondBr(nonzero(differ), some, alike);
  enter(alike);
  std::vector<std::vector<V>> colors;
  for (uint32_t i = 0; i < images.size(); ++i)
    colors.push_back(colorsInMemory(memory[i], ir_.getInt32(std::countr_zero(group.samplesOf(i)))));
  ir_.CreateBr(one);
  enter(one);
  for (uint32_t i = 0; i < images.size(); ++i) shown[i] = eitherOf(shown[i], color, colors[i], alike);
  const std::vector<bool> early = early_;
  copy_.group = &group;
  for (llvm::BasicBlock* way : {one, some}) {
    enter(way);
    early_ = early;
    copy_.shown.clear(), copy_.memory.clear();
    way == one ? copy_.shown.swap(shown) : copy_.memory.swap(memory);
    for (index_ = begin; index_ < group.end; ++index_) emit(program_.code[index_]);
    jump(done);
  }
  copy_ = {};
  index_ = group.end - 1;
  enter(done);
}

/// The words of a sample (i32) of readSamples() or of a loop's.
std::vector<llvm::Value*> Emitter::colorsInMemory(V memory, V sample) {
  V at = ir_.CreateGEP(words8(), memory, ir_.CreateShl(sample, 2));
  std::vector<V> colors;
  for (uint32_t w = 0; w < 4; ++w)
    colors.push_back(ir_.CreateAlignedLoad(words8(), ir_.CreateConstInBoundsGEP1_64(words8(), at, w), llvm::Align(32)));
  return colors;
}

/// What a fetch of the group that is emitted gives. \returns false where the instruction is none
bool Emitter::fetchOfGroup(const Inst& inst) {
  if (!copy_.group) return false;
  const auto& fetches = copy_.group->fetches;
  const auto f = std::find_if(fetches.begin(), fetches.end(), [&](const auto& fetch) { return fetch.at == index_; });
  if (f == fetches.end()) return false;
  const std::vector<V> colors =
      copy_.shown.empty() ? colorsInMemory(copy_.memory[f->image], ir_.getInt32(f->sample)) : copy_.shown[f->image];
  for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) setWord(inst, w, colors[w]);
  return true;
}

}  // namespace etzel::native
