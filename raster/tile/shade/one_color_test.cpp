// Kernels that give a primitive one colour run once for each primitive and tile, and leave what they leave otherwise.
#include <gtest/gtest.h>

#include <random>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kTiles = 3 * 2;

struct Options {
  bool best;
  uint32_t samples;
  int32_t width = 176, height = 104;  ///< whole blocks
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  bool blend = false, depth = false;
};
struct Result {
  std::vector<std::byte> color;
  uint64_t invocations = 0, runs = 0;
};

Result drawAll(const Options& o, bool oneColor) {
  Result r;
  TestImage target(o.format, o.width, o.height, o.samples), depth(VK_FORMAT_D32_SFLOAT, o.width, o.height, o.samples);
  TestKernel kernel([&](abi::Warp& w) {
    ++r.runs;
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t i = 0; i < kWarpLanes; ++i)
        w.out[abi::kFragOutColor + c][i] = std::bit_cast<uint32_t>(w.primitive->x0 / static_cast<float>(c + 1));
  });
  kernel.oneColor = oneColor;
  Statistics statistics;
  DrawRecord draw;
  DrawState& s = draw.state;
  s.samples = s.attachments.samples = o.samples;
  s.fragment = &kernel;
  s.statistics = &statistics;
  s.attachments.colorCount = 1;
  s.attachments.color[0] = &target.view;
  if (o.blend)
    s.blend[0].enable = true, s.blend[0].srcColor = VK_BLEND_FACTOR_SRC_ALPHA,
    s.blend[0].dstColor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  if (o.depth) {
    s.attachments.depth = &depth.view;
    s.depthTest = s.depthWrite = true, s.depthCompare = VK_COMPARE_OP_GREATER_OR_EQUAL;
  }
  Arena arena;
  prepareDraw(draw, arena);
  EXPECT_EQ(draw.tile->oneColor, oneColor);
  std::mt19937 random(7);
  std::vector<BinnedPrimitive> list;
  for (uint32_t i = 0; i < 9; ++i) {
    list.push_back(testing::rectangle(draw, o.width, o.height, static_cast<float>(random() % 8) / 8));
    list.back().setup.x0 = static_cast<float>(random() % 1000) / 999;
    const auto place = [&](int32_t size) { return static_cast<int64_t>(random() % static_cast<uint32_t>(size * 256)); };
    if (i % 3) {
      list.back().edgeCount = 1;
      list.back().edge[0] = edgeThrough(place(o.width), place(o.height), place(o.width), place(o.height));
    }
  }
  EXPECT_TRUE(Runner(o.best).run(s.attachments, list, o.width, o.height));
  r.color = target.samples();
  r.invocations = statistics.fragmentInvocations;
  return r;
}

void compare(Options o) {
  for (uint32_t samples : {1u, 4u, 8u})
    for (bool best : {false, true}) {
      o.samples = samples, o.best = best;
      const Result each = drawAll(o, false), once = drawAll(o, true);
      ASSERT_EQ(each.color, once.color) << samples << " samples";
      EXPECT_EQ(each.invocations, once.invocations) << "what queries count stays";
      EXPECT_LT(once.runs * 3, each.runs);
      if (samples == 1 && o.width % 8 == 0) {
        EXPECT_LE(once.runs, 9u * kTiles);
      }
    }
}

TEST(OneColor, StoredColorsAreThoseOfEveryPixel) {
  compare({});
  compare({.format = VK_FORMAT_B8G8R8A8_UNORM});
  compare({.width = 171, .height = 103});
}
TEST(OneColor, BlendedColorsAreThoseOfEveryPixel) {
  compare({.blend = true});
  compare({.format = VK_FORMAT_B8G8R8A8_UNORM, .blend = true});
  compare({.format = VK_FORMAT_R8G8B8A8_SRGB, .blend = true});
  compare({.width = 171, .height = 103, .blend = true});
}
TEST(OneColor, TestsComeFirst) { compare({.depth = true}); }

}  // namespace
}  // namespace etzel::raster
