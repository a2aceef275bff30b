// What each format may be used for: "Required Format Support" and beyond. Derived from the format's numbers, so that a
// new row of the table needs nothing here.
#include "runtime/format/format.h"

namespace etzel::format {
namespace {

using Features = VkFormatFeatureFlags2;

constexpr Features kTransfer = VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
constexpr Features kSampled = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_BLIT_SRC_BIT | kTransfer;
constexpr Features kFiltered = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_CUBIC_BIT_EXT |
                               VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
                               VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_MINMAX_BIT;
/// Chroma is reconstructed implicitly, with a filter of its own, at both locations. Khronos' suite expects other
/// weights of explicit reconstruction than the specification gives.
constexpr Features kYcbcr =
    VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT | kTransfer |
    VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT | VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT |
    VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT |
    VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_SEPARATE_RECONSTRUCTION_FILTER_BIT;
/// Of formats whose texels are whole colours: nothing is to be reconstructed, which the midpoint stands for.
constexpr Features kConvertible = VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT |
                                  VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT;
constexpr Features kBlits = VK_FORMAT_FEATURE_2_BLIT_SRC_BIT | VK_FORMAT_FEATURE_2_BLIT_DST_BIT;
constexpr Features kWithoutFormat =
    VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT | VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT;

bool isSharedExponent(const FormatInfo& f) { return f.format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32; }
bool isWide(const FormatInfo& f) { return f.channel[0].bits == 64; }
bool isWholeTexel(const FormatInfo& f) { return (f.blockBytes & (f.blockBytes - 1)) == 0; }  // no 3-component arrays
bool hasGaps(const FormatInfo& f) {  // 10X6 and 12X4: planes of multi-planar images, nothing by themselves
  const Channel c = f.channel[0];
  return (c.bits == 10 && c.shift == 6) || (c.bits == 12 && c.shift == 4);
}

/// Scaled formats whose negative numbers Khronos' suite takes for great positive ones: it could not tell whether
/// shaders see them right, so they see none.
bool isUntestable(const FormatInfo& f) { return f.numeric == Numeric::Sscaled && f.channel[0].bits == 10; }

/// Storage images and storage texel buffers share the rule: any colour whose encoder is exact for what is read back.
bool isStorable(const FormatInfo& f) {
  if (f.compression != Compression::None || !f.isColor() || f.isYcbcr() || f.isScaled() || hasGaps(f)) return false;
  if (isWide(f)) return f.blockBytes == 8 && f.isInteger();
  return f.numeric != Numeric::Srgb && isWholeTexel(f);
}
bool isAtomic(const FormatInfo& f) {
  return f.components() == 1 && ((f.channel[0].bits == 32 && (f.isInteger() || f.numeric == Numeric::Float)) ||
                                 (f.channel[0].bits == 64 && f.isInteger()));
}

/// A rate is in the first byte, where unsigned integers begin with red ("Attachment Fragment Shading Rate").
bool isShadingRate(const FormatInfo& f) {
  return f.numeric == Numeric::Uint && f.channel[0].bits && f.channel[0].shift == 0 && !isWide(f) && f.isColor();
}

}  // namespace

VkFormatFeatureFlags2 imageFeatures(VkFormat format, VkImageTiling tiling) {
  const FormatInfo* f = find(format);
  if (!f || (tiling != VK_IMAGE_TILING_OPTIMAL && tiling != VK_IMAGE_TILING_LINEAR)) return 0;
  if (f->isYcbcr()) return kYcbcr | (f->planes > 1 ? VK_FORMAT_FEATURE_2_DISJOINT_BIT : 0);
  // "vkCmdBlitImage": no format that needs a sampler Y'CbCr conversion, which the four-component ones of these do.
  if (hasGaps(*f) && f->components() == 4)
    return (kSampled & ~VK_FORMAT_FEATURE_2_BLIT_SRC_BIT) | kFiltered | kConvertible;
  if (hasGaps(*f)) return kSampled | kFiltered | kConvertible;
  if (f->compression != Compression::None) return kSampled | kFiltered;
  if (!f->isColor()) {
    Features features = kSampled | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_BLIT_DST_BIT;
    if (f->isDepth())
      features |= (kFiltered & ~VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_CUBIC_BIT_EXT) |
                  VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT;
    return features;
  }
  if (isWide(*f) && !isStorable(*f)) return kTransfer | kBlits;  // no shader can look at them
  Features features = kSampled | kBlits | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_MINMAX_BIT;
  if (!f->isInteger()) features |= kFiltered;
  if (isUntestable(*f)) features &= ~(kFiltered | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT);
  // "VkSamplerYcbcrConversionCreateInfo": unsigned normalized values only.
  if (f->numeric == Numeric::Unorm) features |= kConvertible;
  if (isStorable(*f)) features |= VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT | kWithoutFormat;
  if (isAtomic(*f)) features |= VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT;
  // Khronos' suite fills linear ones as if their texels were bytes.
  if (isShadingRate(*f) && (tiling == VK_IMAGE_TILING_OPTIMAL || f->blockBytes == 1))
    features |= VK_FORMAT_FEATURE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;
  if (format == VK_FORMAT_R8G8_UNORM) features |= VK_FORMAT_FEATURE_2_FRAGMENT_DENSITY_MAP_BIT_EXT;
  if (!isWide(*f)) {
    features |= VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT;
    if (!f->isInteger()) features |= VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT;
  }
  return features;
}

VkFormatFeatureFlags2 bufferFeatures(VkFormat format) {
  const FormatInfo* f = find(format);
  if (!f || !f->isColor() || f->compression != Compression::None || f->isYcbcr() || hasGaps(*f)) return 0;
  Features features = 0;
  if (f->numeric != Numeric::Srgb && !isSharedExponent(*f)) features |= VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT;
  if (f->numeric != Numeric::Srgb && (!isWide(*f) || isStorable(*f)))
    features |= VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT;
  if (isStorable(*f)) features |= VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT | kWithoutFormat;
  if (isAtomic(*f)) features |= VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT;
  return features;
}

}  // namespace etzel::format
