// Blocks of attachments whose layouts have code of their own, against the general path: what kernels that run for a
// group at a time draw. Every format, equation and kind of source, on both instruction sets.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "raster/tile/write/test_blend.h"

namespace etzel::raster {
namespace {

constexpr uint32_t kSize = 64;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
constexpr float kSources[] = {0,      1,     0.5f, 0.1f, 0.7f, 0.25f,  1.0f / 3, 0.999f, 1e-9f, -0.1f,
                              -1e30f, 1.01f, 3e4f, kNan, kInf, -0.75f, 6e-8f,    1.25f,  -0.0f};

constexpr VkFormat kFormats[] = {VK_FORMAT_R8_UNORM,
                                 VK_FORMAT_R8G8_UNORM,
                                 VK_FORMAT_R8G8B8A8_SNORM,
                                 VK_FORMAT_R16_UNORM,
                                 VK_FORMAT_R16G16_UNORM,
                                 VK_FORMAT_R16G16B16A16_UNORM,
                                 VK_FORMAT_R16_SFLOAT,
                                 VK_FORMAT_R16G16_SFLOAT,
                                 VK_FORMAT_R16G16B16A16_SFLOAT,
                                 VK_FORMAT_R32_SFLOAT,
                                 VK_FORMAT_R32G32_SFLOAT,
                                 VK_FORMAT_R32G32B32A32_SFLOAT,
                                 VK_FORMAT_R5G6B5_UNORM_PACK16,
                                 VK_FORMAT_A1R5G5B5_UNORM_PACK16,
                                 VK_FORMAT_A4R4G4B4_UNORM_PACK16,
                                 VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                 VK_FORMAT_A2R10G10B10_UNORM_PACK32,
                                 VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                 VK_FORMAT_R8_SNORM,
                                 VK_FORMAT_R16G16B16A16_SNORM,
                                 VK_FORMAT_R8_UINT,
                                 VK_FORMAT_R8G8B8A8_SINT,
                                 VK_FORMAT_R16_UINT,
                                 VK_FORMAT_R16G16B16A16_UINT,
                                 VK_FORMAT_R32G32B32A32_SINT,
                                 VK_FORMAT_A2B10G10R10_UINT_PACK32,
                                 VK_FORMAT_R8G8B8A8_UNORM,
                                 VK_FORMAT_B8G8R8A8_UNORM,
                                 VK_FORMAT_R8G8B8A8_SRGB,
                                 VK_FORMAT_B8G8R8A8_SRGB};

using testing::Equation;

/// Random texels, of floats finite ones.
void fill(testing::TestImage& image, uint32_t seed) {
  const Surface surface = surfaceOf(&image.view);
  std::mt19937 random(seed);
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x) {
      format::Texel t;
      for (uint32_t& w : t.word) w = format::floatToBits(static_cast<float>(random() % 4096) / 2048.0f - 0.5f);
      image.view.encode(&t, surface.at(x, y, 0, 0), 1);
    }
}

void draw(testing::TestImage& image, const Equation& e, bool best, int32_t firstColumn, bool byGroups) {
  ColorTarget target;
  testing::drawSources(image, kSize, e, kSources, best, firstColumn, byGroups, &target);
  ASSERT_TRUE(target.shapes);
}

/// Draws every format with each of the equations: blocks and groups must agree.
void compare(std::span<const Equation> equations) {
  uint32_t seed = 0;
  for (VkFormat format : kFormats)
    for (const Equation& e : equations)
      for (bool best : {true, false})
        for (int32_t firstColumn : {0, 3}) {
          testing::TestImage blocks(format, kSize, kSize), groups(format, kSize, kSize);
          fill(blocks, ++seed), fill(groups, seed);
          draw(blocks, e, best, firstColumn, false);
          draw(groups, e, best, firstColumn, true);
          if (::testing::Test::HasFatalFailure()) return;
          const Surface a = surfaceOf(&blocks.view), b = surfaceOf(&groups.view);
          for (uint32_t y = 0; y < kSize; ++y)
            for (uint32_t x = 0; x < kSize; ++x)
              ASSERT_EQ(std::memcmp(a.at(x, y, 0, 0), b.at(x, y, 0, 0), a.texelBytes), 0)
                  << format::find(format)->name << " factors " << e.source << ' ' << e.destination << " operation "
                  << e.op << " mask " << e.mask << " logic " << e.logic << " at " << x << ',' << y
                  << (best ? " best" : " baseline");
        }
}

TEST(TexelBlock, GivesWhatTheGeneralPathGives) {
  constexpr Equation kEquations[] = {{false, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO},
                                     {true, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA},
                                     {true, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE},
                                     {true, VK_BLEND_FACTOR_DST_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA},
                                     {true, VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA, VK_BLEND_FACTOR_SRC_ALPHA},
                                     {true, VK_BLEND_FACTOR_ZERO, VK_BLEND_FACTOR_ONE}};
  compare(kEquations);
}

TEST(TexelBlock, EveryFactorAndOperationDoesToo) {
  std::vector<Equation> equations;
  for (int f = VK_BLEND_FACTOR_ZERO; f <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA; ++f) {
    const auto factor = static_cast<VkBlendFactor>(f);
    equations.push_back({true, factor, VK_BLEND_FACTOR_SRC_COLOR});
    equations.push_back({true, VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR, factor});
  }
  for (VkBlendOp op : {VK_BLEND_OP_SUBTRACT, VK_BLEND_OP_REVERSE_SUBTRACT, VK_BLEND_OP_MIN, VK_BLEND_OP_MAX})
    equations.push_back({true, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_SRC_ALPHA, op});
  compare(equations);
}

TEST(TexelBlock, MasksAndLogicalOperationsDoToo) {
  std::vector<Equation> equations;
  for (VkColorComponentFlags mask : {1u, 7u, 9u}) {
    equations.push_back({false, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD, mask});
    equations.push_back({true, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD, mask});
    equations.push_back({true, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_MAX, mask});
  }
  for (int op = VK_LOGIC_OP_CLEAR; op <= VK_LOGIC_OP_SET; ++op)
    if (op != VK_LOGIC_OP_NO_OP)  // draws nothing
      equations.push_back(
          {false, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD, 0xf, static_cast<VkLogicOp>(op)});
  compare(equations);
}

/// Blending scales every code that texels may have.
TEST(TexelBlock, EveryCodeIsBlendedLikeThat) {
  for (VkFormat format : {VK_FORMAT_R8_UNORM, VK_FORMAT_R16_UNORM})
    for (bool best : {true, false})
      for (uint32_t first = 0; first < (format == VK_FORMAT_R8_UNORM ? 256u : 65536u); first += kSize * kSize) {
        testing::TestImage blocks(format, kSize, kSize), groups(format, kSize, kSize);
        for (testing::TestImage* image : {&blocks, &groups}) {
          const Surface s = surfaceOf(&image->view);
          for (uint32_t i = 0; i < kSize * kSize; ++i) {
            const uint32_t code = first + i;
            std::memcpy(s.at(i % kSize, i / kSize, 0, 0), &code, s.texelBytes);
          }
          draw(*image, {true, VK_BLEND_FACTOR_ZERO, VK_BLEND_FACTOR_SRC_ALPHA}, best, 0, image == &groups);
        }
        ASSERT_EQ(blocks.samples(), groups.samples()) << format::find(format)->name << ' ' << first;
      }
}

}  // namespace
}  // namespace etzel::raster
