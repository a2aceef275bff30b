// Crowds (analysis/crowds.h): values are made by the first warp that has them, and what lies a known distance from what
// the first warp has is that sum.
#include <algorithm>
#include <cstddef>
#include <numeric>

#include "compiler/exec/native/emit/emitter.h"
#include "compiler/exec/native/emit/transpose.h"
#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;

/// The strand whose place has this one's value. What stays in warps' memory does so in each one's.
uint32_t Emitter::ownerOf(uint32_t web) const { return stays(web) ? strand_ : crowd_.kin[web].first[strand_]; }

/// What `valueOf` gives in another strand.
llvm::Value* Emitter::inStrand(uint32_t strand, const std::function<V()>& valueOf) {
  const uint32_t own = strand_;
  use(strand);
  V value = valueOf();
  use(own);
  return value;
}

/// The present strand's value, lane 0's where lanes do not vary freely.
llvm::Value* Emitter::valueOf(uint32_t web) {
  const auto here = [&]() -> V { return readAgain(web) ? sysValue(*constants_[web].sys) : read(webSlot(web)); };
  if (!isCrowd() || divergence_.shape[web].varying()) return here();
  const Crowd::Kin& kin = crowd_.kin[web];
  V value = inStrand(kin.first[strand_], here);
  return kin.more[strand_] ? ir_.CreateAdd(value, ir_.getInt32(kin.more[strand_])) : value;
}

/// Whether a scalar of a pair's first strand is the second one's as well.
bool Emitter::isShared(uint32_t web) const {
  if (!isCrowd()) return found_.shared[web] != 1;
  const Crowd::Kin& kin = crowd_.kin[web];
  const uint32_t first = firstOfPair();
  return kin.first[first] == kin.first[first + 1] && kin.more[first] == kin.more[first + 1];
}

/// Whether some word of a result is a strand's to make.
bool Emitter::ownsPart(const Inst& inst, uint32_t strand) {
  if (inst.dst.bank != Bank::Temp) return true;
  for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) {
    const uint32_t web = webs_.webOf(inst.dst, w);
    if (stays(web) || crowd_.kin[web].first[strand] == strand) return true;
  }
  return false;
}

/// Whether a strand makes a result, or what is loaded with it.
bool Emitter::makes(const Inst& inst, uint32_t strand) {
  const auto part = wideWords_.find(index_);
  if (part == wideWords_.end()) return ownsPart(inst, strand);
  const std::vector<uint32_t>& loads = wideLoads_[part->second.load].loads;
  return std::any_of(loads.begin(), loads.end(), [&](uint32_t i) { return ownsPart(program_.code[i], strand); });
}

void Emitter::emitInCrowd(const Inst& inst, const std::function<void()>& translateOne) {
  if (inst.op == Opcode::St && storeTogether(inst)) return;
  if (inst.op == Opcode::XMov && keepConstants()) return;
  const bool pairs = goesInPairs(inst);
  const uint32_t at = index_;
  std::vector<uint32_t> makers;
  const auto isMade = [&] { return shapeOf(inst.dst).varying() && crowd_.isCommon(webs_.webOf(inst.dst)); };
  if (commonMade_ && inst.dst.bank == Bank::Temp && isMade()) return;
  for (uint32_t s = 0; s < strands_.size(); ++s) {
    if (!isOn(s)) continue;
    if (!only_ || inst.dst.bank != Bank::Temp || shapeOf(inst.dst).varying()) {
      if (makes(inst, s)) makers.push_back(s);
      continue;
    }
    // A scalar that the pair reads, whoever has it.
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) {
      use(s);
      const uint32_t owner = ownerOf(webs_.webOf(inst.dst, w));
      if (std::find(makers.begin(), makers.end(), owner) == makers.end()) makers.push_back(owner);
    }
  }
  for (const uint32_t s : makers) {
    if (pairs && s % 2) continue;
    index_ = at;
    use(s);
    if (pairs) width_ = 2 * kWarpLanes;
    translateOne();
    width_ = kWarpLanes;
  }
  use(0);
}

/// Constants for values that stay in warps' memory, from this instruction on: a loop over the warps, since straight
/// code of so many stores takes LLVM long. index_ is the last one's then. \returns false where they are few
bool Emitter::keepConstants() {
  constexpr size_t kFew = 4;
  std::vector<std::pair<uint32_t, V>> rows;  // by their places
  uint32_t end = index_;
  for (; !only_ && end < program_.code.size() && regions_[end] == regions_[index_]; ++end) {
    const Inst& inst = program_.code[end];
    if (inst.op != Opcode::XMov || inst.src[0].bank != Bank::Param || inst.dst.bank != Bank::Temp) break;
    bool all = !divergence_.blend[end];
    for (uint32_t w = 0; w < inst.count; ++w) all &= stays(webs_.webOf(inst.dst, w));
    if (!all) break;
    for (uint32_t w = 0; w < inst.count; ++w)
      rows.emplace_back(staying_.at({regions_[end], webs_.webOf(inst.dst, w)}), splat(word(inst.src[0], w)));
  }
  if (rows.size() < kFew) return false;
  llvm::Type* i64 = ir_.getInt64Ty();
  llvm::BasicBlock *before = ir_.GetInsertBlock(), *head = block("constants"), *after = block("kept");
  V first = warpAfter(0);
  ir_.CreateBr(head);
  enter(head);
  llvm::PHINode* number = ir_.CreatePHI(i64, 2);
  number->addIncoming(constant64(0), before);
  V warp = ir_.CreateGEP(ir_.getInt8Ty(), first, ir_.CreateMul(number, constant64(sizeof(abi::Warp))));
  V registers = field(warp, offsetof(abi::Warp, registers), ir_.getPtrTy());
  for (const auto& [home, value] : rows)
    ir_.CreateStore(value, ir_.CreateConstInBoundsGEP1_64(words8(), registers, home));
  V next = ir_.CreateAdd(number, constant64(1));
  number->addIncoming(next, head);
  staysLoop(ir_.CreateCondBr(ir_.CreateICmpULT(next, constant64(kCrowd)), head, after));
  enter(after);
  index_ = end - 1;
  return true;
}

/// A store of single words whose places are known, of all warps: where words of four warps lie side by side they are
/// stored as one. \returns false where that is nowhere
bool Emitter::storeTogether(const Inst& inst) {
  const uint32_t bytes = isa::typeBytes(inst.type);
  if (only_ || wideStored_.count(index_) || inst.count != 1 || bytes != 4 || inst.src[1].bank != Bank::Temp ||
      !isInside(inst, bytes))
    return false;
  const Shape lie = shapeOf(inst.src[1]);
  if (lie.varying() || lie.stride().value_or(0) < kCrowd * bytes / 2) return false;
  std::array<uint32_t, kCrowd> order, apart;
  for (uint32_t s = 0; s < kCrowd; ++s) {
    const std::optional<uint32_t> far = crowd_.apart(webs_.webOf(inst.src[1]), s);
    if (!far || *far >= program_.info.sharedBytes) return false;
    apart[s] = *far;
  }
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return apart[a] < apart[b]; });
  // No two lanes have one place: all of four neighbours, and of two such rows.
  constexpr uint32_t kRow = 4;
  for (uint32_t s = 0; s < kCrowd; ++s)
    if (s % kRow && apart[order[s]] != apart[order[s - 1]] + bytes) return false;
  const uint32_t rows = apart[order[kRow]] - apart[order[0]], stride = *lie.stride();
  if (rows % stride == 0 ? rows / stride < kWarpLanes : rows < kRow * bytes || rows + kRow * bytes > stride)
    return false;
  Range range;
  if (!rangeOf(inst, range)) return false;
  V first = ir_.CreateZExt(baseOf(inst.src[1]), ir_.getInt64Ty());
  V p = ir_.CreateGEP(ir_.getInt8Ty(), range.base, ir_.CreateAdd(first, constant64(inst.imm)));
  for (uint32_t r = 0; r < kCrowd; r += kRow) {
    std::array<V, kRow> words;
    for (uint32_t i = 0; i < kRow; ++i) words[i] = inStrand(order[r + i], [&] { return splat(word(inst.src[2])); });
    words = transposedFours(ir_, words);
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      const int from = static_cast<int>(l / kRow * kRow);
      V row = ir_.CreateShuffleVector(words[l % kRow], {from, from + 1, from + 2, from + 3});
      const uint64_t at = uint64_t{apart[order[r]]} + uint64_t{l} * stride;
      ir_.CreateAlignedStore(row, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), p, at), llvm::Align(4));
    }
  }
  return true;
}

}  // namespace etzel::native
