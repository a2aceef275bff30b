// Atomics: lane after lane, the lowest first, each one atomic instruction of the host; floats by compare and exchange.
#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Inst;
using isa::Type;

/// Computes and tries to put back until nobody came between. \returns the value of before.
llvm::Value* Emitter::floatAtomic(const Inst& inst, abi::AtomicOp op, V p, V value, llvm::Type* bits) {
  constexpr auto order = llvm::AtomicOrdering::SequentiallyConsistent;
  const llvm::Align align(isa::typeBytes(inst.type));
  const auto number = [&](V v) {
    if (inst.type == Type::F64) return ir_.CreateBitCast(v, ir_.getDoubleTy());
    if (inst.type == Type::F32) return ir_.CreateBitCast(v, ir_.getFloatTy());
    return ir_.CreateFPExt(ir_.CreateBitCast(v, ir_.getHalfTy()), ir_.getFloatTy());
  };
  const auto step = op == abi::AtomicOp::FAdd   ? isa::ReduceOp::Add
                    : op == abi::AtomicOp::FMin ? isa::ReduceOp::FMin
                                                : isa::ReduceOp::FMax;
  llvm::LoadInst* first = ir_.CreateAlignedLoad(bits, p, align);
  first->setAtomic(order);
  llvm::BasicBlock* before = ir_.GetInsertBlock();
  llvm::BasicBlock* retry = block("retry");
  llvm::BasicBlock* done = block("swapped");
  ir_.CreateBr(retry);
  enter(retry);
  llvm::PHINode* old = ir_.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  V next = reduceStep(step, number(old), number(value));
  if (inst.type == Type::F16) next = ir_.CreateFPTrunc(next, ir_.getHalfTy());
  V pair = ir_.CreateAtomicCmpXchg(p, old, ir_.CreateBitCast(next, bits), align, order, order);
  old->addIncoming(ir_.CreateExtractValue(pair, 0), retry);
  ir_.CreateCondBr(ir_.CreateExtractValue(pair, 1), done, retry);
  enter(done);
  return old;
}

/// Atomics lane after lane, as the order of lanes says. Those of records are the interpreter's.
bool Emitter::atomic(const Inst& inst) {
  using abi::AtomicOp;
  const auto op = static_cast<AtomicOp>(inst.atomic);
  const bool isFloat = inst.type == Type::F16 || inst.type == Type::F32 || inst.type == Type::F64;
  if (op >= AtomicOp::FAdd && !isFloat) return false;
  const Type bits = inst.type == Type::F16 ? Type::I16 : isa::typeBytes(inst.type) == 4 ? Type::I32 : Type::I64;
  Access a;
  a.bytes = isa::typeBytes(inst.type), a.total = a.bytes, a.words = isa::typeWords(inst.type);
  a.element = ir_.getIntNTy(a.bytes * 8), a.offset = inst.src[1], a.imm = inst.imm;
  if (!rangeOf(inst, a.range)) return false;
  V value = op == AtomicOp::Load ? nullptr : splat(element(inst.src[2], bits));
  V compare = op == AtomicOp::CompareExchange ? splat(element(inst.src[2], bits, 1)) : nullptr;
  V mask = op == AtomicOp::Load ? exec() : sideEffectMask();
  llvm::Type* type = lanes(a.element);
  llvm::AllocaInst* result = slot(type, "atomic");
  ir_.CreateStore(llvm::Constant::getNullValue(type), result);
  const llvm::Align align(a.bytes);
  constexpr auto order = llvm::AtomicOrdering::SequentiallyConsistent;
  const LaneCells cells = laneCells(a, a.bytes, nonzero(mask));
  // Misaligned ones act as if outside.
  V odd = ir_.CreateAnd(cells.address, splat(constant64(a.bytes - 1)));
  V inside = ir_.CreateAnd(cells.inside, ir_.CreateICmpEQ(odd, llvm::Constant::getNullValue(odd->getType())));
  llvm::AllocaInst* addresses = inMemory(cells.address);
  llvm::AllocaInst* values = value ? inMemory(value) : nullptr;
  llvm::AllocaInst* compares = compare ? inMemory(compare) : nullptr;
  forEachLane(inside, [&](V lane) {
    V p = ir_.CreateIntToPtr(laneIn(addresses, lane), ir_.getPtrTy());
    V v = values ? laneIn(values, lane) : nullptr;
    V old = nullptr;
    const auto update = [&](llvm::AtomicRMWInst::BinOp what) { old = ir_.CreateAtomicRMW(what, p, v, align, order); };
    using RMW = llvm::AtomicRMWInst;
    switch (op) {
      case AtomicOp::Load: {
        llvm::LoadInst* load = ir_.CreateAlignedLoad(a.element, p, align);
        load->setAtomic(order);
        old = load;
        break;
      }
      case AtomicOp::Store: {
        llvm::StoreInst* to = ir_.CreateAlignedStore(v, p, align);
        to->setAtomic(order);
        old = llvm::ConstantInt::get(a.element, 0);
        break;
      }
      case AtomicOp::CompareExchange: {
        V pair = ir_.CreateAtomicCmpXchg(p, laneIn(compares, lane), v, align, order, order);
        old = ir_.CreateExtractValue(pair, 0);
        break;
      }
      case AtomicOp::Exchange: update(RMW::Xchg); break;
      case AtomicOp::Add: update(RMW::Add); break;
      case AtomicOp::Sub: update(RMW::Sub); break;
      case AtomicOp::And: update(RMW::And); break;
      case AtomicOp::Or: update(RMW::Or); break;
      case AtomicOp::Xor: update(RMW::Xor); break;
      case AtomicOp::SMin: update(RMW::Min); break;
      case AtomicOp::SMax: update(RMW::Max); break;
      case AtomicOp::UMin: update(RMW::UMin); break;
      case AtomicOp::UMax: update(RMW::UMax); break;
      default: old = floatAtomic(inst, op, p, v, a.element); break;
    }
    ir_.CreateStore(old, ir_.CreateInBoundsGEP(a.element, result, lane));
  });
  if (inst.dst.present()) setElement(inst, ir_.CreateLoad(type, result));
  return true;
}

}  // namespace etzel::native
