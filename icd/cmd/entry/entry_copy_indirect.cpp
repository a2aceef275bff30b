// Copies whose addresses and sizes lie in memory when they run ("Copying Data Indirectly").
#include <bit>
#include <cstring>

#include "icd/cmd/entry/record.h"
#include "icd/debug/past_shader.h"
#include "icd/debug/transfer_history.h"
#include "icd/memory/transfer_image.h"

namespace etzel::icd {
namespace {

const std::byte* pointer(VkDeviceAddress address) { return std::bit_cast<const std::byte*>(address); }

/// Command `i` of a range.
template <class T>
T commandAt(const VkStridedDeviceAddressRangeKHR& range, uint32_t i) {
  T command;
  std::memcpy(&command, pointer(range.address + i * range.stride), sizeof command);
  return command;
}

/// Commands that the range has room for.
template <class T>
uint32_t commandsIn(const VkStridedDeviceAddressRangeKHR& range, uint32_t count) {
  uint32_t n = 0;
  while (n < count && n * range.stride + sizeof(T) <= range.size) ++n;
  return n;
}

/// "vkCmdCopyMemoryToImageIndirectKHR": of 3D images the layers are slices.
void slicesOfLayers(VkBufferImageCopy2& region) {
  VkImageSubresourceLayers& layers = region.imageSubresource;
  region.imageOffset.z = static_cast<int32_t>(layers.baseArrayLayer);
  region.imageExtent.depth = layers.layerCount;
  layers.baseArrayLayer = 0, layers.layerCount = 1;
}

}  // namespace

void CmdCopyMemoryIndirect(VkCommandBuffer c, const VkCopyMemoryIndirectInfoKHR* info) {
  const VkStridedDeviceAddressRangeKHR range = info->copyAddressRange;
  const uint32_t count = commandsIn<VkCopyMemoryIndirectCommandKHR>(range, info->copyCount);
  record(c, [=](Replay& r) {
    for (uint32_t i = 0; i < count; ++i) {
      const auto copy = commandAt<VkCopyMemoryIndirectCommandKHR>(range, i);
      if (!copy.size) continue;
      auto* const to = const_cast<std::byte*>(pointer(copy.dstAddress));
      transfer::copyBuffer(r.pool(), pointer(copy.srcAddress), to, copy.size);
      showMemoryWrite("vkCmdCopyMemoryIndirectKHR", to, copy.size, r.progress());
    }
  });
}

void CmdCopyMemoryToImageIndirect(VkCommandBuffer c, const VkCopyMemoryToImageIndirectInfoKHR* info) {
  const VkStridedDeviceAddressRangeKHR range = info->copyAddressRange;
  const uint32_t count = commandsIn<VkCopyMemoryToImageIndirectCommandKHR>(range, info->copyCount);
  const Image* image = cast<Image>(info->dstImage);
  const VkImageSubresourceLayers* layers = keep(c, info->pImageSubresources, info->copyCount);
  record(c, [=](Replay& r) {
    if (!image->data) return;
    for (uint32_t i = 0; i < count; ++i) {
      const auto copy = commandAt<VkCopyMemoryToImageIndirectCommandKHR>(range, i);
      VkBufferImageCopy2 region{VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
                                nullptr,
                                0,
                                copy.bufferRowLength,
                                copy.bufferImageHeight,
                                layers[i],
                                copy.imageOffset,
                                copy.imageExtent};
      const TransferHistory history("vkCmdCopyMemoryToImageIndirectKHR", nullptr, *image, region, r.progress());
      if (image->layout.type == VK_IMAGE_TYPE_3D) slicesOfLayers(region);
      transfer::copyBufferToImage(r.pool(), pointer(copy.srcAddress), transferImage(*image), region);
    }
  });
}

}  // namespace etzel::icd
