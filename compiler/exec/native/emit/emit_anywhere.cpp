// Loads of lanes that lie in no row, as blocks of packed numbers and rows of matrices have them: out of one window of
// memory where all lanes are near the first, or each lane's elements at once where all are inside.
#include <llvm/IR/MDBuilder.h>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {
namespace {

constexpr uint32_t kMostAnywhere = 64;  // loads of a program that get these ways, which are code
constexpr uint32_t kMostNearby = 512;   // of single words, whose ways are short

}  // namespace

/// The results of `ways` to load, of which the first runs whose condition holds; the last one has none.
std::vector<llvm::Value*> Emitter::firstOf(uint32_t words, const std::vector<Way>& ways) {
  std::vector<llvm::AllocaInst*> results;
  llvm::BasicBlock* done = block("loaded");
  for (const Way& way : ways) {
    llvm::BasicBlock* next = nullptr;
    if (way.condition) {
      llvm::BasicBlock* taken = block("way");
      next = block("other_way");
      llvm::MDNode* weights = way.isLikely ? llvm::MDBuilder(context_).createLikelyBranchWeights() : nullptr;
      ir_.CreateCondBr(way.condition(), taken, next, weights);
      enter(taken);
    }
    const std::vector<V> values = way.load();
    for (uint32_t w = 0; w < words; ++w) {
      if (results.size() == w) results.push_back(slot(values[w]->getType(), "ld"));
      ir_.CreateStore(values[w], results[w]);
    }
    ir_.CreateBr(done);
    if (next) enter(next);
  }
  enter(done);
  std::vector<V> values;
  values.reserve(results.size());
  for (llvm::AllocaInst* result : results) values.push_back(ir_.CreateLoad(result->getAllocatedType(), result));
  return values;
}

std::vector<llvm::Value*> Emitter::loadAnywhere(const Access& a, V now) {
  const uint32_t parts = a.count * a.words;
  if (loadsWordsNearby(host_) && parts == 1 && a.bytes == 4 && !isVector(a.range.base) && shapeOf(a.offset).varying() &&
      a.checked && nearby_ < kMostNearby)
    return {wordsNearby(a, now)};
  const bool packed = a.bytes < 4 && (parts == 1 || parts == 2 || parts == 4 || parts == 8);
  const bool rows = a.bytes == 4 && (parts == 2 || parts == 4 || parts == 8);
  if (!a.checked || (!packed && !rows) || isVector(a.range.base) || !shapeOf(a.offset).varying() ||
      anywhere_ == kMostAnywhere)
    return gatherLanes(a, now);
  ++anywhere_;
  V offset = word(a.offset);
  std::vector<Way> ways;
  if (hasWindow()) {
    V first = ir_.CreateExtractElement(offset, uint64_t(0));
    V apart = ir_.CreateSub(offset, splat(first));
    V start = ir_.CreateAdd(ir_.CreateZExt(first, ir_.getInt64Ty()), constant64(a.imm));
    const auto isNear = [=, this] {
      V near = ir_.CreateICmpULE(apart, splat(ir_.getInt32(kWindowBytes - a.total)));
      V bits = ir_.CreateBitCast(ir_.CreateOr(near, ir_.CreateNot(now)), ir_.getInt8Ty());
      // No offset turns over within a window that ends here.
      V most = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a.range.size, constant64(0xFFFFFFFF));
      V inside = ir_.CreateICmpULE(ir_.CreateAdd(start, constant64(kWindowBytes)), most);
      return ir_.CreateAnd(ir_.CreateICmpEQ(bits, ir_.getInt8(0xFF)), inside);
    };
    ways.push_back({isNear, [=, this] { return loadWindow(a, start, apart); }});
  }
  const auto areInside = [=, this] {
    V end = constant64(uint64_t(a.imm) + a.total);
    V size = a.range.size;
    // No offset turns over that ends here.
    if (a.turns) size = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, size, constant64(0xFFFFFFFF));
    V room = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir_.CreateSub(size, end), constant64(0xFFFFFFFF));
    V inside = ir_.CreateICmpULE(offset, splat(ir_.CreateTrunc(room, ir_.getInt32Ty())));
    V all = ir_.CreateICmpEQ(ir_.CreateBitCast(inside, ir_.getInt8Ty()), ir_.getInt8(0xFF));
    return ir_.CreateAnd(all, ir_.CreateICmpUGE(size, end));
  };
  const auto own = [=, this] {
    return joinLanes(a.element, parts, [&](uint32_t lane, llvm::Type* type) -> V {
      V at = ir_.CreateZExt(ir_.CreateExtractElement(offset, uint64_t(lane)), ir_.getInt64Ty());
      V p = ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, ir_.CreateAdd(at, constant64(a.imm)));
      return ir_.CreateAlignedLoad(type, p, llvm::Align(1));
    });
  };
  ways.push_back({areInside, own});
  ways.push_back({{}, [=, this] { return gatherLanes(a, now); }});
  return firstOf(parts, ways);
}

/// What a gather is where hosts have none that is worth it: lanes outside load what is there for certain, so that no
/// lane's load is behind a branch.
llvm::Value* Emitter::loadEach(llvm::Type* element, V base, const Cells& cells) {
  llvm::Type* type = lanes(element);
  V from = ir_.CreateGEP(ir_.getInt8Ty(), base, cells.index);
  from = ir_.CreateSelect(cells.inside, from, splat(zerosInMemory()));
  V result = llvm::PoisonValue::get(type);
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    V p = ir_.CreateExtractElement(from, uint64_t(lane));
    result = ir_.CreateInsertElement(result, ir_.CreateAlignedLoad(element, p, llvm::Align(1)), uint64_t(lane));
  }
  return result;
}

/// Words of lanes: out of the eight from lane 0's on, as neighbours' are that look at the same things of an image or a
/// table, or each for itself.
llvm::Value* Emitter::wordsNearby(const Access& a, V now) {
  ++nearby_;
  V offset = word(a.offset);
  V first = ir_.CreateExtractElement(offset, uint64_t(0));
  V apart = ir_.CreateSub(offset, splat(first));
  V start = ir_.CreateAdd(ir_.CreateZExt(first, ir_.getInt64Ty()), constant64(a.imm));
  const auto areNear = [=, this] {
    V more = ir_.CreateAnd(apart, splat(ir_.getInt32(~uint32_t{sizeof(LaneWords) - 4})));
    V none = ir_.CreateIsNull(bitsOf(ir_.CreateAnd(nonzero(more), now)));
    // No offset turns over within words that end here.
    V most = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a.range.size, constant64(0xFFFFFFFF));
    V inside = ir_.CreateICmpULE(ir_.CreateAdd(start, constant64(sizeof(LaneWords))), most);
    return ir_.CreateAnd(none, inside);
  };
  const auto nearby = [=, this]() -> std::vector<V> {
    V from = ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, start);
    V words = ir_.CreateAlignedLoad(words8(), from, llvm::Align(1));
    return {wordsOfLanes(ir_, words, ir_.CreateLShr(apart, splat(ir_.getInt32(2))))};
  };
  return firstOf(1, {{areNear, nearby, true}, {{}, [=, this] { return gatherLanes(a, now); }}})[0];
}

/// Elements of lanes that begin `apart` bytes behind `start`, all of them within a window.
std::vector<llvm::Value*> Emitter::loadWindow(const Access& a, V start, V apart) {
  constexpr int kWordBytes = 4;
  int own[kWordBytes * kWarpLanes];  // each lane's distance, which is less than 256, in all bytes of its word
  for (int i = 0; i < kWordBytes * int(kWarpLanes); ++i) own[i] = i / kWordBytes * kWordBytes;
  auto* bytes = llvm::FixedVectorType::get(ir_.getInt8Ty(), kWordBytes * kWarpLanes);
  V first = ir_.CreateShuffleVector(ir_.CreateBitCast(apart, bytes), own);
  V window = ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, start);
  std::vector<V> words;
  for (uint32_t e = 0; e < a.count; ++e) {
    std::vector<uint8_t> step(kWordBytes * kWarpLanes);
    for (uint32_t i = 0; i < step.size(); ++i) step[i] = uint8_t(e * a.bytes + i % kWordBytes);
    V index = ir_.CreateAdd(first, llvm::ConstantDataVector::get(context_, step));
    V word = ir_.CreateBitCast(bytesOfWindow(ir_, window, index), words8());
    if (a.bytes < 4) word = ir_.CreateAnd(word, splat(ir_.getInt32((1u << (8 * a.bytes)) - 1)));
    words.push_back(word);
  }
  return words;
}

}  // namespace etzel::native
