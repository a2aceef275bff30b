// Copies between buffers and images: row lengths, image heights, offsets, layers and slices; copies between images.
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kWidth = 13, kHeight = 9, kSlices = 3;

struct Texels {
  VkFormat format;
  const char* name;
  uint32_t bytes;
};
constexpr Texels kTexels[] = {{VK_FORMAT_R8_UNORM, "r8", 1},
                              {VK_FORMAT_R16_UINT, "r16ui", 2},
                              {VK_FORMAT_R8G8B8A8_UNORM, "rgba8", 4},
                              {VK_FORMAT_R16G16B16A16_SFLOAT, "rgba16f", 8},
                              {VK_FORMAT_R32G32B32A32_UINT, "rgba32ui", 16}};

/// How a region lies in its buffer: extra texels a row, extra rows a slice (both 0: the tight default), bytes before.
struct Placing {
  const char* name;
  uint32_t moreTexels, moreRows;
  uint32_t offsetTexels;
};
constexpr Placing kPlacings[] = {{"tight", 0, 0, 0},
                                 {"offset", 0, 0, 5},
                                 {"row_length", 4, 0, 0},
                                 {"image_height", 0, 2, 0},
                                 {"everything", 3, 1, 7}};

std::vector<uint8_t> noise(size_t bytes, uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> data(bytes);
  for (uint8_t& b : data) b = uint8_t(random.below(0x78));  // keeps floats finite
  return data;
}

/// A part of an image goes to a buffer, or comes from one, and everything else stays.
void regions(Gpu& gpu, const Texels& t, const Placing& p, bool slices, bool toImage) {
  const VkOffset3D at{3, 2, slices ? 1 : 0};
  const VkExtent3D part{7, 5, slices ? 2u : 1u};
  const uint32_t layers = slices ? 1 : 2;
  Image image = gpu.image({.format = t.format,
                           .width = kWidth,
                           .height = kHeight,
                           .depth = slices ? kSlices : 1,
                           .layers = slices ? 1 : kSlices,
                           .type = slices ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D});
  const uint32_t row = part.width + p.moreTexels, rows = part.height + p.moreRows;
  const size_t bufferBytes = size_t(p.offsetTexels + row * rows * 2) * t.bytes;
  const std::vector<uint8_t> before = noise(size_t(kWidth) * kHeight * kSlices * t.bytes, 1);
  const std::vector<uint8_t> data = noise(bufferBytes, 2);
  Buffer whole = gpu.buffer(before), buffer = gpu.buffer(data);
  VkBufferImageCopy all{};
  all.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, slices ? 1 : kSlices};
  all.imageExtent = {kWidth, kHeight, slices ? kSlices : 1};
  VkBufferImageCopy region{};
  region.bufferOffset = p.offsetTexels * t.bytes;
  region.bufferRowLength = p.moreTexels ? row : 0;
  region.bufferImageHeight = p.moreRows ? rows : 0;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, slices ? 0u : 1u, layers};
  region.imageOffset = at;
  region.imageExtent = part;
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdCopyBufferToImage(cmd, whole.handle, image.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
    fullBarrier(cmd);
    if (toImage)
      vkCmdCopyBufferToImage(cmd, buffer.handle, image.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    else
      vkCmdCopyImageToBuffer(cmd, image.handle, VK_IMAGE_LAYOUT_GENERAL, buffer.handle, 1, &region);
    fullBarrier(cmd);
    vkCmdCopyImageToBuffer(cmd, image.handle, VK_IMAGE_LAYOUT_GENERAL, whole.handle, 1, &all);
  });
  std::vector<uint8_t> wantImage = before, wantBuffer = data;
  for (uint32_t z = 0; z < 2; ++z)
    for (uint32_t y = 0; y < part.height; ++y)
      for (uint32_t x = 0; x < part.width * t.bytes; ++x) {
        const size_t i = ((z + 1) * kHeight + y + at.y) * size_t(kWidth * t.bytes) + at.x * t.bytes + x;
        const size_t b = (size_t(p.offsetTexels) + (z * rows + y) * row) * t.bytes + x;
        if (toImage)
          wantImage[i] = data[b];
        else
          wantBuffer[b] = before[i];
      }
  EXPECT_EQ(std::vector<uint8_t>(whole.as<uint8_t>(), whole.as<uint8_t>() + wantImage.size()), wantImage);
  EXPECT_EQ(std::vector<uint8_t>(buffer.as<uint8_t>(), buffer.as<uint8_t>() + wantBuffer.size()), wantBuffer);
}

/// A rectangle moves from one image to another, or within one.
void betweenImages(Gpu& gpu, const Texels& t, VkOffset3D from, VkOffset3D to, VkExtent3D extent, bool same) {
  const ImageDesc desc{.format = t.format, .width = kWidth, .height = kHeight, .layers = 2};
  Image source = gpu.image(desc), other = gpu.image(desc);
  const Image& target = same ? source : other;
  const size_t bytes = size_t(kWidth) * kHeight * t.bytes;
  const std::vector<uint8_t> a = noise(bytes, 3), b = noise(bytes, 4);
  gpu.upload(source, a.data(), bytes, 0, 1);
  gpu.upload(target, b.data(), bytes, 0, 0);
  VkImageCopy region{};
  region.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1};
  region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.srcOffset = from, region.dstOffset = to, region.extent = extent;
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdCopyImage(cmd, source.handle, VK_IMAGE_LAYOUT_GENERAL, target.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  });
  std::vector<uint8_t> want = b;
  for (uint32_t y = 0; y < extent.height; ++y)
    std::copy_n(a.begin() + ((from.y + y) * kWidth + from.x) * t.bytes, extent.width * t.bytes,
                want.begin() + ((to.y + y) * kWidth + to.x) * t.bytes);
  EXPECT_EQ(gpu.download(target, t.bytes, 0, 0), want);
  EXPECT_EQ(gpu.download(source, t.bytes, 0, 1), a);
}

}  // namespace

void registerCopy() {
  for (const Texels& t : kTexels) {
    for (const Placing& p : kPlacings)
      for (bool slices : {false, true})
        for (bool toImage : {false, true})
          add(text("copy.%s.%s.%s.%s", toImage ? "to_image" : "to_buffer", t.name, slices ? "slices" : "layers",
                   p.name),
              [&t, &p, slices, toImage](Gpu& gpu) { regions(gpu, t, p, slices, toImage); });
    for (bool same : {false, true}) {
      const char* where = same ? "one_image" : "two_images";
      add(text("copy.%s.%s.whole", where, t.name), [&t, same](Gpu& gpu) {
        betweenImages(gpu, t, {}, {}, {kWidth, kHeight, 1}, same);
      });
      add(text("copy.%s.%s.moved", where, t.name), [&t, same](Gpu& gpu) {
        betweenImages(gpu, t, {1, 3, 0}, {5, 0, 0}, {8, 6, 1}, same);
      });
      add(text("copy.%s.%s.texel", where, t.name), [&t, same](Gpu& gpu) {
        betweenImages(gpu, t, {kWidth - 1, 0, 0}, {0, kHeight - 1, 0}, {1, 1, 1}, same);
      });
    }
  }
}

}  // namespace etzel::cts
