// Stores. Lanes in a row store whole vectors, those that lie a known distance apart what each of them has; everything
// else goes through the active lanes one by one in the interpreter's order.
#include <algorithm>

#include "compiler/exec/native/emit/emitter.h"
#include "compiler/exec/native/emit/transpose.h"

namespace etzel::native {

using isa::Inst;

/// What each lane has of `words`, 2, 4 or 8 of them, one after the other.
std::vector<llvm::Value*> Emitter::turned(std::vector<V> words) {
  const auto n = static_cast<uint32_t>(words.size());
  if (n == 2) {
    V low = ir_.CreateShuffleVector(words[0], words[1], {0, 8, 1, 9, 4, 12, 5, 13});
    V high = ir_.CreateShuffleVector(words[0], words[1], {2, 10, 3, 11, 6, 14, 7, 15});
    words = {low, high};
  }
  for (uint32_t w = 0; w + 4 <= n; w += 4) {
    const std::array<V, 4> fours = transposedFours(ir_, {words[w], words[w + 1], words[w + 2], words[w + 3]});
    std::copy(fours.begin(), fours.end(), words.begin() + w);
  }
  std::vector<V> lanes(kWarpLanes);
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const int from = static_cast<int>(i / 4 * 4), at = from + static_cast<int>(i % 2 * 2);
    if (n == 2)
      lanes[i] = ir_.CreateShuffleVector(words[i % 4 / 2], {at, at + 1});
    else if (n == 4)
      lanes[i] = ir_.CreateShuffleVector(words[i % 4], {from, from + 1, from + 2, from + 3});
    else
      lanes[i] =
          ir_.CreateShuffleVector(words[i % 4], words[4 + i % 4],
                                  {from, from + 1, from + 2, from + 3, from + 8, from + 9, from + 10, from + 11});
  }
  return lanes;
}

/// Stores of lanes that are `stride` bytes apart, further than what they have, or that have eight elements. `isTurned`:
/// the words are what the lanes have.
void Emitter::storeApart(V p, llvm::Type* element, const std::vector<V>& words, uint32_t stride, bool isTurned) {
  std::vector<V> rows = words;
  for (V& row : rows) row = ir_.CreateTrunc(row, lanes(element));
  if (rows.size() > 1 && !isTurned) rows = turned(rows);
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    V own = words.size() > 1 ? rows[i] : ir_.CreateExtractElement(rows[0], uint64_t(i));
    ir_.CreateAlignedStore(own, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), p, uint64_t(i) * stride),
                           llvm::Align(1));
  }
}

/// Lanes that have 1, 2 or 4 elements each, side by side: as many vectors, one after the other.
std::vector<llvm::Value*> Emitter::sideBySide(llvm::Type* element, const std::vector<V>& words) {
  const auto n = static_cast<uint32_t>(words.size());
  std::vector<V> values = words, rows;
  for (V& v : values)
    if (!element->isIntegerTy(32)) v = ir_.CreateTrunc(v, lanes(element));
  for (uint32_t r = 0; r < n; ++r) {
    V row = values[0];
    if (n == 2) {
      int mask[8];
      for (int i = 0; i < 8; ++i) mask[i] = static_cast<int>(r * 4) + i / 2 + (i % 2) * 8;
      row = ir_.CreateShuffleVector(values[0], values[1], llvm::ArrayRef<int>(mask, 8));
    } else if (n == 4) {
      int pair[4];
      // Lanes 2r and 2r + 1: (x, x', y, y') and (z, z', w, w').
      const int first = static_cast<int>(r * 2);
      pair[0] = first, pair[1] = first + 8, pair[2] = first + 1, pair[3] = first + 9;
      V low = ir_.CreateShuffleVector(values[0], values[1], llvm::ArrayRef<int>(pair, 4));   // x y x' y'
      V high = ir_.CreateShuffleVector(values[2], values[3], llvm::ArrayRef<int>(pair, 4));  // z w z' w'
      const int order[8] = {0, 1, 4, 5, 2, 3, 6, 7};
      row = ir_.CreateShuffleVector(low, high, llvm::ArrayRef<int>(order, 8));
    }
    rows.push_back(row);
  }
  return rows;
}

/// Stores of such lanes.
void Emitter::storeRows(V p, llvm::Type* element, const std::vector<V>& words) {
  const std::vector<V> rows = sideBySide(element, words);
  for (uint32_t r = 0; r < rows.size(); ++r)
    ir_.CreateAlignedStore(rows[r], ir_.CreateConstInBoundsGEP1_64(lanes(element), p, r), llvm::Align(1));
}

/// How far rows may reach: no offset turns over that ends there.
llvm::Value* Emitter::roomOf(const Access& a) {
  if (!a.turns) return a.range.size;
  return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a.range.size, constant64(0xFFFFFFFF));
}

/// Stores of fragments that have 1, 2 or 4 elements each: where they are found to write two rows of four pixels, as
/// quads that lie side by side do, these; else what `each` does.
void Emitter::storeQuads(const Access& a, V mask, const std::vector<V>& words, const std::function<void()>& each) {
  constexpr int kRow = kWarpLanes / 2, kOrder[kWarpLanes] = {0, 1, 4, 5, 2, 3, 6, 7};
  constexpr int kFirsts[kWarpLanes] = {0, 0, 0, 0, kRow, kRow, kRow, kRow};
  const auto inOrder = [&](V v) { return ir_.CreateShuffleVector(v, kOrder); };
  V offset = inOrder(splat(word(a.offset)));
  uint32_t places[kWarpLanes];
  for (uint32_t i = 0; i < kWarpLanes; ++i) places[i] = i % kRow * a.total;
  V fromFirst = ir_.CreateSub(offset, ir_.CreateShuffleVector(offset, kFirsts));
  V areRows = ir_.CreateICmpEQ(fromFirst, llvm::ConstantDataVector::get(context_, llvm::ArrayRef<uint32_t>(places)));
  V good = ir_.CreateICmpEQ(bitsOf(ir_.CreateAnd(areRows, nonzero(mask))), ir_.getInt32(kAllLanes));
  // Where rows overlap the order of lanes counts.
  const uint32_t bytes = kRow * a.total;
  V first[2], p[2];
  for (uint64_t r = 0; r < 2; ++r) first[r] = ir_.CreateExtractElement(offset, r * kRow);
  V room = roomOf(a);
  V between = ir_.CreateSub(ir_.CreateSub(first[1], first[0]), ir_.getInt32(bytes));
  good = ir_.CreateAnd(good, ir_.CreateICmpULE(between, ir_.getInt32(-2 * bytes)));
  for (uint32_t r = 0; r < 2; ++r) {
    V start = ir_.CreateAdd(ir_.CreateZExt(first[r], ir_.getInt64Ty()), constant64(a.imm));
    V end = ir_.CreateAdd(start, constant64(bytes));
    good = ir_.CreateAnd(good, ir_.CreateICmpULE(end, room));
    p[r] = ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, start);
  }
  llvm::BasicBlock *rows = block("quadrows"), *other = block("scatter"), *done = block("stored");
  ir_.CreateCondBr(good, rows, other);
  enter(rows);
  std::vector<V> values;
  for (V v : words) values.push_back(inOrder(v));
  std::vector<V> all = sideBySide(a.element, values);
  if (all.size() == 1)
    all = {ir_.CreateShuffleVector(all[0], {0, 1, 2, 3}), ir_.CreateShuffleVector(all[0], {4, 5, 6, 7})};
  const auto ofRow = static_cast<uint32_t>(all.size()) / 2;
  for (uint32_t i = 0; i < all.size(); ++i)
    ir_.CreateAlignedStore(all[i], ir_.CreateConstInBoundsGEP1_64(all[i]->getType(), p[i / ofRow], i % ofRow),
                           llvm::Align(1));
  ir_.CreateBr(done);
  enter(other);
  each();
  ir_.CreateBr(done);
  enter(done);
}

/// Whether the store is part of a wide one, which is done with the last of its words.
bool Emitter::wideStore(const Inst& inst, Access a) {
  const auto found = wideStored_.find(index_);
  if (found == wideStored_.end()) return false;
  const WideStore& wide = wideStores_[found->second];
  const uint32_t at = index_;
  if (at != wide.stores.back()) return true;
  std::vector<V> values;
  for (const uint32_t i : wide.stores) values.push_back(splat(word(program_.code[i].src[2])));
  const Inst& first = program_.code[wide.stores[0]];
  a.offset = first.src[1], a.imm = first.imm, a.turns = wide.turns;
  a.count = static_cast<uint32_t>(values.size()), a.total = a.count * a.bytes;
  index_ = wide.stores[0];
  a.inside = !a.turns && isInside(first, a.total);
  index_ = at;
  a.near = a.inside;
  store(inst, a, values);
  return true;
}

/// `values` are more than the instruction's own where it is the last one of a wide store.
void Emitter::store(const Inst& inst, const Access& a, const std::vector<V>& values) {
  const auto parts = static_cast<uint32_t>(values.size());
  V mask = sideEffectMask();
  const bool everyLane = allActive() && program_.info.stage != abi::Stage::Fragment;
  const Shape lie = shapeOf(a.offset);
  const bool apart = !lie.varying();
  const uint32_t stride = apart ? lie.stride().value_or(0) : a.total;
  // Where lanes overlap their order counts.
  const bool whole = parts == 1 || parts == 2 || parts == 4 || (parts == 8 && apart);
  const bool shaped = whole && !isVector(a.range.base) && stride >= a.total;
  const auto each = [&] {
    if (a.count != inst.count || (a.turned && apart && lie.stride())) return storeWords(a, mask, values);
    storeEach(inst, a, mask, a.turned ? turned(values) : values);
  };
  if (shaped && !apart && inQuads()) return storeQuads(a, mask, values, each);
  V ordered = shaped ? inRow(a, nonzero(mask)) : nullptr;
  if (!ordered) return each();
  V start = startOf(a, apart);
  V p = ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, start);
  const bool masked = apart && stride == a.total && parts == 1 && a.bytes == 4 && !everyLane;
  const auto rows = [&] {
    if (masked)
      ir_.CreateMaskedStore(values[0], p, llvm::Align(1), nonzero(mask));
    else if (stride == a.total && parts < 8)
      storeRows(p, a.element, values);
    else
      storeApart(p, a.element, values, stride, a.turned);
  };
  if (apart && a.inside && everyLane) return rows();
  llvm::BasicBlock* done = block("stored");
  llvm::BasicBlock* slow = block("scatter");
  llvm::BasicBlock* inside = block("rows");
  V end = ir_.CreateAdd(start, constant64(uint64_t(stride) * (kWarpLanes - 1) + a.total));
  V good = ir_.CreateAnd(ordered, ir_.CreateICmpULE(end, roomOf(a)));
  if (apart && !everyLane && !masked) good = ir_.CreateAnd(good, ir_.CreateICmpEQ(bitsOf(mask), ir_.getInt32(0xFF)));
  ir_.CreateCondBr(good, inside, slow);
  enter(inside);
  rows();
  ir_.CreateBr(done);
  enter(slow);
  each();
  ir_.CreateBr(done);
  enter(done);
}

/// Lane after lane, so that where they collide the highest wins with all of its elements.
void Emitter::storeEach(const Inst& inst, const Access& a, V mask, const std::vector<V>& values) {
  const auto parts = static_cast<uint32_t>(values.size());
  const auto elements = [&](V lane) { storeElements(inst, a, values, lane); };
  if (a.bytes < 4 || (parts != 1 && parts != 2 && parts != 4)) return forEachLane(mask, elements);
  // All of a lane at once. Only of several elements in a buffer some may be inside and others not.
  const LaneCells cells = laneCells(a, a.total, nonzero(mask));
  const bool some = a.count > 1 && a.checked;
  llvm::AllocaInst* addresses = inMemory(cells.address);
  llvm::AllocaInst* rows = slot(llvm::ArrayType::get(ir_.getInt32Ty(), parts * kWarpLanes), "rows");
  rows->setAlignment(llvm::Align(32));
  storeRows(rows, ir_.getInt32Ty(), values);
  V whole = bitsOf(cells.inside);
  forEachLane(some ? mask : cells.inside, [&](V lane) {
    llvm::BasicBlock* next = some ? block("next") : nullptr;
    if (some) {
      llvm::BasicBlock *all = block("write"), *each = block("writeeach");
      ir_.CreateCondBr(nonzero(ir_.CreateAnd(ir_.CreateLShr(whole, lane), ir_.getInt32(1))), all, each);
      enter(each);
      elements(lane);
      ir_.CreateBr(next);
      enter(all);
    }
    llvm::Type* row = llvm::FixedVectorType::get(ir_.getInt32Ty(), parts);
    V from = ir_.CreateInBoundsGEP(row, rows, ir_.CreateZExt(lane, ir_.getInt64Ty()));
    V to = ir_.CreateIntToPtr(laneIn(addresses, lane), ir_.getPtrTy());
    ir_.CreateAlignedStore(ir_.CreateAlignedLoad(row, from, llvm::Align(4)), to, llvm::Align(1));
    if (!some) return;
    ir_.CreateBr(next);
    enter(next);
  });
}

/// Words that lie side by side in each lane, of lanes that lie further apart, or rows of a turned matrix: those that
/// are inside, in a loop, since this is hardly ever run.
void Emitter::storeWords(const Access& a, V mask, const std::vector<V>& words) {
  llvm::Type* i32 = ir_.getInt32Ty();
  const auto count = static_cast<uint32_t>(words.size());
  llvm::AllocaInst* rows = slot(llvm::ArrayType::get(words8(), count), "words");
  for (uint32_t w = 0; w < count; ++w) ir_.CreateStore(words[w], ir_.CreateConstInBoundsGEP1_64(words8(), rows, w));
  V first = baseOf(a.offset), stride = ir_.getInt32(*shapeOf(a.offset).stride());
  forEachLane(mask, [&](V lane) {
    llvm::BasicBlock *before = ir_.GetInsertBlock(), *head = block("word");
    llvm::BasicBlock *write = block("write"), *next = block("next"), *done = block("words");
    V begin = ir_.CreateAdd(first, ir_.CreateMul(lane, stride));
    ir_.CreateBr(head);
    enter(head);
    llvm::PHINode* number = ir_.CreatePHI(i32, 2);
    number->addIncoming(ir_.getInt32(0), before);
    V offset = ir_.CreateMul(number, ir_.getInt32(a.bytes)), at = nullptr;
    if (a.turned)  // a row's own numbers never turn over
      at = ir_.CreateAdd(ir_.CreateZExt(begin, ir_.getInt64Ty()), ir_.CreateZExt(offset, ir_.getInt64Ty()));
    else
      at = ir_.CreateZExt(ir_.CreateAdd(begin, offset), ir_.getInt64Ty());
    at = ir_.CreateAdd(at, constant64(a.imm));
    ir_.CreateCondBr(ir_.CreateICmpULE(ir_.CreateAdd(at, constant64(a.bytes)), a.range.size), write, next);
    enter(write);
    V row = a.turned ? lane : number, of = a.turned ? number : lane;
    V from = ir_.CreateAdd(ir_.CreateMul(row, ir_.getInt32(kWarpLanes)), of);
    V word = ir_.CreateLoad(i32, ir_.CreateInBoundsGEP(i32, rows, ir_.CreateZExt(from, ir_.getInt64Ty())));
    ir_.CreateAlignedStore(ir_.CreateTrunc(word, a.element), ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, at),
                           llvm::Align(1));
    ir_.CreateBr(next);
    enter(next);
    V following = ir_.CreateAdd(number, ir_.getInt32(1));
    number->addIncoming(following, next);
    staysLoop(ir_.CreateCondBr(ir_.CreateICmpULT(following, ir_.getInt32(count)), head, done));
    enter(done);
  });
}

/// Those elements of a lane that are inside.
void Emitter::storeElements(const Inst& inst, const Access& a, const std::vector<V>& values, V lane) {
  const LaneAccess l = laneAccess(a, lane);
  for (uint32_t e = 0; e < inst.count; ++e) {
    V first = ir_.CreateAdd(l.at, constant64(uint64_t(e) * a.bytes));
    V inside = ir_.CreateICmpULE(ir_.CreateAdd(first, constant64(a.bytes)), l.size);
    llvm::BasicBlock* write = block("write");
    llvm::BasicBlock* next = block("next");
    ir_.CreateCondBr(inside, write, next);
    enter(write);
    V p = ir_.CreateGEP(ir_.getInt8Ty(), l.base, first);
    for (uint32_t w = 0; w < a.words; ++w) {
      V v = ir_.CreateExtractElement(values[e * a.words + w], lane);
      ir_.CreateAlignedStore(ir_.CreateTrunc(v, a.element), ir_.CreateConstInBoundsGEP1_64(a.element, p, w),
                             llvm::Align(1));
    }
    ir_.CreateBr(next);
    enter(next);
  }
}

}  // namespace etzel::native
