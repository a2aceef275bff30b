#include "raster/front/tessellate/tessellator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace etzel::raster {
namespace {

/// Positions along an edge are multiples of 1 / kGrid: 1 - t is exact, and so is everything symmetric.
constexpr int32_t kGrid = 1 << 16;

/// A subdivided edge: segments + 1 positions from 0 to kGrid.
struct Subdivision {
  uint32_t segments = 1;
  int32_t at[kMaxTessLevel + 2];
};

float clampLevel(float level, TessSpacing spacing) {
  const float low = spacing == TessSpacing::FractionalEven ? 2.0f : 1.0f;
  const float high = spacing == TessSpacing::FractionalOdd ? float(kMaxTessLevel - 1) : float(kMaxTessLevel);
  if (!(level > low)) return low;  // NaN too
  return std::min(level, high);
}

uint32_t roundLevel(float clamped, TessSpacing spacing) {
  const uint32_t n = uint32_t(std::ceil(clamped));
  switch (spacing) {
    case TessSpacing::Equal: return n;
    case TessSpacing::FractionalEven: return n + (n & 1);
    default: return n | 1;
  }
}

// "Tessellator Spacing": n - 2 equal segments, and two shorter ones, which lie at the ends here. Between two counts of
// segments every position moves linearly with the level, as it does on other implementations.
void subdivide(float clamped, uint32_t segments, TessSpacing spacing, Subdivision& result) {
  const uint32_t n = segments;
  result.segments = n;
  const double grown = spacing == TessSpacing::Equal || n <= 2 ? 1 : (double(clamped) - (n - 2)) / 2;
  const double shorter = grown * kGrid / n;
  const double step = n > 2 ? (kGrid - 2 * shorter) / (n - 2) : 0;
  result.at[0] = 0;
  result.at[n] = kGrid;
  for (uint32_t i = 1; 2 * i <= n; ++i) {
    const int32_t t = 2 * i == n ? kGrid / 2 : int32_t(std::lrint(shorter + (i - 1) * step));
    result.at[i] = t;
    result.at[n - i] = kGrid - t;
  }
}

Subdivision subdivide(float level, TessSpacing spacing) {
  Subdivision result;
  const float clamped = clampLevel(level, spacing);
  subdivide(clamped, roundLevel(clamped, spacing), spacing, result);
  return result;
}

// An inner level of 1 next to other levels above 1 counts as just above 1: it rounds up to 2 or 3 segments. The two
// outermost of three are so short that they vanish on the grid: the inner polygon lies exactly on the outer one, as the
// only polygon of a patch whose levels are all 1 does (invariance rule 6).
Subdivision subdivideAboveOne(float level, TessSpacing spacing) {
  const float clamped = clampLevel(level, spacing);
  uint32_t n = roundLevel(clamped, spacing);
  if (n == 1) n = spacing == TessSpacing::FractionalOdd ? 3 : 2;
  Subdivision result;
  subdivide(clamped, n, spacing, result);
  return result;
}

class Builder {
 public:
  Builder(const TessParams& params, TessOutput& output) : params_(params), out_(output) {}

  uint32_t point(float u, float v, float w) {
    out_.points.push_back({u, v, w});
    return uint32_t(out_.points.size() - 1);
  }
  /// a, b, c counter-clockwise in (u, v) with v up.
  void triangle(uint32_t a, uint32_t b, uint32_t c) {
    if (params_.pointMode) return;
    if (params_.clockwise) std::swap(b, c);
    out_.indices.insert(out_.indices.end(), {a, b, c});
  }

  /// Fills the strip between an outer and an inner row of points that run the same way, the inner row to the left.
  void stitch(const uint32_t* outer, uint32_t outerSegments, const uint32_t* inner, uint32_t innerSegments) {
    uint32_t o = 0, i = 0;
    while (o < outerSegments || i < innerSegments) {
      // Advance the row whose next segment's middle comes first, the inner one if they are level; the comparison
      // depends on the two counts alone.
      const bool advanceOuter = i == innerSegments || (o < outerSegments && (2 * o + 1) * uint64_t(innerSegments) <
                                                                                (2 * i + 1) * uint64_t(outerSegments));
      if (advanceOuter) {
        triangle(outer[o], outer[o + 1], inner[i]);
        ++o;
      } else {
        triangle(outer[o], inner[i + 1], inner[i]);
        ++i;
      }
    }
  }

 private:
  const TessParams& params_;
  TessOutput& out_;
};

float ratio(int32_t numerator, int32_t denominator) { return float(double(numerator) / denominator); }

/// A point of the triangle domain from barycentric integers whose sum is 3 * kGrid. Thirds are rounded down, so that
/// no sum of coordinates exceeds 1.
uint32_t barycentric(Builder& b, int32_t u, int32_t v, int32_t w) {
  auto toFloat = [](int32_t c) { return float(int64_t(c) * 256 / 3) / float(1 << 24); };
  return b.point(toFloat(u), toFloat(v), toFloat(w));
}

void tessellateTriangle(const TessParams& p, Builder& b) {
  Subdivision edge[3];
  for (int i = 0; i < 3; ++i) edge[i] = subdivide(p.outer[i], p.spacing);
  const bool single = edge[0].segments == 1 && edge[1].segments == 1 && edge[2].segments == 1 &&
                      roundLevel(clampLevel(p.inner[0], p.spacing), p.spacing) == 1;
  // Side k runs from corner k to corner k + 1, in the order u -> v -> w, which is counter-clockwise in (u, v):
  // corners U = (1, 0), V = (0, 1), W = (0, 0). Side 0 (U to V) is the edge w = 0: outer level 2.
  static constexpr int kEdgeOfSide[3] = {2, 0, 1};
  uint32_t corner[3];
  corner[0] = barycentric(b, 3 * kGrid, 0, 0);
  corner[1] = barycentric(b, 0, 3 * kGrid, 0);
  corner[2] = barycentric(b, 0, 0, 3 * kGrid);
  if (single) {
    b.triangle(corner[0], corner[1], corner[2]);
    return;
  }
  const Subdivision inner = subdivideAboveOne(p.inner[0], p.spacing);
  const uint32_t n = inner.segments;

  uint32_t row[2][3][kMaxTessLevel + 2];  // the current and the next ring's three sides, ends included
  uint32_t segments[3];
  for (int side = 0; side < 3; ++side) {
    const Subdivision& s = edge[kEdgeOfSide[side]];
    segments[side] = s.segments;
    row[0][side][0] = corner[side];
    row[0][side][s.segments] = corner[(side + 1) % 3];
    for (uint32_t j = 1; j < s.segments; ++j) {
      int32_t c[3] = {};
      c[side] = 3 * (kGrid - s.at[j]);
      c[(side + 1) % 3] = 3 * s.at[j];
      row[0][side][j] = barycentric(b, c[0], c[1], c[2]);
    }
  }
  // Ring k: its points are the inner level's points k .. n - k of each side, moved inwards at right angles.
  int current = 0;
  for (uint32_t k = 1; 2 * k <= n; ++k) {
    const uint32_t ring = n - 2 * k;
    const int32_t tk = inner.at[k];
    auto* next = row[current ^ 1];
    if (ring == 0) {
      const uint32_t center = barycentric(b, kGrid, kGrid, kGrid);
      for (int side = 0; side < 3; ++side) next[side][0] = center;
    } else {
      for (int side = 0; side < 3; ++side) {
        for (uint32_t j = 0; j < ring; ++j) {
          const int32_t tj = inner.at[k + j];
          int32_t c[3];
          c[side] = 3 * kGrid - 3 * tj - tk;
          c[(side + 1) % 3] = 3 * tj - tk;
          c[(side + 2) % 3] = 2 * tk;
          next[side][j] = barycentric(b, c[0], c[1], c[2]);
        }
      }
      for (int side = 0; side < 3; ++side) next[side][ring] = next[(side + 1) % 3][0];
    }
    for (int side = 0; side < 3; ++side) b.stitch(row[current][side], segments[side], next[side], ring);
    for (uint32_t& s : segments) s = ring;
    current ^= 1;
    if (ring == 1) {
      b.triangle(next[0][0], next[1][0], next[2][0]);
      break;
    }
  }
}

void tessellateQuad(const TessParams& p, Builder& b) {
  Subdivision edge[4];
  bool single = true;
  for (int i = 0; i < 4; ++i) {
    edge[i] = subdivide(p.outer[i], p.spacing);
    single = single && edge[i].segments == 1;
  }
  for (int i = 0; i < 2; ++i) single = single && roundLevel(clampLevel(p.inner[i], p.spacing), p.spacing) == 1;
  // Corners counter-clockwise: (0,0) (1,0) (1,1) (0,1). Sides: v = 0 (level 1), u = 1 (2), v = 1 (3), u = 0 (0).
  static constexpr int kEdgeOfSide[4] = {1, 2, 3, 0};
  uint32_t corner[4] = {b.point(0, 0, 0), b.point(1, 0, 0), b.point(1, 1, 0), b.point(0, 1, 0)};
  if (single) {
    b.triangle(corner[0], corner[1], corner[3]);
    b.triangle(corner[1], corner[2], corner[3]);
    return;
  }
  auto place = [&](int32_t u, int32_t v) { return b.point(ratio(u, kGrid), ratio(v, kGrid), 0); };
  uint32_t row[4][kMaxTessLevel + 2];
  for (int side = 0; side < 4; ++side) {
    const Subdivision& s = edge[kEdgeOfSide[side]];
    row[side][0] = corner[side];
    row[side][s.segments] = corner[(side + 1) % 4];
    for (uint32_t j = 1; j < s.segments; ++j) {
      // Sides 2 and 3 run against their coordinate; the positions of an edge are symmetric, so t mirrors exactly.
      const int32_t t = s.at[j], m = kGrid - t;
      row[side][j] = side == 0 ? place(t, 0) : side == 1 ? place(kGrid, t) : side == 2 ? place(m, kGrid) : place(0, m);
    }
  }
  const Subdivision iu = subdivideAboveOne(p.inner[0], p.spacing), iv = subdivideAboveOne(p.inner[1], p.spacing);
  const uint32_t m = iu.segments - 1, n = iv.segments - 1;  // inner points across and down
  std::vector<uint32_t> grid(size_t(m) * n);
  for (uint32_t y = 0; y < n; ++y) {
    for (uint32_t x = 0; x < m; ++x) grid[y * m + x] = place(iu.at[x + 1], iv.at[y + 1]);
  }
  // The inner rectangle is filled ring by ring, like a triangle: its diagonals then meet in the corners.
  uint32_t segments[4];
  for (int side = 0; side < 4; ++side) segments[side] = edge[kEdgeOfSide[side]].segments;
  uint32_t next[4][kMaxTessLevel + 2];
  for (uint32_t r = 0;; ++r) {
    const uint32_t w = m - 1 - 2 * r, h = n - 1 - 2 * r;  // segments of ring r
    auto at = [&](uint32_t x, uint32_t y) { return grid[(r + y) * m + r + x]; };
    for (uint32_t x = 0; x <= w; ++x) {
      next[0][x] = at(x, 0);
      next[2][x] = at(w - x, h);
    }
    for (uint32_t y = 0; y <= h; ++y) {
      next[1][y] = at(w, y);
      next[3][y] = at(0, h - y);
    }
    const uint32_t ring[4] = {w, h, w, h};
    for (int side = 0; side < 4; ++side) b.stitch(row[side], segments[side], next[side], ring[side]);
    if (w == 0 || h == 0) return;
    if (w == 1 || h == 1) {
      for (uint32_t y = 0; y < h; ++y) {
        for (uint32_t x = 0; x < w; ++x) {
          b.triangle(at(x, y), at(x + 1, y), at(x, y + 1));
          b.triangle(at(x + 1, y), at(x + 1, y + 1), at(x, y + 1));
        }
      }
      return;
    }
    std::memcpy(row, next, sizeof row);
    std::copy(ring, ring + 4, segments);
  }
}

void tessellateIsolines(const TessParams& p, TessOutput& out) {
  // "Isoline Tessellation": the number of lines uses equal spacing whatever the mode says.
  const Subdivision rows = subdivide(p.outer[0], TessSpacing::Equal);
  const Subdivision s = subdivide(p.outer[1], p.spacing);
  for (uint32_t line = 0; line < rows.segments; ++line) {
    const float v = ratio(rows.at[line], kGrid);
    const uint32_t first = uint32_t(out.points.size());
    for (uint32_t i = 0; i <= s.segments; ++i) out.points.push_back({ratio(s.at[i], kGrid), v, 0});
    if (p.pointMode) continue;
    for (uint32_t i = 0; i < s.segments; ++i) {
      out.indices.push_back(first + i);
      out.indices.push_back(first + i + 1);
    }
  }
}

}  // namespace

void tessellate(const TessParams& params, TessOutput& output) {
  output.points.clear();
  output.indices.clear();
  output.verticesPerPrimitive = params.pointMode ? 1 : params.mode == TessMode::Isolines ? 2 : 3;
  const uint32_t relevant = params.mode == TessMode::Triangles ? 3 : params.mode == TessMode::Quads ? 4 : 2;
  for (uint32_t i = 0; i < relevant; ++i) {
    if (!(params.outer[i] > 0)) return;  // "Tessellation Primitive Generation": zero, negative, NaN discard the patch
  }
  Builder builder(params, output);
  switch (params.mode) {
    case TessMode::Triangles: tessellateTriangle(params, builder); break;
    case TessMode::Quads: tessellateQuad(params, builder); break;
    case TessMode::Isolines: tessellateIsolines(params, output); break;
  }
  if (params.pointMode) {
    for (uint32_t i = 0; i < output.points.size(); ++i) output.indices.push_back(i);
  }
}

}  // namespace etzel::raster
