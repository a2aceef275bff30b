#include "compiler/exec/native/emit/guard.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "compiler/exec/native/code/header.h"
#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {
namespace {

using V = llvm::Value*;

class Guard {
 public:
  Guard(llvm::Function& function, V warp) : ir_(llvm::BasicBlock::Create(function.getContext(), "guard", &function)) {
    dispatch_ = field(warp, offsetof(abi::Warp, context), ir_.getPtrTy());
    zeros_ = table(abi::kNullTable);
  }

  /// Wants the object that a slot points to at `member` to begin with these bytes. Null objects are zeros.
  void want(abi::DescriptorHandle handle, size_t member, std::span<const std::byte> bytes) {
    V object = field(slotOf(handle), member, ir_.getPtrTy());
    object = ir_.CreateSelect(ir_.CreateIsNull(object), zeros_, object);
    // Vectors as long as fit; the last one ends where the bytes do.
    const size_t step = bytes.size() >= 32 ? 32 : 8;
    for (size_t at = 0; at < bytes.size(); at += step)
      wantWords(object, std::min(at, bytes.size() - step), step, bytes);
  }

  /// i1: whether all is as it is wanted.
  V holds() {
    V all = ir_.getTrue();
    for (auto& [step, differs] : differs_) {
      V none = llvm::Constant::getNullValue(differs->getType());
      V some = ir_.CreateICmpNE(differs, none);
      if (auto* lanes = llvm::dyn_cast<llvm::FixedVectorType>(some->getType()))
        some = nonzero(ir_.CreateBitCast(some, ir_.getIntNTy(lanes->getNumElements())));
      all = ir_.CreateAnd(all, ir_.CreateNot(some));
    }
    return all;
  }

  IR& ir() { return ir_; }
  V field(V base, size_t offset, llvm::Type* type) {
    return ir_.CreateLoad(type, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), base, offset));
  }

 private:
  V nonzero(V number) { return ir_.CreateICmpNE(number, llvm::Constant::getNullValue(number->getType())); }
  V table(uint32_t number) {
    return field(dispatch_, offsetof(abi::DispatchContext, table) + sizeof(void*) * number, ir_.getPtrTy());
  }
  /// As Emitter::slotOf().
  V slotOf(abi::DescriptorHandle handle) {
    const uint32_t number = abi::tableOf(handle);
    const uint64_t at = abi::byteOffsetOf(handle);
    V size = field(dispatch_, offsetof(abi::DispatchContext, tableBytes) + sizeof(uint32_t) * number, ir_.getInt32Ty());
    V inside = ir_.CreateICmpUGE(ir_.CreateZExt(size, ir_.getInt64Ty()), ir_.getInt64(at + abi::kDescriptorBytes));
    V slot = ir_.CreateConstGEP1_64(ir_.getInt8Ty(), table(number), at);
    return ir_.CreateSelect(inside, slot, zeros_);
  }
  void wantWords(V object, size_t at, size_t step, std::span<const std::byte> bytes) {
    uint32_t words[8];
    std::memcpy(words, &bytes[at], step);
    V wanted = llvm::ConstantDataVector::get(ir_.getContext(), llvm::ArrayRef<uint32_t>(words, step / sizeof words[0]));
    V place = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), object, at);
    V found = ir_.CreateAlignedLoad(wanted->getType(), place, llvm::Align(4));
    if (step == 8) {  // a number
      wanted = ir_.CreateBitCast(wanted, ir_.getInt64Ty()), found = ir_.CreateBitCast(found, ir_.getInt64Ty());
    }
    V own = ir_.CreateXor(found, wanted);
    V& differs = differs_[step];
    differs = differs ? ir_.CreateOr(differs, own) : own;
  }

  IR ir_;
  V dispatch_, zeros_;
  std::map<size_t, V> differs_;  ///< by bytes compared at once: zeros if nothing does
};

template <class T>
std::span<const std::byte> bytesOf(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

/// `executable`: where abi::Executable has such a function.
void guardFunction(llvm::Function& guarded, size_t executable, const BoundKinds& kinds) {
  const std::string name = guarded.getName().str();
  guarded.setName(name + "_bound");
  guarded.setLinkage(llvm::GlobalValue::InternalLinkage);
  auto* type = guarded.getFunctionType();
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, guarded.getParent());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  Guard g(*function, function->getArg(1));
  for (const auto& [handle, kind] : kinds.views) g.want(handle, offsetof(abi::ImageDescriptor, view), bytesOf(kind));
  for (const auto& [handle, kind] : kinds.samplers)
    g.want(handle, offsetof(abi::ImageDescriptor, sampler), bytesOf(kind));
  IR& ir = g.ir();
  std::vector<V> arguments;
  for (llvm::Argument& a : function->args()) arguments.push_back(&a);
  const auto leaveBy = [&](llvm::FunctionCallee callee) {
    llvm::CallInst* call = ir.CreateCall(callee, arguments);
    call->setTailCall();
    ir.CreateRet(call);
  };
  llvm::BasicBlock* here = llvm::BasicBlock::Create(ir.getContext(), "bound", function);
  llvm::BasicBlock* other = llvm::BasicBlock::Create(ir.getContext(), "otherwise", function);
  ir.CreateCondBr(g.holds(), here, other);
  ir.SetInsertPoint(here);
  leaveBy(&guarded);
  ir.SetInsertPoint(other);
  V otherwise = g.field(arguments[0], offsetof(CodeHeader, otherwise), ir.getPtrTy());
  arguments[0] = g.field(otherwise, offsetof(abi::Executable, code), ir.getPtrTy());
  leaveBy({type, g.field(otherwise, executable, ir.getPtrTy())});
}

}  // namespace

void guard(llvm::Module& module, const std::string& name, const BoundKinds& kinds) {
  const std::pair<std::string, size_t> functions[] = {{name, offsetof(abi::Executable, entry)},
                                                      {name + kGroupSuffix, offsetof(abi::Executable, workgroup)},
                                                      {name + kFragmentsSuffix, offsetof(abi::Executable, fragments)},
                                                      {name + kAbreastSuffix, offsetof(abi::Executable, abreast)}};
  for (const auto& [symbol, at] : functions)
    if (llvm::Function* f = module.getFunction(symbol)) guardFunction(*f, at, kinds);
}

}  // namespace etzel::native
