// Copies, blits, resolves, clears, fills and updates outside of render passes ("Copy Commands", "Clear Commands").
#include <algorithm>
#include <cstring>

#include "icd/cmd/entry/record.h"
#include "icd/debug/debugger.h"
#include "icd/debug/past_shader.h"
#include "icd/debug/transfer_history.h"
#include "icd/memory/transfer_image.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

VkImageSubresourceRange resolved(const Image& image, VkImageSubresourceRange r) {
  uint32_t mips = image.layout.mipLevels, layers = image.layout.arrayLayers;
  r.baseMipLevel = std::min(r.baseMipLevel, mips);
  r.baseArrayLayer = std::min(r.baseArrayLayer, layers);
  r.levelCount = std::min(r.levelCount, mips - r.baseMipLevel);
  r.layerCount = std::min(r.layerCount, layers - r.baseArrayLayer);
  return r;
}

/// What copying the regions between buffers and images reads and writes, in bytes: more rather than less.
uint64_t bytesOf(const VkBufferImageCopy2* regions, uint32_t count) {
  constexpr uint64_t kMaxTexelBytes = 32, kPlanes = 2;
  double texels = 0;  // extents are the application's: products may exceed integers
  for (uint32_t i = 0; i < count; ++i)
    texels += double(regions[i].imageExtent.width) * regions[i].imageExtent.height * regions[i].imageExtent.depth *
              regions[i].imageSubresource.layerCount;
  return texels < 1e12 ? uint64_t(texels) * kMaxTexelBytes * kPlanes : CommandBuffer::kAnyWork;
}

/// `run(pool, source, destination, region)` for every region of an image-to-image command, the API's `name`.
template <class Info, class F>
void recordImages(VkCommandBuffer c, const char* name, const Info& info, F run) {
  const Image* source = cast<Image>(info.srcImage);
  const Image* destination = cast<Image>(info.dstImage);
  const auto* regions = keep(c, info.pRegions, info.regionCount);
  const uint32_t count = info.regionCount;
  record(c, [=](Replay& r) {
    if (!source->data || !destination->data) return;
    for (uint32_t i = 0; i < count; ++i) {
      const TransferHistory history(name, source, *destination, regions[i], r.progress());
      run(r.pool(), transferImage(*source), transferImage(*destination), regions[i]);
    }
  });
}

}  // namespace

void CmdCopyBuffer2(VkCommandBuffer c, const VkCopyBufferInfo2* info) {
  const Buffer* source = cast<Buffer>(info->srcBuffer);
  const Buffer* destination = cast<Buffer>(info->dstBuffer);
  const VkBufferCopy2* regions = keep(c, info->pRegions, info->regionCount);
  const uint32_t count = info->regionCount;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i) bytes += std::min(regions[i].size, source->size);
  recordBounded(c, bytes, [=](Replay& r) {
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t n = bytesFrom(source, regions[i].srcOffset, regions[i].size);
      n = bytesFrom(destination, regions[i].dstOffset, n);
      if (!n) continue;
      std::byte* const to = destination->data + regions[i].dstOffset;
      transfer::copyBuffer(r.pool(), source->data + regions[i].srcOffset, to, n);
      showMemoryWrite("vkCmdCopyBuffer", to, n, r.progress());
    }
  });
}

void CmdCopyImage2(VkCommandBuffer c, const VkCopyImageInfo2* info) {
  recordImages(c, "vkCmdCopyImage", *info,
               [](task::Pool* pool, transfer::Image s, transfer::Image d, const VkImageCopy2& region) {
                 transfer::copyImage(pool, s, d, region);
               });
}

void CmdBlitImage2(VkCommandBuffer c, const VkBlitImageInfo2* info) {
  const VkFilter filter = info->filter;
  recordImages(c, "vkCmdBlitImage", *info,
               [=](task::Pool* pool, transfer::Image s, transfer::Image d, const VkImageBlit2& region) {
                 transfer::blitImage(pool, s, d, region, filter);
               });
}

void CmdResolveImage2(VkCommandBuffer c, const VkResolveImageInfo2* info) {
  const auto* modes = findNext<VkResolveImageModeInfoKHR>(info->pNext, VK_STRUCTURE_TYPE_RESOLVE_IMAGE_MODE_INFO_KHR);
  if (!modes) {
    recordImages(c, "vkCmdResolveImage", *info,
                 [](task::Pool* pool, transfer::Image s, transfer::Image d, const VkImageResolve2& region) {
                   transfer::resolveImage(pool, s, d, region);
                 });
    return;
  }
  const VkResolveModeFlagBits mode = modes->resolveMode, stencilMode = modes->stencilResolveMode;
  const bool skip = modes->flags & VK_RESOLVE_IMAGE_SKIP_TRANSFER_FUNCTION_BIT_KHR;
  recordImages(c, "vkCmdResolveImage", *info,
               [=](task::Pool* pool, transfer::Image s, transfer::Image d, const VkImageResolve2& region) {
                 const VkImageAspectFlags aspects = region.srcSubresource.aspectMask;
                 for (VkImageAspectFlags aspect :
                      {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT}) {
                   const VkResolveModeFlagBits m = aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? stencilMode : mode;
                   if (!(aspects & aspect) || m == VK_RESOLVE_MODE_NONE) continue;
                   VkImageResolve2 one = region;
                   one.srcSubresource.aspectMask = one.dstSubresource.aspectMask = aspect;
                   transfer::resolveImage(pool, s, d, one, mutated(Mutant::ResolveMode) ? VK_RESOLVE_MODE_NONE : m,
                                          skip);
                 }
               });
}

void CmdCopyBufferToImage2(VkCommandBuffer c, const VkCopyBufferToImageInfo2* info) {
  const Buffer* source = cast<Buffer>(info->srcBuffer);
  const Image* destination = cast<Image>(info->dstImage);
  const VkBufferImageCopy2* regions = keep(c, info->pRegions, info->regionCount);
  const uint32_t count = info->regionCount;
  recordBounded(c, bytesOf(regions, count), [=](Replay& r) {
    if (!source->data || !destination->data) return;
    for (uint32_t i = 0; i < count; ++i) {
      const TransferHistory history("vkCmdCopyBufferToImage", nullptr, *destination, regions[i], r.progress());
      transfer::copyBufferToImage(r.pool(), source->data, transferImage(*destination), regions[i]);
    }
  });
}

void CmdCopyImageToBuffer2(VkCommandBuffer c, const VkCopyImageToBufferInfo2* info) {
  const Image* source = cast<Image>(info->srcImage);
  const Buffer* destination = cast<Buffer>(info->dstBuffer);
  const VkBufferImageCopy2* regions = keep(c, info->pRegions, info->regionCount);
  const uint32_t count = info->regionCount;
  recordBounded(c, bytesOf(regions, count), [=](Replay& r) {
    if (!source->data || !destination->data) return;
    for (uint32_t i = 0; i < count; ++i) {
      transfer::copyImageToBuffer(r.pool(), transferImage(*source), destination->data, regions[i]);
      if (debugging())
        showMemoryWrite("vkCmdCopyImageToBuffer", destination->data + regions[i].bufferOffset,
                        bufferBytes(*source, regions[i]), r.progress());
    }
  });
}

void CmdUpdateBuffer(VkCommandBuffer c, VkBuffer destination, VkDeviceSize offset, VkDeviceSize size,
                     const void* data) {
  const Buffer* b = cast<Buffer>(destination);
  const std::byte* kept = keep(c, static_cast<const std::byte*>(data), uint32_t(size));
  recordBounded(c, size, [=](Replay& r) {
    const uint64_t n = bytesFrom(b, offset, size);
    if (!n) return;
    std::memcpy(b->data + offset, kept, n);
    showMemoryWrite("vkCmdUpdateBuffer", b->data + offset, n, r.progress());
  });
}

void CmdFillBuffer(VkCommandBuffer c, VkBuffer destination, VkDeviceSize offset, VkDeviceSize size, uint32_t data) {
  const Buffer* b = cast<Buffer>(destination);
  recordBounded(c, std::min(size, b->size), [=](Replay& r) {
    // VK_WHOLE_SIZE: the rest, rounded down to a multiple of 4.
    uint64_t n = bytesFrom(b, offset, size) & ~uint64_t{3};
    if (!n) return;
    transfer::fillBuffer(r.pool(), b->data + offset, n, data);
    showMemoryWrite("vkCmdFillBuffer", b->data + offset, n, r.progress());
  });
}

void CmdWriteBufferMarker2(VkCommandBuffer c, VkPipelineStageFlags2, VkBuffer destination, VkDeviceSize offset,
                           uint32_t marker) {
  const Buffer* b = cast<Buffer>(destination);
  recordBounded(c, kNextToNothing, [=](Replay& r) {
    // "Buffer Markers": any later stage than the one that is named will do, so all have ended.
    if (r.pass().active()) r.flush();
    if (bytesFrom(b, offset) < sizeof marker) return;
    std::byte* at = b->data + (mutated(Mutant::BufferMarker) ? 0 : offset);
    __atomic_store_n(reinterpret_cast<uint32_t*>(at), marker, __ATOMIC_RELEASE);  // hosts look at it at any time
    showMemoryWrite("vkCmdWriteBufferMarkerAMD", at, sizeof marker, r.progress());
  });
}

void CmdClearColorImage(VkCommandBuffer c, VkImage handle, VkImageLayout, const VkClearColorValue* color,
                        uint32_t count, const VkImageSubresourceRange* pRanges) {
  const Image* image = cast<Image>(handle);
  const VkClearColorValue value = *color;
  const VkImageSubresourceRange* ranges = keep(c, pRanges, count);
  record(c, [=](Replay& r) {
    if (!image->data) return;
    for (uint32_t i = 0; i < count; ++i) {
      const VkImageSubresourceRange range = resolved(*image, ranges[i]);
      const TransferHistory history("vkCmdClearColorImage", nullptr, *image, range, r.progress());
      transfer::clearColor(r.pool(), transferImage(*image), value, range);
    }
  });
}

void CmdClearDepthStencilImage(VkCommandBuffer c, VkImage handle, VkImageLayout,
                               const VkClearDepthStencilValue* depthStencil, uint32_t count,
                               const VkImageSubresourceRange* pRanges) {
  const Image* image = cast<Image>(handle);
  const VkClearDepthStencilValue value = *depthStencil;
  const VkImageSubresourceRange* ranges = keep(c, pRanges, count);
  record(c, [=](Replay& r) {
    if (!image->data) return;
    for (uint32_t i = 0; i < count; ++i) {
      const VkImageSubresourceRange range = resolved(*image, ranges[i]);
      const TransferHistory history("vkCmdClearDepthStencilImage", nullptr, *image, range, r.progress());
      transfer::clearDepthStencil(r.pool(), transferImage(*image), value, range);
    }
  });
}

}  // namespace etzel::icd
