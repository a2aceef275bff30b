// Colours from Y'CbCr images: luma and chroma are filtered each at their own resolution ("Chroma Reconstruction", the
// implicit kind), then converted ("Sampler Y'CbCr Conversion").
#include <cmath>

#include "runtime/tex/single/address.h"
#include "runtime/tex/single/filter.h"

namespace etzel::tex {
namespace {

/// Two texels and the weight of the second along one axis, wrapped. Nearest has no second.
struct Taps {
  int32_t index[2];
  float weight;
};

Taps tapsAt(float u, int32_t size, VkFilter filter, VkSamplerAddressMode mode) {
  if (filter == VK_FILTER_NEAREST) {
    const int32_t i = wrap(mode, floorToInt(u), size);
    return {{i, i}, 0};
  }
  const int32_t i = floorToInt(u - 0.5f);
  const float weight = u - 0.5f - static_cast<float>(i);
  return {{wrap(mode, i, size), wrap(mode, i + 1, size)}, weight >= 0 && weight <= 1 ? weight : 0};
}

/// "Implicit Reconstruction": where a luma coordinate lies among the chroma texels.
float chromaCoordinate(float u, uint32_t divisor, VkChromaLocation location) {
  if (divisor == 1) return u;
  return location == VK_CHROMA_LOCATION_COSITED_EVEN ? (u + 0.5f) * 0.5f : u * 0.5f;
}

class Planes {
 public:
  Planes(const TexelReader& reader, int32_t layer)
      : reader_(reader),
        view_(*reader.view),
        info_(*format::find(view_.layout->format)),
        layer_(view_.baseLayer + static_cast<uint32_t>(layer)) {}

  const format::FormatInfo& info() const { return info_; }

  /// G of a luma texel.
  format::Texel luma(int32_t x, int32_t y) const {
    if (info_.planes > 1) return decodePlane(0, x, y);
    return packed(info_.channel[1].shift + (x & 1 ? 2 * unit() : 0), x >> 1, y);
  }
  /// (B, R) of a chroma texel.
  void chroma(int32_t x, int32_t y, float* b, float* r) const {
    if (info_.planes == 2) {
      const format::Texel t = decodePlane(1, x, y);
      *b = format::bitsToFloat(t.word[0]), *r = format::bitsToFloat(t.word[1]);
    } else if (info_.planes == 3) {
      *b = format::bitsToFloat(decodePlane(1, x, y).word[0]);
      *r = format::bitsToFloat(decodePlane(2, x, y).word[0]);
    } else {
      *b = format::bitsToFloat(packed(info_.channel[2].shift, x, y).word[0]);
      *r = format::bitsToFloat(packed(info_.channel[0].shift, x, y).word[0]);
    }
  }
  uint8_t bits() const {
    return info_.planes > 1 ? format::find(info_.planeFormat[0])->channel[0].bits : info_.channel[1].bits;
  }

 private:
  uint32_t unit() const { return info_.blockBytes * 2u; }  // bits of one number of a 4:2:2 block
  format::Texel decodePlane(uint32_t plane, int32_t x, int32_t y) const {
    const mem::PlaneLayout& p = view_.layout->plane[plane];
    const std::byte* at = texel(p, x, y);
    format::Texel t{};
    if (const format::DecodeFn decode = format::decoder(p.format)) decode(at, &t, 1);
    return t;
  }
  /// One number of a 4:2:2 block; `shift` is where its bits begin.
  format::Texel packed(uint32_t shift, int32_t block, int32_t y) const {
    const std::byte* at = texel(view_.layout->plane[0], block, y);
    uint64_t word = 0;
    __builtin_memcpy(&word, at, info_.blockBytes);
    const uint32_t max = (1u << info_.channel[1].bits) - 1;
    const float value = static_cast<float>(word >> shift & max) / static_cast<float>(max);
    return {{format::floatToBits(value), 0, 0, format::floatToBits(1.0f)}};
  }

  const std::byte* texel(const mem::PlaneLayout& p, int32_t x, int32_t y) const {
    const std::byte* at =
        view_.memory +
        view_.layout->texelOffset(p, view_.baseMip, layer_, 0, static_cast<uint32_t>(x), static_cast<uint32_t>(y), 0);
    reader_.note(at);
    return at;
  }

  const TexelReader& reader_;
  const ImageView& view_;
  const format::FormatInfo& info_;
  uint32_t layer_;
};

/// How many bits a component has, and what follows from it for "Range Expansion".
struct Depth {
  float max;   ///< all ones
  float unit;  ///< a step of the same numbers in 8 bits

  explicit Depth(uint8_t bits)
      : max(static_cast<float>((uint64_t{1} << bits) - 1)), unit(std::ldexp(1.0f, static_cast<int>(bits) - 8)) {}
};

/// "Range Expansion" and "Model Conversion"; components in the order R = Cr, G = Y', B = Cb.
Vec4 convert(const YcbcrConversion& c, const uint8_t bits[3], Vec4 v) {
  if (c.model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY) return v;
  const Depth red(bits[0]), green(bits[1]), blue(bits[2]);
  float y, cb, cr;
  if (c.range == VK_SAMPLER_YCBCR_RANGE_ITU_FULL) {
    y = v[1], cb = v[2] - 128 * blue.unit / blue.max, cr = v[0] - 128 * red.unit / red.max;
  } else {
    y = (v[1] * green.max - 16 * green.unit) / (219 * green.unit);
    cb = (v[2] * blue.max - 128 * blue.unit) / (224 * blue.unit);
    cr = (v[0] * red.max - 128 * red.unit) / (224 * red.unit);
  }
  switch (c.model) {
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709:
      return Vec4{y + 1.5748f * cr, y - 0.13397432f / 0.7152f * cb - 0.33480248f / 0.7152f * cr, y + 1.8556f * cb,
                  v[3]};
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601:
      return Vec4{y + 1.402f * cr, y - 0.202008f / 0.587f * cb - 0.419198f / 0.587f * cr, y + 1.772f * cb, v[3]};
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020:
      return Vec4{y + 1.4746f * cr, y - 0.11156702f / 0.6780f * cb - 0.38737742f / 0.6780f * cr, y + 1.8814f * cb,
                  v[3]};
    default: return Vec4{cr, y, cb, v[3]};
  }
}

/// The conversion's component mapping, then the conversion; `bits` are those of the format's components.
Vec4 mapAndConvert(const YcbcrConversion& c, const uint8_t bits[4], Vec4 color) {
  Vec4 mapped{};
  uint8_t depth[3];
  for (int k = 0; k < 4; ++k) {
    const uint8_t from = c.swizzle[k];
    mapped[k] = from < 4 ? color[from] : from == 4 ? 0.0f : 1.0f;
    // Components that no texel has are the constants 0 and 1, whose depth is that of the brightness.
    if (k < 3) depth[k] = from < 4 && bits[from] ? bits[from] : bits[1] ? bits[1] : bits[0];
  }
  return convert(c, depth, mapped);
}

}  // namespace

bool hasSeparateChroma(const ImageView& view) { return view.layout && format::find(view.layout->format)->isYcbcr(); }

Vec4 convertYcbcr(const SampleState& s, Vec4 color) {
  const format::Channel(&channel)[4] = s.view.info->channel;
  const uint8_t bits[4] = {channel[0].bits, channel[1].bits, channel[2].bits, channel[3].bits};
  return mapAndConvert(s.sampler.ycbcr, bits, color);
}

Vec4 sampleYcbcr(const SampleState& s, const Level& l, const LaneCoord& at, VkFilter filter) {
  const YcbcrConversion& c = s.sampler.ycbcr;
  const Planes planes(s.reader, at.layer);
  const format::FormatInfo& info = planes.info();
  const VkSamplerAddressMode mu = s.sampler.address[0], mv = s.sampler.address[1];
  const float u = s.sampler.unnormalized ? at.c[0] : at.c[0] * static_cast<float>(l.width);
  const float v = s.sampler.unnormalized ? at.c[1] : at.c[1] * static_cast<float>(l.height);
  const auto filtered = [&](const Taps& x, const Taps& y, auto&& read) {
    Vec4 sum{};
    for (int k = 0; k < 4; ++k) {
      const int32_t i = x.index[k & 1], j = y.index[k >> 1];
      const float weight = (k & 1 ? x.weight : 1 - x.weight) * (k >> 1 ? y.weight : 1 - y.weight);
      if (weight != 0) sum += ((i | j) < 0 ? s.border : read(i, j)) * splat<Vec4>(weight);
    }
    return sum;
  };
  const auto chromaTexel = [&](int32_t i, int32_t j) {
    float b, r;
    planes.chroma(i, j, &b, &r);
    return Vec4{r, 0, b, 0};
  };
  const Taps x = tapsAt(u, l.width, filter, mu), y = tapsAt(v, l.height, filter, mv);
  const Vec4 luma = filtered(x, y, [&](int32_t i, int32_t j) { return toVec4(planes.luma(i, j)); });
  const uint32_t dx = info.chromaDivisorX, dy = info.chromaDivisorY;
  const int32_t width = static_cast<int32_t>(divideUp(static_cast<uint32_t>(l.width), dx));
  const int32_t height = static_cast<int32_t>(divideUp(static_cast<uint32_t>(l.height), dy));
  const bool subsampled = dx > 1 || dy > 1;
  const VkFilter chromaFilter = subsampled ? c.chromaFilter : filter;
  const Vec4 chroma = filtered(tapsAt(chromaCoordinate(u, dx, c.xChromaOffset), width, chromaFilter, mu),
                               tapsAt(chromaCoordinate(v, dy, c.yChromaOffset), height, chromaFilter, mv), chromaTexel);
  const uint8_t n = planes.bits(), bits[4] = {n, n, n, n};
  return mapAndConvert(c, bits, Vec4{chroma[0], luma[0], chroma[2], 1});
}

}  // namespace etzel::tex
