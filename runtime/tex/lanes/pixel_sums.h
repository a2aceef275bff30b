// Weighted sums of sRGB texels in code for hosts where a load for each code is the best there is: the four numbers of a
// texel are one half of a register, loaded side by side, and those of two lanes are weighed at once. Only sums become a
// register for each component. The operations on each number are those of WeightedSum in the same order, so either way
// gives the same bytes. Compiled per target.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "runtime/tex/lanes/vector_sums.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// The bytes as numbers.
constexpr std::array<float, 256> kByteNumbers = [] {
  std::array<float, 256> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}();

/// A texel: three linear numbers, and alpha's code.
ETZEL_INLINE_LOOP F32x4 numbersOf(uint32_t texel) { return format::srgbNumbers(texel, kByteNumbers[texel >> 24]); }

/// The texels of eight footprints of two by two that lie close together, each decoded once: pixels beside each other
/// share most of theirs where a texture is drawn about as large as it is, or larger. Two or three rows of up to six.
struct SharedTexels {
  static constexpr uint32_t kColumns = 6;
  alignas(32) F32x4 texel[3][kColumns];
  alignas(32) int32_t at[8];  ///< bytes from texel[0][0] to each footprint's first one

  /// Footprints at such offsets, of two quads side by side. `pitch`: bytes of a row. \returns false where they lie
  /// further apart, or not along rows and columns; nothing happened
  ETZEL_INLINE_LOOP bool decode(const std::byte* row, const I32x8& offset, int64_t pitch) {
    constexpr int32_t kTexel = 4, kMost = kTexel * (kColumns - 2);
    // The corners of both quads say where all lie, which lanes between them must show.
    const auto* from = reinterpret_cast<const int32_t*>(&offset);
    const int32_t across = from[5] - from[0], down = from[2] - from[0];
    const int32_t last = std::abs(across), step = std::abs(down);
    if (last > kMost || (step != pitch && step != 0) || from[7] - from[5] != down) return false;
    const int32_t first = from[0] + std::min(across, 0) + std::min(down, 0);
    const I32x8 away = offset - splat(first);
    const I32x8 below = atMost(splat(step), away) & splat(step != 0 ? -1 : 0);
    const I32x8 column = away - (below & splat(step));
    if (laneMask(column | wrappingSub(splat(last), column)) != 0) return false;
    const int rows = step == 0 ? 2 : 3;
    if (last <= 2 * kTexel)
      decodeRows<4>(row + first, pitch, rows, last + kTexel);
    else
      decodeRows<kColumns>(row + first, pitch, rows, last + kTexel);
    store(at, (column << 2) + (below & splat(static_cast<int32_t>(sizeof texel[0]))));
    return true;
  }
  ETZEL_INLINE_LOOP F32x4 of(int lane, int x, int y) const {
    return load<F32x4>(reinterpret_cast<const std::byte*>(&texel[y][x]) + at[lane]);
  }

 private:
  /// As many columns always, so that nothing branches: behind the last one that again.
  template <int columns>
  ETZEL_INLINE_LOOP void decodeRows(const std::byte* from, int64_t pitch, int32_t rows, int32_t last) {
    const std::byte* const row[3] = {from, from + pitch, from + (rows - 1) * pitch};
#pragma GCC unroll 6
    for (int x = 0; x < columns; ++x) {
      const int64_t at = x < 2 ? 4 * x : std::min(4 * x, last);
#pragma GCC unroll 3
      for (int y = 0; y < 3; ++y) texel[y][x] = numbersOf(load<uint32_t>(row[y] + at));
    }
  }
};

/// WeightedSum of an sRGB layout.
template <Q f>
struct PixelSums {
  F32x8 sum[4];  ///< of lanes i and i + 4, as they lie in texels

  ETZEL_INLINE_LOOP explicit PixelSums(const F32x8* before) {
    for (int c = 0; c < 4; ++c) sum[c] = before ? before[kSource[c]] : splat(0.0f);
    if (before) transposeHalves(sum[0], sum[1], sum[2], sum[3]);
  }
  /// Two rows of two texels each, which begin at such offsets.
  ETZEL_INLINE_LOOP void addRows(const std::byte* upper, const I32x8& upperOffset, const std::byte* lower,
                                 const I32x8& lowerOffset, const F32x8 weight[4]) {
    const auto* first = reinterpret_cast<const int32_t*>(&upperOffset);
    const auto* second = reinterpret_cast<const int32_t*>(&lowerOffset);
    addSquares(
        weight, [&](int i, F32x8 texel[4]) __attribute__((always_inline)) {
          const auto a = load<uint64_t>(upper + first[i]), b = load<uint64_t>(upper + first[i + 4]);
          const auto c = load<uint64_t>(lower + second[i]), d = load<uint64_t>(lower + second[i + 4]);
          const auto low = [](uint64_t row) __attribute__((always_inline)) { return static_cast<uint32_t>(row); };
          texel[0] = join(numbersOf(low(a)), numbersOf(low(b))),
          texel[1] = join(numbersOf(a >> 32), numbersOf(b >> 32));
          texel[2] = join(numbersOf(low(c)), numbersOf(low(d))),
          texel[3] = join(numbersOf(c >> 32), numbersOf(d >> 32));
        });
  }
  /// The same of footprints whose texels have been decoded.
  ETZEL_INLINE_LOOP void addShared(const SharedTexels& shared, const F32x8 weight[4]) {
    addSquares(
        weight, [&](int i, F32x8 texel[4]) __attribute__((always_inline)) {
#pragma GCC unroll 4
          for (int k = 0; k < 4; ++k) texel[k] = join(shared.of(i, k & 1, k >> 1), shared.of(i + 4, k & 1, k >> 1));
        });
  }
  /// Texels anywhere, one of each lane.
  ETZEL_INLINE_LOOP void addTexels(const std::byte* base, const I32x8& offset, F32x8 weight) {
    const auto* from = reinterpret_cast<const int32_t*>(&offset);
    const F32x8 w[4] = {shuffleHalves<0, 0, 0, 0>(weight), shuffleHalves<1, 1, 1, 1>(weight),
                        shuffleHalves<2, 2, 2, 2>(weight), shuffleHalves<3, 3, 3, 3>(weight)};
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const auto a = load<uint32_t>(base + from[i]), b = load<uint32_t>(base + from[i + 4]);
      sum[i] += join(numbersOf(a), numbersOf(b)) * w[i];
    }
  }
  /// A register for each component.
  ETZEL_INLINE_LOOP Texels total() const {
    F32x8 s[4] = {sum[0], sum[1], sum[2], sum[3]};
    transposeHalves(s[0], s[1], s[2], s[3]);
    return {{s[kSource[0]], s[kSource[1]], s[kSource[2]], s[kSource[3]]}};
  }
  ETZEL_INLINE_LOOP Texels average() const { return total(); }

 private:
  /// `texelsOf` gives the four texels of lanes i and i + 4.
  template <class TexelsOf>
  ETZEL_INLINE_LOOP void addSquares(const F32x8 weight[4], TexelsOf texelsOf) {
    F32x8 w[4] = {weight[0], weight[1], weight[2], weight[3]};
    transposeHalves(w[0], w[1], w[2], w[3]);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      F32x8 texel[4];
      texelsOf(i, texel);
      sum[i] += texel[0] * shuffleHalves<0, 0, 0, 0>(w[i]);
      sum[i] += texel[1] * shuffleHalves<1, 1, 1, 1>(w[i]);
      sum[i] += texel[2] * shuffleHalves<2, 2, 2, 2>(w[i]);
      sum[i] += texel[3] * shuffleHalves<3, 3, 3, 3>(w[i]);
    }
  }
  /// Which component lies at a texel's bytes, and the reverse.
  static constexpr int kSource[4] = {isBlueFirst(f) ? 2 : 0, 1, isBlueFirst(f) ? 0 : 2, 3};
};

/// How eight texels of a layout are summed.
template <Q f>
using SumOfEight = std::conditional_t<isSrgb(f) && !format::kSrgbByArithmetic, PixelSums<f>, SumOf<f>>;

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
