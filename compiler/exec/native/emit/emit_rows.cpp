// Loads of lanes of which it is known how they lie: a few vectors as long as the host's registers have all of them, and
// shuffles bring each element of each lane to its place.
#include <algorithm>
#include <map>

#include "compiler/exec/native/emit/emitter.h"
#include "compiler/exec/native/emit/transpose.h"

namespace etzel::native {

using isa::Inst;

namespace {

constexpr uint32_t kWordBytes = 4, kLineBytes = 64, kFour = 4;

/// Vectors that have the words of all lanes.
struct Cover {
  uint32_t words = 4;            ///< of a vector
  std::vector<uint32_t> begins;  ///< bytes behind lane 0's first one
  struct Place {
    uint32_t vector, word;
  };
  std::array<Place, kWarpLanes> lanes;  ///< where each lane's first word is
};

/// Nothing where a vector would reach beyond all lanes, or lanes would not begin with one of its words.
std::optional<Cover> coverOf(const Shape& shape, uint32_t bytesOfLane, uint32_t bytesOfRegister) {
  std::array<uint32_t, kWarpLanes> order;
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return shape.apart[a] < shape.apart[b]; });
  Cover c;
  uint32_t most = c.words * kWordBytes;
  for (uint32_t lane : order) {
    const uint32_t at = shape.apart[lane];
    const auto fits = [&](uint32_t begin) {
      return (at - begin) % kWordBytes == 0 && at + bytesOfLane - begin <= bytesOfRegister;
    };
    if (c.begins.empty() || !fits(c.begins.back())) c.begins.push_back(at);
    c.lanes[lane].vector = static_cast<uint32_t>(c.begins.size()) - 1;
    most = std::max(most, at + bytesOfLane - c.begins.back());
  }
  c.words = std::bit_ceil(most) / kWordBytes;
  const uint32_t bytes = c.words * kWordBytes, end = shape.farthest() + bytesOfLane;
  if (bytes > bytesOfRegister) return {};
  for (uint32_t& begin : c.begins) {
    if (begin + bytes <= end) continue;
    const uint32_t back = divideUp(begin + bytes - end, kWordBytes) * kWordBytes;
    if (back > begin) return {};
    begin -= back;
  }
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    c.lanes[i].word = (shape.apart[i] - c.begins[c.lanes[i].vector]) / kWordBytes;
  return c;
}

}  // namespace

/// Whether the program writes nothing of what a load reads from, or nothing before the next barrier. Vectors that reach
/// over several lanes would wait for stores to any of their words to be done.
bool Emitter::readsOnly(uint32_t at) const {
  const Inst& load = program_.code[at];
  if (static_cast<isa::Space>(load.sub) == isa::Space::Shared) return quiet_[at];
  const std::optional<uint32_t> handle = constantHandle(load.src[0]);
  return static_cast<isa::Space>(load.sub) == isa::Space::Buffer && handle && !uses_.writesAnywhere &&
         !uses_.written.count(*handle);
}

/// Whether nobody reads what a load gives but as floats of 16 bits.
bool Emitter::givesHalves(const Inst& load) const {
  if (isa::typeBytes(load.type) != 2 || load.dst.bank != isa::Bank::Temp) return false;
  for (uint32_t w = 0; w < load.count; ++w)
    if (uses_.otherThanHalf[webs_.webOf(load.dst, w)]) return false;
  return true;
}

/// Asks for memory that later rounds will read: processors that follow a stream themselves end at a page, or wait until
/// they have seen it for a while.
void Emitter::fetchAhead(V p, uint32_t bytes) {
  constexpr uint32_t kAhead = 16384;
  fetch(ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), p, kAhead), bytes);
}

/// Asks for the lines of some bytes. `cache`: 3 the first one, 2 the second one.
void Emitter::fetch(V p, uint32_t bytes, uint32_t cache) {
  for (uint32_t at = 0; at < bytes; at += kLineBytes) {
    V line = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), p, at);
    ir_.CreateIntrinsic(llvm::Intrinsic::prefetch, {ir_.getPtrTy()},
                        {line, ir_.getInt32(0), ir_.getInt32(cache), ir_.getInt32(1)});
  }
}

/// Asks for what a load that begins at `p`, with lanes that lie as `lie` says, reads in the next round of its loop.
void Emitter::fetchNextRound(V p, const Access& a, const Shape& lie) {
  const auto next = nextRounds_.find(index_);
  // Lines of which rows are a part would be asked for by each of these.
  if (next == nextRounds_.end() || (a.turned && a.total < kLineBytes)) return;
  V growth = ir_.CreateSExt(growthOf(a.offset, next->second), ir_.getInt64Ty());
  V later = ir_.CreateGEP(ir_.getInt8Ty(), p, growth);
  if (!a.turned) return fetch(later, lie.farthest() + a.total);
  // Rows that lie a power of two apart share too few places of the first cache.
  for (const uint32_t row : lie.apart)
    fetch(ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), later, row), kLineBytes, /*cache=*/2);
}

/// Whether what a warp of a crowd loads most likely lies in the line that the warp before it has asked for.
bool Emitter::isNeighbour(uint32_t bytes) const { return isCrowd() && strand_ % 2 && 2 * bytes <= kLineBytes; }

/// How much more lane 0 of an operand is in the next round (analysis/next_rounds.h). Null: nothing.
llvm::Value* Emitter::growthOf(isa::Operand o, const NextRound& next) {
  if (o.bank == isa::Bank::Temp && webs_.webOf(o) == next.counter) {
    V all = valueBefore(next.steps[0]);
    for (size_t s = 1; s < next.steps.size(); ++s) all = ir_.CreateAdd(all, valueBefore(next.steps[s]));
    return all;
  }
  const std::optional<uint32_t> at = madeInRound(webs_, bounds_, next, o);
  if (!at || program_.code[*at].op == isa::Opcode::Ld) return nullptr;
  const Inst& inst = program_.code[*at];
  V a = growthOf(inst.src[0], next), b = inst.src[1].present() ? growthOf(inst.src[1], next) : nullptr;
  if (!a && !b) return nullptr;
  switch (inst.op) {
    case isa::Opcode::IAdd: return a && b ? ir_.CreateAdd(a, b) : a ? a : b;
    case isa::Opcode::ISub: return b ? ir_.CreateSub(a ? a : ir_.getInt32(0), b) : a;
    case isa::Opcode::Shl: return ir_.CreateShl(a, ir_.CreateAnd(valueBefore(inst.src[1]), ir_.getInt32(31)));
    default: return ir_.CreateMul(a ? a : b, valueBefore(inst.src[a ? 1 : 0]));  // IMul
  }
}

/// The `bits` from each multiple of them on, of what holds several.
std::vector<llvm::Value*> Emitter::partsOf(const std::vector<V>& holders, uint32_t bitsOfHolder, uint32_t bits) {
  std::vector<V> parts;
  for (V v : holders)
    for (uint32_t at = 0; at < bitsOfHolder; at += bits)
      parts.push_back(ir_.CreateAnd(ir_.CreateLShr(v, splat(ir_.getInt32(at))), splat(ir_.getInt32((1u << bits) - 1))));
  return parts;
}

/// The words of 8 lanes with the elements of `a` each, one after the other, that lie as `shape` says from `p` on.
std::vector<llvm::Value*> Emitter::loadRows(V p, const Access& a, const Shape& shape) {
  llvm::Type* element = a.element;
  const uint32_t n = a.count * a.words;
  const uint32_t bits = element->getPrimitiveSizeInBits(), bytes = n * bits / 8;
  const auto at = [&](uint32_t byte, llvm::Type* type) -> V {
    return ir_.CreateAlignedLoad(type, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), p, byte), llvm::Align(1));
  };
  if (a.turned) {
    std::vector<V> rows;
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) rows.push_back(at(shape.apart[lane], lanes(element)));
    return rows;
  }
  if (n == 1 && shape.stride() == bytes) {
    V row = at(0, lanes(element));
    return {bits == 32 ? row : ir_.CreateZExt(row, words8())};
  }
  if (a.readOnly && n == 2 * kFour && bits == 32 && shape.stride() == bytes && host_.registerBytes == kLineBytes)
    return loadEights(p);
  if (a.readOnly && bytes % kWordBytes == 0)
    if (std::vector<V> found = loadCovered(p, bits, n, shape, a.halves); !found.empty()) return found;
  std::map<uint32_t, V> loaded;  // lanes may have the same
  return joinLanes(element, n, [&](uint32_t lane, llvm::Type* type) -> V {
    V& v = loaded[shape.apart[lane]];
    return v ? v : v = at(shape.apart[lane], type);
  });
}

/// The same by few vectors. Empty where these do not do.
std::vector<llvm::Value*> Emitter::loadCovered(V p, uint32_t bits, uint32_t n, const Shape& shape, bool halves) {
  const uint32_t words = n * bits / 32, room = host_.registerBytes / kWordBytes;
  const std::optional<Cover> cover = coverOf(shape, words * kWordBytes, host_.registerBytes);
  if (!cover) return {};
  const auto count = static_cast<uint32_t>(cover->begins.size());
  std::array<Cover::Place, kWarpLanes> places = cover->lanes;
  std::array<uint32_t, kWarpLanes> steps;  // from a lane's word to its next one
  steps.fill(1);
  if (count > 2) {
    // Vectors two by two become one that has nothing else.
    std::array<uint32_t, 2> taken = {};
    for (Cover::Place& place : places)
      if (place.vector < 4) place = {place.vector / 2, taken[place.vector / 2]++};
    if (count > 4 || room < 16 || std::max(taken[0], taken[1]) * words > room) return {};
    for (uint32_t i = 0; i < kWarpLanes; ++i) steps[i] = taken[places[i].vector];
  }
  std::vector<V> vectors;
  auto* type = llvm::FixedVectorType::get(ir_.getInt32Ty(), cover->words);
  for (uint32_t begin : cover->begins)
    vectors.push_back(
        ir_.CreateAlignedLoad(type, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), p, begin), llvm::Align(1)));
  if (vectors.size() % 2) vectors.push_back(llvm::PoisonValue::get(type));
  uint32_t of = cover->words;
  if (count > 2) {
    for (uint32_t pair = 0; pair < 2; ++pair) {
      std::vector<int> mask(room, -1);
      for (uint32_t i = 0; i < kWarpLanes; ++i)
        for (uint32_t w = 0; w < words && places[i].vector == pair; ++w)
          mask[places[i].word + w * steps[i]] =
              static_cast<int>(cover->lanes[i].vector % 2 * of + cover->lanes[i].word + w);
      vectors[pair] = ir_.CreateShuffleVector(vectors[2 * pair], vectors[2 * pair + 1], mask);
    }
    of = room;
  }
  const bool split = bits == 16 && halves && host_.registerBytes == 64;
  const uint32_t each = split ? 2 : 1;  // elements that a word is taken apart into
  for (uint32_t i = 0; i < 2 && split; ++i)
    vectors[i] = ir_.CreateBitCast(vectors[i], llvm::FixedVectorType::get(ir_.getInt16Ty(), of * each));
  std::vector<V> out;
  const auto placeOf = [&](uint32_t lane, uint32_t e) {
    const Cover::Place& at = places[lane];
    return static_cast<int>((at.vector * of + at.word + e / each * steps[lane]) * each + e % each);
  };
  // Two words with each shuffle, where a register holds them.
  const uint32_t together = room >= 2 * kWarpLanes && !split && words % 2 == 0 ? 2 : 1;
  for (uint32_t e = 0; e < words * each; e += together) {
    std::vector<int> mask;
    for (uint32_t i = 0; i < together * kWarpLanes; ++i) mask.push_back(placeOf(i % kWarpLanes, e + i / kWarpLanes));
    V v = ir_.CreateShuffleVector(vectors[0], vectors[1], mask);
    for (int half = 0; half < static_cast<int>(together); ++half) {
      int order[kWarpLanes];
      std::iota(order, order + kWarpLanes, half * static_cast<int>(kWarpLanes));
      V own = together == 2 ? ir_.CreateShuffleVector(v, order) : v;
      out.push_back(split ? ir_.CreateZExt(own, words8()) : own);
    }
  }
  return split || bits == 32 ? out : partsOf(out, 32, bits);
}

/// The same of eight words side by side. Words that are four apart are halves of one register here, which what is done
/// to both alike can take as it is.
std::vector<llvm::Value*> Emitter::loadEights(V p) {
  constexpr uint32_t kRegisters = 4, kWords = 16;  // two lanes in each
  auto* type = llvm::FixedVectorType::get(ir_.getInt32Ty(), kWords);
  V rows[kRegisters];
  for (uint32_t i = 0; i < kRegisters; ++i)
    rows[i] = ir_.CreateAlignedLoad(type, ir_.CreateConstInBoundsGEP1_64(type, p, i), llvm::Align(1));
  std::vector<V> out(2 * kFour);
  for (uint32_t first = 0; first < kFour; first += 2) {
    int order[kWords];  // words `first` and four further of four lanes, then the next ones
    for (uint32_t i = 0; i < kWords; ++i) order[i] = int(first + i / 8 + i / 4 % 2 * kFour + i % 4 * 8);
    V low = ir_.CreateShuffleVector(rows[0], rows[1], order), high = ir_.CreateShuffleVector(rows[2], rows[3], order);
    for (uint32_t k = 0; k < kFour; ++k) {
      int lanes[kWarpLanes];
      for (uint32_t i = 0; i < kWarpLanes; ++i) lanes[i] = int(k * 4 + i % 4 + i / 4 * kWords);
      out[first + k / 2 + k % 2 * kFour] = ir_.CreateShuffleVector(low, high, lanes);
    }
  }
  return out;
}

/// The words of 8 lanes with `n` elements each, which `of` loads for a lane: one number or a vector of `n`.
std::vector<llvm::Value*> Emitter::joinLanes(llvm::Type* element, uint32_t n, const LoadOfLane& of) {
  const auto shuffle = [&](V a, V b, std::initializer_list<int> mask) {
    return ir_.CreateShuffleVector(a, b, llvm::ArrayRef<int>(mask.begin(), mask.size()));
  };
  std::vector<V> out;
  const uint32_t bits = element->getPrimitiveSizeInBits();
  if (n > 1 && bits < 32) {  // numbers that hold several
    const uint32_t holder = std::min(n * bits, 32u);
    return partsOf(joinLanes(ir_.getIntNTy(holder), n * bits / holder, of), holder, bits);
  }
  if (n == 8) {  // halves of 4 words
    std::vector<V> own;
    for (uint32_t i = 0; i < kWarpLanes; ++i) own.push_back(of(i, llvm::FixedVectorType::get(element, n)));
    for (const int at : {0, 4})
      for (V v : joinLanes(element, 4, [&](uint32_t i, llvm::Type*) -> V {
             return shuffle(own[i], own[i], {at, at + 1, at + 2, at + 3});
           }))
        out.push_back(v);
    return out;
  }
  if (n == 1) {
    V all = llvm::PoisonValue::get(lanes(element));
    std::vector<V> found;  // each once
    int order[kWarpLanes];
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      V own = of(i, element);
      const auto at = std::find(found.begin(), found.end(), own);
      order[i] = static_cast<int>(at - found.begin());
      if (at != found.end()) continue;
      all = ir_.CreateInsertElement(all, own, found.size());
      found.push_back(own);
    }
    if (found.size() == 2 && host_.registerBytes > 16) {  // each to all lanes as it is loaded
      llvm::SmallVector<llvm::Constant*, kWarpLanes> second;
      for (const int o : order) second.push_back(ir_.getInt1(o == 1));
      all = ir_.CreateSelect(llvm::ConstantVector::get(second), splat(found[1]), splat(found[0]));
    } else if (found.size() < kWarpLanes) {
      all = ir_.CreateShuffleVector(all, order);
    }
    out.push_back(all);
  } else {
    auto* type = llvm::FixedVectorType::get(element, n);
    std::vector<V> own;
    for (uint32_t i = 0; i < kWarpLanes; ++i) own.push_back(of(i, type));
    if (n == 2) {
      const auto join = [&](uint32_t i) {
        return shuffle(shuffle(own[i], own[i + 1], {0, 1, 2, 3}), shuffle(own[i + 4], own[i + 5], {0, 1, 2, 3}),
                       {0, 1, 2, 3, 4, 5, 6, 7});
      };
      V a = join(0), b = join(2);
      out = {shuffle(a, b, {0, 2, 8, 10, 4, 6, 12, 14}), shuffle(a, b, {1, 3, 9, 11, 5, 7, 13, 15})};
    } else {  // halves of 4 lanes are transposed beside each other
      std::array<V, 4> rows;
      for (uint32_t i = 0; i < 4; ++i) rows[i] = shuffle(own[i], own[i + 4], {0, 1, 2, 3, 4, 5, 6, 7});
      rows = transposedFours(ir_, rows);
      out.assign(rows.begin(), rows.end());
    }
  }
  for (V& v : out)
    if (!element->isIntegerTy(32)) v = ir_.CreateZExt(v, words8());
  return out;
}

}  // namespace etzel::native
