// Texels of eight lanes, one layout at a time: fetch() reads codes or numbers, finish() turns what filters made of them
// into the shader's numbers, exactly as format::decoder() does for single texels. Compiled per target.
#pragma once

#include <utility>

#include "runtime/format/srgb_lanes.h"
#include "runtime/format/texel_lanes.h"
#include "runtime/format/texel_layout.h"
#include "runtime/format/texel_shape.h"
#include "runtime/simd/half.h"
#include "runtime/tex/lanes/lane_math.h"
#include "runtime/tex/lanes/lanes.h"
#include "runtime/tex/single/shared_texels.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Four components of eight texels. Between fetch() and finish() components of fixed-point formats are codes.
struct Texels {
  F32x8 c[4];
};

/// code / (2^n - 1), rounded once, n <= 16: the first product is exact, the second too small for its error to show.
template <int n>
ETZEL_INLINE_LOOP F32x8 fixed(F32x8 code) {
  constexpr double most = static_cast<double>((1u << n) - 1), power = 1.0 / static_cast<double>(1u << n);
  return code * splat(static_cast<float>(power)) + code * splat(static_cast<float>(1.0 / most - power));
}

/// Four words of eight lanes, each word's lanes together.
ETZEL_INLINE_LOOP void transpose(const F32x4 row[8], F32x8 out[4]) {
  for (int k = 0; k < 4; ++k) out[k] = join(row[k], row[4 + k]);
  transposeHalves(out[0], out[1], out[2], out[3]);
}
/// Sixteen bytes from each offset, as four words.
ETZEL_INLINE_LOOP void loadVectors(const std::byte* base, const I32x8& offset, F32x8 out[4]) {
  const auto* from = reinterpret_cast<const int32_t*>(&offset);
  F32x4 row[8];
  for (int i = 0; i < 8; ++i) row[i] = load<F32x4>(base + from[i]);
  transpose(row, out);
}

using Q = format::TexelLayout;

/// Formats whose texels may be infinite or NaN: texels without weight must not take part there.
constexpr bool hasInfinities(Q f) {
  return f == Q::R16F || f == Q::Rg16F || f == Q::Rgba16F || f == Q::R32 || f == Q::Rg32 || f == Q::Rgba32 ||
         f == Q::Rg11B10F || f == Q::Other;
}

/// Components that texels have themselves; of the others green and blue are 0, alpha is 1.
constexpr int ownComponents(Q f) {
  switch (f) {
    case Q::R8:
    case Q::R16:
    case Q::R16F:
    case Q::R32:
    case Q::D24: return 1;
    case Q::Rg8:
    case Q::Rg16:
    case Q::Rg16F:
    case Q::Rg32: return 2;
    case Q::Rg11B10F:
    case Q::Rgb565: return 3;
    default: return 4;
  }
}

/// Formats whose texels are one word each.
constexpr bool isWord(Q f) {
  return isBytes4(f) || f == Q::Rgba8Snorm || f == Q::Rgba8Uint || f == Q::Rgba8Sint || f == Q::Rg16 || f == Q::Rg16F ||
         f == Q::R32 || f == Q::Rgb10A2 || f == Q::Bgr10A2 || f == Q::Rg11B10F || f == Q::Rgb9E5 || f == Q::D24;
}

/// Formats whose texels are three or four codes in two bytes.
constexpr bool isPacked16(Q f) { return f == Q::Rgb565 || f == Q::Argb1555 || f == Q::Argb4444; }

/// fetchedWords() of sRGB texels whose colours have been decoded.
template <Q f>
ETZEL_INLINE_LOOP Texels decodedWords(const F32x8 linear[3], I32x8 w) {
  constexpr int red = isBlueFirst(f) ? 2 : 0;
  return {{linear[red], linear[1], linear[2 - red], convert<F32x8>(shiftRightLogical(w, 24))}};
}

/// fetch() of words that have been loaded.
template <Q f>
ETZEL_INLINE_LOOP Texels fetchedWords(const ImageView& view, I32x8 w) {
  Texels t;
  if constexpr (isSrgb(f)) {
    format::srgbToLinear(asUnsigned(w), t.c);
    return decodedWords<f>(t.c, w);
  }
  t.c[1] = t.c[2] = splat(0.0f);
  t.c[3] = asFloat(splat(static_cast<int32_t>(view.lanes.unity)));
  if constexpr (isBytes4(f)) {
    for (int c = 0; c < 3; ++c) t.c[c] = convert<F32x8>(shiftRightLogical(w, 8 * c) & splat(255));
    if (isBlueFirst(f)) std::swap(t.c[0], t.c[2]);
    t.c[3] = convert<F32x8>(shiftRightLogical(w, 24));
  } else if constexpr (f == Q::Rgba8Snorm) {
    for (int c = 0; c < 4; ++c) t.c[c] = convert<F32x8>(maximum(w << (24 - 8 * c) >> 24, splat(-127)));
  } else if constexpr (f == Q::Rgba8Uint) {
    for (int c = 0; c < 4; ++c) t.c[c] = asFloat(w >> (8 * c) & splat(255));
  } else if constexpr (f == Q::Rgba8Sint) {
    for (int c = 0; c < 4; ++c) t.c[c] = asFloat(w << (24 - 8 * c) >> 24);
  } else if constexpr (f == Q::Rg16) {
    t.c[0] = convert<F32x8>(w & splat(0xFFFF)), t.c[1] = convert<F32x8>(shiftRightLogical(w, 16));
  } else if constexpr (f == Q::Rg16F) {
    t.c[0] = halfToFloat(w), t.c[1] = halfToFloat(shiftRightLogical(w, 16));
  } else if constexpr (f == Q::R32) {
    t.c[0] = asFloat(w);
  } else if constexpr (f == Q::Rgb10A2 || f == Q::Bgr10A2) {
    const I32x8 mask = splat(1023);
    const int red = f == Q::Rgb10A2 ? 0 : 20;
    t.c[0] = convert<F32x8>(w >> red & mask), t.c[1] = convert<F32x8>(w >> 10 & mask),
    t.c[2] = convert<F32x8>(w >> (20 - red) & mask);
    t.c[3] = convert<F32x8>(shiftRightLogical(w, 30));
  } else if constexpr (f == Q::Rg11B10F) {
    t.c[0] = halfToFloat((w & splat(0x7FF)) << 4), t.c[1] = halfToFloat((w >> 11 & splat(0x7FF)) << 4);
    t.c[2] = halfToFloat(shiftRightLogical(w, 22) << 5);
  } else if constexpr (f == Q::Rgb9E5) {
    const F32x8 scale = asFloat((shiftRightLogical(w, 27) + splat(127 - 24)) << 23);
    for (int c = 0; c < 3; ++c) t.c[c] = convert<F32x8>(w >> (9 * c) & splat(511)) * scale;
  } else {
    static_assert(f == Q::D24);
    t.c[0] = convert<F32x8>(w & splat(0xFFFFFF));
  }
  return t;
}

/// Bytes of a texel that lies as it is read; 0: it is decoded.
constexpr int texelBytes(Q f) {
  if (isWord(f)) return 4;
  switch (f) {
    case Q::R8:
    case Q::R8Uint: return 1;
    case Q::Rg8:
    case Q::R16:
    case Q::R16F:
    case Q::Rgb565:
    case Q::Argb1555:
    case Q::Argb4444: return 2;
    case Q::Rgba16:
    case Q::Rgba16F:
    case Q::Rg32: return 8;
    case Q::Rgba32: return 16;
    default: return 0;
  }
}

/// fetch() of up to eight bytes a texel that have been loaded: zero-extended, or two words.
template <Q f>
ETZEL_INLINE_LOOP Texels fetchedBits(const ImageView& view, const I32x8 w[2]) {
  if constexpr (isWord(f)) {
    return fetchedWords<f>(view, w[0]);
  } else {
    Texels t;
    t.c[1] = t.c[2] = splat(0.0f);
    t.c[3] = asFloat(splat(static_cast<int32_t>(view.lanes.unity)));
    if constexpr (f == Q::R8 || f == Q::R16) {
      t.c[0] = convert<F32x8>(w[0]);
    } else if constexpr (f == Q::R8Uint) {
      t.c[0] = asFloat(w[0]);
    } else if constexpr (f == Q::Rg8) {
      t.c[0] = convert<F32x8>(w[0] & splat(255)), t.c[1] = convert<F32x8>(w[0] >> 8);
    } else if constexpr (f == Q::R16F) {
      t.c[0] = halfToFloat(w[0]);
    } else if constexpr (isPacked16(f)) {
      constexpr format::TexelShape shape = format::shapeOf(f);
      constexpr int own = ownComponents(f);
#pragma GCC unroll 4
      for (int c = 0; c < own; ++c)
        t.c[c] = convert<F32x8>(w[0] >> shape.channel[c].shift & splat((1 << shape.channel[c].bits) - 1));
    } else if constexpr (f == Q::Rgba16) {
      for (int k = 0; k < 2; ++k)
        t.c[2 * k] = convert<F32x8>(w[k] & splat(0xFFFF)), t.c[2 * k + 1] = convert<F32x8>(shiftRightLogical(w[k], 16));
    } else if constexpr (f == Q::Rgba16F) {
      t.c[0] = halfToFloat(w[0]), t.c[1] = halfToFloat(shiftRightLogical(w[0], 16));
      t.c[2] = halfToFloat(w[1]), t.c[3] = halfToFloat(shiftRightLogical(w[1], 16));
    } else {
      static_assert(f == Q::Rg32);
      t.c[0] = asFloat(w[0]), t.c[1] = asFloat(w[1]);
    }
    return t;
  }
}

/// A power of two by which weighableBits() multiplies the codes of a component.
template <Q f>
constexpr float codeScale(int c) {
  constexpr bool blue = f == Q::Bgra8 || f == Q::Bgr10A2;
  if (c == 3 || c == (blue ? 2 : 0)) return 1;
  if (f == Q::Rgba8 || f == Q::Bgra8) return c == 1 ? 0x1p8f : 0x1p16f;
  if (f == Q::Rgb10A2 || f == Q::Bgr10A2) return c == 1 ? 0x1p10f : 0x1p20f;
  return 1;
}
/// The same as a table: constants, wherever loops are unrolled.
template <Q f>
inline constexpr float kCodeScale[4] = {codeScale<f>(0), codeScale<f>(1), codeScale<f>(2), codeScale<f>(3)};

/// fetchedBits() of texels that are weighted and added: codes stay in their place of the word, which saves shifts and
/// rounds nowhere. unscale() of the sum ends it.
template <Q f>
ETZEL_INLINE_LOOP Texels weighableBits(const ImageView& view, const I32x8 w[2]) {
  if constexpr (codeScale<f>(1) != 1) {
    constexpr bool bytes = isBytes4(f);
    Texels t;
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      constexpr int32_t mask = bytes ? 255 : 1023;
      t.c[c] = convert<F32x8>(w[0] & splat(mask * static_cast<int32_t>(kCodeScale<f>[c])));
    }
    t.c[3] = convert<F32x8>(shiftRightLogical(w[0], bytes ? 24 : 30));
    return t;
  } else if constexpr (f == Q::R16F || f == Q::Rg16F) {
    // Products make NaNs quiet anyway.
    Texels t = fetchedBits<Q::R32>(view, w);
    t.c[0] = halfToFloatQuiet(asUnsigned(w[0]) & 0xFFFFu);
    if (f != Q::R16F) t.c[1] = halfToFloatQuiet(asUnsigned(w[0]) >> 16);
    return t;
  } else if constexpr (f == Q::Rg11B10F) {
    const U32x8 word = asUnsigned(w[0]);
    return {{halfToFloatQuiet((word & 0x7FFu) << 4), halfToFloatQuiet(word >> 7 & 0x7FF0u),
             halfToFloatQuiet(word >> 22 << 5), asFloat(splat(static_cast<int32_t>(view.lanes.unity)))}};
  } else {
    return fetchedBits<f>(view, w);
  }
}
template <Q f>
ETZEL_INLINE_LOOP void unscale(F32x8 sum[4]) {
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c)
    if (kCodeScale<f>[c] != 1) sum[c] = sum[c] * splat(1 / kCodeScale<f>[c]);
}

/// The bits of the texel at each offset, for fetchedBits().
template <int bytes>
ETZEL_INLINE_LOOP void loadBits(const std::byte* base, const I32x8& offset, I32x8 w[2]) {
  if constexpr (bytes == 1) w[0] = gatherNumbers<uint8_t>(base, offset);
  if constexpr (bytes == 2) w[0] = gatherNumbers<uint16_t>(base, offset);
  if constexpr (bytes == 4) w[0] = gatherWords(base, offset);
  if constexpr (bytes == 8) gatherPairs(base, offset, w);
}
/// The same where lanes lie side by side: eight in a row, or two quads. \returns false: they do not, nothing happened
template <int bytes>
ETZEL_INLINE_LOOP bool loadTogether(const std::byte* base, const I32x8& offset, int32_t pitch, I32x8 w[2]) {
  const bool quads = offset[2] - offset[0] != 2 * bytes;
  const I32x8 steps = quads ? I32x8{0, 1, 0, 1, 2, 3, 2, 3} * bytes + (I32x8{0, 0, -1, -1, 0, 0, -1, -1} & splat(pitch))
                            : I32x8{0, 1, 2, 3, 4, 5, 6, 7} * bytes;
  if (laneMask(wrappingSub(offset, splat(offset[0])) == steps) != kAllLanes) return false;
  const std::byte* const first = base + offset[0];
  const std::byte* const second = first + (quads ? pitch : 4 * bytes);
  const auto ordered = [&](I32x8 v) { return quads ? __builtin_shufflevector(v, v, 0, 1, 4, 5, 2, 3, 6, 7) : v; };
  if constexpr (bytes == 8) {
    auto a = load<F32x8>(first), b = load<F32x8>(second);
    if (!quads) {
      const F32x8 row = a;
      a = join(lowHalf(row), lowHalf(b)), b = join(highHalf(row), highHalf(b));
    }
    w[0] = asInt(shuffleHalves<0, 2, 4, 6>(a, b)), w[1] = asInt(shuffleHalves<1, 3, 5, 7>(a, b));
  } else if constexpr (bytes == 4) {
    w[0] = ordered(join(load<I32x4>(first), load<I32x4>(second)));
  } else if constexpr (bytes == 2) {
    U16x8 texels;
    __builtin_memcpy(&texels, first, sizeof texels / 2);
    __builtin_memcpy(reinterpret_cast<std::byte*>(&texels) + sizeof texels / 2, second, sizeof texels / 2);
    w[0] = ordered(__builtin_convertvector(texels, I32x8));
  } else {
    // Vectors of eight bytes are none of the host's.
    const auto a = load<int32_t>(first), b = load<int32_t>(second);
    const I32x8 texels = quads ? I32x8{a, a, b, b, a, a, b, b} : I32x8{a, a, a, a, b, b, b, b};
    const I32x8 place = quads ? I32x8{0, 8, 0, 8, 16, 24, 16, 24} : I32x8{0, 8, 16, 24, 0, 8, 16, 24};
    w[0] = texels >> place & splat(255);
  }
  return true;
}

/// fetch() of formats without a layout here, but with codes in words.
__attribute__((noinline)) inline void fetchCodes(const ImageView& view, const std::byte* base, const I32x8& offset,
                                                 Texels& t) {
  format::ETZEL_TARGET::TexelWords words;
  F32x8 whole[4];
  I32x8 w[2] = {};
  switch (view.info->blockBytes) {
    case 1: loadBits<1>(base, offset, w); break;
    case 2: loadBits<2>(base, offset, w); break;
    case 4: loadBits<4>(base, offset, w); break;
    case 8: loadBits<8>(base, offset, w); break;
    default:
      loadVectors(base, offset, whole);
      for (int k = 0; k < 4; ++k) words.word[k] = asUnsigned(asInt(whole[k]));
  }
  if (view.info->blockBytes <= 8) words.word[0] = asUnsigned(w[0]), words.word[1] = asUnsigned(w[1]);
  format::ETZEL_TARGET::Source8 color;
  decodeLanes(*view.info, words, color);
  for (int c = 0; c < 4; ++c) t.c[c] = asFloat(color.c[c]);
}

template <Q f>
ETZEL_INLINE_LOOP void fetch(const ImageView& view, const std::byte* base, const I32x8& offset, Texels& t) {
  constexpr int bytes = texelBytes(f);
  if constexpr (bytes >= 1 && bytes <= 8) {
    I32x8 w[2];
    loadBits<bytes>(base, offset, w);
    t = fetchedBits<f>(view, w);
  } else if constexpr (f == Q::Rgba32) {
    loadVectors(base, offset, t.c);
  } else {
    static_assert(f == Q::Other);
    if (view.lanes.hasCodes) return fetchCodes(view, base, offset, t);
    format::Texel texel[8];
    for (int i = 0; i < 8; ++i) view.decode(base + offset[i], &texel[i], 1);
    loadVectors(reinterpret_cast<const std::byte*>(texel), I32x8{0, 16, 32, 48, 64, 80, 96, 112}, t.c);
  }
}

/// The bits of the texel at each offset and of the one behind it, for fetchedBits().
template <Q f>
ETZEL_INLINE_LOOP void loadNeighbours(const std::byte* base, const I32x8& offset, I32x8 left[2], I32x8 right[2]) {
  constexpr int bytes = texelBytes(f);
  if constexpr (bytes == 1) {
    const auto* from = reinterpret_cast<const int32_t*>(&offset);
    I32x8 w;
    for (int i = 0; i < 8; ++i) w[i] = load<uint16_t>(base + from[i]);
    left[0] = w & splat(255), right[0] = w >> 8;
  } else if constexpr (bytes == 2) {
    const I32x8 w = gatherWords(base, offset);
    left[0] = w & splat(0xFFFF), right[0] = shiftRightLogical(w, 16);
  } else if constexpr (bytes == 4) {
    I32x8 w[2];
    gatherPairs(base, offset, w);
    left[0] = w[0], right[0] = w[1];
  } else {
    static_assert(bytes == 8);
    F32x8 w[4];
    loadVectors(base, offset, w);
    for (int k = 0; k < 2; ++k) left[k] = asInt(w[k]), right[k] = asInt(w[2 + k]);
  }
}

template <Q f>
ETZEL_INLINE_LOOP F32x8 finishComponent(F32x8 v, int c) {
  if constexpr (isPacked16(f)) {
    constexpr format::TexelShape shape = format::shapeOf(f);
    if (c == 0) return fixed<shape.channel[0].bits>(v);
    if (c == 1) return fixed<shape.channel[1].bits>(v);
    if (c == 2) return fixed<shape.channel[2].bits>(v);
    if constexpr (shape.channel[3].bits > 1) return fixed<shape.channel[3].bits>(v);
    return v;
  }
  if constexpr (isSrgb(f)) return c == 3 ? fixed<8>(v) : v;
  if constexpr (f == Q::Rgba8 || f == Q::Bgra8) return fixed<8>(v);
  if constexpr (f == Q::Rgba8Snorm) return fixed<7>(v);
  if constexpr (f == Q::R8) return c == 0 ? fixed<8>(v) : v;
  if constexpr (f == Q::Rg8) return c < 2 ? fixed<8>(v) : v;
  if constexpr (f == Q::R16) return c == 0 ? fixed<16>(v) : v;
  if constexpr (f == Q::Rg16) return c < 2 ? fixed<16>(v) : v;
  if constexpr (f == Q::Rgba16) return fixed<16>(v);
  if constexpr (f == Q::Rgb10A2 || f == Q::Bgr10A2) return c < 3 ? fixed<10>(v) : fixed<2>(v);
  if constexpr (f == Q::D24) return c == 0 ? v / splat(16777215.0f) : v;
  return v;
}
template <Q f>
ETZEL_INLINE_LOOP void finish(Texels& t) {
  for (int c = 0; c < 4; ++c) t.c[c] = finishComponent<f>(t.c[c], c);
}

/// A border colour as fetch() would give it.
template <Q f>
ETZEL_INLINE_LOOP F32x8 unfinished(float v, int c) {
  if constexpr (isPacked16(f)) {
    const uint32_t bits = format::shapeOf(f).channel[c].bits;
    return splat(bits ? v * static_cast<float>((1u << bits) - 1) : v);
  }
  if constexpr (isSrgb(f)) return splat(c == 3 ? v * 255.0f : v);
  if constexpr (f == Q::Rgba8 || f == Q::Bgra8) return splat(v * 255.0f);
  if constexpr (f == Q::Rgba8Snorm) return splat(v * 127.0f);
  if constexpr (f == Q::R8) return splat(c == 0 ? v * 255.0f : v);
  if constexpr (f == Q::Rg8) return splat(c < 2 ? v * 255.0f : v);
  if constexpr (f == Q::R16) return splat(c == 0 ? v * 65535.0f : v);
  if constexpr (f == Q::Rg16) return splat(c < 2 ? v * 65535.0f : v);
  if constexpr (f == Q::Rgba16) return splat(v * 65535.0f);
  if constexpr (f == Q::Rgb10A2 || f == Q::Bgr10A2) return splat(v * (c < 3 ? 1023.0f : 3.0f));
  if constexpr (f == Q::D24) return splat(c == 0 ? v * 16777215.0f : v);
  return splat(v);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
