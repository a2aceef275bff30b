#include "raster/tile/draw/color_target.h"

#include <algorithm>
#include <cstring>

namespace etzel::raster {
namespace {

void setBits(uint8_t* bytes, uint32_t shift, uint32_t count) {
  const uint32_t end = std::min(shift + count, 128u);
  for (uint32_t b = shift, n = 0; b < end; b += n) {
    n = std::min(8 - b % 8, end - b);
    bytes[b / 8] |= static_cast<uint8_t>(((1u << n) - 1) << b % 8);
  }
}

/// \returns whether the equation is one of ColorTarget::plainBlend, and then the factors
bool plainFactors(const BlendAttachment& b, FactorParts* factor) {
  const VkBlendFactor factors[4] = {b.srcColor, b.dstColor, b.srcAlpha, b.dstAlpha};
  for (uint32_t i = 0; i < 4; ++i) {
    switch (factors[i]) {
      case VK_BLEND_FACTOR_ZERO: factor[i] = {0, 0, 0}; break;
      case VK_BLEND_FACTOR_ONE: factor[i] = {1, 0, 0}; break;
      case VK_BLEND_FACTOR_SRC_ALPHA: factor[i] = {0, 1, 0}; break;
      case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA: factor[i] = {1, -1, 0}; break;
      case VK_BLEND_FACTOR_DST_ALPHA: factor[i] = {0, 0, 1}; break;
      case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA: factor[i] = {1, 0, -1}; break;
      default: return false;
    }
  }
  return b.colorOp == VK_BLEND_OP_ADD && b.alphaOp == VK_BLEND_OP_ADD;
}

/// Null: texels of that layout are stored group by group.
simd::StoreTexelBlock blockStore(TexelLayout layout) {
  switch (layout) {
    case TexelLayout::R32: return simd::findStoreTexelBlock(simd::BlockTexel::R32);
    case TexelLayout::Rgba32: return simd::findStoreTexelBlock(simd::BlockTexel::Rgba32);
    case TexelLayout::Rgba16F: return simd::findStoreTexelBlock(simd::BlockTexel::Rgba16F);
    default: return nullptr;
  }
}

}  // namespace

bool makeTarget(const DrawState& s, uint32_t index, bool writesIntegers, ColorTarget& t) {
  const tex::ImageView* view = s.attachments.color[index];
  const BlendAttachment& b = s.blend[index];
  static constexpr ColorTarget kNothing;
  t = kNothing;  // an attachment before may have left something here and not be written after all
  t.surface = surfaceOf(view);
  if (!t.surface || !view->info || !view->encode || !view->decode || b.writeMask == 0) return false;
  const format::FormatInfo* integers = writesIntegers ? format::integersOf(*view->info) : nullptr;
  const format::FormatInfo& info = integers ? *integers : *view->info;
  t.attachment = index, t.location = s.attachments.location[index];
  t.layout = info.layout;
  t.info = &info;
  t.byLanes = format::hasCodesInWords(info);
  t.decode = view->decode, t.encode = view->encode;
  if (integers) t.decode = format::decoder(info.format), t.encode = format::encoder(info.format);
  t.equation = b;
  bool srgb = info.numeric == format::Numeric::Srgb;
  bool floats = info.numeric == format::Numeric::Float || info.numeric == format::Numeric::Ufloat;
  // "Logical Operations": not for floating-point and sRGB formats, whose fragments pass unmodified; blending is off
  // for all attachments when they are enabled. Integer attachments do not blend.
  t.logicOp = s.logicOpEnable && !srgb && !floats && s.logicOp != VK_LOGIC_OP_COPY;
  t.op = s.logicOp;
  if (t.logicOp && t.op == VK_LOGIC_OP_NO_OP) return false;
  t.blend = b.enable && !s.logicOpEnable && !info.isInteger();
  if (t.blend && b.colorOp == VK_BLEND_OP_ADD && b.alphaOp == VK_BLEND_OP_ADD && b.srcColor == VK_BLEND_FACTOR_ONE &&
      b.srcAlpha == VK_BLEND_FACTOR_ONE && b.dstColor == VK_BLEND_FACTOR_ZERO && b.dstAlpha == VK_BLEND_FACTOR_ZERO)
    t.blend = false;
  if (info.numeric == format::Numeric::Unorm || srgb) t.clamp = BlendClamp::Unorm;
  if (info.numeric == format::Numeric::Snorm) t.clamp = BlendClamp::Snorm;
  for (int c = 0; c < 4; ++c) {
    float k = s.blendConstants[c];
    if (t.clamp == BlendClamp::Unorm) k = k > 0 ? (k < 1 ? k : 1.0f) : 0.0f;
    if (t.clamp == BlendClamp::Snorm) k = k > -1 ? (k < 1 ? k : 1.0f) : -1.0f;
    t.constants[c] = k;
  }
  if (view->format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32) {
    // "VkPipelineColorBlendAttachmentState": all colour channels are written or none; the exponent belongs to all
    // three.
    if ((b.writeMask & 7) != 7) return false;
    setBits(t.writeBits, 0, 32);
  } else {
    for (uint32_t c = 0; c < 4; ++c) {
      if (info.channel[c].bits == 0) continue;
      if (b.writeMask >> c & 1)
        setBits(t.writeBits, info.channel[c].shift, info.channel[c].bits);
      else
        t.partialMask = true;
    }
    if (std::all_of(t.writeBits, t.writeBits + 16, [](uint8_t v) { return v == 0; })) return false;
  }
  t.integer = info.isInteger();
  t.reads = t.blend || t.logicOp || t.partialMask;
  if (!t.reads) t.storeBlock = blockStore(t.layout);
  t.plainBlend = t.blend && plainFactors(b, t.factor);
  t.shapes = (t.byLanes || format::isBytes4(t.layout)) && !isAdvanced(b.colorOp);
  t.bgra = format::isBlueFirst(t.layout), t.srgb = format::isSrgb(t.layout);
  if (format::isBytes4(t.layout)) {
    if (!t.reads) t.bytes = ByteWrite::Store;
    if (t.plainBlend && !t.partialMask) t.bytes = ByteWrite::Blend;
  }
  std::memcpy(&t.writeWord, t.writeBits, 4);
  return true;
}

bool ColorTarget::usesSecondSource() const {
  auto second = [](VkBlendFactor f) {
    return f >= VK_BLEND_FACTOR_SRC1_COLOR && f <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
  };
  return blend && !isAdvanced(equation.colorOp) &&
         (second(equation.srcColor) || second(equation.dstColor) || second(equation.srcAlpha) ||
          second(equation.dstAlpha));
}

}  // namespace etzel::raster
