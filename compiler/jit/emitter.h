// Turns a program into one LLVM function with the signature of abi::KernelEntry. Registers become SSA values (through
// allocas that LLVM promotes): uniform words scalars, all others vectors of 8 lanes. The execution mask is a vector of
// 0 / ~0 words. What has no native form here calls the interpreter for that one instruction, so every program that
// has only extension instructions can be emitted.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>

#include "compiler/isa/info.h"
#include "compiler/jit/divergence.h"
#include "compiler/jit/llvm_math.h"

namespace etzel::jit {

class Emitter {
 public:
  Emitter(llvm::Module& module, const isa::Program& program, const std::string& name);
  void run();
  /// Instructions that call the interpreter.
  const std::vector<uint32_t>& interpreted() const { return interpreted_; }

 private:
  using V = llvm::Value*;
  struct Scope {
    isa::Opcode kind;
    uint32_t at;                           ///< instruction index
    llvm::BasicBlock* next = nullptr;      ///< If: the else side until Else was met; Block: unused
    llvm::BasicBlock* end = nullptr;       ///< EndIf / EndBlock / loop exit
    llvm::BasicBlock* latch = nullptr;     ///< Loop
    llvm::BasicBlock* head = nullptr;      ///< Loop
    llvm::AllocaInst* saved = nullptr;     ///< lanes that come back at the end
    llvm::AllocaInst* other = nullptr;     ///< If: lanes of the else side
    bool elseSeen = false;
  };

  // emitter.cpp: values
  llvm::Type* words8() { return wordsTy_; }
  llvm::FixedVectorType* lanes(llvm::Type* element) { return llvm::FixedVectorType::get(element, kWarpLanes); }
  static bool isVector(V v) { return v->getType()->isVectorTy(); }
  V splat(V v) { return isVector(v) ? v : ir_.CreateVectorSplat(kWarpLanes, v); }
  llvm::Type* like(V shape, llvm::Type* element) { return isVector(shape) ? lanes(element) : element; }
  V word(isa::Operand o, uint32_t w = 0);
  void setWord(const isa::Inst& inst, uint32_t w, V value);
  V element(isa::Operand o, isa::Type type, uint32_t e = 0);
  void setElement(const isa::Inst& inst, V value, uint32_t e = 0);
  static void unify(IR& ir, V& a, V& b);
  V field(V base, size_t offset, llvm::Type* type, bool invariant = true);
  V constant64(uint64_t v) { return ir_.getInt64(v); }
  llvm::AllocaInst* slot(llvm::Type* type, const char* name);
  V toMask(V i1) { return ir_.CreateSExt(i1, like(i1, ir_.getInt32Ty())); }
  V nonzero(V v) { return ir_.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType())); }
  V exec() { return ir_.CreateLoad(words8(), exec_); }
  V bitsOf(V maskWords);     ///< <8 x i32> to i32 with bit per lane
  V maskOf(V bits);          ///< i32 to <8 x i32>
  V any(V maskWords);        ///< i1
  V sideEffectMask();        ///< exec without helper lanes

  // emit_control.cpp
  void control(const isa::Inst& inst, uint32_t i);
  void leave(V lanes, int target);
  void skipIfEmpty();
  void branchOut(uint32_t i, int target, V condition);
  int targetOf(uint32_t depth) const;
  void finish(abi::WarpStatus status);
  void barrier(uint32_t i);
  void saveOrRestore(bool save);
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }
  void enter(llvm::BasicBlock* b) { ir_.SetInsertPoint(b); }
  void jump(llvm::BasicBlock* b);

  // emit_arithmetic.cpp, emit_convert.cpp, emit_memory.cpp, emit_lanes.cpp: false when there is no native form
  bool arithmetic(const isa::Inst& inst);
  bool integer(const isa::Inst& inst);
  bool convert(const isa::Inst& inst);
  bool transcendental(const isa::Inst& inst);
  bool memory(const isa::Inst& inst, uint32_t i);
  bool lanesAndInputs(const isa::Inst& inst);
  void texture(const isa::Inst& inst);
  void fallback(const isa::Inst& inst, uint32_t i);
  bool loadUniform(const isa::Inst& inst, V base, V size, V offset);
  bool loadLanes(const isa::Inst& inst, V base, V size, V offset);
  bool storeLanes(const isa::Inst& inst, V base, V size, V offset);
  bool scratch(const isa::Inst& inst);
  struct Range {
    V base = nullptr, size = nullptr;  ///< ptr, i64
  };
  bool rangeOf(const isa::Inst& inst, Range& range);
  Range bufferRange(V handle);
  V offsetOf(const isa::Inst& inst);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const isa::Program& program_;
  const Divergence divergence_;
  IR ir_;
  llvm::Function* function_;
  llvm::Type* wordsTy_;
  llvm::BasicBlock* entry_;
  llvm::Instruction* allocaPoint_ = nullptr;
  llvm::BasicBlock* finish_ = nullptr;
  V code_ = nullptr, warp_ = nullptr, dispatch_ = nullptr, in_ = nullptr, out_ = nullptr, sys_ = nullptr,
    registers_ = nullptr, functions_ = nullptr, cancel_ = nullptr, state_ = nullptr;
  llvm::AllocaInst* exec_ = nullptr;
  llvm::AllocaInst* status_ = nullptr;
  std::vector<llvm::AllocaInst*> temps_;
  std::vector<Scope> scopes_;
  std::vector<llvm::BasicBlock*> resumes_;
  llvm::SwitchInst* resumeSwitch_ = nullptr;
  uint32_t index_ = 0;  ///< instruction being emitted
  std::vector<uint32_t> interpreted_;
  llvm::AllocaInst* argumentBlock_ = nullptr;
  llvm::AllocaInst* resultBlock_ = nullptr;
  llvm::AllocaInst* handleBlock_ = nullptr;
  llvm::AllocaInst* samplerBlock_ = nullptr;
};

}  // namespace etzel::jit
