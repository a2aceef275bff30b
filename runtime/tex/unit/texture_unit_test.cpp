#include "runtime/tex/unit/texture_unit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "runtime/format/convert.h"
#include "runtime/msaa/fragment_surface.h"

namespace etzel::tex {
namespace {

using abi::LodMode;
using abi::TexDim;
using abi::TexInst;
using abi::TexKind;
using abi::TexType;
using format::bitsToFloat;
using format::floatToBits;

/// An image with a view of all of it, one sampler, and a warp whose table 0 holds both in one descriptor.
struct Fixture {
  mem::ImageLayout layout;
  std::vector<std::byte> bytes;
  ImageView view;
  Sampler sampler;
  abi::ImageDescriptor descriptor[2]{};
  abi::DispatchContext context;
  abi::Warp warp;
  LaneWords sys[abi::kSysValueCount] = {};
  LaneWords args[32] = {};
  LaneWords result[9] = {};
  LaneWords handle{};

  Fixture(VkFormat format, VkExtent3D extent, uint32_t mips, uint32_t layers, VkImageViewType type,
          uint32_t samples = 1) {
    mem::ImageShape shape;
    shape.type = type == VK_IMAGE_VIEW_TYPE_3D                                          ? VK_IMAGE_TYPE_3D
                 : type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY ? VK_IMAGE_TYPE_1D
                                                                                        : VK_IMAGE_TYPE_2D;
    shape.format = format;
    shape.extent = extent;
    shape.mipLevels = mips;
    shape.arrayLayers = layers;
    shape.samples = samples;
    layout = mem::layoutImage(shape);
    bytes.resize(layout.size);
    view.layout = &layout;
    view.plane = &layout.plane[0];
    view.memory = bytes.data();
    view.format = format;
    view.info = format::find(format);
    view.decode = format::decoder(format);
    view.encode = format::encoder(format);
    view.type = type;
    view.mipCount = mips;
    view.layerCount = layers;
    view.samples = samples;
    sampler.maxLod = 1000;
    descriptor[0] = {.view = &view, .sampler = &sampler};
    context.table[0] = reinterpret_cast<const std::byte*>(descriptor);
    context.tableBytes[0] = sizeof(descriptor);
    warp.context = &context;
    warp.sys = sys;
    for (uint32_t i = 0; i < kWarpLanes; ++i) handle[i] = abi::makeHandle(0, 0);
  }
  void put(float value, uint32_t x, uint32_t y = 0, uint32_t z = 0, uint32_t layer = 0, uint32_t mip = 0,
           uint32_t sample = 0) {
    const format::Texel t = {{floatToBits(value), floatToBits(value + 1), floatToBits(value + 2), floatToBits(1)}};
    view.encode(&t, bytes.data() + layout.texelOffset(*view.plane, mip, layer, sample, x, y, z), 1);
  }
  void run(const TexInst& inst, LaneMask active = kAllLanes) {
    execute(&warp, inst.pack(), active, &handle, &handle, args, result);
  }
  void setAll(uint32_t word, float v) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) args[word][i] = floatToBits(v);
  }
  void setAllInt(uint32_t word, int32_t v) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) args[word][i] = static_cast<uint32_t>(v);
  }
  float out(uint32_t component, uint32_t lane = 0) const { return bitsToFloat(result[component].lane[lane]); }
};

TexInst instruction(TexKind kind, TexDim dim, LodMode lod = LodMode::Zero) {
  TexInst i;
  i.kind = kind, i.dim = dim, i.lod = lod;
  return i;
}

/// The wrapped index as the specification writes it; -1 is the border.
int wrapModel(VkSamplerAddressMode mode, int i, int n) {
  const auto mirror = [](int v) { return v >= 0 ? v : -(1 + v); };
  const auto mod = [](int a, int b) { return ((a % b) + b) % b; };
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT: return mod(i, n);
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT: return (n - 1) - mirror(mod(i, 2 * n) - n);
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE: return std::clamp(i, 0, n - 1);
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER: return i < 0 || i >= n ? -1 : i;
    default: return std::clamp(mirror(i), 0, n - 1);
  }
}

TEST(Sample, TwoDimensionsMatchAModelInEveryAddressMode) {
  constexpr int w = 7, h = 5;
  Fixture f(VK_FORMAT_R32G32B32A32_SFLOAT, {w, h, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  std::mt19937 random(1);
  float texel[h][w];
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) f.put(texel[y][x] = static_cast<float>(random() % 100), x, y);
  f.sampler.border = {{floatToBits(-50), 0, 0, 0}};
  for (int u = 0; u < 5; ++u) {
    for (int v = 0; v < 5; ++v) {
      const auto mu = static_cast<VkSamplerAddressMode>(u), mv = static_cast<VkSamplerAddressMode>(v);
      f.sampler.address[0] = mu, f.sampler.address[1] = mv;
      const auto at = [&](int i, int j) {
        const int x = wrapModel(mu, i, w), y = wrapModel(mv, j, h);
        return x < 0 || y < 0 ? -50.0 : texel[y][x];
      };
      for (int trial = 0; trial < 40; ++trial) {
        const float s = static_cast<float>(random() % 4000) / 1000 - 2,
                    t = static_cast<float>(random() % 4000) / 1000 - 2;
        f.setAll(0, s), f.setAll(1, t);
        f.sampler.magFilter = f.sampler.minFilter = VK_FILTER_NEAREST;
        f.run(instruction(TexKind::Sample, TexDim::D2));
        EXPECT_EQ(f.out(0), at(std::floor(s * float(w)), std::floor(t * float(h)))) << u << v << " " << s << " " << t;
        f.sampler.magFilter = f.sampler.minFilter = VK_FILTER_LINEAR;
        f.run(instruction(TexKind::Sample, TexDim::D2));
        const double a = s * double(w) - 0.5, b = t * double(h) - 0.5;
        const int i = std::floor(a), j = std::floor(b);
        const double x = a - i, y = b - j;
        const double expected =
            (at(i, j) * (1 - x) + at(i + 1, j) * x) * (1 - y) + (at(i, j + 1) * (1 - x) + at(i + 1, j + 1) * x) * y;
        EXPECT_NEAR(f.out(0, 5), expected, 2e-3) << u << v;
      }
    }
  }
}

TEST(Sample, EqualFloatsAverageToThemselves) {
  // Weights like (1/3)^2 round: their products' sum may miss the texel by an ulp, which 32-bit formats would show.
  for (const VkFormat format : {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT}) {
    Fixture f(format, {8, 8, 1}, 2, 1, VK_IMAGE_VIEW_TYPE_2D);
    const float value = 0.1f;
    for (uint32_t mip = 0; mip < 2; ++mip)
      for (uint32_t y = 0; y < 8u >> mip; ++y)
        for (uint32_t x = 0; x < 8u >> mip; ++x) f.put(value, x, y, 0, 0, mip);
    f.sampler.magFilter = f.sampler.minFilter = VK_FILTER_LINEAR;
    f.sampler.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
    f.sampler.border = {{floatToBits(value), floatToBits(value + 1), floatToBits(value + 2), floatToBits(1)}};
    std::mt19937 random(3);
    for (const auto mode : {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, VK_SAMPLER_ADDRESS_MODE_REPEAT}) {
      f.sampler.address[0] = f.sampler.address[1] = mode;
      for (const auto lod : {LodMode::Zero, LodMode::Explicit}) {
        for (int trial = 0; trial < 200; ++trial) {
          for (uint32_t word = 0; word < 3; ++word)
            for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
              f.args[word][lane] = floatToBits(static_cast<float>(random() % 3000) / 3000);
          f.run(instruction(TexKind::Sample, TexDim::D2, lod));
          for (uint32_t lane = 0; lane < kWarpLanes; ++lane) ASSERT_EQ(f.out(0, lane), value) << format << " " << mode;
        }
      }
    }
  }
}

TEST(Sample, ThreeDimensionsAndOneDimensionInterpolate) {
  Fixture f(VK_FORMAT_R32G32B32A32_SFLOAT, {4, 4, 4}, 1, 1, VK_IMAGE_VIEW_TYPE_3D);
  for (uint32_t z = 0; z < 4; ++z)
    for (uint32_t y = 0; y < 4; ++y)
      for (uint32_t x = 0; x < 4; ++x) f.put(static_cast<float>(x + 10 * y + 100 * z), x, y, z);
  f.sampler.magFilter = VK_FILTER_LINEAR;
  f.setAll(0, 1.9f / 4), f.setAll(1, 1.25f / 4), f.setAll(2, 3.0f / 4);
  f.run(instruction(TexKind::Sample, TexDim::D3));
  EXPECT_NEAR(f.out(0), 1.4 + 7.5 + 250, 1e-3);

  Fixture line(VK_FORMAT_R32G32B32A32_SFLOAT, {8, 1, 1}, 1, 3, VK_IMAGE_VIEW_TYPE_1D_ARRAY);
  for (uint32_t l = 0; l < 3; ++l)
    for (uint32_t x = 0; x < 8; ++x) line.put(static_cast<float>(x + 10 * l), x, 0, 0, l);
  line.sampler.magFilter = VK_FILTER_LINEAR;
  TexInst i = instruction(TexKind::Sample, TexDim::D1);
  i.arrayed = true;
  const struct { float layer, expected; } cases[] = {{0.5f, 2}, {1.5f, 22}, {-3, 2}, {99, 22}, {0.51f, 12}};
  for (const auto& c : cases) {  // nearest even, then clamped
    line.setAll(0, 2.5f / 8), line.setAll(1, c.layer);
    line.run(i);
    EXPECT_NEAR(line.out(0), c.expected, 1e-4) << c.layer;
  }
}

TEST(Sample, ImplicitLodChoosesTheLevelOfTheFootprint) {
  Fixture f(VK_FORMAT_R32G32B32A32_SFLOAT, {16, 16, 1}, 5, 1, VK_IMAGE_VIEW_TYPE_2D);
  for (uint32_t m = 0; m < 5; ++m)
    for (uint32_t y = 0; y < 16u >> m; ++y)
      for (uint32_t x = 0; x < 16u >> m; ++x) f.put(static_cast<float>(10 * m), x, y, 0, 0, m);
  const auto footprint = [&](float texels) {
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      f.args[0][lane] = floatToBits(0.3f + static_cast<float>(lane & 1) * texels / 16);
      f.args[1][lane] = floatToBits(0.3f + static_cast<float>(lane >> 1 & 1) * texels / 16);
    }
  };
  f.sampler.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  const struct { float texels, level; } nearest[] = {{0.5f, 0}, {1, 0}, {2, 1}, {2.7f, 1}, {3, 2}, {4, 2}, {100, 4}};
  for (const auto& c : nearest) {
    footprint(c.texels);
    f.run(instruction(TexKind::Sample, TexDim::D2, LodMode::Implicit));
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) EXPECT_EQ(f.out(0, lane), 10 * c.level) << c.texels;
  }
  f.sampler.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  footprint(2 * 1.41421356f);
  f.run(instruction(TexKind::Sample, TexDim::D2, LodMode::Implicit));
  EXPECT_NEAR(f.out(0), 15, 0.01);
  f.sampler.mipLodBias = 1;
  f.run(instruction(TexKind::Sample, TexDim::D2, LodMode::Implicit));
  EXPECT_NEAR(f.out(0), 25, 0.01);
  f.sampler.maxLod = 2.25f;
  f.run(instruction(TexKind::Sample, TexDim::D2, LodMode::Implicit));
  EXPECT_NEAR(f.out(0), 22.5, 0.01);
  f.run(instruction(TexKind::QueryLod, TexDim::D2, LodMode::Implicit));
  EXPECT_NEAR(f.out(0), 2.25, 0.001);
  EXPECT_NEAR(f.out(1), 2.5, 0.001);
  f.sampler.mipLodBias = 0, f.sampler.maxLod = 1000;
  f.setAll(2, 3.5f);
  f.run(instruction(TexKind::Sample, TexDim::D2, LodMode::Explicit));
  EXPECT_NEAR(f.out(0), 35, 0.001);
}

TEST(Sample, AnisotropyKeepsTheDetailOfTheShortAxis) {
  Fixture f(VK_FORMAT_R32G32B32A32_SFLOAT, {64, 64, 1}, 7, 1, VK_IMAGE_VIEW_TYPE_2D);
  for (uint32_t m = 0; m < 7; ++m)
    for (uint32_t y = 0; y < 64u >> m; ++y)
      for (uint32_t x = 0; x < 64u >> m; ++x) f.put(static_cast<float>(m), x, y, 0, 0, m);
  f.sampler.anisotropic = true;
  f.sampler.maxAnisotropy = 4;
  f.sampler.minFilter = f.sampler.magFilter = VK_FILTER_LINEAR;
  f.sampler.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  TexInst i = instruction(TexKind::Sample, TexDim::D2, LodMode::Grad);
  const float grads[4] = {8.0f / 64, 0, 0, 2.0f / 64};  // 8 by 2 texels
  for (uint32_t k = 0; k < 4; ++k) f.setAll(2 + k, grads[k]);
  f.setAll(0, 0.5f), f.setAll(1, 0.5f);
  f.run(i);
  EXPECT_NEAR(f.out(0), 1, 1e-3);
  f.sampler.maxAnisotropy = 2;
  f.run(i);
  EXPECT_NEAR(f.out(0), 2, 1e-3);
}

TEST(Sample, CubesAreContinuousAcrossEveryEdge) {
  Fixture f(VK_FORMAT_R32G32B32A32_SFLOAT, {8, 8, 1}, 1, 6, VK_IMAGE_VIEW_TYPE_CUBE);
  // A wrong neighbour would be off by half or more; the coarse grid itself by 0.1 near corners. The value of a texel is
  // a smooth function of its direction, so filtered values must be near it everywhere.
  const auto value = [](const double d[3]) {
    const double n = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    return (d[0] + 2 * d[1] + 3 * d[2]) / n;
  };
  for (uint32_t face = 0; face < 6; ++face)
    for (uint32_t j = 0; j < 8; ++j)
      for (uint32_t i = 0; i < 8; ++i) {
        const double s = (2 * i + 1) / 8.0 - 1, t = (2 * j + 1) / 8.0 - 1;
        const double d[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
        f.put(static_cast<float>(value(d[face])), i, j, 0, face);
      }
  f.sampler.magFilter = VK_FILTER_LINEAR;
  std::mt19937 random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    double d[3];
    for (double& c : d) c = static_cast<double>(random() % 2001) / 1000 - 1;
    d[trial % 3] = trial & 1 ? 1 : -1;
    if (trial & 2) d[(trial + 1) % 3] = trial & 4 ? 0.9999 : -0.9999;  // along an edge
    for (uint32_t k = 0; k < 3; ++k) f.setAll(k, static_cast<float>(d[k]));
    f.run(instruction(TexKind::Sample, TexDim::Cube));
    EXPECT_NEAR(f.out(0), value(d), 0.12) << d[0] << " " << d[1] << " " << d[2];
  }
}

TEST(Sample, DepthComparisonHappensBeforeFiltering) {
  Fixture f(VK_FORMAT_D16_UNORM, {2, 1, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  f.put(0.25f, 0), f.put(0.75f, 1);
  f.sampler.magFilter = VK_FILTER_LINEAR;
  f.sampler.compare = true;
  f.sampler.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  TexInst i = instruction(TexKind::Sample, TexDim::D2);
  i.dref = true;
  f.setAll(0, 0.375f + 0.25f * 0.5f), f.setAll(1, 0.5f), f.setAll(2, 0.5f);
  f.run(i);
  EXPECT_NEAR(f.out(0), 0.5f, 1e-5);
  f.setAll(2, 5.0f);  // fixed-point depth: the reference is clamped to 1
  f.sampler.compareOp = VK_COMPARE_OP_GREATER;
  f.put(1.0f, 0), f.put(1.0f, 1);
  f.run(i);
  EXPECT_EQ(f.out(0), 0.0f);
}

TEST(Sample, ReductionOfIntegersComparesThemAsWhatTheyAre) {
  for (const bool isSigned : {false, true}) {
    const VkFormat format = isSigned ? VK_FORMAT_R8_SINT : VK_FORMAT_R8_UINT;
    Fixture f(format, {2, 2, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
    for (uint32_t i = 0; i < 4; ++i)  // 1, 0x81, 2, 0xFE
      f.bytes[f.layout.texelOffset(*f.view.plane, 0, 0, 0, i & 1, i >> 1, 0)] = std::byte(i == 0   ? 1
                                                                                          : i == 1 ? 0x81
                                                                                          : i == 2 ? 2
                                                                                                   : 0xFE);
    f.sampler.magFilter = f.sampler.minFilter = VK_FILTER_LINEAR;
    f.setAll(0, 0.5f), f.setAll(1, 0.5f);
    TexInst inst = instruction(TexKind::Sample, TexDim::D2);
    inst.type = isSigned ? TexType::Sint : TexType::Uint;
    f.sampler.reduction = VK_SAMPLER_REDUCTION_MODE_MIN;
    f.run(inst);
    EXPECT_EQ(int32_t(f.result[0].lane[0]), isSigned ? -127 : 1);
    f.sampler.reduction = VK_SAMPLER_REDUCTION_MODE_MAX;
    f.run(inst);
    EXPECT_EQ(int32_t(f.result[0].lane[0]), isSigned ? 2 : 0xFE);
  }
}

TEST(Sample, ScaledTexelsAreFloatsUnlessTheInstructionIsForIntegers) {
  Fixture f(VK_FORMAT_R8_SSCALED, {1, 1, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  f.bytes[0] = std::byte(0xFB);
  ImageView integers = f.view;
  integers.info = format::integersOf(*f.view.info);
  integers.decode = format::decoder(integers.info->format);
  f.view.integers = &integers;
  prepare(integers), prepare(f.view);
  f.setAll(0, 0.5f), f.setAll(1, 0.5f);
  TexInst inst = instruction(TexKind::Sample, TexDim::D2);
  f.run(inst);
  EXPECT_EQ(f.out(0), -5.0f);
  EXPECT_EQ(f.out(3), 1.0f);
  inst.type = TexType::Sint;
  f.run(inst);
  EXPECT_EQ(int32_t(f.result[0].lane[0]), -5);
  EXPECT_EQ(f.result[3].lane[0], 1u);
}

TEST(Sample, ReductionTakesTheExtremeOfTheFootprint) {
  Fixture f(VK_FORMAT_R32G32B32A32_SFLOAT, {2, 2, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  f.put(1, 0, 0), f.put(5, 1, 0), f.put(-2, 0, 1), f.put(3, 1, 1);
  f.sampler.magFilter = VK_FILTER_LINEAR;
  f.setAll(0, 0.5f), f.setAll(1, 0.5f);
  f.sampler.reduction = VK_SAMPLER_REDUCTION_MODE_MIN;
  f.run(instruction(TexKind::Sample, TexDim::D2));
  EXPECT_EQ(f.out(0), -2);
  f.sampler.reduction = VK_SAMPLER_REDUCTION_MODE_MAX;
  f.run(instruction(TexKind::Sample, TexDim::D2));
  EXPECT_EQ(f.out(0), 5);
  f.setAll(1, 0.25f);  // texels of row 1 have no weight
  f.sampler.reduction = VK_SAMPLER_REDUCTION_MODE_MIN;
  f.run(instruction(TexKind::Sample, TexDim::D2));
  EXPECT_EQ(f.out(0), 1);
}

TEST(Gather, OrderComponentAndSwizzle) {
  Fixture f(VK_FORMAT_R32G32B32A32_SFLOAT, {4, 4, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 4; ++x) f.put(static_cast<float>(x + 10 * y), x, y);
  f.setAll(0, 0.5f), f.setAll(1, 0.5f);
  TexInst i = instruction(TexKind::Gather, TexDim::D2);
  i.component = 1;  // value + 1
  f.run(i);
  EXPECT_EQ(f.out(0), 22);
  EXPECT_EQ(f.out(1), 23);
  EXPECT_EQ(f.out(2), 13);
  EXPECT_EQ(f.out(3), 12);
  f.view.identitySwizzle = false;
  f.view.swizzle[1] = 2;
  f.run(i);
  EXPECT_EQ(f.out(3), 13);
  f.view.swizzle[1] = 5;
  f.run(i);
  EXPECT_EQ(f.out(3), 1);
  f.view.identitySwizzle = true;
  i.component = 0;
  i.offsets4 = true;
  for (uint32_t k = 0; k < 4; ++k) f.setAllInt(2 + 2 * k, static_cast<int32_t>(k) - 1), f.setAllInt(3 + 2 * k, -1);
  f.run(i);
  for (uint32_t k = 0; k < 4; ++k) EXPECT_EQ(f.out(k), static_cast<float>(k));
}

TEST(Fetch, OutsideReadsZeroWithTheFormatsAlpha) {
  Fixture f(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1}, 2, 2, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
  f.put(1, 1, 2, 0, 1, 0);
  TexInst i = instruction(TexKind::Fetch, TexDim::D2, LodMode::Explicit);
  i.arrayed = true;
  const auto fetch = [&](int x, int y, int layer, int lod) {
    const int v[4] = {x, y, layer, lod};
    for (uint32_t k = 0; k < 4; ++k) f.setAllInt(k, v[k]);
    f.run(i);
    return f.out(0);
  };
  EXPECT_EQ(fetch(1, 2, 1, 0), 1);
  EXPECT_EQ(f.out(3), 1);
  for (auto [x, y, l, m] :
       {std::array{4, 0, 0, 0}, {-1, 0, 0, 0}, {0, 4, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}, {2, 0, 0, 1}}) {
    EXPECT_EQ(fetch(x, y, l, m), 0);
    EXPECT_EQ(f.out(3), 0);
  }
  Fixture rgb(VK_FORMAT_B10G11R11_UFLOAT_PACK32, {4, 4, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  rgb.setAllInt(0, 9);
  rgb.run(instruction(TexKind::Fetch, TexDim::D2));
  EXPECT_EQ(rgb.out(3), 1);
}

TEST(Fetch, NullAndOutOfRangeDescriptorsReadZero) {
  Fixture f(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  f.put(1, 0, 0);
  for (abi::DescriptorHandle h :
       {abi::kNullHandle, abi::makeHandle(0, 64), abi::makeHandle(3, 0), abi::makeHandle(0, 32)}) {
    f.handle[2] = h;  // one lane of its own
    f.run(instruction(TexKind::Fetch, TexDim::D2));
    EXPECT_EQ(f.out(0, 2), 0) << h;
    EXPECT_EQ(f.out(0, 3), 1);
  }
}

TEST(Fetch, SamplesAndTheFragmentMask) {
  Fixture f(VK_FORMAT_R32_SFLOAT, {2, 2, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D, 4);
  f.run(instruction(TexKind::FragmentMask, TexDim::D2));
  EXPECT_EQ(f.result[0][0], 0u);  // zeroed memory: one fragment
  const msaa::FragmentSurface surface(f.layout, f.layout.plane[0], f.view.memory, 0);
  surface.expand(0);
  for (uint32_t s = 0; s < 4; ++s) f.put(static_cast<float>(s + 1), 1, 1, 0, 0, 0, s);
  TexInst i = instruction(TexKind::Fetch, TexDim::D2);
  i.multisampled = true;
  f.setAllInt(0, 1), f.setAllInt(1, 1);
  for (int s = 0; s < 5; ++s) {
    f.setAllInt(2, s);
    f.run(i);
    EXPECT_EQ(f.out(0), s < 4 ? static_cast<float>(s + 1) : 0.0f);
  }
  f.run(instruction(TexKind::FragmentMask, TexDim::D2));
  EXPECT_EQ(f.result[0][0], 0x3210u);
  // Samples 1 and 2 with one colour: two fragments, and every way to it gives the same.
  const float colours[2] = {7, 8};
  surface.clear(0, 0, 2, 2, reinterpret_cast<const std::byte*>(&colours[0]), -1);
  surface.writeSamples(1, 1, 0b0110, reinterpret_cast<const std::byte*>(&colours[1]));
  f.run(instruction(TexKind::FragmentMask, TexDim::D2));
  EXPECT_EQ(f.result[0][0], 0x0110u);
  for (int s = 0; s < 4; ++s) {
    f.setAllInt(2, s);
    f.run(i);
    EXPECT_EQ(f.out(0), s == 1 || s == 2 ? 8.0f : 7.0f);
    if (s > 1) continue;
    f.run(instruction(TexKind::FragmentFetch, TexDim::D2));
    EXPECT_EQ(f.out(0), s ? 8.0f : 7.0f);
  }
}

TEST(ImageAccess, WritesStayInsideAndSkipHelpers) {
  Fixture f(VK_FORMAT_R32_UINT, {4, 2, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  TexInst i = instruction(TexKind::ImageWrite, TexDim::D2);
  i.type = TexType::Uint;
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
    f.args[0][lane] = lane - 2, f.args[1][lane] = 0, f.args[2][lane] = 100 + lane;
  f.warp.helper = 1u << 3;
  f.run(i);
  uint32_t row[8];
  std::memcpy(row, f.bytes.data(), 16);
  std::memcpy(row + 4, f.bytes.data() + f.layout.plane[0].mip[0].rowPitch, 16);
  const uint32_t expected[8] = {102, 0, 104, 105, 0, 0, 0, 0};
  for (int k = 0; k < 8; ++k) EXPECT_EQ(row[k], expected[k]) << k;
}

TEST(ImageAccess, AtomicsRunInLaneOrder) {
  Fixture f(VK_FORMAT_R32_UINT, {1, 1, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  TexInst i = instruction(TexKind::ImageAtomic, TexDim::D2);
  i.type = TexType::Uint;
  i.atomic = abi::AtomicOp::Add;
  f.setAllInt(2, 3);
  f.run(i, 0x7F);
  for (uint32_t lane = 0; lane < 7; ++lane) EXPECT_EQ(f.result[0][lane], 3 * lane);
  i.atomic = abi::AtomicOp::CompareExchange;  // value, then comparator
  f.setAllInt(2, 7), f.setAllInt(3, 21);
  f.run(i, 3);
  EXPECT_EQ(f.result[0][0], 21u);
  EXPECT_EQ(f.result[0][1], 7u);

  Fixture wide(VK_FORMAT_R64_UINT, {1, 1, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  i.atomic = abi::AtomicOp::UMax;
  i.type = TexType::Uint64;
  wide.setAllInt(2, 5), wide.setAllInt(3, 9);
  wide.run(i, 3);
  EXPECT_EQ(wide.result[1][1], 9u);
  EXPECT_EQ(wide.result[0][1], 5u);
}

TEST(Query, SizesOfLevelsLayersAndCubes) {
  Fixture f(VK_FORMAT_R8G8B8A8_UNORM, {16, 16, 1}, 4, 12, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY);
  TexInst i = instruction(TexKind::QuerySize, TexDim::Cube, LodMode::Explicit);
  i.arrayed = true;
  f.setAllInt(0, 2);
  f.run(i);
  EXPECT_EQ(f.result[0][0], 4u);
  EXPECT_EQ(f.result[1][0], 4u);
  EXPECT_EQ(f.result[2][0], 2u);
  f.run(instruction(TexKind::QueryLevels, TexDim::Cube));
  EXPECT_EQ(f.result[0][7], 4u);
}

TEST(TexelBuffer, BoundsAreWholeTexels) {
  Fixture f(VK_FORMAT_R16G16_UINT, {4, 1, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  uint16_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  f.view.layout = nullptr, f.view.plane = nullptr;
  f.view.memory = reinterpret_cast<std::byte*>(data);
  f.view.bufferBytes = 12;
  TexInst i = instruction(TexKind::Fetch, TexDim::Buffer);
  i.type = TexType::Uint;
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) f.args[0][lane] = lane;
  f.run(i);
  EXPECT_EQ(f.result[0][2], 5u);
  EXPECT_EQ(f.result[1][2], 6u);
  EXPECT_EQ(f.result[0][3], 0u);
  EXPECT_EQ(f.result[3][3], 1u);
  f.run(instruction(TexKind::QuerySize, TexDim::Buffer));
  EXPECT_EQ(f.result[0][0], 3u);
}

TEST(Ycbcr, PlanesBecomeAColour) {
  Fixture f(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, {4, 4, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  f.view.format = f.layout.plane[0].format;  // as the API makes views of the colour aspect
  f.view.info = format::find(f.view.format);
  const auto at = [&](uint32_t plane, uint32_t x, uint32_t y) {
    return f.bytes.data() + f.layout.texelOffset(f.layout.plane[plane], 0, 0, 0, x, y, 0);
  };
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 4; ++x) *at(0, x, y) = static_cast<std::byte>(81);
  for (uint32_t y = 0; y < 2; ++y)
    for (uint32_t x = 0; x < 2; ++x)
      at(1, x, y)[0] = static_cast<std::byte>(90), at(1, x, y)[1] = static_cast<std::byte>(240);
  f.sampler.ycbcr.enabled = true;
  f.sampler.ycbcr.model = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601;
  f.sampler.ycbcr.range = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
  f.setAll(0, 0.6f);
  f.setAll(1, 0.3f);
  f.run(instruction(TexKind::Sample, TexDim::D2));  // 601 narrow (81, 90, 240) is red
  EXPECT_NEAR(f.out(0), 1, 0.01);
  EXPECT_NEAR(f.out(1), 0, 0.01);
  EXPECT_NEAR(f.out(2), 0, 0.01);

  // Cosited: chroma k lies on luma texel 2k. Midpoint: between 2k and 2k + 1.
  f.sampler.ycbcr.model = VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY;
  f.sampler.ycbcr.chromaFilter = f.sampler.magFilter = f.sampler.minFilter = VK_FILTER_LINEAR;
  for (uint32_t y = 0; y < 2; ++y) at(1, 0, y)[0] = std::byte{0}, at(1, 1, y)[0] = std::byte{255};
  const struct {
    VkChromaLocation location;
    float u, expected;
  } cases[] = {{VK_CHROMA_LOCATION_COSITED_EVEN, 0.5f, 0}, {VK_CHROMA_LOCATION_COSITED_EVEN, 1.5f, 0.5f},
               {VK_CHROMA_LOCATION_COSITED_EVEN, 2.5f, 1}, {VK_CHROMA_LOCATION_MIDPOINT, 1.0f, 0},
               {VK_CHROMA_LOCATION_MIDPOINT, 1.5f, 0.25f}, {VK_CHROMA_LOCATION_MIDPOINT, 3.0f, 1}};
  for (const auto& c : cases) {
    f.sampler.ycbcr.xChromaOffset = c.location;
    f.setAll(0, c.u / 4);
    f.run(instruction(TexKind::Sample, TexDim::D2));
    EXPECT_NEAR(f.out(2), c.expected, 1e-5) << c.u;
  }
}

TEST(CompressedImage, TexelsComeFromTheirBlocks) {
  Fixture f(VK_FORMAT_BC1_RGB_UNORM_BLOCK, {8, 8, 1}, 1, 1, VK_IMAGE_VIEW_TYPE_2D);
  for (uint32_t b = 0; b < 4; ++b) {
    const uint64_t block = b == 3 ? 0xF800F800u : 0x001F001Fu;  // red last, else blue
    std::memcpy(f.bytes.data() + f.layout.texelOffset(f.layout.plane[0], 0, 0, 0, b & 1, b >> 1, 0), &block, 8);
  }
  f.setAllInt(0, 4), f.setAllInt(1, 5);
  f.run(instruction(TexKind::Fetch, TexDim::D2));
  EXPECT_EQ(f.out(0), 1);
  EXPECT_EQ(f.out(2), 0);
  f.setAllInt(1, 3);
  f.run(instruction(TexKind::Fetch, TexDim::D2));
  EXPECT_EQ(f.out(0), 0);
  EXPECT_EQ(f.out(2), 1);
}

TEST(DimRule, GathersOfAnotherDimensionGiveZeros) {
  const struct {
    VkImageViewType type;
    TexDim dim;
    bool fits;
  } cases[] = {{VK_IMAGE_VIEW_TYPE_2D, TexDim::D2, true},           {VK_IMAGE_VIEW_TYPE_2D_ARRAY, TexDim::D2, true},
               {VK_IMAGE_VIEW_TYPE_CUBE, TexDim::D2, false},        {VK_IMAGE_VIEW_TYPE_3D, TexDim::D2, false},
               {VK_IMAGE_VIEW_TYPE_1D, TexDim::D2, false},          {VK_IMAGE_VIEW_TYPE_CUBE, TexDim::Cube, true},
               {VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, TexDim::Cube, true}, {VK_IMAGE_VIEW_TYPE_2D, TexDim::Cube, false}};
  for (const auto& c : cases)
    for (bool arrayed : {false, true}) {
      const uint32_t layers = c.type == VK_IMAGE_VIEW_TYPE_CUBE         ? 6
                              : c.type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY ? 12
                              : c.type == VK_IMAGE_VIEW_TYPE_2D_ARRAY   ? 2
                                                                        : 1;
      const uint32_t height = c.type == VK_IMAGE_VIEW_TYPE_1D ? 1 : 4;
      Fixture f(VK_FORMAT_R32G32B32A32_SFLOAT, {4, height, 1}, 1, layers, c.type);
      for (uint32_t layer = 0; layer < layers; ++layer)
        for (uint32_t y = 0; y < height; ++y)
          for (uint32_t x = 0; x < 4; ++x) f.put(7, x, y, 0, layer);
      TexInst i = instruction(TexKind::Gather, c.dim);
      i.rule = abi::DimRule::Match, i.arrayed = arrayed;
      for (uint32_t w = 0; w < 4; ++w) f.setAll(w, 0.5f);
      f.run(i);
      for (uint32_t k = 0; k < 4; ++k)
        EXPECT_EQ(f.out(k, 6), c.fits ? 7.0f : 0.0f) << "view " << c.type << " dim " << int(c.dim) << arrayed;
    }
}

TEST(DimRule, TheViewDecidesHowManyCoordinatesCount) {
  const VkImageViewType types[] = {VK_IMAGE_VIEW_TYPE_1D,       VK_IMAGE_VIEW_TYPE_2D,       VK_IMAGE_VIEW_TYPE_3D,
                                   VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_VIEW_TYPE_CUBE};
  for (VkImageViewType type : types) {
    const bool is1D = type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    const uint32_t layers = type == VK_IMAGE_VIEW_TYPE_CUBE                                              ? 6
                            : type == VK_IMAGE_VIEW_TYPE_1D_ARRAY || type == VK_IMAGE_VIEW_TYPE_2D_ARRAY ? 3
                                                                                                         : 1;
    const uint32_t height = is1D ? 1 : 4, depth = type == VK_IMAGE_VIEW_TYPE_3D ? 4 : 1;
    Fixture f(VK_FORMAT_R32G32B32A32_SFLOAT, {4, height, depth}, 1, layers, type);
    for (uint32_t layer = 0; layer < layers; ++layer)
      for (uint32_t z = 0; z < depth; ++z)
        for (uint32_t y = 0; y < height; ++y)
          for (uint32_t x = 0; x < 4; ++x) f.put(float(x + 10 * y + 100 * z + 1000 * layer), x, y, z, layer);
    TexInst i = instruction(TexKind::Sample, TexDim::D2, LodMode::Explicit);
    i.rule = abi::DimRule::View;
    // Texel 2 across, 1 down; slice 3; layer 2 where layers are counted; the face of +z in cubes.
    f.setAll(0, 0.6f);
    f.setAll(1, type == VK_IMAGE_VIEW_TYPE_1D_ARRAY ? 2.0f : 0.3f);
    f.setAll(2, type == VK_IMAGE_VIEW_TYPE_2D_ARRAY ? 2.0f : 0.9f);
    f.setAll(3, 0.0f);
    f.run(i);
    const float want = type == VK_IMAGE_VIEW_TYPE_1D         ? 2.0f
                       : type == VK_IMAGE_VIEW_TYPE_2D       ? 12.0f
                       : type == VK_IMAGE_VIEW_TYPE_3D       ? 312.0f
                       : type == VK_IMAGE_VIEW_TYPE_1D_ARRAY ? 2002.0f
                       : type == VK_IMAGE_VIEW_TYPE_2D_ARRAY ? 2012.0f
                                                             : 4013.0f;  // (0.6, 0.3, 0.9): s = 0.83, t = 0.33
    EXPECT_EQ(f.out(0, 3), want) << "view " << type;
  }
}

}  // namespace
}  // namespace etzel::tex
