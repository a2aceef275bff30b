// VK_EXT_descriptor_buffer, the part that records nothing: where bindings lie in a set of a buffer, and descriptors as
// bytes. A set is memory anyway (abi/descriptor.h), so these are the slots that vkUpdateDescriptorSets writes, sealed.
#include <algorithm>
#include <cstring>
#include <new>

#include "icd/descriptor/descriptors.h"
#include "icd/descriptor/sealed.h"
#include "icd/entry_points.h"
#include "icd/memory/texel_views.h"
#include "icd/object/device.h"
#include "icd/object/error.h"

namespace etzel::icd {
namespace {

SealedDescriptor sealBuffer(const VkDescriptorAddressInfoEXT* info) {
  return info && info->address ? seal(abi::BufferDescriptor{info->address, info->range, {}}) : SealedDescriptor{};
}

SealedDescriptor sealTexels(Device& device, const VkDescriptorAddressInfoEXT* info) {
  if (!info || !info->address) return {};
  auto* memory = reinterpret_cast<std::byte*>(info->address);
  return seal(abi::ImageDescriptor{.view = device.texelViews->find(memory, info->range, info->format)});
}

SealedDescriptor sealImage(VkDescriptorType type, const VkDescriptorImageInfo* info) {
  abi::ImageDescriptor slot;
  if (info) writeImageSlot(reinterpret_cast<std::byte*>(&slot), type, *info);
  return seal(slot);
}

SealedDescriptor makeDescriptor(Device& device, const VkDescriptorGetInfoEXT& info) {
  const VkDescriptorDataEXT& data = info.data;
  switch (info.type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER: return sealBuffer(data.pUniformBuffer);
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER: return sealBuffer(data.pStorageBuffer);
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER: return sealTexels(device, data.pUniformTexelBuffer);
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: return sealTexels(device, data.pStorageTexelBuffer);
    case VK_DESCRIPTOR_TYPE_SAMPLER:
      return seal(abi::ImageDescriptor{.sampler = &cast<Sampler>(*data.pSampler)->sampler});
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return sealImage(info.type, data.pSampledImage);  // a union of pointers to the same structure
    default: return {};
  }
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL GetDescriptor(VkDevice handle, const VkDescriptorGetInfoEXT* pInfo, size_t dataSize,
                                         void* pDescriptor) try {
  const SealedDescriptor sealed = makeDescriptor(*cast<Device>(handle), *pInfo);
  std::memcpy(pDescriptor, &sealed, std::min(dataSize, sizeof sealed));
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
