// Coverage of 8x8 pixel blocks by a convex primitive, exact in integers: a row of blocks at a time, then the 4x2 groups
// of a block, and the samples only of groups that an edge crosses. Part of the tile code: included once per
// instruction set.
//
// Bits of a block: byte g is group g (groups go right, then down), its bit i is lane i of the group.

constexpr int32_t kBlock = 8;
constexpr int32_t kUnit = 16;  // sample positions are multiples of 256 / kUnit sub-pixels

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
  uint32_t a, b;      ///< growth per unit to the right and down
  uint32_t corner;    ///< value at the tile's corner, rounded down
  uint32_t least, most;            ///< over the samples of a block, relative to its corner
  uint32_t leastGroup, mostGroup;  ///< over those of a group
  LaneWords groups, lanes;         ///< values at the corners of a block's groups, and of a group's pixels
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
    auto over = [&](int32_t width, int32_t height, uint32_t& least, uint32_t& most) {
      const int64_t r = (width - 1) * kUnit + samples.maxX, d = (height - 1) * kUnit + samples.maxY;
      least = static_cast<uint32_t>(leastOver(a, b, samples.minX, samples.minY, r, d));
      most = static_cast<uint32_t>(mostOver(a, b, samples.minX, samples.minY, r, d));
    };
    over(kBlock, kBlock, e.least, e.most);
    if (positions.count == 1) continue;
    over(4, 2, e.leastGroup, e.mostGroup);
    auto plane = [&](U8 x, U8 y) __attribute__((always_inline)) { return times(e.a, x) + times(e.b, y); };
    constexpr uint32_t u = kUnit;
    setWords(e.groups,
             plane(U8{0, 4 * u, 0, 4 * u, 0, 4 * u, 0, 4 * u}, U8{0, 0, 2 * u, 2 * u, 4 * u, 4 * u, 6 * u, 6 * u}));
    setWords(e.lanes, plane(U8{0, u, 0, u, 2 * u, 3 * u, 2 * u, 3 * u}, U8{0, 0, u, u, 0, 0, u, u}));
    for (uint32_t s = 0; s < positions.count; s += kWarpLanes)
      storeAs(e.offset + s, plane(__builtin_convertvector(loadAs<B8>(positions.x + s), U8),
                                  __builtin_convertvector(loadAs<B8>(positions.y + s), U8)));
  }
  *count = n;
  return TileCover::Edges;
}

/// The blocks of a row of a tile, a bit each.
struct BlockRow {
  uint32_t outside;      ///< no sample of them is covered
  uint32_t crossed[4];   ///< by edge i
  LaneWords corner[4];   ///< edge i: value at the corners of the blocks
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

/// What a primitive covers of a block.
struct BlockCoverage {
  uint64_t alike = 0;  ///< covered pixels of groups in which every pixel is covered in all samples or in none
  uint32_t mixed = 0;  ///< the other groups, a bit each
  LaneMask lanes[8][kMaxSamples];  ///< of mixed groups: the lanes whose sample is covered

  uint32_t groups() const {
    uint64_t some = alike | alike >> 4;
    some |= some >> 2, some |= some >> 1;
    some &= 0x0101010101010101ull;
    return static_cast<uint32_t>(some * 0x0102040810204080ull >> 56) | mixed;
  }
};

/// Coverage with one sample a pixel. `corner[i]`: value of edge i at the block's corner.
inline void coverSingle(const TileEdge* const* edges, const uint32_t* corner, uint32_t count,
                        const SamplePositions& samples, uint64_t rect, BlockCoverage& block) {
  uint64_t outside = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const TileEdge& e = *edges[i];
    const uint32_t a = e.a * kUnit, b = e.b * kUnit;
    // Quads of one column: those of two rows of groups.
    U8 first = splatU(corner[i] + e.a * samples.x[0] + e.b * samples.y[0]) + times(a, U8{0, 1, 0, 1, 0, 1, 0, 1}) +
               times(b, U8{0, 0, 1, 1, 2, 2, 3, 3});
    for (uint32_t half = 0; half < 2; ++half) {
      const U8 v = first + b * (4 * half);
      const uint32_t bits = signs32((I8)v, (I8)(v + 2 * a), (I8)(v + 4 * a), (I8)(v + 6 * a));
      outside |= uint64_t{bits} << (32 * half);
    }
  }
  block.alike = rect & ~outside;
}

/// Coverage with several samples a pixel. \tparam edgeCount how many edges there are, or 0: `count`
template <uint32_t edgeCount>
inline void coverSamples(const TileEdge* const* edges, const uint32_t* corner, uint32_t count, uint32_t samples,
                         uint64_t rect, BlockCoverage& block) {
  const uint32_t n = edgeCount ? edgeCount : count;
  uint32_t outside = 0, crossed = 0;
  LaneWords group[4];
  for (uint32_t i = 0; i < n; ++i) {
    const TileEdge& e = *edges[i];
    const U8 at = loadAs<U8>(&e.groups) + corner[i];
    setWords(group[i], at);
    outside |= signs((I8)(at + e.mostGroup)), crossed |= signs((I8)(at + e.leastGroup));
  }
  uint64_t alike = 0;
  uint32_t mixed = 0;
  for (uint32_t left = ~outside & 255; left; left &= left - 1) {
    const uint32_t g = static_cast<uint32_t>(__builtin_ctz(left));
    const LaneMask in = static_cast<LaneMask>(rect >> g * 8 & 255);
    if (!(crossed >> g & 1)) {
      alike |= uint64_t{in} << g * 8;
      continue;
    }
    LaneMask any = 0, all = in;
    LaneMask* to = block.lanes[g];
    U8 lanes[4];
    for (uint32_t i = 0; i < n; ++i) lanes[i] = loadAs<U8>(&edges[i]->lanes) + group[i][g];
    for (uint32_t s = 0; s < samples; ++s) {
      U8 v = lanes[0] + edges[0]->offset[s];
      for (uint32_t i = 1; i < n; ++i) v |= lanes[i] + edges[i]->offset[s];
      const LaneMask covered = in & ~signs((I8)v);
      to[s] = covered;
      any |= covered, all &= covered;
    }
    if (any == all)
      alike |= uint64_t{all} << g * 8;
    else
      mixed |= 1u << g;
  }
  block.alike = alike, block.mixed = mixed;
}

/// Coverage of the block at (x, y), absolute pixels, with edges of any size.
inline void coverWide(const BinnedPrimitive& p, const SamplePositions& samples, int32_t x, int32_t y, uint64_t rect,
                      BlockCoverage& block) {
  block.alike = 0, block.mixed = 0;
  for (uint32_t g = 0; g < 8; ++g) {
    const LaneMask in = static_cast<LaneMask>(rect >> g * 8 & 255);
    LaneMask any = 0, all = in;
    for (uint32_t s = 0; s < samples.count; ++s) {
      LaneMask& lanes = block.lanes[g][s];
      lanes = in;
      for (uint32_t i = 0; i < p.edgeCount && lanes; ++i) {
        const Edge& e = p.edge[i];
        for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
          const int64_t sx =
              int64_t{x + static_cast<int32_t>((g & 1) * 4 + laneX(lane))} * kSubPixels + samples.x[s] * kUnit;
          const int64_t sy =
              int64_t{y + static_cast<int32_t>((g >> 1) * 2 + laneY(lane))} * kSubPixels + samples.y[s] * kUnit;
          if (e.a * sx + e.b * sy + e.c < 0) lanes &= ~(1u << lane);
        }
      }
      any |= lanes, all &= lanes;
    }
    if (any == all)
      block.alike |= uint64_t{all} << g * 8;
    else
      block.mixed |= 1u << g;
  }
}
