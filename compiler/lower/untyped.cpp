// Pointers that say nothing of what they point to (SPV_KHR_untyped_pointers), pointers into rows of bytes
// (SPV_NV_raw_access_chains), and copies of bytes. Each access or step says what it takes the memory for
// (Lowerer::retyped); behind a step the pointer has no type again.
#include <algorithm>
#include <bit>

#include "compiler/lower/instructions.h"
#include "compiler/spirv/newer.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {
namespace {

using isa::Space;
using isa::Type;

void setUntyped(Lowerer& l, const spirv::Instruction& inst, Pointer p) {
  p.type = 0;
  p.matrixStride = p.componentStride = 0, p.rowMajor = false;
  l.setPointer(inst, std::move(p));
}

/// Base type, base, indices.
void lowerAccessChain(Lowerer& l, const spirv::Instruction& inst) {
  Pointer p = l.retyped(l.pointer(inst.operand(1)), inst.operand(0));
  for (size_t i = 2; i < inst.size() && !l.failed(); ++i) p = l.index(p, inst.operand(i));
  setUntyped(l, inst, std::move(p));
}

/// Base type, base, element, indices.
void lowerPtrAccessChain(Lowerer& l, const spirv::Instruction& inst) {
  Pointer p = l.resolve(l.retyped(l.pointer(inst.operand(1)), inst.operand(0)));
  if (p.kind != Pointer::Kind::Memory) return l.unsupported(inst, "on this pointer");
  uint64_t stride = l.module.decorationsOf(l.typeOf(inst.operand(1))).get(spv::Decoration::ArrayStride);
  if (!stride || mutated(Mutant::UntypedElements))
    stride = alignUp<uint64_t>(l.typeBytes(p.type, p.layout), std::max(l.typeAlignment(p.type), 1u));
  l.widenOffset(&p);
  l.addOffset(&p, inst.operand(2), stride);
  for (size_t i = 3; i < inst.size() && !l.failed(); ++i) p = l.index(p, inst.operand(i));
  setUntyped(l, inst, std::move(p));
}

/// Base, stride, index, offset. Each component that is accessed is checked, which both kinds of robustness allow: an
/// element that lies in a buffer lies there with all its components, one that does not with none.
void lowerRawAccessChain(Lowerer& l, const spirv::Instruction& inst) {
  Pointer p = l.retyped(l.pointer(inst.operand(0)), l.type(inst.type).element);
  if (p.kind != Pointer::Kind::Memory) return l.unsupported(inst, "on this pointer");
  const uint32_t stride = mutated(Mutant::RawStride) ? 4 : l.constantOr(inst.operand(1), 0);
  uint32_t index = 0, offset = 0;
  const bool knowsIndex = l.constantU32(inst.operand(2), &index), knowsOffset = l.constantU32(inst.operand(3), &offset);
  // "OpRawAccessChainNV": unsigned numbers of 32 bits.
  if (knowsIndex)
    offset += index * stride;
  else if (stride)
    l.addBytes(&p, l.b.value(Opcode::IMul, Type::I32, l.scalar(inst.operand(2)), l.imm(stride)));
  if (!knowsOffset) l.addBytes(&p, l.scalar(inst.operand(3)));
  if (offset < 1u << 20)
    p.imm += offset;
  else
    l.addBytes(&p, l.imm(offset));
  l.setPointer(inst, std::move(p));
}

/// Bytes that are sure to be aligned together on both sides, by the Aligned memory operands: 1, 2 or 4.
uint32_t alignmentOf(const spirv::Instruction& inst) {
  using M = spv::MemoryAccessMask;
  uint32_t least = 4;
  for (size_t at = 3; at < std::max<size_t>(inst.size(), 4);) {
    const uint32_t mask = inst.operand(at++);
    const uint32_t aligned = mask & uint32_t(M::Aligned) ? inst.operand(at++) : 1;
    least = std::min(least, std::max(aligned & (0u - aligned), 1u));
    at += ((mask & uint32_t(M::MakePointerAvailable)) != 0) + ((mask & uint32_t(M::MakePointerVisible)) != 0);
  }
  return least;
}

void copyBytes(Lowerer& l, Pointer to, Pointer from, uint32_t count, uint32_t unit) {
  const Type type = unit == 4 ? Type::I32 : unit == 2 ? Type::I16 : Type::I8;
  constexpr uint32_t kMost = 8;
  for (uint32_t at = 0; at < count;) {
    const uint32_t elements = std::min(kMost, (count - at) / unit);
    const Operand data = l.b.load(from.space, type, from.address, from.offset, from.imm + at, elements);
    l.b.store(to.space, type, to.address, to.offset, data, to.imm + at, elements);
    at += elements * unit;
  }
}

/// Copies a number of bytes that only the invocation knows.
void copyInLoop(Lowerer& l, const Pointer& to, const Pointer& from, Operand bytes, uint32_t unit) {
  const Operand at = l.newTemp(1);
  l.b.moveMasked(at, l.imm(0));
  const uint32_t done = l.beginBlock();
  l.b.loopBegin();
  l.brIf(l.b.icmp(isa::CmpI::UGe, Type::I32, at, bytes), done);
  Pointer source = from, target = to;
  l.addBytes(&source, at), l.addBytes(&target, at);
  copyBytes(l, target, source, unit, unit);
  l.b.emit(Opcode::IAdd, Type::I32, at, {at, l.imm(unit)}).masked = true;
  l.b.loopEnd();
  l.endBlock(done);
}

/// Target, source, size, memory operands.
void lowerCopyMemorySized(Lowerer& l, const spirv::Instruction& inst) {
  constexpr uint32_t kMostUnrolled = 256;
  Pointer to = l.resolve(l.pointer(inst.operand(0))), from = l.resolve(l.pointer(inst.operand(1)));
  const auto hasAddress = [](const Pointer& p) { return p.kind == Pointer::Kind::Memory && p.layout != Layout::Words; };
  uint32_t size = 0;
  const bool isKnown = l.constantU32(inst.operand(2), &size);
  if (!hasAddress(to) || !hasAddress(from)) {
    // A variable of the invocation: as a whole, or not at all.
    const uint32_t whole = hasAddress(to) ? from.type : to.type;
    if (!isKnown || !whole || l.typeBytes(whole, Layout::Natural) != size)
      return l.unsupported(inst, "for parts of variables that have no addresses");
    return l.store(hasAddress(to) ? l.retyped(to, whole) : to,
                   l.load(hasAddress(from) ? l.retyped(from, whole) : from));
  }
  uint32_t unit = alignmentOf(inst);
  while (isKnown && size % unit) unit /= 2;
  if (isKnown && size <= kMostUnrolled) return copyBytes(l, to, from, size, unit);
  copyInLoop(l, to, from, l.toWord(l.scalar(inst.operand(2)), l.typeOf(inst.operand(2))), isKnown ? unit : 1);
}

}  // namespace

void addUntypedPointers(LoweringTable& table) {
  table.add({
      {spirv::kOpUntypedAccessChain, lowerAccessChain},
      {spirv::kOpUntypedInBoundsAccessChain, lowerAccessChain},
      {spirv::kOpUntypedPtrAccessChain, lowerPtrAccessChain},
      {spirv::kOpUntypedInBoundsPtrAccessChain, lowerPtrAccessChain},
      {spirv::kOpRawAccessChain, lowerRawAccessChain},
      {spv::Op::OpCopyMemorySized, lowerCopyMemorySized},
  });
}

}  // namespace etzel::lower
