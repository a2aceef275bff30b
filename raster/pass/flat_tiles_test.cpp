// Tiles that a pass leaves with one texel: its rows of them run kernels once, and hold what every pixel drawn by itself
// would.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <random>

#include "raster/pass/render_pass.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::TestImage;
using testing::TestKernel;

constexpr uint32_t kWidth = 328, kHeight = 150;  // five tiles and a part, two and a part
constexpr VkRect2D kAll{{0, 0}, {kWidth, kHeight}};

/// A triangle that covers everything, or, from its fourth vertex on, one side of the diagonal.
struct Triangle : TestKernel {
  Triangle()
      : TestKernel([](abi::Warp& w) {
          for (uint32_t i = 0; i < kWarpLanes; ++i) {
            const uint32_t vertex = w.sys[static_cast<uint32_t>(abi::SysValue::VertexIndex)][i], corner = vertex % 3;
            const float far = vertex < 3 ? 3.0f : 1.0f;
            const float position[4] = {corner == 1 ? far : -1.0f, corner == 2 ? far : -1.0f, 0.5f, 1};
            for (uint32_t c = 0; c < 4; ++c) w.out[c][i] = std::bit_cast<uint32_t>(position[c]);
          }
        }) {
    info.stage = abi::Stage::Vertex;
    info.outputLocations = 0;
    reads(abi::SysValue::VertexIndex);
  }
};

/// The colour that the draw's push constants have.
struct OneColorKernel : TestKernel {
  std::atomic<uint32_t> runs = 0;
  explicit OneColorKernel(bool one)
      : TestKernel([this](abi::Warp& w) {
          ++runs;
          const auto* color = reinterpret_cast<const uint32_t*>(w.context->pushConstants);
          for (uint32_t c = 0; c < 4; ++c)
            for (uint32_t i = 0; i < kWarpLanes; ++i) w.out[abi::kFragOutColor + c][i] = color[c];
        }) {
    oneColor = one;
  }
};

struct Step {
  enum class Kind : uint8_t { Store, Blend, ClearColor, ClearOther, ClearDepth } kind = Kind::Store;
  VkRect2D rect = kAll;
  std::array<float, 4> color{};
  bool half = false;  ///< one side of the diagonal
};
struct Use {
  std::vector<Step> steps;
  VkRect2D area = kAll;
  VkFormat format = VK_FORMAT_B8G8R8A8_UNORM;
  bool alone = true;      ///< nobody else looks at the attachments
  bool discards = false;  ///< depth, which then goes to tile memory
  bool counts = false;
};

/// What a pass leaves.
struct Left {
  std::vector<std::byte> color, other, depth;
  uint64_t invocations = 0;
  uint32_t runs = 0;
};

Left run(const Use& use, bool one, uint32_t threads = 2) {
  TestImage color(use.format, kWidth, kHeight), other(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight);
  TestImage depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight);
  for (size_t i = 0; i < color.memory.size(); ++i) color.memory[i] = static_cast<std::byte>(i * 7);
  Triangle vertex;
  OneColorKernel fragment(one);
  Statistics statistics;
  Attachments a;
  a.color[0] = &color.view, a.color[1] = &other.view, a.colorCount = 2;
  a.location[1] = Attachments::kNoLocation;
  a.depth = &depth.view;
  a.renderArea = use.area;
  if (use.alone) a.alone = 3 | Attachments::depthBit;
  if (use.discards) a.discarded = Attachments::depthBit;
  task::Pool pool(threads);
  RenderPass pass(&pool);
  pass.begin(a);
  for (const Step& step : use.steps) {
    VkClearValue value{};
    std::copy(step.color.begin(), step.color.end(), value.color.float32);
    switch (step.kind) {
      case Step::Kind::ClearColor: pass.clearAttachment(0, VK_IMAGE_ASPECT_COLOR_BIT, value, {step.rect}); continue;
      case Step::Kind::ClearOther: pass.clearAttachment(1, VK_IMAGE_ASPECT_COLOR_BIT, value, {step.rect}); continue;
      case Step::Kind::ClearDepth: pass.clearAttachment(~0u, VK_IMAGE_ASPECT_DEPTH_BIT, value, {step.rect}); continue;
      default: break;
    }
    DrawState s;
    s.vertex = &vertex, s.fragment = &fragment;
    s.attachments.location[1] = Attachments::kNoLocation;
    s.viewport[0] = {0, 0, float(kWidth), float(kHeight), 0, 1};
    s.scissor[0] = step.rect;
    s.blend[0].enable = step.kind == Step::Kind::Blend;
    s.blend[0].srcColor = VK_BLEND_FACTOR_SRC_ALPHA, s.blend[0].dstColor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    s.context.pushConstants = reinterpret_cast<const std::byte*>(step.color.data());
    s.statistics = use.counts ? &statistics : nullptr;
    DrawParams params;
    params.count = 3, params.first = step.half ? 3 : 0;
    pass.draw(s, params);
  }
  EXPECT_TRUE(pass.finish(nullptr, 0));
  Left left{color.samples(), other.samples(), {}, statistics.fragmentInvocations, fragment.runs};
  if (!use.discards) left.depth = depth.samples();
  return left;
}

/// \returns how often the kernel ran
uint32_t compare(const Use& use) {
  const Left each = run(use, false), one = run(use, true), alike = run(use, true, 1);
  EXPECT_TRUE(one.color == each.color);
  EXPECT_TRUE(one.other == each.other);
  EXPECT_TRUE(one.depth == each.depth);
  EXPECT_TRUE(alike.color == one.color);
  EXPECT_EQ(one.invocations, each.invocations);
  EXPECT_EQ(alike.runs, one.runs);
  return one.runs;
}

constexpr uint32_t kRows = 3, kTiles = 6 * kRows;
constexpr std::array<float, 4> kRed{1, 0.2f, 0.1f, 0.8f}, kGreen{0.1f, 0.9f, 0.3f, 0.4f}, kBlue{0, 0.3f, 0.7f, 0.25f};
using Kind = Step::Kind;

TEST(FlatTiles, RowsOfTilesRunTheKernelOnce) {
  EXPECT_EQ(compare({.steps = {{Kind::Store, kAll, kRed}}}), kRows);
  EXPECT_EQ(compare({.steps = {{Kind::ClearColor, kAll, kBlue}, {Kind::Store, kAll, kRed}}}), kRows);
}
TEST(FlatTiles, WhatIsBlendedWithOneTexelIsOneTexel) {
  const Step red{Kind::Blend, kAll, kRed}, green{Kind::Blend, kAll, kGreen};
  EXPECT_EQ(compare({.steps = {{Kind::ClearColor, kAll, kBlue}, red, green, red}}), 3 * kRows);
  EXPECT_EQ(compare({.steps = {{Kind::Store, kAll, kBlue}, red, green}}), 3 * kRows);
  EXPECT_EQ(compare({.steps = {{Kind::Store, kAll, kBlue}, red, green}, .format = VK_FORMAT_B8G8R8A8_SRGB}), 3 * kRows);
}
TEST(FlatTiles, WhatIsBlendedWithAPictureIsNot) { EXPECT_GE(compare({.steps = {{Kind::Blend, kAll, kRed}}}), kTiles); }
TEST(FlatTiles, WhatIsHiddenIsNotRun) {
  const Step hidden{Kind::Blend, {{70, 10}, {100, 90}}, kGreen};
  EXPECT_EQ(compare({.steps = {hidden, {Kind::Store, kAll, kRed}, {Kind::Blend, kAll, kBlue}}}), 2 * (kRows + 4));
}
TEST(FlatTiles, WhatIsCountedIsRun) {
  const Step red{Kind::Store, kAll, kRed}, blue{Kind::Blend, kAll, kBlue};
  EXPECT_EQ(compare({.steps = {red, blue}, .counts = true}), 2 * kRows);
  EXPECT_GT(compare({.steps = {red, red}, .counts = true}), 2 * kRows);
}
TEST(FlatTiles, RectanglesEndAnywhere) {
  compare({.steps = {{Kind::Store, kAll, kRed}}, .area = {{20, 30}, {275, 71}}});
  compare({.steps = {{Kind::Store, {{0, 0}, {200, 100}}, kRed}, {Kind::Store, {{130, 64}, {198, 86}}, kBlue}}});
  compare({.steps = {{Kind::Store, kAll, kRed}, {Kind::Store, kAll, kBlue, true}}});
}
TEST(FlatTiles, WhereSomebodyLooksOnEveryStepIsStored) {
  const Use use{.steps = {{Kind::ClearColor, kAll, kBlue}, {Kind::Store, kAll, kRed}}, .alone = false};
  EXPECT_GE(compare(use), kTiles);
}
TEST(FlatTiles, TileMemoryOfOthersIsLeftAlone) {
  const Step clears{Kind::ClearDepth, kAll, kRed}, red{Kind::Store, kAll, kRed};
  EXPECT_EQ(compare({.steps = {clears, red}, .discards = true}), kRows);
  // After a draw clears of depth wait for their turn.
  EXPECT_GE(compare({.steps = {red, clears, red}, .discards = true}), kTiles);
  EXPECT_EQ(compare({.steps = {red, clears, red}}), kRows);
}

TEST(FlatTiles, AnyStepsLeaveWhatEveryPixelByItselfHas) {
  std::mt19937 random(11);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random()) % n; };
  const auto span = [&](uint32_t size, int32_t& from, uint32_t& extent) {
    uint32_t a = below(size), b = below(size);
    if (a > b) std::swap(a, b);
    if (below(2)) a = a / kTileSize * kTileSize, b = std::min(size - 1, b / kTileSize * kTileSize + kTileSize - 1);
    const bool whole = below(3) == 0;
    from = whole ? 0 : static_cast<int32_t>(a), extent = whole ? size : b - a + 1;
  };
  const auto rect = [&] {
    VkRect2D r;
    span(kWidth, r.offset.x, r.extent.width), span(kHeight, r.offset.y, r.extent.height);
    return r;
  };
  for (uint32_t n = 0; n < 150; ++n) {
    Use use;
    for (uint32_t i = 1 + below(7); i-- > 0;) {
      Step step;
      step.kind = below(3) ? static_cast<Kind>(below(2)) : static_cast<Kind>(below(5));
      step.rect = rect(), step.half = below(8) == 0;
      for (float& c : step.color) c = static_cast<float>(below(256)) / 255;
      use.steps.push_back(step);
    }
    if (below(3) == 0) use.area = rect();
    if (below(3) == 0) use.format = VK_FORMAT_R8G8B8A8_SRGB;
    use.alone = below(4), use.discards = below(3) == 0, use.counts = below(3) == 0;
    compare(use);
    if (HasFailure()) FAIL() << "pass " << n;
  }
}

}  // namespace
}  // namespace etzel::raster
