// VK_EXT_descriptor_heap, the part that records nothing: descriptors as bytes, which are those of descriptor buffers
// (sealed.h), and the indices of border colours.
#include <cstring>
#include <new>

#include "icd/descriptor/descriptors.h"
#include "icd/descriptor/sealed.h"
#include "icd/entry_points.h"
#include "icd/memory/heap_views.h"
#include "icd/memory/texel_views.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/physical_device/limits.h"

namespace etzel::icd {
namespace {

SealedDescriptor bufferOf(const VkDeviceAddressRangeKHR* range) {
  return range && range->address ? seal(abi::BufferDescriptor{range->address, range->size, {}}) : SealedDescriptor{};
}

SealedDescriptor texelsOf(Device& device, const VkTexelBufferDescriptorInfoEXT* info) {
  if (!info || !info->addressRange.address) return {};
  auto* memory = reinterpret_cast<std::byte*>(info->addressRange.address);
  return seal(abi::ImageDescriptor{.view = device.texelViews->find(memory, info->addressRange.size, info->format)});
}

SealedDescriptor imageOf(Device& device, VkDescriptorType type, const VkImageDescriptorInfoEXT* info) {
  if (!info || !info->pView || !info->pView->image) return {};
  auto& view = const_cast<ImageView&>(device.heapViews->find(*info->pView));  // handles are not of const objects
  abi::ImageDescriptor slot;
  writeImageSlot(reinterpret_cast<std::byte*>(&slot), type, {VK_NULL_HANDLE, handleOf(&view), info->layout});
  return seal(slot);
}

SealedDescriptor descriptorOf(Device& device, const VkResourceDescriptorInfoEXT& info) {
  switch (info.type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER: return bufferOf(info.data.pAddressRange);
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: return texelsOf(device, info.data.pTexelBuffer);
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT: return imageOf(device, info.type, info.data.pImage);
    default: return {};
  }
}

void give(const SealedDescriptor& descriptor, const VkHostAddressRangeEXT& to) {
  if (to.size >= sizeof descriptor) std::memcpy(to.address, &descriptor, sizeof descriptor);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL WriteSamplerDescriptors(VkDevice handle, uint32_t count,
                                                       const VkSamplerCreateInfo* pSamplers,
                                                       const VkHostAddressRangeEXT* pDescriptors) {
  for (uint32_t i = 0; i < count; ++i)
    give(seal(abi::ImageDescriptor{.sampler = &cast<Device>(handle)->heapViews->find(pSamplers[i])}), pDescriptors[i]);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL WriteResourceDescriptors(VkDevice handle, uint32_t count,
                                                        const VkResourceDescriptorInfoEXT* pResources,
                                                        const VkHostAddressRangeEXT* pDescriptors) {
  for (uint32_t i = 0; i < count; ++i) give(descriptorOf(*cast<Device>(handle), pResources[i]), pDescriptors[i]);
  return VK_SUCCESS;
}

VKAPI_ATTR VkDeviceSize VKAPI_CALL GetPhysicalDeviceDescriptorSize(VkPhysicalDevice, VkDescriptorType) {
  return sizeof(SealedDescriptor);
}

// descriptorHeapCaptureReplay is not offered: descriptors are addresses of this process. There is nothing to capture.
VKAPI_ATTR VkResult VKAPI_CALL GetImageOpaqueCaptureData(VkDevice, uint32_t, const VkImage*, VkHostAddressRangeEXT*) {
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL RegisterCustomBorderColor(VkDevice handle,
                                                         const VkSamplerCustomBorderColorCreateInfoEXT*,
                                                         VkBool32 requestIndex, uint32_t* pIndex) {
  HeapViews& views = *cast<Device>(handle)->heapViews;
  if (requestIndex)
    return *pIndex < kMaxCustomBorderColors && views.takeColor(*pIndex)
               ? VK_SUCCESS
               : ETZEL_FAIL(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, "a border colour has the index %u already",
                            *pIndex);
  return views.takeAnyColor(kMaxCustomBorderColors, *pIndex)
             ? VK_SUCCESS
             : ETZEL_FAIL(VK_ERROR_TOO_MANY_OBJECTS, "all indices of border colours are taken");
}

VKAPI_ATTR void VKAPI_CALL UnregisterCustomBorderColor(VkDevice handle, uint32_t index) {
  cast<Device>(handle)->heapViews->giveColor(index);
}

}  // namespace etzel::icd
