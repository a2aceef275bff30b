// What depth planes and bounds buy: EQUAL passes without texels, and hidden blocks are not shaded.
#include <gtest/gtest.h>

#include "raster/attachment/clear.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 77, kHeight = 70;

/// A mesh of two triangles a square over the whole picture, each with a plane of its own.
std::vector<BinnedPrimitive> mesh(const DrawRecord& draw, int32_t cell) {
  std::vector<BinnedPrimitive> list;
  for (int32_t y = 0; y < kHeight; y += cell) {
    for (int32_t x = 0; x < kWidth; x += cell) {
      for (int half = 0; half < 2; ++half) {
        BinnedPrimitive p = testing::rectangle(draw, std::min(x + cell, kWidth), std::min(y + cell, kHeight));
        p.minX = x, p.minY = y;
        p.setup.x0 = float(x), p.setup.y0 = float(y);
        p.z0 = 0.5f + 0.01f * float((x * 7 + y * 3) % 11), p.dzdx = 0.0013f, p.dzdy = half ? -0.0007f : 0.0011f;
        p.edgeCount = 1;
        const int64_t x0 = x * 256, y0 = y * 256, size = cell * 256;
        p.edge[0] = half ? edgeThrough(x0 + size, y0 + size, x0, y0) : edgeThrough(x0, y0, x0 + size, y0 + size);
        list.push_back(p);
      }
    }
  }
  return list;
}

TEST(DepthPlanes, EqualPassesAcrossDrawsWithoutExpandingTiles) {
  for (VkFormat format : {VK_FORMAT_D32_SFLOAT, VK_FORMAT_D16_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32}) {
    TestImage depth(format, kWidth, kHeight, 4);
    Statistics statistics;
    Arena arena;
    DrawRecord first, second;
    for (DrawRecord* r : {&first, &second}) {
      DrawState& s = r->state;
      s.samples = 4;
      s.attachments.depth = &depth.view;
      s.depthTest = true, s.depthWrite = r == &first;
      s.depthCompare = r == &first ? VK_COMPARE_OP_GREATER : VK_COMPARE_OP_EQUAL;
      s.statistics = &statistics, s.countSamples = true;
      prepareDraw(*r, arena);
    }
    clearDepthRect(depth.view, 0, {{0, 0}, {kWidth, kHeight}}, 0);
    std::vector<BinnedPrimitive> list = mesh(first, 19);
    Runner runner;
    ASSERT_TRUE(runner.run(first.state.attachments, list, kWidth, kHeight));
    EXPECT_EQ(statistics.samplesPassed, uint64_t{kWidth} * kHeight * 4);
    for (BinnedPrimitive& p : list) p.draw = &second;
    ASSERT_TRUE(Runner(false).run(second.state.attachments, list, kWidth, kHeight));  // a flush later
    EXPECT_EQ(statistics.samplesPassed, uint64_t{kWidth} * kHeight * 8);
    const msaa::DepthSurface s = surfaceOf(&depth.view).depth(0);
    uint32_t planes = 0;
    for (uint32_t y = 0; y < kHeight / 8; ++y)
      for (uint32_t x = 0; x < kWidth / 8; ++x)
        planes += msaa::depthKindOf(s.state(y * s.tilesX + x)) == msaa::DepthKind::Planes;
    // All tiles inside the picture, even those with a corner of the mesh, where six triangles meet.
    EXPECT_EQ(planes, uint32_t{kWidth / 8 * (kHeight / 8)});
  }
}

TEST(DepthPlanes, HiddenBlocksAreNotShaded) {
  for (uint32_t samples : {1u, 4u}) {
    TestImage color(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, samples);
    TestImage depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight, samples);
    uint32_t warps = 0;
    TestKernel kernel([&](abi::Warp&) { ++warps; });
    Arena arena;
    DrawRecord draw;
    DrawState& s = draw.state;
    s.fragment = &kernel, s.samples = samples;
    s.attachments.color[0] = &color.view, s.attachments.colorCount = 1, s.attachments.depth = &depth.view;
    s.depthTest = s.depthWrite = true, s.depthCompare = VK_COMPARE_OP_LESS;
    prepareDraw(draw, arena);
    clearDepthRect(depth.view, 1, {{0, 0}, {kWidth, kHeight}}, 0);
    std::vector<BinnedPrimitive> list{testing::rectangle(draw, 64, 64, 0.25f)};
    ASSERT_TRUE(Runner().run(s.attachments, list, kWidth, kHeight));
    EXPECT_EQ(warps, 64u * 64 / 8);
    list[0].z0 = 0.5f;
    ASSERT_TRUE(Runner().run(s.attachments, list, kWidth, kHeight));
    EXPECT_EQ(warps, 64u * 64 / 8);
  }
}

}  // namespace
}  // namespace etzel::raster
