// Attachments of four unsigned normalized bytes, sRGB or not, against the arithmetic of the specification in single
// precision: every stored value, sources in and out of range, both instruction sets.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "raster/tile/write/test_blend.h"

namespace etzel::raster {
namespace {

constexpr uint32_t kSize = 64;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
constexpr float kSources[] = {0,     1,      0.5f,  0.1f,  0.7f, 0.25f, 1.0f / 3, 0.999f,     1e-9f,
                              -0.1f, -1e30f, 1.01f, 1e30f, kNan, kInf,  -kInf,    2.5f / 255, 3.5f / 255};

using testing::Equation;

float clampUnit(float v) { return v > 0 ? v < 1 ? v : 1 : 0; }
uint8_t encoded(float v) { return static_cast<uint8_t>(std::nearbyint(clampUnit(v) * 255.0f)); }

/// \param before the alpha that was there
float factorOf(VkBlendFactor f, float alpha, float before) {
  switch (f) {
    case VK_BLEND_FACTOR_ZERO: return 0;
    case VK_BLEND_FACTOR_ONE: return 1;
    case VK_BLEND_FACTOR_SRC_ALPHA: return alpha;
    case VK_BLEND_FACTOR_DST_ALPHA: return before;
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA: return 1 - before;
    default: return 1 - alpha;
  }
}

/// \param readsSample the kernel reads a sample's position: it runs for a group at a time
void compare(VkFormat format, const Equation& e, bool best, int32_t firstColumn, bool readsSample = false) {
  testing::TestImage image(format, kSize, kSize);
  const Surface surface = surfaceOf(&image.view);
  auto oldByte = [](uint32_t x, uint32_t y, uint32_t c) { return static_cast<uint8_t>(y * 67 + x * (2 * c + 1)); };
  auto sourceOf = [](uint32_t x, uint32_t y, uint32_t c) { return testing::sourceOf(kSources, x, y, c); };
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x)
      for (uint32_t c = 0; c < 4; ++c) surface.at(x, y, 0, 0)[c] = static_cast<std::byte>(oldByte(x, y, c));
  ColorTarget target;
  testing::drawSources(image, kSize, e, kSources, best, firstColumn, readsSample, &target);
  ASSERT_NE(target.bytes, ByteWrite::None);
  const format::TexelLayout layout = format::find(format)->layout;
  const bool bgra = format::isBlueFirst(layout), srgb = format::isSrgb(layout);
  const auto encode = [&](float v, uint32_t c) {
    return srgb && c < 3 ? static_cast<uint8_t>(format::linearToSrgb8(v)) : encoded(v);
  };
  const auto decode = [&](uint8_t code, uint32_t c) {
    return srgb && c < 3 ? format::kSrgbToLinear[code] : static_cast<float>(code) / 255.0f;
  };
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x)
      for (uint32_t c = 0; c < 4; ++c) {
        const uint8_t old = oldByte(x, y, c);
        const float source = sourceOf(x, y, bgra && c < 3 ? 2 - c : c), alpha = clampUnit(sourceOf(x, y, 3));
        uint8_t want = old;
        const float before = decode(oldByte(x, y, 3), 3);
        if (static_cast<int32_t>(x) >= firstColumn)
          want = !e.enable ? encode(source, c)
                           : encode(clampUnit(source) * factorOf(e.source, alpha, before) +
                                        decode(old, c) * factorOf(e.destination, alpha, before),
                                    c);
        ASSERT_EQ(static_cast<uint8_t>(surface.at(x, y, 0, 0)[c]), want)
            << x << ' ' << y << ' ' << c << " source " << source << " alpha " << alpha << " old " << int{old};
      }
}

TEST(ByteColor, StoresAndBlendsAreThoseOfTheSpecification) {
  for (VkFormat format :
       {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_B8G8R8A8_SRGB})
    for (bool best : {true, false})
      for (int32_t firstColumn : {0, 3}) {
        compare(format, {false, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO}, best, firstColumn);
        for (VkBlendFactor source :
             {VK_BLEND_FACTOR_ZERO, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
              VK_BLEND_FACTOR_DST_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA})
          for (VkBlendFactor destination :
               {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                VK_BLEND_FACTOR_DST_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA})
            for (const bool readsSample : {false, true})
              compare(format, {true, source, destination}, best, firstColumn, readsSample);
        if (HasFatalFailure()) return;
      }
}

}  // namespace
}  // namespace etzel::raster
