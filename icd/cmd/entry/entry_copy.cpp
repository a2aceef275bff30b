// Copies, blits, resolves, clears, fills and updates outside of render passes ("Copy Commands", "Clear Commands"). The
// original commands widen their regions and call the *2 versions.
#include <algorithm>
#include <cstring>

#include "icd/cmd/entry/record.h"
#include "runtime/transfer/transfer.h"

namespace etzel::icd {
namespace {

transfer::Image imageOf(const Image* image) { return {&image->layout, image->data}; }

/// Old regions as new ones; `fill(new, old)` copies the fields.
template <class New, class Old, class F>
std::vector<New> widen(VkStructureType type, const Old* regions, uint32_t count, F fill) {
  std::vector<New> out(count);
  for (uint32_t i = 0; i < count; ++i) {
    out[i] = {};
    out[i].sType = type;
    fill(out[i], regions[i]);
  }
  return out;
}

VkBufferImageCopy2 widenCopy(const VkBufferImageCopy& o) {
  return {VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
          nullptr,
          o.bufferOffset,
          o.bufferRowLength,
          o.bufferImageHeight,
          o.imageSubresource,
          o.imageOffset,
          o.imageExtent};
}

std::vector<VkBufferImageCopy2> widenCopies(const VkBufferImageCopy* regions, uint32_t count) {
  std::vector<VkBufferImageCopy2> out(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = widenCopy(regions[i]);
  return out;
}

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

/// `run(pool, source, destination, region)` for every region of an image-to-image command.
template <class Info, class F>
void recordImages(VkCommandBuffer c, const Info& info, F run) {
  const Image* source = cast<Image>(info.srcImage);
  const Image* destination = cast<Image>(info.dstImage);
  const auto* regions = keep(c, info.pRegions, info.regionCount);
  const uint32_t count = info.regionCount;
  record(c, [=](Replay& r) {
    if (!source->data || !destination->data) return;
    for (uint32_t i = 0; i < count; ++i) run(r.pool(), imageOf(source), imageOf(destination), regions[i]);
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
      if (n)
        transfer::copyBuffer(r.pool(), source->data + regions[i].srcOffset, destination->data + regions[i].dstOffset,
                             n);
    }
  });
}

void CmdCopyBuffer(VkCommandBuffer c, VkBuffer source, VkBuffer destination, uint32_t count,
                   const VkBufferCopy* pRegions) {
  auto regions = widen<VkBufferCopy2>(VK_STRUCTURE_TYPE_BUFFER_COPY_2, pRegions, count,
                                      [](VkBufferCopy2& n, const VkBufferCopy& o) {
                                        n.srcOffset = o.srcOffset;
                                        n.dstOffset = o.dstOffset;
                                        n.size = o.size;
                                      });
  const VkCopyBufferInfo2 info{
      VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, nullptr, source, destination, count, regions.data()};
  CmdCopyBuffer2(c, &info);
}

void CmdCopyImage2(VkCommandBuffer c, const VkCopyImageInfo2* info) {
  recordImages(c, *info, [](task::Pool* pool, transfer::Image s, transfer::Image d, const VkImageCopy2& region) {
    transfer::copyImage(pool, s, d, region);
  });
}

void CmdCopyImage(VkCommandBuffer c, VkImage source, VkImageLayout sourceLayout, VkImage destination,
                  VkImageLayout destinationLayout, uint32_t count, const VkImageCopy* pRegions) {
  auto regions =
      widen<VkImageCopy2>(VK_STRUCTURE_TYPE_IMAGE_COPY_2, pRegions, count, [](VkImageCopy2& n, const VkImageCopy& o) {
        n.srcSubresource = o.srcSubresource;
        n.srcOffset = o.srcOffset;
        n.dstSubresource = o.dstSubresource;
        n.dstOffset = o.dstOffset;
        n.extent = o.extent;
      });
  const VkCopyImageInfo2 info{VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2,
                              nullptr,
                              source,
                              sourceLayout,
                              destination,
                              destinationLayout,
                              count,
                              regions.data()};
  CmdCopyImage2(c, &info);
}

void CmdBlitImage2(VkCommandBuffer c, const VkBlitImageInfo2* info) {
  const VkFilter filter = info->filter;
  recordImages(c, *info, [=](task::Pool* pool, transfer::Image s, transfer::Image d, const VkImageBlit2& region) {
    transfer::blitImage(pool, s, d, region, filter);
  });
}

void CmdBlitImage(VkCommandBuffer c, VkImage source, VkImageLayout sourceLayout, VkImage destination,
                  VkImageLayout destinationLayout, uint32_t count, const VkImageBlit* pRegions, VkFilter filter) {
  auto regions =
      widen<VkImageBlit2>(VK_STRUCTURE_TYPE_IMAGE_BLIT_2, pRegions, count, [](VkImageBlit2& n, const VkImageBlit& o) {
        n.srcSubresource = o.srcSubresource;
        n.dstSubresource = o.dstSubresource;
        std::copy_n(o.srcOffsets, 2, n.srcOffsets);
        std::copy_n(o.dstOffsets, 2, n.dstOffsets);
      });
  const VkBlitImageInfo2 info{VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2,
                              nullptr,
                              source,
                              sourceLayout,
                              destination,
                              destinationLayout,
                              count,
                              regions.data(),
                              filter};
  CmdBlitImage2(c, &info);
}

void CmdResolveImage2(VkCommandBuffer c, const VkResolveImageInfo2* info) {
  recordImages(c, *info, [](task::Pool* pool, transfer::Image s, transfer::Image d, const VkImageResolve2& region) {
    transfer::resolveImage(pool, s, d, region);
  });
}

void CmdResolveImage(VkCommandBuffer c, VkImage source, VkImageLayout sourceLayout, VkImage destination,
                     VkImageLayout destinationLayout, uint32_t count, const VkImageResolve* pRegions) {
  auto regions = widen<VkImageResolve2>(VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2, pRegions, count,
                                        [](VkImageResolve2& n, const VkImageResolve& o) {
                                          n.srcSubresource = o.srcSubresource;
                                          n.srcOffset = o.srcOffset;
                                          n.dstSubresource = o.dstSubresource;
                                          n.dstOffset = o.dstOffset;
                                          n.extent = o.extent;
                                        });
  const VkResolveImageInfo2 info{VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2,
                                 nullptr,
                                 source,
                                 sourceLayout,
                                 destination,
                                 destinationLayout,
                                 count,
                                 regions.data()};
  CmdResolveImage2(c, &info);
}

void CmdCopyBufferToImage2(VkCommandBuffer c, const VkCopyBufferToImageInfo2* info) {
  const Buffer* source = cast<Buffer>(info->srcBuffer);
  const Image* destination = cast<Image>(info->dstImage);
  const VkBufferImageCopy2* regions = keep(c, info->pRegions, info->regionCount);
  const uint32_t count = info->regionCount;
  recordBounded(c, bytesOf(regions, count), [=](Replay& r) {
    if (!source->data || !destination->data) return;
    for (uint32_t i = 0; i < count; ++i)
      transfer::copyBufferToImage(r.pool(), source->data, imageOf(destination), regions[i]);
  });
}

void CmdCopyBufferToImage(VkCommandBuffer c, VkBuffer source, VkImage destination, VkImageLayout layout, uint32_t count,
                          const VkBufferImageCopy* pRegions) {
  auto regions = widenCopies(pRegions, count);
  const VkCopyBufferToImageInfo2 info{
      VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2, nullptr, source, destination, layout, count, regions.data()};
  CmdCopyBufferToImage2(c, &info);
}

void CmdCopyImageToBuffer2(VkCommandBuffer c, const VkCopyImageToBufferInfo2* info) {
  const Image* source = cast<Image>(info->srcImage);
  const Buffer* destination = cast<Buffer>(info->dstBuffer);
  const VkBufferImageCopy2* regions = keep(c, info->pRegions, info->regionCount);
  const uint32_t count = info->regionCount;
  recordBounded(c, bytesOf(regions, count), [=](Replay& r) {
    if (!source->data || !destination->data) return;
    for (uint32_t i = 0; i < count; ++i)
      transfer::copyImageToBuffer(r.pool(), imageOf(source), destination->data, regions[i]);
  });
}

void CmdCopyImageToBuffer(VkCommandBuffer c, VkImage source, VkImageLayout layout, VkBuffer destination, uint32_t count,
                          const VkBufferImageCopy* pRegions) {
  auto regions = widenCopies(pRegions, count);
  const VkCopyImageToBufferInfo2 info{
      VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2, nullptr, source, layout, destination, count, regions.data()};
  CmdCopyImageToBuffer2(c, &info);
}

void CmdUpdateBuffer(VkCommandBuffer c, VkBuffer destination, VkDeviceSize offset, VkDeviceSize size,
                     const void* data) {
  const Buffer* b = cast<Buffer>(destination);
  const std::byte* kept = keep(c, static_cast<const std::byte*>(data), uint32_t(size));
  recordBounded(c, size, [=](Replay&) {
    if (uint64_t n = bytesFrom(b, offset, size)) std::memcpy(b->data + offset, kept, n);
  });
}

void CmdFillBuffer(VkCommandBuffer c, VkBuffer destination, VkDeviceSize offset, VkDeviceSize size, uint32_t data) {
  const Buffer* b = cast<Buffer>(destination);
  recordBounded(c, std::min(size, b->size), [=](Replay& r) {
    // VK_WHOLE_SIZE: the rest, rounded down to a multiple of 4.
    uint64_t n = bytesFrom(b, offset, size) & ~uint64_t{3};
    if (n) transfer::fillBuffer(r.pool(), b->data + offset, n, data);
  });
}

void CmdClearColorImage(VkCommandBuffer c, VkImage handle, VkImageLayout, const VkClearColorValue* color,
                        uint32_t count, const VkImageSubresourceRange* pRanges) {
  const Image* image = cast<Image>(handle);
  const VkClearColorValue value = *color;
  const VkImageSubresourceRange* ranges = keep(c, pRanges, count);
  record(c, [=](Replay& r) {
    if (!image->data) return;
    for (uint32_t i = 0; i < count; ++i)
      transfer::clearColor(r.pool(), imageOf(image), value, resolved(*image, ranges[i]));
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
    for (uint32_t i = 0; i < count; ++i)
      transfer::clearDepthStencil(r.pool(), imageOf(image), value, resolved(*image, ranges[i]));
  });
}

}  // namespace etzel::icd
