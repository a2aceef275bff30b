// Copies, clears, blits and resolves on the CPU: the vkCmdCopy*/Clear*/Blit/Resolve/Fill/Update commands after the API
// objects have been turned into layouts and pointers ("Copy Commands", "Clear Commands"). Large work is split over the
// pool. Regions have been validated by the application's layers, not here; out-of-range regions are clipped.
#pragma once

#include "runtime/mem/decoded_image.h"
#include "runtime/mem/image_layout.h"
#include "runtime/task/pool.h"

namespace etzel::transfer {

struct Image {
  const mem::ImageLayout* layout;
  std::byte* memory;
  mem::DecodedImage* decoded = nullptr;  ///< what somebody may have decoded of its blocks, which copies keep up to date
};

void copyBuffer(task::Pool* pool, const std::byte* source, std::byte* destination, uint64_t bytes);
void fillBuffer(task::Pool* pool, std::byte* destination, uint64_t bytes, uint32_t value);
void copyImage(task::Pool* pool, const Image& source, const Image& destination, const VkImageCopy2& region);
void copyBufferToImage(task::Pool* pool, const std::byte* source, const Image& destination,
                       const VkBufferImageCopy2& region);
/// Behind writes to blocks of an image by other means.
void noteWritten(task::Pool* pool, const Image& image, const mem::BlockArea& area);
void copyImageToBuffer(task::Pool* pool, const Image& source, std::byte* destination, const VkBufferImageCopy2& region);
void blitImage(task::Pool* pool, const Image& source, const Image& destination, const VkImageBlit2& region,
               VkFilter filter);
/// One aspect. Without a mode colours that are not integers are averaged, and all else takes sample 0.
/// \param skipTransferFunction sRGB colours are averaged as they are stored
void resolveImage(task::Pool* pool, const Image& source, const Image& destination, const VkImageResolve2& region,
                  VkResolveModeFlagBits mode = VK_RESOLVE_MODE_NONE, bool skipTransferFunction = false);
void clearColor(task::Pool* pool, const Image& image, const VkClearColorValue& value,
                const VkImageSubresourceRange& range);
void clearDepthStencil(task::Pool* pool, const Image& image, const VkClearDepthStencilValue& value,
                       const VkImageSubresourceRange& range);

}  // namespace etzel::transfer
