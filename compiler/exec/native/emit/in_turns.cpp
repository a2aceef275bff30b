#include "compiler/exec/native/emit/in_turns.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "runtime/base/types.h"

namespace etzel::native {
namespace {

using llvm::Instruction;

/// Of 32 registers, some of which have constants.
constexpr size_t kMostAlive = 24;

bool isVectorLoad(const Instruction& i) { return llvm::isa<llvm::LoadInst>(i) && i.getType()->isVectorTy(); }

/// What may stand anywhere behind its sources.
bool moves(const Instruction& i) {
  return i.getType()->isVectorTy() && !llvm::isa<llvm::PHINode>(i) && !i.mayReadOrWriteMemory() &&
         !i.mayHaveSideEffects();
}

/// Cycles from the sources to the result, about.
uint32_t latencyOf(const Instruction& i) {
  switch (i.getOpcode()) {
    case Instruction::BitCast: return 0;
    case Instruction::FAdd:
    case Instruction::FSub: return 3;
    case Instruction::FMul:
    case Instruction::FPExt:
    case Instruction::ShuffleVector:
    case Instruction::Call: return 4;
    default: return 1;
  }
}

/// One block.
class Turns {
 public:
  explicit Turns(llvm::BasicBlock& block) : block_(block) {}

  void run() {
    if (std::none_of(block_.begin(), block_.end(), isVectorLoad)) return;
    for (Instruction& i : block_)
      if (!llvm::isa<llvm::PHINode>(i)) place(i);
    if (mostAlive() > kMostAlive) return;
    for (Instruction* i : order_)
      if (!i->isTerminator()) i->moveBefore(block_.getTerminator());
  }

 private:
  void place(Instruction& i) {
    uint32_t begins = 0;
    bool waits = i.isTerminator();
    for (const llvm::Value* source : i.operands()) {
      const auto at = begins_.find(source);
      if (at == begins_.end()) continue;
      begins = std::max(begins, at->second + latencyOf(*llvm::cast<Instruction>(source)));
      waits = waits || std::find(waiting_.begin(), waiting_.end(), source) != waiting_.end();
    }
    if (moves(i)) {
      begins_[&i] = begins;
      waiting_.push_back(&i);
    } else {
      if (waits) placeWaiting();
      order_.push_back(&i);
    }
  }

  /// No instruction begins before its sources, and those that begin at once stand as they stood.
  void placeWaiting() {
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [&](const Instruction* a, const Instruction* b) { return begins_.at(a) < begins_.at(b); });
    order_.insert(order_.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
  }

  /// How many vectors are alive at once in the new order.
  size_t mostAlive() const {
    std::set<const llvm::Value*> alive;
    size_t most = 0;
    for (const llvm::BasicBlock* next : llvm::successors(&block_))
      for (const llvm::PHINode& phi : next->phis())
        if (const llvm::Value* v = phi.getIncomingValueForBlock(&block_); isRegister(v)) alive.insert(v);
    for (size_t at = order_.size(); at-- > 0;) {
      alive.erase(order_[at]);
      for (const llvm::Value* source : order_[at]->operands())
        if (isRegister(source)) alive.insert(source);
      most = std::max(most, alive.size());
    }
    return most;
  }
  static bool isRegister(const llvm::Value* v) { return v->getType()->isVectorTy() && !llvm::isa<llvm::Constant>(v); }

  llvm::BasicBlock& block_;
  std::map<const llvm::Value*, uint32_t> begins_;  ///< cycles, of what moves
  std::vector<Instruction*> waiting_, order_;
};

}  // namespace

void takeTurns(llvm::BasicBlock& block) { Turns(block).run(); }

}  // namespace etzel::native
