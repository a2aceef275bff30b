// What a probe is told, against numbers computed by hand, and against what the tile code has stored; and that nobody
// can tell from the bytes that there was one.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "raster/pixel_probe.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::rectangle;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 70, kHeight = 20;
constexpr uint32_t word(float v) { return std::bit_cast<uint32_t>(v); }

struct Recorder final : PixelProbe {
  std::vector<FragmentVisit> fragments;
  std::vector<ClearVisit> clears;
  uint32_t tiles = 0;
  std::optional<WatchedPlace> watched;
  const abi::Kernel* watching = nullptr;  ///< there, in all draws
  Recorder(int32_t px, int32_t py) { x = px, y = py; }
  std::optional<WatchedPlace> place() const override { return watched; }
  const abi::Kernel* kernelOf(const DrawRecord&) const override { return watching; }
  void fragment(const FragmentVisit& visit) override { fragments.push_back(visit); }
  void cleared(const ClearVisit& visit) override { clears.push_back(visit); }
  void tileDone(const PixelContents*) override { ++tiles; }
};

float channel(const PixelContents& p, uint32_t sample, uint32_t c) {
  return static_cast<float>(std::to_integer<uint32_t>(p.texel[sample][c])) / 255;
}
float depthOf(const PixelContents& p, uint32_t sample) {
  float depth;
  std::memcpy(&depth, p.texel[sample], sizeof depth);
  return depth;
}

/// Red with an alpha; lanes of `discards` are discarded.
TestKernel::Body redKernel(float alpha, LaneMask discards = 0) {
  return [=](abi::Warp& warp) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      const float color[4] = {1, 0, 0, alpha};
      for (uint32_t c = 0; c < 4; ++c) warp.out[abi::kFragOutColor + c][i] = word(color[c]);
    }
    warp.killed = discards & warp.active;
  };
}

/// RGBA8 and D32 with some samples, and one draw to them.
struct Scene {
  TestImage color, depth;
  TestKernel kernel;
  DrawRecord record;
  Arena arena;
  Scene(uint32_t samples, TestKernel::Body body)
      : color(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, samples),
        depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight, samples),
        kernel(std::move(body)) {
    DrawState& s = record.state;
    s.fragment = &kernel;
    s.samples = samples;
    s.viewport[0] = {0, 0, kWidth, kHeight, 0, 1};
    s.scissor[0] = {{0, 0}, {kWidth, kHeight}};
    s.attachments.color[0] = &color.view;
    s.attachments.colorCount = 1;
    s.attachments.depth = &depth.view;
    s.attachments.samples = samples;
    s.attachments.renderArea = {{0, 0}, {kWidth, kHeight}};
  }
  void run(PixelProbe* probe, std::vector<BinnedPrimitive> primitives) {
    record.state.attachments.probe = probe;
    prepareDraw(record, arena);
    ASSERT_TRUE(Runner().run(record.state.attachments, primitives, kWidth, kHeight));
  }
};

BinnedPrimitive leftOf(const DrawRecord& draw, int64_t x256, float z) {
  BinnedPrimitive p = rectangle(draw, kWidth, kHeight, z);
  p.edgeCount = 1;
  p.edge[0] = edgeThrough(x256, kHeight * 256, x256, 0);  // upwards: the inside is on its left side
  if (p.edge[0].a > 0) p.edge[0] = edgeThrough(x256, 0, x256, kHeight * 256);
  return p;
}

TEST(ProbedTile, TellsCoverageAndValuesOfASampleEdge) {
  // Samples of a pixel at 4x lie 6, 14, 2 and 10 sixteenths from its left: an edge at 8 covers samples 0 and 2.
  Scene scene(4, redKernel(1));
  Recorder recorder(5, 3);
  scene.run(&recorder, {leftOf(scene.record, 5 * 256 + 128, 0.5f)});
  ASSERT_EQ(recorder.fragments.size(), 1u);
  const FragmentVisit& v = recorder.fragments[0];
  EXPECT_EQ(v.covered, 0b0101u);
  EXPECT_EQ(v.survivors, 0b0101u);
  ASSERT_EQ(v.results.size(), 1u);
  EXPECT_EQ(v.results[0].color[0][0], word(1.0f));
  EXPECT_FALSE(v.results[0].discarded);
  for (uint32_t s = 0; s < 4; ++s) {
    EXPECT_EQ(channel(v.before[0], s, 0), 0.0f);
    EXPECT_EQ(channel(v.after[0], s, 0), s % 2 == 0 ? 1.0f : 0.0f);
  }
  EXPECT_EQ(v.before[0].mask, 0u);
  EXPECT_NE(v.after[0].mask, 0u);
  EXPECT_EQ(recorder.tiles, 1u);
}

TEST(ProbedTile, TellsWhichTestTookASample) {
  Scene scene(4, redKernel(1));
  DrawState& s = scene.record.state;
  s.depthTest = s.depthWrite = true;
  s.depthCompare = VK_COMPARE_OP_LESS;
  format::Texel near{{word(0.25f)}}, far{{word(1.0f)}};
  for (uint32_t k = 0; k < 4; ++k) scene.depth.set(k == 1 ? near : far, 9, 9, k);
  s.sampleMask = 0b1110;
  Recorder recorder(9, 9);
  scene.run(&recorder, {rectangle(scene.record, kWidth, kHeight, 0.5f)});
  ASSERT_EQ(recorder.fragments.size(), 1u);
  const FragmentVisit& v = recorder.fragments[0];
  EXPECT_EQ(v.covered, 0b1111u);
  EXPECT_EQ(v.sample[0].end, SampleEnd::SampleMask);
  EXPECT_EQ(v.sample[1].end, SampleEnd::Depth);
  EXPECT_EQ(v.sample[1].depth, word(0.5f));
  EXPECT_EQ(v.sample[1].storedDepth, word(0.25f));
  EXPECT_EQ(v.survivors, 0b1100u);
  EXPECT_EQ(depthOf(v.after[Attachments::depthIndex], 0), 1.0f);
  EXPECT_EQ(depthOf(v.after[Attachments::depthIndex], 1), 0.25f);
  EXPECT_EQ(depthOf(v.after[Attachments::depthIndex], 2), 0.5f);
}

TEST(ProbedTile, TellsDiscardsAndAlphaToCoverage) {
  for (const bool discards : {false, true}) {
    Scene scene(4, redKernel(0.5f, discards ? kAllLanes : 0));
    scene.kernel.info.discards = true;
    scene.record.state.alphaToCoverage = true;
    Recorder recorder(0, 0);
    scene.run(&recorder, {rectangle(scene.record, kWidth, kHeight)});
    ASSERT_EQ(recorder.fragments.size(), 1u);
    const FragmentVisit& v = recorder.fragments[0];
    EXPECT_EQ(v.survivors, discards ? 0u : 0b0011u);  // half of four samples
    EXPECT_EQ(v.sample[3].end, discards ? SampleEnd::Discard : SampleEnd::AlphaToCoverage);
    EXPECT_EQ(v.sample[0].end, discards ? SampleEnd::Discard : SampleEnd::Kept);
  }
}

TEST(ProbedTile, SeesWhatScissorsCutOffAndCutsIt) {
  Scene scene(4, redKernel(1));
  scene.record.state.scissor[0] = {{0, 0}, {30, kHeight}};
  for (const int32_t x : {29, 30}) {
    Recorder recorder(x, 2);
    scene.run(&recorder, {rectangle(scene.record, kWidth, kHeight)});
    ASSERT_EQ(recorder.fragments.size(), 1u);
    EXPECT_EQ(recorder.fragments[0].sample[0].end, x == 29 ? SampleEnd::Kept : SampleEnd::Scissor);
    EXPECT_EQ(scene.color.texel(29, 2).word[0], word(1.0f));
    EXPECT_EQ(scene.color.texel(30, 2).word[0], word(0.0f));
  }
}

TEST(ProbedTile, TellsEachInvocationOfSampleShading) {
  Scene scene(4, [](abi::Warp& warp) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      const float id = static_cast<float>(warp.sys[static_cast<uint32_t>(abi::SysValue::SampleId)][i]);
      warp.out[abi::kFragOutColor][i] = word(id / 5);
    }
  });
  scene.kernel.info.sampleRate = true;
  scene.kernel.reads(abi::SysValue::SampleId);
  Recorder recorder(64, 7);  // the second tile
  scene.run(&recorder, {leftOf(scene.record, 64 * 256 + 176, 0)});
  ASSERT_EQ(recorder.fragments.size(), 1u);
  const FragmentVisit& v = recorder.fragments[0];
  EXPECT_EQ(v.covered, 0b1101u);  // all but the one at 14 sixteenths
  ASSERT_EQ(v.results.size(), 3u);
  const uint32_t ids[] = {0, 2, 3};
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(v.results[i].samples, 1u << ids[i]);
    EXPECT_EQ(v.results[i].color[0][0], word(static_cast<float>(ids[i]) / 5));
    EXPECT_EQ(channel(v.after[0], ids[i], 0), static_cast<float>(ids[i]) / 5);
  }
}

/// A scene that numbers choose.
struct RandomScene {
  std::mt19937 random;
  Scene scene;
  std::vector<BinnedPrimitive> primitives;
  explicit RandomScene(uint32_t seed) : random(seed), scene(1u << seed % 5, kernelOf(seed)) {
    DrawState& s = scene.record.state;
    const auto chance = [&](uint32_t of) { return random() % of == 0; };
    scene.kernel.info.discards = seed & 8;
    s.depthTest = !chance(4);
    s.depthWrite = !chance(3);
    s.depthCompare = static_cast<VkCompareOp>(random() % 8);
    s.depthBoundsTest = chance(4);
    s.depthBoundsMin = 0.2f, s.depthBoundsMax = 0.8f;
    s.alphaToCoverage = chance(3);
    if (chance(3)) s.sampleMask = random();
    if (chance(3)) s.scissor[0] = {{int32_t(random() % 40), int32_t(random() % 10)}, {uint32_t(random() % 60), 12}};
    for (int i = 0; i < 12; ++i) {
      BinnedPrimitive p = rectangle(scene.record, kWidth, kHeight, static_cast<float>(random() % 1000) / 1000);
      p.dzdx = (static_cast<float>(random() % 100) - 50) / 1000;
      const auto point = [&](int32_t size) { return int64_t(random() % uint32_t(size * 256)); };
      p.edgeCount = 1;
      p.edge[0] = edgeThrough(point(kWidth), point(kHeight), point(kWidth), point(kHeight));
      primitives.push_back(p);
    }
  }
  static TestKernel::Body kernelOf(uint32_t seed) {
    return redKernel(static_cast<float>(seed % 7) / 6, seed & 8 ? static_cast<LaneMask>(seed * 37) : 0);
  }
};

void checkStory(const FragmentVisit& v, const DepthStencilState& ds) {
  for (uint32_t s = 0; s < v.samples; ++s) {
    const bool kept = v.survivors >> s & 1;
    const auto same = [&](uint32_t i) { return !std::memcmp(v.before[i].texel[s], v.after[i].texel[s], 4); };
    if (kept) {
      EXPECT_EQ(channel(v.after[0], s, 0), 1.0f);
      if (ds.depthWrite) {
        EXPECT_EQ(word(depthOf(v.after[Attachments::depthIndex], s)), v.sample[s].depth);
      }
    } else {
      EXPECT_TRUE(same(0)) << "sample " << s << " ended by " << static_cast<int>(v.sample[s].end);
    }
    if (!kept || !ds.depthWrite) {
      EXPECT_TRUE(same(Attachments::depthIndex));
    }
  }
}

TEST(ProbedTile, StoriesAgreeWithWhatIsStoredAndBytesWithThoseOfNoProbe) {
  size_t told = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    RandomScene with(seed), without(seed);
    Recorder recorder(static_cast<int32_t>(with.random() % kWidth), static_cast<int32_t>(with.random() % kHeight));
    TestKernel watching(RandomScene::kernelOf(seed));
    watching.info = with.scene.kernel.info;
    watching.reads(abi::SysValue::SampleMaskIn);
    if (seed % 3) {  // a pixel of another block, of the same one, or everything
      recorder.watching = &watching, recorder.watched.emplace();
      if (seed % 2) recorder.watched->pixel.emplace(with.random() % kWidth, with.random() % kHeight);
    }
    for (BinnedPrimitive& p : without.primitives) {
      // Where nobody looks the front end cuts.
      const VkRect2D& r = without.scene.record.state.scissor[0];
      p.minX = r.offset.x, p.maxX = std::min<int32_t>(kWidth, r.offset.x + int32_t(r.extent.width));
      p.minY = r.offset.y, p.maxY = std::min<int32_t>(kHeight, r.offset.y + int32_t(r.extent.height));
    }
    std::erase_if(without.primitives, [](const auto& p) { return p.minX >= p.maxX || p.minY >= p.maxY; });
    with.scene.run(&recorder, with.primitives);
    without.scene.run(nullptr, without.primitives);
    ASSERT_EQ(with.scene.color.samples(), without.scene.color.samples()) << "seed " << seed;
    ASSERT_EQ(with.scene.depth.samples(), without.scene.depth.samples()) << "seed " << seed;
    for (const FragmentVisit& v : recorder.fragments) checkStory(v, with.scene.record.tile->depthStencil);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    told += recorder.fragments.size();
  }
  EXPECT_GT(told, 500u);
}

}  // namespace
}  // namespace etzel::raster
