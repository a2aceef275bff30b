// Tiles that come to tile memory and go to another image show the same there, whatever the bytes of the first were.
#include "raster/attachment/tile_copy.h"

#include <gtest/gtest.h>

#include <random>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::TestImage;

constexpr uint32_t kWidth = 77, kHeight = 70;  // tiles over both borders

/// Garbage, as a new image in old memory has it.
void fillAny(TestImage& image, uint32_t seed) {
  std::mt19937 random(seed);
  for (std::byte& b : image.memory) b = static_cast<std::byte>(random());
}

/// `local` as memory of the tile of `image` at (x, y).
template <class LayerSurface>
LayerSurface tileOf(LayerSurface local, const LayerSurface& image, uint32_t x, uint32_t y) {
  local.originX = x, local.originY = y;
  local.width = image.width, local.height = image.height;
  return local;
}

/// Moves each tile of layer 1 to another image.
template <class LayerSurface, class LayerOf>
void checkCopies(VkFormat format, uint32_t samples, bool sameClearColors, const LayerOf& layerOf) {
  TestImage from(format, kWidth, kHeight, samples, 2), to(format, kWidth, kHeight, samples, 2);
  for (uint32_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(::testing::Message() << format << " with " << samples << " samples, seed " << seed);
    fillAny(from, seed), fillAny(to, 100 + seed);
    const LayerSurface source = layerOf(from, 1), target = layerOf(to, 1);
    if (sameClearColors) std::memcpy(target.meta, source.meta, mem::kClearColors * mem::kClearColorBytes);
    const uint32_t x = seed & 1 ? 64 : 0, y = seed & 2 ? 64 : 0;
    const std::vector<std::byte> before = from.samples(), other = to.samples();
    {
      TestImage memory(format, 64, 64, samples);
      fillAny(memory, 200 + seed);
      const LayerSurface local = tileOf(layerOf(memory, 0), source, x, y);
      loadTile(source, local);
      EXPECT_EQ(isClearTile(source, x, y), isClearTile(local, x, y));
      storeTile(local, target);
    }
    EXPECT_EQ(from.samples(), before);
    const std::vector<std::byte> after = to.samples();
    const size_t bytes = source.texelBytes;
    for (size_t i = 0; i < after.size(); ++i) {
      const size_t texel = i / bytes, px = texel % kWidth, py = texel / kWidth % kHeight;
      const bool moved = texel >= size_t{kWidth} * kHeight * samples && px / 64 == x / 64 && py / 64 == y / 64;
      ASSERT_EQ(after[i], (moved ? before : other)[i]) << px << " " << py << " texel " << texel;
    }
  }
}

TEST(TileCopy, ColourTilesOfAnyStateKeepTheirSamples) {
  const auto layerOf = [](TestImage& image, uint32_t layer) { return surfaceOf(&image.view).fragments(layer); };
  for (const VkFormat format : {VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM, VK_FORMAT_R8G8B8A8_UNORM,
                                VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_UINT})
    for (const uint32_t samples : {2u, 4u, 8u, 16u})
      for (const bool same : {false, true}) checkCopies<msaa::FragmentSurface>(format, samples, same, layerOf);
}

TEST(TileCopy, DepthTilesOfAnyStateKeepTheirSamples) {
  const auto layerOf = [](TestImage& image, uint32_t layer) { return surfaceOf(&image.view).depth(layer); };
  for (const VkFormat format :
       {VK_FORMAT_D16_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_D32_SFLOAT, VK_FORMAT_S8_UINT})
    for (const uint32_t samples : {1u, 2u, 4u, 8u, 16u})
      checkCopies<msaa::DepthSurface>(format, samples, false, layerOf);
}

TEST(TileCopy, ZeroedTilesShowZeros) {
  TestImage color(VK_FORMAT_R8G8B8A8_UNORM, 64, 64, 4), depth(VK_FORMAT_D32_SFLOAT, 64, 64, 4);
  fillAny(color, 1), fillAny(depth, 2);
  zeroTile(surfaceOf(&color.view).fragments(0));
  zeroTile(surfaceOf(&depth.view).depth(0));
  EXPECT_EQ(color.samples(), std::vector<std::byte>(64 * 64 * 4 * 4));
  EXPECT_EQ(depth.samples(), std::vector<std::byte>(64 * 64 * 4 * 4));
}

}  // namespace
}  // namespace etzel::raster
