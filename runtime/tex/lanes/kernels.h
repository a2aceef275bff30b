// What is done with texels once their offsets are known, for every layout: read, filter, gather, compare, write.
// Compiled per target.
#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "runtime/format/component_lanes.h"
#include "runtime/format/texel_shape.h"
#include "runtime/tex/lanes/texels.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Texels of eight lanes and their weights. Offsets of all lanes lie in the image, whatever the lanes asked for.
struct Taps {
  static constexpr uint32_t kMost = 16;  ///< a trilinear footprint of a 3D image
  uint32_t count = 0;
  const std::byte* base = nullptr;
  const format::Texel* border = nullptr;  ///< null: `valid` has not been written, all texels exist
  I32x8 offset[kMost];
  F32x8 weight[kMost];
  I32x8 valid[kMost];  ///< -1: the texel; 0: the border colour
};

/// Where results go.
struct Target {
  const ImageView& view;
  LaneWords* result;
  LaneMask lanes;
};

/// Components that a view shows in other places. A function of its own: what is numbered lies in memory, and those that
/// stay where they are need not.
__attribute__((noinline)) void putSwizzled(const Target& to, const Texels& t) {
  for (int c = 0; c < 4; ++c) {
    const uint8_t from = to.view.swizzle[c];
    const F32x8 value =
        from < 4 ? t.c[from] : asFloat(splat(from == 4 ? 0 : static_cast<int32_t>(to.view.lanes.unity)));
    store(to.result[c], value, to.lanes);
  }
}
ETZEL_INLINE_LOOP void put(const Target& to, const Texels& t) {
  if (!to.view.identitySwizzle) {
    const Texels shown = t;
    return putSwizzled(to, shown);
  }
  LaneWords* const result = to.result;  // the results might lie in `to`, for all that the compiler knows
  const LaneMask lanes = to.lanes;
  for (int c = 0; c < 4; ++c) store(result[c], t.c[c], lanes);
}

/// One texel each. `missing`: what lanes outside of `valid` read; null when there are none.
template <Q f>
void readTexels(const Target& to, const std::byte* base, I32x8 offset, I32x8 valid, const format::Texel* missing) {
  Texels t;
  if constexpr (texelBytes(f) == 8) {
    // Samples that resolves fetch: quads side by side, of planes that no cache holds.
    const int32_t pitch = offset[2] - offset[0];
    __builtin_prefetch(base + offset[0] + 64), __builtin_prefetch(base + offset[2] + 64);
    I32x8 bits[2];
    if (!loadTogether<8>(base, offset, pitch, bits)) loadBits<8>(base, offset, bits);
    t = fetchedBits<f>(to.view, bits);
  } else {
    fetch<f>(to.view, base, offset, t);
  }
  finish<f>(t);
  if (missing)
    for (int c = 0; c < 4; ++c) t.c[c] = valid ? t.c[c] : asFloat(splat(static_cast<int32_t>(missing->word[c])));
  put(to, t);
}

/// readTexels() of texels that have been loaded; `upper`: the second word, where there are two.
template <Q f>
void readBits(const Target& to, I32x8 lower, I32x8 upper) {
  const I32x8 bits[2] = {lower, upper};
  Texels t = fetchedBits<f>(to.view, bits);
  finish<f>(t);
  put(to, t);
}

/// A sum of weighted texels becomes the result.
template <Q f>
ETZEL_INLINE_LOOP void finishFiltered(const Target& to, Texels& s) {
  finish<f>(s);
  if constexpr (f == Q::Rgba8Snorm || f == Q::Other) {
    // Weights round: their sum may lie an ulp above one, and averages of -1 must not leave the format's range.
    if (to.view.info->numeric == format::Numeric::Snorm)
      for (F32x8& c : s.c) c = minimum(splat(1.0f), maximum(splat(-1.0f), c));
  }
  put(to, s);
}

/// A weighted sum of texels. Where the format shows floats, whole averages stay between the texels that have weight.
template <Q f>
struct WeightedSum {
  F32x8 sum[4];
  F32x8 low[4] = {}, high[4] = {};

  ETZEL_INLINE_LOOP explicit WeightedSum(const F32x8* before) {
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      sum[c] = before ? before[c] : splat(0.0f);
      if constexpr (format::showsFloats(f)) low[c] = splat(INFINITY), high[c] = splat(-INFINITY);
    }
  }
  ETZEL_INLINE_LOOP void add(const Texels& t, F32x8 weight) { addComponents<4>(t, weight); }
  /// The same of a texel of the image, not a border colour, whose weight is no less than 0: components that the format
  /// lacks need no look.
  ETZEL_INLINE_LOOP void addOwn(const Texels& t, F32x8 weight) {
    constexpr int own = ownComponents(f);
    addComponents<own>(t, weight);
    if constexpr (own < 4) sum[3] += weight;
    if constexpr (format::showsFloats(f)) {
#pragma GCC unroll 4
      for (int c = own; c < 4; ++c) low[c] = high[c] = splat(c == 3 ? 1.0f : 0.0f);
    }
  }
  template <int count>
  ETZEL_INLINE_LOOP void addComponents(const Texels& t, F32x8 weight) {
#pragma GCC unroll 4
    for (int c = 0; c < count; ++c) {
      F32x8 product = t.c[c] * weight;
      // Texels without weight take no part: an infinity there must not become a NaN.
      if constexpr (hasInfinities(f)) product = select(unequal(weight, splat(0.0f)), product, splat(0.0f));
      sum[c] += product;
      if constexpr (format::showsFloats(f)) {
        low[c] = select(unequal(weight, splat(0.0f)) & less(t.c[c], low[c]), t.c[c], low[c]);
        high[c] = select(unequal(weight, splat(0.0f)) & greater(t.c[c], high[c]), t.c[c], high[c]);
      }
    }
  }
  ETZEL_INLINE_LOOP Texels total() const { return {{sum[0], sum[1], sum[2], sum[3]}}; }
  /// The average, when all weights have come.
  ETZEL_INLINE_LOOP Texels average() const {
    Texels t = total();
    if constexpr (format::showsFloats(f)) {
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) t.c[c] = select(less(sum[c], low[c]), low[c], minimum(high[c], sum[c]));
    }
    return t;
  }
};

/// Adds weighted texels to `sum`; with `last` they are all, and their average becomes the result.
template <Q f>
void filterTexels(const Target& to, const Taps& taps, F32x8 sum[4], bool last) {
  WeightedSum<f> s(sum);
  for (uint32_t k = 0; k < taps.count; ++k) {
    Texels t;
    fetch<f>(to.view, taps.base, taps.offset[k], t);
    if (taps.border)
      for (int c = 0; c < 4; ++c)
        t.c[c] = taps.valid[k] ? t.c[c] : unfinished<f>(format::bitsToFloat(taps.border->word[c]), c);
    s.add(t, taps.weight[k]);
  }
  if (last) {
    Texels t = s.average();
    finishFiltered<f>(to, t);
  } else {
    for (int c = 0; c < 4; ++c) sum[c] = s.sum[c];
  }
}

/// One component of texels whose bits have been loaded.
template <Q f>
ETZEL_INLINE_LOOP F32x8 componentOf(const ImageView& view, const I32x8 bits[2], uint32_t component) {
  if constexpr (f == Q::Rgba8 || f == Q::Bgra8) {
    const uint32_t byte = isBlueFirst(f) && component != 3 ? 2 - component : component;
    const U32x8 w = asUnsigned(bits[0]);
    return fixed<8>(convert<F32x8>(asInt(w >> (8 * byte)) & splat(255)));
  } else if constexpr (f == Q::Rgba16F) {
    return halfToFloat(shiftRightLogical(bits[component / 2], 16 * static_cast<int>(component % 2)));
  } else {
    Texels t = fetchedBits<f>(view, bits);
    finish<f>(t);
    return t.c[component];
  }
}

/// Result k is `component` of texel k.
template <Q f>
void gatherTexels(const Target& to, const Taps& taps, uint32_t component) {
  for (uint32_t k = 0; k < 4; ++k) {
    F32x8 value;
    if constexpr (isWord(f)) {
      const I32x8 words[2] = {gatherWords(taps.base, taps.offset[k])};
      value = componentOf<f>(to.view, words, component);
    } else {
      Texels t;
      fetch<f>(to.view, taps.base, taps.offset[k], t);
      finish<f>(t);
      value = t.c[component];
    }
    if (taps.border) value = taps.valid[k] ? value : asFloat(splat(static_cast<int32_t>(taps.border->word[component])));
    store(to.result[k], value, to.lanes);
  }
}

template <class Body>
ETZEL_INLINE_LOOP void withCompareOp(VkCompareOp op, Body&& body) {
  switch (op) {
    case VK_COMPARE_OP_NEVER: return body([](F32x8 a, F32x8 b) { return splat(0); });
    case VK_COMPARE_OP_LESS: return body([](F32x8 a, F32x8 b) { return less(a, b); });
    case VK_COMPARE_OP_EQUAL: return body([](F32x8 a, F32x8 b) { return equal(a, b); });
    case VK_COMPARE_OP_LESS_OR_EQUAL: return body([](F32x8 a, F32x8 b) { return atMost(a, b); });
    case VK_COMPARE_OP_GREATER: return body([](F32x8 a, F32x8 b) { return greater(a, b); });
    case VK_COMPARE_OP_NOT_EQUAL: return body([](F32x8 a, F32x8 b) { return unequal(a, b); });
    case VK_COMPARE_OP_GREATER_OR_EQUAL: return body([](F32x8 a, F32x8 b) { return atLeast(a, b); });
    default: return body([](F32x8 a, F32x8 b) { return splat(-1); });
  }
}

/// For each tap whether the reference passes, as a lane mask.
template <Q f, class Use>
ETZEL_INLINE_LOOP void compareTexels(const Target& to, const Taps& taps, VkCompareOp op, F32x8 reference, Use&& use) {
  withCompareOp(op, [&](auto passes) {
    for (uint32_t k = 0; k < taps.count; ++k) {
      Texels t;
      fetch<f>(to.view, taps.base, taps.offset[k], t);
      F32x8 depth = finishComponent<f>(t.c[0], 0);
      if (taps.border) depth = taps.valid[k] ? depth : splat(format::bitsToFloat(taps.border->word[0]));
      use(k, passes(reference, depth));
    }
  });
}

/// Adds the weights of the texels that pass to `sum`.
template <Q f>
void compareFilter(const Target& to, const Taps& taps, VkCompareOp op, F32x8 reference, F32x8& sum) {
  F32x8 s = sum;
  compareTexels<f>(
      to, taps, op, reference, [&](uint32_t k, I32x8 pass) __attribute__((always_inline)) {
        s += asFloat(asInt(taps.weight[k]) & pass);
      });
  sum = s;
}
/// Result k is 1 where texel k passes, else 0.
template <Q f>
void compareGather(const Target& to, const Taps& taps, VkCompareOp op, F32x8 reference) {
  compareTexels<f>(
      to, taps, op, reference, [&](uint32_t k, I32x8 pass) __attribute__((always_inline)) {
        store(to.result[k], asFloat(asInt(splat(1.0f)) & pass), to.lanes);
      });
}

/// Bits of a component in formats whose components all have as many and lie side by side, and that writeTexels() knows
/// how to encode; 0: others.
constexpr uint32_t writtenBits(Q f) {
  switch (f) {
    case Q::Rgba8:
    case Q::Bgra8:
    case Q::Rgba8Uint:
    case Q::R8:
    case Q::R8Uint:
    case Q::Rg8: return 8;
    case Q::R16:
    case Q::Rg16:
    case Q::Rgba16:
    case Q::R16F:
    case Q::Rg16F:
    case Q::Rgba16F: return 16;
    case Q::R32: return 32;
    default: return 0;
  }
}

/// What format::encoder() makes of a component.
template <Q f>
ETZEL_INLINE_LOOP U32x8 codesOf(const LaneWords& component) {
  if constexpr (f == Q::R32) return words(component);
  if constexpr (f == Q::Rgba8Uint || f == Q::R8Uint) {
    const U32x8 v = words(component);
    return minimum(v, splat(255u));
  }
  const F32x8 v = floats(component);
  if constexpr (f == Q::R16F || f == Q::Rg16F || f == Q::Rgba16F) return floatToHalf(v);
  F32x8 unit = maximum(v, splat(0.0f));
  unit = minimum(unit, splat(1.0f));
  if constexpr (writtenBits(f) == 16) return asUnsigned(roundScaledToInt(unit, 65535.0));
  return asUnsigned(roundToInt(unit * splat(255.0f)));
}

/// Stores texels of up to eight bytes, the lowest lane's first. Lanes in a row, as those of compute programs often are,
/// go together.
template <int bytes>
ETZEL_INLINE_LOOP void storeTexels(std::byte* base, const I32x8& offset, const U32x8 w[2], LaneMask lanes) {
  const I32x8 row = I32x8{0, 1, 2, 3, 4, 5, 6, 7} * bytes;
  const bool together = lanes == kAllLanes && laneMask(equal(offset - splat(offset[0]), row)) == kAllLanes;
  if constexpr (bytes == 8) {
    alignas(32) uint32_t pairs[16];
    const auto even = halves(w[0]), odd = halves(w[1]);
    simd::store(pairs, interleaveLow(even.low, odd.low)), simd::store(pairs + 4, interleaveHigh(even.low, odd.low));
    simd::store(pairs + 8, interleaveLow(even.high, odd.high)),
        simd::store(pairs + 12, interleaveHigh(even.high, odd.high));
    if (together) {
      __builtin_memcpy(base + offset[0], pairs, 64);
      return;
    }
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      __builtin_memcpy(base + offset[i], &pairs[2 * i], 8);
    }
  } else {
    if (together) {
      std::byte* const to = base + offset[0];
      if constexpr (bytes == 4)
        simd::store(to, w[0]);
      else if constexpr (bytes == 2)
        simd::store(to, narrow(w[0]));
      else
        simd::store(to, bytesOfWords(w[0]));
      return;
    }
    alignas(32) uint32_t word[8];
    simd::store(word, w[0]);
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      __builtin_memcpy(base + offset[i], &word[i], bytes);  // the lowest bytes
    }
  }
}

/// Writes data[0..3] of the lanes, the lowest first.
/// writeTexels() of formats without a layout here, but with codes in words of up to eight bytes a texel.
__attribute__((noinline)) inline void writeCodes(const Target& to, std::byte* base, const I32x8& offset,
                                                 const LaneWords* data) {
  format::ETZEL_TARGET::TexelWords texels;
  encodeLanes(*to.view.info, {{words(data[0]), words(data[1]), words(data[2]), words(data[3])}}, texels);
  switch (to.view.info->blockBytes) {
    case 1: return storeTexels<1>(base, offset, texels.word, to.lanes);
    case 2: return storeTexels<2>(base, offset, texels.word, to.lanes);
    case 4: return storeTexels<4>(base, offset, texels.word, to.lanes);
    default: return storeTexels<8>(base, offset, texels.word, to.lanes);
  }
}

template <Q f>
void writeTexels(const Target& to, std::byte* base, I32x8 offset, const LaneWords* data) {
  constexpr uint32_t bits = writtenBits(f);
  const auto forLane = [&](auto body) {
    for (LaneMask rest = to.lanes; rest; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      body(i, base + offset[i]);
    }
  };
  if constexpr (bits != 0) {
    constexpr int bytes = texelBytes(f);
    U32x8 w[2] = {};
    for (uint32_t c = 0; c < bytes * 8 / bits; ++c)
      w[c * bits / 32] |= codesOf<f>(data[isBlueFirst(f) && c != 3 ? 2 - c : c]) << (c * bits % 32);
    storeTexels<bytes>(base, offset, w, to.lanes);
  } else if constexpr (f == Q::Rgba8Snorm || f == Q::Rgb10A2 || f == Q::Bgr10A2 || f == Q::Rg11B10F || isPacked16(f)) {
    constexpr format::TexelShape shape = format::shapeOf(f);
    constexpr int own = ownComponents(f);
    U32x8 w[2] = {};
#pragma GCC unroll 4
    for (int c = 0; c < own; ++c) {
      const format::Channel channel = shape.channel[c];
      w[0] |= format::ETZEL_TARGET::encodeComponent(shape.numeric, channel.bits, words(data[c])) << channel.shift;
    }
    storeTexels<texelBytes(f)>(base, offset, w, to.lanes);
  } else if constexpr (f == Q::Rg32 || f == Q::Rgba32) {
    forLane([&](int i, std::byte* p) {
      for (int c = 0; c < (f == Q::Rg32 ? 2 : 4); ++c) __builtin_memcpy(p + 4 * c, &data[c].lane[i], 4);
    });
  } else {
    if (to.view.lanes.hasCodes && to.view.info->blockBytes <= 8) return writeCodes(to, base, offset, data);
    forLane([&](int i, std::byte* p) {
      const format::Texel t = {{data[0].lane[i], data[1].lane[i], data[2].lane[i], data[3].lane[i]}};
      to.view.encode(&t, p, 1);
    });
  }
}

template <Q f>
void finishSum(const Target& to, const F32x8 sum[4]) {
  Texels t{{sum[0], sum[1], sum[2], sum[3]}};
  finish<f>(t);
  put(to, t);
}

struct Kernels {
  void (*read)(const Target&, const std::byte*, I32x8, I32x8, const format::Texel*);
  void (*filter)(const Target&, const Taps&, F32x8*, bool);
  void (*finish)(const Target&, const F32x8*);
  void (*gather)(const Target&, const Taps&, uint32_t);
  /// Null for formats that depth does not have.
  void (*compare)(const Target&, const Taps&, VkCompareOp, F32x8, F32x8&);
  void (*compareGather)(const Target&, const Taps&, VkCompareOp, F32x8);
  /// Null for compressed blocks.
  void (*write)(const Target&, std::byte*, I32x8, const LaneWords*);
  /// Null for formats whose texels are not one or two words each.
  void (*readBits)(const Target&, I32x8, I32x8);
};
// Texels of compressed blocks are copied to where they lie as those of the format that blocks are decoded to.
void readBlocks(const Target&, const std::byte*, I32x8, I32x8, const format::Texel*);
void filterBlocks(const Target&, const Taps&, F32x8*, bool);
void finishBlocks(const Target&, const F32x8*);
void gatherBlocks(const Target&, const Taps&, uint32_t);

template <Q f>
constexpr Kernels kernelsOf() {
  Kernels k{};
  if constexpr (f == Q::Blocks) {
    k.read = readBlocks, k.filter = filterBlocks, k.finish = finishBlocks, k.gather = gatherBlocks;
  } else {
    k.read = readTexels<f>, k.filter = filterTexels<f>, k.finish = finishSum<f>, k.gather = gatherTexels<f>;
    k.write = writeTexels<f>;
  }
  if constexpr (texelBytes(f) == 4 || texelBytes(f) == 8) k.readBits = readBits<f>;
  if constexpr (f == Q::R16 || f == Q::R32 || f == Q::D24)
    k.compare = compareFilter<f>, k.compareGather = compareGather<f>;
  return k;
}
template <size_t... i>
constexpr std::array<Kernels, sizeof...(i)> makeKernels(std::index_sequence<i...>) {
  return {kernelsOf<static_cast<Q>(i + 1)>()...};
}
/// By layout, without None.
constexpr auto kKernels = makeKernels(std::make_index_sequence<static_cast<size_t>(Q::kCount) - 1>());

ETZEL_INLINE_LOOP const Kernels& kernels(const ImageView& view) {
  return kKernels[static_cast<size_t>(view.lanes.layout) - 1];
}
/// Of the texels that a view's blocks are decoded to.
ETZEL_INLINE_LOOP const Kernels& decodedKernels(const ImageView& view) {
  return kKernels[static_cast<size_t>(view.lanes.decoded) - 1];
}

/// A texel of each lane. Whoever loads those of one and two bytes loads words.
struct CopiedTexels {
  std::byte texel[kWarpLanes * 8 + 2];
};
/// \param place as Plane has them. Lanes beside each other mostly lie in one block \returns where the texels are in
/// `to`
I32x8 copyTexels(const ImageView& view, const std::byte* base, I32x8 place, CopiedTexels& to) {
  alignas(32) int32_t from[kWarpLanes];
  simd::store(from, place);
  const int32_t width = view.info->blockWidth, bytes = view.info->blockBytes, size = view.lanes.decodedBytes;
  int32_t last = -1;
  const std::byte* texels = nullptr;
  BlockTexels spare;
  for (int i = 0; i < static_cast<int>(kWarpLanes); ++i) {
    const int32_t block = from[i] >> 8;
    if (block != last) texels = decodedBlock(*view.info, base + int64_t{block} * bytes, spare), last = block;
    // At once: the next block may take its place.
    __builtin_memcpy(to.texel + i * size, texels + ((from[i] >> 4 & 15) * width + (from[i] & 15)) * size, size);
  }
  return I32x8{0, 1, 2, 3, 4, 5, 6, 7} * splat(size);
}
/// The same of all taps. `copies`: as many
Taps copyTaps(const ImageView& view, const Taps& taps, CopiedTexels* copies) {
  Taps to = taps;
  to.base = copies[0].texel;
  for (uint32_t k = 0; k < taps.count; ++k)
    to.offset[k] = wrappingAdd(copyTexels(view, taps.base, taps.offset[k], copies[k]),
                               splat(static_cast<int32_t>(k * sizeof(CopiedTexels))));
  return to;
}

void readBlocks(const Target& to, const std::byte* base, I32x8 place, I32x8 valid, const format::Texel* missing) {
  CopiedTexels copies;
  const I32x8 offset = copyTexels(to.view, base, place, copies);
  decodedKernels(to.view).read(to, copies.texel, offset, valid, missing);
}
void filterBlocks(const Target& to, const Taps& taps, F32x8* sum, bool last) {
  CopiedTexels copies[Taps::kMost];
  decodedKernels(to.view).filter(to, copyTaps(to.view, taps, copies), sum, last);
}
void finishBlocks(const Target& to, const F32x8* sum) { decodedKernels(to.view).finish(to, sum); }
void gatherBlocks(const Target& to, const Taps& taps, uint32_t component) {
  CopiedTexels copies[Taps::kMost];
  decodedKernels(to.view).gather(to, copyTaps(to.view, taps, copies), component);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
