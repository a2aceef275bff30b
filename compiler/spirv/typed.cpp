#include "compiler/spirv/typed.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "compiler/spirv/newer.h"
#include "compiler/spirv/rewrite.h"

namespace etzel::spirv {
namespace {

using O = spv::Op;
using S = spv::StorageClass;

bool isOneOf(O op, std::initializer_list<O> ops) { return std::find(ops.begin(), ops.end(), op) != ops.end(); }

bool isAtomicWithResult(O op) {
  return (uint32_t(op) >= uint32_t(O::OpAtomicLoad) && uint32_t(op) <= uint32_t(O::OpAtomicXor) &&
          op != O::OpAtomicStore) ||
         isOneOf(op, {O::OpAtomicFAddEXT, O::OpAtomicFMinEXT, O::OpAtomicFMaxEXT});
}

constexpr uint32_t kDescriptorBytes = 32;  ///< what spirv-val is told that each has

bool isHeap(uint32_t builtIn) { return builtIn == uint32_t(kResourceHeap) || builtIn == uint32_t(kSamplerHeap); }

/// Capabilities that this pass takes the place of.
bool isOfUs(uint32_t capability) {
  return capability == uint32_t(kUntypedPointers) || capability == uint32_t(kRawAccessChains) ||
         capability == uint32_t(kDescriptorHeap);
}

/// Decorations that pointers may have which spirv-val allows for variables and for parameters with types only.
bool isOfMemory(uint32_t decoration) {
  using D = spv::Decoration;
  return decoration == uint32_t(D::RestrictPointer) || decoration == uint32_t(D::AliasedPointer) ||
         decoration == uint32_t(D::Restrict) || decoration == uint32_t(D::Aliased) ||
         decoration == uint32_t(D::Volatile) || decoration == uint32_t(D::Coherent) ||
         decoration == uint32_t(D::NonWritable) || decoration == uint32_t(D::NonReadable);
}

/// What is asked of a type.
struct SeenType {
  O op = O::OpNop;
  uint32_t element = 0;           ///< of vectors, matrices, arrays, pointers
  S storage = S::Max;             ///< of pointers
  std::vector<uint32_t> members;  ///< of structures
};

class Typer : Declared<SeenType> {
 public:
  explicit Typer(std::span<const uint32_t> words)
      : words_(words), globals_(words.begin(), words.begin() + kHeaderWords), bound_(words[3]) {}

  Result<std::vector<uint32_t>> run() {
    const Result<bool> whole = visitTwice(
        words_, [&](Words inst) { declare(inst); }, [&](Words inst) { return write(inst); });
    if (!whole) return whole.error();
    if (!*whole) return std::vector<uint32_t>();  // spirv-val knows why
    globals_[3] = bound_;
    globals_.insert(globals_.end(), pointerWords_.begin(), pointerWords_.end());
    globals_.insert(globals_.end(), code_.begin(), code_.end());
    return std::move(globals_);
  }

 private:
  void declare(Words inst) {
    const O op = opOf(inst);
    const auto word = [&](size_t i) { return i < inst.size() ? inst[i] : 0u; };
    if (has(kDescriptorHeap)) noteDescriptors(inst);
    if (isOneOf(op, {O::OpTypeVector, kOpTypeVectorId, O::OpTypeMatrix, O::OpTypeArray, O::OpTypeRuntimeArray})) {
      types_[word(1)] = {op, word(2), S::Max, {}};
    } else if (op == O::OpTypePointer) {
      types_[word(1)] = {op, word(3), static_cast<S>(word(2)), {}};
    } else if (op == kOpTypeUntypedPointer) {
      types_[word(1)] = {op, 0, static_cast<S>(word(2)), {}};
    } else if (op == O::OpTypeStruct) {
      types_[word(1)] = {op, 0, S::Max, {inst.begin() + std::min<size_t>(2, inst.size()), inst.end()}};
    } else if (op == O::OpCapability) {
      capabilities_.insert(word(1));
      if (word(1) == uint32_t(kDescriptorHeap)) capabilities_.insert(uint32_t(kUntypedPointers));
    } else if (op == O::OpTypeInt && word(2) == 64) {
      types_[word(1)] = {op, 0, S::Max, {}};
      wideIntegers_.insert(word(1));
    } else if (op == O::OpTypeImage) {
      types_[word(1)] = {op, word(2), S::Max, {}};
    } else if (op == O::OpDecorate) {
      if (word(2) == uint32_t(spv::Decoration::Aliased)) aliased_.insert(word(1));
      if (word(2) == uint32_t(spv::Decoration::BuiltIn) && isHeap(word(3))) heaps_.insert(word(1));
    } else {
      bool hasResult = false, hasType = false;
      hasResultAndType(op, &hasResult, &hasType);
      if (hasResult && !hasType) types_.try_emplace(word(1), SeenType{op, 0, S::Max, {}});
      if (hasResult && hasType) typeOf_[word(2)] = word(1);
      if (op == O::OpConstant) constants_[word(2)] = word(3);
      const bool isKnown =
          op == kOpConstantSizeOf || op == O::OpConstant || op == O::OpSpecConstant || op == O::OpSpecConstantOp;
      if (isKnown && type(word(1)).op == O::OpTypeInt) numbers_.insert(word(2));
      if (op == kOpRawAccessChain || op == kOpBufferPointer) pointers_.insert(word(2));
      if (op == O::OpFunctionParameter && isUntyped(word(2))) pointers_.insert(word(2));
      const bool isVariable = op == O::OpVariable || op == kOpUntypedVariable;
      if (isVariable && static_cast<S>(word(3)) == S::Workgroup) workgroup_.push_back(word(2));
    }
  }

  /// Types that are descriptors, or have some in them: those come first.
  void noteDescriptors(Words inst) {
    const O op = opOf(inst);
    const bool isDescriptor = isOneOf(op, {O::OpTypeImage, O::OpTypeSampler, kOpTypeBuffer});
    const bool isArray = isOneOf(op, {O::OpTypeArray, O::OpTypeRuntimeArray});
    if (inst.size() < 2 || !(isDescriptor || isArray || op == O::OpTypeStruct)) return;
    bool holds = isDescriptor;
    for (size_t i = 2; !isDescriptor && i < (isArray ? std::min<size_t>(3, inst.size()) : inst.size()); ++i)
      holds |= ofDescriptors_.count(inst[i]) != 0;
    if (holds) ofDescriptors_.insert(inst[1]);
  }

  const SeenType& typeOf(uint32_t value) const { return type(typeIdOf(value)); }
  bool isPointer(uint32_t value) const {
    return typeOf(value).op == O::OpTypePointer || typeOf(value).op == kOpTypeUntypedPointer;
  }
  bool isUntyped(uint32_t value) const { return typeOf(value).op == kOpTypeUntypedPointer; }
  bool isInteger(uint32_t value) const { return typeOf(value).op == O::OpTypeInt; }
  bool has(spv::Capability c) const { return capabilities_.count(uint32_t(c)) != 0; }
  /// "Universal Validation Rules": whether pointers may depend on what the invocation does.
  bool mayVary(S storage) const {
    const bool anywhere = has(spv::Capability::VariablePointers);
    return storage == S::PhysicalStorageBuffer || (storage == S::Workgroup && anywhere) ||
           (storage == S::StorageBuffer && (anywhere || has(spv::Capability::VariablePointersStorageBuffer)));
  }

  std::vector<uint32_t>& out() { return inFunctions_ ? code_ : globals_; }
  void keep(Words inst) { out().insert(out().end(), inst.begin(), inst.end()); }
  void put(O op, std::initializer_list<uint32_t> operands) { putInstruction(out(), op, operands); }
  /// What stands for a value where it is moved: an untyped variable's is of its type.
  uint32_t moved(uint32_t value) const {
    auto it = variables_.find(value);
    return it == variables_.end() ? value : it->second;
  }
  /// Another name for a value, so that it must be defined and have a type.
  void mention(uint32_t value) { put(O::OpCopyObject, {typeIdOf(value), bound_++, moved(value)}); }
  /// An undefined value behind mentions of the operands from word `first` up to `end`.
  Result<void> opaque(Words inst, size_t first, size_t end) {
    if (inst.size() < end) return badModule("an instruction is too short");
    for (size_t i = first; i < end; ++i) mention(inst[i]);
    put(O::OpUndef, {inst[1], inst[2]});
    return {};
  }
  uint32_t typeOfPointerTo(S storage, uint32_t typeId) {
    const auto [it, isFirst] = pointerTypes_.try_emplace({uint32_t(storage), typeId}, bound_);
    if (isFirst)
      pointerWords_.insert(pointerWords_.end(),
                           {4u << 16 | uint32_t(O::OpTypePointer), bound_++, uint32_t(storage), typeId});
    return it->second;
  }
  /// Some pointer to a type; `result`: its id.
  uint32_t pointerTo(S storage, uint32_t typeId, uint32_t result = 0) {
    const uint32_t pointerType = typeOfPointerTo(storage, typeId);
    const uint32_t undefined = bound_++, pointer = result ? result : bound_++;
    put(O::OpUndef, {pointerType, undefined});
    put(O::OpCopyObject, {pointerType, pointer, undefined});
    return pointer;
  }

  Result<void> write(Words inst) {
    const O op = opOf(inst);
    if (op == O::OpCapability) {
      const bool isOurs = inst.size() == 2 && isOfUs(inst[1]);
      if (!isOurs) keep(inst);
      if (isOurs && inst[1] != uint32_t(kRawAccessChains) && !allowsNarrow_) allowNarrowMemory();
      return {};
    }
    if (has(kUntypedPointers) && !hasExtensions_) putExtensions();
    if (op == O::OpDecorate) return decoration(inst);
    if (op == kOpTypeUntypedPointer) return pointerType(inst);
    if (op == kOpUntypedVariable) return variable(inst);
    if (op == kOpUntypedPrefetch) return badModule("OpUntypedPrefetchKHR is for kernels");
    if (op == O::OpDecorateId || op == kOpMemberDecorateId) return decorationId(inst);
    if (uint32_t(op) >= uint32_t(O::OpTypeVoid) && uint32_t(op) <= uint32_t(O::OpTypeFunction)) finishDecorations();
    if (op == kOpTypeBuffer) return bufferType(inst);
    if (op == O::OpTypeStruct && inst.size() > 1 && ofDescriptors_.count(inst[1])) return structure(inst);
    if (op == kOpConstantSizeOf) return sizeOf(inst);
    inFunctions_ |= op == O::OpFunction;
    if (op == kOpBufferPointer) return bufferPointer(inst);
    if (op == kOpUntypedImageTexelPointer) return texelPointer(inst);
    if (isOneOf(op, {kOpUntypedAccessChain, kOpUntypedInBoundsAccessChain, kOpUntypedPtrAccessChain,
                     kOpUntypedInBoundsPtrAccessChain}))
      return chain(inst);
    if (op == kOpRawAccessChain) return rawChain(inst);
    if (op == kOpUntypedArrayLength) return arrayLength(inst);
    return ofPointers(inst);
  }

  /// "Standalone SPIR-V Validation": memory may have elements of 8 and 16 bits where accesses are of more. Which ones
  /// are cannot be told from types, and the device takes all, so spirv-val is told that all may be.
  void allowNarrowMemory() {
    allowsNarrow_ = true;
    using C = spv::Capability;
    for (const C c : {C::StorageBuffer16BitAccess, C::UniformAndStorageBuffer16BitAccess, C::StoragePushConstant16,
                      C::StorageBuffer8BitAccess, C::UniformAndStorageBuffer8BitAccess, C::StoragePushConstant8})
      put(O::OpCapability, {uint32_t(c)});
  }
  void putExtensions() {
    hasExtensions_ = true;
    for (const char* name : {"SPV_KHR_16bit_storage", "SPV_KHR_8bit_storage"}) {
      const size_t bytes = std::strlen(name) + 1, count = (bytes + 3) / 4, first = out().size() + 1;
      out().push_back(uint32_t(count + 1) << 16 | uint32_t(O::OpExtension));
      out().resize(first + count);
      std::memcpy(&out()[first], name, bytes);
    }
  }

  Result<void> decoration(Words inst) {
    const bool isStride = inst.size() == 4 && inst[2] == uint32_t(spv::Decoration::ArrayStride);
    if (isStride && type(inst[1]).op == kOpTypeUntypedPointer) {
      strided_.insert(inst[1]);
      return {};
    }
    if (inst.size() == 3 && pointers_.count(inst[1]) && isOfMemory(inst[2])) return {};
    if (inst.size() == 4 && inst[2] == uint32_t(spv::Decoration::BuiltIn) && heaps_.count(inst[1])) return {};
    keep(inst);
    return {};
  }

  /// Strides and offsets of descriptors: numbers that are known when the module is specialized.
  Result<void> decorationId(Words inst) {
    const bool isMember = opOf(inst) == kOpMemberDecorateId;
    const size_t at = isMember ? 3 : 2;
    const bool isOurs = inst.size() > at && (inst[at] == uint32_t(kArrayStrideId) || inst[at] == uint32_t(kOffsetId));
    if (!isOurs && !isMember) {
      keep(inst);
      return {};
    }
    if (!isOurs || inst.size() != at + 2 || (inst[at] == uint32_t(kOffsetId)) != isMember ||
        !numbers_.count(inst[at + 1]))
      return badModule("a descriptor's stride or offset is not an integer constant");
    const O target = type(inst[1]).op;
    const bool fits = isMember ? target == O::OpTypeStruct && inst[2] < type(inst[1]).members.size()
                               : target == O::OpTypeArray || target == O::OpTypeRuntimeArray;
    if (!fits) return badModule("a stride of something that is no array, or an offset of something that is no member");
    const auto number = constants_.find(inst[at + 1]);
    if (!isMember && number != constants_.end() && number->second == 0) return badModule("ArrayStrideIdEXT is zero");
    return {};
  }

  /// "SPV_KHR_workgroup_memory_explicit_layout": with untyped pointers, blocks of workgroup memory need not be Aliased.
  void finishDecorations() {
    if (has(kUntypedPointers) && has(spv::Capability::WorkgroupMemoryExplicitLayoutKHR))
      for (const uint32_t id : workgroup_)
        if (aliased_.insert(id).second) put(O::OpDecorate, {id, uint32_t(spv::Decoration::Aliased)});
    workgroup_.clear();
  }

  Result<void> pointerType(Words inst) {
    if (inst.size() != 3) return badModule("OpTypeUntypedPointerKHR has not one operand");
    finishDecorations();
    // "Standalone SPIR-V Validation": memory that is laid out explicitly, and descriptors.
    const S storage = static_cast<S>(inst[2]);
    const bool isLaidOut = storage == S::StorageBuffer || storage == S::Uniform || storage == S::PushConstant ||
                           storage == S::UniformConstant || storage == S::PhysicalStorageBuffer ||
                           (storage == S::Workgroup && has(spv::Capability::WorkgroupMemoryExplicitLayoutKHR)) ||
                           (storage == S::Image && has(kDescriptorHeap));
    if (!isLaidOut) return badModule("an untyped pointer to memory that is not laid out explicitly");
    put(O::OpTypeStruct, {inst[1]});
    return {};
  }

  /// A heap, which modules list in their interfaces: memory of the invocation stands for it.
  Result<void> heap(Words inst) {
    const SeenType& pointer = type(inst[1]);
    if (inst.size() != 4 || pointer.op != kOpTypeUntypedPointer || pointer.storage != S::UniformConstant ||
        static_cast<S>(inst[3]) != S::UniformConstant)
      return badModule("a heap is not an untyped variable of UniformConstant memory without a data type");
    const uint32_t empty = bound_++, typed = bound_++, alias = bound_++;
    put(O::OpTypeStruct, {empty});
    put(O::OpTypePointer, {typed, uint32_t(S::Private), empty});
    put(O::OpVariable, {typed, inst[2], uint32_t(S::Private)});
    put(O::OpUndef, {inst[1], alias});
    variables_[inst[2]] = alias;
    return {};
  }
  Result<void> bufferType(Words inst) {
    const bool fits = inst.size() == 3 && (static_cast<S>(inst[2]) == S::Uniform ||  //
                                           static_cast<S>(inst[2]) == S::StorageBuffer);
    if (!fits) return badModule("OpTypeBufferEXT is of neither uniform nor storage buffers");
    finishDecorations();
    put(O::OpTypeStruct, {inst[1]});
    return {};
  }
  Result<void> sizeOf(Words inst) {
    if (inst.size() != 4 || type(inst[1]).op != O::OpTypeInt) return badModule("OpConstantSizeOfEXT is not an integer");
    if (!isOneOf(type(inst[3]).op, {kOpTypeBuffer, O::OpTypeImage, O::OpTypeSampler}))
      return badModule("OpConstantSizeOfEXT: not a type of descriptors");
    if (wideIntegers_.count(inst[1]))
      put(O::OpConstant, {inst[1], inst[2], kDescriptorBytes, 0});
    else
      put(O::OpConstant, {inst[1], inst[2], kDescriptorBytes});
    return {};
  }
  Result<void> bufferPointer(Words inst) {
    if (inst.size() != 4) return badModule("OpBufferPointerEXT has not one operand");
    const SeenType& result = type(inst[1]);
    const bool isPointerType = result.op == O::OpTypePointer || result.op == kOpTypeUntypedPointer;
    if (!isPointerType || (result.storage != S::Uniform && result.storage != S::StorageBuffer))
      return badModule("OpBufferPointerEXT: the result is no pointer to uniform or storage buffers");
    if (!isUntyped(inst[3]) || typeOf(inst[3]).storage != S::UniformConstant)
      return badModule("OpBufferPointerEXT: not an untyped pointer into the resource heap");
    if (result.op == kOpTypeUntypedPointer) return opaque(inst, 3, 4);
    mention(inst[3]);
    const uint32_t undefined = bound_++;
    put(O::OpUndef, {inst[1], undefined});
    put(O::OpCopyObject, {inst[1], inst[2], undefined});
    return {};
  }
  Result<void> texelPointer(Words inst) {
    if (inst.size() != 7) return badModule("OpUntypedImageTexelPointerEXT has not four operands");
    const SeenType &result = type(inst[1]), &image = type(inst[3]);
    if (result.op != kOpTypeUntypedPointer || result.storage != S::Image || image.op != O::OpTypeImage)
      return badModule("OpUntypedImageTexelPointerEXT: no untyped pointer to an image's texel");
    if (!isUntyped(inst[4]) || typeOf(inst[4]).storage != S::UniformConstant)
      return badModule("OpUntypedImageTexelPointerEXT: not an untyped pointer into the resource heap");
    mention(inst[4]);
    const uint32_t from = pointerTo(S::UniformConstant, inst[3]);
    put(O::OpImageTexelPointer, {typeOfPointerTo(S::Image, image.element), bound_++, from, inst[5], inst[6]});
    put(O::OpUndef, {inst[1], inst[2]});
    return {};
  }

  Result<void> variable(Words inst) {
    if (inst.size() > 2 && heaps_.count(inst[2])) return heap(inst);
    if (inst.size() < 5 || inst.size() > 6) return badModule("an untyped variable has no data type");
    if (inFunctions_) return badModule("an untyped variable in a function");
    const SeenType& pointer = type(inst[1]);
    if (pointer.op != kOpTypeUntypedPointer || pointer.storage != static_cast<S>(inst[3]))
      return badModule("an untyped variable's type is not an untyped pointer of its storage class");
    if (type(inst[4]).op == O::OpNop) return badModule("an untyped variable's data type is not a type");
    const uint32_t typed = bound_++, alias = bound_++;
    put(O::OpTypePointer, {typed, inst[3], inst[4]});
    if (inst.size() == 5)
      put(O::OpVariable, {typed, inst[2], inst[3]});
    else
      put(O::OpVariable, {typed, inst[2], inst[3], inst[5]});
    put(O::OpUndef, {inst[1], alias});
    variables_[inst[2]] = alias;
    return {};
  }

  /// "OpTypeStruct must not contain an opaque type": in structures of heaps an empty one stands for descriptors.
  Result<void> structure(Words inst) {
    if (!empty_) put(O::OpTypeStruct, {empty_ = bound_++});
    const size_t begin = out().size();
    keep(inst);
    for (size_t i = 2; i < inst.size(); ++i)
      if (ofDescriptors_.count(inst[i])) out()[begin + i] = empty_;
    return {};
  }

  /// The type that indices lead to; 0: they lead nowhere.
  uint32_t walk(uint32_t typeId, Words indices) const {
    for (const uint32_t index : indices) {
      const SeenType& t = type(typeId);
      if (t.op == O::OpTypePointer) return 0;
      if (t.op != O::OpTypeStruct) {
        typeId = t.element;
        continue;
      }
      const auto member = constants_.find(index);
      if (member == constants_.end() || member->second >= t.members.size()) return 0;
      typeId = t.members[member->second];
    }
    return typeId;
  }

  Result<void> chain(Words inst) {
    const bool ofElements = isOneOf(opOf(inst), {kOpUntypedPtrAccessChain, kOpUntypedInBoundsPtrAccessChain});
    const size_t first = ofElements ? 6 : 5;
    if (inst.size() < first) return badModule("an untyped access chain is too short");
    const SeenType& result = type(inst[1]);
    const uint32_t base = inst[4];
    if (result.op != kOpTypeUntypedPointer || !isPointer(base) || typeOf(base).storage != result.storage)
      return badModule("an untyped access chain's result and base are no pointers of one storage class");
    mention(base);
    if (ofElements) {
      if (!isInteger(inst[5])) return badModule("an untyped access chain's element is not an integer");
      if (!mayVary(result.storage)) return badModule("an untyped access chain of elements without variable pointers");
      if (isUntyped(base) && !strided_.count(typeIdOf(base)))
        return badModule("an untyped access chain's base has no ArrayStride");
      mention(inst[5]);
    }
    const uint32_t target = walk(inst[3], inst.subspan(first));
    const O baseOp = type(inst[3]).op;
    if (!target || baseOp == O::OpNop || baseOp == O::OpTypePointer || baseOp == kOpTypeUntypedPointer)
      return badModule("an untyped access chain leads nowhere");
    if (ofDescriptors_.count(inst[3])) {
      for (size_t i = first; i < inst.size(); ++i) {
        if (!isInteger(inst[i])) return badModule("an untyped access chain's index is not an integer");
        mention(inst[i]);
      }
    } else if (inst.size() > first) {
      const uint32_t from = pointerTo(result.storage, inst[3]), to = typeOfPointerTo(result.storage, target);
      put(O::OpAccessChain, {to, bound_++, from});
      out().insert(out().end(), inst.begin() + std::ptrdiff_t(first), inst.end());
      out()[out().size() - (inst.size() - first) - 4] += uint32_t(inst.size() - first) << 16;
    }
    put(O::OpUndef, {inst[1], inst[2]});
    return {};
  }

  Result<void> rawChain(Words inst) {
    if (inst.size() < 7 || inst.size() > 8) return badModule("OpRawAccessChainNV has not four or five operands");
    const SeenType& result = type(inst[1]);
    const O target = type(result.element).op;
    const SeenType& base = typeOf(inst[3]);
    const S storage = result.storage;
    if (result.op != O::OpTypePointer || base.op != O::OpTypePointer || base.storage != storage)
      return badModule("OpRawAccessChainNV: result and base are no pointers of one storage class");
    if (storage != S::StorageBuffer && storage != S::Uniform && storage != S::PhysicalStorageBuffer)
      return badModule("OpRawAccessChainNV: the base is not in a buffer");
    if (isOneOf(target, {O::OpTypeArray, O::OpTypeRuntimeArray, O::OpTypeMatrix, O::OpTypeStruct}))
      return badModule("OpRawAccessChainNV: the result does not point to a scalar or vector");
    const auto stride = constants_.find(inst[4]);
    if (stride == constants_.end() || !isInteger(inst[4]) || !isInteger(inst[5]) || !isInteger(inst[6]))
      return badModule("OpRawAccessChainNV: stride, index or offset is not an integer");
    constexpr uint32_t kPerElement = 2;  // 1: per component
    const uint32_t robustness = inst.size() > 7 ? inst[7] : 0;
    if (robustness > kPerElement || (robustness && storage == S::PhysicalStorageBuffer) ||
        (robustness == kPerElement && stride->second == 0))
      return badModule("OpRawAccessChainNV: its bounds cannot be checked so");
    for (size_t i = 3; i < 7; ++i) mention(inst[i]);
    pointerTo(storage, result.element, inst[2]);
    return {};
  }

  Result<void> arrayLength(Words inst) {
    if (inst.size() != 6) return badModule("OpUntypedArrayLengthKHR has not three operands");
    if (!isPointer(inst[4])) return badModule("OpUntypedArrayLengthKHR: not a pointer");
    mention(inst[4]);
    put(O::OpArrayLength, {inst[1], inst[2], pointerTo(typeOf(inst[4]).storage, inst[3]), inst[5]});
    return {};
  }

  /// An access to `typeId` through the pointer at a word.
  Result<void> access(Words inst, size_t pointer, uint32_t typeId) {
    if (type(typeId).op == O::OpNop) return badModule("an untyped access has no type");
    mention(inst[pointer]);
    const uint32_t typed = pointerTo(typeOf(inst[pointer]).storage, typeId);
    const size_t first = out().size();
    keep(inst);
    out()[first + pointer] = typed;
    return {};
  }

  /// Ordinary instructions, some of which have untyped operands or results.
  Result<void> ofPointers(Words inst) {
    const O op = opOf(inst);
    const auto untypedAt = [&](size_t i) { return i < inst.size() && isUntyped(inst[i]); };
    const SeenType& result = inst.size() > 2 ? type(inst[1]) : type(0);
    const bool toUntyped = result.op == kOpTypeUntypedPointer;
    if (toUntyped && isOneOf(op, {O::OpSelect, O::OpPhi, O::OpLoad, O::OpFunctionCall, O::OpConstantNull}) &&
        !mayVary(result.storage))
      return badModule("an untyped pointer varies without the capability for that");
    switch (op) {
      case O::OpLoad:
        if (untypedAt(3)) return access(inst, 3, inst[1]);
        break;
      case O::OpStore:
        if (untypedAt(1) && inst.size() > 2) return storeThrough(inst, typeIdOf(inst[2]));
        return move(inst, 2, 3);
      case O::OpAtomicStore:
        if (untypedAt(1) && inst.size() > 4) return access(inst, 1, typeIdOf(inst[4]));
        break;
      case O::OpCopyMemory: return copyMemory(inst);
      case O::OpCopyMemorySized:
        if (has(kUntypedPointers)) return copyMemorySized(inst);
        break;
      case O::OpPtrEqual:
      case O::OpPtrNotEqual:
      case O::OpPtrDiff:
        if (!untypedAt(3) && !untypedAt(4)) break;
        if (inst.size() < 5 || !isPointer(inst[3]) || !isPointer(inst[4]) ||
            typeOf(inst[3]).storage != typeOf(inst[4]).storage || !mayVary(typeOf(inst[3]).storage) ||
            result.op != (op == O::OpPtrDiff ? O::OpTypeInt : O::OpTypeBool))
          return badModule("untyped pointers cannot be compared so");
        return opaque(inst, 3, 5);
      case O::OpSelect:
        if (!toUntyped) break;
        if (typeIdOf(inst.size() > 5 ? inst[4] : 0) != inst[1] || typeIdOf(inst.size() > 5 ? inst[5] : 0) != inst[1] ||
            typeOf(inst[3]).op != O::OpTypeBool)
          return badModule("a choice between other things than its result");
        return opaque(inst, 3, 6);
      case O::OpBitcast:
      case O::OpConvertPtrToU:
      case O::OpConvertUToPtr:
        if (!toUntyped && !untypedAt(3)) break;
        return conversion(inst);
      case O::OpCopyObject: return move(inst, 3, 4);
      case O::OpPhi: return move(inst, 3, inst.size());
      case O::OpFunctionCall: return move(inst, 4, inst.size());
      case O::OpReturnValue: return move(inst, 1, 2);
      case O::OpCompositeConstruct: return move(inst, 3, inst.size());
      case O::OpCompositeInsert: return move(inst, 3, 4);
      default:
        if (isAtomicWithResult(op) && untypedAt(3)) return access(inst, 3, inst[1]);
    }
    keep(inst);
    return {};
  }

  Result<void> storeThrough(Words inst, uint32_t typeId) {
    ETZEL_TRY(access(inst, 1, typeId));
    std::vector<uint32_t>& words = out();
    words[words.size() - inst.size() + 2] = moved(inst[2]);
    return {};
  }

  /// Keeps the instruction, whose words from `first` up to `end` are values that it moves.
  Result<void> move(Words inst, size_t first, size_t end) {
    const size_t begin = out().size();
    keep(inst);
    for (size_t i = first; i < std::min(end, inst.size()); ++i) out()[begin + i] = moved(inst[i]);
    return {};
  }

  Result<void> copyMemory(Words inst) {
    if (inst.size() < 3) return badModule("OpCopyMemory is too short");
    const bool toUntyped = isUntyped(inst[1]), fromUntyped = isUntyped(inst[2]);
    if (toUntyped && fromUntyped) return badModule("OpCopyMemory: neither side has a type");
    if (toUntyped) return access(inst, 1, typeOf(inst[2]).element);
    if (fromUntyped) return access(inst, 2, typeOf(inst[1]).element);
    keep(inst);
    return {};
  }

  Result<void> copyMemorySized(Words inst) {
    if (inst.size() < 4 || !isPointer(inst[1]) || !isPointer(inst[2]) || !isInteger(inst[3]))
      return badModule("OpCopyMemorySized: not two pointers and a size");
    const auto size = constants_.find(inst[3]);
    if (size != constants_.end() && size->second == 0) return badModule("OpCopyMemorySized: the size is 0");
    for (size_t i = 1; i < 4; ++i) mention(inst[i]);
    return {};
  }

  Result<void> conversion(Words inst) {
    const O op = opOf(inst);
    if (inst.size() != 4) return badModule("a conversion has not one operand");
    // Only physical pointers are numbers; others stay what they are.
    const auto isPhysical = [&](const SeenType& t) { return t.storage == S::PhysicalStorageBuffer; };
    const SeenType &from = typeOf(inst[3]), &to = type(inst[1]);
    const auto isNumber = [](const SeenType& t) { return t.op == O::OpTypeInt || t.op == O::OpTypeVector; };
    const bool fits = op == O::OpConvertPtrToU ? isPhysical(from) && to.op == O::OpTypeInt
                      : op == O::OpConvertUToPtr
                          ? isPhysical(to) && from.op == O::OpTypeInt
                          : (isPhysical(from) || isNumber(from)) && (isPhysical(to) || isNumber(to));
    if (!fits) return badModule("an untyped pointer cannot be converted so");
    return opaque(inst, 3, 4);
  }

  std::span<const uint32_t> words_;
  std::vector<uint32_t> globals_, pointerWords_, code_;  ///< in the order of the module that they become
  uint32_t bound_;
  bool inFunctions_ = false, hasExtensions_ = false, allowsNarrow_ = false;
  std::unordered_map<uint32_t, uint32_t> constants_;
  std::unordered_map<uint32_t, uint32_t> variables_;                ///< untyped variable -> a value of its type
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> pointerTypes_;  ///< storage class, type
  std::unordered_set<uint32_t> capabilities_, aliased_, strided_;
  std::unordered_set<uint32_t> pointers_;         ///< raw access chains, buffers in heaps and untyped parameters
  std::unordered_set<uint32_t> heaps_, numbers_;  ///< variables; integer constants
  std::unordered_set<uint32_t> wideIntegers_;     ///< types of 64 bits
  std::unordered_set<uint32_t> ofDescriptors_;    ///< types
  uint32_t empty_ = 0;                            ///< a structure that stands for descriptors
  std::vector<uint32_t> workgroup_;
};

}  // namespace

Result<std::vector<uint32_t>> withTypedPointers(std::span<const uint32_t> words) {
  if (words.size() < kHeaderWords) return std::vector<uint32_t>();
  bool any = false;
  forEach(words, [&](Words inst) {
    const bool isCapability = opOf(inst) == O::OpCapability;
    any |= isCapability && inst.size() == 2 && isOfUs(inst[1]);
    return !any && isCapability;
  });
  if (!any) return std::vector<uint32_t>();
  return Typer(words).run();
}

}  // namespace etzel::spirv
