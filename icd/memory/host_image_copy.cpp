// Copies by the host (VK_EXT_host_image_copy): what command buffers do, at once and on the calling thread.
#include <cstring>

#include "icd/entry_points.h"
#include "icd/memory/transfer_image.h"
#include "icd/object/device.h"

namespace etzel::icd {
namespace {

template <class Region>
VkBufferImageCopy2 bufferRegion(const Region& r) {
  VkBufferImageCopy2 b{VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2};
  b.bufferRowLength = r.memoryRowLength;
  b.bufferImageHeight = r.memoryImageHeight;
  b.imageSubresource = r.imageSubresource;
  b.imageOffset = r.imageOffset;
  b.imageExtent = r.imageExtent;
  return b;
}

uint32_t layerCountOf(const Image& image, const VkImageSubresourceLayers& s) {
  return s.layerCount == VK_REMAINING_ARRAY_LAYERS ? image.layout.arrayLayers - s.baseArrayLayer : s.layerCount;
}

mem::BlockArea wholeLevel(const Image& image, const VkImageSubresourceLayers& s) {
  const mem::PlaneLayout& p = image.layout.planeOf(s.aspectMask);
  const mem::MipLayout& mip = p.mip[s.mipLevel];
  return {s.mipLevel,
          s.baseArrayLayer,
          layerCountOf(image, s),
          0,
          0,
          divideUp(mip.width, p.blockWidth),
          divideUp(mip.height, p.blockHeight)};
}

/// VK_HOST_IMAGE_COPY_MEMCPY: whole subresources as they lie in memory, layer after layer. `visit(memory, bytes)`.
template <class Visit>
void forSubresources(const Image& image, const VkImageSubresourceLayers& s, Visit visit) {
  const mem::PlaneLayout& p = image.layout.planeOf(s.aspectMask);
  const mem::MipLayout& mip = p.mip[s.mipLevel];
  for (uint32_t layer = 0, count = layerCountOf(image, s); layer < count; ++layer)
    visit(image.data + image.layout.texelOffset(p, s.mipLevel, s.baseArrayLayer + layer, 0, 0, 0, 0),
          size_t(mip.slicePitch * mip.slices));
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CopyMemoryToImage(VkDevice, const VkCopyMemoryToImageInfo* pInfo) {
  const Image& image = *cast<Image>(pInfo->dstImage);
  for (uint32_t i = 0; i < pInfo->regionCount; ++i) {
    const VkMemoryToImageCopy& r = pInfo->pRegions[i];
    const auto* from = static_cast<const std::byte*>(r.pHostPointer);
    if (pInfo->flags & VK_HOST_IMAGE_COPY_MEMCPY_BIT) {
      forSubresources(image, r.imageSubresource, [&](std::byte* at, size_t bytes) {
        std::memcpy(at, from, bytes);
        from += bytes;
      });
      transfer::noteWritten(nullptr, transferImage(image), wholeLevel(image, r.imageSubresource));
    } else {
      transfer::copyBufferToImage(nullptr, from, transferImage(image), bufferRegion(r));
    }
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CopyImageToMemory(VkDevice, const VkCopyImageToMemoryInfo* pInfo) {
  const Image& image = *cast<Image>(pInfo->srcImage);
  for (uint32_t i = 0; i < pInfo->regionCount; ++i) {
    const VkImageToMemoryCopy& r = pInfo->pRegions[i];
    auto* to = static_cast<std::byte*>(r.pHostPointer);
    if (pInfo->flags & VK_HOST_IMAGE_COPY_MEMCPY_BIT) {
      forSubresources(image, r.imageSubresource, [&](const std::byte* at, size_t bytes) {
        std::memcpy(to, at, bytes);
        to += bytes;
      });
    } else {
      transfer::copyImageToBuffer(nullptr, transferImage(image), to, bufferRegion(r));
    }
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CopyImageToImage(VkDevice, const VkCopyImageToImageInfo* pInfo) {
  for (uint32_t i = 0; i < pInfo->regionCount; ++i)
    transfer::copyImage(nullptr, transferImage(*cast<Image>(pInfo->srcImage)),
                        transferImage(*cast<Image>(pInfo->dstImage)), pInfo->pRegions[i]);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL TransitionImageLayout(VkDevice, uint32_t, const VkHostImageLayoutTransitionInfo*) {
  return VK_SUCCESS;  // every layout is the same arrangement of texels
}

}  // namespace etzel::icd
