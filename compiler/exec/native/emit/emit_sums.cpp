// Loops with more sums than registers (analysis/many_sums.h): what sums are made of goes to memory, for all rounds.
// Then each group of sums has a loop for itself.
#include <algorithm>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Inst;

namespace {
constexpr uint64_t kMostBytes = 16384;  // of a cache that has what the loop reads, too

/// Straight code of all rounds would hold what it reads in registers, from where it is made on.
void staysLoop(llvm::BranchInst* back) {
  llvm::LLVMContext& context = back->getContext();
  llvm::Metadata* never = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, never});
  loop->replaceOperandWith(0, loop);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace

/// Those whose number of rounds is known, and small enough, where a register has all lanes of a warp.
std::map<uint32_t, ManySums> Emitter::sumsInGroups(const Host& host) const {
  if (host.registerBytes < sizeof(LaneWords)) return {};
  std::map<uint32_t, ManySums> all = findManySums(webs_, divergence_, host.maskRegisters ? 32 : 16);
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

/// index_ is the last instruction of the block around the loop then.
void Emitter::emitInGroups() {
  const ManySums& many = manySums_.at(index_);
  const uint32_t most = *mostRounds(index_);
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::AllocaInst *rounds = slot(i32, "rounds"), *round = slot(i32, "round");
  struct Kept {
    Slot now;
    llvm::AllocaInst* all;  ///< of each round
  };
  std::vector<Kept> kept;  // what strands share once
  for (const uint32_t web : many.factors)
    forEachStrand([&] {
      const Slot now = webSlot(web);
      if (std::none_of(kept.begin(), kept.end(), [&](const Kept& k) { return k.now.at == now.at; }))
        kept.push_back({now, slot(llvm::ArrayType::get(now.type, most), "factors")});
    });
  const auto ofRound = [&](const Kept& k, V number) {
    return ir_.CreateInBoundsGEP(k.now.type, k.all, ir_.CreateZExt(number, ir_.getInt64Ty()));
  };
  const auto goOn = [&](llvm::AllocaInst* counter, V number) {
    ir_.CreateStore(ir_.CreateAdd(number, ir_.getInt32(1)), counter);
  };
  ir_.CreateStore(ir_.getInt32(0), rounds);
  const uint32_t begin = index_;
  bring(many.groups[0], false);
  // The first group is summed up beside: making factors leaves most of the units that add without work.
  for (index_ = begin; index_ < many.end; ++index_)
    if (many.groupOf(index_).value_or(0) == 0) emitNext();
  V now = ir_.CreateLoad(i32, rounds);
  for (const Kept& k : kept) ir_.CreateStore(ir_.CreateLoad(k.now.type, k.now.at), ofRound(k, now));
  goOn(rounds, now);
  emitNext();
  const uint32_t last = ++index_;
  emitNext();
  bring(many.groups[0], true);
  for (size_t g = 1; g < many.groups.size(); ++g) {
    const std::vector<uint32_t>& group = many.groups[g];
    bring(group, false);
    llvm::BasicBlock *head = block("sums"), *body = block("sum"), *after = block("summed");
    ir_.CreateStore(ir_.getInt32(0), round);
    ir_.CreateBr(head);
    enter(head);
    V number = ir_.CreateLoad(i32, round);
    ir_.CreateCondBr(ir_.CreateICmpULT(number, ir_.CreateLoad(i32, rounds)), body, after);
    enter(body);
    for (const Kept& k : kept) ir_.CreateStore(ir_.CreateLoad(k.now.type, ofRound(k, number)), k.now.at);
    for (const uint32_t i : group) {
      index_ = i;
      emitNext();
    }
    goOn(round, number);
    staysLoop(ir_.CreateBr(head));
    enter(after);
    bring(group, true);
  }
  index_ = last;
}

}  // namespace etzel::native
