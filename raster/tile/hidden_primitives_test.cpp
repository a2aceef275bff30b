// Primitives that a later one covers entirely are not drawn, where nobody can tell: the same bytes with and without
// somebody who looks on, and only what can be seen is shaded.
#include <gtest/gtest.h>

#include <random>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

constexpr int32_t kWidth = 150, kHeight = 100;

/// What differs from a plain picture: a few rectangles and a clear, then a cover.
struct Options {
  bool alone = true, blendedCover = false, discardingCover = false, storing = false, counted = false, depth = false;
  bool edge = false;    ///< the cover is what lies on one side of a diagonal
  bool corner = false;  ///< an edge of the cover goes through the target's corner
  int32_t coverRight = kWidth;
};
struct Result {
  std::vector<std::byte> color, depth;
  uint64_t hiddenRuns = 0;  ///< of kernels of what the cover may hide
};

Result draw(const Options& o) {
  Result r;
  testing::TestImage target(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight);
  testing::TestImage depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight);
  const auto colors = [](abi::Warp& w) {
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t i = 0; i < kWarpLanes; ++i)
        w.out[abi::kFragOutColor + c][i] = std::bit_cast<uint32_t>(w.primitive->x0 / static_cast<float>(c + 1));
  };
  testing::TestKernel below([&](abi::Warp&w) { ++r.hiddenRuns, colors(w); }), above(colors);
  below.info.hasSideEffects = o.storing, above.info.discards = o.discardingCover;
  Statistics statistics;
  DrawRecord draws[2];
  Arena arena;
  for (uint32_t i = 0; i < 2; ++i) {
    DrawState& s = draws[i].state;
    s.fragment = i ? &above : &below;
    s.statistics = o.counted ? &statistics : nullptr;
    s.attachments.color[0] = &target.view, s.attachments.colorCount = 1;
    s.attachments.alone = o.alone;
    if (o.depth && i == 0) {
      s.attachments.depth = &depth.view;
      s.depthTest = s.depthWrite = true, s.depthCompare = VK_COMPARE_OP_ALWAYS;
    }
    s.blend[0].enable = i == 0 || o.blendedCover;  // what is below hides nothing itself
    s.blend[0].srcColor = VK_BLEND_FACTOR_ONE, s.blend[0].dstColor = VK_BLEND_FACTOR_ONE;
    prepareDraw(draws[i], arena);
  }
  ClearRecord clear;
  clear.color = 0;
  clear.value.color.float32[1] = 1;
  std::vector<BinnedPrimitive> list(1);
  list[0].kind = PrimitiveKind::Clear, list[0].clear = &clear;
  list[0].maxX = kWidth, list[0].maxY = kHeight;
  std::mt19937 random(3);
  const auto add = [&](const DrawRecord& record) -> BinnedPrimitive& {
    list.push_back(testing::rectangle(record, kWidth, kHeight));
    list.back().setup.x0 = static_cast<float>(random() % 1000) / 999;
    return list.back();
  };
  for (uint32_t i = 0; i < 3; ++i) {
    BinnedPrimitive& p = add(draws[0]);
    p.minX = static_cast<int32_t>(random() % 70), p.maxY = static_cast<int32_t>(random() % kHeight) + 1;
  }
  BinnedPrimitive& cover = add(draws[1]);
  cover.maxX = o.coverRight;
  cover.edgeCount = o.edge;
  cover.edge[0] = testing::edgeThrough(0, 0, kWidth * 256, kHeight * 256);
  if (o.corner) cover.edgeCount = 1, cover.edge[0] = testing::edgeThrough(2 * kWidth * 256, 0, 0, 2 * kHeight * 256);
  add(draws[0]).minY = kHeight / 2;  // on top of it
  EXPECT_TRUE(testing::Runner().run(draws[0].state.attachments, list, kWidth, kHeight));
  r.color = target.samples(), r.depth = depth.samples();
  return r;
}

void expectHidden(Options o, bool hidden) {
  const Result shown = [&] {
    Options other = o;
    other.alone = false;
    return draw(other);
  }();
  const Result r = draw(o);
  EXPECT_TRUE(r.color == shown.color);
  EXPECT_TRUE(r.depth == shown.depth);
  if (hidden)
    EXPECT_LT(2 * r.hiddenRuns, shown.hiddenRuns);
  else
    EXPECT_EQ(r.hiddenRuns, shown.hiddenRuns);
}

TEST(HiddenPrimitives, WhatIsCoveredIsNotDrawn) { expectHidden({}, true); }
TEST(HiddenPrimitives, TilesThatAnEdgeCrossesAreDrawn) {
  const Result edge = draw({.edge = true}), seen = draw({.alone = false, .edge = true});
  EXPECT_TRUE(edge.color == seen.color);
  EXPECT_GT(edge.hiddenRuns, draw({}).hiddenRuns);
  EXPECT_LT(edge.hiddenRuns, seen.hiddenRuns);
}
TEST(HiddenPrimitives, SamplesAreCoveredWhereAnEdgeOnlyTouchesTheCorner) {
  const Result corner = draw({.corner = true}), seen = draw({.alone = false, .corner = true});
  EXPECT_TRUE(corner.color == seen.color);
  EXPECT_EQ(corner.hiddenRuns, draw({}).hiddenRuns);
}
TEST(HiddenPrimitives, WhatIsLeftOfPartsIsDrawn) {
  const Options part{.coverRight = 140};
  EXPECT_GT(draw(part).hiddenRuns, draw({}).hiddenRuns);
  Options seen = part;
  seen.alone = false;
  EXPECT_TRUE(draw(part).color == draw(seen).color);
}
TEST(HiddenPrimitives, CoversThatShowWhatIsBelowHideNothing) {
  expectHidden({.blendedCover = true}, false);
  expectHidden({.discardingCover = true}, false);
}
TEST(HiddenPrimitives, EffectsStay) {
  expectHidden({.storing = true}, false);
  expectHidden({.counted = true}, false);
  expectHidden({.depth = true}, false);
}

}  // namespace
}  // namespace etzel::raster
