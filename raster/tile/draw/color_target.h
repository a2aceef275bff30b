// How a draw writes one colour attachment, derived from its state once.
#pragma once

#include "raster/attachment/surface.h"
#include "raster/draw.h"
#include "runtime/format/format.h"
#include "runtime/simd/texel_block.h"

namespace etzel::raster {

using format::TexelLayout;

/// How blending treats numbers ("Blending": fixed-point attachments clamp their operands).
enum class BlendClamp : uint8_t { None, Unorm, Snorm };

/// A factor of most blending: a number, and parts of the source's and of the destination's alpha. The first is 0 or 1;
/// of the others one is 0, the other 0, 1 or -1.
struct FactorParts {
  float fixed = 0, ofSource = 0, ofDestination = 0;
};
/// Targets that byte_color.h writes: four bytes a texel, sRGB or not, of which nothing is read, or which have plain
/// blending.
enum class ByteWrite : uint8_t { None, Store, Blend };

/// "Fragment Coverage to Color": the first component of the target is the coverage mask.
struct CoverageToColor {
  uint32_t bits = 0;  ///< of the component; 0: not this target
  bool isSigned = false;
};

struct ColorTarget {
  Surface surface;
  TexelLayout layout = TexelLayout::Other;   ///< what has no code of its own goes through decode and encode
  const format::FormatInfo* info = nullptr;  ///< as the shader writes it
  format::DecodeFn decode = nullptr;
  format::EncodeFn encode = nullptr;
  bool byLanes = false;  ///< format::hasCodesInWords(): runtime/format/texel_lanes.h codes the format
  uint32_t attachment = 0;
  uint32_t location = 0;              ///< of the fragment shader's output
  bool blend = false, reads = false;  ///< reads: the old texel is needed
  bool integer = false;
  ByteWrite bytes = ByteWrite::None;
  bool bgra = false;                           ///< ByteWrite: blue comes first
  bool srgb = false;                           ///< ByteWrite: colours are encoded
  simd::StoreTexelBlock storeBlock = nullptr;  ///< stores blocks, where nothing of the target is read
  bool shapes = false;                         ///< texel_block.h may write blocks
  bool plainBlend = false;                     ///< blended by adding products with such factors:
  /// Of source and destination: of colour, then alpha. What is stored is blended with nothing.
  FactorParts factor[4] = {{1}, {}, {1}, {}};
  bool logicOp = false, partialMask = false;
  BlendClamp clamp = BlendClamp::None;
  CoverageToColor coverageColor;
  BlendAttachment equation;
  VkLogicOp op = VK_LOGIC_OP_COPY;
  float constants[4] = {};                 ///< already clamped
  alignas(16) uint8_t writeBits[16] = {};  ///< bits of a texel that the write mask lets through
  uint32_t writeWord = 0;                  ///< the first four bytes of writeBits

  bool usesSecondSource() const;  ///< blending does
  /// Some of `factor` depends on what was there.
  bool readsDestination() const {
    for (const FactorParts& f : factor)
      if (f.ofDestination != 0) return true;
    return false;
  }
};

/// Makes the target of a colour attachment. `writesIntegers`: the shader declares its colour with integers
/// (format::integersOf). \returns whether the draw writes it at all
bool makeTarget(const DrawState& state, uint32_t attachment, bool writesIntegers, ColorTarget& target);

}  // namespace etzel::raster
