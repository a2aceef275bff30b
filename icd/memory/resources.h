// Memory and what lives in it: device memory, buffers, images, their views, samplers. Read by command replay and by
// descriptor writes; immutable after binding.
#pragma once

#include <memory>

#include "icd/memory/sparse_range.h"
#include "icd/object/address_bindings.h"
#include "icd/object/object.h"
#include "runtime/tex/decoding.h"

namespace etzel::icd {

struct DeviceMemory : Object {
  using Handle = VkDeviceMemory;
  std::byte* data = nullptr;
  uint64_t size = 0;
  uint32_t typeIndex = 0;
  void* imported = nullptr;  ///< VK_EXT_external_memory_host: not freed
  int fd = -1;               ///< exportable memory (memfd), else -1
  bool fdImported = false;
  bool placed = false;                        ///< where a replay can have it again: always mapped
  uint64_t reportedId = 0;                    ///< of its bytes, where the device has listeners
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;  ///< that the driver allocated it for
  std::unique_ptr<AddressBindings> bindings;  ///< of the application's memory
};

struct Buffer : Object {
  using Handle = VkBuffer;
  uint64_t size = 0;
  VkBufferUsageFlags usage = 0;
  VkBufferCreateFlags flags = 0;
  VkExternalMemoryHandleTypeFlags externalTypes = 0;
  std::byte* data = nullptr;  ///< null until bound
  DeviceMemory* memory = nullptr;
  std::unique_ptr<SparseRange> sparse;  ///< of sparse buffers: where data points from the beginning
  std::unique_ptr<AddressBindings> bindings;
};

struct Image : Object {
  using Handle = VkImage;
  mem::ImageLayout layout;
  VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL;
  VkImageUsageFlags usage = 0, stencilUsage = 0;
  VkImageCreateFlags flags = 0;
  VkExternalMemoryHandleTypeFlags externalTypes = 0;
  std::byte* data = nullptr;  ///< null until bound
  DeviceMemory* memory = nullptr;
  std::unique_ptr<SparseRange> sparse;  ///< as Buffer::sparse
  std::unique_ptr<AddressBindings> bindings;
  std::unique_ptr<mem::DecodedImage> decoded;  ///< of compressed blocks that shaders sample
};

struct ImageView : Object {
  using Handle = VkImageView;
  Image* image = nullptr;
  VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkImageSubresourceRange range{};  ///< resolved: no VK_REMAINING_*
  VkComponentMapping components{};
  tex::ImageView sampled;     ///< as a shader sees it (the one viewed aspect; depth of combined views)
  tex::ImageView storage;     ///< the same without swizzle, for storage images and input attachments
  tex::ImageView attachment;  ///< colour or depth; stencilAttachment for the stencil aspect
  tex::ImageView stencilAttachment;
  std::unique_ptr<tex::ImageView> sampledIntegers, storageIntegers;  ///< tex::ImageView::integers of those above
  std::unique_ptr<tex::Decoding> decoding;                           ///< of `sampled`
};

struct BufferView : Object {
  using Handle = VkBufferView;
  tex::ImageView view;  ///< dim Buffer
};

struct SamplerYcbcrConversion : Object {
  using Handle = VkSamplerYcbcrConversion;
  VkSamplerYcbcrConversionCreateInfo info{};
};

struct Sampler : Object {
  using Handle = VkSampler;
  tex::Sampler sampler;
  SamplerYcbcrConversion* conversion = nullptr;
};

/// vkAllocateMemory, where `swapchain` is null; else what the driver takes for a swapchain's image.
VkResult allocateMemory(Device& device, const VkMemoryAllocateInfo& info, const VkAllocationCallbacks* callbacks,
                        VkSwapchainKHR swapchain, VkDeviceMemory* memory);

/// What create infos say, for objects that nobody else made either (VK_EXT_descriptor_heap).
void makeImageView(ImageView& view, const VkImageViewCreateInfo& info);
void makeSampler(tex::Sampler& sampler, const VkSamplerCreateInfo& info);

}  // namespace etzel::icd
