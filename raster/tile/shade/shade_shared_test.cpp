// Invocations that stand for several samples give the bytes of one invocation per sample, and are fewer.
#include <gtest/gtest.h>

#include <random>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 75, kHeight = 37;

/// A picture of few colours a pixel: which of them a sample shows, and what a shader makes of it.
struct Picture {
  uint32_t samples, seed;
  uint32_t colorOf(uint32_t x, uint32_t y, uint32_t sample) const {
    const uint32_t h = (x * 0x9E3779B1u ^ y * 0x85EBCA77u ^ seed) * 0xC2B2AE3Du;
    if ((h >> 28) < 9 || (x / 8 + y / 8) % 3 == 0) return 0;  // no edge here
    return h >> (sample * 7 % 23) & 3;
  }
  uint32_t sharing(uint32_t x, uint32_t y, uint32_t sample) const {
    uint32_t same = 0;
    for (uint32_t s = 0; s < samples; ++s) same |= (colorOf(x, y, s) == colorOf(x, y, sample) ? 1u : 0u) << s;
    return same;
  }
};

struct Options {
  uint32_t samples;
  bool best, share;  ///< share: the texture unit knows of samples that show the same
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  uint32_t targets = 1;
  bool blend = false, depth = false, discards = false, mask = false, alphaToCoverage = false, feedback = false;
};

struct Result {
  std::vector<std::byte> color[2], depth;
  uint64_t invocations = 0, passed = 0, lanes = 0;
};

/// Draws triangles, the first over everything, each with another picture.
Result drawAll(const Options& o, uint32_t seed) {
  Result r;
  TestImage target[2] = {{o.format, kWidth, kHeight, o.samples},
                         {VK_FORMAT_B8G8R8A8_UNORM, kWidth, kHeight, o.samples}};
  TestImage depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight, o.samples);
  Picture picture{o.samples, seed};
  TestKernel kernel([&](abi::Warp& w) {
    const auto sys = [&](abi::SysValue v) { return w.sys[static_cast<uint32_t>(v)]; };
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      if (!(w.active >> i & 1) || (w.helper >> i & 1)) continue;
      ++r.lanes;
      const auto x = static_cast<uint32_t>(std::bit_cast<float>(sys(abi::SysValue::FragCoordX)[i]));
      const auto y = static_cast<uint32_t>(std::bit_cast<float>(sys(abi::SysValue::FragCoordY)[i]));
      EXPECT_EQ(std::bit_cast<float>(sys(abi::SysValue::PosX)[i]), static_cast<float>(x) + 0.5f);
      EXPECT_EQ(std::bit_cast<float>(sys(abi::SysValue::PosY)[i]), static_cast<float>(y) + 0.5f);
      const uint32_t sample = sys(abi::SysValue::SampleId)[i], color = picture.colorOf(x, y, sample);
      EXPECT_LT(sample, o.samples);
      uint32_t same = picture.sharing(x, y, sample);
      float old = 0;
      if (o.feedback) {  // reads what it is about to write
        const msaa::FragmentSurface s = surfaceOf(&target[0].view).fragments(0);
        old = static_cast<float>(static_cast<uint8_t>(*s.sampleTexel(x, y, sample))) / 512;
        for (uint32_t k = 0; k < o.samples; ++k)
          if (s.sampleTexel(x, y, k) != s.sampleTexel(x, y, sample)) same &= ~(1u << k);
      }
      if (w.sampleShare) w.sampleShare->lane[i] &= o.share ? same : 1u << sample;
      for (uint32_t t = 0; t < o.targets; ++t)
        for (uint32_t c = 0; c < 4; ++c)
          w.out[abi::kFragOutColor + 4 * t + c][i] = std::bit_cast<uint32_t>(
              old + static_cast<float>((color + 1) * (c + 1 + t) % 7) / 7 + static_cast<float>((x ^ y) & 3) / 64);
      if (o.mask) w.out[abi::kFragOutSampleMask][i] = 0xB6D5 >> color;
      if (o.discards && color == 2) w.killed |= 1u << i;
    }
  });
  kernel.info.sampleRate = kernel.info.sharesSamples = true;
  kernel.info.outputLocations = (1u << o.targets) - 1;
  kernel.info.discards = o.discards, kernel.info.writesSampleMask = o.mask;
  for (auto v : {abi::SysValue::FragCoordX, abi::SysValue::FragCoordY, abi::SysValue::SampleId}) kernel.reads(v);

  Statistics statistics;
  DrawRecord draw;
  DrawState& s = draw.state;
  s.samples = s.attachments.samples = o.samples;
  s.fragment = &kernel;
  s.statistics = &statistics, s.countSamples = true;
  s.alphaToCoverage = o.alphaToCoverage;
  s.attachments.colorCount = o.targets;
  for (uint32_t t = 0; t < o.targets; ++t) {
    s.attachments.color[t] = &target[t].view;
    if (o.blend)
      s.blend[t].enable = true, s.blend[t].srcColor = VK_BLEND_FACTOR_SRC_ALPHA,
      s.blend[t].dstColor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  }
  if (o.depth) {
    s.attachments.depth = &depth.view;
    s.depthTest = s.depthWrite = true, s.depthCompare = VK_COMPARE_OP_GREATER_OR_EQUAL;
  }
  Arena arena;
  prepareDraw(draw, arena);
  EXPECT_TRUE(draw.tile->sharesSamples);
  std::mt19937 random(seed);
  for (uint32_t i = 0; i < 5; ++i) {
    std::vector<BinnedPrimitive> list{testing::rectangle(draw, kWidth, kHeight, static_cast<float>(random() % 8) / 8)};
    if (i) {
      const auto place = [&](int32_t size) {
        return static_cast<int64_t>(random() % static_cast<uint32_t>(size * 256));
      };
      list[0].edgeCount = 1;
      list[0].edge[0] = edgeThrough(place(kWidth), place(kHeight), place(kWidth), place(kHeight));
    }
    EXPECT_TRUE(Runner(o.best).run(s.attachments, list, kWidth, kHeight));
    picture.seed += 12345;
  }
  for (uint32_t t = 0; t < o.targets; ++t) r.color[t] = target[t].samples();
  r.depth = depth.samples();
  r.invocations = statistics.fragmentInvocations, r.passed = statistics.samplesPassed;
  return r;
}

void compare(Options o) {
  for (uint32_t samples : {2u, 4u, 8u, 16u}) {
    o.samples = samples, o.best = false, o.share = false;
    const Result each = drawAll(o, samples + 7);
    for (bool best : {false, true}) {
      o.best = best, o.share = true;
      const Result shared = drawAll(o, samples + 7);
      for (uint32_t t = 0; t < o.targets; ++t) ASSERT_EQ(each.color[t], shared.color[t]) << samples << " samples";
      ASSERT_EQ(each.depth, shared.depth) << samples << " samples";
      // Queries see the invocations that sample shading promises.
      EXPECT_EQ(each.invocations, shared.invocations);
      EXPECT_EQ(each.passed, shared.passed);
      EXPECT_LT(shared.lanes, each.lanes * (samples > 2 ? 3 : 4) / 4) << samples << " samples";
    }
  }
}

TEST(SharedShading, StoresTheSameColors) { compare({}); }
TEST(SharedShading, StoresTheSameColorsInSeveralTargets) { compare({.targets = 2}); }
TEST(SharedShading, StoresOtherFormats) {
  for (VkFormat f : {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16,
                     VK_FORMAT_R32G32B32A32_SFLOAT})
    compare({.format = f});
}
TEST(SharedShading, BlendsTheSameColors) { compare({.blend = true}); }
TEST(SharedShading, TestsDepthPerSample) {
  compare({.depth = true});
  compare({.depth = true, .discards = true});
}
TEST(SharedShading, DiscardsEverySampleThatItStandsFor) { compare({.discards = true}); }
TEST(SharedShading, MasksSamplesOneByOne) {
  compare({.mask = true});
  compare({.alphaToCoverage = true});
}
TEST(SharedShading, MayReadItsTarget) { compare({.feedback = true}); }

/// The colours themselves, by a model of the first draw.
TEST(SharedShading, EverySampleGetsItsColor) {
  for (uint32_t samples : {2u, 4u, 8u, 16u}) {
    const Picture picture{samples, 3};
    TestImage target(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, samples);
    TestKernel kernel([&](abi::Warp& w) {
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        const auto at = [&](abi::SysValue v) { return w.sys[static_cast<uint32_t>(v)][i]; };
        const auto x = static_cast<uint32_t>(std::bit_cast<float>(at(abi::SysValue::FragCoordX)));
        const auto y = static_cast<uint32_t>(std::bit_cast<float>(at(abi::SysValue::FragCoordY)));
        const uint32_t sample = at(abi::SysValue::SampleId);
        w.sampleShare->lane[i] &= picture.sharing(x, y, sample);
        const float value = static_cast<float>(picture.colorOf(x, y, sample) + 1) / 5;
        w.out[abi::kFragOutColor][i] = std::bit_cast<uint32_t>(value);
      }
    });
    kernel.info.sampleRate = kernel.info.sharesSamples = true;
    DrawRecord draw;
    draw.state.samples = draw.state.attachments.samples = samples;
    draw.state.fragment = &kernel;
    draw.state.attachments.color[0] = &target.view, draw.state.attachments.colorCount = 1;
    Arena arena;
    prepareDraw(draw, arena);
    std::vector<BinnedPrimitive> list{testing::rectangle(draw, kWidth, kHeight)};
    ASSERT_TRUE(Runner().run(draw.state.attachments, list, kWidth, kHeight));
    for (uint32_t s = 0; s < samples; ++s)
      for (uint32_t y = 0; y < kHeight; ++y)
        for (uint32_t x = 0; x < kWidth; ++x) {
          const float got = std::bit_cast<float>(target.texel(x, y, s).word[0]);
          ASSERT_NEAR(got, static_cast<float>(picture.colorOf(x, y, s) + 1) / 5, 1e-3) << x << ", " << y << " of " << s;
        }
  }
}

}  // namespace
}  // namespace etzel::raster
