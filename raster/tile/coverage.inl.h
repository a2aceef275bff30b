// Coverage of 8x8 pixel blocks by a convex primitive, exact in integers. Part of the tile code: included once per
// instruction set.
//
// A block's coverage is 64 bits per sample: byte g is group g (4x2 pixels; groups go right, then down), its bit i is
// lane i of the group.

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

/// An edge as the blocks of one tile use it.
struct TileEdge {
  int64_t a, b;     ///< per sub-pixel
  int64_t origin;   ///< value at the tile's corner
  bool narrow;      ///< fits 32 bits inside a block, in units of 1/16 pixel
  I8 lanes;         ///< narrow: value of each lane of group 0 relative to the block's corner, in those units
};

/// Least and greatest value of an edge over [0, width] x [0, height] sub-pixels, relative to its value at (0, 0).
ETZEL_INLINE int64_t leastOver(const TileEdge& e, int64_t width, int64_t height) {
  return (e.a < 0 ? e.a * width : 0) + (e.b < 0 ? e.b * height : 0);
}
ETZEL_INLINE int64_t greatestOver(const TileEdge& e, int64_t width, int64_t height) {
  return (e.a > 0 ? e.a * width : 0) + (e.b > 0 ? e.b * height : 0);
}

/// The edges that cross [x0, x1) x [y0, y1) of the tile at (tx, ty). \returns their number, or -1 when the rectangle
/// lies outside of one.
inline int32_t tileEdges(const BinnedPrimitive& p, int32_t tx, int32_t ty, int32_t x0, int32_t y0, int32_t x1,
                         int32_t y1, TileEdge* edges) {
  int32_t count = 0;
  int64_t width = int64_t{x1 - x0} * kSubPixels, height = int64_t{y1 - y0} * kSubPixels;
  for (uint32_t i = 0; i < p.edgeCount; ++i) {
    const Edge& source = p.edge[i];
    TileEdge& e = edges[count];
    e.a = source.a, e.b = source.b;
    e.origin = e.a * (int64_t{tx} * kSubPixels) + e.b * (int64_t{ty} * kSubPixels) + source.c;
    int64_t corner = e.origin + e.a * (int64_t{x0 - tx} * kSubPixels) + e.b * (int64_t{y0 - ty} * kSubPixels);
    if (corner + greatestOver(e, width, height) < 0) return -1;
    if (corner + leastOver(e, width, height) >= 0) continue;
    int64_t size = (e.a < 0 ? -e.a : e.a) + (e.b < 0 ? -e.b : e.b);
    e.narrow = size < (int64_t{1} << 23);
    int32_t a = static_cast<int32_t>(e.narrow ? e.a * kUnit : 0), b = static_cast<int32_t>(e.narrow ? e.b * kUnit : 0);
    e.lanes = I8{0, a, b, a + b, 2 * a, 3 * a, 2 * a + b, 3 * a + b};
    ++count;
  }
  return count;
}

/// Edges wider than 32 bits: one lane at a time.
inline uint64_t wideBits(const TileEdge& e, int64_t corner, uint32_t sx, uint32_t sy) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t group = i / 8, lane = i % 8;
    int64_t x = ((group & 1) * 4 + laneX(lane)) * 256 + sx * 16, y = ((group >> 1) * 2 + laneY(lane)) * 256 + sy * 16;
    if (corner + e.a * x + e.b * y >= 0) bits |= uint64_t{1} << i;
  }
  return bits;
}

/// Coverage of one block whose corner lies (x, y) pixels from the tile's. \returns 0: nothing is covered, 1: some,
/// 2: all of `rect` in all samples (coverage is not written then).
inline int32_t blockCoverage(const TileEdge* edges, int32_t count, int32_t x, int32_t y, const SamplePositions& samples,
                             uint64_t rect, uint64_t* coverage) {
  constexpr int64_t kSize = int64_t{kBlock} * kSubPixels;
  const TileEdge* crossing[4];
  int64_t corner[4];
  int32_t n = 0;
  for (int32_t i = 0; i < count; ++i) {
    const TileEdge& e = edges[i];
    int64_t value = e.origin + e.a * (int64_t{x} * kSubPixels) + e.b * (int64_t{y} * kSubPixels);
    if (value + greatestOver(e, kSize, kSize) < 0) return 0;
    if (value + leastOver(e, kSize, kSize) >= 0) continue;
    crossing[n] = &e, corner[n++] = value;
  }
  if (n == 0) return 2;
  for (uint32_t s = 0; s < samples.count; ++s) coverage[s] = rect;
  uint64_t some = 0;
  for (uint32_t s = 0; s < samples.count; ++s) {
    uint64_t bits = rect;
    I8 start[4], stepX[4], stepY[4];
    int32_t narrow = 0;
    for (int32_t i = 0; i < n; ++i) {
      const TileEdge& e = *crossing[i];
      if (!e.narrow) {
        bits &= wideBits(e, corner[i], samples.x[s], samples.y[s]);
        continue;
      }
      // In units of 1/16 pixel the value at a sample is an integer plus corner / 16, so its sign is that of the sum
      // with the quotient rounded down. The edge crosses the block: the quotient is below 2^30.
      int32_t a = static_cast<int32_t>(e.a), b = static_cast<int32_t>(e.b);
      int32_t base = static_cast<int32_t>(corner[i] >> 4) + a * samples.x[s] + b * samples.y[s];
      start[narrow] = e.lanes + base;
      stepX[narrow] = splatI(a * kUnit * 4);
      stepY[narrow++] = splatI(b * kUnit * 2);
    }
    uint64_t outside = 0;
    if (narrow) {
      for (uint32_t row = 0; row < 4; ++row) {
        I8 left = start[0], right = start[0] + stepX[0];
        start[0] += stepY[0];
        for (int32_t i = 1; i < narrow; ++i) {
          left |= start[i], right |= start[i] + stepX[i];
          start[i] += stepY[i];
        }
        outside |= uint64_t{signs(left) | signs(right) << 8} << (row * 16);
      }
    }
    coverage[s] = bits & ~outside;
    some |= coverage[s];
  }
  return some != 0;
}
