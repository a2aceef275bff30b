// The footprint that frames are made of: 2x2 texels of up to eight bytes, neighbours in memory, of a plain 2D image.
// Both texels of a row are loaded at once, and nothing but two rows and two weights goes from addresses to texels. The
// arithmetic is that of the taps of kernels.h, in the same order, so either way gives the same bytes. Compiled per
// target.
#pragma once

#include "runtime/tex/lanes/address.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

struct Square {
  const std::byte* row[2];
  I32x8 offset;  ///< of the left texel
  F32x8 wx[2], wy[2];
};

/// One axis of eight squares.
struct SquareAxis {
  I32x8 at;   ///< of the first texel
  I32x8 bad;  ///< negative where the two are no neighbours inside of the image, or their weights no numbers
  F32x8 w[2];
};
ETZEL_INLINE_LOOP SquareAxis squareAxis(const Sampler& s, VkSamplerAddressMode mode, F32x8 c, int32_t size) {
  const F32x8 x = scaled(s, c, size) - splat(0.5f);
  SquareAxis a;
  const F32x8 whole = floor(x);
  a.at = truncateToInt(whole);
  a.w[1] = x - whole, a.w[0] = splat(1.0f) - a.w[1];
  // Within 2^22 nothing rounds; NaNs and infinities are beyond.
  a.bad = splat(0x4A800000) - (asInt(x) & splat(0x7FFFFFFF));
  a.at &= splat(mode == VK_SAMPLER_ADDRESS_MODE_REPEAT && (size & (size - 1)) == 0 ? size - 1 : -1);
  a.bad |= a.at | wrappingSub(splat(size - 2), a.at);
  return a;
}

/// \returns false where some lane's texels are no neighbours inside of the image: its coordinates wrap, or reach the
/// border, in whatever way. What it accepts needs no address mode, but for repetition by a power of two.
ETZEL_INLINE_LOOP bool squareOf(const Sampler& s, F32x8 u, F32x8 v, const Plane& p, Square& q) {
  const SquareAxis x = squareAxis(s, s.address[0], u, p.width), y = squareAxis(s, s.address[1], v, p.height);
  q.row[0] = p.base, q.row[1] = p.base + p.row;
  q.offset = wrappingAdd(wrappingMul(y.at, p.row), wrappingMul(x.at, p.texel));
  for (int k = 0; k < 2; ++k) q.wx[k] = x.w[k], q.wy[k] = y.w[k];
  return laneMask(x.bad | y.bad) == 0;
}

/// Fetches ahead what the pixels eight to the right will read, if they go on as these do: textures that no cache holds
/// make the loads wait otherwise.
ETZEL_INLINE_LOOP void prefetchRight(const std::byte* base, const I32x8& offset) {
  const auto* from = reinterpret_cast<const int32_t*>(&offset);
  const std::byte* next = base + 4 * (int64_t{from[4]} - from[0]);
  for (int lane : {0, 2, 5, 7}) __builtin_prefetch(next + from[lane]);
}

/// One axis of eight nearest texels. `bad` becomes negative where one is not inside of the image.
ETZEL_INLINE_LOOP I32x8 nearestAxis(const Sampler& s, VkSamplerAddressMode mode, F32x8 c, int32_t size, I32x8& bad) {
  const I32x8 i = floorOf(scaled(s, c, size));
  const I32x8 at = mode == VK_SAMPLER_ADDRESS_MODE_REPEAT && (size & (size - 1)) == 0 ? i & splat(size - 1) : i;
  bad |= at | wrappingSub(splat(size - 1), at);
  return at;
}
/// The words of the nearest texels. \returns false where one is not inside of the image; as squareOf()
ETZEL_INLINE_LOOP bool nearestWords(const Sampler& s, F32x8 u, F32x8 v, const Plane& p, I32x8& words) {
  I32x8 bad{};
  const I32x8 x = nearestAxis(s, s.address[0], u, p.width, bad), y = nearestAxis(s, s.address[1], v, p.height, bad);
  const I32x8 offset = wrappingAdd(wrappingMul(y, p.row), wrappingMul(x, p.texel));
  if (laneMask(bad)) return false;
  prefetchRight(p.base, offset);
  words = gatherWords(p.base, offset);
  return true;
}

struct SquareTexels {
  I32x8 bits[4][2];
  F32x8 weight[4];
};
template <Q f>
ETZEL_INLINE_LOOP void loadSquare(const Square& q, SquareTexels& t) {
  prefetchRight(q.row[0], q.offset);
  for (int y = 0; y < 2; ++y) loadNeighbours<f>(q.row[y], q.offset, t.bits[2 * y], t.bits[2 * y + 1]);
  for (int k = 0; k < 4; ++k) t.weight[k] = q.wx[k & 1] * q.wy[k >> 1];
}

template <Q f>
ETZEL_INLINE_LOOP void addSquare(const Target& to, const Square& q, WeightedSum<f>& sum) {
  SquareTexels s;
  loadSquare<f>(q, s);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) sum.add(fetchedBits<f>(to.view, s.bits[k]), s.weight[k]);
}

/// Adds the weighted texels of one or two levels to a sum.
template <Q f>
void addSquares(const Target& to, const Square& low, const Square* high, F32x8* sum) {
  WeightedSum<f> s(sum);
  addSquare<f>(to, low, s);
  if (high) addSquare<f>(to, *high, s);
  for (int c = 0; c < 4; ++c) sum[c] = s.sum[c];
}

/// The filtered colour; `high`: the level above, where there are two.
template <Q f>
void filterSquare(const Target& to, const Square& low, const Square* high) {
  WeightedSum<f> s(nullptr);
  addSquare<f>(to, low, s);
  if (high) addSquare<f>(to, *high, s);
  Texels t = s.average();
  finishFiltered<f>(to, t);
}

template <Q f, class Passes>
ETZEL_INLINE_LOOP void addCompared(const Target& to, const Square& q, F32x8 reference, Passes passes, F32x8& sum) {
  SquareTexels s;
  loadSquare<f>(q, s);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    const F32x8 depth = finishComponent<f>(fetchedBits<f>(to.view, s.bits[k]).c[0], 0);
    sum += asFloat(asInt(s.weight[k]) & passes(reference, depth));
  }
}

/// The weights of the texels that pass.
template <Q f>
void compareSquare(const Target& to, const Square& low, const Square* high, VkCompareOp op, F32x8 reference,
                   F32x8& sum) {
  withCompareOp(
      op, [&](auto passes) __attribute__((always_inline)) {
        F32x8 s = splat(0.0f);
        addCompared<f>(to, low, reference, passes, s);
        if (high) addCompared<f>(to, *high, reference, passes, s);
        sum = s;
      });
}

/// One component of the four texels, in the order of gathers.
template <Q f>
void gatherSquare(const Target& to, const Square& q, uint32_t component) {
  prefetchRight(q.row[0], q.offset);
  I32x8 bits[4][2];
  for (int y = 0; y < 2; ++y) loadNeighbours<f>(q.row[y], q.offset, bits[2 * y], bits[2 * y + 1]);
  constexpr int texel[4] = {2, 3, 1, 0};
  LaneWords* const result = to.result;
  const LaneMask lanes = to.lanes;
  for (int k = 0; k < 4; ++k) store(result[k], componentOf<f>(to.view, bits[texel[k]], component), lanes);
}

struct SquareKernels {
  void (*filter)(const Target&, const Square&, const Square*);
  void (*add)(const Target&, const Square&, const Square*, F32x8*);
  void (*compare)(const Target&, const Square&, const Square*, VkCompareOp, F32x8, F32x8&);
  void (*gather)(const Target&, const Square&, uint32_t);
};
template <Q f>
constexpr SquareKernels squareKernelsOf() {
  SquareKernels k{};
  constexpr int bytes = texelBytes(f);
  if constexpr (bytes >= 1 && bytes <= 8) k.filter = filterSquare<f>, k.add = addSquares<f>, k.gather = gatherSquare<f>;
  if constexpr (f == Q::R16 || f == Q::R32 || f == Q::D24) k.compare = compareSquare<f>;
  return k;
}
template <size_t... i>
constexpr std::array<SquareKernels, sizeof...(i)> makeSquareKernels(std::index_sequence<i...>) {
  return {squareKernelsOf<static_cast<Q>(i + 1)>()...};
}
/// By layout, without None. Null for formats whose texels are larger or decoded.
constexpr auto kSquareKernels = makeSquareKernels(std::make_index_sequence<static_cast<size_t>(Q::kCount) - 1>());

ETZEL_INLINE_LOOP const SquareKernels& squareKernels(const ImageView& view) {
  return kSquareKernels[static_cast<size_t>(view.lanes.layout) - 1];
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
