// What the invocation of another sample is said to begin with, against what it does begin with.
#include "raster/tile/probe/sibling_samples.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using abi::SysValue;
using testing::edgeThrough;
using testing::rectangle;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 16, kHeight = 8;
constexpr SysValue kOfSamples[] = {
    SysValue::PosX,         SysValue::PosY,       SysValue::CentroidX,  SysValue::CentroidY,   SysValue::SamplePixelX,
    SysValue::SamplePixelY, SysValue::FragCoordX, SysValue::FragCoordY, SysValue::FragCoordZ,  SysValue::FragCoordW,
    SysValue::SampleId,     SysValue::SamplePosX, SysValue::SamplePosY, SysValue::SampleMaskIn};

struct Silent final : PixelProbe {
  Silent(int32_t px, int32_t py) { x = px, y = py; }
  void fragment(const FragmentVisit&) override {}
  void cleared(const ClearVisit&) override {}
  void tileDone(const PixelContents*) override {}
};

/// How a warp begins: its lanes, and the values above in each of them.
struct Beginning {
  LaneMask active = 0, helper = 0;
  std::vector<LaneWords> values;
};
Beginning beginningOf(const abi::Warp& warp) {
  Beginning b{warp.active, warp.helper, {}};
  for (const SysValue v : kOfSamples) b.values.push_back(warp.sys[static_cast<uint32_t>(v)]);
  return b;
}

void expectSame(const Beginning& a, const Beginning& b) {
  EXPECT_EQ(a.active, b.active);
  EXPECT_EQ(a.helper, b.helper);
  for (size_t v = 0; v < std::size(kOfSamples); ++v)
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
      EXPECT_EQ(a.values[v][lane], b.values[v][lane]) << "system value " << v << ", lane " << lane;
}

/// A draw to four samples, whose kernel looks at the siblings of pixel (5, 3).
struct Scene {
  TestImage color{VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, 4}, depth{VK_FORMAT_D32_SFLOAT, kWidth, kHeight, 4};
  TestKernel kernel;
  DrawRecord record;
  Arena arena;
  Silent probe{5, 3};
  explicit Scene(TestKernel::Body body) : kernel(std::move(body)) {
    DrawState& s = record.state;
    s.fragment = &kernel, s.samples = 4;
    s.viewport[0] = {0, 0, kWidth, kHeight, 0, 1}, s.scissor[0] = {{0, 0}, {kWidth, kHeight}};
    s.attachments.color[0] = &color.view, s.attachments.colorCount = 1, s.attachments.depth = &depth.view;
    s.attachments.samples = 4, s.attachments.renderArea = {{0, 0}, {kWidth, kHeight}};
    s.attachments.probe = &probe;
  }
  void run(BinnedPrimitive p) {
    prepareDraw(record, arena);
    std::vector<BinnedPrimitive> all{p};
    ASSERT_TRUE(Runner().run(record.state.attachments, all, kWidth, kHeight));
    EXPECT_EQ(SiblingSamples::current(), nullptr);
  }
};

/// A slanted edge through the pixel, with a slope of depth.
BinnedPrimitive slanted(const DrawRecord& draw) {
  BinnedPrimitive p = rectangle(draw, kWidth, kHeight, 0.25f);
  p.dzdx = 0.01f, p.dzdy = 0.02f;
  p.setup.w[1] = 0.5f, p.setup.l1dx = 0.1f, p.setup.l2dy = 0.05f;
  p.edgeCount = 1;
  p.edge[0] = edgeThrough(5 * 256 + 40, 3 * 256, 6 * 256 + 200, 4 * 256);
  return p;
}

TEST(SiblingSamples, BecomeWhatTheInvocationsOfTheOtherSamplesAre) {
  std::map<uint32_t, Beginning> real, said;
  msaa::SampleMask shaded = 0;
  Scene scene([&](abi::Warp& warp) {
    const SiblingSamples* siblings = SiblingSamples::current();
    if (!siblings) return;
    const uint32_t own = warp.sys[static_cast<uint32_t>(SysValue::SampleId)][siblings->lane()];
    real[own] = beginningOf(warp);
    shaded = siblings->shaded();
    EXPECT_TRUE(siblings->perSample());
    for (uint32_t s = 0; s < siblings->count(); ++s) {
      if (!(shaded >> s & 1)) continue;
      std::vector<LaneWords> sys(warp.sys, warp.sys + abi::kSysValueCount);
      abi::Warp other = warp;
      other.sys = sys.data();
      siblings->become(s, other);
      const auto known = said.find(s);
      if (known != said.end()) expectSame(known->second, beginningOf(other));
      said[s] = beginningOf(other);
    }
  });
  scene.kernel.info.sampleRate = true;
  for (const SysValue v : kOfSamples) scene.kernel.reads(v);
  scene.run(slanted(scene.record));
  ASSERT_GT(real.size(), 1u);
  ASSERT_LT(real.size(), 4u) << "the edge goes through the pixel";
  ASSERT_EQ(real.size(), said.size());
  for (const auto& [sample, beginning] : real) {
    SCOPED_TRACE(sample);
    EXPECT_TRUE(shaded >> sample & 1);
    expectSame(beginning, said.at(sample));
  }
}

TEST(SiblingSamples, AreServedByOneInvocationWithoutSampleShading) {
  msaa::SampleMask shaded = 0;
  uint32_t count = 0;
  Scene scene([&](abi::Warp&) {
    const SiblingSamples* siblings = SiblingSamples::current();
    if (!siblings) return;
    EXPECT_FALSE(siblings->perSample());
    shaded = siblings->shaded(), ++count;
  });
  scene.record.state.sampleMask = 0b1101;
  scene.run(rectangle(scene.record, kWidth, kHeight));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(shaded, 0b1101u);
}

TEST(SiblingSamples, AreNotThoseThatEarlyTestsHaveTaken) {
  msaa::SampleMask shaded = 0;
  Scene scene([&](abi::Warp&) {
    if (const SiblingSamples* siblings = SiblingSamples::current()) shaded = siblings->shaded();
  });
  DrawState& s = scene.record.state;
  s.depthTest = s.depthWrite = true, s.depthCompare = VK_COMPARE_OP_LESS;
  for (uint32_t k = 0; k < 4; ++k) scene.depth.set({{std::bit_cast<uint32_t>(k % 2 ? 0.125f : 1.0f)}}, 5, 3, k);
  scene.run(rectangle(scene.record, kWidth, kHeight, 0.5f));
  EXPECT_EQ(shaded, 0b0101u);
}

}  // namespace
}  // namespace etzel::raster
