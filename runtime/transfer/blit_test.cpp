// Blits of random regions between all formats against a model that goes texel by texel, byte for byte.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "runtime/format/convert.h"
#include "runtime/transfer/row_lanes.h"
#include "runtime/transfer/transfer.h"

namespace etzel::transfer {
namespace {

using format::FormatInfo;
using format::Numeric;
using format::Texel;
using Random = std::mt19937;

int32_t below(Random& random, uint32_t n) { return static_cast<int32_t>(random() % n); }

struct Picture {
  mem::ImageLayout layout;
  std::vector<std::byte> bytes;

  Picture(VkFormat format, VkImageType type, VkExtent3D extent, uint32_t mips, uint32_t layers, Random& random) {
    mem::ImageShape shape;
    shape.type = type, shape.format = format, shape.extent = extent;
    shape.mipLevels = mips, shape.arrayLayers = layers, shape.samples = 1;
    shape.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    layout = mem::layoutImage(shape);
    bytes.resize(layout.size);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  }
  Image image() { return {&layout, bytes.data()}; }
  const mem::PlaneLayout& plane() const { return layout.plane[0]; }
  std::byte* at(uint32_t mip, uint32_t layer, uint32_t x, uint32_t y, uint32_t z) {
    return bytes.data() + layout.texelOffset(plane(), mip, layer, 0, x, y, z);
  }
  Texel texel(uint32_t mip, uint32_t layer, uint32_t x, uint32_t y, uint32_t z) {
    const mem::PlaneLayout& p = plane();
    if (const format::DecodeFn decode = format::decoder(p.format)) {
      Texel t;
      decode(at(mip, layer, x, y, z), &t, 1);
      return t;
    }
    Texel block[144];
    format::decodeBlock(*format::find(p.format), at(mip, layer, x / p.blockWidth, y / p.blockHeight, z), block);
    return block[y % p.blockHeight * p.blockWidth + x % p.blockWidth];
  }
};

/// Where the centre of texel `d` of one axis lies in the source: the texel, and how far from its beginning.
struct Place {
  int32_t texel;
  int32_t rest, whole;  ///< rest / whole texels, in [0, 1)
};
Place place(int32_t s0, int32_t s1, int32_t d0, int32_t d1, int32_t d) {
  const int32_t sign = d1 < d0 ? -1 : 1, whole = 2 * (d1 - d0) * sign;
  const int32_t moved = sign * (2 * (d - d0) + 1) * (s1 - s0);
  const int32_t texels = static_cast<int32_t>(std::floor(static_cast<double>(moved) / whole));
  return {s0 + texels, moved - texels * whole, whole};
}
uint32_t clampTo(int32_t i, uint32_t size) { return static_cast<uint32_t>(std::clamp(i, 0, int32_t(size) - 1)); }

struct Taps {
  uint32_t first, second;
  float weight;
};
Taps linearTaps(const Place& at, uint32_t size) {
  const bool left = 2 * at.rest < at.whole;  // of the texel's centre
  const int32_t i = at.texel - left, beyond = at.rest - at.whole / 2 + (left ? at.whole : 0);
  return {clampTo(i, size), clampTo(i + 1, size), static_cast<float>(static_cast<double>(beyond) / at.whole)};
}

/// Without weight `b` takes no part.
float mix(float a, float b, float weight) {
  if (weight == 0) return a;
  const float p = a * (1 - weight), q = b * weight;
  return std::isnan(p) ? p : p + q;
}

Texel filtered(Picture& s, uint32_t mip, uint32_t layer, const Taps& x, const Taps& y, const Taps& z) {
  const auto line = [&](uint32_t row, uint32_t slice, int c) {
    return mix(format::bitsToFloat(s.texel(mip, layer, x.first, row, slice).word[c]),
               format::bitsToFloat(s.texel(mip, layer, x.second, row, slice).word[c]), x.weight);
  };
  Texel t;
  for (int c = 0; c < 4; ++c) {
    float value = mix(line(y.first, z.first, c), line(y.second, z.first, c), y.weight);
    if (z.first != z.second)
      value = mix(value, mix(line(y.first, z.second, c), line(y.second, z.second, c), y.weight), z.weight);
    t.word[c] = format::floatToBits(value);
  }
  return t;
}

void changeSign(Texel& t, Numeric from, Numeric to) {
  if (from == to || (from != Numeric::Uint && from != Numeric::Sint)) return;
  for (uint32_t& w : t.word)
    if (w >> 31) w = from == Numeric::Sint ? 0 : 0x7FFFFFFFu;
}

bool hasWideComponents(const FormatInfo& info) { return info.channel[0].bits == 64; }

/// A texel where one of the formats has components of 64 bits: integers by way of numbers that hold them all, floats
/// by way of doubles.
void convertWideTexel(const FormatInfo& from, const std::byte* in, const FormatInfo& to, std::byte* out) {
  Texel narrow{};
  if (!hasWideComponents(from)) format::decoder(from.format)(in, &narrow, 1);
  for (uint32_t c = 0; c < 4; ++c) {
    uint64_t code = 0;
    const bool missing = c >= from.components();
    if (hasWideComponents(from) && !missing) std::memcpy(&code, in + 8 * c, 8);
    if (!from.isInteger()) {
      double value = hasWideComponents(from) ? (missing ? (c == 3 ? 1 : 0) : std::bit_cast<double>(code))
                                             : double{format::bitsToFloat(narrow.word[c])};
      if (hasWideComponents(to) && c < to.components()) std::memcpy(out + 8 * c, &value, 8);
      narrow.word[c] = format::floatToBits(static_cast<float>(value));
      continue;
    }
    const bool isSigned = from.numeric == Numeric::Sint;
    __int128 value = narrow.word[c];
    if (isSigned) value = static_cast<int32_t>(narrow.word[c]);
    if (hasWideComponents(from))
      value = missing ? c == 3 : isSigned ? __int128{static_cast<int64_t>(code)} : __int128{code};
    const uint32_t bits = hasWideComponents(to) ? 64 : 32;
    const __int128 one = 1, least = to.numeric == Numeric::Sint ? -(one << (bits - 1)) : 0;
    const __int128 greatest = (one << (to.numeric == Numeric::Sint ? bits - 1 : bits)) - 1;
    value = value < least ? least : value > greatest ? greatest : value;
    const auto word = static_cast<uint64_t>(value);
    if (hasWideComponents(to) && c < to.components()) std::memcpy(out + 8 * c, &word, 8);
    narrow.word[c] = static_cast<uint32_t>(word);
  }
  if (!hasWideComponents(to)) format::encoder(to.format)(&narrow, out, 1);
}

/// Blits that do not scale, mirror or leave an image copy: SNORM keeps both of its codes for -1.
bool isCopy(const Picture& s, const Picture& d, const VkImageBlit2& r) {
  const mem::MipLayout &sm = s.plane().mip[r.srcSubresource.mipLevel], &dm = d.plane().mip[r.dstSubresource.mipLevel];
  const auto fits = [](int32_t s0, int32_t s1, int32_t d0, int32_t d1, uint32_t sourceSize, uint32_t size) {
    return s1 > s0 && s1 - s0 == d1 - d0 && std::min(s0, d0) >= 0 && s1 <= int32_t(sourceSize) && d1 <= int32_t(size);
  };
  const VkOffset3D *so = r.srcOffsets, *o = r.dstOffsets;
  return s.plane().format == d.plane().format && fits(so[0].x, so[1].x, o[0].x, o[1].x, sm.width, dm.width) &&
         fits(so[0].y, so[1].y, o[0].y, o[1].y, sm.height, dm.height) &&
         fits(so[0].z, so[1].z, o[0].z, o[1].z, sm.depth, dm.depth);
}

void modelBlit(Picture& s, Picture& d, const VkImageBlit2& r, bool linear) {
  const VkImageSubresourceLayers &sub = r.srcSubresource, &to = r.dstSubresource;
  const mem::MipLayout &sm = s.plane().mip[sub.mipLevel], &dm = d.plane().mip[to.mipLevel];
  const Numeric from = format::find(s.plane().format)->numeric, numeric = format::find(d.plane().format)->numeric;
  const VkOffset3D *so = r.srcOffsets, *o = r.dstOffsets;
  // Texels that all stand alone are moved, and keep the codes that they have.
  const auto alone = [](int32_t s0, int32_t s1, int32_t d0, int32_t d1, uint32_t size) {
    for (int32_t i = std::max(0, std::min(d0, d1)); i < std::min(std::max(d0, d1), int32_t(size)); ++i)
      if (linearTaps(place(s0, s1, d0, d1, i), 1).weight != 0) return false;
    return true;
  };
  linear = linear &&
           !(alone(so[0].x, so[1].x, o[0].x, o[1].x, dm.width) && alone(so[0].y, so[1].y, o[0].y, o[1].y, dm.height) &&
             (sm.depth == 1 || alone(so[0].z, so[1].z, o[0].z, o[1].z, dm.depth)));
  const bool bytes = !linear && s.plane().format == d.plane().format;
  const auto first = [](int32_t a, int32_t b) { return std::max(0, std::min(a, b)); };
  const auto last = [](int32_t a, int32_t b, uint32_t size) { return std::min(std::max(a, b), int32_t(size)); };
  for (uint32_t layer = 0; layer < sub.layerCount; ++layer)
    for (int32_t z = first(o[0].z, o[1].z); z < last(o[0].z, o[1].z, dm.depth); ++z)
      for (int32_t y = first(o[0].y, o[1].y); y < last(o[0].y, o[1].y, dm.height); ++y)
        for (int32_t x = first(o[0].x, o[1].x); x < last(o[0].x, o[1].x, dm.width); ++x) {
          const Place sx = place(so[0].x, so[1].x, o[0].x, o[1].x, x);
          const Place sy = place(so[0].y, so[1].y, o[0].y, o[1].y, y);
          const Place sz = place(so[0].z, so[1].z, o[0].z, o[1].z, z);
          const uint32_t l = sub.baseArrayLayer + layer;
          std::byte* const out = d.at(to.mipLevel, to.baseArrayLayer + layer, x, y, z);
          if (linear) {
            const Texel t = filtered(s, sub.mipLevel, l, linearTaps(sx, sm.width), linearTaps(sy, sm.height),
                                     linearTaps(sz, sm.depth));
            format::encoder(d.plane().format)(&t, out, 1);
            continue;
          }
          const uint32_t nx = clampTo(sx.texel, sm.width), ny = clampTo(sy.texel, sm.height);
          const uint32_t nz = clampTo(sz.texel, sm.depth);
          if (bytes) {
            std::memcpy(out, s.at(sub.mipLevel, l, nx, ny, nz), s.plane().blockBytes);
            continue;
          }
          const FormatInfo &is = *format::find(s.plane().format), &id = *format::find(d.plane().format);
          if ((hasWideComponents(is) || hasWideComponents(id)) && is.compression == format::Compression::None) {
            convertWideTexel(is, s.at(sub.mipLevel, l, nx, ny, nz), id, out);
            continue;
          }
          Texel t = s.texel(sub.mipLevel, l, nx, ny, nz);
          changeSign(t, from, numeric);
          format::encoder(d.plane().format)(&t, out, 1);
        }
}

/// A range that may run backwards, leave the image, and have another length than `like`.
void randomRange(Random& random, int32_t size, int32_t like, int32_t& a, int32_t& b) {
  switch (below(random, 4)) {
    case 0: a = 0, b = size; break;
    case 1:  // as long as the other side's
      a = below(random, static_cast<uint32_t>(size)), b = a + std::max(1, like);
      break;
    default:
      a = below(random, static_cast<uint32_t>(size) + 4) - 2;
      do b = below(random, static_cast<uint32_t>(size) + 4) - 2;
      while (b == a);
  }
  if (below(random, 4) == 0) std::swap(a, b);
}

std::vector<VkFormat> formatsThatBlit(bool integer, bool destination) {
  std::vector<VkFormat> formats;
  const VkFormatFeatureFlags2 wanted =
      destination ? VK_FORMAT_FEATURE_2_BLIT_DST_BIT : VK_FORMAT_FEATURE_2_BLIT_SRC_BIT;
  for (uint32_t i = 1; i < 185; ++i) {
    const FormatInfo* info = format::find(static_cast<VkFormat>(i));
    if (info && info->isColor() && info->isInteger() == integer &&
        (format::imageFeatures(info->format, VK_IMAGE_TILING_OPTIMAL) & wanted))
      formats.push_back(info->format);
  }
  return formats;
}

struct Case {
  VkFormat from, to;
  VkImageType type;
  uint32_t width, height;  ///< at most, of both
};

void compareOnce(const Case& c, Random& random, task::Pool* pool) {
  const bool deep = c.type == VK_IMAGE_TYPE_3D;
  const auto extent = [&] {
    return VkExtent3D{1 + uint32_t(below(random, c.width)), 1 + uint32_t(below(random, c.height)),
                      deep ? 1 + uint32_t(below(random, 6)) : 1};
  };
  const uint32_t mips = 1 + static_cast<uint32_t>(below(random, 2)), layers = deep ? 1 : 3;
  const VkExtent3D se = extent(), de = extent();
  Picture source(c.from, c.type, se, se.width > 1 && se.height > 1 ? mips : 1, layers, random);
  Picture real(c.to, c.type, de, 1, layers, random), model = real;
  VkImageBlit2 r{};
  r.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, source.layout.mipLevels - 1, 0, 1};
  r.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  if (!deep) r.srcSubresource.baseArrayLayer = 1, r.srcSubresource.layerCount = r.dstSubresource.layerCount = 2;
  const mem::MipLayout& mip = source.plane().mip[r.srcSubresource.mipLevel];
  VkOffset3D *s = r.srcOffsets, *d = r.dstOffsets;
  const auto sized = [](uint32_t n) { return static_cast<int32_t>(n); };
  randomRange(random, sized(mip.width), 5, s[0].x, s[1].x);
  randomRange(random, sized(mip.height), 5, s[0].y, s[1].y);
  randomRange(random, sized(de.width), std::abs(s[1].x - s[0].x), d[0].x, d[1].x);
  randomRange(random, sized(de.height), std::abs(s[1].y - s[0].y), d[0].y, d[1].y);
  s[1].z = d[1].z = 1;
  if (deep) {
    randomRange(random, sized(mip.depth), 2, s[0].z, s[1].z);
    randomRange(random, sized(de.depth), std::abs(s[1].z - s[0].z), d[0].z, d[1].z);
  }
  const bool linear = below(random, 2) && !format::find(c.from)->isInteger();
  blitImage(pool, source.image(), real.image(), r, linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST);
  modelBlit(source, model, r, linear && !isCopy(source, model, r));
  const auto differs = std::mismatch(real.bytes.begin(), real.bytes.end(), model.bytes.begin());
  ASSERT_TRUE(differs.first == real.bytes.end())
      << format::find(c.from)->name << " to " << format::find(c.to)->name << (linear ? " linear" : " nearest") << ", x "
      << s[0].x << " " << s[1].x << " of " << mip.width << " to " << d[0].x << " " << d[1].x << " of " << de.width
      << ", y " << s[0].y << " " << s[1].y << " of " << mip.height << " to " << d[0].y << " " << d[1].y << " of "
      << de.height << ", byte " << differs.first - real.bytes.begin();
}

void compareFormats(bool integer, VkImageType type, int rounds, uint32_t seed) {
  Random random(seed);
  const std::vector<VkFormat> from = formatsThatBlit(integer, false), to = formatsThatBlit(integer, true);
  ASSERT_FALSE(from.empty() || to.empty());
  for (int round = 0; round < rounds; ++round)
    for (VkFormat format : from) {
      const VkFormat other = to[below(random, static_cast<uint32_t>(to.size()))];
      compareOnce({format, other, type, 40, 16}, random, nullptr);
      if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(BlitModel, NumbersOfAllFormats) { compareFormats(false, VK_IMAGE_TYPE_2D, 8, 1); }
TEST(BlitModel, IntegersOfAllFormats) { compareFormats(true, VK_IMAGE_TYPE_2D, 8, 2); }
TEST(BlitModel, VolumesOfAllFormats) { compareFormats(false, VK_IMAGE_TYPE_3D, 4, 3); }

constexpr VkFormat kCommon[] = {VK_FORMAT_R8G8B8A8_UNORM,       VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB,
                                VK_FORMAT_B8G8R8A8_SRGB,        VK_FORMAT_R8_UNORM,       VK_FORMAT_R8G8B8A8_SNORM,
                                VK_FORMAT_R16G16B16A16_SFLOAT,  VK_FORMAT_R32_SFLOAT,     VK_FORMAT_R32G32B32A32_SFLOAT,
                                VK_FORMAT_A8B8G8R8_UNORM_PACK32};

TEST(BlitModel, EveryPairOfCommonFormats) {
  Random random(4);
  task::Pool pool(3);
  for (int round = 0; round < 3; ++round)
    for (VkFormat from : kCommon)
      for (VkFormat to : kCommon) {
        compareOnce({from, to, VK_IMAGE_TYPE_2D, 60, 30}, random, nullptr);
        compareOnce({from, to, VK_IMAGE_TYPE_3D, 20, 9}, random, &pool);
        if (HasFatalFailure()) return;
      }
}

TEST(BlitModel, SameFormatWithAndWithoutScaling) {
  Random random(8);
  for (int round = 0; round < 60; ++round)
    for (VkFormat format : {VK_FORMAT_R8G8B8A8_SNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R16G16B16A16_SFLOAT}) {
      compareOnce({format, format, VK_IMAGE_TYPE_2D, 12, 12}, random, nullptr);
      if (HasFatalFailure()) return;
    }
}

TEST(Blit, AnInfinityStaysOutOfTexelsThatGiveItNoWeight) {
  Random random(9);
  Picture source(VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_TYPE_3D, {4, 4, 2}, 1, 1, random);
  const auto fill = [](Picture& p, float value) {
    for (size_t i = 0; i < p.bytes.size(); i += 4) std::memcpy(&p.bytes[i], &value, 4);
  };
  struct Case {
    int32_t size;      ///< of the target; negative: mirrored
    uint32_t reached;  ///< texels on each axis that the infinity reaches
  };
  for (const Case& c : {Case{4, 1}, Case{12, 5}, Case{-4, 1}, Case{-12, 5}}) {
    const int32_t size = std::abs(c.size);
    Picture target(VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_TYPE_3D, {uint32_t(size), uint32_t(size), 1}, 1, 1, random);
    fill(source, 1);
    const float infinity = INFINITY;
    std::memcpy(source.at(0, 0, 1, 1, 0), &infinity, 4);
    VkImageBlit2 r{};
    r.srcSubresource = r.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    r.srcOffsets[1] = {4, 4, 1}, r.dstOffsets[1] = {size, size, 1};
    if (c.size < 0) std::swap(r.srcOffsets[0].x, r.srcOffsets[1].x);
    blitImage(nullptr, source.image(), target.image(), r, VK_FILTER_LINEAR);
    uint32_t infinite = 0;
    for (int32_t y = 0; y < size; ++y)
      for (int32_t x = 0; x < size; ++x) {
        const Texel t = target.texel(0, 0, x, y, 0);
        EXPECT_FALSE(std::isnan(format::bitsToFloat(t.word[0]))) << size << ": " << x << " " << y;
        infinite += t.word[0] == format::floatToBits(infinity);
        EXPECT_EQ(format::bitsToFloat(t.word[1]), 1);
      }
    EXPECT_EQ(infinite, c.reached * c.reached);
  }
}

/// The cubic convolution kernel with parameter -1/2, of which Catmull-Rom's weights are values.
double cubicKernel(double x) {
  x = std::fabs(x);
  if (x < 1) return 1.5 * x * x * x - 2.5 * x * x + 1;
  return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0;
}

TEST(Blit, CubicTexelsAreWeightedByTheKernel) {
  Random random(3);
  constexpr int32_t w = 6, h = 5, toW = 13, toH = 8;
  Picture from(VK_FORMAT_R32_SFLOAT, VK_IMAGE_TYPE_2D, {w, h, 1}, 1, 1, random);
  Picture to(VK_FORMAT_R32_SFLOAT, VK_IMAGE_TYPE_2D, {toW, toH, 1}, 1, 1, random);
  float texel[h][w];
  for (uint32_t y = 0; y < h; ++y)
    for (uint32_t x = 0; x < w; ++x) {
      texel[y][x] = static_cast<float>(below(random, 100));
      std::memcpy(from.at(0, 0, x, y, 0), &texel[y][x], 4);
    }
  VkImageBlit2 region{VK_STRUCTURE_TYPE_IMAGE_BLIT_2};
  region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.srcOffsets[1] = {w, h, 1};
  region.dstOffsets[0] = {toW, 0, 0}, region.dstOffsets[1] = {0, toH, 1};  // mirrored
  blitImage(nullptr, from.image(), to.image(), region, VK_FILTER_CUBIC_EXT);
  for (int32_t y = 0; y < toH; ++y)
    for (int32_t x = 0; x < toW; ++x) {
      const double u = (toW - x - 0.5) * w / toW - 0.5, v = (y + 0.5) * h / toH - 0.5;
      double want = 0;
      for (int32_t j = int32_t(std::floor(v)) - 1; j <= std::floor(v) + 2; ++j)
        for (int32_t i = int32_t(std::floor(u)) - 1; i <= std::floor(u) + 2; ++i)
          want += texel[clampTo(j, h)][clampTo(i, w)] * cubicKernel(u - i) * cubicKernel(v - j);
      float got;
      std::memcpy(&got, to.at(0, 0, uint32_t(x), uint32_t(y), 0), 4);
      EXPECT_NEAR(got, want, 1e-3) << x << ", " << y;
    }
}

TEST(BlitModel, WideRowsAndMuchSmallerOnes) {
  Random random(5);
  task::Pool pool(3);
  for (int round = 0; round < 40; ++round) {
    const VkFormat from = kCommon[below(random, std::size(kCommon))], to = kCommon[below(random, std::size(kCommon))];
    compareOnce({from, to, VK_IMAGE_TYPE_2D, 1500, 6}, random, nullptr);
    compareOnce({from, to, VK_IMAGE_TYPE_2D, 300, 120}, random, nullptr);
    if (HasFatalFailure()) return;
  }
  for (int round = 0; round < 12; ++round) {
    const VkFormat from = kCommon[below(random, std::size(kCommon))], to = kCommon[below(random, std::size(kCommon))];
    compareOnce({from, to, VK_IMAGE_TYPE_2D, 900, 700}, random, &pool);
    if (HasFatalFailure()) return;
  }
  constexpr VkFormat kIntegers[] = {VK_FORMAT_R8G8B8A8_SINT, VK_FORMAT_R8G8_UINT, VK_FORMAT_R8_SINT,
                                    VK_FORMAT_A8B8G8R8_UINT_PACK32};
  for (VkFormat from : kIntegers)
    for (VkFormat to : kIntegers) compareOnce({from, to, VK_IMAGE_TYPE_2D, 300, 200}, random, nullptr);
  compareOnce({VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 1500, 20}, random, &pool);
}

/// Numbers that conversions trip over, and others.
std::vector<float> awkwardNumbers(size_t count, Random& random) {
  constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000,
                                   0x7FC00001, 0x7F800123, 0xFFC45678, 1,          0x3F7FFFFF, 0x39000000,
                                   0x38FFFFFF, 0x4F000000, 0xCF000000, 0x7F7FFFFF};
  std::vector<float> v(count);
  for (float& f : v) switch (below(random, 4)) {
      case 0: f = format::bitsToFloat(kSpecial[below(random, std::size(kSpecial))]); break;
      case 1: f = format::bitsToFloat(random()); break;
      default: f = static_cast<float>(random()) * 0x1p-32f;
    }
  return v;
}

TEST(RowLanes, EveryTargetGivesTheBytesOfTheFormats) {
  Random random(6);
  std::vector<const RowLanes*> sets;
  for (const auto& variant : ETZEL_VARIANTS(kRowLanes))
    if (simd::hostRuns(variant.target)) sets.push_back(variant.of);
  for (const RowLanes* lanes : sets)
    for (uint32_t count : {1u, 2u, 7u, 8u, 9u, 1000u})
      for (bool swap : {false, true}) {
        const uint32_t room = alignUp(count, kRowPadding);
        const std::vector<float> numbers = awkwardNumbers(4 * room, random);
        std::vector<Texel> texels(room), decoded(room);
        std::memcpy(texels.data(), numbers.data(), numbers.size() * 4);
        const auto compareCodecs = [&](VkFormat format, uint32_t texelBytes, auto encodeRow, auto decodeRow) {
          std::vector<std::byte> bytes(texelBytes * count + 4, std::byte{77}), expected = bytes;
          encodeRow(bytes.data());
          format::encoder(format)(texels.data(), expected.data(), count);
          EXPECT_EQ(bytes, expected) << format::find(format)->name;
          for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(count == 1000 ? i : random());
          std::vector<float> out(4 * room);
          decodeRow(bytes.data(), out.data());
          format::decoder(format)(bytes.data(), decoded.data(), count);
          EXPECT_EQ(std::memcmp(out.data(), decoded.data(), 16 * count), 0) << format::find(format)->name;
        };
        const float* const in = numbers.data();
        compareCodecs(
            swap ? VK_FORMAT_B8G8R8A8_UNORM : VK_FORMAT_R8G8B8A8_UNORM, 4,
            [&](std::byte* to) { lanes->encodeUnorm(in, swap, count, to); },
            [&](const std::byte* from, float* to) { lanes->decodeUnorm(from, swap, count, to); });
        compareCodecs(
            swap ? VK_FORMAT_B8G8R8A8_SRGB : VK_FORMAT_R8G8B8A8_SRGB, 4,
            [&](std::byte* to) { lanes->encodeSrgb(in, swap, count, to); },
            [&](const std::byte* from, float* to) { lanes->decodeSrgb(from, swap, count, to); });
        compareCodecs(
            VK_FORMAT_R16G16B16A16_SFLOAT, 8, [&](std::byte* to) { lanes->encodeHalf(in, count, to); },
            [&](const std::byte* from, float* to) { lanes->decodeHalf(from, count, to); });

        compareCodecs(
            VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, [&](std::byte* to) { lanes->encodeSmallFloats(in, count, to); },
            [&](const std::byte* from, float* to) { lanes->decodeSmallFloats(from, count, to); });

        std::vector<std::byte> bytes(4 * count), swapped(4 * count);
        for (std::byte& b : bytes) b = static_cast<std::byte>(random());
        lanes->swapRedBlue(bytes.data(), count, swapped.data());
        for (uint32_t i = 0; i < 4 * count; ++i) EXPECT_EQ(swapped[i], bytes[i % 2 ? i : i ^ 2]);
      }
}

TEST(RowLanes, EveryTargetMixesAlike) {
  Random random(7);
  for (uint32_t count : {1u, 2u, 3u, 8u, 15u, 400u}) {
    const uint32_t room = alignUp(count, kRowPadding);
    const std::vector<float> a = awkwardNumbers(4 * room, random), b = awkwardNumbers(4 * room, random);
    std::vector<float> weight(room);
    std::vector<uint32_t> first(room), second(room);
    for (uint32_t i = 0; i < room; ++i) {
      first[i] = 4 * static_cast<uint32_t>(below(random, count));
      second[i] = 4 * static_cast<uint32_t>(below(random, count));
      weight[i] = i % 5 == 0 ? 0 : static_cast<float>(random() >> 8) * 0x1p-24f;
    }
    const ColumnTaps taps{first.data(), second.data(), weight.data(), true};
    std::vector<std::byte> texels(8 * count);
    for (std::byte& t : texels) t = static_cast<std::byte>(random());
    std::vector<uint32_t> baseline;
    for (const auto& variant : ETZEL_VARIANTS(kRowLanes)) {
      if (!simd::hostRuns(variant.target)) continue;
      const RowLanes& lanes = *variant.of;
      std::vector<uint32_t> result;
      std::vector<float> row(4 * room), column(4 * room), pairs(4 * room);
      std::vector<std::byte> bytes(4 * count);
      lanes.filterColumns(a.data(), taps, count, column.data());
      lanes.mixRows(a.data(), b.data(), weight[count - 1], count, row.data());
      lanes.mixRowsToUnorm(a.data(), b.data(), weight[count - 1], true, count, bytes.data());
      lanes.filterUnormPairs(texels.data(), true, weight.data(), count, pairs.data());
      for (uint32_t i = 0; i < 4 * count; ++i) {
        result.push_back(format::floatToBits(column[i]));
        result.push_back(format::floatToBits(row[i]));
        result.push_back(format::floatToBits(pairs[i]));
        result.push_back(static_cast<uint32_t>(bytes[i]));
      }
      if (baseline.empty()) baseline = result;
      EXPECT_EQ(result, baseline) << simd::targetName(variant.target);
    }
  }
}

}  // namespace
}  // namespace etzel::transfer
