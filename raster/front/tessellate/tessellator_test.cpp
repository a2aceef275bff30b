#include "raster/front/tessellate/tessellator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace etzel::raster {
namespace {

using Key = std::tuple<float, float, float>;
Key key(const DomainPoint& p) { return {p.u, p.v, p.w}; }

double area2(const DomainPoint& a, const DomainPoint& b, const DomainPoint& c) {
  return (double(b.u) - a.u) * (double(c.v) - a.v) - (double(c.u) - a.u) * (double(b.v) - a.v);
}

TessParams params(TessMode mode, TessSpacing spacing, float outer, float inner) {
  TessParams p;
  p.mode = mode;
  p.spacing = spacing;
  for (float& o : p.outer) o = outer;
  for (float& i : p.inner) i = inner;
  return p;
}

/// Triangles must tile the domain: right total area, one orientation, every inner edge used once each way.
void expectTiling(const TessParams& p) {
  TessOutput out;
  tessellate(p, out);
  ASSERT_EQ(out.indices.size() % 3, 0u);
  double total = 0;
  std::map<std::pair<uint32_t, uint32_t>, int> edges;
  for (size_t i = 0; i < out.indices.size(); i += 3) {
    const uint32_t* t = &out.indices[i];
    const double a = area2(out.points[t[0]], out.points[t[1]], out.points[t[2]]);
    EXPECT_GE(p.clockwise ? -a : a, -1e-6);
    total += a;
    for (int k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  }
  EXPECT_NEAR(std::fabs(total), p.mode == TessMode::Quads ? 2.0 : 1.0, 1e-4);
  std::set<Key> distinct;
  for (const auto& pt : out.points) distinct.insert(key(pt));
  for (const auto& [edge, n] : edges) {
    EXPECT_EQ(n, 1);
    if (edges.count({edge.second, edge.first})) continue;
    const DomainPoint &a = out.points[edge.first], &b = out.points[edge.second];
    const bool border = p.mode == TessMode::Quads
                            ? (a.u == b.u && (a.u == 0 || a.u == 1)) || (a.v == b.v && (a.v == 0 || a.v == 1))
                            : (a.u == 0 && b.u == 0) || (a.v == 0 && b.v == 0) || (a.w == 0 && b.w == 0);
    EXPECT_TRUE(border) << "a crack inside the domain";
  }
}

TEST(Tessellator, TrianglesTileTheDomainForAllLevelsAndSpacings) {
  for (TessMode mode : {TessMode::Triangles, TessMode::Quads}) {
    for (TessSpacing spacing : {TessSpacing::Equal, TessSpacing::FractionalEven, TessSpacing::FractionalOdd}) {
      for (float inner : {0.0f, 1.0f, 1.5f, 2.0f, 3.0f, 4.3f, 7.0f, 63.0f, 100.0f}) {
        for (float outer : {0.5f, 1.0f, 2.0f, 3.7f, 64.0f}) {
          TessParams p = params(mode, spacing, outer, inner);
          expectTiling(p);
          p.outer[1] = 5;
          p.inner[1] = 3;
          p.clockwise = true;
          expectTiling(p);
        }
      }
    }
  }
}

TEST(Tessellator, LevelOneIsOneTriangleOrTwo) {
  TessOutput out;
  tessellate(params(TessMode::Triangles, TessSpacing::Equal, 1, 1), out);
  EXPECT_EQ(out.indices.size(), 3u);
  tessellate(params(TessMode::Quads, TessSpacing::FractionalOdd, 1, 1), out);
  EXPECT_EQ(out.indices.size(), 6u);
}

TEST(Tessellator, ADiscardedPatchGivesNothing) {
  for (float bad : {0.0f, -1.0f, NAN}) {
    TessParams p = params(TessMode::Quads, TessSpacing::Equal, 4, 4);
    p.outer[3] = bad;
    TessOutput out;
    tessellate(p, out);
    EXPECT_TRUE(out.points.empty());
    p.mode = TessMode::Triangles;  // the fourth level is not relevant there
    tessellate(p, out);
    EXPECT_FALSE(out.points.empty());
  }
}

TEST(Tessellator, PointsAreSymmetricBitForBit) {
  for (TessSpacing spacing : {TessSpacing::Equal, TessSpacing::FractionalEven, TessSpacing::FractionalOdd}) {
    for (float level : {2.0f, 3.3f, 5.0f, 8.9f, 33.1f}) {
      TessParams p = params(TessMode::Triangles, spacing, level, level);
      TessOutput out;
      tessellate(p, out);
      std::set<Key> set;
      for (const auto& pt : out.points) set.insert(key(pt));
      EXPECT_EQ(set.size(), out.points.size()) << "a point was made twice";
      for (const auto& pt : out.points) {
        EXPECT_TRUE(set.count({pt.v, pt.u, pt.w}));
        EXPECT_TRUE(set.count({pt.w, pt.v, pt.u}));
      }
      p.mode = TessMode::Quads;
      tessellate(p, out);
      set.clear();
      for (const auto& pt : out.points) set.insert(key(pt));
      for (const auto& pt : out.points) EXPECT_TRUE(set.count({1.0f - pt.u, pt.v, 0.0f}));
    }
  }
}

TEST(Tessellator, IsolinesAreEquallySpacedAndLeaveOutTheLast) {
  TessParams p = params(TessMode::Isolines, TessSpacing::FractionalOdd, 3, 1);
  p.outer[0] = 4;
  TessOutput out;
  tessellate(p, out);
  EXPECT_EQ(out.verticesPerPrimitive, 2u);
  std::set<float> lines;
  for (const auto& pt : out.points) lines.insert(pt.v);
  EXPECT_EQ(lines, (std::set<float>{0, 0.25f, 0.5f, 0.75f}));
  EXPECT_EQ(out.indices.size(), 2u * 4 * 3);
  p.outer[0] = 3;  // thirds are not floats: the edge must be symmetric all the same
  tessellate(p, out);
  EXPECT_EQ(out.points[4].v, 1.0f - out.points[8].v);
}

}  // namespace
}  // namespace etzel::raster
