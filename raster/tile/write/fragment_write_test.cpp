// Rendering to compressed surfaces gives the samples that plain surfaces get, whatever is drawn.
#include <gtest/gtest.h>

#include <random>

#include "raster/attachment/clear.h"
#include "raster/attachment/resolve_job.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 93, kHeight = 75;

struct Side {
  TestImage color, resolved;
  Runner runner;
  Side(VkFormat format, uint32_t samples, bool best, bool compressed)
      : color(format, kWidth, kHeight, samples), resolved(format, kWidth, kHeight), runner(best) {
    if (!compressed) color.dropCompression();
  }
};

BinnedPrimitive randomTriangle(const DrawRecord& draw, std::mt19937& random) {
  BinnedPrimitive p = testing::rectangle(draw, kWidth, kHeight);
  if (random() % 8 == 0) return p;
  int64_t size = random() % 3 ? 12 : 90, x[3], y[3];
  int64_t cx = random() % kWidth, cy = random() % kHeight;
  for (int i = 0; i < 3; ++i) {
    x[i] = (cx - size / 2) * 256 + static_cast<int64_t>(random() % (size * 256));
    y[i] = (cy - size / 2) * 256 + static_cast<int64_t>(random() % (size * 256));
  }
  if ((x[1] - x[0]) * (y[2] - y[0]) < (x[2] - x[0]) * (y[1] - y[0])) std::swap(x[1], x[2]), std::swap(y[1], y[2]);
  p.edgeCount = 3;
  for (int i = 0; i < 3; ++i) p.edge[i] = edgeThrough(x[i], y[i], x[(i + 1) % 3], y[(i + 1) % 3]);
  return p;
}

/// Fills compressed memory with anything, and the plain side with what it shows then.
void fillWithGarbage(Side (&sides)[3], std::mt19937& random) {
  for (std::byte& b : sides[0].color.memory) b = static_cast<std::byte>(random());
  std::copy(sides[0].color.memory.begin(), sides[0].color.memory.end(), sides[1].color.memory.begin());
  const std::vector<std::byte> shown = sides[0].color.samples();
  const Surface plain = surfaceOf(&sides[2].color.view);
  const size_t rowBytes = size_t{kWidth} * plain.texelBytes;
  for (uint32_t row = 0; row < plain.samples * kHeight; ++row)
    std::memcpy(plain.at(0, row % kHeight, 0, row / kHeight), shown.data() + row * rowBytes, rowBytes);
}

void randomDraws(VkFormat format, uint32_t samples, uint32_t seed, bool garbage = false) {
  Side sides[3] = {{format, samples, true, true}, {format, samples, false, true}, {format, samples, true, false}};
  const bool integer = format::find(format)->isInteger();
  std::mt19937 random(seed);
  if (garbage) fillWithGarbage(sides, random);
  const int rounds = garbage ? 40 : 120;
  for (int round = 0; round < rounds; ++round) {
    uint32_t color[4];
    for (uint32_t& c : color)
      c = integer ? random() : std::bit_cast<uint32_t>(static_cast<float>(random() % 256) / 255.0f);
    const bool perSample = random() % 16 == 0, varies = random() % 2, discards = random() % 2;
    const uint32_t kill = random();
    TestKernel kernel([&](abi::Warp& w) {
      for (uint32_t i = 0; i < kWarpLanes; ++i)
        for (uint32_t c = 0; c < 4; ++c)
          w.out[abi::kFragOutColor + c].lane[i] =
              varies && c == 1 ? w.sys[static_cast<uint32_t>(abi::SysValue::PosX)].lane[i] & 0x3F7FFFFF : color[c];
      // Of the place, not of the order: compressed surfaces have pixels without edges shaded first.
      auto place = [&](abi::SysValue v) { return w.sys[static_cast<uint32_t>(v)].lane[0] >> 13; };
      const uint32_t hash = (place(abi::SysValue::PosX) * 31 + place(abi::SysValue::PosY)) * 2654435761u ^ kill;
      if (discards) w.killed = hash >> 7 & 3 ? 0 : w.active & 0x24;
    });
    kernel.info.sampleRate = perSample, kernel.info.discards = discards;
    DrawRecord draw;
    DrawState& s = draw.state;
    s.fragment = &kernel, s.samples = samples, s.attachments.colorCount = 1;
    if (random() % 4 == 0) s.sampleMask = random();
    if (random() % 8 == 0) s.alphaToCoverage = !integer;
    BlendAttachment& b = s.blend[0];
    if (random() % 3 == 0) {
      b.enable = true;
      b.srcColor = VK_BLEND_FACTOR_SRC_ALPHA, b.dstColor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
      b.dstAlpha = VK_BLEND_FACTOR_ONE;
    }
    if (random() % 8 == 0) s.logicOpEnable = true, s.logicOp = VK_LOGIC_OP_XOR;
    if (random() % 6 == 0) b.writeMask = 1 + random() % 15;
    const uint32_t shapes = 1 + random() % 6, shapeSeed = random();
    const VkRect2D rect{{static_cast<int32_t>(random() % kWidth) - 20, static_cast<int32_t>(random() % kHeight) - 20},
                        {static_cast<uint32_t>(random() % 120), static_cast<uint32_t>(random() % 100)}};
    const int clear = random() % 12;
    for (Side& side : sides) {
      VkClearColorValue value;
      std::memcpy(value.uint32, color, sizeof color);
      if (clear < 2) {
        int32_t index = clear ? reserveClearColor(side.color.view, value, rect, 0, true) : -1;
        clearColorRect(side.color.view, value, rect, 0, index);
      }
      s.attachments.color[0] = &side.color.view;
      Arena arena;
      prepareDraw(draw, arena);
      std::mt19937 shape(shapeSeed);
      std::vector<BinnedPrimitive> list;
      for (uint32_t i = 0; i < shapes; ++i) list.push_back(randomTriangle(draw, shape));
      ASSERT_TRUE(side.runner.run(s.attachments, list, kWidth, kHeight));
      resolveAttachment(nullptr,
                        {&side.color.view, &side.resolved.view, VK_IMAGE_ASPECT_COLOR_BIT,
                         integer ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT},
                        {{0, 0}, {kWidth, kHeight}}, 1, 0);
    }
    const std::vector<std::byte> want = sides[2].color.samples();
    ASSERT_EQ(sides[0].color.samples(), want) << "round " << round;
    ASSERT_EQ(sides[1].color.samples(), want) << "round " << round;
    if (garbage) continue;  // resolves may see something else where nothing was drawn
    ASSERT_EQ(sides[0].resolved.memory, sides[2].resolved.memory) << "round " << round;
  }
}

TEST(FragmentWrite, RandomDrawsMatchPlainSurfaces) {
  uint32_t seed = 0;
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8_UNORM,
                          VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_R5G6B5_UNORM_PACK16})
    for (uint32_t samples : {2u, 4u, 8u, 16u}) {
      SCOPED_TRACE(::testing::Message() << format << ' ' << samples);
      randomDraws(format, samples, ++seed);
      if (HasFatalFailure()) return;
    }
}

TEST(FragmentWrite, NewImagesInOldMemoryKeepWhatIsDrawn) {
  uint32_t seed = 100;
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_UINT})
    for (uint32_t samples : {2u, 4u, 8u, 16u}) {
      SCOPED_TRACE(::testing::Message() << format << ' ' << samples);
      randomDraws(format, samples, ++seed, true);
      if (HasFatalFailure()) return;
    }
}

TEST(FragmentWrite, InteriorPixelsKeepOneFragment) {
  for (uint32_t samples : {2u, 4u, 8u, 16u}) {
    TestImage color(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, samples);
    TestKernel kernel([](abi::Warp& w) {
      for (uint32_t i = 0; i < kWarpLanes; ++i) w.out[abi::kFragOutColor].lane[i] = 0x3F800000;
    });
    DrawRecord draw;
    draw.state.fragment = &kernel, draw.state.samples = samples;
    draw.state.attachments.color[0] = &color.view, draw.state.attachments.colorCount = 1;
    Arena arena;
    prepareDraw(draw, arena);
    BinnedPrimitive p = testing::rectangle(draw, kWidth, kHeight);
    p.edgeCount = 1;
    p.edge[0] = edgeThrough(0, 0, kWidth * 256, kHeight * 256);
    std::vector<BinnedPrimitive> list{p};
    ASSERT_TRUE(Runner().run(draw.state.attachments, list, kWidth, kHeight));
    const msaa::FragmentSurface s = surfaceOf(&color.view).fragments(0);
    uint32_t edges = 0;
    for (uint32_t y = 0; y < kHeight; ++y)
      for (uint32_t x = 0; x < kWidth; ++x) edges += s.maskAt(x, y) != 0;
    EXPECT_GT(edges, 5u);
    EXPECT_LT(edges, 200u);
    EXPECT_EQ(msaa::kindOf(s.state(s.tileOf(90, 2))), msaa::TileKind::One);
    EXPECT_EQ(msaa::kindOf(s.state(s.tileOf(2, 60))), msaa::TileKind::One);
  }
}

}  // namespace
}  // namespace etzel::raster
