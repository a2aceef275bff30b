// VK_EXT_descriptor_buffer, the part that records nothing: where bindings lie in a set of a buffer, and descriptors as
// bytes. A set is memory anyway (abi/descriptor.h), so these are the slots that vkUpdateDescriptorSets writes.
#include <algorithm>
#include <cstring>
#include <new>

#include "icd/descriptor/descriptors.h"
#include "icd/entry_points.h"
#include "icd/memory/texel_views.h"
#include "icd/object/device.h"
#include "icd/object/error.h"

namespace etzel::icd {
namespace {

void setAddress(abi::BufferDescriptor& slot, const VkDescriptorAddressInfoEXT* info) {
  if (info && info->address) slot = {info->address, info->range, {}};
}

void setTexels(abi::ImageDescriptor& slot, Device& device, const VkDescriptorAddressInfoEXT* info) {
  if (info && info->address)
    slot.view = device.texelViews->find(reinterpret_cast<std::byte*>(info->address), info->range, info->format);
}

/// Descriptors that are null stay zeros.
void fillSlot(std::byte* slot, Device& device, const VkDescriptorGetInfoEXT& info) {
  auto& image = *reinterpret_cast<abi::ImageDescriptor*>(slot);
  auto& buffer = *reinterpret_cast<abi::BufferDescriptor*>(slot);
  const VkDescriptorDataEXT& data = info.data;
  switch (info.type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER: return setAddress(buffer, data.pUniformBuffer);
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER: return setAddress(buffer, data.pStorageBuffer);
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER: return setTexels(image, device, data.pUniformTexelBuffer);
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: return setTexels(image, device, data.pStorageTexelBuffer);
    case VK_DESCRIPTOR_TYPE_SAMPLER: image.sampler = &cast<Sampler>(*data.pSampler)->sampler; return;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      // Members of a union of pointers to the same structure.
      if (data.pSampledImage) writeImageSlot(slot, info.type, *data.pSampledImage);
      return;
    default: return;
  }
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL GetDescriptor(VkDevice handle, const VkDescriptorGetInfoEXT* pInfo, size_t dataSize,
                                         void* pDescriptor) try {
  alignas(abi::BufferDescriptor) std::byte slot[abi::kDescriptorBytes] = {};
  fillSlot(slot, *cast<Device>(handle), *pInfo);
  std::memcpy(pDescriptor, slot, std::min(dataSize, sizeof slot));
} catch (const std::bad_alloc&) {
  std::memset(pDescriptor, 0, dataSize);
  (void)ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for the view of a texel buffer: its descriptor is null");
}

VKAPI_ATTR void VKAPI_CALL GetDescriptorSetLayoutSize(VkDevice, VkDescriptorSetLayout layout, VkDeviceSize* pBytes) {
  *pBytes = cast<DescriptorSetLayout>(layout)->data->bytes;
}

VKAPI_ATTR void VKAPI_CALL GetDescriptorSetLayoutBindingOffset(VkDevice, VkDescriptorSetLayout layout, uint32_t binding,
                                                               VkDeviceSize* pOffset) {
  const LayoutBinding* b = cast<DescriptorSetLayout>(layout)->data->find(binding);
  *pOffset = b ? b->byteOffset : 0;
}

// descriptorBufferCaptureReplay is not offered: descriptors are addresses of this process. There is nothing to capture.
VKAPI_ATTR VkResult VKAPI_CALL GetBufferOpaqueCaptureDescriptorData(VkDevice,
                                                                    const VkBufferCaptureDescriptorDataInfoEXT*,
                                                                    void*) {
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL GetImageOpaqueCaptureDescriptorData(VkDevice, const VkImageCaptureDescriptorDataInfoEXT*,
                                                                   void*) {
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL GetImageViewOpaqueCaptureDescriptorData(VkDevice,
                                                                       const VkImageViewCaptureDescriptorDataInfoEXT*,
                                                                       void*) {
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL GetSamplerOpaqueCaptureDescriptorData(VkDevice,
                                                                     const VkSamplerCaptureDescriptorDataInfoEXT*,
                                                                     void*) {
  return VK_SUCCESS;
}

}  // namespace etzel::icd
