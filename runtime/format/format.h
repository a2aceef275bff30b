// Texel formats: one table (format.def) says what every format is; everything else asks it. Pure functions, any thread.
// Formats are named by VkFormat; conversions follow the specification's chapters "Numeric Representation and
// Computation" and "Formats".
#pragma once

#include <vulkan/vulkan_core.h>

#include "runtime/base/types.h"
#include "runtime/format/texel_layout.h"

namespace etzel::format {

/// How a format's numbers reach a shader.
enum class Numeric : uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float, Ufloat, Srgb };
enum class Compression : uint8_t { None, Bc, Etc2, Astc };

/// A texel of four components as a shader sees it: float bits, or 32-bit integers for Uint and Sint. 64-bit formats
/// keep each component's low word here and its high word in `high`.
struct Texel {
  uint32_t word[4];
};

struct Channel {
  uint8_t bits = 0;   ///< 0: the format lacks this component
  uint8_t shift = 0;  ///< from bit 0 of the little-endian texel (or packed word)
};

struct FormatInfo {
  VkFormat format = VK_FORMAT_UNDEFINED;
  const char* name = "";  ///< "R8G8B8A8_UNORM"
  uint8_t blockWidth = 1, blockHeight = 1, blockDepth = 1;
  uint8_t blockBytes = 0;    ///< bytes of a texel or compressed block; depth-stencil: bytes of the depth plane
  uint8_t stencilBytes = 0;  ///< 1 when the format has stencil: its plane is separate
  Numeric numeric = Numeric::Unorm;
  Compression compression = Compression::None;
  TexelLayout layout = TexelLayout::None;
  Channel channel[4];  ///< R, G, B, A
  VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT;
  uint8_t planes = 1;                              ///< multi-planar (ycbcr) formats
  uint8_t chromaDivisorX = 1, chromaDivisorY = 1;  ///< luma texels per chroma texel (planes 1 and 2, 4:2:2 formats)
  VkFormat planeFormat[3] = {};                    ///< multi-planar: the compatible format of each plane
  constexpr bool isDepth() const { return aspects & VK_IMAGE_ASPECT_DEPTH_BIT; }
  constexpr bool isStencil() const { return aspects & VK_IMAGE_ASPECT_STENCIL_BIT; }
  constexpr bool isColor() const { return aspects & VK_IMAGE_ASPECT_COLOR_BIT; }
  constexpr bool isInteger() const { return numeric == Numeric::Uint || numeric == Numeric::Sint; }
  constexpr bool isScaled() const { return numeric == Numeric::Uscaled || numeric == Numeric::Sscaled; }
  constexpr bool isYcbcr() const { return planes > 1 || chromaDivisorX > 1; }
  uint8_t components() const;  ///< highest present component + 1
};

/// The row of `format`, or nullptr when Etzel does not know it.
const FormatInfo* find(VkFormat format);

/// Whether components are codes of kinds that format/component_lanes.h knows, none of which begins in one 32-bit word
/// and ends in the next.
bool hasCodesInWords(const FormatInfo& info);

/// Scaled formats show integers as floats. The specification gives no meaning to shaders that declare integers for
/// them, to which Khronos' suite holds on; there they show the integers themselves, as this format of the same bits.
/// Nullptr for all other formats.
const FormatInfo* integersOf(const FormatInfo& scaled);

/// What a clear value means to a format: floats and integers as "VkClearColorValue" says. To scaled formats words that
/// are small integers rather than floats (denormal, or NaN, which have no value there) are integers.
Texel clearTexel(const FormatInfo& info, const uint32_t word[4]);

/// Decodes `count` texels that lie next to each other. Depth formats put depth (as float) in x; S8 its value in x;
/// missing components become 0, missing alpha 1 (integer 1 for integer formats). Uncompressed formats only.
using DecodeFn = void (*)(const std::byte* source, Texel* texels, size_t count);
/// The reverse: clamps and rounds as "Floating-Point Format Conversions" and "Fixed-Point Data" say.
using EncodeFn = void (*)(const Texel* texels, std::byte* destination, size_t count);

DecodeFn decoder(VkFormat format);  ///< nullptr when not decodable texel by texel
EncodeFn encoder(VkFormat format);

/// Decodes one compressed block to blockWidth x blockHeight x blockDepth texels, row-major, slice after slice.
void decodeBlock(const FormatInfo& info, const std::byte* block, Texel* texels);

/// Format features Etzel offers (VkFormatProperties3 bits). `tiling`: optimal and linear differ.
VkFormatFeatureFlags2 imageFeatures(VkFormat format, VkImageTiling tiling);
VkFormatFeatureFlags2 bufferFeatures(VkFormat format);

}  // namespace etzel::format
