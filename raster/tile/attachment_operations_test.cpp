// Depth, stencil, blending, logical operations, clears and resolves against plain models of the specification.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "raster/attachment/clear.h"
#include "raster/attachment/resolve_job.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 19, kHeight = 13;  // not multiples of a group: borders take the other path

using Vec4 = std::array<float, 4>;

/// A kernel with a colour for each pixel.
TestKernel colorKernel(std::function<Vec4(int, int)> color, std::function<Vec4(int, int)> second = nullptr) {
  return TestKernel([=](abi::Warp& warp) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      int x = static_cast<int>(std::bit_cast<float>(warp.sys[static_cast<uint32_t>(abi::SysValue::PosX)][i]));
      int y = static_cast<int>(std::bit_cast<float>(warp.sys[static_cast<uint32_t>(abi::SysValue::PosY)][i]));
      Vec4 c = color(x, y), d = second ? second(x, y) : Vec4{};
      for (int k = 0; k < 4; ++k) {
        warp.out[abi::kFragOutColor + k][i] = std::bit_cast<uint32_t>(c[k]);
        if (second) warp.out[abi::kFragOutColorIndex1 + k][i] = std::bit_cast<uint32_t>(d[k]);
      }
    }
  });
}

struct Noise {
  uint32_t seed;
  float low, high;
  Vec4 operator()(int x, int y) const {
    Vec4 v;
    uint32_t h = seed * 2654435761u + static_cast<uint32_t>(x) * 40503u + static_cast<uint32_t>(y) * 9176263u;
    for (float& f : v) {
      h ^= h >> 15, h *= 0x2c1b3c6du, h ^= h >> 12;
      f = low + (high - low) * static_cast<float>(h >> 8) / 16777216.0f;
    }
    return v;
  }
};

format::Texel texelOf(const Vec4& v) {
  format::Texel t;
  for (int c = 0; c < 4; ++c) t.word[c] = std::bit_cast<uint32_t>(v[c]);
  return t;
}
Vec4 floatsOf(const format::Texel& t) {
  Vec4 v;
  for (int c = 0; c < 4; ++c) v[c] = std::bit_cast<float>(t.word[c]);
  return v;
}

double factor(VkBlendFactor f, int c, const double* s, const double* d, const double* s1, const double* k) {
  switch (f) {
    case VK_BLEND_FACTOR_ZERO: return 0;
    case VK_BLEND_FACTOR_ONE: return 1;
    case VK_BLEND_FACTOR_SRC_COLOR: return s[c];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR: return 1 - s[c];
    case VK_BLEND_FACTOR_DST_COLOR: return d[c];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR: return 1 - d[c];
    case VK_BLEND_FACTOR_SRC_ALPHA: return s[3];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA: return 1 - s[3];
    case VK_BLEND_FACTOR_DST_ALPHA: return d[3];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA: return 1 - d[3];
    case VK_BLEND_FACTOR_CONSTANT_COLOR: return k[c];
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR: return 1 - k[c];
    case VK_BLEND_FACTOR_CONSTANT_ALPHA: return k[3];
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA: return 1 - k[3];
    case VK_BLEND_FACTOR_SRC_ALPHA_SATURATE: return c == 3 ? 1 : std::min(s[3], 1 - d[3]);
    case VK_BLEND_FACTOR_SRC1_COLOR: return s1[c];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR: return 1 - s1[c];
    case VK_BLEND_FACTOR_SRC1_ALPHA: return s1[3];
    default: return 1 - s1[3];
  }
}
double combine(VkBlendOp op, double s, double sf, double d, double df) {
  switch (op) {
    case VK_BLEND_OP_ADD: return s * sf + d * df;
    case VK_BLEND_OP_SUBTRACT: return s * sf - d * df;
    case VK_BLEND_OP_REVERSE_SUBTRACT: return d * df - s * sf;
    case VK_BLEND_OP_MIN: return std::min(s, d);
    default: return std::max(s, d);
  }
}

struct FormatCase {
  VkFormat format;
  BlendClamp clamp;
  double tolerance;
};

class Blending : public ::testing::TestWithParam<FormatCase> {};

TEST_P(Blending, EveryFactorAndOperationMatchesTheModelInDouble) {
  FormatCase fc = GetParam();
  Noise sourceNoise{1, -0.4f, 1.5f}, secondNoise{2, -0.4f, 1.5f}, oldNoise{3, 0, 1};
  TestKernel kernel = colorKernel(sourceNoise, secondNoise);
  kernel.info.writesColorIndex1 = true;
  TestImage image(fc.format, kWidth, kHeight);
  for (int f = 0; f <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA; ++f) {
    for (int op = 0; op <= VK_BLEND_OP_MAX; ++op) {
      for (int32_t y = 0; y < kHeight; ++y)
        for (int32_t x = 0; x < kWidth; ++x) image.set(texelOf(oldNoise(x, y)), x, y);
      std::vector<std::byte> before = image.memory;
      DrawRecord draw;
      draw.state.fragment = &kernel;
      draw.state.attachments.color[0] = &image.view, draw.state.attachments.colorCount = 1;
      BlendAttachment& b = draw.state.blend[0];
      b.enable = true;
      b.srcColor = static_cast<VkBlendFactor>(f), b.dstAlpha = static_cast<VkBlendFactor>(f);
      b.dstColor = static_cast<VkBlendFactor>((f * 7 + op) % 19),
      b.srcAlpha = static_cast<VkBlendFactor>((f * 5 + op) % 19);
      b.colorOp = static_cast<VkBlendOp>(op), b.alphaOp = static_cast<VkBlendOp>((op + f) % 5);
      double k[4] = {0.2, 1.3, -0.5, 0.75};
      for (int c = 0; c < 4; ++c) draw.state.blendConstants[c] = static_cast<float>(k[c]);
      Arena arena;
      prepareDraw(draw, arena);
      std::vector<BinnedPrimitive> list{testing::rectangle(draw, kWidth, kHeight)};
      std::vector<std::byte> results[2];
      for (bool best : {false, true}) {
        image.memory = before;
        image.view.memory = image.memory.data();
        prepareDraw(draw, arena);
        ASSERT_TRUE(Runner(best).run(draw.state.attachments, list, kWidth, kHeight));
        results[best] = image.memory;
      }
      EXPECT_EQ(results[0], results[1]);
      TestImage old(fc.format, kWidth, kHeight);
      std::copy(before.begin(), before.end(), old.memory.begin());
      for (int32_t y = 0; y < kHeight; ++y) {
        for (int32_t x = 0; x < kWidth; ++x) {
          Vec4 sf = sourceNoise(x, y), s1f = secondNoise(x, y), df = floatsOf(old.texel(x, y));
          Vec4 got = floatsOf(image.texel(x, y));
          double s[4], s1[4], d[4], kc[4];
          auto fixed = [&](double v) {
            if (fc.clamp == BlendClamp::None) return v;
            return std::clamp(v, fc.clamp == BlendClamp::Snorm ? -1.0 : 0.0, 1.0);
          };
          for (int c = 0; c < 4; ++c) s[c] = fixed(sf[c]), s1[c] = fixed(s1f[c]), d[c] = df[c], kc[c] = fixed(k[c]);
          for (int c = 0; c < image.view.info->components(); ++c) {
            bool a = c == 3;
            double want =
                fixed(combine(a ? b.alphaOp : b.colorOp, s[c], factor(a ? b.srcAlpha : b.srcColor, c, s, d, s1, kc),
                              d[c], factor(a ? b.dstAlpha : b.dstColor, c, s, d, s1, kc)));
            ASSERT_NEAR(got[c], want, fc.tolerance) << "factor " << f << " op " << op << " component " << c;
          }
        }
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Formats, Blending,
                         ::testing::Values(FormatCase{VK_FORMAT_R32G32B32A32_SFLOAT, BlendClamp::None, 1e-6},
                                           FormatCase{VK_FORMAT_R16G16B16A16_SFLOAT, BlendClamp::None, 2e-3},
                                           FormatCase{VK_FORMAT_R8G8B8A8_UNORM, BlendClamp::Unorm, 0.5001 / 255},
                                           FormatCase{VK_FORMAT_B8G8R8A8_UNORM, BlendClamp::Unorm, 0.5001 / 255},
                                           FormatCase{VK_FORMAT_R8G8B8A8_SRGB, BlendClamp::Unorm, 5e-3},
                                           FormatCase{VK_FORMAT_R8_UNORM, BlendClamp::Unorm, 0.5001 / 255},
                                           FormatCase{VK_FORMAT_R8G8B8A8_SNORM, BlendClamp::Snorm, 0.5001 / 127},
                                           FormatCase{VK_FORMAT_R5G6B5_UNORM_PACK16, BlendClamp::Unorm, 0.5001 / 31},
                                           FormatCase{VK_FORMAT_A2B10G10R10_UNORM_PACK32, BlendClamp::Unorm,
                                                      0.5001 / 3}));

/// Draws `kernel` over `image` and returns it to its memory before when asked twice.
void drawOver(TestImage& image, DrawState state, const abi::Kernel& kernel, bool best = true) {
  DrawRecord draw;
  draw.state = state;
  draw.state.fragment = &kernel;
  draw.state.attachments.color[0] = &image.view, draw.state.attachments.colorCount = 1;
  Arena arena;
  prepareDraw(draw, arena);
  std::vector<BinnedPrimitive> list{testing::rectangle(draw, kWidth, kHeight)};
  ASSERT_TRUE(Runner(best).run(draw.state.attachments, list, kWidth, kHeight));
}

TEST(ColorOutput, PathsWriteTheBytesOfTheFormatTable) {
  Noise noise{5, -0.3f, 1.4f};
  TestKernel kernel = colorKernel(noise);
  for (VkFormat f :
       {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_B8G8R8A8_SRGB,
        VK_FORMAT_R8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT,
        VK_FORMAT_R16G16_UNORM, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_R16_SFLOAT}) {
    for (uint32_t samples : {1u, 4u}) {
      for (bool best : {false, true}) {
        TestImage image(f, kWidth, kHeight, samples), want(f, kWidth, kHeight, samples);
        DrawState state;
        state.samples = samples;
        drawOver(image, state, kernel, best);
        for (uint32_t s = 0; s < samples; ++s)
          for (int32_t y = 0; y < kHeight; ++y)
            for (int32_t x = 0; x < kWidth; ++x) want.set(texelOf(noise(x, y)), x, y, s);
        EXPECT_EQ(image.samples(), want.samples()) << image.view.info->name << ' ' << samples;
      }
    }
  }
}

TEST(ColorOutput, WriteMaskKeepsTheOtherComponents) {
  Noise noise{6, 0, 1}, oldNoise{7, 0, 1};
  TestKernel kernel = colorKernel(noise);
  for (VkFormat f : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16, VK_FORMAT_R16G16B16A16_SFLOAT,
                     VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_A2B10G10R10_UNORM_PACK32}) {
    for (uint32_t mask = 0; mask < 16; ++mask) {
      TestImage image(f, kWidth, kHeight), fresh(f, 1, 1);
      for (int32_t y = 0; y < kHeight; ++y)
        for (int32_t x = 0; x < kWidth; ++x) image.set(texelOf(oldNoise(x, y)), x, y);
      DrawState state;
      state.blend[0].writeMask = mask;
      drawOver(image, state, kernel);
      for (int32_t y = 0; y < kHeight; ++y) {
        for (int32_t x = 0; x < kWidth; ++x) {
          fresh.set(texelOf(noise(x, y)), 0, 0);
          format::Texel source = fresh.texel(0, 0);
          fresh.set(texelOf(oldNoise(x, y)), 0, 0);
          format::Texel old = fresh.texel(0, 0), got = image.texel(x, y);
          for (uint32_t c = 0; c < image.view.info->components(); ++c)
            ASSERT_EQ(got.word[c], mask >> c & 1 ? source.word[c] : old.word[c]) << image.view.info->name << mask;
        }
      }
    }
  }
}

TEST(ColorOutput, LogicOperationsWorkOnBits) {
  constexpr uint32_t kSource = 0xC5A3, kOld = 0x96F0;
  const uint32_t want[16] = {0,     kSource & kOld,  kSource & ~kOld, kSource,           ~kSource & kOld,
                             kOld,  kSource ^ kOld,  kSource | kOld,  ~(kSource | kOld), ~(kSource ^ kOld),
                             ~kOld, kSource | ~kOld, ~kSource,        ~kSource | kOld,   ~(kSource & kOld),
                             ~0u};
  TestKernel kernel([](abi::Warp& warp) {
    for (uint32_t i = 0; i < kWarpLanes; ++i)
      for (int c = 0; c < 4; ++c) warp.out[abi::kFragOutColor + c][i] = kSource;
  });
  for (VkFormat f :
       {VK_FORMAT_R16_UINT, VK_FORMAT_R32_UINT, VK_FORMAT_R16G16B16A16_UINT, VK_FORMAT_R32G32B32A32_UINT}) {
    for (uint32_t op = 0; op < 16; ++op) {
      TestImage image(f, kWidth, kHeight);
      for (int32_t y = 0; y < kHeight; ++y)
        for (int32_t x = 0; x < kWidth; ++x) image.set({{kOld, kOld, kOld, kOld}}, x, y);
      DrawState state;
      state.logicOpEnable = true;
      state.logicOp = static_cast<VkLogicOp>(op);
      drawOver(image, state, kernel);
      uint32_t mask = image.view.info->channel[0].bits == 16 ? 0xFFFF : ~0u;
      EXPECT_EQ(image.texel(18, 12).word[0], want[op] & mask) << image.view.info->name << ' ' << op;
      EXPECT_EQ(image.texel(1, 1).word[image.view.info->components() - 1], want[op] & mask);
    }
  }
}

uint32_t stencilModel(VkStencilOp op, uint32_t v, uint32_t ref) {
  switch (op) {
    case VK_STENCIL_OP_KEEP: return v;
    case VK_STENCIL_OP_ZERO: return 0;
    case VK_STENCIL_OP_REPLACE: return ref & 255;
    case VK_STENCIL_OP_INCREMENT_AND_CLAMP: return std::min(v + 1, 255u);
    case VK_STENCIL_OP_DECREMENT_AND_CLAMP: return v ? v - 1 : 0;
    case VK_STENCIL_OP_INVERT: return ~v & 255;
    case VK_STENCIL_OP_INCREMENT_AND_WRAP: return (v + 1) & 255;
    default: return (v - 1) & 255;
  }
}
template <class T>
bool compareModel(uint32_t op, T a, T b) {
  return (op & 1 && a < b) || (op & 2 && a == b) || (op & 4 && a > b);
}

TEST(DepthStencil, EveryOperationMatchesTheModel) {
  const float depths[4] = {0.25f, 0.5f, 0.75f, 1.0f};
  const VkFormat formats[] = {VK_FORMAT_D16_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_D32_SFLOAT};
  std::mt19937 random(3);
  for (int round = 0; round < 600; ++round) {
    uint32_t samples = 1u << random() % 4;
    TestImage depth(formats[round % 3], kWidth, kHeight, samples), stencil(VK_FORMAT_S8_UINT, kWidth, kHeight, samples);
    std::vector<uint32_t> oldStencil;
    std::vector<float> oldDepth;
    for (uint32_t s = 0; s < samples; ++s) {
      for (int32_t y = 0; y < kHeight; ++y) {
        for (int32_t x = 0; x < kWidth; ++x) {
          uint32_t edge[] = {0, 1, 254, 255, static_cast<uint32_t>(random() & 255)};
          oldStencil.push_back(edge[random() % 5]);
          oldDepth.push_back(depths[random() % 4]);
          stencil.set({{oldStencil.back()}}, x, y, s);
          depth.set(texelOf({oldDepth.back()}), x, y, s);
        }
      }
    }
    DrawRecord draw;
    Statistics statistics;
    DrawState& state = draw.state;
    state.samples = samples;
    state.statistics = &statistics, state.countSamples = true;
    state.attachments.depth = &depth.view, state.attachments.stencil = &stencil.view;
    state.depthTest = random() % 4, state.depthWrite = random() & 1, state.stencilTest = random() % 4;
    state.depthBoundsTest = random() % 3 == 0, state.depthBoundsMin = 0.5f, state.depthBoundsMax = 0.75f;
    state.depthCompare = static_cast<VkCompareOp>(random() % 8);
    for (StencilFace* f : {&state.front, &state.back}) {
      f->fail = static_cast<VkStencilOp>(random() % 8), f->pass = static_cast<VkStencilOp>(random() % 8);
      f->depthFail = static_cast<VkStencilOp>(random() % 8), f->compare = static_cast<VkCompareOp>(random() % 8);
      f->compareMask = random() & 1 ? ~0u : random(), f->writeMask = random() & 1 ? ~0u : random();
      f->reference = random() & 1 ? 254 : random() & 255;
    }
    float z = depths[random() % 4];
    Arena arena;
    prepareDraw(draw, arena);
    std::vector<BinnedPrimitive> list{testing::rectangle(draw, kWidth, kHeight, z)};
    bool front = random() & 1;
    list[0].setup.frontFacing = front ? ~0u : 0;
    ASSERT_TRUE(Runner(round & 1).run(state.attachments, list, kWidth, kHeight));

    const StencilFace& f = front ? state.front : state.back;
    uint64_t passes = 0;
    size_t at = 0;
    for (uint32_t s = 0; s < samples; ++s) {
      for (int32_t y = 0; y < kHeight; ++y) {
        for (int32_t x = 0; x < kWidth; ++x, ++at) {
          float wantDepth = oldDepth[at];
          uint32_t wantStencil = oldStencil[at];
          bool pass = !state.depthBoundsTest || (wantDepth >= 0.5f && wantDepth <= 0.75f);
          if (pass) {
            bool d = !state.depthTest || compareModel(state.depthCompare, z, wantDepth);
            bool st = !state.stencilTest ||
                      compareModel(f.compare, f.reference & f.compareMask & 255, wantStencil & f.compareMask & 255);
            if (state.stencilTest) {
              uint32_t next = stencilModel(!st ? f.fail : d ? f.pass : f.depthFail, wantStencil, f.reference);
              wantStencil = ((wantStencil & ~f.writeMask) | (next & f.writeMask)) & 255;
            }
            pass = d && st;
            if (pass && state.depthTest && state.depthWrite) wantDepth = z;
          }
          passes += pass;
          ASSERT_EQ(stencil.texel(x, y, s).word[0], wantStencil) << round;
          ASSERT_NEAR(floatsOf(depth.texel(x, y, s))[0], wantDepth, 1e-5) << round;
        }
      }
    }
    EXPECT_EQ(statistics.samplesPassed, passes);
  }
}

TEST(DepthStencil, DiscardedFragmentsChangeNothingUnlessTestsAreEarly) {
  for (bool early : {false, true}) {
    TestImage depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight), color(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight);
    TestKernel kernel([](abi::Warp& warp) { warp.killed = warp.active & 0x55; });
    kernel.info.discards = true;
    kernel.info.earlyFragmentTests = early;
    DrawState state;
    state.depthTest = state.depthWrite = true;
    state.attachments.depth = &depth.view;
    drawOver(color, state, kernel);
    uint32_t written = 0;
    for (int32_t y = 0; y < kHeight; ++y)
      for (int32_t x = 0; x < kWidth; ++x) written += depth.texel(x, y).word[0] == 0;
    EXPECT_EQ(written, static_cast<uint32_t>(kWidth * kHeight));  // depth 0 over 0: see the next draw
    std::vector<BinnedPrimitive> list;
    DrawRecord draw;
    draw.state = state;
    draw.state.fragment = &kernel;
    Arena arena;
    prepareDraw(draw, arena);
    list.push_back(testing::rectangle(draw, kWidth, kHeight, 0.5f));
    ASSERT_TRUE(Runner().run(draw.state.attachments, list, kWidth, kHeight));
    for (int32_t y = 0; y < kHeight; ++y) {
      for (int32_t x = 0; x < kWidth; ++x) {
        bool kept = x % 2 == 1;  // odd lanes are odd columns
        EXPECT_EQ(floatsOf(depth.texel(x, y))[0], early || kept ? 0.5f : 0.0f) << x << ' ' << y;
      }
    }
  }
}

TEST(DepthStencil, EverySampleMayHaveADepthOfItsOwn) {
  // Sample s of lane l gets (1 + s + 16 l) / 256, where that is less than what lies there.
  TestKernel kernel([](abi::Warp& warp) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      warp.out[abi::kFragOutDepth].lane[i] = 0;
      for (uint32_t s = 0; s < kMaxSamples; ++s)
        warp.out[abi::kFragOutSampleDepth + s].lane[i] = std::bit_cast<uint32_t>((1 + s + 16 * i) / 256.0f);
    }
  });
  kernel.info.writesDepth = kernel.info.writesSampleDepth = true;
  for (VkFormat format : {VK_FORMAT_D32_SFLOAT, VK_FORMAT_D16_UNORM})
    for (uint32_t samples : {1u, 2u, 4u, 8u, 16u})
      for (bool perSample : {false, true})
        for (bool best : {false, true}) {
          TestImage depth(format, kWidth, kHeight, samples), color(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, samples);
          for (uint32_t s = 0; s < samples; ++s)
            for (int32_t y = 0; y < kHeight; ++y)
              for (int32_t x = 0; x < kWidth; ++x) depth.set(texelOf({0.25f}), x, y, s);
          kernel.info.sampleRate = perSample;
          DrawRecord draw;
          draw.state.samples = samples;
          draw.state.fragment = &kernel;
          draw.state.depthTest = draw.state.depthWrite = true, draw.state.depthCompare = VK_COMPARE_OP_LESS;
          draw.state.attachments.depth = &depth.view;
          draw.state.attachments.color[0] = &color.view, draw.state.attachments.colorCount = 1;
          Arena arena;
          prepareDraw(draw, arena);
          std::vector<BinnedPrimitive> list{testing::rectangle(draw, kWidth, kHeight, 0.9f)};
          ASSERT_TRUE(Runner(best).run(draw.state.attachments, list, kWidth, kHeight));
          for (uint32_t s = 0; s < samples; ++s)
            for (int32_t y = 0; y < kHeight; ++y)
              for (int32_t x = 0; x < kWidth; ++x) {
                // Lanes of a 4x2 group: two quads side by side.
                const uint32_t lane = uint32_t(x % 4 / 2 * 4 + y % 2 * 2 + x % 2);
                const float z = (1 + s + 16 * lane) / 256.0f, want = z < 0.25f ? z : 0.25f;
                ASSERT_NEAR(floatsOf(depth.texel(x, y, s))[0], want, 1e-5) << x << ' ' << y << " sample " << s;
              }
        }
}

TEST(AlphaToCoverage, CoversSamplesInProportion) {
  for (uint32_t samples : {2u, 4u, 8u, 16u}) {
    TestImage color(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, samples);
    TestKernel kernel = colorKernel([](int x, int) { return Vec4{1, 1, 1, static_cast<float>(x) / 16}; });
    DrawState state;
    state.samples = samples;
    state.alphaToCoverage = state.alphaToOne = true;
    drawOver(color, state, kernel);
    uint32_t last = 0;
    for (int x = 0; x <= 16; ++x) {
      uint32_t covered = 0;
      for (uint32_t s = 0; s < samples; ++s) covered += floatsOf(color.texel(x, 5, s))[3] == 1.0f;
      EXPECT_GE(covered, last);
      EXPECT_NEAR(covered, x / 16.0 * samples, 0.5001);
      last = covered;
    }
    EXPECT_EQ(last, samples);
  }
}

TEST(AlphaToCoverage, IntegersCoverAllSamples) {
  for (uint32_t samples : {2u, 8u}) {
    TestImage color(VK_FORMAT_R8G8B8A8_UINT, kWidth, kHeight, samples);
    TestKernel kernel = colorKernel([](int x, int) { return Vec4{1, 1, 1, static_cast<float>(x % 2)}; });
    kernel.info.integerOutputs = 1;
    DrawState state;
    state.samples = samples;
    state.alphaToCoverage = true;
    drawOver(color, state, kernel);
    for (int x = 0; x < kWidth; ++x)
      for (uint32_t s = 0; s < samples; ++s) EXPECT_NE(color.texel(x, 5, s).word[0], 0u) << x << " sample " << s;
  }
}

/// Draws a primitive that covers everything in the mode of smooth lines, whose rectangle is `r`; null: it is no line.
void drawSmooth(TestImage& color, DrawState state, const SmoothRectangle* r) {
  TestKernel kernel = colorKernel([](int, int) { return Vec4{0.25f, 0.5f, 0.75f, 0.5f}; });
  DrawRecord draw;
  draw.state = std::move(state);
  draw.state.lineMode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
  draw.state.samples = color.view.samples;
  draw.state.fragment = &kernel;
  draw.state.attachments.color[0] = &color.view, draw.state.attachments.colorCount = 1;
  Arena arena;
  prepareDraw(draw, arena);
  std::vector<BinnedPrimitive> list{testing::rectangle(draw, kWidth, kHeight)};
  list[0].isLine = r != nullptr, list[0].smooth = r;
  ASSERT_TRUE(Runner().run(draw.state.attachments, list, kWidth, kHeight));
}

TEST(SmoothLines, AlphaIsMultipliedByThePartOfThePixel) {
  const SmoothRectangle r = {{{300, 200}, {3500, 900}, {3100, 2700}, {-100, 2000}}};
  for (uint32_t samples : {1u, 4u}) {
    TestImage color(VK_FORMAT_R32G32B32A32_SFLOAT, kWidth, kHeight, samples);
    drawSmooth(color, {}, &r);
    for (int32_t y = 0; y < kHeight; ++y)
      for (int32_t x = 0; x < kWidth; ++x)
        for (uint32_t s = 0; s < samples; ++s)
          EXPECT_EQ(floatsOf(color.texel(uint32_t(x), uint32_t(y), s)),
                    (Vec4{0.25f, 0.5f, 0.75f, 0.5f * smoothCoverage(r, x, y)}))
              << x << "," << y;
  }
}

TEST(SmoothLines, WhatIsNoLineKeepsItsAlpha) {
  TestImage color(VK_FORMAT_R32G32B32A32_SFLOAT, kWidth, kHeight);
  drawSmooth(color, {}, nullptr);
  for (uint32_t x = 0; x < kWidth; ++x) EXPECT_EQ(floatsOf(color.texel(x, 3))[3], 0.5f);
}

/// Half of what alpha says: a quarter of the samples.
TEST(SmoothLines, AlphaCoversSamplesBehindThat) {
  const SmoothRectangle r = {{{0, 128}, {kWidth * 256, 128}, {kWidth * 256, 256}, {0, 256}}};
  TestImage color(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, 4);
  DrawState state;
  state.alphaToCoverage = true;
  drawSmooth(color, state, &r);
  for (uint32_t x = 0; x < kWidth; ++x) {
    uint32_t covered = 0;
    for (uint32_t s = 0; s < 4; ++s) covered += floatsOf(color.texel(x, 0, s))[1] > 0;
    EXPECT_EQ(covered, 1u) << x;
    for (uint32_t s = 0; s < 4; ++s) EXPECT_EQ(floatsOf(color.texel(x, 1, s))[1], 0) << x;
  }
}

TEST(Clear, FillsTheRectangleOfOneLayerInAllSamples) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, 4, 3);
  VkClearColorValue value{{0.5f, 2.0f, -1.0f, 1.0f}};
  clearColorRect(image.view, value, {{-3, 2}, {10, 5}}, 1);
  for (uint32_t layer = 0; layer < 3; ++layer)
    for (uint32_t s = 0; s < 4; ++s)
      for (int32_t y = 0; y < kHeight; ++y)
        for (int32_t x = 0; x < kWidth; ++x) {
          bool in = layer == 1 && x < 7 && y >= 2 && y < 7;
          Vec4 v = floatsOf(image.texel(x, y, s, layer));
          ASSERT_EQ(v, in ? (Vec4{128 / 255.0f, 1, 0, 1}) : Vec4{});
        }
}

TEST(Resolve, AveragesColourAndPicksDepth) {
  for (uint32_t samples : {2u, 4u, 8u, 16u}) {
    for (VkFormat f : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R32G32B32A32_SFLOAT,
                       VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_R8_UINT}) {
      TestImage source(f, kWidth, kHeight, samples), destination(f, kWidth, kHeight);
      bool integer = source.view.info->isInteger();
      Noise noise[16];
      for (uint32_t s = 0; s < samples; ++s) {
        noise[s] = {s, 0, 1};
        for (int32_t y = 0; y < kHeight; ++y)
          for (int32_t x = 0; x < kWidth; ++x) {
            format::Texel t = texelOf(noise[s](x, y));
            if (integer) t.word[0] &= 255;
            source.set(t, x, y, s);
          }
      }
      resolveAttachment(nullptr,
                        {&source.view, &destination.view, VK_IMAGE_ASPECT_COLOR_BIT,
                         integer ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT},
                        {{2, 3}, {9, 6}}, 1, 0);
      for (int32_t y = 0; y < kHeight; ++y)
        for (int32_t x = 0; x < kWidth; ++x) {
          bool in = x >= 2 && x < 11 && y >= 3 && y < 9;
          if (integer) {
            ASSERT_EQ(destination.texel(x, y).word[0], in ? source.texel(x, y).word[0] : 0);
            continue;
          }
          Vec4 got = floatsOf(destination.texel(x, y));
          for (uint32_t c = 0; c < source.view.info->components(); ++c) {
            double sum = 0;
            for (uint32_t s = 0; s < samples; ++s) sum += floatsOf(source.texel(x, y, s))[c];
            ASSERT_NEAR(got[c], in ? sum / samples : 0, 6e-3);
          }
        }
    }
    for (VkResolveModeFlagBits mode : {VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, VK_RESOLVE_MODE_MIN_BIT,
                                       VK_RESOLVE_MODE_MAX_BIT, VK_RESOLVE_MODE_AVERAGE_BIT}) {
      TestImage source(VK_FORMAT_D32_SFLOAT, 5, 5, samples), destination(VK_FORMAT_D32_SFLOAT, 5, 5);
      double sum = 0;
      float least = 1, greatest = 0, first = 0;
      for (uint32_t s = 0; s < samples; ++s) {
        float v = Noise{s, 0, 1}(3, 3)[0];
        if (s == 0) first = v;
        sum += v, least = std::min(least, v), greatest = std::max(greatest, v);
        source.set(texelOf({v}), 2, 2, s);
      }
      resolveAttachment(nullptr, {&source.view, &destination.view, VK_IMAGE_ASPECT_DEPTH_BIT, mode}, {{0, 0}, {5, 5}},
                        1, 0);
      double want = mode == VK_RESOLVE_MODE_SAMPLE_ZERO_BIT ? first
                    : mode == VK_RESOLVE_MODE_MIN_BIT       ? least
                    : mode == VK_RESOLVE_MODE_MAX_BIT       ? greatest
                                                            : sum / samples;
      EXPECT_NEAR(floatsOf(destination.texel(2, 2))[0], want, 1e-6);
    }
  }
}

}  // namespace
}  // namespace etzel::raster
