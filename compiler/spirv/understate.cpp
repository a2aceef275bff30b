#define SPV_ENABLE_UTILITY_CODE
#include "compiler/spirv/understate.h"

#include <algorithm>
#include <bit>
#include <spirv/unified1/spirv.hpp11>
#include <unordered_map>
#include <unordered_set>

#include "compiler/spirv/module.h"
#include "compiler/spirv/newer.h"
#include "compiler/spirv/rewrite.h"

namespace etzel::spirv {
namespace {

using O = spv::Op;
constexpr uint32_t kOffsetBit = uint32_t(spv::ImageOperandsMask::Offset);

/// The word with the image operands of an instruction that may have some and does not gather; 0: another one.
size_t imageOperandsAt(O op) {
  switch (op) {
    case O::OpImageSampleImplicitLod:
    case O::OpImageSampleExplicitLod:
    case O::OpImageSampleProjImplicitLod:
    case O::OpImageSampleProjExplicitLod:
    case O::OpImageFetch:
    case O::OpImageRead:
    case O::OpImageSparseSampleImplicitLod:
    case O::OpImageSparseSampleExplicitLod:
    case O::OpImageSparseFetch:
    case O::OpImageSparseRead: return 5;
    case O::OpImageSampleDrefImplicitLod:
    case O::OpImageSampleDrefExplicitLod:
    case O::OpImageSampleProjDrefImplicitLod:
    case O::OpImageSampleProjDrefExplicitLod:
    case O::OpImageSparseSampleDrefImplicitLod:
    case O::OpImageSparseSampleDrefExplicitLod: return 6;
    case O::OpImageWrite: return 4;
    default: return 0;
  }
}

/// The word of the Offset operand; 0 without one.
size_t offsetAt(Words inst) {
  const size_t at = imageOperandsAt(opOf(inst));
  if (at == 0 || at >= inst.size()) return 0;
  const uint32_t mask = inst[at];
  using M = spv::ImageOperandsMask;
  if (!(mask & kOffsetBit) || mask & uint32_t(M::ConstOffset) || mask & uint32_t(M::ConstOffsets)) return 0;
  const size_t offset = at + 1 + ((mask & uint32_t(M::Bias)) != 0) + ((mask & uint32_t(M::Lod)) != 0) +
                        2 * ((mask & uint32_t(M::Grad)) != 0);
  return offset < inst.size() ? offset : 0;
}

bool isBitOperation(O op) {
  return op == O::OpBitFieldInsert || op == O::OpBitFieldSExtract || op == O::OpBitFieldUExtract ||
         op == O::OpBitReverse || op == O::OpBitCount;
}

bool isComponent(Words inst) {
  return opOf(inst) == O::OpDecorate && inst.size() == 4 && inst[2] == uint32_t(spv::Decoration::Component);
}

bool isLocation(Words inst) {
  return opOf(inst) == O::OpDecorate && inst.size() == 4 && inst[2] == uint32_t(spv::Decoration::Location);
}

// Numbers of extensions that the headers of Debian 12 lack.
constexpr uint32_t kFpFastMathDefault = 6028, kMaximallyReconverges = 6023;

/// Whether spirv-val may be older than what the instruction says of the whole module.
bool isNewerDeclaration(Words inst) {
  switch (opOf(inst)) {
    case O::OpCapability:
      return inst.size() == 2 && (inst[1] == uint32_t(kFloatControls2) || inst[1] == uint32_t(kWideIndices));
    case O::OpExecutionMode:
      return inst.size() == 3 && (inst[2] == kMaximallyReconverges || inst[2] == uint32_t(kWideIndicesMode));
    case O::OpExecutionModeId: return inst.size() == 5 && inst[2] == kFpFastMathDefault;
    case O::OpDecorate: return inst.size() == 4 && inst[2] == uint32_t(spv::Decoration::FPFastMathMode);
    default: return false;
  }
}

bool mayNeed(Words inst) {
  return isComponent(inst) || isBitOperation(opOf(inst)) || offsetAt(inst) != 0 || isNewerDeclaration(inst) ||
         opOf(inst) == O::OpArrayLength;
}

/// What is asked of a type.
struct SeenType {
  O op = O::OpNop;
  uint32_t element = 0;  ///< of vectors, arrays, pointers, sampled images
  uint32_t number = 0;   ///< width, components, dimensionality
};

class Writer : Declared<SeenType> {
 public:
  explicit Writer(std::span<const uint32_t> words) : words_(words), out_(words.begin(), words.begin() + kHeaderWords) {}

  Result<std::vector<uint32_t>> run() {
    const Result<bool> whole = visitTwice(
        words_, [&](Words inst) { declare(inst); }, [&](Words inst) { return write(inst); });
    if (!whole) return whole.error();
    if (!*whole || !changed_) return std::vector<uint32_t>();
    return std::move(out_);
  }

 private:
  void declare(Words inst) {
    const O op = opOf(inst);
    const auto word = [&](size_t i) { return i < inst.size() ? inst[i] : 0u; };
    if (op == O::OpTypeInt && word(2) == 32 && word(3) == 0) word32_ = word(1);
    switch (op) {
      case O::OpTypeInt:
      case O::OpTypeFloat: types_[word(1)] = {op, 0, word(2)}; return;
      case O::OpTypeVector: types_[word(1)] = {op, word(2), word(3)}; return;
      case O::OpTypeArray:
      case O::OpTypeSampledImage: types_[word(1)] = {op, word(2), 0}; return;
      case O::OpTypePointer: types_[word(1)] = {op, word(3), word(2)}; return;
      case O::OpTypeImage: types_[word(1)] = {op, word(2), word(3)}; return;
      case O::OpCapability: {
        const auto c = static_cast<spv::Capability>(word(1));
        floatControls2_ |= c == kFloatControls2, wideIndices_ |= c == kWideIndices;
        perVertex_ |= c == spv::Capability::Tessellation || c == spv::Capability::Geometry ||
                      c == spv::Capability::FragmentBarycentricKHR;
        return;
      }
      case O::OpDecorate:
        if (word(2) == uint32_t(spv::Decoration::Patch)) patches_.insert(word(1));
        if (isComponent(inst)) components_[word(1)] = word(3);
        return;
      default: break;
    }
    bool hasResult = false, hasType = false;
    spv::HasResultAndType(op, &hasResult, &hasType);
    if (hasResult && hasType) typeOf_[word(2)] = word(1);
  }

  const SeenType& scalarOf(const SeenType& t) const { return t.op == O::OpTypeVector ? type(t.element) : t; }

  void keep(Words inst) { out_.insert(out_.end(), inst.begin(), inst.end()); }
  void put(O op, std::initializer_list<uint32_t> operands) { putInstruction(out_, op, operands); }
  /// Another name for a value, so that it must be defined and have a type.
  void mention(uint32_t value) { put(O::OpCopyObject, {typeIdOf(value), out_[3]++, value}); }

  Result<void> write(Words inst) {
    if (isNewerDeclaration(inst)) return newerDeclaration(inst);
    if (isComponent(inst)) return component(inst);
    if (isLocation(inst)) return location(inst);
    if (isBitOperation(opOf(inst))) return bitOperation(inst);
    if (opOf(inst) == O::OpArrayLength) return arrayLength(inst);
    if (const size_t at = offsetAt(inst)) return offset(inst, at);
    keep(inst);
    return {};
  }

  /// Capability, modes and decorations that forbid or allow what is never done anyway, or what always holds.
  Result<void> newerDeclaration(Words inst) {
    const O op = opOf(inst);
    const bool hasCapability = op == O::OpExecutionMode ? wideIndices_ || inst[2] != uint32_t(kWideIndicesMode)
                                                        : op == O::OpCapability || floatControls2_;
    if (!hasCapability) {
      keep(inst);  // spirv-val knows why
      return {};
    }
    if (op == O::OpExecutionModeId && type(inst[3]).op != O::OpTypeFloat)
      return badModule("FPFastMathDefault is not for a type of floats");
    changed_ = true;
    return {};
  }

  /// The numbers or vectors that a variable has for each vertex in an array; null for all other variables.
  const SeenType* valueInArray(uint32_t variable) const {
    const SeenType& pointer = type(typeIdOf(variable));
    const SeenType& outer = type(pointer.element);
    const SeenType& inner = type(outer.element);
    const SeenType& value = type(inner.element);
    const O scalar = scalarOf(value).op;
    const bool nested = pointer.op == O::OpTypePointer && outer.op == O::OpTypeArray && inner.op == O::OpTypeArray &&
                        (scalar == O::OpTypeInt || scalar == O::OpTypeFloat);
    return nested && perVertex_ && !patches_.count(variable) ? &value : nullptr;
  }

  // "Location and Component Assignment": components are of what each vertex has.
  Result<void> component(Words inst) {
    const SeenType* value = valueInArray(inst[1]);
    if (!value) {
      keep(inst);
      return {};
    }
    const uint32_t width = scalarOf(*value).number;
    const uint32_t words = (value->op == O::OpTypeVector ? value->number : 1) * (width == 64 ? 2 : 1);
    if (inst[3] > 3 || inst[3] + words > 4) return badModule("a Component decoration runs past its location");
    if (width == 64 && inst[3] % 2) return badModule("a value of 64 bits begins at an odd component");
    changed_ = true;
    return {};
  }

  /// Variables that lose their component would meet others at the same location: each component gets locations of its
  /// own, far above those that the limits allow.
  Result<void> location(Words inst) {
    const auto component = components_.find(inst[1]);
    if (component == components_.end() || !valueInArray(inst[1]))
      keep(inst);
    else
      put(O::OpDecorate, {inst[1], inst[2], inst[3] + 1024 * std::min(component->second, 3u)});
    return {};
  }

  Result<void> bitOperation(Words inst) {
    const O op = opOf(inst);
    const size_t operands = op == O::OpBitFieldInsert ? 4 : op == O::OpBitReverse || op == O::OpBitCount ? 1 : 3;
    const uint32_t base = inst.size() > 3 ? typeIdOf(inst[3]) : 0;
    const SeenType& scalar = scalarOf(type(base));
    if (inst.size() != 3 + operands || scalar.op != O::OpTypeInt || scalar.number == 32) {
      keep(inst);
      return {};
    }
    // Bit offset and count, the last two of three or four.
    for (size_t i = operands > 1 ? inst.size() - 2 : inst.size(); i < inst.size(); ++i) {
      if (type(typeIdOf(inst[i])).op != O::OpTypeInt)
        return badModule("a bit field's offset or count is not an integer");
      mention(inst[i]);
    }
    if (op == O::OpBitCount && scalarOf(type(inst[1])).number != scalar.number)
      put(O::OpSConvert, {inst[1], inst[2], inst[3]});
    else if (op == O::OpBitFieldInsert)
      put(O::OpBitwiseOr, {inst[1], inst[2], inst[3], inst[4]});
    else
      put(O::OpNot, {inst[1], inst[2], inst[3]});
    changed_ = true;
    return {};
  }

  /// "64-Bit Indexing": lengths may have 64 bits; pipelines may ask for that.
  Result<void> arrayLength(Words inst) {
    const SeenType& t = inst.size() == 5 ? type(inst[1]) : type(0);
    if (t.op != O::OpTypeInt || t.number != 64) {
      keep(inst);
      return {};
    }
    if (word32_) {
      const uint32_t length = out_[3]++;
      put(O::OpArrayLength, {word32_, length, inst[3], inst[4]});
      put(O::OpUConvert, {inst[1], inst[2], length});
    } else {
      mention(inst[3]);
      put(O::OpUndef, {inst[1], inst[2]});
    }
    changed_ = true;
    return {};
  }

  Result<void> offset(Words inst, size_t at) {
    const uint32_t value = inst[at];
    const SeenType& t = type(typeIdOf(value));
    const uint32_t imageId = opOf(inst) == O::OpImageWrite ? inst[1] : inst[3];
    const SeenType* image = &type(typeIdOf(imageId));
    if (image->op == O::OpTypeSampledImage) image = &type(image->element);
    if (t.op == O::OpNop || image->op != O::OpTypeImage) {
      keep(inst);  // spirv-val knows why
      return {};
    }
    // "Image Operands": integers, as many as the image has dimensions; not for cubes.
    const auto dim = static_cast<spv::Dim>(image->number);
    const uint32_t wanted = dim == spv::Dim::Dim2D || dim == spv::Dim::Rect ? 2 : dim == spv::Dim::Dim3D ? 3 : 1;
    if (dim == spv::Dim::Cube || dim == spv::Dim::Buffer) return badModule("an Offset of a cube or buffer");
    if (scalarOf(t).op != O::OpTypeInt || (t.op == O::OpTypeVector ? t.number : 1) != wanted)
      return badModule("an Offset does not fit the dimensions of its image");
    mention(value);
    const size_t begin = out_.size();
    keep(inst);
    out_.erase(out_.begin() + std::ptrdiff_t(begin + at));
    out_[begin] -= 1u << 16;
    out_[begin + imageOperandsAt(opOf(inst))] &= ~kOffsetBit;
    changed_ = true;
    return {};
  }

  std::span<const uint32_t> words_;
  std::vector<uint32_t> out_;  ///< out_[3] is the bound
  bool changed_ = false, perVertex_ = false, floatControls2_ = false, wideIndices_ = false;
  uint32_t word32_ = 0;  ///< the type of 32-bit integers without sign
  std::unordered_set<uint32_t> patches_;
  std::unordered_map<uint32_t, uint32_t> components_;  ///< of decorated variables
};

}  // namespace

Result<std::vector<uint32_t>> understate(std::span<const uint32_t> words) {
  if (words.size() < kHeaderWords) return std::vector<uint32_t>();
  bool any = false;
  if (!forEach(words, [&](Words inst) { return !(any = mayNeed(inst)); }) || !any) return std::vector<uint32_t>();
  return Writer(words).run();
}

}  // namespace etzel::spirv
