// Loads and stores of every storage class, and the instructions of memory.
#include <bit>

#include "compiler/lower/instructions.h"
#include "compiler/spirv/newer.h"

namespace etzel::lower {

using isa::Space;

namespace {
bool wordSpace(Space s) { return s == Space::Scratch || s == Space::Table; }

/// Element type of a memory access: by size only.
isa::Type accessType(uint32_t bytes) {
  return bytes == 1 ? isa::Type::I8 : bytes == 2 ? isa::Type::I16 : bytes == 8 ? isa::Type::I64 : isa::Type::I32;
}
/// What a scalar takes in a space; of the words of a pointer, one.
uint32_t partBytes(Lowerer& l, Space space, uint32_t scalar) {
  if (wordSpace(space)) return 4 * l.wordsOfScalar(scalar);
  return l.type(scalar).components > 1 ? 4 : l.widthOf(scalar) / 8;
}
}  // namespace

std::vector<Operand> Lowerer::load(const Pointer& from) {
  const Pointer p = resolve(from);
  const std::vector<uint32_t>& scalars = scalarsOf(p.type);
  std::vector<Operand> out;
  out.reserve(scalars.size());
  switch (p.kind) {
    case Pointer::Kind::Resource: {
      if (p.mapping && type(p.type).kind == TypeKind::SampledImage) return {mappedHandle(p), mappedHandle(p, true)};
      const Operand handle = descriptorHandle(p);
      out.assign(scalars.size(), handle);
      return out;
    }
    case Pointer::Kind::Register: {
      if (!p.variable->io.empty()) return loadInterface(p);
      const std::vector<Operand>& slots = p.variable->slots;
      if (p.first + scalars.size() > slots.size()) break;
      for (size_t i = 0; i < scalars.size();) {
        const Operand first = slots[p.first + i];
        uint32_t words = wordsOfScalar(scalars[i]);
        size_t n = 1;
        while (i + n < scalars.size() && words + wordsOfScalar(scalars[i + n]) <= 8 &&
               slots[p.first + i + n].word == first.word + words &&
               isOneRegister(first, words + wordsOfScalar(scalars[i + n])))
          words += wordsOfScalar(scalars[i + n++]);
        Operand copy = newTemp(words);
        b.move(copy, first, words);
        for (size_t k = 0; k < n; ++k) {
          out.push_back(copy);
          copy.word += wordsOfScalar(scalars[i + k]);
        }
        i += n;
      }
      return out;
    }
    case Pointer::Kind::Memory: {
      if (p.heap && (type(p.type).kind == TypeKind::Image || type(p.type).kind == TypeKind::Sampler))
        return {heapHandle(p)};
      std::vector<std::pair<uint32_t, uint32_t>> parts;
      leaves(p, p.type, p.imm, &parts);
      for (size_t i = 0; i < parts.size() && !failed();) {
        const uint32_t words = wordsOfScalar(parts[i].second);
        const uint32_t bytes = partBytes(*this, p.space, parts[i].second);
        size_t n = 1;
        while (i + n < parts.size() && (n + 1) * words <= 8 && parts[i + n].first == parts[i].first + n * bytes &&
               wordsOfScalar(parts[i + n].second) == words &&
               (wordSpace(p.space) || widthOf(parts[i + n].second) == widthOf(parts[i].second)))
          ++n;
        const isa::Type access = wordSpace(p.space) ? isa::Type::I32 : accessType(bytes);
        const uint32_t elements = static_cast<uint32_t>(wordSpace(p.space) ? n * words : n);
        const Operand data = b.load(p.space, access, p.address, p.offset, parts[i].first, elements);
        for (uint32_t k = 0; k < n; ++k) out.push_back(word(data, k * words));
        i += n;
      }
      return out;
    }
    default: break;
  }
  error(ErrorCode::InvalidShader, "a load reads past its variable");
  out.assign(scalars.size(), imm64(0));
  return out;
}

void Lowerer::store(const Pointer& to, const std::vector<Operand>& value) {
  const Pointer p = resolve(to);
  const std::vector<uint32_t>& scalars = scalarsOf(p.type);
  if (value.size() < scalars.size()) return error(ErrorCode::InvalidShader, "a store has too few components");
  switch (p.kind) {
    case Pointer::Kind::Register: {
      if (!p.variable->io.empty()) return storeInterface(p, value);
      const std::vector<Operand>& slots = p.variable->slots;
      if (p.first + scalars.size() > slots.size()) break;
      for (size_t i = 0; i < scalars.size();) {
        const Operand dst = slots[p.first + i], src = value[i];
        uint32_t words = wordsOfScalar(scalars[i]);
        size_t n = 1;
        while (i + n < scalars.size() && words + wordsOfScalar(scalars[i + n]) <= 8 &&
               slots[p.first + i + n].word == dst.word + words && value[i + n].bank == src.bank &&
               value[i + n].word == src.word + words && isOneRegister(dst, words + wordsOfScalar(scalars[i + n])) &&
               isOneRegister(src, words + wordsOfScalar(scalars[i + n])))
          words += wordsOfScalar(scalars[i + n++]);
        b.moveMasked(dst, src, words);
        if (debug) shadowSlots(*p.variable, p.first + static_cast<uint32_t>(i), static_cast<uint32_t>(n));
        i += n;
      }
      return;
    }
    case Pointer::Kind::Memory: {
      std::vector<std::pair<uint32_t, uint32_t>> parts;
      leaves(p, p.type, p.imm, &parts);
      for (size_t i = 0; i < parts.size() && i < value.size() && !failed();) {
        const uint32_t words = wordsOfScalar(parts[i].second);
        const uint32_t bytes = partBytes(*this, p.space, parts[i].second);
        size_t n = 1;
        while (i + n < parts.size() && i + n < value.size() && (n + 1) * words <= 8 &&
               parts[i + n].first == parts[i].first + n * bytes && wordsOfScalar(parts[i + n].second) == words &&
               (wordSpace(p.space) || widthOf(parts[i + n].second) == widthOf(parts[i].second)))
          ++n;
        const isa::Type access = wordSpace(p.space) ? isa::Type::I32 : accessType(bytes);
        const uint32_t elements = static_cast<uint32_t>(wordSpace(p.space) ? n * words : n);
        b.store(p.space, access, p.address, p.offset, consecutive(std::span(value).subspan(i, n), words),
                parts[i].first, elements);
        i += n;
      }
      return;
    }
    default: break;
  }
  error(ErrorCode::InvalidShader, "a store writes past its variable");
}

// --- Instructions

namespace {

using O = spv::Op;

void lowerVariable(Lowerer& l, const spirv::Instruction& inst) {
  const spirv::Type& t = l.type(inst.type);
  l.setPointer(inst, l.declareLocal({inst.result, t.element, inst.operand(1), inst.type,
                                     static_cast<spv::StorageClass>(inst.operand(0))}));
}

void lowerLoad(Lowerer& l, const spirv::Instruction& inst) {
  l.setResult(inst, l.load(l.pointerTo(inst.operand(0), inst.type)));
}

void lowerStore(Lowerer& l, const spirv::Instruction& inst) {
  const Pointer to = l.pointerTo(inst.operand(0), l.typeOf(inst.operand(1)));
  if (to.kind == Pointer::Kind::Memory && to.space == Space::Table) return;  // holds that constant already
  const std::vector<Operand> value = l.components(inst.operand(1));
  l.store(to, value);
}

void lowerCopyMemory(Lowerer& l, const spirv::Instruction& inst) {
  // One of the two has a type.
  const Pointer from = l.pointerTo(inst.operand(1), l.pointer(inst.operand(0)).type);
  l.store(l.pointerTo(inst.operand(0), from.type), l.load(from));
}

/// OpAccessChain, OpInBoundsAccessChain.
void lowerAccessChain(Lowerer& l, const spirv::Instruction& inst) {
  Pointer p = l.pointer(inst.operand(0));
  for (size_t i = 1; i < inst.size() && !l.failed(); ++i) p = l.index(p, inst.operand(i));
  l.setPointer(inst, std::move(p));
}

/// OpPtrAccessChain, OpInBoundsPtrAccessChain.
void lowerPtrAccessChain(Lowerer& l, const spirv::Instruction& inst) {
  Pointer p = l.resolve(l.pointer(inst.operand(0)));
  if (p.kind != Pointer::Kind::Memory) {
    l.unsupported(inst, "on a pointer to registers");
    return;
  }
  // "ArrayStride" means nothing where no explicit layout is: workgroup memory that is not made of blocks.
  uint64_t stride = 0;
  if (p.layout == Layout::Explicit)
    stride = l.module.decorationsOf(l.typeOf(inst.operand(0))).get(spv::Decoration::ArrayStride);
  if (!stride) stride = alignUp<uint64_t>(l.typeBytes(p.type, p.layout), std::max(l.typeAlignment(p.type), 1u));
  l.widenOffset(&p);
  l.addOffset(&p, inst.operand(1), stride);
  for (size_t i = 2; i < inst.size() && !l.failed(); ++i) p = l.index(p, inst.operand(i));
  l.setPointer(inst, std::move(p));
}

/// OpArrayLength, OpUntypedArrayLengthKHR (the structure comes first).
void lowerArrayLength(Lowerer& l, const spirv::Instruction& inst) {
  const bool isUntyped = inst.op == spirv::kOpUntypedArrayLength;
  const Pointer p =
      isUntyped ? l.retyped(l.pointer(inst.operand(1)), inst.operand(0)) : l.resolve(l.pointer(inst.operand(0)));
  const spirv::Type& t = l.type(p.type);
  const uint32_t member = inst.operand(isUntyped ? 2 : 1);
  const bool isBuffer = p.space == Space::Buffer || p.space == Space::WideBuffer;
  if (p.kind != Pointer::Kind::Memory || !isBuffer || member >= t.members.size()) {
    l.unsupported(inst, "on this pointer");
    return;
  }
  const uint32_t stride = std::max(1u, l.module.decorationsOf(t.members[member]).get(spv::Decoration::ArrayStride, 4));
  const uint32_t offset = p.imm + static_cast<uint32_t>(l.memberOffset(p.type, member, p.layout));
  const isa::Type type = l.module.wideIndices ? isa::Type::I64 : isa::Type::I32;
  const auto number = [&](uint32_t n) { return type == isa::Type::I64 ? l.imm64(n) : l.imm(n); };
  Operand size = l.b.value(Opcode::BufSize, type, p.address);
  if (offset)  // a buffer that ends before the array has no elements
    size = l.b.value(Opcode::ISub, type, l.b.value(Opcode::UMax, type, size, number(offset)), number(offset));
  if (stride > 1)
    size = std::has_single_bit(stride)
               ? l.b.value(Opcode::Shr, type, size, l.imm(static_cast<uint32_t>(std::countr_zero(stride))))
               : l.b.value(Opcode::UDiv, type, size, number(stride));
  l.setResult(inst, type == l.isaType(inst.type) ? size : l.b.convert(Opcode::CvtUU, l.isaType(inst.type), type, size));
}

/// OpPtrEqual, OpPtrNotEqual.
void lowerPtrComparison(Lowerer& l, const spirv::Instruction& inst) {
  const std::vector<Operand> x = l.components(inst.operand(0)), y = l.components(inst.operand(1));
  const isa::Type t = l.isaType(l.typeOf(inst.operand(0)));
  Operand same;
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
    const Operand e = l.b.icmp(isa::CmpI::Eq, t, x[i], y[i]);
    same = same.present() ? l.b.value(Opcode::And, isa::Type::I32, same, e) : e;
  }
  if (inst.op == O::OpPtrNotEqual) same = l.b.value(Opcode::Not, isa::Type::I32, same);
  l.setResult(inst, same);
}

void lowerPtrDiff(Lowerer& l, const spirv::Instruction& inst) {
  const uint32_t pointerType = l.typeOf(inst.operand(0));
  const bool isWide = l.type(pointerType).isWidePointer();
  const auto placeOf = [&](uint32_t id) {
    const std::vector<Operand> words = l.components(id);
    return isWide ? l.consecutive(std::span(words).subspan(1)) : words.back();
  };
  const Operand x = placeOf(inst.operand(0)), y = placeOf(inst.operand(1));
  uint32_t stride = l.module.decorationsOf(pointerType).get(spv::Decoration::ArrayStride);
  if (l.type(pointerType).isUntyped()) stride = 1;  // "OpPtrDiff": an array of 8-bit integers
  if (!stride)
    stride = static_cast<uint32_t>(std::max<uint64_t>(1, l.typeBytes(l.type(pointerType).element, Layout::Natural)));
  const isa::Type t = isWide ? isa::Type::I64 : l.isaType(pointerType);
  const Operand d = l.b.value(Opcode::ISub, t, x, y);
  const Operand q = l.b.value(Opcode::SDiv, t, d, t == isa::Type::I64 ? l.imm64(stride) : l.imm(stride));
  l.setResult(inst, l.b.convert(Opcode::CvtSS, l.isaType(inst.type), t, q));
}

void lowerPtrToInteger(Lowerer& l, const spirv::Instruction& inst) {
  const Operand address = l.components(inst.operand(0))[0];
  l.setResult(inst, l.widthOf(inst.type) == 64
                        ? address
                        : l.b.convert(Opcode::CvtUU, l.isaType(inst.type), isa::Type::I64, address));
}

void lowerIntegerToPtr(Lowerer& l, const spirv::Instruction& inst) {
  const uint32_t t = l.typeOf(inst.operand(0));
  const Operand value = l.scalar(inst.operand(0));
  l.setResult(inst, l.widthOf(t) == 64 ? value : l.b.convert(Opcode::CvtUU, isa::Type::I64, l.isaType(t), value));
}

/// OpCopyObject, OpCopyLogical, OpExpectKHR.
void lowerCopy(Lowerer& l, const spirv::Instruction& inst) {
  if (l.type(inst.type).kind == TypeKind::Pointer && inst.op == O::OpCopyObject) {
    l.setPointer(inst, l.pointer(inst.operand(0)));
  } else {
    const std::vector<Operand> value = l.components(inst.operand(0));
    l.setResult(inst, value);
  }
}

}  // namespace

void addMemory(LoweringTable& table) {
  table.add({
      {O::OpVariable, lowerVariable},
      {O::OpLoad, lowerLoad},
      {O::OpStore, lowerStore},
      {O::OpCopyMemory, lowerCopyMemory},
      {O::OpAccessChain, lowerAccessChain},
      {O::OpInBoundsAccessChain, lowerAccessChain},
      {O::OpPtrAccessChain, lowerPtrAccessChain},
      {O::OpInBoundsPtrAccessChain, lowerPtrAccessChain},
      {O::OpArrayLength, lowerArrayLength},
      {spirv::kOpUntypedArrayLength, lowerArrayLength},
      {O::OpPtrEqual, lowerPtrComparison},
      {O::OpPtrNotEqual, lowerPtrComparison},
      {O::OpPtrDiff, lowerPtrDiff},
      {O::OpConvertPtrToU, lowerPtrToInteger},
      {O::OpConvertUToPtr, lowerIntegerToPtr},
      {O::OpCopyObject, lowerCopy},
      {O::OpCopyLogical, lowerCopy},
      {O::OpExpectKHR, lowerCopy},
  });
}

}  // namespace etzel::lower
