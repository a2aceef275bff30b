// Fragments of several pixels leave what pixels would whose invocations all computed what that of the fragment does.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 92, kHeight = 71;  // the last tiles, blocks and fragments are cut

struct Options {
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  std::function<void(DrawState&, abi::ProgramInfo&)> change = [](DrawState&, abi::ProgramInfo&) {};
};

struct Fragment {
  float x, y;      ///< its centre
  uint32_t first;  ///< bit of its pixel's first sample in its masks; 0 where fragments are larger
};
/// That of a lane: of the pixel itself, or of those around it.
Fragment fragmentOf(const abi::Warp& w, uint32_t lane, ShadingRate rate, bool coarse, uint32_t samples) {
  const auto place = [&](abi::SysValue v) { return std::bit_cast<float>(w.sys[static_cast<uint32_t>(v)][lane]); };
  const auto width = static_cast<float>(1u << logWidthOf(rate)), height = static_cast<float>(1u << logHeightOf(rate));
  const float x = place(abi::SysValue::PosX), y = place(abi::SysValue::PosY);
  Fragment f = {(std::floor(x / width) + 0.5f) * width, (std::floor(y / height) + 0.5f) * height, 0};
  if (coarse) return f;
  const auto column = static_cast<uint32_t>(std::fmod(std::floor(x), width));
  const auto row = static_cast<uint32_t>(std::fmod(std::floor(y), height));
  const uint32_t pixels = 1u << (logWidthOf(rate) + logHeightOf(rate));
  f.first = samples * (pixels - 1 - (column + (row << logWidthOf(rate))));
  return f;
}

/// All outputs, from where the fragment is and what primitive it belongs to.
void shade(abi::Warp& w, const abi::ProgramInfo& info, ShadingRate rate, bool coarse, uint32_t samples) {
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const Fragment f = fragmentOf(w, i, rate, coarse, samples);
    std::minstd_rand random(static_cast<uint32_t>(f.x * 2 + f.y * 977) + static_cast<uint32_t>(w.primitive->x0));
    random.discard(3);
    const auto unit = [&] { return static_cast<float>(random() % 256) / 255; };
    for (uint32_t c = 0; c < 8; ++c) w.out[abi::kFragOutColor + c][i] = std::bit_cast<uint32_t>(unit());
    if (info.writesDepth) w.out[abi::kFragOutDepth][i] = std::bit_cast<uint32_t>(unit());
    if (info.writesStencilRef) w.out[abi::kFragOutStencilRef][i] = random() % 4;
    if (info.writesSampleMask) w.out[abi::kFragOutSampleMask][i] = static_cast<uint32_t>(random() * 3) >> f.first;
    if (info.discards && random() % 4 == 0) w.killed |= static_cast<LaneMask>(1u << i);
  }
}

struct Result {
  std::vector<std::byte> color, second, depth, stencil;
  uint64_t invocations = 0, samplesPassed = 0;
};

Result drawAll(const Options& o, uint32_t samples, ShadingRate rate, bool coarse, bool best) {
  TestImage target(o.format, kWidth, kHeight, samples), second(VK_FORMAT_R32_SFLOAT, kWidth, kHeight, samples),
      depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight, samples), stencil(VK_FORMAT_S8_UINT, kWidth, kHeight, samples);
  abi::ProgramInfo* info = nullptr;
  TestKernel kernel([&](abi::Warp& w) { shade(w, *info, rate, coarse, samples); });
  info = &kernel.info;
  kernel.info.outputLocations = 3;
  Statistics statistics;
  DrawRecord draw;
  DrawState& s = draw.state;
  s.samples = s.attachments.samples = samples;
  s.fragment = &kernel;
  s.statistics = &statistics, s.countSamples = true;
  s.attachments.colorCount = 2;
  s.attachments.color[0] = &target.view, s.attachments.color[1] = &second.view;
  s.attachments.depth = &depth.view, s.attachments.stencil = &stencil.view;
  o.change(s, kernel.info);
  if (coarse) s.shadingRate = rate;
  Arena arena;
  prepareDraw(draw, arena);
  EXPECT_EQ(draw.tile->rates.vary, coarse && rate != 0);
  std::mt19937 random(samples + rate);
  std::vector<BinnedPrimitive> list;
  for (uint32_t i = 0; i < 7; ++i) {
    list.push_back(testing::rectangle(draw, kWidth, kHeight, static_cast<float>(random() % 8) / 8));
    list.back().setup.x0 = static_cast<float>(random() % 1000);
    list.back().dzdx = static_cast<float>(i % 3) / 200;
    const auto place = [&](int32_t size) { return static_cast<int64_t>(random() % static_cast<uint32_t>(size * 256)); };
    if (i % 3) {
      list.back().edgeCount = 1;
      list.back().edge[0] = edgeThrough(place(kWidth), place(kHeight), place(kWidth), place(kHeight));
    }
    list.back().minX = static_cast<int32_t>(random() % 9);
  }
  EXPECT_TRUE(Runner(best).run(s.attachments, list, kWidth, kHeight));
  return {target.samples(),        second.samples(), depth.samples(), stencil.samples(), statistics.fragmentInvocations,
          statistics.samplesPassed};
}

void compare(const Options& o) {
  for (uint32_t samples : {1u, 2u, 4u, 8u, 16u})
    for (uint32_t size = 1; size < kShadingRates; ++size) {
      const auto rate = static_cast<ShadingRate>(size);
      if (!isRate(logWidthOf(rate), logHeightOf(rate), samples)) continue;
      SCOPED_TRACE(std::to_string(samples) + " samples, rate " + std::to_string(size));
      const Result fine = drawAll(o, samples, rate, false, true), got = drawAll(o, samples, rate, true, true);
      ASSERT_EQ(got.color, fine.color);
      ASSERT_EQ(got.second, fine.second);
      ASSERT_EQ(got.depth, fine.depth);
      ASSERT_EQ(got.stencil, fine.stencil);
      ASSERT_EQ(got.samplesPassed, fine.samplesPassed);
      EXPECT_LT(got.invocations, fine.invocations);
      ASSERT_EQ(drawAll(o, samples, rate, true, false).color, got.color);
    }
}

TEST(ShadeCoarse, ColorsGoToAllPixelsOfAFragment) {
  compare({});
  compare({.format = VK_FORMAT_R32G32B32A32_SFLOAT});
}
/// The shortest way, of one target of bytes.
TEST(ShadeCoarse, BytesGoToAllPixelsOfAFragment) {
  for (bool discards : {false, true})
    compare({.change = [discards](DrawState& s, abi::ProgramInfo& info) {
      s.attachments.colorCount = 1, info.outputLocations = 1;
      info.discards = discards;
      s.depthTest = s.depthWrite = !discards, s.depthCompare = VK_COMPARE_OP_GREATER_OR_EQUAL;
    }});
}
TEST(ShadeCoarse, ColorsAreBlendedPixelByPixel) {
  compare({.change = [](DrawState& s, abi::ProgramInfo&) {
    s.blend[0].enable = true, s.blend[0].srcColor = VK_BLEND_FACTOR_SRC_ALPHA;
    s.blend[0].dstColor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  }});
}
TEST(ShadeCoarse, DepthIsThatOfSamples) {
  compare({.change = [](DrawState& s, abi::ProgramInfo&) {
    s.depthTest = s.depthWrite = true, s.depthCompare = VK_COMPARE_OP_GREATER_OR_EQUAL;
  }});
}
TEST(ShadeCoarse, DiscardedFragmentsLeaveNothing) {
  compare({.change = [](DrawState& s, abi::ProgramInfo& info) {
    info.discards = true;
    s.depthTest = s.depthWrite = true, s.depthCompare = VK_COMPARE_OP_GREATER_OR_EQUAL;
  }});
}
TEST(ShadeCoarse, DepthAndStencilOfTheShaderAreThoseOfAllItsPixels) {
  compare({.change = [](DrawState& s, abi::ProgramInfo& info) {
    info.writesDepth = info.writesStencilRef = true;
    s.depthTest = s.depthWrite = s.stencilTest = true, s.depthCompare = VK_COMPARE_OP_GREATER;
    s.front.compare = VK_COMPARE_OP_GREATER_OR_EQUAL, s.front.pass = VK_STENCIL_OP_REPLACE;
  }});
}
TEST(ShadeCoarse, MasksTakeSamplesAway) {
  compare({.change = [](DrawState& s, abi::ProgramInfo& info) {
    info.writesSampleMask = true;
    s.sampleMask = 0xB6D5;
    s.depthTest = s.depthWrite = true, s.depthCompare = VK_COMPARE_OP_GREATER_OR_EQUAL;
  }});
}
TEST(ShadeCoarse, AlphaCoversAsInPixels) {
  compare({.change = [](DrawState& s, abi::ProgramInfo&) { s.alphaToCoverage = true; }});
}
TEST(ShadeCoarse, CountedTestsComeFirstWhereTheShaderSaysSo) {
  compare({.change = [](DrawState& s, abi::ProgramInfo& info) {
    info.earlyFragmentTests = info.discards = true;
    s.depthTest = s.depthWrite = true, s.depthCompare = VK_COMPARE_OP_LESS_OR_EQUAL, s.depthBoundsTest = true;
  }});
}

/// The rates of nine tiles, in an attachment with a texel for each of 64x64 pixels.
TEST(ShadeCoarse, AttachmentsAndPrimitivesHaveRates) {
  TestImage target(VK_FORMAT_R32_UINT, 192, 192), rates(VK_FORMAT_R8_UINT, 3, 3);
  for (uint32_t i = 0; i < 9; ++i) {
    format::Texel t{};
    t.word[0] = makeRate(i % 3, i / 3);
    rates.set(t, i % 3, i / 3);
  }
  TestKernel kernel(
      [](abi::Warp& w) { w.out[abi::kFragOutColor] = w.sys[static_cast<uint32_t>(abi::SysValue::ShadingRate)]; });
  kernel.reads(abi::SysValue::ShadingRate);
  TestKernel vertex([](abi::Warp&) {});
  vertex.info.writesShadingRate = true;
  DrawRecord draw;
  DrawState& s = draw.state;
  s.fragment = &kernel, s.vertex = &vertex;
  s.attachments.colorCount = 1;
  s.attachments.color[0] = &target.view;
  s.attachments.shadingRate = &rates.view, s.attachments.shadingRateTexel = {64, 64};
  s.shadingRateCombiner[0] = VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR;
  s.shadingRateCombiner[1] = VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR;
  Arena arena;
  prepareDraw(draw, arena);
  uint32_t record[abi::kRecordWords] = {};
  record[abi::kWordShadingRate] = makeRate(1, 0);
  std::vector<BinnedPrimitive> list = {testing::rectangle(draw, 192, 192)};
  list[0].setup.flatRecord = record;
  EXPECT_TRUE(Runner().run(s.attachments, list, 192, 192));
  for (uint32_t i = 0; i < 9; ++i) {
    const uint32_t x = i % 3, y = i / 3;
    EXPECT_EQ(target.texel(64 * x + 5, 64 * y + 60).word[0],
              combineRates(makeRate(1, 0), makeRate(x, y), s.shadingRateCombiner[1], 1))
        << x << "," << y;
  }
}

}  // namespace
}  // namespace etzel::raster
