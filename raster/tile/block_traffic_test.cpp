// What the tile code says it moved: against numbers counted by hand, against a model of samples for random draws, and
// against plain surfaces, where both sides of the account have to be the same.
#include <gtest/gtest.h>

#include <random>

#include "raster/attachment/clear.h"
#include "raster/tile/test_scene.h"
#include "runtime/msaa/traffic.h"
#include "runtime/transfer/transfer.h"

namespace etzel::raster {
namespace {

using msaa::Moved;
using msaa::Work;
using testing::edgeThrough;
using testing::rectangle;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 75, kHeight = 41;

/// Writes a colour; kills lanes of odd pixels where `discards`.
struct ColorKernel : TestKernel {
  explicit ColorKernel(bool discards)
      : TestKernel([discards](abi::Warp& warp) {
          for (uint32_t i = 0; i < kWarpLanes; ++i)
            for (uint32_t c = 0; c < 4; ++c) warp.out[abi::kFragOutColor + c][i] = std::bit_cast<uint32_t>(0.5f);
          if (discards) warp.killed |= 0xAAu;  // lanes of odd columns
        }) {
    info.discards = discards;
  }
};

/// One draw after another to a colour and a depth image, counted.
struct Scene {
  TestImage color, depth;
  Arena arena;
  std::vector<std::unique_ptr<DrawRecord>> records;
  Attachments attachments;

  explicit Scene(uint32_t samples)
      : color(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, samples),
        depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight, samples) {
    attachments.color[0] = &color.view;
    attachments.colorCount = 1;
    attachments.depth = &depth.view;
    attachments.samples = samples;
    attachments.renderArea = {{0, 0}, {kWidth, kHeight}};
    msaa::countTraffic(true);
  }
  ~Scene() { msaa::countTraffic(false); }

  static constexpr VkRect2D kAll{{0, 0}, {kWidth, kHeight}};
  void clear() {
    const VkClearColorValue blue{{0, 0, 1, 1}};
    clearColorRect(color.view, blue, kAll, 0, reserveClearColor(color.view, blue, kAll, 0, true));
    clearDepthRect(depth.view, 1, kAll, 0);
  }
  DrawRecord& record(const TestKernel* kernel) {
    records.push_back(std::make_unique<DrawRecord>());
    DrawState& s = records.back()->state;
    s.fragment = kernel;
    s.samples = attachments.samples;
    s.attachments = attachments;
    return *records.back();
  }
  void draw(DrawRecord& r, float z, const std::vector<Edge>& edges, bool best = true) {
    prepareDraw(r, arena);
    std::vector<BinnedPrimitive> primitives{rectangle(r, kWidth, kHeight, z)};
    primitives[0].edgeCount = static_cast<uint8_t>(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) primitives[0].edge[i] = edges[i];
    ASSERT_TRUE(Runner(best).run(attachments, primitives, kWidth, kHeight));
  }
  Moved moved(const TestImage& image, Work work = Work::Draw) const {
    return msaa::trafficOf(surfaceOf(&image.view).base).moved[static_cast<uint32_t>(work)];
  }
};

uint64_t tiles() { return uint64_t{(kWidth + 7) / 8} * ((kHeight + 7) / 8); }

TEST(Traffic, NothingIsCountedUnlessAsked) {
  const ColorKernel kernel(false);
  Scene scene(4);
  msaa::countTraffic(false);
  scene.clear();
  scene.draw(scene.record(&kernel), 0.5f, {});
  EXPECT_EQ(scene.moved(scene.color), Moved{});
  EXPECT_EQ(scene.moved(scene.color, Work::Clear), Moved{});
}

TEST(Traffic, AClearTouchesStates) {
  Scene scene(8);
  scene.clear();
  const uint64_t plain = uint64_t{kWidth} * kHeight * 32;
  EXPECT_EQ(scene.moved(scene.color, Work::Clear), (Moved{0, 0, 0, tiles(), 0, plain}));
  EXPECT_EQ(scene.moved(scene.depth, Work::Clear), (Moved{0, 0, 0, 5 * tiles(), 0, plain}));
}

TEST(Traffic, FullCoverageWritesEachPixelOnce) {
  const ColorKernel kernel(false);
  for (const bool best : {false, true}) {
    Scene scene(8);
    scene.draw(scene.record(&kernel), 0.5f, {}, best);  // tiles of new memory have one fragment
    const uint64_t pixels = uint64_t{kWidth} * kHeight;
    EXPECT_EQ(scene.moved(scene.color), (Moved{0, pixels * 4, tiles(), 0, 0, pixels * 32}));
    EXPECT_EQ(scene.moved(scene.depth), Moved{});  // not tested
    scene.draw(scene.record(&kernel), 0.5f, {}, best);
    EXPECT_EQ(scene.moved(scene.color), (Moved{0, 2 * pixels * 4, 2 * tiles(), 0, 0, 2 * pixels * 32}));
  }
}

TEST(Traffic, DiscardedPixelsDoNotCount) {
  const ColorKernel kernel(true);
  Scene scene(4);
  scene.draw(scene.record(&kernel), 0.5f, {});
  const uint64_t pixels = uint64_t{(kWidth + 1) / 2} * kHeight;
  EXPECT_EQ(scene.moved(scene.color), (Moved{0, pixels * 4, tiles(), 0, 0, pixels * 16}));
}

TEST(Traffic, InvocationsForSeveralSamplesWriteAFragmentEach) {
  TestKernel kernel([](abi::Warp& warp) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      const uint32_t sample = warp.sys[static_cast<uint32_t>(abi::SysValue::SampleId)][i];
      for (uint32_t c = 0; c < 4; ++c)
        warp.out[abi::kFragOutColor + c][i] = std::bit_cast<uint32_t>(static_cast<float>(sample));
      if (warp.sampleShare) warp.sampleShare->lane[i] &= i == 0 ? 1u << sample : ~0u;
    }
  });
  kernel.info.sampleRate = kernel.info.sharesSamples = true;
  kernel.reads(abi::SysValue::SampleId);
  Scene scene(2);
  scene.clear();
  scene.draw(scene.record(&kernel), 0.5f, {});
  // One pixel of eight has two fragments. Tiles over the image's border get the clear colour first.
  const Moved m = scene.moved(scene.color);
  const uint64_t pixels = uint64_t{kWidth} * kHeight;
  uint64_t edges = 0;
  for (int32_t y = 0; y < kHeight; y += 2) edges += (kWidth + 3) / 4;
  const uint64_t border = pixels - uint64_t{kWidth / 8} * (kHeight / 8) * 64;
  EXPECT_EQ(m.texelsWritten, (pixels + edges + border) * 4);
  EXPECT_EQ(m.plainWritten, pixels * 8);
  // A state, an edge word and the masks: a word for each of two samples.
  EXPECT_EQ(m.metaWritten, tiles() * (1 + 8 + 16));
}

TEST(Traffic, DepthKeepsPlanes) {
  const ColorKernel kernel(false);
  Scene scene(8);
  scene.clear();
  DrawRecord& r = scene.record(&kernel);
  r.state.depthTest = r.state.depthWrite = true;
  r.state.depthCompare = VK_COMPARE_OP_LESS;
  scene.draw(r, 0.5f, {});
  const uint64_t plain = uint64_t{kWidth} * kHeight * 32;
  Moved m = scene.moved(scene.depth);
  EXPECT_EQ(m.plainRead, plain);
  EXPECT_EQ(m.plainWritten, plain);
  // Whole blocks become planes; those over the image's border are tested sample by sample.
  const uint64_t whole = uint64_t{kWidth / 8} * (kHeight / 8), rest = plain - whole * 64 * 32;
  EXPECT_EQ(m.texelsRead, rest);
  EXPECT_EQ(m.texelsWritten, 2 * rest);  // expanded, then written
  EXPECT_EQ(m.metaRead, 5 * tiles());
  EXPECT_EQ(m.metaWritten, 33 * whole + (tiles() - whole));
  // What is hidden writes nothing.
  DrawRecord& behind = scene.record(&kernel);
  behind.state.depthTest = behind.state.depthWrite = true;
  behind.state.depthCompare = VK_COMPARE_OP_LESS;
  const Moved color = scene.moved(scene.color);
  scene.draw(behind, 0.75f, {});
  EXPECT_EQ(scene.moved(scene.depth).plainWritten, plain);
  EXPECT_EQ(scene.moved(scene.depth).texelsWritten, m.texelsWritten);
  EXPECT_EQ(scene.moved(scene.color), color);
}

TEST(Traffic, CopiesKeepCompression) {
  constexpr uint32_t kSide = 64, kTiles = kSide * kSide / 64;
  TestImage from(VK_FORMAT_R8G8B8A8_UNORM, kSide, kSide, 8), to(VK_FORMAT_R8G8B8A8_UNORM, kSide, kSide, 8);
  msaa::countTraffic(true);
  const VkClearColorValue blue{{0, 0, 1, 1}};
  const VkRect2D left{{0, 0}, {kSide / 2, kSide}};
  clearColorRect(from.view, blue, left, 0, reserveClearColor(from.view, blue, left, 0, true));
  VkImageCopy2 region{};
  region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.extent = {kSide, kSide, 1};
  transfer::copyImage(nullptr, {&from.layout, from.memory.data()}, {&to.layout, to.memory.data()}, region);
  const auto copied = [](const TestImage& image) {
    return msaa::trafficOf(surfaceOf(&image.view).base).moved[static_cast<uint32_t>(Work::Copy)];
  };
  // Half of the tiles are clear: the copy gets their colour in its texels.
  const uint64_t texels = kTiles / 2 * 256, plain = kSide * kSide * 32;
  EXPECT_EQ(copied(from), (Moved{texels + kTiles / 2 * 4, 0, kTiles, 0, plain, 0}));
  EXPECT_EQ(copied(to), (Moved{0, 2 * texels, 0, kTiles, 0, plain}));
  // Between tiles every sample moves; the tiles of the destination have been expanded before.
  region.extent = {8, 8, 1};
  region.dstOffset = {4, 4, 0};
  region.srcOffset = {kSide - 8, kSide - 8, 0};
  transfer::copyImage(nullptr, {&from.layout, from.memory.data()}, {&to.layout, to.memory.data()}, region);
  const Moved second = copied(to);
  EXPECT_EQ(second.plainWritten, plain + 64 * 32);
  EXPECT_EQ(second.texelsWritten, 2 * texels + 4 * 7 * 256 + 64 * 32);
  EXPECT_EQ(second.texelsRead, 4u * 256);
  msaa::countTraffic(false);
}

/// Pixels that a half plane covers in part, and the distinct colours that random writes leave.
TEST(Traffic, RandomDrawsMatchAModelOfSamples) {
  std::mt19937 random(7);
  uint32_t exact = 0;
  for (const uint32_t samples : {2u, 4u, 8u, 16u}) {
    for (uint32_t round = 0; round < 40; ++round) {
      Scene scene(samples), plain(samples);
      plain.color.dropCompression(), plain.depth.dropCompression();
      msaa::countTraffic(true);
      const bool blends = round % 2, discards = round % 5 == 4;
      const ColorKernel kernel(discards);
      const SamplePositions& at = standardSamplePositions(samples);
      uint64_t covered = 0, distinct = 0;
      for (uint32_t k = 0; k < 3; ++k) {
        const auto point = [&] {
          return std::pair<int64_t, int64_t>(random() % (kWidth * 256), random() % (kHeight * 256));
        };
        const auto [x0, y0] = point();
        auto [x1, y1] = point();
        if (x0 == x1 && y0 == y1) ++x1;
        const Edge edge = edgeThrough(x0, y0, x1, y1);
        const uint32_t mask = random() % 4 ? ~0u : static_cast<uint32_t>(random());
        // Fragments that a blend finds are those that the surface says.
        const msaa::FragmentSurface before = surfaceOf(&scene.color.view).fragments(0);
        for (int32_t y = 0; y < kHeight; ++y)
          for (int32_t x = 0; x < kWidth; ++x) {
            if (discards && x % 2) continue;
            msaa::SampleMask pixel = 0;
            for (uint32_t s = 0; s < samples; ++s) {
              const int64_t px = x * 256 + at.x[s] * 16, py = y * 256 + at.y[s] * 16;
              if ((mask >> s & 1) && edge.a * px + edge.b * py + edge.c >= 0) pixel |= 1u << s;
            }
            covered += static_cast<uint64_t>(std::popcount(pixel));
            if (!pixel) continue;
            if (!blends) {
              ++distinct;
              continue;
            }
            const msaa::FragmentSplit split =
                msaa::splitFragments(before.maskAt(uint32_t(x), uint32_t(y)), pixel, samples);
            for (uint32_t i = 0; i < split.count; ++i) distinct += split.step[i].from == split.step[i].to ? 1 : 2;
          }
        for (Scene* s : {&scene, &plain}) {
          DrawRecord& r = s->record(&kernel);
          r.state.sampleMask = mask;
          if (blends) {
            r.state.blend[0].enable = true;
            r.state.blend[0].dstColor = r.state.blend[0].dstAlpha = VK_BLEND_FACTOR_ONE;
          }
          s->draw(r, 0.5f, {edge}, round % 3 == 0);
        }
      }
      const Moved m = scene.moved(scene.color), p = plain.moved(plain.color);
      EXPECT_EQ(p.plainWritten, covered * 4);
      EXPECT_EQ(p.plainRead, blends ? covered * 4 : 0);
      EXPECT_EQ(p.texelsWritten, p.plainWritten);
      EXPECT_EQ(p.texelsRead, p.plainRead);
      EXPECT_EQ(p.metaRead + p.metaWritten, 0u);
      EXPECT_EQ(m.plainWritten, p.plainWritten);
      EXPECT_EQ(m.plainRead, p.plainRead);
      // Tiles that expanded move more; without them the model is exact.
      bool expanded = false;
      const msaa::FragmentSurface after = surfaceOf(&scene.color.view).fragments(0);
      for (uint32_t t = 0; t < tiles(); ++t) expanded |= msaa::kindOf(after.state(t)) == msaa::TileKind::Expanded;
      if (expanded) continue;
      ++exact;
      EXPECT_EQ(m.texelsWritten, distinct * 4) << samples << " samples, round " << round;
      EXPECT_EQ(m.texelsRead, blends ? distinct * 4 : 0);
    }
  }
  EXPECT_GT(exact, 100u);
}

}  // namespace
}  // namespace etzel::raster
