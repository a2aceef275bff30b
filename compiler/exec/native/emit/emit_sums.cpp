// Loops with more sums than registers (analysis/many_sums.h): what sums are made of goes to memory, for all rounds.
// Then each group of sums has a loop for itself.
#include <algorithm>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Inst;

namespace {
constexpr uint64_t kMostBytes = 16384;  // of a cache that has what the loop reads, too

}  // namespace

/// Keeps a loop from becoming straight code of all rounds, which would hold what it reads in registers, from where it
/// is made on.
void Emitter::staysLoop(llvm::BranchInst* back) {
  llvm::LLVMContext& context = back->getContext();
  llvm::Metadata* never = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, never});
  loop->replaceOperandWith(0, loop);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

/// Those whose number of rounds is known, and small enough, where a register has all lanes of a warp.
std::map<uint32_t, ManySums> Emitter::sumsInGroups(const Host& host) const {
  if (!native::hasCrowds(host)) return {};
  const Registers registers = {host.maskRegisters ? 32u : 16u, hasPairs(host) ? 1u : 2u};
  std::map<uint32_t, ManySums> all = findManySums(webs_, divergence_, registers, crowd_);
  std::erase_if(all, [&](const auto& found) {
    const std::optional<uint32_t> rounds = mostRounds(found.first);
    uint64_t bytes = 0;
    for (const uint32_t web : found.second.factors)
      bytes += divergence_.shape[web].varying() ? 2 * sizeof(LaneWords) : 4;
    return !rounds || bytes * *rounds > kMostBytes;
  });
  return all;
}

/// Sums that stay in memory are registers while their loop runs.
void Emitter::bring(const std::vector<uint32_t>& group, bool back) {
  std::set<uint32_t> webs;
  for (const uint32_t i : group) {
    const Inst& carry = program_.code[i];
    const uint32_t web = webs_.webOf(carry.dst);
    index_ = i;
    if (carry.op != isa::Opcode::XMov || (!back && !stays(web))) continue;
    if (back && !brought_.count(web)) continue;
    webs.insert(web);
    forEachPair([&] {
      V value = word(carry.dst);
      if (back)
        brought_.erase(web);
      else
        brought_.insert(web);
      setWord(carry, 0, value);
      if (back)
        brought_.insert(web);
      else
        brought_.erase(web);
    });
  }
  brought_ = back ? std::set<uint32_t>{} : webs;
}

/// Those for crowds alone only where crowds run.
std::map<uint32_t, ManySums> Emitter::sumsOfRegions() const {
  std::map<uint32_t, ManySums> all = someSums_;
  std::erase_if(all, [&](const auto& found) {
    return found.second.forCrowd && (found_.together.empty() || found_.together[found.first] != kCrowd);
  });
  return all;
}

/// What strands share once.
std::vector<Emitter::Kept> Emitter::keep(const std::vector<uint32_t>& webs, uint32_t rounds) {
  std::vector<Kept> kept;
  for (const uint32_t web : webs)
    forEachStrand([&] {
      const Slot now = webSlot(web);
      if (std::none_of(kept.begin(), kept.end(), [&](const Kept& k) { return k.now.at == now.at; }))
        kept.push_back({now, slot(llvm::ArrayType::get(now.type, rounds), "factors")});
    });
  return kept;
}

void Emitter::keepRound(const std::vector<Kept>& all, V round) {
  V at = ir_.CreateZExt(round, ir_.getInt64Ty());
  for (const Kept& k : all)
    ir_.CreateStore(ir_.CreateLoad(k.now.type, k.now.at), ir_.CreateInBoundsGEP(k.now.type, k.all, at));
}

void Emitter::takeRound(const std::vector<Kept>& all, V round) {
  V at = ir_.CreateZExt(round, ir_.getInt64Ty());
  for (const Kept& k : all)
    ir_.CreateStore(ir_.CreateLoad(k.now.type, ir_.CreateInBoundsGEP(k.now.type, k.all, at)), k.now.at);
}

/// What goes from round to round and is the same in some lanes, as it is before the loop.
std::vector<std::pair<Emitter::Slot, llvm::Value*>> Emitter::carriedBefore(uint32_t loop) {
  const uint32_t end = manySums_.at(loop).end;
  std::vector<std::pair<Slot, V>> carried;
  for (uint32_t web = 0; web < webs_.count; ++web) {
    const auto& writes = bounds_.writes(web);
    const auto isIn = [&](uint32_t i) { return i > loop && i < end; };
    if (divergence_.shape[web].varying() || std::none_of(writes.begin(), writes.end(), isIn) ||
        std::all_of(writes.begin(), writes.end(), isIn))
      continue;
    forEachStrand([&] {
      const Slot now = webSlot(web);
      if (std::none_of(carried.begin(), carried.end(), [&](const auto& c) { return c.first.at == now.at; }))
        carried.emplace_back(now, ir_.CreateLoad(now.type, now.at));
    });
  }
  return carried;
}

/// A loop for a group but the first one, of which factors are kept.
void Emitter::emitGroup(const std::vector<uint32_t>& group, const std::vector<Kept>& kept, llvm::AllocaInst* rounds) {
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::AllocaInst* round = slot(i32, "round");
  bring(group, false);
  llvm::BasicBlock *head = block("sums"), *body = block("sum"), *after = block("summed");
  ir_.CreateStore(ir_.getInt32(0), round);
  ir_.CreateBr(head);
  enter(head);
  V number = ir_.CreateLoad(i32, round);
  ir_.CreateCondBr(ir_.CreateICmpULT(number, ir_.CreateLoad(i32, rounds)), body, after);
  enter(body);
  takeRound(kept, number);
  for (const uint32_t i : group) {
    index_ = i;
    emitNext();
  }
  ir_.CreateStore(ir_.CreateAdd(number, ir_.getInt32(1)), round);
  staysLoop(ir_.CreateBr(head));
  enter(after);
  bring(group, true);
}

/// The program's loop with a group's sums, and what makes factors: all for the first group, which keeps those that vary
/// freely, for others what does not. `taken`: what is there for each round.
void Emitter::emitLoopOf(uint32_t begin, size_t group, const std::vector<Kept>& taken, const std::vector<Kept>& kept,
                         llvm::AllocaInst* rounds) {
  const ManySums& many = manySums_.at(begin);
  const auto goes = [&](uint32_t i) {
    const std::optional<size_t> of = many.groupOf(i);
    const Inst& inst = program_.code[i];
    return of ? *of == group : group == 0 || isa::opInfo(inst).control || isScalar(inst);
  };
  ir_.CreateStore(ir_.getInt32(0), rounds);
  bring(many.groups[group], false);
  for (index_ = begin; index_ < many.end; ++index_) {
    if (goes(index_)) emitNext();
    if (index_ == many.leave) takeRound(taken, ir_.CreateLoad(ir_.getInt32Ty(), rounds));
  }
  V now = ir_.CreateLoad(ir_.getInt32Ty(), rounds);
  keepRound(kept, now);
  ir_.CreateStore(ir_.CreateAdd(now, ir_.getInt32(1)), rounds);
  llvm::BasicBlock* latch = scopes_.back().latch;
  emitNext();
  if (only_ || group > 0) staysLoop(llvm::cast<llvm::BranchInst>(latch->getTerminator()));
  ++index_;
  emitNext();
  bring(many.groups[group], true);
}

/// All groups, of a pair of a crowd or of all warps. `common`: what the first pair makes for others. index_ is the last
/// instruction of the block around the loop then.
void Emitter::emitGroups(uint32_t begin, const std::vector<Kept>& common) {
  const ManySums& many = manySums_.at(begin);
  llvm::AllocaInst* rounds = slot(ir_.getInt32Ty(), "rounds");
  std::vector<Kept> own;
  if (many.groups.size() > 1) {
    std::vector<uint32_t> webs = many.factors;
    std::erase_if(webs, [&](uint32_t web) {
      const bool isCommon = only_ && std::find(many.common.begin(), many.common.end(), web) != many.common.end();
      return isCommon || (many.again && !divergence_.shape[web].varying());
    });
    own = keep(webs, *mostRounds(begin));
  }
  const std::vector<std::pair<Slot, V>> before = carriedBefore(begin);
  std::vector<Kept> all = own;
  all.insert(all.end(), common.begin(), common.end());
  // The first group is summed up beside: making factors leaves most of the units that add without work.
  emitLoopOf(begin, 0, commonMade_ ? common : std::vector<Kept>{}, commonMade_ ? own : all, rounds);
  for (size_t g = 1; g < many.groups.size(); ++g) {
    if (!many.again) {
      emitGroup(many.groups[g], all, rounds);
      continue;
    }
    for (const auto& [place, value] : before) ir_.CreateStore(value, place.at);
    index_ = begin - 1;
    emitNext();
    emitLoopOf(begin, g, all, {}, rounds);
  }
  index_ = many.end + 1;
}

/// Pairs of a crowd have the loop one after the other. What they have in common the first pair makes, of the first
/// crowd where it is the same in all.
void Emitter::emitInGroups() {
  const uint32_t begin = index_;
  const ManySums& many = manySums_.at(begin);
  if (!isCrowd()) return emitGroups(begin, {});
  const std::vector<Kept> common = keep(many.common, *mostRounds(begin));
  const std::vector<std::pair<Slot, V>> before = carriedBefore(begin);
  llvm::BasicBlock *take = nullptr, *taken = block("taken");
  if (many.ofAll) {
    llvm::BasicBlock* make = block("make");
    take = block("take");
    ir_.CreateCondBr(ir_.CreateICmpEQ(warpAfter(0), warp_), make, take);
    enter(make);
  }
  only_ = 0;
  emitGroups(begin, common);
  commonMade_ = true;
  const auto again = [&] {
    for (const auto& [place, value] : before) ir_.CreateStore(value, place.at);
    index_ = begin - 1;
    emitNext();
    emitGroups(begin, common);
  };
  if (many.ofAll) {
    ir_.CreateBr(taken);
    enter(take);
    again();
  }
  ir_.CreateBr(taken);
  enter(taken);
  for (only_ = 1; *only_ < kCrowd / 2; ++*only_) again();
  only_.reset();
  commonMade_ = false;
}

}  // namespace etzel::native
