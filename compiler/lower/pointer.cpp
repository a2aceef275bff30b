// The layout of types in memory, pointers and access chains.
//
// A pointer is followed symbolically: constant steps add to `imm` or `first`, dynamic ones make an offset operand.
// Buffer offsets wrap at 32 bits, but where the shader asks for 64 ("64-Bit Indexing"): what lies in a runtime array is
// found by 64 bits there. Physical pointers are stepped with 64-bit arithmetic.
#include <bit>
#include <iterator>

#include "compiler/lower/lower.h"
#include "compiler/spirv/newer.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {

using isa::Space;

// --- Layout

uint32_t Lowerer::typeAlignment(uint32_t typeId) {
  const spirv::Type& t = type(typeId);
  switch (t.kind) {
    case TypeKind::Vector:
    case TypeKind::Matrix:
    case TypeKind::Array:
    case TypeKind::RuntimeArray: return typeAlignment(t.element);
    case TypeKind::Struct: {
      uint32_t a = 1;
      for (uint32_t member : t.members) a = std::max(a, typeAlignment(member));
      return a;
    }
    case TypeKind::Buffer: return abi::kDescriptorBytes;
    default: return t.kind == TypeKind::Pointer && t.components > 1 ? 4 : widthOf(typeId) / 8;
  }
}

uint64_t Lowerer::typeBytes(uint32_t typeId, Layout layout) {
  const spirv::Type& t = type(typeId);
  switch (t.kind) {
    case TypeKind::Vector:
    case TypeKind::Matrix: return t.count * typeBytes(t.element, layout);
    case TypeKind::Array: {
      if (layout == Layout::Explicit)
        if (const uint32_t stride = module.decorationsOf(typeId).get(spv::Decoration::ArrayStride))
          return uint64_t(stride) * t.count;
      uint64_t element = typeBytes(t.element, layout);
      if (layout == Layout::Natural) element = alignUp<uint64_t>(element, typeAlignment(t.element));
      return element * t.count;
    }
    case TypeKind::Struct: {
      uint64_t end = 0;
      for (uint32_t i = 0; i < t.members.size(); ++i) {
        uint64_t size = typeBytes(t.members[i], layout);
        const spirv::Type& mt = type(t.members[i]);
        if (layout == Layout::Explicit && mt.kind == TypeKind::Matrix) {
          const spirv::Decorations& d = module.memberDecorationsOf(typeId, i);
          const uint32_t stride = d.get(spv::Decoration::MatrixStride);
          size = std::max<uint64_t>(
              size, uint64_t(stride) * (d.has(spv::Decoration::RowMajor) ? type(mt.element).count : mt.count));
        }
        end = std::max(end, memberOffset(typeId, i, layout) + size);
      }
      return layout == Layout::Natural ? alignUp<uint64_t>(end, typeAlignment(typeId)) : end;
    }
    case TypeKind::RuntimeArray: return 0;
    case TypeKind::Image:
    case TypeKind::Sampler:
    case TypeKind::Buffer:
      if (layout == Layout::Explicit) return abi::kDescriptorBytes;  // only heaps lay them out
      return 4;
    case TypeKind::None: return 1;  // behind a pointer without a type are bytes
    default:
      if (layout == Layout::Words) {
        uint64_t words = 0;
        for (uint32_t s : scalarsOf(typeId)) words += wordsOfScalar(s);
        return 4 * words;
      }
      return t.kind == TypeKind::Pointer && t.components > 1 ? 4 * t.components : widthOf(typeId) / 8;
  }
}

uint64_t Lowerer::memberOffset(uint32_t typeId, uint32_t member, Layout layout) {
  const spirv::Type& t = type(typeId);
  if (layout == Layout::Explicit) {
    const spirv::Decorations& d = module.memberDecorationsOf(typeId, member);
    if (d.has(spv::Decoration::Offset)) return d.get(spv::Decoration::Offset);
    layout = Layout::Natural;
  }
  uint64_t at = 0;
  for (uint32_t i = 0; i <= member && i < t.members.size(); ++i) {
    if (layout == Layout::Natural) at = alignUp<uint64_t>(at, typeAlignment(t.members[i]));
    if (i < member) at += typeBytes(t.members[i], layout);
  }
  return at;
}

namespace {
/// Byte distance between the elements of an array, matrix or vector behind p.
uint64_t elementStride(Lowerer& l, const Pointer& p, uint32_t typeId, uint64_t elementBytes, uint64_t alignment) {
  const spirv::Type& t = l.type(typeId);
  if (p.layout == Layout::Explicit) {
    if (t.kind == TypeKind::Array || t.kind == TypeKind::RuntimeArray)
      if (const uint32_t stride = l.module.decorationsOf(typeId).get(spv::Decoration::ArrayStride)) return stride;
    if (t.kind == TypeKind::Matrix && p.matrixStride) return p.rowMajor ? l.widthOf(typeId) / 8 : p.matrixStride;
    if (t.kind == TypeKind::Vector && p.componentStride) return p.componentStride;
  }
  return p.layout == Layout::Natural || p.layout == Layout::Explicit
             ? alignUp(elementBytes, std::max<uint64_t>(alignment, 1))
             : elementBytes;
}
void takeMatrixLayout(Pointer* p, const spirv::Decorations& d) {
  if (!d.has(spv::Decoration::MatrixStride)) return;
  p->matrixStride = d.get(spv::Decoration::MatrixStride);
  p->rowMajor = d.has(spv::Decoration::RowMajor);
}
}  // namespace

void Lowerer::leaves(const Pointer& p, uint32_t typeId, uint32_t offset,
                     std::vector<std::pair<uint32_t, uint32_t>>* out) {
  const spirv::Type& t = type(typeId);
  if (out->size() > 1u << 16) return error(ErrorCode::Unsupported, "a load or store of more than 65536 components");
  switch (t.kind) {
    case TypeKind::Struct:
      for (uint32_t i = 0; i < t.members.size(); ++i) {
        Pointer inner = p;
        if (p.layout == Layout::Explicit) takeMatrixLayout(&inner, module.memberDecorationsOf(typeId, i));
        leaves(inner, t.members[i], offset + static_cast<uint32_t>(memberOffset(typeId, i, p.layout)), out);
      }
      return;
    case TypeKind::Array:
    case TypeKind::Matrix:
    case TypeKind::Vector: {
      const uint32_t stride = static_cast<uint32_t>(
          elementStride(*this, p, typeId, typeBytes(t.element, p.layout), typeAlignment(t.element)));
      Pointer inner = p;
      if (t.kind == TypeKind::Matrix) inner.componentStride = p.rowMajor ? p.matrixStride : 0;
      for (uint32_t i = 0; i < t.count && !failed(); ++i) leaves(inner, t.element, offset + i * stride, out);
      return;
    }
    case TypeKind::RuntimeArray:
      return error(ErrorCode::InvalidShader, "a runtime array is loaded or stored as a whole");
    default: {
      uint32_t at = offset;
      for (uint32_t s : scalarsOf(typeId)) {
        out->emplace_back(at, s);
        at += p.layout == Layout::Words ? 4 * wordsOfScalar(s) : 4;
      }
    }
  }
}

// --- Pointers

Pointer Lowerer::pointer(uint32_t id) {
  auto it = pointers_.find(id);
  if (it != pointers_.end()) return it->second;
  if (auto v = moduleVariables_.find(id); v != moduleVariables_.end()) {
    Pointer p = declare(*v->second);
    if (type(v->second->pointerType).isUntyped()) p.type = 0;
    pointers_[id] = p;
    return p;
  }
  const spirv::Type& t = typeOfValue(id);
  Pointer p;
  if (t.kind != TypeKind::Pointer) {
    error(ErrorCode::InvalidShader, "%" + std::to_string(id) + " is used as a pointer");
    return p;
  }
  // A pointer that was a value: loaded, selected, merged by a phi, converted from an integer.
  p.kind = Pointer::Kind::Memory;
  p.type = t.element, p.storage = t.storage;
  std::vector<Operand> words = components(id);
  words.resize(3, imm(0));
  switch (t.storage) {
    case spv::StorageClass::PhysicalStorageBuffer: p.space = Space::Global, p.address = words[0]; break;
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::Uniform:
      if (module.wideIndices)
        p.space = Space::WideBuffer, p.address = consecutive(words);
      else
        p.space = Space::Buffer, p.address = words[0], p.offset = words[1];
      break;
    case spv::StorageClass::Workgroup:
      p.space = Space::Shared, p.offset = words[0];
      p.layout = explicitShared() ? Layout::Explicit : Layout::Natural;
      break;
    default:
      error(ErrorCode::Unsupported,
            "a pointer value of storage class " + std::to_string(static_cast<uint32_t>(t.storage)));
  }
  return p;
}

Pointer Lowerer::pointerTo(uint32_t id, uint32_t typeId) {
  const Pointer p = pointer(id);
  return p.type ? p : retyped(p, typeId);
}

Pointer Lowerer::retyped(const Pointer& from, uint32_t typeId) {
  uint32_t block = typeId;
  while (type(block).kind == TypeKind::Array || type(block).kind == TypeKind::RuntimeArray) block = type(block).element;
  const spirv::Decorations& d = module.decorationsOf(block);
  const bool isDescriptors = block != typeId && (d.has(spv::Decoration::Block) || d.has(spv::Decoration::BufferBlock));
  Pointer p = isDescriptors ? from : resolve(from);
  p.type = typeId;
  p.matrixStride = p.componentStride = 0, p.rowMajor = false;
  if (p.kind == Pointer::Kind::Memory ? p.layout == Layout::Words : p.kind != Pointer::Kind::Resource)
    error(ErrorCode::Unsupported, "memory without addresses is accessed as another type");
  return p;
}

void Lowerer::setPointer(const spirv::Instruction& inst, Pointer p) {
  if (escapingIds_.count(inst.result)) {
    auto keep = [&](Operand& o, uint32_t words) {
      if (o.bank != isa::Bank::Temp) return;
      const Operand copy = newTemp(words);
      b.moveMasked(copy, o, words);
      o = copy;
    };
    keep(p.address, p.kind == Pointer::Kind::Memory ? std::max<uint32_t>(isa::spaceInfo(p.space).addressWords, 1) : 1);
    keep(p.offset, 1);
    keep(p.index, 1);
    keep(p.sample, 1);
    for (Operand& o : p.image) keep(o, 1);
    for (Operand& o : p.coords) keep(o, 1);
  }
  values_.erase(inst.result);
  pointers_[inst.result] = std::move(p);
}

Operand Lowerer::descriptorHandle(const Pointer& p) {
  if (p.storage == spirv::kTileImage) {  // what names a tile image is its location
    if (!p.index.present()) return imm(p.constIndex);
    return p.constIndex ? b.value(Opcode::IAdd, isa::Type::I32, p.index, imm(p.constIndex)) : p.index;
  }
  if (p.mapping) return mappedHandle(p);
  if (p.resource >= program.resources.size()) return imm(abi::kNullHandle);
  const isa::Resource& r = program.resources[p.resource];
  if (p.index.present()) {
    Operand element = p.index;
    if (p.constIndex) element = b.value(Opcode::IAdd, isa::Type::I32, element, imm(p.constIndex));
    return b.descriptor(p.resource, element);
  }
  if (p.constIndex >= r.count) return imm(abi::kNullHandle);
  return imm(r.baseHandle + p.constIndex * (r.strideBytes / 16));
}

Pointer Lowerer::resolve(const Pointer& p) {
  const bool isOpaque = p.storage == spv::StorageClass::UniformConstant || p.storage == spirv::kTileImage;
  if (p.kind != Pointer::Kind::Resource || isOpaque) return p;
  Pointer m = p;
  m.kind = Pointer::Kind::Memory;
  m.space = Space::Buffer, m.layout = Layout::Explicit;
  m.address = descriptorHandle(p);
  return m;
}

namespace {
bool hasWideOffsets(const Pointer& p) { return p.space == Space::Global || p.space == Space::WideBuffer; }
}  // namespace

void Lowerer::widenOffset(Pointer* p) {
  if (!module.wideIndices || mutated(Mutant::WideIndices)) return;
  if (p->kind != Pointer::Kind::Memory || p->space != Space::Buffer || p->heap) return;
  const Operand words[] = {p->address, p->offset.present() ? p->offset : imm(0), imm(0)};
  p->address = consecutive(words), p->offset = {}, p->space = Space::WideBuffer;
}

Operand Lowerer::toLong(Operand o, uint32_t typeId) {
  const spirv::Type& t = type(scalarTypeOf(typeId));
  if (t.width == 64) return o;
  return b.convert(t.isSigned ? Opcode::CvtSS : Opcode::CvtUU, isa::Type::I64, isaType(typeId), o);
}

void Lowerer::addLong(Pointer* p, Operand bytes) {
  const auto sum = [&](Operand from) { return b.value(Opcode::IAdd, isa::Type::I64, from, bytes); };
  if (p->space == Space::Global) {
    p->address = sum(p->address);
  } else if (p->space == Space::WideBuffer) {
    const Operand offset = sum(word(p->address, 1));
    const Operand words[] = {p->address, offset, word(offset, 1)};
    p->address = consecutive(words);
  } else {
    addBytes(p, bytes);  // the low word comes first
  }
}

/// Steps p by `indexId` elements of `stride` bytes.
void Lowerer::addOffset(Pointer* p, uint32_t indexId, uint64_t stride) {
  uint32_t constant = 0;
  const uint32_t indexType = typeOf(indexId);
  const spirv::Type& t = type(indexType);
  const bool isConstant = constantU32(indexId, &constant);
  if (isConstant && t.isSigned && t.width < 32)
    constant = static_cast<uint32_t>(static_cast<int32_t>(constant << (32 - t.width)) >> (32 - t.width));
  if (hasWideOffsets(*p)) {
    constexpr uint64_t kMostIndex = 1u << 20, kMostImmediate = 1u << 30;
    const uint64_t index = !isConstant ? kMostIndex : t.width > 32 ? module.constant(indexId)->scalars[0] : constant;
    if (index < kMostIndex && index * stride + p->imm <= kMostImmediate) {
      p->imm += static_cast<uint32_t>(index * stride);
      return;
    }
    const Operand wide = toLong(scalar(indexId), indexType);
    addLong(p, stride == 1 ? wide : b.value(Opcode::IMul, isa::Type::I64, wide, imm64(stride)));
    return;
  }
  if (isConstant) {
    // Offsets are not negative on their own: such a step goes into the dynamic part, which wraps.
    const uint32_t step = constant * static_cast<uint32_t>(stride);
    if (t.isSigned && static_cast<int32_t>(constant) < 0)
      p->offset = p->offset.present() ? b.value(Opcode::IAdd, isa::Type::I32, p->offset, imm(step + p->imm))
                                      : imm(step + p->imm),
      p->imm = 0;
    else
      p->imm += step;
    return;
  }
  Operand bytes = toWord(scalar(indexId), indexType);
  if (stride > 1 && std::has_single_bit(stride))
    bytes = b.value(Opcode::Shl, isa::Type::I32, bytes, imm(static_cast<uint32_t>(std::countr_zero(stride))));
  else if (stride != 1)
    bytes = b.value(Opcode::IMul, isa::Type::I32, bytes, imm(static_cast<uint32_t>(stride)));
  addBytes(p, bytes);
}

void Lowerer::addBytes(Pointer* p, Operand bytes) {
  if (hasWideOffsets(*p))
    addLong(p, b.convert(Opcode::CvtUU, isa::Type::I64, isa::Type::I32, bytes));
  else
    p->offset = p->offset.present() ? b.value(Opcode::IAdd, isa::Type::I32, p->offset, bytes) : bytes;
}

void Lowerer::addProduct(Pointer* p, std::initializer_list<Operand> factors) {
  const bool isWide = module.wideIndices && hasWideOffsets(*p);
  const isa::Type t = isWide ? isa::Type::I64 : isa::Type::I32;
  Operand product;
  for (auto f = std::rbegin(factors); f != std::rend(factors); ++f) {
    const Operand factor = isWide ? b.convert(Opcode::CvtUU, isa::Type::I64, isa::Type::I32, *f) : *f;
    product = product.present() ? b.value(Opcode::IMul, t, factor, product) : factor;
  }
  if (isWide)
    addLong(p, product);
  else
    addBytes(p, product);
}

Pointer Lowerer::index(const Pointer& from, uint32_t indexId) {
  Pointer p = from;
  const spirv::Type& t = type(p.type);
  uint32_t constant = 0;
  const bool isConstant = constantU32(indexId, &constant);
  if (p.kind == Pointer::Kind::Resource) {
    if (t.kind == TypeKind::Array || t.kind == TypeKind::RuntimeArray) {
      uint32_t inner = 1;  // descriptors per element
      for (const spirv::Type* e = &type(t.element); e->kind == TypeKind::Array; e = &type(e->element))
        inner *= e->count;
      if (isConstant) {
        p.constIndex += constant * inner;
      } else {
        Operand i = toWord(scalar(indexId), typeOf(indexId));
        if (inner != 1) i = b.value(Opcode::IMul, isa::Type::I32, i, imm(inner));
        p.index = p.index.present() ? b.value(Opcode::IAdd, isa::Type::I32, p.index, i) : i;
      }
      p.type = t.element;
      return p;
    }
    p = resolve(p);
  }
  if (p.kind == Pointer::Kind::Register) {
    if (p.perVertex) {
      p.address = isConstant ? imm(constant) : toWord(scalar(indexId), typeOf(indexId));
      p.perVertex = false;
      p.type = t.element;
      return p;
    }
    if (t.kind == TypeKind::Struct) {
      if (!isConstant || constant >= t.members.size()) {
        error(ErrorCode::InvalidShader, "a structure is indexed by something that is not one of its members");
        return p;
      }
      for (uint32_t i = 0; i < constant; ++i) p.first += type(t.members[i]).components;
      p.type = t.members[constant];
      return p;
    }
    const uint32_t n = type(t.element).components;
    if (isConstant) {
      p.first += std::min(constant, t.count ? t.count - 1 : 0) * n;
    } else if (t.count > 1) {
      if (!p.variable || p.first + n >= p.variable->io.size()) {
        error(ErrorCode::Unsupported, "a register variable is indexed dynamically");
        return p;
      }
      addOffset(&p, indexId, p.variable->io[p.first + n].word - p.variable->io[p.first].word);
    }
    p.type = t.element;
    return p;
  }
  if (p.kind != Pointer::Kind::Memory) {
    error(ErrorCode::InvalidShader, "an access chain starts at something that is not memory");
    return p;
  }
  if (t.kind == TypeKind::Struct) {
    if (!isConstant || constant >= t.members.size()) {
      error(ErrorCode::InvalidShader, "a structure is indexed by something that is not one of its members");
      return p;
    }
    p.imm += static_cast<uint32_t>(memberOffset(p.type, constant, p.layout));
    if (p.layout == Layout::Explicit) takeMatrixLayout(&p, module.memberDecorationsOf(p.type, constant));
    p.type = t.members[constant];
    return p;
  }
  if (!t.element) {
    error(ErrorCode::InvalidShader, "an access chain indexes a scalar");
    return p;
  }
  if (t.kind == TypeKind::RuntimeArray) widenOffset(&p);
  const uint64_t stride = elementStride(*this, p, p.type, typeBytes(t.element, p.layout), typeAlignment(t.element));
  if (!mutated(Mutant::UniformArray) || p.storage != spv::StorageClass::Uniform || t.kind != TypeKind::RuntimeArray)
    addOffset(&p, indexId, stride);
  if (t.kind == TypeKind::Matrix) p.componentStride = p.layout == Layout::Explicit && p.rowMajor ? p.matrixStride : 0;
  p.type = t.element;
  return p;
}

/// A pointer as plain words: what loads, selects and phis of pointers move.
std::vector<Operand> Lowerer::pointerWords(const Pointer& from) {
  Pointer p = resolve(from);
  widenOffset(&p);
  if (p.kind != Pointer::Kind::Memory) {
    error(ErrorCode::Unsupported, "a pointer to registers or descriptors is used as a value");
    return {imm64(0), imm64(0)};
  }
  auto offset = [&]() {
    if (!p.offset.present()) return imm(p.imm);
    return p.imm ? b.value(Opcode::IAdd, isa::Type::I32, p.offset, imm(p.imm)) : p.offset;
  };
  if (p.space == Space::Buffer) return {p.address, offset()};
  if (p.space == Space::WideBuffer) {
    if (p.offset.present() || p.imm) addBytes(&p, offset());
    return {p.address, word(p.address, 1), word(p.address, 2)};
  }
  if (p.space == Space::Shared) return {offset()};
  if (p.space == Space::Global) {
    Operand a = p.address;
    if (p.imm) a = b.value(Opcode::IAdd, isa::Type::I64, a, imm64(p.imm));
    return {a};
  }
  error(ErrorCode::Unsupported, "a pointer of this storage class is used as a value");
  return {imm(0)};
}

}  // namespace etzel::lower
