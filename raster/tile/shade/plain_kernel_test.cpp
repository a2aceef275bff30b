// Kernels that run all groups of a block in one call, against the same kernels one group at a time: several targets and
// locations, formats, places that shaders read, edges, blending.
#include <gtest/gtest.h>

#include <random>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 100, kHeight = 76;  // with blocks that are cut off

struct Options {
  std::vector<VkFormat> formats;
  std::vector<uint32_t> locations;  ///< of the targets; the shader writes those and the last one's successor
  bool readsPlace = false, discards = false, blend = false, best = true;
  bool readsPlanes = false;  ///< abi::kPlaneSysValues
  /// What the colour depends on unless readsPlace.
  abi::SysValue place[2] = {abi::SysValue::PosX, abi::SysValue::PosY};
  bool sampleRate = false;
  uint32_t samples = 1;
};
struct Result {
  std::vector<std::vector<std::byte>> colors;
  uint32_t calls = 0;
};

/// A colour that depends on the place, by the names that the options have for it.
void shade(const Options& o, abi::Warp& w, uint64_t locations) {
  const auto at = [&](abi::SysValue v, uint32_t i) {
    return std::bit_cast<float>(w.sys[static_cast<uint32_t>(v)].lane[i]);
  };
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const float x = at(o.readsPlace ? abi::SysValue::FragCoordX : o.place[0], i);
    const float y = at(o.readsPlace ? abi::SysValue::FragCoordY : o.place[1], i);
    const float plane[4] = {at(abi::SysValue::FragCoordZ, i), at(abi::SysValue::FragCoordW, i),
                            at(abi::SysValue::PointCoordX, i), at(abi::SysValue::PointCoordY, i)};
    for (uint32_t l = 0; l < 16; ++l)
      for (uint32_t c = 0; c < 4 && locations >> l & 1; ++c)
        w.out[abi::kFragOutColor + 4 * l + c].lane[i] = std::bit_cast<uint32_t>(
            o.readsPlanes ? plane[c] : (x + y * static_cast<float>(c)) / static_cast<float>(200 + 50 * l));
    if (o.discards && static_cast<uint32_t>(x * y) % 7 == 0) w.killed |= 1u << i & w.active;
  }
}

Result draw(const Options& o, bool together) {
  std::vector<std::unique_ptr<TestImage>> images;
  DrawRecord draw;
  DrawState& s = draw.state;
  s.samples = s.attachments.samples = o.samples;
  uint64_t locations = 0;
  for (size_t i = 0; i < o.formats.size(); ++i) {
    images.push_back(std::make_unique<TestImage>(o.formats[i], kWidth, kHeight, o.samples));
    s.attachments.color[i] = &images[i]->view, s.attachments.location[i] = static_cast<uint8_t>(o.locations[i]);
    locations |= uint64_t{3} << o.locations[i];
    BlendAttachment& b = s.blend[i];
    b.enable = o.blend, b.srcColor = VK_BLEND_FACTOR_SRC_ALPHA, b.dstColor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  }
  s.attachments.colorCount = static_cast<uint32_t>(images.size());
  TestKernel kernel([&](abi::Warp& w) { shade(o, w, locations); });
  kernel.info.outputLocations = locations, kernel.info.discards = o.discards;
  kernel.info.sampleRate = o.sampleRate, kernel.reads(o.place[0]), kernel.reads(o.place[1]);
  if (o.readsPlace) kernel.reads(abi::SysValue::FragCoordX), kernel.reads(abi::SysValue::FragCoordY);
  for (const abi::SysValue v :
       {abi::SysValue::FragCoordZ, abi::SysValue::FragCoordW, abi::SysValue::PointCoordX, abi::SysValue::PointCoordY})
    if (o.readsPlanes) kernel.reads(v);
  if (together) kernel.runsTogether();
  s.fragment = &kernel;
  Arena arena;
  prepareDraw(draw, arena);
  EXPECT_EQ(draw.tile->colorCount, images.size());
  std::mt19937 random(5);
  const auto place = [&](int32_t size) { return static_cast<int64_t>(random() % static_cast<uint32_t>(size * 256)); };
  std::vector<BinnedPrimitive> list;
  for (uint32_t i = 0; i < 6; ++i) {
    BinnedPrimitive& p = list.emplace_back(testing::rectangle(draw, kWidth, kHeight));
    p.z0 = 0.1f, p.dzdx = 0.7f / kWidth, p.dzdy = -0.3f / kHeight;
    p.setup.x0 = 3.25f, p.setup.y0 = -1.5f;
    p.setup.l1dx = 0.9f / kWidth, p.setup.l2dy = 0.8f / kHeight, p.setup.w[1] = 0.3f, p.setup.w[2] = 0.6f;
    p.isPoint = i % 2, p.pointX = 41.5f, p.pointY = 33.25f, p.pointInvSize = 1.0f / 90;
    if (i % 3 == 0) continue;
    list.back().edgeCount = 1;
    list.back().edge[0] = edgeThrough(place(kWidth), place(kHeight), place(kWidth), place(kHeight));
  }
  EXPECT_TRUE(Runner(o.best).run(s.attachments, list, kWidth, kHeight));
  Result r;
  for (const auto& image : images) r.colors.push_back(image->samples());
  r.calls = kernel.calls;
  return r;
}

void compare(Options o) {
  for (const bool best : {true, false})
    for (const uint32_t samples : {1u, 4u})
      for (const uint32_t flags : {0u, 1u, 2u, 4u, 7u}) {
        o.best = best, o.samples = samples;
        o.readsPlace = flags & 1, o.discards = flags & 2, o.blend = flags & 4;
        const Result each = draw(o, false), all = draw(o, true);
        EXPECT_EQ(each.calls, 0u);
        EXPECT_GT(all.calls, 0u);
        ASSERT_EQ(each.colors, all.colors) << samples << " samples, flags " << flags;
      }
}

TEST(PlainKernel, GroupsTogetherGiveBytes) { compare({{VK_FORMAT_B8G8R8A8_SRGB}, {0}}); }
TEST(PlainKernel, GroupsTogetherGiveHalves) { compare({{VK_FORMAT_R16G16B16A16_SFLOAT}, {1}}); }
TEST(PlainKernel, GroupsTogetherGiveFloats) {
  compare({{VK_FORMAT_R32_SFLOAT}, {0}});
  compare({{VK_FORMAT_R32G32B32A32_SFLOAT}, {0}});
}
TEST(PlainKernel, GroupsTogetherGiveOtherWords) { compare({{VK_FORMAT_A2B10G10R10_UNORM_PACK32}, {0}}); }
TEST(PlainKernel, GroupsTogetherGiveSeveralColors) {
  compare({{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_SFLOAT}, {0, 1, 2}});
}
TEST(PlainKernel, GroupsTogetherGiveColorsInAnyOrder) {
  compare({{VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8B8A8_UNORM}, {6, 1, 3}});
}
TEST(PlainKernel, GroupsTogetherSeeTheirDepthAndPlaceInAPoint) {
  Options o{{VK_FORMAT_R32G32B32A32_SFLOAT}, {0}};
  o.readsPlanes = true;
  compare(o);
  o.formats = {VK_FORMAT_B8G8R8A8_SRGB};
  compare(o);
}
TEST(PlainKernel, GroupsTogetherAreAtTheirCentroids) {
  Options o{{VK_FORMAT_R32G32B32A32_SFLOAT}, {0}};
  o.place[0] = abi::SysValue::CentroidX, o.place[1] = abi::SysValue::CentroidY;
  compare(o);
  o.formats = {VK_FORMAT_B8G8R8A8_UNORM};
  compare(o);
}
TEST(PlainKernel, GroupsTogetherKnowTheirSample) {
  Options o{{VK_FORMAT_R32G32B32A32_SFLOAT}, {0}};
  o.sampleRate = true, o.place[0] = abi::SysValue::SamplePosX, o.place[1] = abi::SysValue::FragCoordY;
  compare(o);
  o.formats = {VK_FORMAT_B8G8R8A8_UNORM};
  compare(o);
}
TEST(PlainKernel, LocationsFarApartAreShadedGroupByGroup) {
  Options o{{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM}, {0, 9}};
  const Result each = draw(o, false), all = draw(o, true);
  EXPECT_EQ(all.calls, 0u);
  EXPECT_EQ(each.colors, all.colors);
}

}  // namespace
}  // namespace etzel::raster
