// What comes before and between the tests of "Fragment Operations": discard rectangles, and where the sample mask is
// tested; also the locations of samples.
#include <gtest/gtest.h>

#include <random>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::rectangle;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 75, kHeight = 37;

TestKernel whiteKernel() {
  return TestKernel([](abi::Warp& warp) {
    for (uint32_t i = 0; i < kWarpLanes; ++i)
      for (uint32_t c = 0; c < 4; ++c) warp.out[abi::kFragOutColor + c][i] = std::bit_cast<uint32_t>(1.0f);
  });
}

bool isWhite(const TestImage& image, int32_t x, int32_t y, uint32_t sample) {
  const format::Texel t = image.texel(static_cast<uint32_t>(x), static_cast<uint32_t>(y), sample);
  return t.word[0] == std::bit_cast<uint32_t>(1.0f);
}

/// A draw of white to `color`.
struct Scene {
  TestKernel kernel = whiteKernel();
  TestImage color;
  DrawRecord record;
  Arena arena;
  explicit Scene(uint32_t samples) : color(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, samples) {
    DrawState& s = record.state;
    s.fragment = &kernel;
    s.samples = samples;
    s.attachments.color[0] = &color.view;
    s.attachments.colorCount = 1;
    s.attachments.samples = samples;
    s.attachments.renderArea = {{0, 0}, {kWidth, kHeight}};
  }
  void run(bool best, const std::vector<Edge>& edges) {
    prepareDraw(record, arena);
    std::vector<BinnedPrimitive> primitives{rectangle(record, kWidth, kHeight, 0.25f)};
    primitives[0].edgeCount = static_cast<uint8_t>(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) primitives[0].edge[i] = edges[i];
    ASSERT_TRUE(Runner(best).run(record.state.attachments, primitives, kWidth, kHeight));
  }
};

bool insideEdge(const Edge& e, int64_t x, int64_t y) { return e.a * x + e.b * y + e.c >= 0; }

TEST(DiscardRectangles, TakePixelsInsideOrOutsideWhateverTheSamples) {
  std::mt19937 random(1);
  const Edge edge = edgeThrough(70 * 256, 3 * 256, 5 * 256, 31 * 256);
  for (uint32_t samples : {1u, 2u, 4u, 16u}) {
    for (auto mode : {VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT, VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT}) {
      Scene scene(samples);
      DrawState& s = scene.record.state;
      s.discardRectangleEnable = true;
      s.discardRectangleMode = mode;
      s.discardRectangleCount = 5;
      for (uint32_t i = 0; i < 5; ++i)
        s.discardRectangle[i] = {{int32_t(random() % 70), int32_t(random() % 30)},
                                 {uint32_t(random() % 30), uint32_t(random() % 30)}};
      s.discardRectangle[3].extent = {0, 0};
      s.discardRectangle[4] = {{70, 0}, {0x7FFFFFFF - 70, 0x7FFFFFFF}};
      s.discardRectangle[5] = {{0, 0}, {kWidth, kHeight}};  // not counted
      scene.run(samples % 4 == 0, {edge});
      const SamplePositions& at = standardSamplePositions(samples);
      for (int32_t y = 0; y < kHeight; ++y)
        for (int32_t x = 0; x < kWidth; ++x) {
          bool inside = false;
          for (uint32_t i = 0; i < 5; ++i) {
            const VkRect2D& r = s.discardRectangle[i];
            inside |= x >= r.offset.x && y >= r.offset.y && x < int64_t{r.offset.x} + r.extent.width &&
                      y < int64_t{r.offset.y} + r.extent.height;
          }
          const bool kept = inside == (mode == VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT);
          for (uint32_t k = 0; k < samples; ++k)
            ASSERT_EQ(isWhite(scene.color, x, y, k),
                      kept && insideEdge(edge, 256 * x + 16 * at.x[k], 256 * y + 16 * at.y[k]))
                << x << ", " << y << " sample " << k << " of " << samples;
        }
    }
  }
}

TEST(SampleMask, IsTestedAfterDepthWithPostDepthCoverage) {
  for (bool post : {false, true}) {
    Scene scene(4);
    TestImage depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight, 4);
    DrawState& s = scene.record.state;
    scene.kernel.info.postDepthCoverage = scene.kernel.info.earlyFragmentTests = post;
    s.attachments.depth = &depth.view;
    s.depthTest = s.depthWrite = true;
    s.sampleMask = 0b0101;
    scene.run(true, {});
    for (uint32_t k = 0; k < 4; ++k) {
      const bool masked = !(0b0101 >> k & 1);
      EXPECT_EQ(isWhite(scene.color, 20, 20, k), !masked);
      EXPECT_EQ(std::bit_cast<float>(depth.texel(20, 20, k).word[0]), post || !masked ? 0.25f : 0.0f) << k;
    }
  }
}

TEST(SampleLocations, DecideCoverageAndDepth) {
  std::mt19937 random(2);
  for (uint32_t samples : {1u, 2u, 4u, 8u, 16u}) {
    Scene scene(samples);
    TestImage depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight, samples);
    DrawState& s = scene.record.state;
    s.attachments.depth = &depth.view;
    s.depthTest = s.depthWrite = true;
    s.customSampleLocations = true;
    for (uint32_t k = 0; k < samples; ++k)
      s.sampleLocation[k] = {static_cast<float>(random() % 16) / 16, static_cast<float>(random() % 16) / 16};
    const Edge edge = edgeThrough(64 * 256 + 77, 256, 3 * 256 + 9, 35 * 256 + 100);
    prepareDraw(scene.record, scene.arena);
    std::vector<BinnedPrimitive> primitives{rectangle(scene.record, kWidth, kHeight)};
    BinnedPrimitive& p = primitives[0];
    p.edgeCount = 1, p.edge[0] = edge;
    p.z0 = 0.125f, p.dzdx = 1.0f / 128, p.dzdy = 1.0f / 256;
    ASSERT_TRUE(Runner(samples != 2).run(s.attachments, primitives, kWidth, kHeight));
    for (int32_t y = 0; y < kHeight; ++y)
      for (int32_t x = 0; x < kWidth; ++x)
        for (uint32_t k = 0; k < samples; ++k) {
          const float px = static_cast<float>(x) + s.sampleLocation[k].x;
          const float py = static_cast<float>(y) + s.sampleLocation[k].y;
          const bool covered = insideEdge(edge, int64_t(px * 256), int64_t(py * 256));
          ASSERT_EQ(isWhite(scene.color, x, y, k), covered) << x << ", " << y << " sample " << k << " of " << samples;
          const float z = covered ? px * p.dzdx + p.z0 + py * p.dzdy : 0.0f;
          ASSERT_EQ(std::bit_cast<float>(depth.texel(uint32_t(x), uint32_t(y), k).word[0]), z);
        }
  }
}

TEST(SampleLocations, AreRoundedDownAndKeptInThePixel) {
  DrawState s;
  s.samples = 4;
  s.customSampleLocations = true;
  s.sampleLocation[0] = {-0.5f, 1.5f};
  s.sampleLocation[1] = {0.5f + 0.06f, 0.9375f};
  s.sampleLocation[2] = {0.0624f, __builtin_nanf("")};
  const SamplePositions p = samplePositions(s);
  EXPECT_EQ(p.count, 4u);
  EXPECT_EQ(p.x[0], 0);
  EXPECT_EQ(p.y[0], 15);
  EXPECT_EQ(p.x[1], 8);
  EXPECT_EQ(p.y[1], 15);
  EXPECT_EQ(p.x[2], 0);
  EXPECT_EQ(p.y[2], 0);
  s.customSampleLocations = false;
  EXPECT_EQ(samplePositions(s).x[1], standardSamplePositions(4).x[1]);
}

}  // namespace
}  // namespace etzel::raster
