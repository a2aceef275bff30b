// Whole draws with kernels that are C++ functions: from vertex buffers to pixels, through every stage.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "raster/attachment/resolve_job.h"
#include "raster/pass/render_pass.h"
#include "raster/pixel_probe.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using abi::SysValue;
using abi::Warp;
using testing::TestImage;
using testing::TestKernel;

uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }
float asFloat(uint32_t w) { return std::bit_cast<float>(w); }
LaneWords& sys(Warp& w, SysValue v) { return w.sys[uint32_t(v)]; }
template <class F>
void eachLane(const Warp& w, F f) {
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (w.active >> i & 1) f(i);
  }
}

/// Position from attribute 0; location 0 of the output is attribute 1.
struct PassThrough : TestKernel {
  std::atomic<uint64_t> lanes{0};
  PassThrough()
      : TestKernel([this](Warp& w) {
          eachLane(w, [&](uint32_t i) {
            for (int c = 0; c < 4; ++c) w.out[c][i] = w.in[c][i], w.out[16 + c][i] = w.in[4 + c][i];
            ++lanes;
          });
        }) {
    info.stage = abi::Stage::Vertex;
    info.inputLocations = 3;
    info.outputLocations = 1;
  }
};

/// The flat value of location 0.
struct FlatColor : TestKernel {
  FlatColor()
      : TestKernel([](Warp& w) {
          eachLane(w, [&](uint32_t i) {
            for (int c = 0; c < 4; ++c) w.out[abi::kFragOutColor + c][i] = w.primitive->flatRecord[16 + c];
          });
        }) {
    info.inputLocations = 1;
  }
};

struct Vertex {
  float position[4];
  float color[4];
};

struct Scene {
  PassThrough vertex;
  FlatColor fragment;
  DrawState state;
  DrawParams params;
  Statistics statistics;
  std::vector<Vertex> vertices;

  explicit Scene(std::vector<Vertex> v, uint32_t size = 64) : vertices(std::move(v)) {
    state.vertex = &vertex;
    state.fragment = &fragment;
    state.attribute[0] = {true, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
    state.attribute[1] = {true, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16};
    state.binding[0].data = reinterpret_cast<const std::byte*>(vertices.data());
    state.binding[0].size = vertices.size() * sizeof(Vertex);
    state.binding[0].stride = sizeof(Vertex);
    state.viewport[0] = {0, 0, float(size), float(size), 0, 1};
    state.scissor[0] = {{0, 0}, {size, size}};
    state.statistics = &statistics;
    params.count = uint32_t(vertices.size());
  }
};

Attachments attachmentsOf(TestImage& image, uint32_t layers = 1) {
  Attachments a;
  a.color[0] = &image.view;
  a.colorCount = 1;
  a.renderArea = {{0, 0}, {image.layout.extent.width, image.layout.extent.height}};
  a.layers = layers;
  return a;
}

TEST(RenderPass, ClearThenTriangle) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  Scene s({{{-1, -1, 0, 1}, {0, 1, 0, 1}}, {{1, -1, 0, 1}, {0, 1, 0, 1}}, {{-1, 1, 0, 1}, {0, 1, 0, 1}}});
  task::Pool pool(1);
  RenderPass pass(&pool);
  pass.begin(attachmentsOf(image));
  VkClearValue red{};
  red.color.float32[0] = red.color.float32[3] = 1;
  pass.clearAttachment(0, VK_IMAGE_ASPECT_COLOR_BIT, red, {{{0, 0}, {64, 64}}});
  pass.draw(s.state, s.params);
  ASSERT_TRUE(pass.flush());
  EXPECT_EQ(asFloat(image.texel(2, 2).word[1]), 1.0f);
  EXPECT_EQ(asFloat(image.texel(2, 2).word[0]), 0.0f);
  EXPECT_EQ(asFloat(image.texel(62, 62).word[0]), 1.0f);
  EXPECT_EQ(s.statistics.clippingPrimitives, 1u);
  EXPECT_EQ(s.statistics.vertexInvocations, 3u);
  // The diagonal belongs to nobody on the right: pixels with x + y < 63 or exactly on the edge by the top-left rule.
  EXPECT_EQ(s.statistics.fragmentInvocations, 64u * 63 / 2);
}

TEST(RenderPass, TilesThatAreOnlyClearedShowEveryClear) {
  const Scene s({{{-1, -1, 0, 1}, {0, 1, 0, 1}}, {{1, -1, 0, 1}, {0, 1, 0, 1}}, {{-1, 1, 0, 1}, {0, 1, 0, 1}}});
  constexpr uint32_t kWidth = 2500, kHeight = 130;  // more tiles than one job takes
  constexpr VkRect2D kInner{{70, 5}, {2300, 100}};
  for (const VkFormat format :
       {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16, VK_FORMAT_R32G32B32A32_SFLOAT}) {
    for (const bool draws : {false, true}) {
      TestImage image(format, kWidth, kHeight);
      task::Pool pool(2);
      RenderPass pass(&pool);
      pass.begin(attachmentsOf(image));
      VkClearValue value{};
      value.color.float32[0] = value.color.float32[3] = 1;
      pass.clearAttachment(0, VK_IMAGE_ASPECT_COLOR_BIT, value, {{{0, 0}, {kWidth, kHeight}}});
      if (draws) pass.draw(s.state, s.params);  // to the first tile, above the diagonal
      value.color.float32[2] = 1;
      pass.clearAttachment(0, VK_IMAGE_ASPECT_COLOR_BIT, value, {kInner});
      ASSERT_TRUE(pass.flush());
      const int32_t right = kInner.offset.x + static_cast<int32_t>(kInner.extent.width);
      const int32_t bottom = kInner.offset.y + static_cast<int32_t>(kInner.extent.height);
      for (int32_t y = 0; y < static_cast<int32_t>(kHeight); ++y)
        for (int32_t x = 0; x < static_cast<int32_t>(kWidth); ++x) {
          const format::Texel texel = image.texel(static_cast<uint32_t>(x), static_cast<uint32_t>(y));
          const bool drawn = draws && x + y < 63;
          const bool inner = x >= kInner.offset.x && x < right && y >= kInner.offset.y && y < bottom;
          const float expected[3] = {drawn ? 0.0f : 1.0f, drawn ? 1.0f : 0.0f, inner ? 1.0f : 0.0f};
          for (int c = 0; c < 3; ++c)
            ASSERT_EQ(asFloat(texel.word[c]), expected[c]) << "format " << format << " at " << x << ", " << y;
        }
    }
  }
}

TEST(RenderPass, ClearsTellWhatTheirColorReplaces) {
  struct Look final : PixelProbe {
    std::vector<ClearVisit> clears;
    Look() { x = 5, y = 3; }
    void fragment(const FragmentVisit&) override {}
    void cleared(const ClearVisit& visit) override { clears.push_back(visit); }
    void tileDone(const PixelContents*) override {}
  } look;
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64, 2);
  task::Pool pool(1);
  RenderPass pass(&pool);
  Attachments attachments = attachmentsOf(image);
  attachments.samples = 2;
  attachments.probe = &look;
  for (uint32_t channel : {0u, 1u}) {  // of everything: the second colour may take the first one's place
    pass.begin(attachments);
    VkClearValue value{};
    value.color.float32[channel] = 1;
    pass.clearAttachment(0, VK_IMAGE_ASPECT_COLOR_BIT, value, {{{0, 0}, {64, 64}}});
    ASSERT_TRUE(pass.flush());
  }
  ASSERT_EQ(look.clears.size(), 2u);
  EXPECT_TRUE(look.clears[1].before[0] == look.clears[0].after[0]);
  EXPECT_FALSE(look.clears[1].before[0] == look.clears[1].after[0]);
}

TEST(RenderPass, DrawsOfOneVersionDifferInContextAndStatisticsOnly) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  Scene s({{{-1, -1, 0, 1}, {}}, {{3, -1, 0, 1}, {}}, {{-1, 3, 0, 1}, {}}});
  TestKernel fragment([](Warp& w) {
    const auto* color = reinterpret_cast<const float*>(w.context->pushConstants);
    eachLane(w, [&](uint32_t i) {
      for (int c = 0; c < 4; ++c) w.out[abi::kFragOutColor + c][i] = bits(color[c]);
      EXPECT_EQ(w.context->sampleCount, 1u);
    });
  });
  s.state.fragment = &fragment;
  s.state.countSamples = true;
  s.state.version = 1;
  s.state.attachments = attachmentsOf(image);
  const float red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1};
  Statistics second, third;
  task::Pool pool(1);
  RenderPass pass(&pool);
  pass.begin(attachmentsOf(image));
  const auto draw = [&](const float* color, Statistics* statistics) {
    s.state.context.pushConstants = reinterpret_cast<const std::byte*>(color);
    s.state.statistics = statistics;
    pass.draw(s.state, s.params);
  };
  draw(red, &s.statistics);
  draw(green, &s.statistics);
  draw(green, &second);
  draw(green, nullptr);
  s.state.version = 2;
  s.state.blend[0].writeMask = 0;  // another version, so it counts
  draw(red, &third);
  ASSERT_TRUE(pass.flush());
  EXPECT_EQ(asFloat(image.texel(9, 9).word[0]), 0.0f);
  EXPECT_EQ(asFloat(image.texel(9, 9).word[1]), 1.0f);
  EXPECT_EQ(s.statistics.samplesPassed, 2u * 64 * 64);
  EXPECT_EQ(second.samplesPassed, 64u * 64);
  EXPECT_EQ(third.samplesPassed, 64u * 64);
  EXPECT_EQ(s.statistics.vertexInvocations, 2u * 3);
  EXPECT_EQ(second.vertexInvocations, 3u);
  EXPECT_EQ(third.vertexInvocations, 3u);  // not those of the draw before, which nobody counts
}

TEST(RenderPass, DrawsOfOneVersionHaveTheirOwnVertices) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  // A triangle for the upper left, upper right, lower left and lower right quarter, each of a colour of its own.
  std::vector<Vertex> v;
  for (int quarter = 0; quarter < 4; ++quarter) {
    const float x = static_cast<float>(quarter & 1) - 1, y = static_cast<float>(quarter >> 1) - 1;
    for (const auto& [dx, dy] : {std::pair(0.0f, 0.0f), {0.9f, 0.0f}, {0.0f, 0.9f}})
      v.push_back({{x + dx, y + dy, 0, 1}, {static_cast<float>(quarter + 1) / 5, 0, 0, 1}});
  }
  Scene s(v);
  s.params.count = 3;
  s.state.version = 1;
  s.state.statistics = nullptr;
  s.state.attachments = attachmentsOf(image);
  task::Pool pool(1);
  RenderPass pass(&pool);
  pass.begin(attachmentsOf(image));
  for (size_t quarter : {0, 1, 2}) {
    s.state.binding[0].data = reinterpret_cast<const std::byte*>(&s.vertices[3 * quarter]);
    pass.draw(s.state, s.params);
  }
  s.state.binding[0].size = 0;  // no vertices at all
  pass.draw(s.state, s.params);
  s.state.binding[0] = {reinterpret_cast<const std::byte*>(s.vertices.data()), v.size() * sizeof(Vertex)};
  s.state.binding[0].perInstance = true;  // all three vertices are the first instance's
  s.state.binding[0].stride = sizeof(Vertex);
  pass.draw(s.state, s.params);
  ASSERT_TRUE(pass.flush());
  for (uint32_t quarter = 0; quarter < 4; ++quarter) {
    const float red = asFloat(image.texel(4 + 32 * (quarter & 1), 4 + 32 * (quarter >> 1)).word[0]);
    EXPECT_NEAR(red, quarter < 3 ? static_cast<float>(quarter + 1) / 5 : 0.0f, 0.01f) << quarter;
  }
}

/// What tile memory stands for, and what happens in the pass.
struct TileUse {
  uint32_t alone = 0, discarded = 0;
  uint32_t draws = 2;                    ///< more than a few make it worthwhile to move tiles
  bool loads = false;                    ///< colour begins with a picture
  bool flushes = false, clears = false;  ///< after the first draw
};

/// What a pass with depth at four samples resolves, and the memory of its attachments afterwards.
struct TilePass {
  static constexpr uint32_t kSize = 150;  // tiles without a triangle, and tiles over the border
  TestImage color{VK_FORMAT_R8G8B8A8_UNORM, kSize, kSize, 4}, depth{VK_FORMAT_D32_SFLOAT, kSize, kSize, 4};
  TestImage resolved{VK_FORMAT_R8G8B8A8_UNORM, kSize, kSize};
  std::vector<std::byte> before;  ///< color.memory without the draws

  explicit TilePass(const TileUse& use) {
    Scene s({{{-1, -1, 0, 1}, {0, 1, 0, 1}}, {{0.3f, -0.8f, 0.5f, 1}, {1, 1, 0, 1}}, {{-0.7f, 0, 1, 1}, {0, 1, 1, 1}}},
            kSize);
    s.state.samples = 4;
    s.state.depthTest = s.state.depthWrite = true, s.state.depthCompare = VK_COMPARE_OP_LESS;
    task::Pool pool(2);
    RenderPass pass(&pool);
    Attachments a = attachmentsOf(color);
    a.depth = &depth.view, a.samples = 4;
    VkClearValue value{};
    if (use.loads) {
      pass.begin(a);
      value.color.float32[2] = value.depthStencil.depth = 1;
      pass.clearAttachment(0, VK_IMAGE_ASPECT_COLOR_BIT, value, {{{5, 5}, {kSize - 20, kSize - 9}}});
      pass.clearAttachment(~0u, VK_IMAGE_ASPECT_DEPTH_BIT, value, {{{0, 0}, {kSize, kSize}}});
      pass.draw(s.state, s.params);
      EXPECT_TRUE(pass.flush());
    }
    a.alone = use.alone, a.discarded = use.discarded;
    pass.begin(a);
    if (!use.loads) clear(pass, {{0, 0}, {kSize, kSize}}, 0);
    before = color.memory;
    s.state.depthCompare = VK_COMPARE_OP_LESS_OR_EQUAL;
    for (uint32_t i = 0; i < use.draws; ++i) {
      pass.draw(s.state, s.params);
      if (i == 0 && use.clears) clear(pass, {{3, 9}, {70, 60}}, 0.5f);
      if (i == 0 && use.flushes) {
        EXPECT_TRUE(pass.flush());
      }
    }
    const AttachmentResolve resolve{&color.view, &resolved.view, VK_IMAGE_ASPECT_COLOR_BIT,
                                    VK_RESOLVE_MODE_AVERAGE_BIT};
    EXPECT_TRUE(pass.finish(&resolve, 1));
  }
  static void clear(RenderPass& pass, const VkRect2D& rect, float green) {
    VkClearValue value{};
    value.color.float32[0] = value.color.float32[3] = 1, value.color.float32[1] = green;
    pass.clearAttachment(0, VK_IMAGE_ASPECT_COLOR_BIT, value, {rect});
    value.depthStencil.depth = 1;
    pass.clearAttachment(~0u, VK_IMAGE_ASPECT_DEPTH_BIT, value, {rect});
  }
};

TEST(RenderPass, DiscardedAttachmentsAreOnlyResolved) {
  constexpr uint32_t kAll = 1 | Attachments::depthBit;
  const TilePass kept({}), both({.alone = kAll, .discarded = kAll}),
      onlyDepth({.alone = Attachments::depthBit, .discarded = Attachments::depthBit});
  EXPECT_NE(kept.color.memory, kept.before);
  EXPECT_EQ(both.color.memory, both.before);
  EXPECT_EQ(onlyDepth.color.memory, kept.color.memory);
  EXPECT_EQ(both.resolved.memory, kept.resolved.memory);
  EXPECT_EQ(onlyDepth.resolved.memory, kept.resolved.memory);
  // What runs before the end needs the attachments' memory.
  const TilePass flushed({.alone = kAll, .discarded = kAll, .flushes = true});
  EXPECT_NE(flushed.color.memory, flushed.before);
  EXPECT_EQ(flushed.resolved.memory, kept.resolved.memory);
}

TEST(RenderPass, TileMemoryGivesWhatTheImagesWouldHave) {
  constexpr uint32_t kAll = 1 | Attachments::depthBit;
  for (uint32_t bits = 0; bits < 16; ++bits) {
    TileUse use{
        .draws = bits & 1 ? 12u : 2u, .loads = (bits & 2) != 0, .flushes = (bits & 4) != 0, .clears = (bits & 8) != 0};
    const TilePass plain(use);
    use.alone = kAll;
    const TilePass kept(use);
    use.discarded = kAll;
    const TilePass discarded(use);
    EXPECT_EQ(kept.resolved.memory, plain.resolved.memory) << bits;
    EXPECT_EQ(discarded.resolved.memory, plain.resolved.memory) << bits;
    EXPECT_EQ(kept.color.samples(), plain.color.samples()) << bits;
    EXPECT_EQ(kept.depth.samples(), plain.depth.samples()) << bits;
  }
}

TEST(RenderPass, UndefinedContentsEndAtTheRenderArea) {
  // "Load Operations": what is not loaded is lost inside of the render area only.
  constexpr uint32_t kSize = 150;
  const VkRect2D area{{20, 30}, {90, 100}};
  TestImage color(VK_FORMAT_R8G8B8A8_UNORM, kSize, kSize, 4), depth(VK_FORMAT_D32_SFLOAT, kSize, kSize, 4);
  Scene s({{{-1, -1, 0.5f, 1}, {0, 1, 0, 1}}, {{3, -1, 0.5f, 1}, {0, 1, 0, 1}}, {{-1, 3, 0.5f, 1}, {0, 1, 0, 1}}},
          kSize);
  s.state.samples = 4;
  s.state.depthTest = s.state.depthWrite = true, s.state.depthCompare = VK_COMPARE_OP_ALWAYS;
  for (const bool flushes : {false, true}) {
    task::Pool pool(1);
    RenderPass pass(&pool);
    Attachments a = attachmentsOf(color);
    a.depth = &depth.view, a.samples = 4;
    pass.begin(a);
    TilePass::clear(pass, {{0, 0}, {kSize, kSize}}, 0.5f);
    ASSERT_TRUE(pass.flush());
    a.alone = a.undefined = 1 | Attachments::depthBit, a.renderArea = area;
    if (flushes) a.discarded = a.alone;
    pass.begin(a);
    pass.draw(s.state, s.params);
    if (flushes) {
      ASSERT_TRUE(pass.flush());
    }
    ASSERT_TRUE(pass.finish(nullptr, 0));
    for (uint32_t y = 0; y < kSize; ++y) {
      for (uint32_t x = 0; x < kSize; ++x) {
        const bool inside = x >= 20 && x < 110 && y >= 30 && y < 130;
        ASSERT_EQ(asFloat(color.texel(x, y, 3).word[0]), inside ? 0.0f : 1.0f) << x << " " << y;
        ASSERT_EQ(asFloat(depth.texel(x, y, 3).word[0]), inside ? 0.5f : 1.0f) << x << " " << y;
      }
    }
  }
}

TEST(RenderPass, VertexProgramsReadAnyElementOfAnAttribute) {
  // The colour comes from the vertex after this one, and from outside of the buffer at the last.
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  Scene s({{{-1, -1, 0, 1}, {0, 0, 0, 1}}, {{3, -1, 0, 1}, {0, 1, 0, 1}}, {{-1, 3, 0, 1}, {1, 0, 1, 1}}});
  s.state.binding[0].perInstance = false;
  std::atomic<uint32_t> outside{0};
  TestKernel vertex([&](Warp& w) {
    LaneWords element, color[4], missing[4];
    eachLane(w, [&](uint32_t i) { element[i] = sys(w, SysValue::VertexIndex)[i] + 1; });
    w.fetchAttribute(&w, 1, w.active, &element, color);
    w.fetchAttribute(&w, 9, w.active, &element, missing);
    eachLane(w, [&](uint32_t i) {
      for (int c = 0; c < 4; ++c) w.out[c][i] = w.in[c][i], w.out[16 + c][i] = color[c][i];
      outside += element[i] == 3 && color[0][i] == 0 && color[3][i] == 0;
      EXPECT_EQ(missing[3][i], 0u);
    });
  });
  vertex.info.stage = abi::Stage::Vertex, vertex.info.inputLocations = 3, vertex.info.outputLocations = 1;
  s.state.vertex = &vertex;
  task::Pool pool(1);
  RenderPass pass(&pool);
  pass.begin(attachmentsOf(image));
  pass.draw(s.state, s.params);
  ASSERT_TRUE(pass.flush());
  EXPECT_EQ(outside.load(), 1u);
  EXPECT_EQ(asFloat(image.texel(5, 5).word[1]), 1.0f);  // vertex 0 provokes, with the colour of vertex 1
  EXPECT_EQ(asFloat(image.texel(5, 5).word[0]), 0.0f);
}

TEST(RenderPass, IndexedVerticesAreShadedOnce) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  std::vector<Vertex> grid;
  std::vector<uint16_t> indices;
  constexpr int kSide = 8;
  for (int y = 0; y <= kSide; ++y) {
    for (int x = 0; x <= kSide; ++x) grid.push_back({{x * 0.25f - 1, y * 0.25f - 1, 0, 1}, {1, 1, 1, 1}});
  }
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const uint16_t i = uint16_t(y * (kSide + 1) + x), below = uint16_t(i + kSide + 1);
      for (uint16_t v : {i, uint16_t(i + 1), below, below, uint16_t(i + 1), uint16_t(below + 1)}) indices.push_back(v);
    }
  }
  Scene s(grid);
  s.params.count = uint32_t(indices.size());
  s.params.indices = reinterpret_cast<const std::byte*>(indices.data());
  s.params.indexBytes = indices.size() * 2;
  s.params.indexType = VK_INDEX_TYPE_UINT16;
  task::Pool pool(1);
  RenderPass pass(&pool);
  pass.begin(attachmentsOf(image));
  pass.draw(s.state, s.params);
  ASSERT_TRUE(pass.flush());
  EXPECT_EQ(s.vertex.lanes.load(), grid.size());
  EXPECT_EQ(s.statistics.fragmentInvocations, 64u * 64) << "every pixel once";
}

std::vector<Vertex> randomTriangles(uint32_t count) {
  std::mt19937 random(3);
  auto f = [&](float a, float b) { return a + (b - a) * float(random() % 65536) / 65536; };
  std::vector<Vertex> v(3 * count);
  for (Vertex& x : v) x = {{f(-2, 2), f(-2, 2), f(-0.2f, 1.2f), f(0.5f, 1.5f)}, {f(0, 1), f(0, 1), f(0, 1), 1}};
  return v;
}

TEST(RenderPass, AnyNumberOfThreadsGivesTheSameBytes) {
  std::vector<std::byte> reference;
  Statistics expected;
  for (uint32_t threads : {1u, 2u, 5u}) {
    TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 256, 256);
    Scene s(randomTriangles(3000), 256);
    task::Pool pool(threads);
    RenderPass pass(&pool);
    pass.begin(attachmentsOf(image));
    for (int i = 0; i < 3; ++i) pass.draw(s.state, s.params);
    ASSERT_TRUE(pass.flush());
    if (threads == 1) {
      reference = image.memory;
      expected = s.statistics;
    }
    EXPECT_TRUE(image.memory == reference) << threads;
    EXPECT_EQ(s.statistics.fragmentInvocations, expected.fragmentInvocations);
    EXPECT_EQ(s.statistics.clippingPrimitives, expected.clippingPrimitives);
  }
}

TEST(RenderPass, TransformFeedbackWritesWholePrimitivesInOrder) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  std::vector<Vertex> v;
  v.reserve(5);
  for (int i = 0; i < 5; ++i) v.push_back({{float(i), 0, 0, 1}, {}});
  Scene s(v);
  s.vertex.info.xfbOutputs = {{0, 0, 0, 0}};
  s.vertex.info.xfbStride[0] = 4;
  s.state.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  s.state.rasterizerDiscard = true;
  std::vector<float> captured(8, -1);
  XfbBuffer xfb[kMaxXfbBuffers];
  xfb[0] = {reinterpret_cast<std::byte*>(captured.data()), 8 * 4, 0};  // room for two triangles and a bit
  s.state.xfb = xfb;
  task::Pool pool(1);
  RenderPass pass(&pool);
  pass.begin(attachmentsOf(image));
  pass.draw(s.state, s.params);
  ASSERT_TRUE(pass.flush());
  EXPECT_EQ(captured, (std::vector<float>{0, 1, 2, 1, 3, 2, -1, -1}));
  EXPECT_EQ(xfb[0].written, 24u);
  EXPECT_EQ(s.statistics.xfbPrimitivesWritten[0], 2u);
  EXPECT_EQ(s.statistics.xfbPrimitivesNeeded[0], 3u);
  EXPECT_EQ(s.statistics.primitivesGenerated[0], 3u);
}

TEST(RenderPass, GeometryInvocationsEmitInOrder) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  Scene s({{{0, 0, 0, 1}, {}}, {{1, 0, 0, 1}, {}}, {{2, 0, 0, 1}, {}}});
  s.state.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.state.rasterizerDiscard = true;
  // Each invocation emits a strip of four vertices, cut after the third, valued 100 p + 10 invocation + k.
  TestKernel geometry([](Warp& w) {
    for (uint32_t k = 0; k < 6; ++k) {
      eachLane(w, [&](uint32_t i) {
        const float p = asFloat(w.inRecords[i][0]);
        w.out[0][i] = bits(100 * p + 10 * float(sys(w, SysValue::InvocationId)[i]) + float(k));
      });
      w.emitVertex(&w, 0, w.active);
      if (k == 3) w.endPrimitive(&w, 0, w.active);
    }
  });
  geometry.info.stage = abi::Stage::Geometry;
  geometry.info.geometryVerticesOut = 6;
  geometry.info.geometryInvocations = 3;
  geometry.info.geometryInput = 1;
  geometry.info.geometryOutput = 2;
  geometry.info.xfbOutputs = {{0, 0, 0, 0}};
  geometry.info.xfbStride[0] = 4;
  s.state.geometry = &geometry;
  std::vector<float> captured(200, -1);
  XfbBuffer xfb[kMaxXfbBuffers];
  xfb[0] = {reinterpret_cast<std::byte*>(captured.data()), 800, 0};
  s.state.xfb = xfb;
  task::Pool pool(1);
  RenderPass pass(&pool);
  pass.begin(attachmentsOf(image));
  pass.draw(s.state, s.params);
  ASSERT_TRUE(pass.flush());
  std::vector<float> expected;
  for (int p = 0; p < 3; ++p) {
    for (int n = 0; n < 3; ++n) {
      for (int k : {0, 1, 2, 1, 3, 2}) expected.push_back(float(100 * p + 10 * n + k));
    }
  }
  captured.resize(expected.size());
  EXPECT_EQ(captured, expected);
  EXPECT_EQ(s.statistics.geometryInvocations, 9u);
  EXPECT_EQ(s.statistics.geometryPrimitives, 18u);
}

TEST(RenderPass, TessellatedQuadFillsTheViewportOnce) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  Scene s({{{0, 0, 0, 1}, {}}, {{0, 0, 0, 1}, {}}});
  s.state.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
  s.state.patchControlPoints = 1;
  // Ten invocations (two warps) and a barrier: the last one writes what the first reads behind the barrier.
  TestKernel control([](Warp&) {});
  control.info.stage = abi::Stage::TessControl;
  control.info.outputVertices = 10;
  control.info.outputLocations = 1;
  control.code.entry = [](const void*, Warp* w) {
    if (w->resume == 0) {
      eachLane(*w, [&](uint32_t i) {
        const uint32_t n = sys(*w, SysValue::InvocationId)[i];
        w->outRecords[i][n * w->outRecordStride + 16] = bits(float(n));
      });
      w->resume = 1;
      return abi::WarpStatus::AtBarrier;
    }
    eachLane(*w, [&](uint32_t i) {
      if (sys(*w, SysValue::InvocationId)[i] != 0) return;
      const uint32_t level = w->outRecords[i][9 * w->outRecordStride + 16];  // 9
      for (int k = 0; k < 6; ++k) w->patchRecord[i][k] = level;
    });
    return abi::WarpStatus::Done;
  };
  TestKernel evaluation([](Warp& w) {
    eachLane(w, [&](uint32_t i) {
      w.out[0][i] = bits(asFloat(sys(w, SysValue::TessCoordX)[i]) * 2 - 1);
      w.out[1][i] = bits(asFloat(sys(w, SysValue::TessCoordY)[i]) * 2 - 1);
      w.out[2][i] = 0;
      w.out[3][i] = bits(1);
    });
  });
  evaluation.info.stage = abi::Stage::TessEvaluation;
  evaluation.info.tessMode = 1;
  evaluation.info.outputLocations = 1;
  s.state.control = &control;
  s.state.evaluation = &evaluation;
  s.params.count = 1;
  s.state.cullMode = VK_CULL_MODE_BACK_BIT;  // counter-clockwise in a domain with v down is front
  task::Pool pool(1);
  RenderPass pass(&pool);
  pass.begin(attachmentsOf(image));
  pass.draw(s.state, s.params);
  ASSERT_TRUE(pass.flush());
  EXPECT_EQ(s.statistics.fragmentInvocations, 64u * 64);
  EXPECT_EQ(s.statistics.evaluationInvocations, 100u);
  EXPECT_EQ(s.statistics.clippingPrimitives, 2u * 81);
}

TEST(RenderPass, MultiviewRepeatsDrawsPerView) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64, 1, 3);
  Scene s({{{-1, -1, 0, 1}, {}}, {{3, -1, 0, 1}, {}}, {{-1, 3, 0, 1}, {}}});
  s.vertex.body = [](Warp& w) {
    eachLane(w, [&](uint32_t i) {
      for (int c = 0; c < 4; ++c) w.out[c][i] = w.in[c][i];
      w.out[16][i] = bits(sys(w, SysValue::ViewIndex)[i] == 2 ? 1.0f : 0.4f);
    });
  };
  task::Pool pool(1);
  RenderPass pass(&pool);
  Attachments a = attachmentsOf(image, 3);
  a.viewMask = 0b101;
  pass.begin(a);
  pass.draw(s.state, s.params);
  ASSERT_TRUE(pass.flush());
  EXPECT_NEAR(asFloat(image.texel(5, 5, 0, 0).word[0]), 0.4f, 0.01f);
  EXPECT_EQ(asFloat(image.texel(5, 5, 0, 1).word[0]), 0.0f);
  EXPECT_EQ(asFloat(image.texel(5, 5, 0, 2).word[0]), 1.0f);
}

// Nothing an application can put into positions, sizes and states may leave the memory of the pass.
TEST(RenderPass, SurvivesAnyPositionsAndStates) {
  std::mt19937 random(17);
  auto pick = [&](auto... values) {
    const double all[] = {double(values)...};
    return all[random() % std::size(all)];
  };
  auto coordinate = [&] {
    return float(pick(0, 1, -1, 0.5, -0.25, 3, -70, 1e-30, 1e30, -1e38, INFINITY, -INFINITY, NAN,
                      random() % 1000 / 500.0 - 1, random() % 1000 / 500.0 - 1, random() % 1000 / 500.0 - 1));
  };
  for (uint32_t round = 0; round < 1000; ++round) {
    std::vector<Vertex> v(3 + random() % 60);
    for (Vertex& x : v) x = {{coordinate(), coordinate(), coordinate(), coordinate()}, {coordinate(), 0, 0, 1}};
    Scene s(v);
    s.vertex.info.writesPointSize = random() % 2;
    s.vertex.info.clipDistances = uint32_t(pick(0, 0, 1, 5, 8));
    s.vertex.info.cullDistances = uint32_t(pick(0, 0, 2, 8));
    s.vertex.info.writesLayer = random() % 4 == 0;
    s.vertex.info.writesViewportIndex = random() % 4 == 0;
    s.vertex.body = [&](Warp& w) {
      eachLane(w, [&](uint32_t i) {
        for (int c = 0; c < 4; ++c) w.out[c][i] = w.in[c][i], w.out[16 + c][i] = w.in[4 + c][i];
        w.out[abi::kWordPointSize][i] = w.in[4][i];
        w.out[abi::kWordLayer][i] = random() % 3;
        w.out[abi::kWordViewportIndex][i] = random() % 3;
        for (int c = 0; c < 8; ++c) w.out[abi::kWordClipDistance + c][i] = bits(coordinate());
      });
    };
    DrawState& d = s.state;
    d.topology = VkPrimitiveTopology(random() % 10);
    d.provokingVertexLast = random() % 2;
    d.polygonMode = VkPolygonMode(random() % 3);
    d.lineMode = VkLineRasterizationModeEXT(random() % 3);
    d.lineWidth = float(pick(1, 1, 2.5, 64));
    d.lineStipple = random() % 3 == 0;
    d.lineStippleFactor = uint32_t(pick(1, 3, 256));
    d.lineStipplePattern = uint16_t(random());
    d.conservativeMode = VkConservativeRasterizationModeEXT(pick(0, 0, 1, 2));
    d.extraOverestimation = float(pick(0, 0.5, 1e9, -1, NAN));
    d.depthClip = random() % 2;
    d.negativeOneToOne = random() % 2;
    d.depthBias = random() % 2;
    d.depthBiasSlope = coordinate();
    d.cullMode = random() % 3;
    d.samples = uint32_t(pick(1, 4));
    d.viewportCount = d.scissorCount = 2;
    for (int i = 0; i < 2; ++i) {
      d.viewport[i] = {
          float(pick(0, -30, 1e5, -32768)), float(pick(0, 13.5, -9000)), float(pick(64, 100, 1, 16384, 30000)),
          float(pick(70, -70, 16384)),      float(pick(0, 1)),           float(pick(1, 0.25))};
      d.scissor[i] = {{int32_t(pick(0, 5, -100, INT32_MAX)), int32_t(pick(0, 60))},
                      {uint32_t(pick(100, 0, 1, UINT32_MAX)), uint32_t(pick(100, 3, UINT32_MAX))}};
    }
    TestImage wide(VK_FORMAT_R8G8B8A8_UNORM, 100, 70, d.samples, 2);
    task::Pool pool(1);
    RenderPass pass(&pool);
    pass.begin(attachmentsOf(wide, 2));
    pass.draw(d, s.params);
    ASSERT_TRUE(pass.flush());
  }
}

TEST(RenderPass, AttributesOutsideTheirBufferReadZero) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  std::vector<Vertex> v(6, {{1, 2, 3, 4}, {}});
  Scene s(v);
  s.state.binding[0].size = 4 * sizeof(Vertex) + 12;  // cuts vertex 4's position
  s.state.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.state.rasterizerDiscard = true;
  s.vertex.info.xfbOutputs = {{0, 0, 0, 0}, {3, 0, 0, 4}};
  s.vertex.info.xfbStride[0] = 8;
  std::vector<float> captured(12, -1);
  XfbBuffer xfb[kMaxXfbBuffers];
  xfb[0] = {reinterpret_cast<std::byte*>(captured.data()), 48, 0};
  s.state.xfb = xfb;
  task::Pool pool(1);
  RenderPass pass(&pool);
  pass.begin(attachmentsOf(image));
  pass.draw(s.state, s.params);
  ASSERT_TRUE(pass.flush());
  const float w = captured[9];
  EXPECT_TRUE(w == 0 || w == 1);
  EXPECT_EQ(captured, (std::vector<float>{1, 4, 1, 4, 1, 4, 1, 4, 0, w, 0, w}));
}

}  // namespace
}  // namespace etzel::raster
