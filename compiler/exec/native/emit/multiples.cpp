#include "compiler/exec/native/emit/multiples.h"

#include <llvm/IR/IRBuilder.h>

#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {
namespace {

using V = llvm::Value*;

/// i1: whether the push constants of the dispatch that `warp` belongs to are such multiples.
V areMultiples(IR& ir, V warp, const Multiples& multiples) {
  const auto at = [&](V base, uint64_t byte) { return ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), base, byte); };
  V dispatch = ir.CreateLoad(ir.getPtrTy(), at(warp, offsetof(abi::Warp, context)));
  V pushed = ir.CreateLoad(ir.getPtrTy(), at(dispatch, offsetof(abi::DispatchContext, pushConstants)));
  V rest = ir.getInt32(0);
  for (const auto& [byte, zeros] : multiples) {
    V word = ir.CreateAlignedLoad(ir.getInt32Ty(), at(pushed, byte), llvm::Align(4));
    rest = ir.CreateOr(rest, ir.CreateAnd(word, (1u << zeros) - 1));
  }
  return ir.CreateICmpEQ(rest, ir.getInt32(0));
}

void ask(llvm::Module& module, llvm::Function& plain, llvm::Function& fast, const Multiples& multiples) {
  const std::string name = plain.getName().str();
  plain.setName(name + "_any");
  auto* function = llvm::Function::Create(plain.getFunctionType(), llvm::Function::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  IR ir(llvm::BasicBlock::Create(module.getContext(), "ask", function));
  V holds = areMultiples(ir, function->getArg(1), multiples);
  std::vector<V> arguments;
  for (llvm::Argument& a : function->args()) arguments.push_back(&a);
  llvm::BasicBlock* ways[2];
  for (uint32_t i = 0; i < 2; ++i) {
    llvm::Function* callee = i == 0 ? &fast : &plain;
    callee->setLinkage(llvm::GlobalValue::InternalLinkage);
    ways[i] = llvm::BasicBlock::Create(module.getContext(), i == 0 ? "multiples" : "any", function);
    IR way(ways[i]);
    llvm::CallInst* call = way.CreateCall(callee, arguments);
    call->setTailCall();
    way.CreateRet(call);
  }
  ir.CreateCondBr(holds, ways[0], ways[1]);
}

}  // namespace

void askForMultiples(llvm::Module& module, const std::string& name, const Multiples& multiples) {
  for (const std::string suffix : {"", kGroupSuffix}) {
    llvm::Function* plain = module.getFunction(name + suffix);
    llvm::Function* fast = module.getFunction(std::string(name).append(kMultiplesSuffix).append(suffix));
    if (plain && fast) ask(module, *plain, *fast, multiples);
  }
}

}  // namespace etzel::native
