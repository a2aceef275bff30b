// The immediate operand of every texture and image instruction, and the order of its arguments in registers. Compiler,
// executors and texture units share this page.
#pragma once

#include "runtime/base/types.h"

namespace etzel::abi {

enum class TexDim : uint8_t { D1, D2, D3, Cube, Rect, Buffer, Subpass };
enum class TexKind : uint8_t {
  Sample,     ///< filtered; LOD per `lod`
  Fetch,      ///< one texel, integer coordinates; texel buffers too
  Gather,     ///< four texels of one component
  QueryLod,   ///< x = level used, y = level before clamping
  QuerySize,  ///< width, height, depth/layers of level `lod` (Explicit) or of the base level
  QueryLevels,
  QuerySamples,
  ImageRead,  ///< storage image or storage texel buffer
  ImageWrite,
  ImageAtomic,
  FragmentMask,  ///< SPV_AMD_shader_fragment_mask
  FragmentFetch,
};
enum class LodMode : uint8_t { Implicit, Bias, Explicit, Grad, Zero };
/// What registers hold: decides the border colour, the conversion and the result of missing components.
enum class TexType : uint8_t { Float, Sint, Uint, Sint64, Uint64 };

/// What `dim` means where views of other dimensions are bound.
enum class DimRule : uint8_t {
  Given,  ///< the program promises that views fit
  Match,  ///< Gather: views of another dimension (2D, cube) read as zeros; arrayed or not does not matter (TLD4)
  View,   ///< Sample, not arrayed, three coordinate words: the view decides how many count (ATTILA's TEX)
};

/// Operation of ATOM and of ImageAtomic: atomic_ops.def.
enum class AtomicOp : uint8_t {
#define ETZEL_ATOMIC_OP(Name, text, operands, result) Name,
#include "runtime/abi/atomic_ops.def"
#undef ETZEL_ATOMIC_OP
};
#define ETZEL_ATOMIC_OP(Name, text, operands, result) +1
inline constexpr uint32_t kAtomicOpCount = 0
#include "runtime/abi/atomic_ops.def"
    ;
#undef ETZEL_ATOMIC_OP
/// Operands of an atomic operation: the value, then the comparator.
constexpr uint32_t atomicOperands(AtomicOp op) {
  switch (op) {
#define ETZEL_ATOMIC_OP(Name, text, operands, result) \
  case AtomicOp::Name:                                \
    return operands;
#include "runtime/abi/atomic_ops.def"
#undef ETZEL_ATOMIC_OP
  }
  return 0;
}
/// Whether it gives the old value.
constexpr bool atomicHasResult(AtomicOp op) {
  switch (op) {
#define ETZEL_ATOMIC_OP(Name, text, operands, result) \
  case AtomicOp::Name:                                \
    return result;
#include "runtime/abi/atomic_ops.def"
#undef ETZEL_ATOMIC_OP
  }
  return false;
}

/// Packs into the 32-bit immediate.
struct TexInst {
  TexKind kind = TexKind::Sample;    // bits 0-3
  TexDim dim = TexDim::D2;           // bits 4-6
  bool arrayed = false;              // bit 7
  bool multisampled = false;         // bit 8
  LodMode lod = LodMode::Implicit;   // bits 9-11
  bool dref = false;                 // bit 12: depth comparison
  bool offset = false;               // bit 13: one offset for all texels
  bool offsets4 = false;             // bit 14: Gather with ConstOffsets
  bool minLod = false;               // bit 15
  bool sparse = false;               // bit 16: a residency word follows the result (0 = resident)
  uint8_t component = 0;             // bits 17-18: Gather
  TexType type = TexType::Float;     // bits 19-21
  AtomicOp atomic = AtomicOp::Load;  // bits 22-25
  bool signExtend = false;           // bit 26: reserved for SignExtend/ZeroExtend operands
  DimRule rule = DimRule::Given;     // bits 27-28

  /// Bit 31 is not part of programs: in FunctionTable::texture it says that all lanes have the same descriptors, and
  /// that `handle` and `sampler` point to the slots themselves (ImageDescriptor), or nowhere where there is no sampler.
  static constexpr uint32_t kSameHandles = 1u << 31;

  constexpr uint32_t pack() const {
    return uint32_t(kind) | uint32_t(dim) << 4 | uint32_t(arrayed) << 7 | uint32_t(multisampled) << 8 |
           uint32_t(lod) << 9 | uint32_t(dref) << 12 | uint32_t(offset) << 13 | uint32_t(offsets4) << 14 |
           uint32_t(minLod) << 15 | uint32_t(sparse) << 16 | uint32_t(component) << 17 | uint32_t(type) << 19 |
           uint32_t(atomic) << 22 | uint32_t(signExtend) << 26 | uint32_t(rule) << 27;
  }
  static constexpr TexInst unpack(uint32_t w) {
    TexInst t;
    t.kind = TexKind(w & 15), t.dim = TexDim(w >> 4 & 7), t.arrayed = w >> 7 & 1, t.multisampled = w >> 8 & 1;
    t.lod = LodMode(w >> 9 & 7), t.dref = w >> 12 & 1, t.offset = w >> 13 & 1, t.offsets4 = w >> 14 & 1;
    t.minLod = w >> 15 & 1, t.sparse = w >> 16 & 1, t.component = w >> 17 & 3, t.type = TexType(w >> 19 & 7);
    t.atomic = AtomicOp(w >> 22 & 15), t.signExtend = w >> 26 & 1, t.rule = DimRule(w >> 27 & 3);
    return t;
  }
  /// Coordinates without the array layer: 1, 2 or 3. Cube: 3 for sampling, 3 for image access (x, y, face).
  constexpr uint32_t spatialDims() const {
    switch (dim) {
      case TexDim::D1:
      case TexDim::Buffer: return 1;
      case TexDim::D3:
      case TexDim::Cube: return 3;
      default: return 2;
    }
  }
  constexpr uint32_t coordWords() const { return spatialDims() + (arrayed ? 1 : 0); }
  constexpr uint32_t offsetDims() const { return dim == TexDim::Cube ? 2 : spatialDims(); }

  // Arguments are consecutive words (argument block), in this order; absent ones take no word:
  //   coordinates (layer last; floats for Sample/Gather/QueryLod, integers otherwise; image cube arrays: x, y,
  //   6*layer+face, i.e. 3 words), dref, bias or lod (float for Sample, int for Fetch/QuerySize), dPdx (spatialDims
  //   floats), dPdy, offset (offsetDims ints), offsets4 (4 x 2 ints), minLod (float), sample or fragment index
  //   (Fetch/ImageRead/ImageWrite/ImageAtomic when multisampled; FragmentFetch), data (ImageWrite: 4 words, or 8 for
  //   64-bit types; ImageAtomic: the value, then the comparator for CompareExchange; two words each for 64-bit types).
  // QuerySize/QueryLevels/QuerySamples have no coordinates. QuerySize answers without gaps, as OpImageQuerySize does:
  // width, height unless 1D, depth if 3D, then the layers of arrays (cube arrays: cubes).
  // Subpass reads are Fetch with dim Subpass, lod Zero: x, y relative to the fragment. The texture unit adds the pixel
  // (sys PosX, PosY) and chooses the layer (sys Layer, ViewIndex); the program's sysValues name those four.
  constexpr bool hasCoord() const {
    return kind != TexKind::QuerySize && kind != TexKind::QueryLevels && kind != TexKind::QuerySamples;
  }
  constexpr bool isImageAccess() const {
    return kind == TexKind::ImageRead || kind == TexKind::ImageWrite || kind == TexKind::ImageAtomic;
  }
  /// What helper invocations must not do. An atomic load writes nothing.
  constexpr bool writesImage() const {
    return kind == TexKind::ImageWrite || (kind == TexKind::ImageAtomic && atomic != AtomicOp::Load);
  }
  constexpr uint32_t argCoordWords() const {
    if (!hasCoord()) return 0;
    if (isImageAccess() && dim == TexDim::Cube) return 3;
    return coordWords();
  }
  constexpr uint32_t argDref() const { return argCoordWords(); }
  constexpr uint32_t argLod() const { return argDref() + (dref ? 1 : 0); }
  constexpr uint32_t argGradX() const { return argLod() + (lod == LodMode::Bias || lod == LodMode::Explicit ? 1 : 0); }
  constexpr uint32_t argGradY() const { return argGradX() + (lod == LodMode::Grad ? spatialDims() : 0); }
  constexpr uint32_t argOffset() const { return argGradY() + (lod == LodMode::Grad ? spatialDims() : 0); }
  constexpr uint32_t argOffsets4() const { return argOffset() + (offset ? offsetDims() : 0); }
  constexpr uint32_t argMinLod() const { return argOffsets4() + (offsets4 ? 8 : 0); }
  constexpr uint32_t argSample() const { return argMinLod() + (minLod ? 1 : 0); }
  constexpr bool hasSample() const {
    return kind == TexKind::FragmentFetch || (multisampled && (kind == TexKind::Fetch || isImageAccess()));
  }
  constexpr uint32_t argData() const { return argSample() + (hasSample() ? 1 : 0); }
  constexpr uint32_t dataWords() const {
    const uint32_t wide = type == TexType::Sint64 || type == TexType::Uint64 ? 2 : 1;
    if (kind == TexKind::ImageWrite) return 4 * wide;
    if (kind == TexKind::ImageAtomic) return atomicOperands(atomic) * wide;
    return 0;
  }
  constexpr uint32_t argWords() const { return argData() + dataWords(); }
  /// Result words: 4 (8 for 64-bit texels), then one residency word when sparse. Atomics: 1 (2); Store/Write: 0.
  constexpr uint32_t resultWords() const {
    const uint32_t wide = type == TexType::Sint64 || type == TexType::Uint64 ? 2 : 1;
    switch (kind) {
      case TexKind::ImageWrite: return 0;
      case TexKind::ImageAtomic: return atomicHasResult(atomic) ? wide : 0;
      case TexKind::QueryLod: return 2;
      case TexKind::QuerySize: return 3;
      case TexKind::QueryLevels:
      case TexKind::QuerySamples:
      case TexKind::FragmentMask: return 1;
      default: return 4 * wide + (sparse ? 1 : 0);
    }
  }
};

}  // namespace etzel::abi
