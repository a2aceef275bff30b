// Atomic instructions on buffers, physical addresses, workgroup memory and texels. Memory semantics need no code: every
// atomic of the ISA is sequentially consistent, which is stronger than what any operand can ask for.
#include <algorithm>

#include "compiler/lower/image.h"
#include "compiler/lower/instructions.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {
namespace {

using abi::AtomicOp;
using isa::Type;
using spv::Op;

struct AtomicForm {
  Op op;
  AtomicOp atomic;
  uint8_t value;  ///< index of the value operand; 0 = none
};
constexpr AtomicForm kForms[] = {
    {Op::OpAtomicLoad, AtomicOp::Load, 0},
    {Op::OpAtomicStore, AtomicOp::Store, 3},
    {Op::OpAtomicExchange, AtomicOp::Exchange, 3},
    {Op::OpAtomicCompareExchange, AtomicOp::CompareExchange, 4},
    {Op::OpAtomicCompareExchangeWeak, AtomicOp::CompareExchange, 4},
    {Op::OpAtomicIIncrement, AtomicOp::Add, 0},
    {Op::OpAtomicIDecrement, AtomicOp::Sub, 0},
    {Op::OpAtomicIAdd, AtomicOp::Add, 3},
    {Op::OpAtomicISub, AtomicOp::Sub, 3},
    {Op::OpAtomicSMin, AtomicOp::SMin, 3},
    {Op::OpAtomicUMin, AtomicOp::UMin, 3},
    {Op::OpAtomicSMax, AtomicOp::SMax, 3},
    {Op::OpAtomicUMax, AtomicOp::UMax, 3},
    {Op::OpAtomicAnd, AtomicOp::And, 3},
    {Op::OpAtomicOr, AtomicOp::Or, 3},
    {Op::OpAtomicXor, AtomicOp::Xor, 3},
    {Op::OpAtomicFAddEXT, AtomicOp::FAdd, 3},
    {Op::OpAtomicFMinEXT, AtomicOp::FMin, 3},
    {Op::OpAtomicFMaxEXT, AtomicOp::FMax, 3},
    {Op::OpAtomicFlagTestAndSet, AtomicOp::Exchange, 0},
    {Op::OpAtomicFlagClear, AtomicOp::Store, 0},
};

/// The atomic on a texel: an image instruction with the value as its data.
Operand onTexel(Lowerer& l, const Pointer& p, AtomicOp op, Operand data) {
  const auto& image = l.type(p.imageType);
  abi::TexInst t = texInstOf(l, image, abi::TexKind::ImageAtomic);
  t.atomic = op;
  const bool isFloat = l.type(l.scalarTypeOf(p.type)).kind == TypeKind::Float;
  if (isFloat) t.type = abi::TexType::Float;
  std::vector<Operand> args;
  for (uint32_t i = 0; i < t.argCoordWords(); ++i) args.push_back(i < p.coords.size() ? p.coords[i] : l.imm(0));
  if (t.hasSample()) args.push_back(p.sample);
  for (uint32_t w = 0; w < t.dataWords(); ++w) args.push_back(Lowerer::word(data, w));
  return l.b.texture(t, p.image.empty() ? l.imm(abi::kNullHandle) : p.image[0], l.consecutive(args));
}

/// Components that live in registers (Function and Private variables): nobody else sees them, so plain code will do.
Operand onRegister(Lowerer& l, const spirv::Instruction& inst, const Pointer& p, AtomicOp op, Type t, Operand value,
                   Operand comparator) {
  const Operand old = l.load(p)[0];
  const uint32_t words = isa::typeWords(t);
  const Operand result = l.newTemp(words);
  l.b.move(result, old, words);  // the variable's own register is about to change
  Operand next = value;
  auto combine = [&](Opcode code) { next = l.b.value(code, t, result, value); };
  switch (op) {
    case AtomicOp::Load: return result;
    case AtomicOp::Store:
    case AtomicOp::Exchange: break;
    case AtomicOp::CompareExchange:
      next = l.b.select(l.b.icmp(isa::CmpI::Eq, t, result, comparator), value, result, words);
      break;
    case AtomicOp::Add: combine(Opcode::IAdd); break;
    case AtomicOp::Sub: combine(Opcode::ISub); break;
    case AtomicOp::SMin: combine(Opcode::SMin); break;
    case AtomicOp::UMin: combine(Opcode::UMin); break;
    case AtomicOp::SMax: combine(Opcode::SMax); break;
    case AtomicOp::UMax: combine(Opcode::UMax); break;
    case AtomicOp::And: combine(Opcode::And); break;
    case AtomicOp::Or: combine(Opcode::Or); break;
    case AtomicOp::Xor: combine(Opcode::Xor); break;
    case AtomicOp::FAdd: combine(Opcode::FAdd); break;
    case AtomicOp::FMin: combine(Opcode::FMin); break;
    case AtomicOp::FMax: combine(Opcode::FMax); break;
  }
  l.store(p, {next});
  return result;
}

void lowerAtomic(Lowerer& l, const spirv::Instruction& inst) {
  const AtomicForm* form =
      std::find_if(std::begin(kForms), std::end(kForms), [&](const AtomicForm& f) { return f.op == inst.op; });
  const uint32_t accessed = inst.result ? inst.type : l.typeOf(inst.operand(form->value));
  const Pointer p = l.resolve(l.pointerTo(inst.operand(0), accessed));
  const uint32_t scalarType = l.scalarTypeOf(p.type);
  const Type t = l.isaType(scalarType);
  const uint32_t words = isa::typeWords(t);
  const AtomicOp op = form->atomic;

  Operand value, comparator;
  if (form->value)
    value = l.scalar(inst.operand(form->value));
  else if (inst.op == Op::OpAtomicFlagTestAndSet || inst.op == Op::OpAtomicIIncrement ||
           inst.op == Op::OpAtomicIDecrement)
    value = l.immOf(scalarType, 1);
  else if (inst.op == Op::OpAtomicFlagClear)
    value = l.immOf(scalarType, 0);
  Operand data = value;
  if (op == AtomicOp::CompareExchange) {
    comparator = l.scalar(inst.operand(form->value + 1));
    const Operand both[2] = {value, mutated(Mutant::CompareExchange) ? value : comparator};
    data = l.consecutive(both, words);
  }

  Operand result;
  switch (p.kind) {
    case Pointer::Kind::Texel: result = onTexel(l, p, op, data); break;
    case Pointer::Kind::Register: result = onRegister(l, inst, p, op, t, value, comparator); break;
    case Pointer::Kind::Memory: {
      // Integer and float atomics name the type that the operation works on; moves are the same for both.
      result = l.b.atomic(p.space, op, t, p.address, p.offset, data, p.imm);
      break;
    }
    default: l.unsupported(inst, "atomic on a pointer that is not memory"); result = l.immOf(scalarType, 0);
  }
  // Shaders with stores must run even where nothing else would be seen of them.
  if (op != AtomicOp::Load && p.kind != Pointer::Kind::Register && p.storage != spv::StorageClass::Workgroup)
    l.info().hasSideEffects = true;
  if (!inst.result) return;
  if (inst.op == Op::OpAtomicFlagTestAndSet) result = l.b.icmp(isa::CmpI::Ne, t, result, l.immOf(scalarType, 0));
  l.setResult(inst, result);
}

}  // namespace

void addAtomics(LoweringTable& table) {
  for (const AtomicForm& f : kForms) table.add(f.op, lowerAtomic);
}

}  // namespace etzel::lower
