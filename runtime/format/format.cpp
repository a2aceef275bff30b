// The rows of format.def as FormatInfo, found by VkFormat.
#include "runtime/format/format.h"

#include "runtime/format/newer_formats.h"
#include "runtime/format/texel_shape.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace etzel::format {
namespace {

constexpr VkImageAspectFlags kPlaneAspects[4] = {
    0, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT,
    VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT};

/// What a layout is made of. `isWord`: floats and integers of 32 bits, whose bits a shader gets as they are.
struct LayoutRow {
  TexelLayout layout;
  bool isWord;
  Numeric numeric;
  Channel channel[4];
};
namespace layout_rows {
constexpr auto Word = Numeric::Float;
using enum Numeric;
constexpr LayoutRow kRows[] = {
#define ETZEL_LAYOUT(name, numbers, rb, rs, gb, gs, bb, bs, ab, as) \
  {TexelLayout::name, std::string_view(#numbers) == "Word", numbers, {{rb, rs}, {gb, gs}, {bb, bs}, {ab, as}}},
#include "runtime/format/texel_layout.def"
#undef ETZEL_LAYOUT
};
}  // namespace layout_rows

constexpr bool matches(const LayoutRow& row, const FormatInfo& f) {
  const bool isWord = f.channel[0].bits == 32 && (f.numeric == Numeric::Float || f.isInteger());
  if (row.isWord != isWord || (!isWord && row.numeric != f.numeric)) return false;
  for (int c = 0; c < 4; ++c) {
    const Channel &have = f.channel[c], &want = row.channel[c];
    if (have.bits != want.bits || (want.bits && have.shift != want.shift)) return false;
  }
  return true;
}
constexpr FormatInfo withLayout(FormatInfo f) {
  f.layout = TexelLayout::Other;
  if (f.isDepth() && f.isStencil()) return f;
  for (const LayoutRow& row : layout_rows::kRows)
    if (matches(row, f)) f.layout = row.layout;
  return f;
}

constexpr FormatInfo color(VkFormat format, const char* name, uint8_t bytes, Numeric numeric, Channel r, Channel g,
                           Channel b, Channel a) {
  FormatInfo f;
  f.format = format, f.name = name, f.blockBytes = bytes, f.numeric = numeric;
  f.channel[0] = r, f.channel[1] = g, f.channel[2] = b, f.channel[3] = a;
  return withLayout(f);
}
constexpr FormatInfo depth(VkFormat format, const char* name, uint8_t bytes, uint8_t stencilBytes, Numeric numeric,
                           uint8_t bits) {
  FormatInfo f;
  f.format = format, f.name = name, f.blockBytes = bytes, f.stencilBytes = stencilBytes, f.numeric = numeric;
  f.channel[0] = {bits, 0};
  f.aspects =
      (stencilBytes ? VK_IMAGE_ASPECT_STENCIL_BIT : 0) | (numeric != Numeric::Uint ? VK_IMAGE_ASPECT_DEPTH_BIT : 0);
  return withLayout(f);
}
constexpr FormatInfo block(VkFormat format, const char* name, Compression compression, uint8_t width, uint8_t height,
                           uint8_t depth, uint8_t bytes, Numeric numeric, int components) {
  FormatInfo f;
  f.format = format, f.name = name, f.compression = compression, f.blockWidth = width, f.blockHeight = height;
  f.blockDepth = depth;
  f.blockBytes = bytes, f.numeric = numeric, f.layout = TexelLayout::Blocks;
  for (int c = 0; c < components; ++c) f.channel[c] = {8, 0};
  return f;
}
constexpr FormatInfo packed422(VkFormat format, const char* name, uint8_t bytes, uint8_t bits, bool chromaFirst) {
  FormatInfo f;
  f.format = format, f.name = name, f.blockBytes = bytes, f.blockWidth = 2;
  const uint8_t unit = bytes * 2, gap = unit - bits;  // four units of `unit` bits, the number in the high bits
  const uint8_t luma = (chromaFirst ? unit : 0) + gap, chroma = (chromaFirst ? 0 : unit) + gap;
  f.channel[0] = {bits, static_cast<uint8_t>(chroma + 2 * unit)};
  f.channel[1] = {bits, luma};
  f.channel[2] = {bits, chroma};
  f.chromaDivisorX = 2;
  return f;
}
constexpr FormatInfo planar(VkFormat format, const char* name, uint8_t planes, uint8_t dx, uint8_t dy, VkFormat first,
                            VkFormat others) {
  FormatInfo f;
  f.format = format, f.name = name, f.planes = planes, f.chromaDivisorX = dx, f.chromaDivisorY = dy;
  f.planeFormat[0] = first;
  for (int p = 1; p < planes; ++p) f.planeFormat[p] = others;
  f.aspects = VK_IMAGE_ASPECT_COLOR_BIT | kPlaneAspects[planes];
  for (int c = 0; c < 3; ++c) f.channel[c] = {8, 0};
  return f;
}

constexpr FormatInfo kRows[] = {
#define ETZEL_COLOR(name, bytes, numeric, rb, rs, gb, gs, bb, bs, ab, as) \
  color(VK_FORMAT_##name, #name, bytes, Numeric::numeric, {rb, rs}, {gb, gs}, {bb, bs}, {ab, as}),
#define ETZEL_DEPTH(name, bytes, stencilBytes, numeric, bits) \
  depth(VK_FORMAT_##name, #name, bytes, stencilBytes, Numeric::numeric, bits),
#define ETZEL_BLOCK(name, compression, width, height, bytes, numeric, components) \
  block(VK_FORMAT_##name, #name, Compression::compression, width, height, 1, bytes, Numeric::numeric, components),
#define ETZEL_VOLUME(name, compression, width, height, depth, bytes, numeric, components) \
  block(VK_FORMAT_##name, #name, Compression::compression, width, height, depth, bytes, Numeric::numeric, components),
#define ETZEL_PACKED422(name, bytes, bits, chromaFirst) packed422(VK_FORMAT_##name, #name, bytes, bits, chromaFirst),
#define ETZEL_PLANAR(name, planes, dx, dy, first, others) \
  planar(VK_FORMAT_##name, #name, planes, dx, dy, VK_FORMAT_##first, VK_FORMAT_##others),
#include "runtime/format/format.def"
};

constexpr size_t kDense = 256;  // core 1.0 formats are numbered below this
struct Index {
  uint16_t row[kDense] = {};  // row + 1
};
constexpr Index makeIndex() {
  Index index;
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].format < kDense) index.row[kRows[i].format] = static_cast<uint16_t>(i + 1);
  return index;
}
constexpr Index kIndex = makeIndex();

}  // namespace

const FormatInfo* find(VkFormat format) {
  if (static_cast<uint32_t>(format) < kDense) {
    const uint16_t row = kIndex.row[format];
    return row ? &kRows[row - 1] : nullptr;
  }
  const auto it =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const FormatInfo& f) { return f.format == format; });
  return it == std::end(kRows) ? nullptr : it;
}

bool hasCodesInWords(const FormatInfo& f) {
  return hasCodesInWords(TexelShape{f.numeric, {f.channel[0], f.channel[1], f.channel[2], f.channel[3]}, f.blockBytes});
}

const FormatInfo* integersOf(const FormatInfo& scaled) {
  if (!scaled.isScaled()) return nullptr;
  return find(static_cast<VkFormat>(scaled.format + 2));  // all are numbered UNORM, SNORM, USCALED, SSCALED, UINT, SINT
}

Texel clearTexel(const FormatInfo& info, const uint32_t word[4]) {
  Texel texel{{word[0], word[1], word[2], word[3]}};
  if (!info.isScaled()) return texel;
  for (uint32_t& w : texel.word) {
    const bool isDenormal = w<0x00800000u, isNan = (w & 0x7FFFFFFFu)> 0x7F800000u;
    if (isDenormal || isNan) w = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(w)));
  }
  return texel;
}

uint8_t FormatInfo::components() const {
  for (uint8_t c = 4; c > 0; --c)
    if (channel[c - 1].bits) return c;
  return 0;
}

}  // namespace etzel::format
