// Whole blocks of draws whose kernels and alphas leave samples out, and of sample shading at less than the full rate,
// against the same draws group by group: colours, depth, and what queries count.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 100, kHeight = 76;  // with blocks that are cut off

struct Options {
  std::vector<VkFormat> formats = {VK_FORMAT_B8G8R8A8_UNORM};
  VkFormat depth = VK_FORMAT_D32_SFLOAT;  ///< undefined: there is none
  VkCompareOp compare = VK_COMPARE_OP_LESS;
  uint32_t samples = 1;
  float rate = 0;  ///< of sample shading
  uint32_t outputs = 7;
  bool writesDepth = true, discards = false, alphaToCoverage = false, blend = false, early = false;
  bool compressed = true, together = true, best = true;
};
struct Result {
  std::vector<std::vector<std::byte>> images;
  uint64_t invocations = 0, passed = 0;
};

void shade(const Options& o, abi::Warp& w) {
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const auto at = [&](abi::SysValue v) { return std::bit_cast<float>(w.sys[static_cast<uint32_t>(v)].lane[i]); };
    const float x = at(abi::SysValue::PosX), y = at(abi::SysValue::PosY), corner = w.primitive->x0;
    // Alphas of all kinds, whole groups with all samples and with none among them.
    const float alpha = x < 30 ? 1 : y < 20 ? 0 : x * y / static_cast<float>(kWidth * kHeight);
    for (uint32_t l = 0; l < 3; ++l)
      for (uint32_t c = 0; c < 4; ++c)
        w.out[abi::kFragOutColor + 4 * l + c].lane[i] = std::bit_cast<uint32_t>(
            c == 3 ? alpha : (corner + x + y * static_cast<float>(c)) / static_cast<float>(220 + 50 * l));
    if (o.discards && (static_cast<uint32_t>(x * 3 + y) % 5 == 0 || x > 80)) w.killed |= 1u << i & w.active;
  }
}

/// Primitives over and through each other, whole ones and cut ones.
std::vector<BinnedPrimitive> primitives(const DrawRecord& draw) {
  std::mt19937 random(11);
  const auto part = [&] { return static_cast<float>(random() % 1000) / 1000; };
  const auto place = [&](int32_t size) { return static_cast<int64_t>(random() % static_cast<uint32_t>(size * 256)); };
  std::vector<BinnedPrimitive> list;
  for (uint32_t i = 0; i < 8; ++i) {
    BinnedPrimitive& p = list.emplace_back(testing::rectangle(draw, kWidth, kHeight, part()));
    p.setup.x0 = static_cast<float>(10 * i);
    p.dzdx = (part() - 0.5f) / kWidth, p.dzdy = (part() - 0.5f) / kHeight;
    if (i % 3 == 0) continue;
    p.edgeCount = 1;
    p.edge[0] = edgeThrough(place(kWidth), place(kHeight), place(kWidth), place(kHeight));
  }
  return list;
}

Result draw(const Options& o, bool whole) {
  std::vector<std::unique_ptr<TestImage>> images;
  DrawRecord draw;
  DrawState& s = draw.state;
  Statistics statistics;
  s.statistics = &statistics, s.countSamples = true;
  s.samples = s.attachments.samples = o.samples;
  s.sampleShading = o.rate > 0, s.minSampleShading = o.rate;
  s.alphaToCoverage = o.alphaToCoverage;
  for (uint32_t i = 0; i < o.formats.size(); ++i) {
    images.push_back(std::make_unique<TestImage>(o.formats[i], kWidth, kHeight, o.samples));
    if (!o.compressed) images.back()->dropCompression();
    s.attachments.color[i] = &images[i]->view, s.attachments.location[i] = static_cast<uint8_t>(i);
    BlendAttachment& b = s.blend[i];
    b.enable = o.blend, b.srcColor = VK_BLEND_FACTOR_SRC_ALPHA, b.dstColor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  }
  s.attachments.colorCount = static_cast<uint32_t>(o.formats.size());
  if (o.depth != VK_FORMAT_UNDEFINED) {
    images.push_back(std::make_unique<TestImage>(o.depth, kWidth, kHeight, o.samples));
    for (uint32_t y = 0; y < kHeight; ++y)
      for (uint32_t x = 0; x < kWidth; ++x)
        for (uint32_t k = 0; k < o.samples; ++k)
          images.back()->set({{std::bit_cast<uint32_t>(o.compare == VK_COMPARE_OP_GREATER ? 0.0f : 1.0f)}}, x, y, k);
    s.attachments.depth = &images.back()->view;
    s.depthTest = true, s.depthWrite = o.writesDepth, s.depthCompare = o.compare;
  }
  TestKernel kernel([&](abi::Warp& w) { shade(o, w); });
  kernel.info.outputLocations = o.outputs, kernel.info.discards = o.discards, kernel.info.earlyFragmentTests = o.early;
  if (!whole) kernel.reads(abi::SysValue::SamplePosX);  // which differs from sample to sample: no groups together
  if (o.together) kernel.runsTogether();
  s.fragment = &kernel;
  Arena arena;
  prepareDraw(draw, arena);
  EXPECT_EQ(draw.tile->wholeBlocks, whole && (o.compressed || o.samples == 1));
  std::vector<BinnedPrimitive> list = primitives(draw);
  EXPECT_TRUE(Runner(o.best).run(s.attachments, list, kWidth, kHeight));
  EXPECT_EQ(kernel.calls > 0, draw.tile->wholeBlocks && o.together);
  Result r;
  for (const auto& image : images) r.images.push_back(image->samples());
  r.invocations = statistics.fragmentInvocations, r.passed = statistics.samplesPassed;
  return r;
}

void compare(Options o) {
  for (const bool best : {true, false})
    for (const bool together : {true, false})
      for (const uint32_t samples : {1u, 4u, 8u}) {
        if (o.rate > 0 && samples == 1) continue;
        o.best = best, o.together = together, o.samples = samples;
        const Result groups = draw(o, false), blocks = draw(o, true);
        ASSERT_EQ(groups.images, blocks.images) << samples << " samples";
        EXPECT_EQ(groups.invocations, blocks.invocations) << samples << " samples";
        EXPECT_EQ(groups.passed, blocks.passed) << samples << " samples";
        EXPECT_GT(groups.passed, 0u);
      }
}

TEST(ShadeWhole, DiscardsLeaveWhatTheyLeaveGroupByGroup) {
  for (const VkFormat depth : {VK_FORMAT_D32_SFLOAT, VK_FORMAT_D16_UNORM, VK_FORMAT_UNDEFINED})
    for (const bool writes : {true, false}) {
      Options o;
      o.depth = depth, o.writesDepth = writes, o.discards = true;
      compare(o);
    }
}
TEST(ShadeWhole, DepthPassesDiscardToo) {
  Options o;
  o.formats = {}, o.outputs = 0, o.discards = true;
  compare(o);
}
TEST(ShadeWhole, ColorsThatNoTargetTakesHarmNothing) {
  Options o;
  o.formats = {}, o.outputs = 6, o.discards = true;
  compare(o);
}
TEST(ShadeWhole, AlphaLeavesWhatItLeavesGroupByGroup) {
  for (const VkCompareOp op : {VK_COMPARE_OP_LESS, VK_COMPARE_OP_GREATER, VK_COMPARE_OP_ALWAYS})
    for (const bool discards : {false, true}) {
      Options o;
      o.compare = op, o.discards = discards, o.alphaToCoverage = true;
      compare(o);
    }
}
TEST(ShadeWhole, SeveralTargetsGetTheirColors) {
  for (const bool blend : {false, true}) {
    Options o;
    o.formats = {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R32_SFLOAT};
    o.alphaToCoverage = true, o.blend = blend;
    compare(o);
  }
}
TEST(ShadeWhole, SampleShadingAtHalfAndQuarterOfTheRateGivesEachSampleItsColor) {
  for (const float rate : {0.26f, 0.5f})
    for (const bool alpha : {false, true}) {
      Options o;
      o.rate = rate, o.alphaToCoverage = alpha, o.blend = alpha;
      compare(o);
    }
}
TEST(ShadeWhole, TestsThatComeFirstAreNotUndoneByDiscards) {
  Options o;
  o.discards = o.early = o.alphaToCoverage = true;
  compare(o);
}
TEST(ShadeWhole, SamplesThatAreStoredApartAreShadedGroupByGroup) {
  Options o;
  o.alphaToCoverage = true, o.compressed = false, o.samples = 4;
  EXPECT_EQ(draw(o, false).images, draw(o, true).images);
}

/// Draws a block with all samples of all pixels shaded by a few invocations each, then one half of it once more, cut by
/// an edge. Calls look() with the target's surface after each.
template <class Look>
void drawTwice(VkFormat format, uint32_t samples, float rate, const Look& look) {
  TestImage image(format, 8, 8, samples);
  DrawRecord draw;
  DrawState& s = draw.state;
  s.samples = s.attachments.samples = samples;
  s.sampleShading = true, s.minSampleShading = rate;
  s.attachments.color[0] = &image.view, s.attachments.colorCount = 1;
  TestKernel kernel([&](abi::Warp& w) { shade({}, w); });
  kernel.runsTogether();
  s.fragment = &kernel;
  Arena arena;
  prepareDraw(draw, arena);
  ASSERT_TRUE(draw.tile->replacesSubsets);
  const msaa::FragmentSurface surface = surfaceOf(&image.view).fragments(0);
  for (const bool cut : {false, true}) {
    std::vector<BinnedPrimitive> list = {testing::rectangle(draw, 8, 8)};
    if (cut) list[0].edgeCount = 1, list[0].edge[0] = edgeThrough(4 * 256 + 77, 8 * 256, 4 * 256 - 77, 0);
    EXPECT_TRUE(Runner().run(s.attachments, list, 8, 8));
    look(surface);
  }
}

TEST(ShadeWhole, EachInvocationOfAPixelMakesOneFragment) {
  for (const VkFormat format : {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16_UNORM})
    for (const uint32_t samples : {4u, 8u, 16u})
      for (const float rate : {0.26f, 0.5f}) {
        const uint32_t count = std::bit_ceil(static_cast<uint32_t>(std::ceil(rate * static_cast<float>(samples))));
        if (count == samples || count > kMaxSubsets) continue;
        bool first = true;
        drawTwice(format, samples, rate, [&](const msaa::FragmentSurface& surface) {
          if (!std::exchange(first, false)) return;
          EXPECT_EQ(surface.state(0), msaa::makeState(msaa::TileKind::General, count - 1));
          for (uint32_t pixel = 0; pixel < 64; ++pixel)
            for (uint32_t k = 0; k < samples; ++k)
              EXPECT_EQ(msaa::fragmentOf(surface.maskAt(pixel % 8, pixel / 8), k, samples), k * count / samples);
        });
      }
}
TEST(ShadeWhole, AFewPixelsWithManyFragmentsDoNotExpandATileOfOthers) {
  drawTwice(VK_FORMAT_R8G8B8A8_UNORM, 8, 0.25f, [&](const msaa::FragmentSurface& surface) {
    EXPECT_EQ(msaa::kindOf(surface.state(0)), msaa::TileKind::General);
  });
}

}  // namespace
}  // namespace etzel::raster
