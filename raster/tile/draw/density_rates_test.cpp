// Where texels of a density map count, and for whom.
#include "raster/tile/draw/density_rates.h"

#include <gtest/gtest.h>

#include "raster/attachment/surface.h"
#include "raster/tile/draw/fragment_rates.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::TestImage;

/// A map of 2x2 texels for each layer of a framebuffer of 64x64 pixels. Texel (x, y) of layer l has density
/// 1/2^(x + l) across and 1/2^y down.
struct Map {
  TestImage image{VK_FORMAT_R8G8_UNORM, 2, 2, 1, 2};
  Attachments attachments;
  Map() {
    for (uint32_t layer = 0; layer < 2; ++layer)
      for (uint32_t y = 0; y < 2; ++y)
        for (uint32_t x = 0; x < 2; ++x) {
          std::byte* texel = surfaceOf(&image.view).at(x, y, layer, 0);
          texel[0] = std::byte(255 >> (x + layer)), texel[1] = std::byte(255 >> y);
        }
    attachments.density.view = &image.view;
    attachments.density.framebuffer = {64, 64};
  }
};

TEST(DensityRates, ATexelIsForItsRegion) {
  Map m;
  const DensityRates r = densityRates(m.attachments);
  EXPECT_EQ(r.at(24, 24, 0, 1), makeRate(0, 0));
  EXPECT_EQ(r.at(32, 24, 0, 1), makeRate(1, 0));
  EXPECT_EQ(r.at(24, 32, 0, 1), makeRate(0, 1));
  EXPECT_EQ(r.at(56, 56, 0, 1), makeRate(1, 1));
}

TEST(DensityRates, ManySamplesMakeFragmentsSmaller) {
  Map m;
  EXPECT_EQ(densityRates(m.attachments).at(56, 56, 0, 16), makeRate(1, 0));
}

TEST(DensityRates, FragmentsAreNoLargerThanWhatATexelStandsFor) {
  Map m;
  TestImage large(VK_FORMAT_R8G8_UNORM, 8, 16);  // texels of density 0, for 2x1 pixels
  m.attachments.density.view = &large.view;
  m.attachments.density.framebuffer = {16, 16};
  EXPECT_EQ(densityRates(m.attachments).at(8, 8, 0, 1), makeRate(1, 0));
}

TEST(DensityRates, FragmentsAtTheEdgeOfTheFramebufferArePixels) {
  Map m;
  m.attachments.density.framebuffer = {63, 64};
  EXPECT_EQ(densityRates(m.attachments).at(48, 56, 0, 1), makeRate(1, 1));
  EXPECT_EQ(densityRates(m.attachments).at(56, 56, 0, 1), makeRate(0, 0));
  m.attachments.density.framebuffer = {64, 63};
  EXPECT_EQ(densityRates(m.attachments).at(56, 56, 0, 1), makeRate(0, 0));
}

TEST(DensityRates, LayersOfTheMapAreForViewsOrForLayersIfThePassSaysSo) {
  Map m;
  EXPECT_EQ(densityRates(m.attachments).at(0, 0, 1, 1), makeRate(0, 0));
  m.attachments.viewMask = 3;
  EXPECT_EQ(densityRates(m.attachments).at(0, 0, 1, 1), makeRate(1, 0));
  m.attachments.viewMask = 0, m.attachments.density.perLayer = true;
  EXPECT_EQ(densityRates(m.attachments).at(0, 0, 1, 1), makeRate(1, 0));
}

TEST(DensityRates, OffsetsMoveTheMapAndItsEdgeGoesOn) {
  Map m;
  const VkOffset2D moved[1] = {{8, -32}};
  const DensityOffsets offsets{moved, 1};
  m.attachments.density.offsets = &offsets;
  const DensityRates r = densityRates(m.attachments);
  EXPECT_EQ(r.at(32, 0, 0, 1), makeRate(0, 1));
  EXPECT_EQ(r.at(40, 0, 0, 1), makeRate(1, 1));
  EXPECT_EQ(r.at(0, 56, 0, 1), makeRate(0, 1));
}

TEST(DensityRates, NothingIsReadOutsideOfTheMap) {
  Map m;
  const VkOffset2D far[2] = {{INT32_MIN, INT32_MAX}, {INT32_MAX, INT32_MIN}};
  const DensityOffsets offsets{far, 2};
  m.attachments.density.offsets = &offsets;
  m.attachments.viewMask = 7;
  const DensityRates r = densityRates(m.attachments);
  EXPECT_EQ(r.at(0, 0, 0, 1), makeRate(1, 0));
  EXPECT_EQ(r.at(0, 0, 1, 1), makeRate(1, 1));
  EXPECT_EQ(r.at(0, 0, 5, 1), makeRate(1, 1));  // the last layer
}

TEST(DensityRates, TheViewsSwizzleCounts) {
  Map m;
  m.image.view.swizzle[0] = 1, m.image.view.swizzle[1] = 5;
  EXPECT_EQ(densityRates(m.attachments).at(56, 56, 0, 1), makeRate(1, 0));
  m.image.view.swizzle[0] = 3, m.image.view.swizzle[1] = 1;  // alpha is 1
  EXPECT_EQ(densityRates(m.attachments).at(56, 56, 0, 1), makeRate(0, 1));
}

TEST(DensityRates, AMapReplacesShadingRatesAndStopsAtShadersOfSamples) {
  Map m;
  DrawState s;
  abi::Kernel kernel;
  s.fragment = &kernel;
  s.attachments = m.attachments;
  s.shadingRate = makeRate(2, 2);
  const FragmentRates rates = fragmentRates(s, 1);
  EXPECT_TRUE(rates.vary);
  EXPECT_EQ(rates.at(nullptr, 56, 0, 0), makeRate(1, 0));
  s.sampleShading = true;
  EXPECT_FALSE(fragmentRates(s, 4).vary);
}

}  // namespace
}  // namespace etzel::raster
