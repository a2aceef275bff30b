// Coverage is checked by evaluating the edge equations of the binned primitives directly.
#include "raster/front/setup/primitive_setup.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "raster/front/primitive/primitive_stage.h"

namespace etzel::raster {
namespace {

constexpr int kSize = 128;

struct Fixture {
  DrawRecord record;
  abi::ProgramInfo info;
  TileGrid grid{kSize / kTileSize, kSize / kTileSize, 1};
  RasterState state;
  BinSink sink;

  Fixture() {
    DrawState& d = record.state;
    d.viewport[0] = {0, 0, kSize, kSize, 0, 1};
    d.scissor[0] = {{0, 0}, {kSize, kSize}};
  }
  void finish(uint32_t stride = abi::kWordGeneric + 4) {
    state = makeRasterState(record, info, grid, {0, 0, kSize, kSize}, stride);
  }
  /// Samples at offset (sx, sy) of every pixel: how many primitives cover each.
  std::vector<int> coverage(int sx, int sy) const {
    std::vector<int> n(kSize * kSize);
    for (const BinItem& item : sink.items) {
      const BinnedPrimitive& p = *item.primitive;
      const int tx = int(item.tile % grid.tilesX * kTileSize), ty = int(item.tile / grid.tilesX * kTileSize);
      for (int y = std::max(ty, p.minY); y < std::min<int>(ty + kTileSize, p.maxY); ++y) {
        for (int x = std::max(tx, p.minX); x < std::min<int>(tx + kTileSize, p.maxX); ++x) {
          bool in = p.kind == PrimitiveKind::Polygon;
          for (uint32_t e = 0; e < p.edgeCount; ++e) {
            in = in && p.edge[e].a * int64_t(256 * x + sx) + p.edge[e].b * int64_t(256 * y + sy) + p.edge[e].c >= 0;
          }
          n[y * kSize + x] += in;
        }
      }
      for (uint32_t s = 0; p.kind == PrimitiveKind::Spans && s < p.spanCount; ++s) {
        for (int x = p.spans[s].x0; x < p.spans[s].x1; ++x) {
          if (x >= tx && x < tx + 64 && p.spans[s].y >= ty && p.spans[s].y < ty + 64) ++n[p.spans[s].y * kSize + x];
        }
      }
    }
    return n;
  }
};

ScreenVertex at(float x, float y, const uint32_t* record) {
  ScreenVertex v;
  v.x = x;
  v.y = y;
  v.z = 0.5f;
  v.invW = 1;
  v.fx = int32_t(std::lrint(x * 256));
  v.fy = int32_t(std::lrint(y * 256));
  v.record = record;
  return v;
}

TEST(PrimitiveSetup, AMeshCoversEverySampleExactlyOnce) {
  const std::vector<uint32_t> word(64);
  for (uint32_t seed = 0; seed < 20; ++seed) {
    for (uint32_t samples : {1u, 4u}) {
      Fixture f;
      f.record.state.samples = samples;
      f.finish();
      SetupStage setup(f.state, f.sink);
      std::mt19937 random(seed);
      // A jittered grid that reaches beyond the viewport; coordinates on a coarse lattice hit samples exactly.
      constexpr int kCells = 9;
      ScreenVertex v[kCells + 1][kCells + 1];
      for (int y = 0; y <= kCells; ++y) {
        for (int x = 0; x <= kCells; ++x) {
          const float jx = float(int(random() % 17) - 8) * 0.5f, jy = float(int(random() % 17) - 8) * 0.5f;
          v[y][x] = at(x * 20 - 26 + jx, y * 20 - 26 + jy, word.data());
        }
      }
      for (int y = 0; y < kCells; ++y) {
        for (int x = 0; x < kCells; ++x) {
          setup.triangle(v[y][x], v[y][x + 1], v[y + 1][x + 1], {word.data()});
          setup.triangle(v[y][x], v[y + 1][x], v[y + 1][x + 1], {word.data()});
        }
      }
      const int offsets[2][2] = {{128, 128}, {96, 32}};
      for (const auto& o : offsets) {
        if (samples == 1 && o[0] != 128) continue;
        for (int n : f.coverage(o[0], o[1])) ASSERT_EQ(n, 1);
      }
    }
  }
}

TEST(PrimitiveSetup, PointsAreSquaresAroundTheirCentre) {
  Fixture f;
  f.finish();
  std::vector<uint32_t> word(64);
  word[abi::kWordPointSize] = std::bit_cast<uint32_t>(4.0f);
  SetupStage(f.state, f.sink).point(at(10, 20, word.data()), {word.data()}, true, 0);
  const auto n = f.coverage(128, 128);
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) EXPECT_EQ(n[y * kSize + x], x >= 8 && x < 12 && y >= 18 && y < 22);
  }
}

TEST(PrimitiveSetup, BresenhamLeavesOutTheLastPixel) {
  Fixture f;
  f.record.state.lineMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
  f.finish();
  std::vector<uint32_t> word(64);
  SetupStage setup(f.state, f.sink);
  setup.line(at(2.5f, 3.5f, word.data()), at(9.5f, 3.5f, word.data()), {word.data()}, true, 0, nullptr);
  setup.line(at(9.5f, 3.5f, word.data()), at(9.5f, 7.5f, word.data()), {word.data()}, true, 0, nullptr);
  setup.line(at(9.5f, 7.5f, word.data()), at(2.5f, 3.5f, word.data()), {word.data()}, true, 0, nullptr);
  const auto n = f.coverage(128, 128);
  int total = 0;
  for (int c : n) total += c;
  EXPECT_EQ(total, 7 + 4 + 7);
  for (int x = 2; x < 9; ++x) EXPECT_GE(n[3 * kSize + x], 1);
  EXPECT_EQ(n[3 * kSize + 9], 1);
  EXPECT_EQ(n[3 * kSize + 2], 1) << "the third line ends where the first begins";
}

TEST(PrimitiveSetup, StippleCutsRectangularLines) {
  Fixture f;
  f.record.state.lineStipple = true;
  f.record.state.lineStipplePattern = 0x5555;
  f.record.state.lineStippleFactor = 2;
  f.finish();
  std::vector<uint32_t> word(64);
  SetupStage setup(f.state, f.sink);
  setup.line(at(0, 5.5f, word.data()), at(64, 5.5f, word.data()), {word.data()}, true, 0, nullptr);
  const auto n = f.coverage(128, 128);
  for (int x = 0; x < 64; ++x) EXPECT_EQ(n[5 * kSize + x], x / 2 % 2 == 0);
}

/// "Smooth Lines": each pixel that a part of the rectangle lies in once, and what the parts are of. Lines begin and end
/// beyond the viewport, too.
TEST(PrimitiveSetup, SmoothLinesCoverThePixelsThatTheyHaveAPartOf) {
  const std::vector<uint32_t> word(64);
  std::mt19937 random(6);
  for (int round = 0; round < 60; ++round) {
    Fixture f;
    f.record.state.lineMode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
    f.record.state.lineWidth = 1 + float(round % 9) * 0.5f;
    f.finish();
    const auto place = [&] { return float(int(random() % 1400) - 100) / 8; };
    const float x0 = place(), y0 = place(), x1 = place(), y1 = place();
    SetupStage(f.state, f.sink).line(at(x0, y0, word.data()), at(x1, y1, word.data()), {word.data()}, true, 0, nullptr);
    const auto n = f.coverage(128, 128);
    if (f.sink.items.empty()) {
      EXPECT_EQ(std::count(n.begin(), n.end(), 0), kSize * kSize);
      continue;
    }
    const SmoothRectangle* r = f.sink.items[0].primitive->smooth;
    ASSERT_TRUE(r && f.sink.items[0].primitive->isLine);
    for (int y = 0; y < kSize; ++y)
      for (int x = 0; x < kSize; ++x) {
        const int want = smoothCoverage(*r, x, y) >= kLeastSmoothPart ? 1 : 0;
        EXPECT_EQ(n[y * kSize + x], want) << round << ": " << x << "," << y;
      }
  }
}

TEST(PrimitiveSetup, StippleCutsSmoothLines) {
  Fixture f;
  f.record.state.lineMode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
  f.record.state.lineStipple = true;
  f.record.state.lineStipplePattern = 0x5555;
  f.record.state.lineStippleFactor = 2;
  f.finish();
  const std::vector<uint32_t> word(64);
  SetupStage setup(f.state, f.sink);
  setup.line(at(0, 5, word.data()), at(64, 5, word.data()), {word.data()}, true, 0, nullptr);
  const auto n = f.coverage(128, 128);
  for (int x = 0; x < 64; ++x)
    for (int y = 4; y < 6; ++y) EXPECT_EQ(n[y * kSize + x], x / 2 % 2 == 0) << x << "," << y;
}

/// Which pixels these cover is told by edges, and their alpha by the rectangle.
TEST(PrimitiveSetup, ConservativeSmoothLinesKnowTheirRectangle) {
  Fixture f;
  f.record.state.lineMode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
  f.record.state.conservativeMode = VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT;
  f.finish();
  const std::vector<uint32_t> word(64);
  SetupStage(f.state, f.sink).line(at(3, 5, word.data()), at(20, 5, word.data()), {word.data()}, true, 0, nullptr);
  ASSERT_FALSE(f.sink.items.empty());
  const BinnedPrimitive& p = *f.sink.items[0].primitive;
  EXPECT_EQ(p.kind, PrimitiveKind::Polygon);
  ASSERT_TRUE(p.smooth);
  EXPECT_EQ(smoothCoverage(*p.smooth, 10, 4), 0.5f);
}

TEST(PrimitiveSetup, PolygonsOfConservativeDrawsCoverTheirPixelsOnce) {
  const std::vector<uint32_t> word(64);
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    Fixture f;
    f.record.state.conservativeMode = round % 2 ? VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT
                                                : VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT;
    f.record.state.extraOverestimation = round % 3 ? 0 : 1.25f;
    f.finish();
    // Corners on a circle, three to twelve: more than an edge list holds, and fewer.
    const uint32_t count = 3 + random() % 10;
    const float x = 40 + float(random() % 60), y = 40 + float(random() % 60), radius = 2 + float(random() % 60);
    std::vector<ScreenVertex> v;
    for (uint32_t i = 0; i < count; ++i) {
      const float angle = 6.2831853f * float(i) / float(count);
      v.push_back(at(x + radius * std::cos(angle), y + radius * std::sin(angle), word.data()));
    }
    SetupStage(f.state, f.sink).conservativePolygon(v.data(), count, 2, {word.data()});
    const auto n = f.coverage(0, 0);
    std::vector<std::pair<int, int>> full(kSize);  // of polygons with many corners, row by row
    for (const BinItem& item : f.sink.items)
      for (uint32_t s = 0; s < item.primitive->spanCount && item.primitive->kind == PrimitiveKind::Spans; ++s)
        full[item.primitive->spans[s].y] = {item.primitive->spans[s].fullX0, item.primitive->spans[s].fullX1};
    const double extra = f.state.pixels.extra / 256.0;
    for (int py = 0; py < kSize; ++py) {
      for (int px = 0; px < kSize; ++px) {
        // The least and the greatest distance of the pixel's corners from each edge, and the bounding box.
        bool touched = true, inside = true;
        double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
        for (uint32_t i = 0; i < count; ++i) {
          const ScreenVertex &a = v[i], &b = v[(i + 1) % count];
          const double dx = b.fx - a.fx, dy = b.fy - a.fy;
          double least = 1e18, most = -1e18;
          for (int c = 0; c < 4; ++c) {
            for (bool grown : {false, true}) {
              const double e = grown ? extra : 0;
              const double cx = (px + (c & 1 ? 1 + e : -e)) * 256 - a.fx, cy = (py + (c & 2 ? 1 + e : -e)) * 256 - a.fy;
              const double d = dx * cy - dy * cx;
              if (grown) most = std::max(most, d);
              if (!grown) least = std::min(least, d);
            }
          }
          touched = touched && most >= 0;
          inside = inside && least > 0;
          low[0] = std::min(low[0], a.fx / 256.0), high[0] = std::max(high[0], a.fx / 256.0);
          low[1] = std::min(low[1], a.fy / 256.0), high[1] = std::max(high[1], a.fy / 256.0);
        }
        touched = touched && px + 1 + extra >= low[0] && px - extra <= high[0] && py + 1 + extra >= low[1] &&
                  py - extra <= high[1];
        ASSERT_EQ(n[py * kSize + px], (round % 2 ? touched : inside) ? 1 : 0)
            << "round " << round << " pixel " << px << " " << py;
        if (count > 4 && n[py * kSize + px]) {
          ASSERT_EQ(px >= full[py].first && px < full[py].second, inside) << "round " << round;
        }
      }
    }
  }
}

/// Records with a position, and one attribute that equals clip x.
void setRecord(uint32_t* r, float x, float y, float z, float w) {
  const float p[4] = {x, y, z, w};
  std::memcpy(r, p, sizeof p);
  r[abi::kWordGeneric] = std::bit_cast<uint32_t>(x);
}

TEST(PrimitiveStage, ClippingKeepsExactlyTheVisiblePart) {
  // A triangle through the near plane and behind the eye, against a plain per-pixel solution in homogeneous space.
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Fixture f;
    f.finish();
    VertexBlock block;
    std::vector<uint32_t> words(3 * f.state.recordStride);
    block.words = words.data();
    block.stride = f.state.recordStride;
    block.count = 3;
    double v[3][4];
    auto uniform = [&](double low, double high) { return low + (high - low) * (random() % 4096) / 4096; };
    for (int i = 0; i < 3; ++i) {
      const double x = uniform(-4, 4), y = uniform(-4, 4), w = uniform(-1, 2);
      v[i][0] = float(x), v[i][1] = float(y), v[i][2] = float(w - 0.3), v[i][3] = float(w);
      setRecord(block.record(i), float(x), float(y), float(w - 0.3), float(w));
    }
    PrimitiveList list;
    const uint32_t index[3] = {0, 1, 2}, id = 0;
    list.count = 1;
    list.vertex = index;
    list.primitiveId = &id;
    Statistics statistics;
    PrimitiveStage(f.state, f.sink).run(block, list, 0, statistics);
    const auto n = f.coverage(128, 128);
    int wrong = 0;
    for (int y = 0; y < kSize; ++y) {
      for (int x = 0; x < kSize; ++x) {
        // Solve sum l_i v_i = (nx w, ny w, ., w) for the direction of l.
        const double nx = (x + 0.5) / kSize * 2 - 1, ny = (y + 0.5) / kSize * 2 - 1;
        double a[3], b[3], l[3];
        for (int i = 0; i < 3; ++i) a[i] = v[i][0] - nx * v[i][3], b[i] = v[i][1] - ny * v[i][3];
        l[0] = a[1] * b[2] - a[2] * b[1];
        l[1] = a[2] * b[0] - a[0] * b[2];
        l[2] = a[0] * b[1] - a[1] * b[0];
        if (l[0] + l[1] + l[2] < 0)
          for (double& t : l) t = -t;
        const double w = l[0] * v[0][3] + l[1] * v[1][3] + l[2] * v[2][3];
        const double z = l[0] * v[0][2] + l[1] * v[1][2] + l[2] * v[2][2];
        const bool inside = l[0] >= 0 && l[1] >= 0 && l[2] >= 0 && w > 0 && z >= 0 && z <= w;
        wrong += inside != (n[y * kSize + x] > 0);
        EXPECT_LE(n[y * kSize + x], 1);
      }
    }
    EXPECT_LE(wrong, 12) << "round " << round;  // pixels whose centre lies within a snap of an edge
  }
}

TEST(PrimitiveStage, CulledAndFrontFacesFollowTheSignedArea) {
  for (bool clockwise : {false, true}) {
    Fixture f;
    f.record.state.cullMode = VK_CULL_MODE_BACK_BIT;
    f.record.state.frontFace = clockwise ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE;
    f.finish();
    VertexBlock block;
    std::vector<uint32_t> words(3 * f.state.recordStride);
    block.words = words.data();
    block.stride = f.state.recordStride;
    block.count = 3;
    setRecord(block.record(0), -0.5f, -0.5f, 0, 1);
    setRecord(block.record(1), 0.5f, -0.5f, 0, 1);
    setRecord(block.record(2), 0.5f, 0.5f, 0, 1);  // clockwise on the screen, y down
    const uint32_t index[3] = {0, 1, 2}, id = 0;
    PrimitiveList list;
    list.count = 1;
    list.vertex = index;
    list.primitiveId = &id;
    Statistics statistics;
    PrimitiveStage(f.state, f.sink).run(block, list, 0, statistics);
    EXPECT_EQ(!f.sink.items.empty(), clockwise);
    for (const BinItem& i : f.sink.items) EXPECT_EQ(i.primitive->setup.frontFacing, ~0u);
  }
}

TEST(RasterState, IndicesFromTheCountOnNameWhatWasSetLast) {
  Fixture f;
  DrawState& d = f.record.state;
  d.viewportCount = d.scissorCount = 1;
  d.viewport[3] = {0, 0, 64, 32, 0, 1};
  d.scissor[3] = {{8, 8}, {16, 16}};
  f.info.writesViewportIndex = true;
  f.finish();
  ASSERT_GT(f.state.viewportCount, 4u);
  const RasterViewport& set = f.state.viewport[3];
  EXPECT_EQ(set.scaleX, 32);
  EXPECT_EQ(set.inside.minX, 8);
  EXPECT_EQ(set.inside.maxX, 24);
  const PixelRect never = f.state.viewport[4].inside;
  EXPECT_TRUE(never.minX >= never.maxX || never.minY >= never.maxY);
}

}  // namespace
}  // namespace etzel::raster
