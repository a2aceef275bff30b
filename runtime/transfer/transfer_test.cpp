#include "runtime/transfer/transfer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "runtime/format/convert.h"
#include "runtime/msaa/depth_surface.h"
#include "runtime/msaa/fragment_surface.h"

namespace etzel::transfer {
namespace {

struct TestImage {
  mem::ImageLayout layout;
  std::vector<std::byte> bytes;

  TestImage(VkFormat format, VkExtent3D extent, uint32_t mips = 1, uint32_t layers = 1, uint32_t samples = 1,
            VkImageType type = VK_IMAGE_TYPE_2D) {
    mem::ImageShape shape;
    shape.type = type;
    shape.format = format;
    shape.extent = extent;
    shape.mipLevels = mips;
    shape.arrayLayers = layers;
    shape.samples = samples;
    layout = mem::layoutImage(shape);
    bytes.resize(layout.size);
  }
  Image image() { return {&layout, bytes.data()}; }
  void randomize(uint32_t seed) {
    std::mt19937 random(seed);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    if (layout.plane[0].fragments.offset) {
      // Every sample in its plane, so that at() finds it.
      const msaa::FragmentSurface s(layout, layout.plane[0], bytes.data(), 0);
      for (uint32_t t = 0; t < s.tilesX * s.tilesY; ++t) s.state(t) = msaa::makeState(msaa::TileKind::Expanded);
    }
  }
  msaa::DepthSurface tiles(VkImageAspectFlags aspect) { return {layout, layout.planeOf(aspect), bytes.data(), 0}; }
  std::byte* at(uint32_t x, uint32_t y, uint32_t z = 0, uint32_t layer = 0, uint32_t mip = 0, uint32_t sample = 0,
                VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
    return bytes.data() + layout.texelOffset(layout.planeOf(aspect), mip, layer, sample, x, y, z);
  }
  template <class T>
  T get(uint32_t x, uint32_t y, uint32_t z = 0, uint32_t layer = 0, uint32_t mip = 0, uint32_t sample = 0,
        VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
    T v;
    std::memcpy(&v, at(x, y, z, layer, mip, sample, aspect), sizeof(T));
    return v;
  }
};

VkImageSubresourceLayers sub(uint32_t mip = 0, uint32_t layer = 0, uint32_t layers = 1,
                             VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
  return {aspect, mip, layer, layers};
}
constexpr VkImageSubresourceRange kWhole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                            VK_REMAINING_ARRAY_LAYERS};

TEST(CopyImage, LayersBecomeDepthSlices) {
  TestImage layers(VK_FORMAT_R32_UINT, {6, 5, 1}, 1, 4);
  TestImage volume(VK_FORMAT_R32_UINT, {6, 5, 4}, 1, 1, 1, VK_IMAGE_TYPE_3D);
  layers.randomize(1);
  VkImageCopy2 r{};
  r.srcSubresource = sub(0, 1, 3);
  r.dstSubresource = sub();
  r.srcOffset = {1, 1, 0};
  r.dstOffset = {0, 2, 1};
  r.extent = {4, 3, 3};
  copyImage(nullptr, layers.image(), volume.image(), r);
  for (uint32_t z = 0; z < 3; ++z)
    for (uint32_t y = 0; y < 3; ++y)
      for (uint32_t x = 0; x < 4; ++x)
        EXPECT_EQ(volume.get<uint32_t>(x, y + 2, z + 1), layers.get<uint32_t>(x + 1, y + 1, 0, z + 1));
  EXPECT_EQ(volume.get<uint32_t>(4, 2, 1), 0u);
  EXPECT_EQ(volume.get<uint32_t>(0, 1, 1), 0u);
}

TEST(CopyImage, ABlockIsATexelOfTheSameSize) {
  TestImage blocks(VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {16, 16, 1});
  TestImage texels(VK_FORMAT_R32G32_UINT, {4, 4, 1});
  texels.randomize(2);
  VkImageCopy2 r{};
  r.srcSubresource = r.dstSubresource = sub();
  r.extent = {2, 3, 1};
  r.dstOffset = {8, 4, 0};
  copyImage(nullptr, texels.image(), blocks.image(), r);
  for (uint32_t y = 0; y < 3; ++y)
    for (uint32_t x = 0; x < 2; ++x) EXPECT_EQ(blocks.get<uint64_t>(x + 2, y + 1), texels.get<uint64_t>(x, y));
}

TEST(CopyImage, AspectsAndSamplesMoveSeparately) {
  constexpr VkImageAspectFlags depth = VK_IMAGE_ASPECT_DEPTH_BIT, stencil = VK_IMAGE_ASPECT_STENCIL_BIT;
  TestImage a(VK_FORMAT_D32_SFLOAT_S8_UINT, {4, 4, 1}, 1, 1, 4), b(VK_FORMAT_D32_SFLOAT_S8_UINT, {4, 4, 1}, 1, 1, 4);
  a.randomize(3);
  VkImageCopy2 r{};
  r.srcSubresource = r.dstSubresource = sub(0, 0, 1, stencil);
  r.extent = {4, 4, 1};
  copyImage(nullptr, a.image(), b.image(), r);
  for (uint32_t s = 0; s < 4; ++s) {
    EXPECT_EQ(b.tiles(stencil).sampleWord(2, 3, s) & 255, a.tiles(stencil).sampleWord(2, 3, s) & 255);
    EXPECT_EQ(b.tiles(depth).sampleWord(2, 3, s), 0u);
  }
}

TEST(CopyImage, TransfersFindTheTexelsOfClearTiles) {
  mem::ImageShape shape;
  shape.type = VK_IMAGE_TYPE_2D, shape.format = VK_FORMAT_D16_UNORM, shape.extent = {20, 12, 1};
  shape.mipLevels = shape.arrayLayers = 1, shape.samples = 1;
  shape.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const mem::ImageLayout layout = mem::layoutImage(shape);
  if (!layout.plane[0].tiles.offset) GTEST_SKIP() << "ETZEL_DEBUG=no-hiz";
  std::vector<std::byte> bytes(layout.size);
  const Image image{&layout, bytes.data()};
  clearDepthStencil(nullptr, image, {1, 0}, {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1});
  const msaa::DepthSurface surface(layout, layout.plane[0], bytes.data(), 0);
  EXPECT_EQ(msaa::depthKindOf(surface.state(2)), msaa::DepthKind::Clear);
  surface.clear(3, 3, 9, 10, 0x1234);

  VkBufferImageCopy2 r{};
  r.imageSubresource = sub(0, 0, 1, VK_IMAGE_ASPECT_DEPTH_BIT);
  r.imageExtent = {20, 12, 1};
  std::vector<uint16_t> buffer(20 * 12);
  copyImageToBuffer(nullptr, image, reinterpret_cast<std::byte*>(buffer.data()), r);
  for (uint32_t y = 0; y < 12; ++y)
    for (uint32_t x = 0; x < 20; ++x)
      EXPECT_EQ(buffer[y * 20 + x], x >= 3 && x < 9 && y >= 3 && y < 10 ? 0x1234 : 0xFFFF) << x << ' ' << y;

  // A blit from clear tiles, and a copy into a few of their pixels.
  clearDepthStencil(nullptr, image, {0, 0}, {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1});
  TestImage other(VK_FORMAT_D16_UNORM, {5, 5, 1});
  other.randomize(1);
  VkImageBlit2 blit{};
  blit.srcSubresource = blit.dstSubresource = r.imageSubresource;
  blit.srcOffsets[1] = {20, 12, 1}, blit.dstOffsets[1] = {5, 5, 1};
  blitImage(nullptr, image, other.image(), blit, VK_FILTER_NEAREST);
  EXPECT_EQ(other.get<uint16_t>(4, 4, 0, 0, 0, 0, VK_IMAGE_ASPECT_DEPTH_BIT), 0);
  clearDepthStencil(nullptr, image, {1, 0}, {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1});
  r.imageOffset = {10, 2, 0}, r.imageExtent = {2, 2, 1};
  copyBufferToImage(nullptr, reinterpret_cast<const std::byte*>(buffer.data()), image, r);
  EXPECT_EQ(surface.sampleWord(9, 2, 0), 0xFFFFu);
  EXPECT_EQ(surface.sampleWord(11, 3, 0), buffer[3]);
}

TEST(CopyBuffer, RowLengthAndImageHeightAreHonoured) {
  TestImage image(VK_FORMAT_R8_UINT, {5, 4, 1}, 1, 2);
  std::vector<std::byte> buffer(200);
  for (size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<std::byte>(i);
  VkBufferImageCopy2 r{};
  r.bufferOffset = 7;
  r.bufferRowLength = 9;
  r.bufferImageHeight = 6;
  r.imageSubresource = sub(0, 0, 2);
  r.imageOffset = {1, 1, 0};
  r.imageExtent = {3, 2, 1};
  copyBufferToImage(nullptr, buffer.data(), image.image(), r);
  for (uint32_t layer = 0; layer < 2; ++layer)
    for (uint32_t y = 0; y < 2; ++y)
      for (uint32_t x = 0; x < 3; ++x)
        EXPECT_EQ(image.get<uint8_t>(x + 1, y + 1, 0, layer), 7 + layer * 54 + y * 9 + x);
  std::vector<std::byte> back(200);
  copyImageToBuffer(nullptr, image.image(), back.data(), r);
  EXPECT_EQ(back[7 + 54 + 9 + 2], buffer[7 + 54 + 9 + 2]);
  EXPECT_EQ(back[7 + 3], std::byte{0});
}

TEST(Clear, EveryTexelOfEverySubresource) {
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT,
                          VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_E5B9G9R9_UFLOAT_PACK32}) {
    TestImage image(format, {33, 9, 1}, 3, 2, 1);
    VkClearColorValue value = {{0.25f, 0.5f, 1.0f, 0.75f}};
    clearColor(nullptr, image.image(), value, kWhole);
    const uint32_t bytes = image.layout.plane[0].blockBytes;
    for (uint32_t mip = 0; mip < 3; ++mip)
      for (uint32_t layer = 0; layer < 2; ++layer)
        for (uint32_t y = 0; y < 9u >> mip; ++y)
          for (uint32_t x = 0; x < 33u >> mip; ++x)
            ASSERT_EQ(std::memcmp(image.at(x, y, 0, layer, mip), image.at(0, 0), bytes), 0) << x << " " << y;
    format::Texel t;
    format::decoder(format)(image.at(0, 0), &t, 1);
    EXPECT_NEAR(format::bitsToFloat(t.word[0]), 0.25f, 1.0f / 255);
  }
}

TEST(Clear, WideComponentsArePairsOfWords) {
  TestImage image(VK_FORMAT_R64_UINT, {2, 2, 1});
  VkClearColorValue value{};
  value.uint32[0] = 7, value.uint32[1] = 9;
  clearColor(nullptr, image.image(), value, kWhole);
  EXPECT_EQ(image.get<uint64_t>(1, 1), 9ull << 32 | 7);
}

TEST(Clear, DepthLeavesStencil) {
  TestImage image(VK_FORMAT_D24_UNORM_S8_UINT, {4, 4, 1});
  image.randomize(5);
  const uint8_t before = image.get<uint8_t>(1, 1, 0, 0, 0, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
  VkImageSubresourceRange range = kWhole;
  range.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
  clearDepthStencil(nullptr, image.image(), {1.0f, 9}, range);
  EXPECT_EQ(image.get<uint32_t>(1, 1, 0, 0, 0, 0, VK_IMAGE_ASPECT_DEPTH_BIT), 0xFFFFFFu);
  EXPECT_EQ(image.get<uint8_t>(1, 1, 0, 0, 0, 0, VK_IMAGE_ASPECT_STENCIL_BIT), before);
}

VkImageBlit2 blitRegion(VkOffset3D s0, VkOffset3D s1, VkOffset3D d0, VkOffset3D d1) {
  VkImageBlit2 r{};
  r.srcSubresource = r.dstSubresource = sub();
  r.srcOffsets[0] = s0, r.srcOffsets[1] = s1, r.dstOffsets[0] = d0, r.dstOffsets[1] = d1;
  return r;
}

TEST(Blit, MirrorsAndConverts) {
  TestImage source(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1}), destination(VK_FORMAT_B8G8R8A8_UNORM, {4, 4, 1});
  source.randomize(6);
  blitImage(nullptr, source.image(), destination.image(), blitRegion({4, 0, 0}, {0, 4, 1}, {0, 0, 0}, {4, 4, 1}),
            VK_FILTER_NEAREST);
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 4; ++x) {
      const uint32_t s = source.get<uint32_t>(3 - x, y);
      EXPECT_EQ(destination.get<uint32_t>(x, y), (s & 0xFF00FF00) | (s >> 16 & 255) | (s & 255) << 16);
    }
}

TEST(Blit, LinearMatchesTheFormula) {
  TestImage source(VK_FORMAT_R32_SFLOAT, {5, 3, 1}), destination(VK_FORMAT_R32_SFLOAT, {11, 7, 1});
  for (uint32_t y = 0; y < 3; ++y)
    for (uint32_t x = 0; x < 5; ++x) {
      const float v = static_cast<float>(x * x + 3 * y);
      std::memcpy(source.at(x, y), &v, 4);
    }
  blitImage(nullptr, source.image(), destination.image(), blitRegion({0, 0, 0}, {5, 3, 1}, {0, 0, 0}, {11, 7, 1}),
            VK_FILTER_LINEAR);
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 11; ++x) {
      const double u = (x + 0.5) * 5 / 11 - 0.5, v = (y + 0.5) * 3 / 7 - 0.5;
      const auto texel = [&](double i, double j) {
        const double ci = std::clamp(i, 0.0, 4.0), cj = std::clamp(j, 0.0, 2.0);
        return ci * ci + 3 * cj;
      };
      const double a = u - std::floor(u), b = v - std::floor(v), i = std::floor(u), j = std::floor(v);
      const double expected = (texel(i, j) * (1 - a) + texel(i + 1, j) * a) * (1 - b) +
                              (texel(i, j + 1) * (1 - a) + texel(i + 1, j + 1) * a) * b;
      EXPECT_NEAR(destination.get<float>(x, y), expected, 1e-4);
    }
}

TEST(Blit, LinearInterpolatesDepthSlices) {
  TestImage source(VK_FORMAT_R32_SFLOAT, {6, 6, 6}, 1, 1, 1, VK_IMAGE_TYPE_3D);
  TestImage destination(VK_FORMAT_R32_SFLOAT, {12, 12, 12}, 1, 1, 1, VK_IMAGE_TYPE_3D);
  for (uint32_t z = 0; z < 6; ++z)
    for (uint32_t y = 0; y < 6; ++y)
      for (uint32_t x = 0; x < 6; ++x) {
        const float v = static_cast<float>(x + 10 * y + 100 * z);
        std::memcpy(source.at(x, y, z), &v, 4);
      }
  blitImage(nullptr, source.image(), destination.image(), blitRegion({0, 0, 0}, {6, 6, 6}, {0, 0, 0}, {12, 12, 12}),
            VK_FILTER_LINEAR);
  const auto at = [](uint32_t d) { return std::clamp((d + 0.5) / 2 - 0.5, 0.0, 5.0); };
  for (uint32_t z = 0; z < 12; ++z)
    for (uint32_t y = 0; y < 12; ++y)
      for (uint32_t x = 0; x < 12; ++x)
        ASSERT_NEAR(destination.get<float>(x, y, z), at(x) + 10 * at(y) + 100 * at(z), 1e-3);
}

TEST(Blit, IntegersSaturate) {
  TestImage source(VK_FORMAT_R32_SINT, {2, 1, 1}), destination(VK_FORMAT_R8_SINT, {2, 1, 1});
  const int32_t values[2] = {-1000, 99};
  std::memcpy(source.at(0, 0), values, 8);
  blitImage(nullptr, source.image(), destination.image(), blitRegion({0, 0, 0}, {2, 1, 1}, {0, 0, 0}, {2, 1, 1}),
            VK_FILTER_NEAREST);
  EXPECT_EQ(destination.get<int8_t>(0, 0), -128);
  EXPECT_EQ(destination.get<int8_t>(1, 0), 99);
}

TEST(Resolve, AveragesSamplesAndKeepsTheRest) {
  TestImage source(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1}, 1, 1, 4), destination(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1});
  source.randomize(7);
  VkImageResolve2 r{};
  r.srcSubresource = r.dstSubresource = sub();
  r.srcOffset = {1, 0, 0};
  r.dstOffset = {0, 1, 0};
  r.extent = {3, 3, 1};
  resolveImage(nullptr, source.image(), destination.image(), r);
  for (uint32_t y = 0; y < 3; ++y)
    for (uint32_t x = 0; x < 3; ++x)
      for (int c = 0; c < 4; ++c) {
        int sum = 0;
        for (uint32_t s = 0; s < 4; ++s) sum += source.get<uint32_t>(x + 1, y, 0, 0, 0, s) >> (8 * c) & 255;
        EXPECT_NEAR(destination.get<uint32_t>(x, y + 1) >> (8 * c) & 255, sum / 4.0, 0.501);
      }
  EXPECT_EQ(destination.get<uint32_t>(3, 1), 0u);
}

TEST(CopyImage, MultisampledImagesKeepEverySampleWhereverTheTilesLie) {
  for (uint32_t shift : {0u, 8u, 3u}) {
    TestImage source(VK_FORMAT_R32_UINT, {40, 24, 1}, 1, 2, 8), destination(VK_FORMAT_R32_UINT, {40, 24, 1}, 1, 2, 8);
    const msaa::FragmentSurface from(source.layout, source.layout.plane[0], source.bytes.data(), 1);
    const msaa::FragmentSurface to(destination.layout, destination.layout.plane[0], destination.bytes.data(), 0);
    std::mt19937 random(shift);
    for (int i = 0; i < 3000; ++i) {
      const uint32_t texel = random();
      from.writeSamples(random() % 40, random() % 12, random() & 0xFF, reinterpret_cast<const std::byte*>(&texel));
    }
    const uint32_t colour = 77;
    from.clear(8, 8, 16, 16, reinterpret_cast<const std::byte*>(&colour),
               from.reserveClearColor(reinterpret_cast<const std::byte*>(&colour), true, false));
    VkImageCopy2 r{};
    r.srcSubresource = sub(0, 1), r.dstSubresource = sub();
    r.dstOffset = {static_cast<int32_t>(shift), 0, 0};
    r.extent = {40 - shift, 24, 1};
    copyImage(nullptr, source.image(), destination.image(), r);
    for (uint32_t s = 0; s < 8; ++s)
      for (uint32_t y = 0; y < 24; ++y)
        for (uint32_t x = 0; x < 40 - shift; ++x)
          ASSERT_EQ(std::memcmp(from.sampleTexel(x, y, s), to.sampleTexel(x + shift, y, s), 4), 0);
    if (shift % 8 == 0) {
      EXPECT_EQ(from.maskAt(3, 3), to.maskAt(3 + shift, 3));
      EXPECT_EQ(msaa::kindOf(to.state(to.tileOf(3 + shift, 20))), msaa::TileKind::One);
    }
  }
}

TEST(Resolve, IntegersTakeOneSample) {
  TestImage source(VK_FORMAT_R32_UINT, {2, 2, 1}, 1, 1, 2), destination(VK_FORMAT_R32_UINT, {2, 2, 1});
  source.randomize(8);
  VkImageResolve2 r{};
  r.srcSubresource = r.dstSubresource = sub();
  r.extent = {2, 2, 1};
  resolveImage(nullptr, source.image(), destination.image(), r);
  EXPECT_EQ(destination.get<uint32_t>(1, 1), source.get<uint32_t>(1, 1));
}

TEST(Transfers, ThreadsDoNotChangeTheBytes) {
  task::Pool pool(3);
  TestImage source(VK_FORMAT_R8G8B8A8_UNORM, {700, 600, 1}), one(VK_FORMAT_R16G16B16A16_SFLOAT, {900, 500, 1}),
      many(VK_FORMAT_R16G16B16A16_SFLOAT, {900, 500, 1});
  source.randomize(9);
  const VkImageBlit2 r = blitRegion({0, 0, 0}, {700, 600, 1}, {0, 0, 0}, {900, 500, 1});
  blitImage(nullptr, source.image(), one.image(), r, VK_FILTER_LINEAR);
  blitImage(&pool, source.image(), many.image(), r, VK_FILTER_LINEAR);
  EXPECT_EQ(one.bytes, many.bytes);
  fillBuffer(&pool, many.bytes.data(), many.bytes.size(), 0x01020304);
  fillBuffer(nullptr, one.bytes.data(), one.bytes.size(), 0x01020304);
  EXPECT_EQ(one.bytes, many.bytes);
}

}  // namespace
}  // namespace etzel::transfer
