// What a look costs: fragments that nobody looks at are drawn as they are without a probe, hidden layers not at all and
// one colour in whole rows, and so kernels run as seldom, but for the blocks that are looked at. Runs are counted.
#include <gtest/gtest.h>

#include <bit>

#include "raster/pixel_probe.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::rectangle;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 160, kHeight = 96;   // 3 x 2 tiles, whole blocks
constexpr uint32_t kTiles = 6, kBlockRuns = 8;  // warps of a block
constexpr uint32_t kAllRuns = kWidth * kHeight / 8;

struct Look final : PixelProbe {
  std::optional<WatchedPlace> watched;
  const abi::Kernel* of = nullptr;  ///< the draws' kernel that is watched
  const abi::Kernel* watching = nullptr;
  std::vector<FragmentVisit> told;
  Look() { x = y = -1; }
  std::optional<WatchedPlace> place() const override { return watched; }
  const abi::Kernel* kernelOf(const DrawRecord& draw) const override {
    return draw.state.fragment == of ? watching : nullptr;
  }
  void fragment(const FragmentVisit& visit) override { told.push_back(visit); }
  void cleared(const ClearVisit&) override {}
  void tileDone(const PixelContents*) override {}
};

/// Where warps have run, in order.
using Runs = std::vector<std::pair<float, float>>;

TestKernel::Body shaded(Runs& runs, float red) {
  return [&runs, red](abi::Warp& w) {
    const auto at = [&](abi::SysValue v) { return std::bit_cast<float>(w.sys[static_cast<uint32_t>(v)][0]); };
    runs.emplace_back(at(abi::SysValue::PosX), at(abi::SysValue::PosY));
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      w.out[abi::kFragOutColor][i] = std::bit_cast<uint32_t>(red);
      w.out[abi::kFragOutColor + 3][i] = std::bit_cast<uint32_t>(1.0f);
    }
  };
}

/// A layer and, in front of it, one of one colour that hides it; `watching` asks for what watched kernels do.
struct Scene {
  Runs belowRuns, coverRuns, watchRuns;
  TestImage color{VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight};
  TestKernel below{shaded(belowRuns, 0.25f)}, cover{shaded(coverRuns, 0.5f)}, watching{shaded(watchRuns, 0.25f)};
  DrawRecord draws[2];
  Arena arena;
  Look look;
  uint32_t layer = 0;

  Scene() {
    cover.oneColor = true;
    watching.reads(abi::SysValue::SampleMaskIn), watching.reads(abi::SysValue::PrimitiveId);
    look.of = &below, look.watching = &watching;
  }
  void run(std::vector<BinnedPrimitive> (*primitives)(const DrawRecord* draws), bool looks = true) {
    for (uint32_t i = 0; i < 2; ++i) {
      DrawState& s = draws[i].state;
      s.fragment = i ? &cover : &below;
      s.viewport[0] = {0, 0, kWidth, kHeight, 0, 1}, s.scissor[0] = {{0, 0}, {kWidth, kHeight}};
      s.attachments.color[0] = &color.view, s.attachments.colorCount = 1;
      s.attachments.renderArea = {{0, 0}, {kWidth, kHeight}};
      s.attachments.alone = 1;
      s.attachments.probe = looks ? &look : nullptr;
      prepareDraw(draws[i], arena);
    }
    std::vector<BinnedPrimitive> list = primitives(draws);
    ASSERT_TRUE(testing::Runner().run(draws[0].state.attachments, list, kWidth, kHeight, layer));
  }
};

std::vector<BinnedPrimitive> layers(const DrawRecord* d) {
  return {rectangle(d[0], kWidth, kHeight), rectangle(d[1], kWidth, kHeight)};
}
/// Two primitives of the layer alone, side by side.
std::vector<BinnedPrimitive> halves(const DrawRecord* d) {
  std::vector<BinnedPrimitive> two{rectangle(d[0], kWidth, kHeight), rectangle(d[0], kWidth, kHeight)};
  two[0].maxX = two[1].minX = kWidth / 2;
  two[1].primitiveId = 1;
  return two;
}

TEST(LookedAt, NothingIsTheUsualWay) {
  Scene unseen, scene;
  unseen.run(layers, false);
  EXPECT_EQ(unseen.belowRuns.size(), 0u);
  EXPECT_EQ(unseen.coverRuns.size(), kTiles);
  scene.run(layers);
  EXPECT_EQ(scene.belowRuns.size(), 0u);
  EXPECT_EQ(scene.coverRuns.size(), kTiles);
  EXPECT_TRUE(scene.color.samples() == unseen.color.samples());
}

TEST(LookedAt, AProbesPixelCostsItsBlock) {
  Scene unseen, scene;
  unseen.run(layers, false);
  scene.look.x = 37, scene.look.y = 41;
  scene.run(layers);
  EXPECT_EQ(scene.belowRuns.size(), kBlockRuns) << "hidden everywhere else";
  EXPECT_EQ(scene.coverRuns.size(), kTiles - 1 + 4 + kBlockRuns) << "once in tiles and in what is around the block";
  ASSERT_EQ(scene.look.told.size(), 2u);
  for (uint32_t i = 0; i < 2; ++i) {
    ASSERT_EQ(scene.look.told[i].results.size(), 1u) << "of one colour or not, the pixel's invocation is seen";
    EXPECT_EQ(scene.look.told[i].results[0].color[0][0], std::bit_cast<uint32_t>(i ? 0.5f : 0.25f));
  }
  EXPECT_TRUE(scene.color.samples() == unseen.color.samples());
}

TEST(LookedAt, AWatchedPixelCostsItsBlock) {
  Scene unseen, scene;
  unseen.run(layers, false);
  scene.look.watched = WatchedPlace{{{37, 41}}, {}, {}, {}};
  scene.run(layers);
  EXPECT_EQ(scene.belowRuns.size(), 0u);
  ASSERT_EQ(scene.watchRuns.size(), kBlockRuns) << "hidden everywhere else, and there it is not";
  for (const auto& [x, y] : scene.watchRuns) EXPECT_TRUE(x >= 32 && x < 40 && y >= 40 && y < 48) << x << ", " << y;
  EXPECT_EQ(scene.coverRuns.size(), kTiles - 1 + 4 + 1);
  EXPECT_TRUE(scene.color.samples() == unseen.color.samples());
}

TEST(LookedAt, DrawsThatNobodyWatchesCostNothing) {
  Scene scene;
  scene.look.watched = WatchedPlace{{{37, 41}}, {}, {}, {}};
  scene.look.of = nullptr;
  scene.run(layers);
  EXPECT_EQ(scene.belowRuns.size() + scene.watchRuns.size(), 0u);
  EXPECT_EQ(scene.coverRuns.size(), kTiles);
}

TEST(LookedAt, OtherLayersAndPrimitivesCostNothing) {
  Scene other, one;
  other.look.watched = WatchedPlace{{}, 1, {}, {}};
  other.run(halves);
  EXPECT_EQ(other.watchRuns.size(), 0u);
  EXPECT_EQ(other.belowRuns.size(), kAllRuns);
  one.look.watched = WatchedPlace{{}, 0, {}, 1};
  one.run(halves);
  EXPECT_EQ(one.watchRuns.size(), kAllRuns / 2);
  EXPECT_EQ(one.belowRuns.size(), kAllRuns / 2);
  for (const auto& [x, y] : one.watchRuns) EXPECT_GT(x, kWidth / 2);
}

TEST(LookedAt, KernelsThatStoreRunInTheUsualOrder) {
  Scene unseen, scene;
  for (Scene* s : {&unseen, &scene}) s->below.info.hasSideEffects = s->watching.info.hasSideEffects = true;
  unseen.run(layers, false);
  scene.watching.body = scene.below.body;  // one list for both
  scene.look.watched = WatchedPlace{{{100, 80}}, {}, {}, {}};
  scene.look.x = 9, scene.look.y = 9;
  scene.run(layers);
  EXPECT_EQ(unseen.belowRuns.size(), kAllRuns);
  EXPECT_TRUE(scene.belowRuns == unseen.belowRuns);
  EXPECT_TRUE(scene.color.samples() == unseen.color.samples());
}

}  // namespace
}  // namespace etzel::raster
