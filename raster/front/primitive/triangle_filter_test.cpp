// The eight-wide transformation and choice of triangles against one vertex, one triangle, one sample at a time, for
// every target.
#include "raster/front/primitive/triangle_filter.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "raster/front/clip/clipper.h"
#include "raster/sample_locations.h"
#include "runtime/simd/cpu.h"

namespace etzel::raster {
namespace {

constexpr int kSize = 256;

struct Fixture {
  DrawRecord record;
  abi::ProgramInfo info;
  RasterState state;
  BinSink sink;

  Fixture() {
    record.state.viewport[0] = {0, 0, kSize, kSize, 0, 1};
    record.state.scissor[0] = {{3, 5}, {kSize - 9, kSize - 8}};
  }
  void finish() { state = makeRasterState(record, info, {kSize / 64, kSize / 64, 1}, {0, 0, kSize, kSize}, 16); }

  /// Whether the sample at (x, y), 1/256 pixel, belongs to the triangle: inside, or on an edge that owns its samples.
  static bool covers(const SnappedVertex* v, int64_t x, int64_t y) {
    const int64_t area = int64_t(v[1].x - v[0].x) * (v[2].y - v[0].y) - int64_t(v[2].x - v[0].x) * (v[1].y - v[0].y);
    for (int k = 0; k < 3; ++k) {
      const SnappedVertex &from = v[k], &to = v[(k + 1) % 3];
      const int64_t sign = area < 0 ? -1 : 1, a = sign * (from.y - to.y), b = sign * (to.x - from.x);
      const int64_t e = a * (x - from.x) + b * (y - from.y);
      if (e < 0 || (e == 0 && !(a > 0 || (a == 0 && b > 0)))) return false;
    }
    return area != 0;
  }
  bool coversSomething(const SnappedVertex* v) const {
    const SamplePositions samples = samplePositions(record.state);
    const PixelRect& limit = state.viewport[0].inside;
    auto bounds = [&](int32_t a, int32_t b, int32_t c, int32_t low, int32_t high) {
      return std::pair{std::max(low, (std::min({a, b, c}) >> 8) - 1), std::min(high, (std::max({a, b, c}) >> 8) + 2)};
    };
    const auto [x0, x1] = bounds(v[0].x, v[1].x, v[2].x, limit.minX, limit.maxX);
    const auto [y0, y1] = bounds(v[0].y, v[1].y, v[2].y, limit.minY, limit.maxY);
    for (int32_t y = y0; y < y1; ++y)
      for (int32_t x = x0; x < x1; ++x)
        for (uint32_t s = 0; s < samples.count; ++s)
          if (covers(v, 256 * x + 16 * samples.x[s], 256 * y + 16 * samples.y[s])) return true;
    return false;
  }
};

/// Corners of all sizes, often on a coarse lattice (samples on edges, no area) or equal, some far outside.
std::vector<SnappedVertex> randomTriangles(std::mt19937& random, uint32_t count) {
  std::vector<SnappedVertex> v(3 * count);
  for (uint32_t t = 0; t < count; ++t) {
    const int32_t size = 16 << random() % 12, step = 1 << random() % 8;
    const int32_t x = int32_t(random() % (300 * 256)) - 20 * 256, y = int32_t(random() % (300 * 256)) - 20 * 256;
    for (uint32_t k = 0; k < 3; ++k) {
      SnappedVertex& c = v[3 * t + k];
      c = {(x + int32_t(random() % uint32_t(size))) / step * step,
           (y + int32_t(random() % uint32_t(size))) / step * step, 0, 0};
      if (random() % 16 == 0) c.x = v[3 * t].x;
      if (random() % 16 == 0) c.y = v[3 * t].y;
      if (random() % 64 == 0) c.x = random() % 2 ? 32000 * 256 : -32000 * 256;
      if (random() % 64 == 0) c.y = random() % 2 ? 32000 * 256 : -32000 * 256;
      if (random() % 32 == 0) c.codes = 1u << random() % 18;
    }
    if (random() % 16 == 0) v[3 * t].codes = v[3 * t + 1].codes = v[3 * t + 2].codes = 1u << random() % 7;
  }
  return v;
}

class TriangleFilterOf : public ::testing::TestWithParam<simd::Variant<const TriangleFilter>> {
 protected:
  void SetUp() override {
    if (!simd::hostRuns(GetParam().target)) GTEST_SKIP() << "not on this host";
  }
};
INSTANTIATE_TEST_SUITE_P(
    Targets, TriangleFilterOf,
    ::testing::ValuesIn(std::vector<simd::Variant<const TriangleFilter>> ETZEL_VARIANTS(kTriangleFilter)));

TEST_P(TriangleFilterOf, KeepsWhatOneTriangleAtATimeKeeps) {
  std::mt19937 random(7);
  uint32_t rejected = 0, lives = 0, smallDropped = 0;
  for (uint32_t round = 0; round < 240; ++round) {
    Fixture f;
    DrawState& d = f.record.state;
    d.samples = 1u << random() % 5;
    d.cullMode = random() % 3;
    d.frontFace = random() % 2 ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE;
    d.customSampleLocations = random() % 4 == 0;
    for (auto& location : d.sampleLocation) location = {float(random() % 16) / 16, float(random() % 16) / 16};
    f.finish();
    const FilterState state(f.state);
    const SetupStage setup(f.state, f.sink);
    const uint32_t triangles = 1 + random() % 64;
    const std::vector<SnappedVertex> v = randomTriangles(random, triangles);
    std::vector<uint32_t> index(3 * triangles);
    for (uint32_t i = 0; i < index.size(); ++i) index[i] = i;
    for (uint32_t first = 0; first < triangles; first += 8) {
      const uint32_t n = std::min(8u, triangles - first);
      FilteredTriangles result;
      GetParam().of->filter(state, v.data(), index.data() + 3 * first, n, result);
      EXPECT_EQ((result.live | result.cut | result.whole) >> n, 0u);
      for (uint32_t i = 0; i < n; ++i) {
        const SnappedVertex* t = &v[3 * (first + i)];
        const uint32_t all = t[0].codes & t[1].codes & t[2].codes, any = t[0].codes | t[1].codes | t[2].codes;
        const bool out = (all & kClipReject) || (any & kClipInvalid), cut = !out && (any & kClipCut);
        ASSERT_EQ(result.cut >> i & 1, cut);
        ASSERT_EQ(result.whole >> i & 1, !out && !cut);
        rejected += out;
        if (out || cut) {
          ASSERT_EQ(result.live >> i & 1, 0u);
          continue;
        }
        ScreenVertex s[3];
        for (uint32_t k = 0; k < 3; ++k) s[k].fx = t[k].x, s[k].fy = t[k].y;
        const int64_t area = SetupStage::doubleArea(s[0], s[1], s[2]);
        const bool seen = area != 0 && !setup.isCulled(setup.isFront(area));
        const bool covers = seen && f.coversSomething(t);
        ASSERT_TRUE(!covers || result.live >> i & 1);
        if (!(result.live >> i & 1)) {
          smallDropped += seen;
          continue;
        }
        ++lives;
        ASSERT_TRUE(seen);
        ASSERT_EQ(result.area[i], double(area));
        // Pixels with a covered sample are inside; those of the rectangle may have one.
        const PixelRect& limit = f.state.viewport[0].inside;
        const PixelRounding& r = f.state.rounding;
        ASSERT_EQ(result.minX[i], std::max((std::min({t[0].x, t[1].x, t[2].x}) + r.lowX) >> 8, limit.minX));
        ASSERT_EQ(result.minY[i], std::max((std::min({t[0].y, t[1].y, t[2].y}) + r.lowY) >> 8, limit.minY));
        ASSERT_EQ(result.maxX[i], std::min((std::max({t[0].x, t[1].x, t[2].x}) + r.highX) >> 8, limit.maxX));
        ASSERT_EQ(result.maxY[i], std::min((std::max({t[0].y, t[1].y, t[2].y}) + r.highY) >> 8, limit.maxY));
        ASSERT_LT(result.minX[i], result.maxX[i]);
        ASSERT_LT(result.minY[i], result.maxY[i]);
        // Nothing without a sample is kept where the rectangle is small.
        const bool small = result.maxX[i] - result.minX[i] <= 2 && result.maxY[i] - result.minY[i] <= 2;
        auto within = [&](int32_t a, int32_t b, int32_t c) { return std::max({a, b, c}) - std::min({a, b, c}) < 1024; };
        ASSERT_TRUE(covers || !small || !within(t[0].x, t[1].x, t[2].x) || !within(t[0].y, t[1].y, t[2].y));
      }
    }
  }
  EXPECT_GT(rejected, 100u);
  EXPECT_GT(lives, 1000u);
  EXPECT_GT(smallDropped, 500u);
}

TEST_P(TriangleFilterOf, RoundingKeepsEveryPixelWithASampleInTheBox) {
  for (uint32_t samples : {1u, 2u, 4u, 8u, 16u}) {
    Fixture f;
    f.record.state.samples = samples;
    f.finish();
    const SamplePositions p = samplePositions(f.record.state);
    for (int32_t low = 256; low < 768; low += 3) {
      for (int32_t high = low; high < 768; high += 5) {
        int32_t first = INT32_MAX, end = INT32_MIN;
        for (int32_t pixel = 0; pixel < 4; ++pixel) {
          for (uint32_t s = 0; s < samples; ++s) {
            const int32_t x = pixel * 256 + p.x[s] * 16;
            if (x < low || x > high) continue;
            first = std::min(first, pixel), end = std::max(end, pixel + 1);
          }
        }
        if (end < first) continue;
        ASSERT_LE((low + f.state.rounding.lowX) >> 8, first);
        ASSERT_GE((high + f.state.rounding.highX) >> 8, end);
      }
    }
  }
}

TEST_P(TriangleFilterOf, VerticesEqualTheScalarFormulas) {
  std::mt19937 random(3);
  const float special[] = {0.0f,
                           -0.0f,
                           1.0f,
                           -1.0f,
                           1e30f,
                           -1e30f,
                           1e-30f,
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::quiet_NaN()};
  for (uint32_t round = 0; round < 200; ++round) {
    Fixture f;
    f.record.state.depthClip = random() % 2;
    f.record.state.negativeOneToOne = random() % 2;
    f.record.state.viewport[0] = {float(random() % 64), float(random() % 64), 200.5f, -100.25f, 0.25f, 0.75f};
    f.finish();
    const FilterState state(f.state);
    const RasterViewport& vp = f.state.viewport[0];
    VertexBlock block;
    block.stride = 16;
    block.count = 1 + random() % 20;
    std::vector<uint32_t> words(block.count * block.stride);
    block.words = words.data();
    for (uint32_t i = 0; i < block.count; ++i) {
      for (uint32_t c = 0; c < 4; ++c) {
        float value = std::ldexp(float(int(random() % 2000) - 1000), int(random() % 24) - 16);
        if (c == 3 && random() % 4) value = std::fabs(value);
        if (random() % 12 == 0) value = special[random() % std::size(special)];
        block.record(i)[c] = std::bit_cast<uint32_t>(value);
      }
    }
    std::vector<VertexPlace> place(alignUp(block.count, 8u));
    std::vector<SnappedVertex> snapped(place.size());
    GetParam().of->transform(state, block, place.data(), snapped.data());
    for (uint32_t first = 0; first < block.count; first += 8) {  // the same from words of lanes
      const uint32_t lanes = std::min(block.count - first, 8u);
      LaneWords position[4] = {};
      VertexPlace eight[8];
      SnappedVertex snappedEight[8];
      for (uint32_t i = 0; i < lanes; ++i)
        for (uint32_t c = 0; c < 4; ++c) position[c].lane[i] = block.record(first + i)[c];
      GetParam().of->transformLanes(state, position, eight, snappedEight);
      EXPECT_EQ(std::memcmp(eight, &place[first], lanes * sizeof *eight), 0);
      EXPECT_EQ(std::memcmp(snappedEight, &snapped[first], lanes * sizeof *snappedEight), 0);
    }
    for (uint32_t i = 0; i < block.count; ++i) {
      float p[4];
      std::memcpy(p, block.record(i), sizeof p);
      const float x = p[0] / p[3] * vp.scaleX + vp.offsetX, y = p[1] / p[3] * vp.scaleY + vp.offsetY,
                  z = p[2] / p[3] * vp.scaleZ + vp.offsetZ, invW = 1.0f / p[3];
      auto same = [](float a, float b) {
        return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
      };
      EXPECT_TRUE(same(place[i].x, x) && same(place[i].y, y) && same(place[i].z, z) && same(place[i].invW, invW));
      auto snap = [](float v) { return std::fabs(v) < kSnapLimit ? int32_t(std::lrint(v * 256)) : 0; };
      EXPECT_EQ(snapped[i].x, snap(x));
      EXPECT_EQ(snapped[i].y, snap(y));
      uint32_t codes = Clipper::outcode(f.state, block.record(i));
      if (codes & kClipInvalid) {
        EXPECT_TRUE(snapped[i].codes & kClipInvalid);
        continue;
      }
      const bool within = std::fabs(x) <= kGuardBand && std::fabs(y) <= kGuardBand;
      if (!within && !(codes & kClipW)) codes |= kClipGuard;
      EXPECT_EQ(snapped[i].codes, codes);
    }
  }
}

}  // namespace
}  // namespace etzel::raster
