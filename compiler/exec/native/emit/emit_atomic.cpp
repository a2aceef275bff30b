// Atomics: lane after lane, the lowest first, each one atomic instruction of the host; floats by compare and exchange.
// A workgroup is one thread's, so what happens in its own memory is atomic by itself.
#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using abi::AtomicOp;
using isa::Inst;
using isa::Type;

namespace {

constexpr auto kOrder = llvm::AtomicOrdering::SequentiallyConsistent;

bool isOfGroup(const Inst& inst) { return static_cast<isa::Space>(inst.sub) == isa::Space::Shared; }

llvm::AtomicRMWInst::BinOp hostsOwn(AtomicOp op) {
  using RMW = llvm::AtomicRMWInst;
  switch (op) {
    case AtomicOp::Exchange: return RMW::Xchg;
    case AtomicOp::Add: return RMW::Add;
    case AtomicOp::Sub: return RMW::Sub;
    case AtomicOp::And: return RMW::And;
    case AtomicOp::Or: return RMW::Or;
    case AtomicOp::Xor: return RMW::Xor;
    case AtomicOp::SMin: return RMW::Min;
    case AtomicOp::SMax: return RMW::Max;
    case AtomicOp::UMin: return RMW::UMin;
    case AtomicOp::UMax: return RMW::UMax;
    default: return RMW::BAD_BINOP;
  }
}

}  // namespace

/// The bits that an atomic on floats stores in place of the bits `old`.
llvm::Value* Emitter::floatNext(const Inst& inst, V old, V value) {
  const auto op = static_cast<AtomicOp>(inst.atomic);
  const auto step = op == AtomicOp::FAdd   ? isa::ReduceOp::Add
                    : op == AtomicOp::FMin ? isa::ReduceOp::FMin
                                           : isa::ReduceOp::FMax;
  const auto number = [&](V v) {
    if (inst.type == Type::F64) return ir_.CreateBitCast(v, ir_.getDoubleTy());
    if (inst.type == Type::F32) return ir_.CreateBitCast(v, ir_.getFloatTy());
    return ir_.CreateFPExt(ir_.CreateBitCast(v, ir_.getHalfTy()), ir_.getFloatTy());
  };
  V next = reduceStep(step, number(old), number(value));
  if (inst.type == Type::F16) next = ir_.CreateFPTrunc(next, ir_.getHalfTy());
  return ir_.CreateBitCast(next, old->getType());
}

/// Computes and tries to put back until nobody came between. \returns the value of before.
llvm::Value* Emitter::floatAtomic(const Inst& inst, V p, V value) {
  const llvm::Align align(isa::typeBytes(inst.type));
  llvm::Type* bits = value->getType();
  llvm::LoadInst* first = ir_.CreateAlignedLoad(bits, p, align);
  first->setAtomic(kOrder);
  llvm::BasicBlock* before = ir_.GetInsertBlock();
  llvm::BasicBlock* retry = block("retry");
  llvm::BasicBlock* done = block("swapped");
  ir_.CreateBr(retry);
  enter(retry);
  llvm::PHINode* old = ir_.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  V pair = ir_.CreateAtomicCmpXchg(p, old, floatNext(inst, old, value), align, kOrder, kOrder);
  old->addIncoming(ir_.CreateExtractValue(pair, 0), retry);
  ir_.CreateCondBr(ir_.CreateExtractValue(pair, 1), done, retry);
  enter(done);
  return old;
}

/// One lane's. \returns what was there before
llvm::Value* Emitter::atomicStep(const Inst& inst, llvm::Type* bits, V p, V value, V compare) {
  const auto op = static_cast<AtomicOp>(inst.atomic);
  const llvm::Align align(isa::typeBytes(inst.type));
  switch (op) {
    case AtomicOp::Load: {
      llvm::LoadInst* load = ir_.CreateAlignedLoad(bits, p, align);
      load->setAtomic(kOrder);
      return load;
    }
    case AtomicOp::Store: {
      llvm::StoreInst* to = ir_.CreateAlignedStore(value, p, align);
      to->setAtomic(kOrder);
      return llvm::ConstantInt::get(bits, 0);
    }
    case AtomicOp::CompareExchange:
      return ir_.CreateExtractValue(ir_.CreateAtomicCmpXchg(p, compare, value, align, kOrder, kOrder), 0);
    case AtomicOp::FAdd:
    case AtomicOp::FMin:
    case AtomicOp::FMax: return floatAtomic(inst, p, value);
    default: return ir_.CreateAtomicRMW(hostsOwn(op), p, value, align, kOrder);
  }
}

/// The same in the workgroup's memory.
llvm::Value* Emitter::groupsOwnStep(const Inst& inst, llvm::Type* bits, V p, V value, V compare) {
  const auto op = static_cast<AtomicOp>(inst.atomic);
  const llvm::Align align(isa::typeBytes(inst.type));
  V old = op == AtomicOp::Store ? llvm::ConstantInt::get(bits, 0) : V(ir_.CreateAlignedLoad(bits, p, align));
  const auto next = [&]() -> V {
    switch (op) {
      case AtomicOp::Store:
      case AtomicOp::Exchange: return value;
      case AtomicOp::CompareExchange: return ir_.CreateSelect(ir_.CreateICmpEQ(old, compare), value, old);
      case AtomicOp::FAdd:
      case AtomicOp::FMin:
      case AtomicOp::FMax: return floatNext(inst, old, value);
      default: return reduceStep(*reductionOf(op), old, value);
    }
  };
  if (op != AtomicOp::Load) ir_.CreateAlignedStore(next(), p, align);
  return old;
}

/// Lanes `now`, each at its address. `value`, `compare`: null where there is none. \returns what was there before; 0 in
/// other lanes
llvm::Value* Emitter::atomicOfLanes(const Inst& inst, llvm::Type* number, V address, V now, V value, V compare) {
  llvm::AllocaInst* old = slot(lanes(number), "atomic");
  ir_.CreateStore(llvm::Constant::getNullValue(lanes(number)), old);
  llvm::AllocaInst* addresses = inMemory(address);
  llvm::AllocaInst* values = value ? inMemory(value) : nullptr;
  llvm::AllocaInst* compares = compare ? inMemory(compare) : nullptr;
  forEachLane(now, [&](V lane) {
    V p = ir_.CreateIntToPtr(laneIn(addresses, lane), ir_.getPtrTy());
    V v = values ? laneIn(values, lane) : nullptr, c = compares ? laneIn(compares, lane) : nullptr;
    V before = isOfGroup(inst) ? groupsOwnStep(inst, number, p, v, c) : atomicStep(inst, number, p, v, c);
    ir_.CreateStore(before, ir_.CreateInBoundsGEP(number, old, lane));
  });
  return ir_.CreateLoad(lanes(number), old);
}

/// Those of records are the interpreter's.
bool Emitter::atomic(const Inst& asked) {
  Inst inst = asked;
  const auto op = static_cast<AtomicOp>(inst.atomic);
  const bool isFloat = inst.type == Type::F16 || inst.type == Type::F32 || inst.type == Type::F64;
  if (op >= AtomicOp::FAdd && !isFloat) return false;
  const Type bits = inst.type == Type::F16 ? Type::I16 : isa::typeBytes(inst.type) == 4 ? Type::I32 : Type::I64;
  Access a;
  a.bytes = isa::typeBytes(inst.type), a.total = a.bytes, a.words = isa::typeWords(inst.type);
  a.element = ir_.getIntNTy(a.bytes * 8), a.offset = inst.src[1], a.imm = inst.imm;
  if (!rangeOf(inst, a.range)) return false;
  V value = op == AtomicOp::Load ? nullptr : splat(element(inst.src[2], bits));
  // From here on differences are sums of negatives.
  if (op == AtomicOp::Sub) value = ir_.CreateNeg(value), inst.atomic = static_cast<uint8_t>(AtomicOp::Add);
  if (atomicOfAll(inst, a, value)) return true;
  V compare = op == AtomicOp::CompareExchange ? splat(element(inst.src[2], bits, 1)) : nullptr;
  V mask = op == AtomicOp::Load ? exec() : sideEffectMask();
  const LaneCells cells = laneCells(a, a.bytes, nonzero(mask));
  // Misaligned ones act as if outside.
  V odd = ir_.CreateAnd(cells.address, splat(constant64(a.bytes - 1)));
  V inside = ir_.CreateAnd(cells.inside, ir_.CreateICmpEQ(odd, llvm::Constant::getNullValue(odd->getType())));
  if (const auto put = delayedAtomics_.find(index_); put != delayedAtomics_.end() && put->second == kOwnPlaces) {
    putOffEach(inst, *reductionOf(op), cells.address, inside, value);
    return true;
  }
  V old = atomicOfLanes(inst, a.element, cells.address, inside, value, compare);
  if (inst.dst.present()) setElement(inst, old);
  return true;
}

}  // namespace etzel::native
