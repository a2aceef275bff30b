// Coverage against a plain model: every sample of every pixel, one edge function each.
#include <gtest/gtest.h>

#include <random>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::Runner;
using testing::TestKernel;

constexpr int32_t kWidth = 150, kHeight = 90;

struct Recorder {
  std::vector<uint32_t> mask = std::vector<uint32_t>(kWidth * kHeight);
  uint32_t twice = 0;
  TestKernel kernel{[this](abi::Warp& warp) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      if (!(warp.active >> i & 1) || (warp.helper >> i & 1)) continue;
      auto sys = [&](abi::SysValue v) { return warp.sys[static_cast<uint32_t>(v)][i]; };
      int x = static_cast<int>(std::bit_cast<float>(sys(abi::SysValue::PosX)));
      int y = static_cast<int>(std::bit_cast<float>(sys(abi::SysValue::PosY)));
      uint32_t& at = mask.at(y * kWidth + x);
      uint32_t in = sys(abi::SysValue::SampleMaskIn);
      if (at & in) ++twice;
      at |= in;
    }
  }};
  Recorder() {
    kernel.reads(abi::SysValue::SampleMaskIn);
    kernel.info.hasSideEffects = true;
    kernel.info.outputLocations = 0;
  }
};

struct Triangle {
  int64_t x[3], y[3];
};

BinnedPrimitive binned(const DrawRecord& draw, const Triangle& t) {
  BinnedPrimitive p = testing::rectangle(draw, kWidth, kHeight);
  int64_t area = (t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) - (t.x[2] - t.x[0]) * (t.y[1] - t.y[0]);
  p.edgeCount = 3;
  for (int i = 0; i < 3; ++i) {
    int from = i, to = (i + 1) % 3;
    if (area < 0) std::swap(from, to);
    p.edge[i] = testing::edgeThrough(t.x[from], t.y[from], t.x[to], t.y[to]);
  }
  return p;
}

uint32_t modelMask(const BinnedPrimitive& p, const SamplePositions& s, int32_t x, int32_t y) {
  uint32_t mask = 0;
  if (x < p.minX || x >= p.maxX || y < p.minY || y >= p.maxY) return 0;
  for (uint32_t i = 0; i < s.count; ++i) {
    bool inside = true;
    for (uint32_t e = 0; e < p.edgeCount; ++e)
      inside &=
          p.edge[e].a * int64_t{x * 256 + s.x[i] * 16} + p.edge[e].b * int64_t{y * 256 + s.y[i] * 16} + p.edge[e].c >=
          0;
    mask |= uint32_t{inside} << i;
  }
  return mask;
}

class Coverage : public ::testing::TestWithParam<std::tuple<uint32_t, bool>> {};

TEST_P(Coverage, RandomTrianglesMatchTheModel) {
  auto [samples, best] = GetParam();
  std::mt19937 random(samples);
  Runner runner(best);
  for (int round = 0; round < 150; ++round) {
    // Small, screen-sized and far larger than the screen: the last need edges beyond 32 bits.
    int64_t extent = round % 3 == 0 ? 12 * 256 : round % 3 == 1 ? kWidth * 256 : (int64_t{1} << 25) - 65536;
    int64_t cx = random() % (kWidth * 256), cy = random() % (kHeight * 256);
    Triangle t;
    for (int i = 0; i < 3; ++i) {
      t.x[i] = cx + static_cast<int64_t>(random() % (2 * extent)) - extent;
      t.y[i] = cy + static_cast<int64_t>(random() % (2 * extent)) - extent;
      if (round % 5 == 0) t.x[i] &= ~int64_t{127}, t.y[i] &= ~int64_t{127};  // vertices on samples and corners
    }
    Recorder recorder;
    Arena arena;
    DrawRecord draw;
    draw.state.samples = samples;
    draw.state.fragment = &recorder.kernel;
    prepareDraw(draw, arena);
    std::vector<BinnedPrimitive> list{binned(draw, t)};
    if (round % 7 == 0) list[0].minX = 3, list[0].minY = 5, list[0].maxX = 141, list[0].maxY = 67;
    Attachments attachments;
    ASSERT_TRUE(runner.run(attachments, list, kWidth, kHeight));
    EXPECT_EQ(recorder.twice, 0u);
    SamplePositions positions = standardSamplePositions(samples);
    for (int32_t y = 0; y < kHeight; ++y)
      for (int32_t x = 0; x < kWidth; ++x)
        ASSERT_EQ(recorder.mask[y * kWidth + x], modelMask(list[0], positions, x, y)) << x << ' ' << y << ' ' << round;
  }
}

TEST_P(Coverage, SharedEdgesCoverASampleOnce) {
  auto [samples, best] = GetParam();
  Runner runner(best);
  std::mt19937 random(7);
  // A fan around a point inside the screen, its rim outside: every sample exactly once.
  Recorder recorder;
  Arena arena;
  DrawRecord draw;
  draw.state.samples = samples;
  draw.state.fragment = &recorder.kernel;
  prepareDraw(draw, arena);
  const int64_t w = kWidth * 256, h = kHeight * 256;
  const int64_t rim[][2] = {{-256, -256},       {w / 2 + 64, -256}, {w + 256, -256}, {w + 256, h / 2},
                            {w + 256, h + 256}, {w / 3, h + 256},   {-256, h + 256}, {-256, h / 2 + 128}};
  std::vector<BinnedPrimitive> list;
  for (int i = 0; i < 8; ++i) {
    int k = (i + 1) % 8;
    list.push_back(binned(draw, {{w / 2 + 136, rim[i][0], rim[k][0]}, {h / 2 - 40, rim[i][1], rim[k][1]}}));
  }
  Attachments attachments;
  ASSERT_TRUE(runner.run(attachments, list, kWidth, kHeight));
  EXPECT_EQ(recorder.twice, 0u);
  for (uint32_t m : recorder.mask) ASSERT_EQ(m, (1u << samples) - 1);
}

INSTANTIATE_TEST_SUITE_P(All, Coverage, ::testing::Combine(::testing::Values(1u, 2u, 4u, 8u, 16u), ::testing::Bool()));

TEST(Coverage, SpansCoverTheirPixelsOnce) {
  Recorder recorder;
  Arena arena;
  DrawRecord draw;
  draw.state.samples = 4;
  draw.state.fragment = &recorder.kernel;
  prepareDraw(draw, arena);
  const Span spans[] = {{3, 5, 9}, {4, 9, 70}, {63, 60, 66}, {64, 66, 67}, {89, 0, 150}};
  std::vector<BinnedPrimitive> list{testing::rectangle(draw, kWidth, kHeight)};
  list[0].kind = PrimitiveKind::Spans;
  list[0].spans = spans, list[0].spanCount = 5;
  Attachments attachments;
  Runner runner;
  ASSERT_TRUE(runner.run(attachments, list, kWidth, kHeight));
  EXPECT_EQ(recorder.twice, 0u);
  for (int32_t y = 0; y < kHeight; ++y) {
    for (int32_t x = 0; x < kWidth; ++x) {
      bool in = false;
      for (const Span& s : spans) in |= s.y == y && x >= s.x0 && x < s.x1;
      ASSERT_EQ(recorder.mask[y * kWidth + x], in ? 15u : 0u) << x << ' ' << y;
    }
  }
}

TEST(Coverage, SampleRateShadesEverySampleAlone) {
  Recorder recorder;
  recorder.kernel.info.sampleRate = true;
  Arena arena;
  DrawRecord draw;
  Statistics statistics;
  draw.state.samples = 4;
  draw.state.sampleMask = 0xB;
  draw.state.statistics = &statistics;
  draw.state.countSamples = true;
  draw.state.fragment = &recorder.kernel;
  prepareDraw(draw, arena);
  std::vector<BinnedPrimitive> list{testing::rectangle(draw, kWidth, kHeight)};
  Attachments attachments;
  Runner runner;
  ASSERT_TRUE(runner.run(attachments, list, kWidth, kHeight));
  EXPECT_EQ(recorder.twice, 0u);
  for (uint32_t m : recorder.mask) ASSERT_EQ(m, 0xBu);
  EXPECT_EQ(statistics.fragmentInvocations, uint64_t{kWidth} * kHeight * 3);
  EXPECT_EQ(statistics.samplesPassed, uint64_t{kWidth} * kHeight * 3);
}

TEST(SamplePositions, StandardLocationsAreInTheirPixelAndDistinct) {
  for (uint32_t n : {1u, 2u, 4u, 8u, 16u}) {
    SamplePositions p = standardSamplePositions(n);
    ASSERT_EQ(p.count, n);
    uint32_t rows = 0, columns = 0;
    for (uint32_t s = 0; s < n; ++s) rows |= 1u << p.y[s], columns |= 1u << p.x[s];
    EXPECT_EQ(std::popcount(rows), static_cast<int>(n));  // the standard patterns are n-rooks
    EXPECT_EQ(std::popcount(columns), static_cast<int>(n));
  }
}

}  // namespace
}  // namespace etzel::raster
