// Fewer colour samples than rasterization samples, against the definition: what a plain draw covers says which colour
// samples change and by which factor.
#include <gtest/gtest.h>

#include <random>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 21, kHeight = 13;
constexpr float kColor[4] = {0.5f, 0.75f, -3.0f, 0.625f};

TestKernel constantKernel() {
  return TestKernel([](abi::Warp& w) {
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t& lane : w.out[abi::kFragOutColor + c].lane) lane = std::bit_cast<uint32_t>(kColor[c]);
  });
}

BinnedPrimitive randomWedge(const DrawRecord& draw, std::mt19937& random) {
  BinnedPrimitive p = testing::rectangle(draw, kWidth, kHeight);
  auto x = [&] { return int64_t(random() % (kWidth * 256)); };
  auto y = [&] { return int64_t(random() % (kHeight * 256)); };
  p.edgeCount = 2;
  p.edge[0] = edgeThrough(x(), y(), x(), y());
  p.edge[1] = edgeThrough(x(), y(), x(), y());
  return p;
}

/// The samples that the primitive covers, a mask for each pixel.
std::vector<uint32_t> coverageOf(BinnedPrimitive p, uint32_t samples, bool best) {
  TestImage image(VK_FORMAT_R32G32B32A32_SFLOAT, kWidth, kHeight, samples);
  TestKernel kernel = constantKernel();
  DrawRecord draw;
  draw.state.fragment = &kernel, draw.state.samples = samples;
  draw.state.attachments.color[0] = &image.view, draw.state.attachments.colorCount = 1;
  Arena arena;
  prepareDraw(draw, arena);
  p.draw = &draw;
  std::vector<BinnedPrimitive> list{p};
  EXPECT_TRUE(Runner(best).run(draw.state.attachments, list, kWidth, kHeight));
  std::vector<uint32_t> masks;
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) {
      masks.push_back(0);
      for (uint32_t s = 0; s < samples; ++s)
        masks.back() |= uint32_t(image.texel(x, y, s).word[0] == std::bit_cast<uint32_t>(kColor[0])) << s;
    }
  return masks;
}

/// One setting of the state: every colour sample of every pixel.
void expectReduced(uint32_t samples, uint32_t stored, const CoverageState& state, bool blend, bool perSample,
                   uint32_t seed) {
  for (const bool best : {false, true}) {
    std::mt19937 random(seed);
    TestImage image(VK_FORMAT_R32G32B32A32_SFLOAT, kWidth, kHeight, stored);
    TestKernel kernel = constantKernel();
    kernel.info.sampleRate = perSample;
    DrawRecord draw;
    draw.state.fragment = &kernel, draw.state.samples = samples, draw.state.coverage = state;
    draw.state.attachments.color[0] = &image.view, draw.state.attachments.colorCount = 1;
    BlendAttachment& b = draw.state.blend[0];
    b.enable = blend, b.dstColor = b.dstAlpha = VK_BLEND_FACTOR_ONE;
    Arena arena;
    prepareDraw(draw, arena);
    std::vector<BinnedPrimitive> list{randomWedge(draw, random)};
    const std::vector<uint32_t> masks = coverageOf(list[0], samples, best);
    ASSERT_TRUE(Runner(best).run(draw.state.attachments, list, kWidth, kHeight));
    const bool truncates = state.reduction == CoverageReduction::Truncate;
    const uint32_t ratio = samples / stored;
    for (uint32_t y = 0; y < kHeight; ++y)
      for (uint32_t x = 0; x < kWidth; ++x)
        for (uint32_t k = 0; k < stored; ++k) {
          uint32_t count = 0;
          for (uint32_t s = k; s < (truncates ? k + 1 : samples); s += stored) count += masks[y * kWidth + x] >> s & 1;
          const uint32_t invocations = perSample && count ? count : 1;
          const uint32_t each = perSample && count ? 1 : count;
          const format::Texel texel = image.texel(x, y, k);
          for (uint32_t c = 0; c < 4; ++c) {
            float factor = count ? 1 : 0;
            const bool modulated = state.modulation == VK_COVERAGE_MODULATION_MODE_RGBA_NV ||
                                   (state.modulation == VK_COVERAGE_MODULATION_MODE_RGB_NV && c < 3) ||
                                   (state.modulation == VK_COVERAGE_MODULATION_MODE_ALPHA_NV && c == 3);
            if (modulated && !truncates && count)
              factor = state.modulationTable ? state.table[each - 1] : float(each) / float(ratio);
            float want = kColor[c] * factor;
            for (uint32_t i = 1; blend && i < invocations; ++i) want += kColor[c] * factor;
            ASSERT_EQ(std::bit_cast<float>(texel.word[c]), want)
                << x << ' ' << y << " sample " << k << " component " << c << " covered " << count;
          }
        }
  }
}

TEST(CoverageReduction, TheWedgesHaveWholeAndPartlyCoveredPixels) {
  DrawRecord draw;
  uint32_t whole = 0, partly = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    for (uint32_t mask : coverageOf(randomWedge(draw, random), 4, true)) {
      whole += mask == 15;
      partly += mask != 0 && mask != 15;
    }
  }
  EXPECT_GT(whole, 500u);
  EXPECT_GT(partly, 200u);
}

TEST(CoverageReduction, EveryCombinationFollowsTheDefinition) {
  uint32_t seed = 0;
  for (uint32_t samples : {1u, 2u, 4u, 8u, 16u})
    for (uint32_t stored = 1; stored <= samples; stored *= 2)
      for (CoverageReduction reduction : {CoverageReduction::Merge, CoverageReduction::Truncate})
        for (uint32_t mode = 0; mode < 4; ++mode)
          for (uint32_t flags = 0; flags < 8; ++flags) {
            CoverageState state;
            state.reduction = reduction;
            state.modulation = VkCoverageModulationModeNV(mode);
            state.modulationTable = flags & 1;
            for (uint32_t i = 0; i < 16; ++i) state.table[i] = float(i * 5 % 16 + 1) / 16;
            SCOPED_TRACE(::testing::Message() << samples << " to " << stored << ", reduction " << int(reduction)
                                              << ", modulation " << mode << ", flags " << flags);
            expectReduced(samples, stored, state, flags & 2, flags & 4 && samples > 1, ++seed);
            if (HasFatalFailure()) return;
          }
}

TEST(CoverageReduction, TheMaskReplacesTheFirstComponent) {
  for (VkFormat format : {VK_FORMAT_R32_UINT, VK_FORMAT_R16G16_UINT, VK_FORMAT_R8_UINT, VK_FORMAT_R8G8B8A8_SINT,
                          VK_FORMAT_A2B10G10R10_UINT_PACK32})
    for (uint32_t samples : {1u, 2u, 4u, 8u, 16u})
      for (uint32_t stored : {1u, samples}) {
        SCOPED_TRACE(::testing::Message() << format << ' ' << samples << ' ' << stored);
        std::mt19937 random(samples);
        TestImage image(format, kWidth, kHeight, stored);
        TestKernel kernel([](abi::Warp& w) {
          for (uint32_t c = 0; c < 4; ++c)
            for (uint32_t& lane : w.out[abi::kFragOutColor + c].lane) lane = 1;
        });
        DrawRecord draw;
        draw.state.fragment = &kernel, draw.state.samples = samples;
        draw.state.coverage.toColor = true;
        draw.state.attachments.color[0] = &image.view, draw.state.attachments.colorCount = 1;
        Arena arena;
        prepareDraw(draw, arena);
        std::vector<BinnedPrimitive> list{randomWedge(draw, random)};
        const std::vector<uint32_t> masks = coverageOf(list[0], samples, true);
        ASSERT_TRUE(Runner().run(draw.state.attachments, list, kWidth, kHeight));
        const format::Channel& first = format::find(format)->channel[0];
        const bool isSigned = format::find(format)->numeric == format::Numeric::Sint;
        for (uint32_t y = 0; y < kHeight; ++y)
          for (uint32_t x = 0; x < kWidth; ++x)
            for (uint32_t k = 0; k < stored; ++k) {
              const uint32_t mask = masks[y * kWidth + x];
              uint32_t want = first.bits < 32 ? mask & ((1u << first.bits) - 1) : mask;
              if (isSigned) want = uint32_t(int32_t(int8_t(want)));
              const bool covered = stored == 1 ? mask != 0 : mask >> k & 1;
              ASSERT_EQ(image.texel(x, y, k).word[0], covered ? want : 0) << x << ' ' << y << ' ' << k;
            }
      }
}

}  // namespace
}  // namespace etzel::raster
