// Copies, fills, clears, blits and buffer-to-image copies, without shaders.
#include "../scenario.h"
#include "draws.h"

namespace vkbench {
namespace {

constexpr VkImageUsageFlags kBoth = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr uint32_t kBufferBytes = 64u << 20;

Outcome copyBuffer(Gpu& gpu) {
  const Buffer from = gpu.makeBuffer(kBufferBytes), to = gpu.makeBuffer(kBufferBytes);
  Random random(31);
  for (uint32_t& w : from.as<uint32_t>()) w = random.word();
  Outcome out = commandOutcome(gpu, kBufferBytes / 1e9, [&](VkCommandBuffer c) {
    const VkBufferCopy region{0, 0, kBufferBytes};
    vkCmdCopyBuffer(c, from.buffer, to.buffer, 1, &region);
  });
  digestWords(out, to.as<uint32_t>());
  return out;
}

Outcome fillBuffer(Gpu& gpu) {
  const Buffer to = gpu.makeBuffer(kBufferBytes);
  Outcome out = commandOutcome(gpu, kBufferBytes / 1e9,
                               [&](VkCommandBuffer c) { vkCmdFillBuffer(c, to.buffer, 0, kBufferBytes, 0x12345678); });
  digestWords(out, to.as<uint32_t>());
  return out;
}

Image noiseImage(Gpu& gpu, uint32_t width, uint32_t height) {
  const Image image = gpu.makeImage({width, height, VK_FORMAT_R8G8B8A8_UNORM, kBoth});
  gpu.upload(image, noiseTexels(width, height, width));
  return image;
}

Outcome clearImage(Gpu& gpu) {
  const Image image = noiseImage(gpu, kWidth, kHeight);
  Outcome out = commandOutcome(gpu, kPixels / 1e9, [&](VkCommandBuffer c) {
    const VkClearColorValue value{{0.25f, 0.5f, 0.75f, 1}};
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &range);
  });
  digestImage(out, gpu.read(image), kWidth, kHeight);
  return out;
}

Outcome copyImage(Gpu& gpu) {
  const Image from = noiseImage(gpu, kWidth, kHeight);
  const Image to = gpu.makeImage({kWidth, kHeight, VK_FORMAT_R8G8B8A8_UNORM, kBoth});
  gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, to); }));
  Outcome out = commandOutcome(gpu, kPixels / 1e9, [&](VkCommandBuffer c) {
    VkImageCopy region{};
    region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.extent = {kWidth, kHeight, 1};
    vkCmdCopyImage(c, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  });
  digestImage(out, gpu.read(to), kWidth, kHeight);
  return out;
}

Outcome blit(Gpu& gpu, uint32_t divide, VkFilter filter, VkFormat format = VK_FORMAT_R8G8B8A8_UNORM) {
  const Image from = noiseImage(gpu, kWidth / divide, kHeight / divide);
  const Image to = gpu.makeImage({kWidth, kHeight, format, kBoth});
  gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, to); }));
  Outcome out = commandOutcome(gpu, kPixels / 1e6, [&](VkCommandBuffer c) {
    VkImageBlit region{};
    region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.srcOffsets[1] = {int32_t(kWidth / divide), int32_t(kHeight / divide), 1};
    region.dstOffsets[1] = {int32_t(kWidth), int32_t(kHeight), 1};
    vkCmdBlitImage(c, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region, filter);
  });
  digestImage(out, gpu.read(to), kWidth, kHeight);
  return out;
}

Outcome bufferToImage(Gpu& gpu) {
  const Buffer from = gpu.makeBuffer(VkDeviceSize(kWidth) * kHeight * 4);
  Random random(41);
  for (uint32_t& w : from.as<uint32_t>()) w = random.word();
  const Image to = gpu.makeImage({kWidth, kHeight, VK_FORMAT_R8G8B8A8_UNORM, kBoth});
  gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, to); }));
  Outcome out = commandOutcome(gpu, kPixels / 1e9, [&](VkCommandBuffer c) {
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {kWidth, kHeight, 1};
    vkCmdCopyBufferToImage(c, from.buffer, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  });
  digestImage(out, gpu.read(to), kWidth, kHeight);
  return out;
}

}  // namespace

std::vector<Scenario> transferScenarios() {
  return {
      {"transfer.copy_buffer", "GB/s", true, Bound::Copy, 1, 0, copyBuffer},
      {"transfer.fill_buffer", "GB/s", true, Bound::Write, 1, 0, fillBuffer},
      {"transfer.clear_image", "Gpix/s", true, Bound::CacheWrite, 4, 0.01, clearImage},
      {"transfer.copy_image", "Gpix/s", true, Bound::CacheCopy, 4, 0, copyImage},
      {"transfer.buffer_to_image", "Gpix/s", true, Bound::CacheCopy, 4, 0, bufferToImage},
      {"transfer.blit_1to1", "Mpix/s", true, Bound::CacheCopy, 0.004, 0,
       [](Gpu& g) { return blit(g, 1, VK_FILTER_NEAREST); }},
      {"transfer.blit_convert", "Mpix/s", true, Bound::CacheCopy, 0.004, 0.01,
       [](Gpu& g) { return blit(g, 1, VK_FILTER_NEAREST, VK_FORMAT_B8G8R8A8_UNORM); }},
      {"transfer.blit_2x_linear", "Mpix/s", true, Bound::CacheCopy, 0.004, 0.01,
       [](Gpu& g) { return blit(g, 2, VK_FILTER_LINEAR); }},
  };
}

}  // namespace vkbench
