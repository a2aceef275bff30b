// Coverage of 8x8 pixel blocks by a convex primitive, exact in integers: a row of blocks at a time, then the 4x2 groups
// of a block, and the samples only of groups that an edge crosses. Part of the tile code: included once per
// instruction set.
//
// Bits of a block: byte g is group g (groups go right, then down), its bit i is lane i of the group.

constexpr int32_t kBlock = 8;
constexpr int32_t kUnit = 16;  // sample positions are multiples of 256 / kUnit sub-pixels

/// Whether all pixels of the block at (x, y) lie inside every attachment.
ETZEL_INLINE bool isWholeBlock(const TileDraw& d, int32_t x, int32_t y) {
  return static_cast<uint32_t>(x) + kBlock <= d.safeWidth && static_cast<uint32_t>(y) + kBlock <= d.safeHeight;
}

/// Bits of the block's pixels with x < n, and with y < n.
ETZEL_INLINE uint64_t columnsBelow(int32_t n) {
  constexpr uint64_t kColumn[9] = {0,
                                   0x0005000500050005ull,
                                   0x000F000F000F000Full,
                                   0x005F005F005F005Full,
                                   0x00FF00FF00FF00FFull,
                                   0x05FF05FF05FF05FFull,
                                   0x0FFF0FFF0FFF0FFFull,
                                   0x5FFF5FFF5FFF5FFFull,
                                   ~0ull};
  return kColumn[n];
}
ETZEL_INLINE uint64_t rowsBelow(int32_t n) {
  constexpr uint64_t kRow[9] = {0,
                                0x0000000000003333ull,
                                0x000000000000FFFFull,
                                0x000000003333FFFFull,
                                0x00000000FFFFFFFFull,
                                0x00003333FFFFFFFFull,
                                0x0000FFFFFFFFFFFFull,
                                0x3333FFFFFFFFFFFFull,
                                ~0ull};
  return kRow[n];
}
ETZEL_INLINE int32_t clampBlock(int32_t v) { return v < 0 ? 0 : v > kBlock ? kBlock : v; }
/// Pixels [x0, x1) x [y0, y1) of the block at (bx, by).
ETZEL_INLINE uint64_t rectBits(int32_t bx, int32_t by, int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
  uint64_t columns = columnsBelow(clampBlock(x1 - bx)) & ~columnsBelow(clampBlock(x0 - bx));
  return columns & rowsBelow(clampBlock(y1 - by)) & ~rowsBelow(clampBlock(y0 - by));
}

/// An edge as the blocks of one tile use it. The unit is 1/16 pixel, on which all samples lie: the value there is an
/// integer plus a fraction that is the same everywhere in the tile, so that the sign is that of the value rounded down.
/// Sums wrap, hence unsigned; the true values fit where they are compared with 0, since the edge crosses the tile.
struct TileEdge {
  uint32_t a, b;                             ///< growth per unit to the right and down
  uint32_t corner;                           ///< value at the tile's corner, rounded down
  uint32_t least, most;                      ///< over the samples of a block, relative to its corner
  alignas(32) uint32_t offset[kMaxSamples];  ///< value at each sample's position; draws with several samples
};
/// Edges beyond this (|a| + |b|) leave 32 bits inside a tile: longer than 8192 pixels.
constexpr int64_t kNarrowEdge = int64_t{1} << 21;

ETZEL_INLINE U8 times(uint32_t step, U8 n) { return splatU(step) * n; }

/// Least and greatest of a * x + b * y over [x0, x1] x [y0, y1].
ETZEL_INLINE int64_t leastOver(int64_t a, int64_t b, int64_t x0, int64_t y0, int64_t x1, int64_t y1) {
  return a * (a < 0 ? x1 : x0) + b * (b < 0 ? y1 : y0);
}
ETZEL_INLINE int64_t mostOver(int64_t a, int64_t b, int64_t x0, int64_t y0, int64_t x1, int64_t y1) {
  return a * (a < 0 ? x0 : x1) + b * (b < 0 ? y0 : y1);
}

enum class TileCover : uint8_t { None, Edges, Wide };

/// The edges that cross [x0, x1) x [y0, y1) of the tile at (tx, ty). None: the rectangle lies outside of one. Wide: one
/// of them needs more than 32 bits, and `edges` is not made.
inline TileCover tileEdges(const BinnedPrimitive& p, const TileDraw& draw, int32_t tx, int32_t ty, int32_t x0,
                           int32_t y0, int32_t x1, int32_t y1, TileEdge* edges, uint32_t* count) {
  constexpr int64_t kSize = kSubPixels;
  const SamplePositions& positions = draw.positions;
  const SampleBounds& samples = draw.bounds;
  uint32_t n = 0;
  for (uint32_t i = 0; i < p.edgeCount; ++i) {
    const int64_t a = p.edge[i].a, b = p.edge[i].b;
    const int64_t origin = a * (tx * kSize) + b * (ty * kSize) + p.edge[i].c;
    const int64_t left = (x0 - tx) * kSize, top = (y0 - ty) * kSize, right = (x1 - tx) * kSize,
                  bottom = (y1 - ty) * kSize;
    if (origin + mostOver(a, b, left, top, right, bottom) < 0) return TileCover::None;
    if (origin + leastOver(a, b, left, top, right, bottom) >= 0) continue;
    if ((a < 0 ? -a : a) + (b < 0 ? -b : b) >= kNarrowEdge) return TileCover::Wide;
    TileEdge& e = edges[n++];
    e.a = static_cast<uint32_t>(a), e.b = static_cast<uint32_t>(b);
    e.corner = static_cast<uint32_t>(origin >> 4);
    constexpr int32_t kLast = (kBlock - 1) * kUnit;  // the last pixel's corner
    const int64_t r = kLast + samples.maxX, d = kLast + samples.maxY;
    e.least = static_cast<uint32_t>(leastOver(a, b, samples.minX, samples.minY, r, d));
    e.most = static_cast<uint32_t>(mostOver(a, b, samples.minX, samples.minY, r, d));
    if (positions.count == 1) continue;
    for (uint32_t s = 0; s < positions.count; s += kWarpLanes)
      storeAs(e.offset + s, times(e.a, __builtin_convertvector(loadAs<B8>(positions.x + s), U8)) +
                                times(e.b, __builtin_convertvector(loadAs<B8>(positions.y + s), U8)));
  }
  *count = n;
  return TileCover::Edges;
}

/// The blocks of a row of a tile, a bit each.
struct BlockRow {
  uint32_t outside;     ///< no sample of them is covered
  uint32_t crossed[4];  ///< by edge i
  LaneWords corner[4];  ///< edge i: value at the corners of the blocks
};
/// \param y pixels from the tile's corner
ETZEL_INLINE void blockRow(const TileEdge* edges, uint32_t count, int32_t y, BlockRow& row) {
  row.outside = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const TileEdge& e = edges[i];
    U8 at = splatU(e.corner + e.b * static_cast<uint32_t>(y * kUnit)) +
            times(e.a * (kBlock * kUnit), U8{0, 1, 2, 3, 4, 5, 6, 7});
    setWords(row.corner[i], at);
    row.outside |= signs((I8)(at + e.most));
    row.crossed[i] = signs((I8)(at + e.least));
  }
}

/// A bit for each byte that is not 0.
ETZEL_INLINE uint32_t someBytes(uint64_t v) {
  v |= v >> 4;
  v |= v >> 2, v |= v >> 1;
  return static_cast<uint32_t>((v & 0x0101010101010101ull) * 0x0102040810204080ull >> 56);
}
/// The bytes of which `bits` has a bit.
ETZEL_INLINE uint64_t bytesOf(uint32_t bits) {
  // A copy of the bits for every byte, of which each keeps another one.
  const uint64_t ones = (bits * 0x0101010101010101ull & 0x8040201008040201ull) + 0x7F7F7F7F7F7F7F7Full;
  return ((ones & 0x8080808080808080ull) >> 7) * 255;
}

/// What a primitive covers of a block.
struct BlockCoverage {
  uint64_t alike = 0;  ///< covered pixels of groups in which every pixel is covered in all samples or in none
  uint32_t mixed = 0;  ///< the other groups, a bit each
  /// With some mixed groups, for each sample: the pixels of those groups that it covers, and no others.
  alignas(32) uint64_t each[kMaxSamples];

  /// The lanes of a group, whether mixed or not, sample by sample.
  void load(uint32_t group, uint32_t samples, LaneMask* to) const {
    const bool isMixed = mixed >> group & 1;
    for (uint32_t s = 0; s < samples; ++s)
      to[s] = static_cast<LaneMask>((isMixed ? each[s] : alike) >> group * 8 & 255);
  }
  /// Replaces the coverage of a group.
  void store(uint32_t group, uint32_t samples, const LaneMask* from) {
    const uint64_t keep = ~(uint64_t{255} << group * 8);
    LaneMask any = from[0], all = from[0];
    for (uint32_t s = 1; s < samples; ++s) any |= from[s], all &= from[s];
    alike = (alike & keep) | uint64_t{any == all ? all : 0} << group * 8;
    if (any != all && !mixed) __builtin_memset(each, 0, sizeof each);
    if (any == all && !(mixed >> group & 1)) return;
    for (uint32_t s = 0; s < samples; ++s) each[s] = (each[s] & keep) | uint64_t{any != all ? from[s] : 0} << group * 8;
    mixed = (mixed & ~(1u << group)) | uint32_t{any != all} << group;
  }

  /// Takes over what each sample covers.
  ETZEL_INLINE void split(const uint64_t* covered, uint32_t samples) {
    uint64_t any = covered[0], all = covered[0];
    for (uint32_t s = 1; s < samples; ++s) any |= covered[s], all &= covered[s];
    const uint64_t differs = divide(any, all);
    for (uint32_t s = 0; s < samples; ++s) each[s] = covered[s] & differs;
  }
  /// Divides what some and what all samples cover into groups. \returns the pixels of mixed groups
  ETZEL_INLINE uint64_t divide(uint64_t any, uint64_t all) {
    mixed = someBytes(any ^ all);
    const uint64_t differs = bytesOf(mixed);
    alike = all & ~differs;
    return differs;
  }
  /// The opposite: a word per sample.
  ETZEL_INLINE void masks(uint32_t samples, uint64_t* to) const {
    for (uint32_t s = 0; s < samples; ++s) to[s] = mixed ? alike | each[s] : alike;
  }
  uint32_t groups() const { return someBytes(alike) | mixed; }
};

/// Pixels of a block, of which an edge leaves one sample outside.
struct EdgePixels {
  U8 first, second;  ///< values at the quads of the first column, of the upper and the lower half
  U8 right;          ///< growth per quad to the right

  /// \param corner value at the block's corner
  ETZEL_INLINE EdgePixels(const TileEdge& e, uint32_t corner) {
    const uint32_t a = e.a * kUnit, b = e.b * kUnit;
    first = splatU(corner) + times(a, U8{0, 1, 0, 1, 0, 1, 0, 1}) + times(b, U8{0, 0, 1, 1, 2, 2, 3, 3});
    second = first + splatU(4 * b);
    right = splatU(2 * a);
  }
  /// \param offset growth from a pixel's corner to the sample
  ETZEL_INLINE uint64_t outside(uint32_t offset) const {
    auto half = [&](U8 v) __attribute__((always_inline)) {
      v += splatU(offset);
      const U8 next = v + right, twice = right + right;
      return signs32((I8)v, (I8)next, (I8)(v + twice), (I8)(next + twice));
    };
    return half(first) | uint64_t{half(second)} << 32;
  }
};

/// Coverage with one sample a pixel. `corner[i]`: value of edge i at the block's corner.
inline void coverSingle(const TileEdge* const* edges, const uint32_t* corner, uint32_t count,
                        const SamplePositions& samples, uint64_t rect, BlockCoverage& block) {
  uint64_t outside = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const TileEdge& e = *edges[i];
    outside |= EdgePixels(e, corner[i]).outside(e.a * samples.x[0] + e.b * samples.y[0]);
  }
  block.alike = rect & ~outside;
}

/// Coverage with several samples a pixel. Without branches: where an edge crosses the block is hard to predict.
template <uint32_t samples>
inline void coverSamples(const TileEdge* const* edges, const uint32_t* corner, uint32_t count, uint64_t rect,
                         BlockCoverage& block) {
  uint64_t outside[samples] = {};
  for (uint32_t i = 0; i < count; ++i) {
    const EdgePixels pixels(*edges[i], corner[i]);
#pragma GCC unroll 16
    for (uint32_t s = 0; s < samples; ++s) outside[s] |= pixels.outside(edges[i]->offset[s]);
  }
  uint64_t some = outside[0], all = outside[0];
#pragma GCC unroll 16
  for (uint32_t s = 1; s < samples; ++s) some |= outside[s], all &= outside[s];
  const uint64_t differs = block.divide(rect & ~all, rect & ~some) & rect;
  // Vectors of words that come from registers: reloads of narrow stores would wait for them.
#pragma GCC unroll 4
  for (uint32_t s = 0; s < samples / 4 * 4; s += 4) {
    const L4 words = {static_cast<int64_t>(outside[s]), static_cast<int64_t>(outside[s + 1]),
                      static_cast<int64_t>(outside[s + 2]), static_cast<int64_t>(outside[s + 3])};
    storeAs(block.each + s, ~words & static_cast<int64_t>(differs));
  }
  for (uint32_t s = samples / 4 * 4; s < samples; ++s) block.each[s] = differs & ~outside[s];
}
inline void coverSamples(const TileEdge* const* edges, const uint32_t* corner, uint32_t count, uint32_t samples,
                         uint64_t rect, BlockCoverage& block) {
  switch (samples) {
    case 2: return coverSamples<2>(edges, corner, count, rect, block);
    case 4: return coverSamples<4>(edges, corner, count, rect, block);
    case 8: return coverSamples<8>(edges, corner, count, rect, block);
    default: return coverSamples<16>(edges, corner, count, rect, block);
  }
}

/// Coverage of the block at (x, y), absolute pixels, with edges of any size.
inline void coverWide(const BinnedPrimitive& p, const SamplePositions& samples, int32_t x, int32_t y, uint64_t rect,
                      BlockCoverage& block) {
  uint64_t covered[kMaxSamples] = {};
  for (uint32_t s = 0; s < samples.count; ++s) {
    for (uint64_t left = rect; left; left &= left - 1) {
      const uint32_t pixel = static_cast<uint32_t>(__builtin_ctzll(left)), g = pixel / 8, lane = pixel % 8;
      const int64_t sx =
          int64_t{x + static_cast<int32_t>((g & 1) * 4 + laneX(lane))} * kSubPixels + samples.x[s] * kUnit;
      const int64_t sy =
          int64_t{y + static_cast<int32_t>((g >> 1) * 2 + laneY(lane))} * kSubPixels + samples.y[s] * kUnit;
      bool inside = true;
      for (uint32_t i = 0; i < p.edgeCount; ++i) inside &= p.edge[i].a * sx + p.edge[i].b * sy + p.edge[i].c >= 0;
      covered[s] |= uint64_t{inside} << pixel;
    }
  }
  block.split(covered, samples.count);
}
