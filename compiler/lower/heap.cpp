// Descriptor heaps (VK_EXT_descriptor_heap, SPV_EXT_descriptor_heap). A heap is a table of descriptors, and a place in
// it a number of bytes: pointers into heaps are stepped as any memory is, and bindings that are mapped to heaps compute
// the place of their descriptors here. What lies between the places of descriptors is the one before it, so that no
// half of one is taken for the whole of another.
#include "compiler/lower/image.h"
#include "compiler/lower/instructions.h"
#include "compiler/spirv/newer.h"
#include "runtime/abi/heap_tables.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {

using compiler::DescriptorMapping;
using isa::Space;
using isa::Type;

namespace {

// VkSpirvResourceTypeFlagBitsEXT
constexpr uint32_t kSampler = 1 << 0, kSampledImage = 1 << 1, kReadOnlyImage = 1 << 2, kReadWriteImage = 1 << 3,
                   kCombined = 1 << 4, kUniformBuffer = 1 << 5, kReadOnlyBuffer = 1 << 6, kReadWriteBuffer = 1 << 7;

constexpr uint32_t kBytesPerHandle = 16;
static_assert(abi::kDescriptorBytes == 2 * kBytesPerHandle);

Operand add(Lowerer& l, Operand x, Operand y) {
  return !x.present() ? y : !y.present() ? x : l.b.value(Opcode::IAdd, Type::I32, x, y);
}
Operand times(Lowerer& l, Operand x, uint32_t factor) {
  return factor == 1 ? x : l.b.value(Opcode::IMul, Type::I32, x, l.imm(factor));
}

/// The descriptor at `constant` + `bytes` (absent: 0) of a table; those that no handle names are the last one's.
Operand handleAt(Lowerer& l, uint32_t table, uint32_t constant, Operand bytes) {
  constexpr uint32_t kLast = abi::kSlotMask / 2;  // in descriptors
  if (!bytes.present()) return l.imm(table << abi::kTableShift | std::min(constant / abi::kDescriptorBytes, kLast) * 2);
  if (constant) bytes = add(l, bytes, l.imm(constant));
  Operand n = l.b.value(Opcode::Shr, Type::I32, bytes, l.imm(5));
  n = l.b.value(Opcode::UMin, Type::I32, n, l.imm(kLast));
  n = l.b.value(Opcode::Shl, Type::I32, n, l.imm(1));
  return l.b.value(Opcode::Or, Type::I32, n, l.imm(table << abi::kTableShift));
}

/// The index that a mapping finds in the push data, or behind an address there. `element`: the binding's, in an array
/// of indices.
Operand indexOf(Lowerer& l, DescriptorMapping::Source source, const DescriptorMapping::Place& place, uint32_t constant,
                Operand element) {
  if (source == DescriptorMapping::PushIndex) return l.b.load(Space::Push, Type::I32, {}, {}, place.pushOffset);
  Pointer p;
  p.kind = Pointer::Kind::Memory, p.space = Space::Global;
  p.address = l.b.load(Space::Push, Type::I64, {}, {}, place.pushOffset);
  uint32_t offset = place.addressOffset;
  if (source == DescriptorMapping::IndirectIndexArray) {
    offset += 4 * constant;
    if (element.present()) l.addBytes(&p, l.b.value(Opcode::Shl, Type::I32, element, l.imm(2)));
  }
  if (offset >= 1u << 20) l.addBytes(&p, l.imm(offset)), offset = 0;
  return l.b.load(p.space, Type::I32, p.address, {}, offset);
}

}  // namespace

const DescriptorMapping* Lowerer::mappingOf(const spirv::Variable& v) const {
  if (source.mappings.empty()) return nullptr;
  const spirv::Decorations& d = module.decorationsOf(v.id);
  uint32_t typeId = v.type;
  while (type(typeId).kind == TypeKind::Array || type(typeId).kind == TypeKind::RuntimeArray)
    typeId = type(typeId).element;
  const spirv::Type& t = type(typeId);
  const auto isReadOnly = [&] {
    if (d.has(spv::Decoration::NonWritable)) return true;
    bool all = t.kind == TypeKind::Struct && !t.members.empty();
    for (uint32_t i = 0; i < t.members.size(); ++i)
      all &= module.memberDecorationsOf(typeId, i).has(spv::Decoration::NonWritable);
    return all;
  };
  uint32_t kind = 0;
  if (t.kind == TypeKind::Sampler) kind = kSampler;
  if (t.kind == TypeKind::SampledImage) kind = kCombined;
  if (t.kind == TypeKind::Image)
    kind = t.sampled == 1                   ? kSampledImage
           : t.dim == spv::Dim::SubpassData ? kReadOnlyImage | kReadWriteImage  // shaders cannot write to it anyway
           : isReadOnly()                   ? kReadOnlyImage
                                            : kReadWriteImage;
  if (t.kind == TypeKind::Struct) {
    const bool isStorage =
        v.storage == spv::StorageClass::StorageBuffer || module.decorationsOf(typeId).has(spv::Decoration::BufferBlock);
    kind = !isStorage ? kUniformBuffer : isReadOnly() ? kReadOnlyBuffer : kReadWriteBuffer;
  }
  const uint32_t set = d.get(spv::Decoration::DescriptorSet), binding = d.get(spv::Decoration::Binding);
  for (const DescriptorMapping& m : source.mappings)
    if (m.set == set && binding >= m.firstBinding && binding - m.firstBinding < m.bindingCount && m.resources & kind)
      return &m;
  return nullptr;
}

Operand Lowerer::mappedHandle(const Pointer& p, bool samplers) {
  const DescriptorMapping& m = *p.mapping;
  const uint32_t mapped = abi::kFirstMappedTable + static_cast<uint32_t>(stage());
  const bool isSampler = samplers || type(p.type).kind == TypeKind::Sampler;
  if (isSampler && m.embedded != DescriptorMapping::kNone)
    return imm(abi::makeHandle(mapped, m.embedded * abi::kDescriptorBytes));
  if (m.source == DescriptorMapping::Made) return imm(abi::makeHandle(mapped, m.madeSlot * abi::kDescriptorBytes));
  const uint32_t table = isSampler ? abi::kSamplerHeapTable : abi::kResourceHeapTable;
  const bool isPacked = m.packsIndices && (samplers || type(p.type).kind == TypeKind::SampledImage);
  const DescriptorMapping::Place& place = samplers ? m.sampler : m.resource;
  uint32_t constant = place.offset;
  Operand bytes;
  if (m.source != DescriptorMapping::IndirectIndexArray) {
    constant += p.constIndex * place.arrayStride;
    if (p.index.present()) bytes = times(*this, p.index, place.arrayStride);
  }
  if (m.source != DescriptorMapping::Constant) {
    Operand index = indexOf(*this, m.source, isPacked ? m.resource : place, p.constIndex, p.index);
    if (isPacked)
      index = samplers ? b.value(Opcode::Shr, Type::I32, index, imm(20))
                       : b.value(Opcode::And, Type::I32, index, imm(0xFFFFF));
    bytes = add(*this, bytes, times(*this, index, place.indexStride));
  }
  return handleAt(*this, table, constant, bytes);
}

Operand Lowerer::heapHandle(const Pointer& p) { return handleAt(*this, p.heap, p.imm, p.offset); }

namespace {

void lowerBufferPointer(Lowerer& l, const spirv::Instruction& inst) {
  const Pointer buffer = l.pointer(inst.operand(0));
  if (!buffer.heap) return l.unsupported(inst, "on a pointer that is not into a heap");
  Pointer p;
  p.kind = Pointer::Kind::Memory, p.space = Space::Buffer;
  p.type = l.type(inst.type).element, p.storage = l.type(inst.type).storage;
  p.address = l.heapHandle(buffer);
  l.setPointer(inst, std::move(p));
}

void lowerTexelPointer(Lowerer& l, const spirv::Instruction& inst) {
  const uint32_t imageType = inst.operand(0);
  Pointer p;
  p.kind = Pointer::Kind::Texel;
  p.type = l.type(imageType).element;
  p.storage = spv::StorageClass::Image;
  p.imageType = imageType;
  p.image = l.load(l.retyped(l.pointer(inst.operand(1)), imageType));
  p.coords = wordsOf(l, inst.operand(2), false);
  p.sample = wordsOf(l, inst.operand(3), false)[0];
  l.setPointer(inst, std::move(p));
}

}  // namespace

void addHeaps(LoweringTable& table) {
  table.add({{spirv::kOpBufferPointer, lowerBufferPointer}, {spirv::kOpUntypedImageTexelPointer, lowerTexelPointer}});
}

}  // namespace etzel::lower
