// The footprint that frames are made of: 2x2 texels, neighbours in memory, of a plain 2D image.
// Both texels of a row are loaded at once, and nothing but two rows and two weights goes from addresses to texels. The
// arithmetic is that of the taps of kernels.h, in the same order, so either way gives the same bytes. Compiled per
// target.
#pragma once

#include "runtime/tex/lanes/address.h"
#include "runtime/tex/lanes/pixel_sums.h"
#ifdef ETZEL_SIMD_V3
#include "runtime/simd/x64/wide_bytes.h"
#endif

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Laid out as abi::Footprints, on hosts whose vectors are aligned less as well.
struct Square {
  const std::byte* row[2];
  alignas(LaneWords) I32x8 offset;  ///< of the left texel
  F32x8 wx[2], wy[2];
};

/// What finding texels along an axis of a level takes.
struct AxisRule {
  float scale;     ///< from coordinates to texels
  int32_t repeat;  ///< the bits that stay of a texel's number, where a power of two repeats; else all
  int32_t last;    ///< the first texel of the last two
};
ETZEL_INLINE_LOOP AxisRule axisRule(const Sampler& s, VkSamplerAddressMode mode, int32_t size) {
  const bool repeats = mode == VK_SAMPLER_ADDRESS_MODE_REPEAT && (size & (size - 1)) == 0;
  return {s.unnormalized ? 1.0f : static_cast<float>(size), repeats ? size - 1 : -1, size - 2};
}
/// A level, and how its squares are found.
struct SquareRule {
  const std::byte* base;
  int32_t pitch;  ///< bytes of a row
  AxisRule x, y;
};
ETZEL_INLINE_LOOP SquareRule squareRule(const Sampler& s, const Plane& p, bool seamless = false) {
  const auto mode = [&](int axis) { return seamless ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE : s.address[axis]; };
  return {p.base, p.row, axisRule(s, mode(0), p.width), axisRule(s, mode(1), p.height)};
}

/// One axis of eight squares.
struct SquareAxis {
  I32x8 at;   ///< of the first texel
  I32x8 bad;  ///< negative where the two are no neighbours inside of the image, or their weights no numbers
  F32x8 w[2];
};
/// `move`: texels to go from there; null: none
ETZEL_INLINE_LOOP SquareAxis squareAxis(const AxisRule& rule, F32x8 c, const I32x8* move = nullptr) {
  const F32x8 x = c * splat(rule.scale) - splat(0.5f);
  SquareAxis a;
  const F32x8 whole = floor(x);
  a.at = truncateToInt(whole);
  a.w[1] = x - whole, a.w[0] = splat(1.0f) - a.w[1];
  // Within 2^22 nothing rounds; NaNs and infinities are beyond.
  a.bad = splat(0x4A800000) - (asInt(x) & splat(0x7FFFFFFF));
  if (move) a.at = wrappingAdd(a.at, *move);
  a.at &= splat(rule.repeat);
  a.bad |= a.at | wrappingSub(splat(rule.last), a.at);
  return a;
}

/// \returns false where some lane's texels are no neighbours inside of the image: its coordinates wrap, or reach the
/// border, in whatever way. What it accepts needs no address mode, but for repetition by a power of two.
ETZEL_INLINE_LOOP bool squareOf(const SquareRule& rule, int32_t texel, F32x8 u, F32x8 v, Square& q,
                                const I32x8* move = nullptr) {
  const SquareAxis x = squareAxis(rule.x, u, move), y = squareAxis(rule.y, v, move ? move + 1 : nullptr);
  q.row[0] = rule.base, q.row[1] = rule.base + rule.pitch;
  q.offset = wrappingAdd(wrappingMul(y.at, rule.pitch), wrappingMul(x.at, texel));
  for (int k = 0; k < 2; ++k) q.wx[k] = x.w[k], q.wy[k] = y.w[k];
  return laneMask(x.bad | y.bad) == 0;
}
ETZEL_INLINE_LOOP bool squareOf(const Sampler& s, F32x8 u, F32x8 v, const Plane& p, Square& q) {
  return squareOf(squareRule(s, p), p.texel, u, v, q);
}
/// The same of layers, with offsets, and of the faces of cubes.
ETZEL_INLINE_LOOP bool squareOf(const Sampler& s, const Coordinates& co, const Plane& p, Square& q) {
  const bool inside =
      squareOf(squareRule(s, p, co.seamless), p.texel, co.c[0], co.c[1], q, co.hasOffset ? co.offset : nullptr);
  if (co.layered) q.offset = wrappingAdd(q.offset, co.layer * splat(p.layer));
  return inside;
}

/// Texels of eight squares that are no neighbours, copied to where they are some.
struct CopiedSquares {
  alignas(64) std::byte row[2][kWarpLanes * 2 * 16];
};
template <int bytes>
__attribute__((noinline)) void copySquares(const std::byte* base, const AxisTaps& x, const AxisTaps& y,
                                           CopiedSquares& to) {
  for (int k = 0; k < 4; ++k) {
    alignas(32) int32_t from[kWarpLanes];
    simd::store(from, wrappingAdd(y.at[k >> 1], x.at[k & 1]));
    std::byte* const texel = to.row[k >> 1] + (k & 1) * bytes;
    for (int i = 0; i < static_cast<int>(kWarpLanes); ++i)
      __builtin_memcpy(texel + 2 * i * bytes, base + from[i], bytes);
  }
}
/// squareOf() of any coordinates, by copying: for samplers without border colours, not of seamless cubes.
ETZEL_INLINE_LOOP void copiedSquareOf(const Sampler& s, const Coordinates& co, const Plane& p, CopiedSquares& copies,
                                      Square& q) {
  AxisTaps x = linearAxis(s, co, 0, p.width), y = linearAxis(s, co, 1, p.height);
  q.wx[0] = splat(1.0f) - x.weight, q.wx[1] = x.weight;
  q.wy[0] = splat(1.0f) - y.weight, q.wy[1] = y.weight;
  for (int k = 0; k < 2; ++k) {
    x.at[k] = wrappingMul(x.at[k], p.texel), y.at[k] = wrappingMul(y.at[k], p.row);
    if (co.layered) y.at[k] = wrappingAdd(y.at[k], co.layer * splat(p.layer));
  }
  switch (p.texel) {
    case 1: copySquares<1>(p.base, x, y, copies); break;
    case 2: copySquares<2>(p.base, x, y, copies); break;
    case 4: copySquares<4>(p.base, x, y, copies); break;
    case 8: copySquares<8>(p.base, x, y, copies); break;
    default: copySquares<16>(p.base, x, y, copies);
  }
  q.row[0] = copies.row[0], q.row[1] = copies.row[1];
  q.offset = I32x8{0, 2, 4, 6, 8, 10, 12, 14} * splat(p.texel);
}

/// Fetches ahead what the pixels eight to the right will read, if they go on as these do: textures that no cache holds
/// make the loads wait otherwise.
ETZEL_INLINE_LOOP void prefetchRight(const std::byte* base, const I32x8& offset) {
  const auto* from = reinterpret_cast<const int32_t*>(&offset);
  const std::byte* next = base + 4 * (int64_t{from[4]} - from[0]);
  for (int lane : {0, 2, 5, 7}) __builtin_prefetch(next + from[lane]);
}

/// The same of footprints. The lower row of texels is the one that no pixel above has read.
template <class S>
ETZEL_INLINE_LOOP void prefetchRight(const S& q) {
  const auto* from = reinterpret_cast<const int32_t*>(&q.offset);
  const int64_t ahead = 4 * (int64_t{from[4]} - from[0]);
  for (int lane : {2, 5}) __builtin_prefetch(q.row[1] + ahead + from[lane]);
}

/// One axis of eight nearest texels. `bad` becomes negative where one is not inside of the image.
ETZEL_INLINE_LOOP I32x8 nearestAxis(const AxisRule& rule, F32x8 c, I32x8& bad) {
  const I32x8 at = floorOf(c * splat(rule.scale)) & splat(rule.repeat);
  bad |= at | wrappingSub(splat(rule.last + 1), at);
  return at;
}
/// Where the nearest texels lie. \returns false where one is not inside of the image; as squareOf()
ETZEL_INLINE_LOOP bool nearestOf(const SquareRule& rule, int32_t texel, F32x8 u, F32x8 v, I32x8& offset) {
  I32x8 bad{};
  const I32x8 x = nearestAxis(rule.x, u, bad), y = nearestAxis(rule.y, v, bad);
  offset = wrappingAdd(wrappingMul(y, rule.pitch), wrappingMul(x, texel));
  return laneMask(bad) == 0;
}

/// A square, and the weights of its four texels, row by row.
struct WeighedSquare {
  const std::byte* row[2];
  alignas(LaneWords) I32x8 offset;
  F32x8 weight[4];
};
ETZEL_INLINE_LOOP WeighedSquare weighed(const Square& q) {
  WeighedSquare w{{q.row[0], q.row[1]}, q.offset, {}};
  for (int k = 0; k < 4; ++k) w.weight[k] = q.wx[k & 1] * q.wy[k >> 1];
  return w;
}

struct SquareTexels {
  I32x8 bits[4][2];
};
template <Q f, class S>
ETZEL_INLINE_LOOP void loadSquare(const S& q, SquareTexels& t) {
  prefetchRight(q);
  for (int y = 0; y < 2; ++y) loadNeighbours<f>(q.row[y], q.offset, t.bits[2 * y], t.bits[2 * y + 1]);
}

/// Adds weighted texels of up to eight bytes that have been loaded, times codeScale().
template <Q f>
ETZEL_INLINE_LOOP void addBits(const ImageView& view, const I32x8 bits[4][2], const F32x8 weight[4],
                               WeightedSum<f>& sum) {
  if constexpr (isSrgb(f)) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      F32x8 linear[3];
      format::srgbToLinear(asUnsigned(bits[k][0]), linear);
      sum.add(decodedWords<f>(linear, bits[k][0]), weight[k]);
    }
  } else {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) sum.addOwn(weighableBits<f>(view, bits[k]), weight[k]);
  }
}

/// Adds the weighted texels, times codeScale().
template <Q f>
ETZEL_INLINE_LOOP void addSquare(const Target& to, const WeighedSquare& q, WeightedSum<f>& sum) {
  if constexpr (format::showsFloats(f)) {
    prefetchRight(q);
    for (int y = 0; y < 2; ++y) {
      const F32x8* const weight = q.weight + 2 * y;
      // In one dimension, and on rows' middles.
      if (laneMask(unequal(weight[0], splat(0.0f)) | unequal(weight[1], splat(0.0f))) == 0) continue;
      I32x8 bits[2][2];
      loadNeighbours<f>(q.row[y], q.offset, bits[0], bits[1]);
      for (int x = 0; x < 2; ++x) sum.addOwn(fetchedBits<f>(to.view, bits[x]), weight[x]);
    }
  } else {
    SquareTexels s;
    loadSquare<f>(q, s);
    addBits<f>(to.view, s.bits, q.weight, sum);
  }
}
template <Q f>
ETZEL_INLINE_LOOP void addSquare(const Target&, const WeighedSquare& q, PixelSums<f>& sum) {
  prefetchRight(q);
  sum.addRows(q.row[0], q.offset, q.row[1], q.offset, q.weight);
}
template <Q f>
ETZEL_INLINE_LOOP void addSquare(const Target&, const WeighedSquare& q, VectorSums<f>& sum) {
  prefetchRight(q);
  WeighedRows rows;
#pragma GCC unroll 2
  for (int y = 0; y < 2; ++y) rows.add(q.row[y], q.weight[2 * y], q.weight[2 * y + 1]);
  sum.add(rows, q.offset);
}
template <Q f, class Sum>
ETZEL_INLINE_LOOP void addSquare(const Target& to, const Square& q, Sum& sum) {
  addSquare<f>(to, weighed(q), sum);
}

/// Whether wide_floats.h or wide_pairs.h knows the texels, where the host has its instructions.
constexpr bool hasWideFloats(Q f) { return f == Q::R32 || f == Q::Rgba16F || f == Q::Rgba32 || f == Q::Rg11B10F; }
constexpr bool hasWidePairs(Q f) { return f == Q::Rg8 || f == Q::Rg16 || f == Q::Rg16F; }
#ifdef ETZEL_SIMD_V3
template <Q f>
requires(hasWideFloats(f)) ETZEL_WIDE_BYTES
    void filterSquareWide(const Target& to, const Square& low, const Square* high);
template <Q f>
requires(hasWidePairs(f)) ETZEL_WIDE_BYTES
    void filterSquareWide(const Target& to, const Square& low, const Square* high);
#endif

/// The filtered colour, when all weights have come.
template <Q f, class Sum>
ETZEL_INLINE_LOOP void putAverage(const Target& to, const Sum& sum) {
  Texels t = sum.average();
  unscale<f>(t.c);
  finishFiltered<f>(to, t);
}

/// addSquare() where there is one level: of two, footprints on the lower one seldom share texels.
template <Q f, class Sum>
ETZEL_INLINE_LOOP void addOnlySquare(const Target& to, const Square& q, Sum& sum) {
  addSquare<f>(to, q, sum);
}
template <Q f>
ETZEL_INLINE_LOOP void addOnlySquare(const Target& to, const Square& q, PixelSums<f>& sum) {
  SharedTexels shared;
  if (!shared.decode(q.row[0], q.offset, q.row[1] - q.row[0])) return addSquare<f>(to, q, sum);
  prefetchRight(q);
  sum.addShared(shared, weighed(q).weight);
}

/// The filtered colour, eight texels at a time; `high`: the level above, where there are two.
template <Q f>
ETZEL_INLINE_LOOP void filterSquareByEight(const Target& to, const Square& low, const Square* high) {
  SumOfEight<f> s(nullptr);
  if (high)
    addSquare<f>(to, low, s), addSquare<f>(to, *high, s);
  else
    addOnlySquare<f>(to, low, s);
  putAverage<f>(to, s);
}
template <Q f>
void filterSquare(const Target& to, const Square& low, const Square* high) {
#ifdef ETZEL_SIMD_V3
  if constexpr (hasWideFloats(f) || hasWidePairs(f))
    if (simd::hasWideBytes()) [[likely]]
      return filterSquareWide<f>(to, low, high);
#endif
  filterSquareByEight<f>(to, low, high);
}

/// Bilinear footprints that compiled code found.
template <Q f>
void readBilinear(const ImageView* view, const abi::Footprints* from, LaneWords* result) {
  static_assert(sizeof(Square) == sizeof(abi::Footprints) &&
                offsetof(Square, wx) == offsetof(abi::Footprints, columns));
  filterSquare<f>({*view, result, kAllLanes}, *reinterpret_cast<const Square*>(from), nullptr);
}
/// Texels of the base level that compiled code found.
template <Q f>
void readFound(const ImageView* view, const LaneWords* offset, LaneMask inside, LaneWords* result) {
  constexpr int bytes = f == Q::Other ? 16 : texelBytes(f);  // at most
  const std::byte* const base = view->direct.texels;
  const I32x8 at = ints(*offset);
  if (bytes > 2) prefetchRight(base, at);
  Texels t;
  if constexpr (bytes <= 8) {
    I32x8 bits[2];
    if (!loadTogether<bytes>(base, at, view->direct.rowPitch, bits)) loadBits<bytes>(base, at, bits);
    if (inside != kAllLanes)
      for (I32x8& b : bits) b &= fromLaneMask(inside);
    t = fetchedBits<f>(*view, bits);
  } else {
    fetch<f>(*view, base, at, t);
    if (inside != kAllLanes) {
      for (F32x8& c : t.c) c = asFloat(asInt(c) & fromLaneMask(inside));
      const I32x8 alpha = splat(static_cast<int32_t>(view->lanes.missingAlpha)) & ~fromLaneMask(inside);
      t.c[3] = asFloat(asInt(t.c[3]) | alpha);
    }
  }
  finish<f>(t);
  put({*view, result, kAllLanes}, t);
}

template <Q f>
void writeFromKernels(const ImageView* view, const LaneWords* offset, LaneMask lanes, const LaneWords* data) {
  std::byte* base = const_cast<std::byte*>(view->direct.texels);  // read-only for everyone else
  writeTexels<f>({*view, nullptr, lanes}, base, ints(*offset), data);
}

/// "Texel Anisotropic Filtering": probes i of n lie at -1/2 + i / (n + 1) along the major axis.
struct ProbeLine {
  F32x8 at[2];     ///< its middle, in coordinates
  F32x8 along[2];  ///< from one end to the other
  F32x8 probes;    ///< of each lane: whole numbers
  F32x8 upper;     ///< weight of the second level
  uint32_t most;   ///< probes of the lane that has most
  bool two;        ///< whether there is a second level
};
/// The coordinates of probe i, and its weight: 0 in lanes that have less probes.
struct Probe {
  F32x8 c[2];
  F32x8 share;
};
ETZEL_INLINE_LOOP Probe probeOf(const ProbeLine& line, uint32_t i) {
  const F32x8 number = splat(static_cast<float>(i)), spacing = line.probes + splat(1.0f);
  const F32x8 step = number / spacing - splat(0.5f);
  return {{line.at[0] + line.along[0] * step, line.at[1] + line.along[1] * step},
          asFloat(asInt(splat(1.0f)) & atMost(number, line.probes))};
}

/// How the squares of probes are found on both levels, or on the first alone.
struct ProbeLevels {
  SquareRule rule[2];
  I32x8 layer[2];     ///< bytes from the first layer
  const I32x8* move;  ///< as squareOf() has it
};

/// Squares of probes that are found before the first of their texels is read: what finds them are long chains of few
/// instructions each, which go on while texels are on their way.
struct ProbesAhead {
  Square square[8];
};
/// Finds those of the next probes, on both levels, with their weights. `i`: the number of the next probe, after which
/// it is the one behind the last that was found. \returns how many squares; 0: that probe has texels that are no
/// neighbours inside of the image, or there is none
__attribute__((noinline)) uint32_t findAhead(const ProbeLevels& in, const ProbeLine& line, int32_t texel, uint32_t& i,
                                             ProbesAhead& ahead) {
  const uint32_t levels = line.two ? 2 : 1;
  uint32_t found = 0;
  for (; i <= line.most && found < std::size(ahead.square); ++i, found += levels) {
    const Probe probe = probeOf(line, i);
    Square* const square = &ahead.square[found];
    for (uint32_t n = 0; n < levels; ++n)
      if (!squareOf(in.rule[n], texel, probe.c[0], probe.c[1], square[n], in.move)) return found;
    const F32x8 share[2] = {line.two ? probe.share * (splat(1.0f) - line.upper) : probe.share,
                            probe.share * line.upper};
    for (uint32_t n = 0; n < levels; ++n) {
      for (F32x8& w : square[n].wx) w *= share[n];
      square[n].offset = wrappingAdd(square[n].offset, in.layer[n]);
    }
  }
  return found;
}

/// Adds the weighted texels of probes to `out`, from the first on. \returns the number of one whose texels are no
/// neighbours inside of the image, which has not been added; else the number behind the last
template <Q f>
ETZEL_INLINE_LOOP uint32_t addProbesByEight(const Target& to, const ProbeLevels& in, const ProbeLine& line,
                                            uint32_t first, F32x8 out[4]) {
  for (int c = 0; c < 4; ++c) out[c] = out[c] * splat(codeScale<f>(c));
  SumOfEight<f> sum(out);
  ProbesAhead ahead;
  uint32_t i = first;
  while (const uint32_t found = findAhead(in, line, texelBytes(f), i, ahead))
    for (uint32_t n = 0; n < found; ++n) addSquare<f>(to, ahead.square[n], sum);
  Texels t = sum.total();
  unscale<f>(t.c);
  for (int c = 0; c < 4; ++c) out[c] = t.c[c];
  return i;
}
template <Q f>
uint32_t addProbes(const Target& to, const ProbeLevels& in, const ProbeLine& line, uint32_t first, F32x8 out[4]) {
  return addProbesByEight<f>(to, in, line, first, out);
}

template <Q f, class Passes>
ETZEL_INLINE_LOOP void addCompared(const Target& to, const Square& q, F32x8 reference, Passes passes, F32x8& sum) {
  SquareTexels s;
  loadSquare<f>(q, s);
  const WeighedSquare w = weighed(q);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    const F32x8 depth = finishComponent<f>(fetchedBits<f>(to.view, s.bits[k]).c[0], 0);
    sum += asFloat(asInt(w.weight[k]) & passes(reference, depth));
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

/// Fixed-point depth: D_ref is clamped.
ETZEL_INLINE_LOOP F32x8 referenceOf(const ImageView& view, F32x8 reference) {
  if (view.info->numeric != format::Numeric::Unorm) return reference;
  return minimum(maximum(reference, splat(0.0f)), splat(1.0f));
}
/// Footprints of depth that compiled code found.
template <Q f>
void compareFound(const ImageView* view, const Sampler* sampler, const abi::Footprints* from,
                  const LaneWords* reference, LaneWords* result) {
  F32x8 sum;
  compareSquare<f>({*view, result, kAllLanes}, *reinterpret_cast<const Square*>(from), nullptr, sampler->compareOp,
                   referenceOf(*view, floats(*reference)), sum);
  store(result[0], sum);
}

/// One component of the four texels, in the order of gathers.
template <Q f>
ETZEL_INLINE_LOOP void gatherSquare(const Target& to, const Square& q, uint32_t component) {
  prefetchRight(q);
  I32x8 bits[4][2];
  for (int y = 0; y < 2; ++y) loadNeighbours<f>(q.row[y], q.offset, bits[2 * y], bits[2 * y + 1]);
  constexpr int texel[4] = {2, 3, 1, 0};
  LaneWords* const result = to.result;
  const LaneMask lanes = to.lanes;
  for (int k = 0; k < 4; ++k) store(result[k], componentOf<f>(to.view, bits[texel[k]], component), lanes);
}

/// In the same order, 1 where a texel passes, else 0.
template <Q f>
void compareGatherSquare(const Target& to, const Square& q, VkCompareOp op, F32x8 reference) {
  SquareTexels s;
  loadSquare<f>(q, s);
  withCompareOp(
      op, [&](auto passes) __attribute__((always_inline)) {
        constexpr int texel[4] = {2, 3, 1, 0};
        for (int k = 0; k < 4; ++k) {
          const F32x8 depth = finishComponent<f>(fetchedBits<f>(to.view, s.bits[texel[k]]).c[0], 0);
          store(to.result[k], asFloat(asInt(splat(1.0f)) & passes(reference, depth)), to.lanes);
        }
      });
}

struct SquareKernels {
  void (*filter)(const Target&, const Square&, const Square*);
  DirectRoutines direct;
  uint32_t (*probes)(const Target&, const ProbeLevels&, const ProbeLine&, uint32_t, F32x8*);
  void (*compare)(const Target&, const Square&, const Square*, VkCompareOp, F32x8, F32x8&);
  void (*gather)(const Target&, const Square&, uint32_t);
  void (*compareGather)(const Target&, const Square&, VkCompareOp, F32x8);
};
template <Q f>
constexpr SquareKernels squareKernelsOf() {
  SquareKernels k{};
  constexpr int bytes = texelBytes(f);
  if constexpr (bytes >= 1) k.filter = filterSquare<f>, k.direct.bilinear = readBilinear<f>, k.probes = addProbes<f>;
  if constexpr (bytes >= 1 && bytes <= 8) k.gather = gatherSquare<f>;
  if constexpr (bytes >= 1 || f == Q::Other) k.direct.read = readFound<f>;
  if constexpr (bytes >= 1 || f == Q::Other) k.direct.write = writeFromKernels<f>;
  if constexpr (f == Q::R16 || f == Q::R32 || f == Q::D24)
    k.compare = compareSquare<f>, k.compareGather = compareGatherSquare<f>, k.direct.compare = compareFound<f>;
  return k;
}
template <size_t... i>
constexpr std::array<SquareKernels, sizeof...(i)> makeSquareKernels(std::index_sequence<i...>) {
  return {squareKernelsOf<static_cast<Q>(i + 1)>()...};
}
/// By layout, without None. Null for formats whose texels are decoded, but for stores.
constexpr auto kSquareKernels = makeSquareKernels(std::make_index_sequence<static_cast<size_t>(Q::kCount) - 1>());

ETZEL_INLINE_LOOP const SquareKernels& squareKernels(const ImageView& view) {
  return kSquareKernels[static_cast<size_t>(view.lanes.layout) - 1];
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
