// Buffers and buffer views ("Resource Creation", Buffers). A buffer's device address is its host pointer.
#include <algorithm>

#include "icd/entry_points.h"
#include "icd/memory/descriptor_ranges.h"
#include "icd/memory/requirements.h"
#include "icd/memory/resources.h"
#include "icd/memory/texel_views.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/physical_device/host.h"
#include "icd/physical_device/memory_types.h"
#include "icd/physical_device/sparse_images.h"
#include "runtime/base/live_memory.h"

namespace etzel::icd {
namespace {

constexpr uint64_t kBufferAlignment = 64;

void fillRequirements(uint64_t size, VkBufferCreateFlags flags, VkMemoryRequirements& r) {
  const bool sparse = flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
  r.alignment = sparse ? kSparseBlockBytes : kBufferAlignment;
  r.size = alignUp(std::max<uint64_t>(size, 1), r.alignment);
  r.memoryTypeBits = sparse ? 1u << kSparseMemoryType : kMemoryTypeBits;
  if (flags & VK_BUFFER_CREATE_PROTECTED_BIT) r.memoryTypeBits = 1u << kProtectedMemoryType;
}

/// What is asked of addresses alone, without a buffer.
void addAddresses(const Buffer& buffer) {
  if (buffer.usage & kHoldsDescriptors) addDescriptorRange(&buffer, buffer.data, buffer.size);  // may throw
  if (buffer.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) addLiveMemory(buffer.data, buffer.size);
}
void removeAddresses(const Buffer& buffer) {
  if (buffer.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) removeLiveMemory(buffer.data, buffer.size);
  if (buffer.usage & kHoldsDescriptors) removeDescriptorRange(&buffer, buffer.data);
}

void bind(Buffer& buffer, DeviceMemory* memory, uint64_t offset) {
  buffer.memory = memory;
  buffer.data = memory->data + offset;
  addAddresses(buffer);
  if (buffer.bindings) buffer.bindings->bind(buffer.data, buffer.size);
}

}  // namespace

void fillDedicatedRequirements(void* pNext) {
  for (auto* s = static_cast<VkBaseOutStructure*>(pNext); s; s = s->pNext) {
    if (s->sType != VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS) continue;
    auto* d = reinterpret_cast<VkMemoryDedicatedRequirements*>(s);
    d->prefersDedicatedAllocation = VK_FALSE;
    d->requiresDedicatedAllocation = VK_FALSE;
  }
}

void reportBound(const void* pNext) {
  if (const auto* status = findNext<VkBindMemoryStatus>(pNext, VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS))
    *status->pResult = VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice handle, const VkBufferCreateInfo* pCreateInfo,
                                            const VkAllocationCallbacks* pAllocator, VkBuffer* pBuffer) {
  if (pCreateInfo->size > host().heapBytes[kDeviceHeap])
    return ETZEL_FAIL(VK_ERROR_OUT_OF_DEVICE_MEMORY, "a buffer of %llu bytes exceeds maxBufferSize",
                      (unsigned long long)pCreateInfo->size);
  return createObject<Buffer>(handle, pAllocator, pBuffer, "a buffer object", [&](Buffer& buffer) {
    buffer.size = pCreateInfo->size;
    buffer.usage = pCreateInfo->usage;
    if (const auto* usage = findNext<VkBufferUsageFlags2CreateInfo>(pCreateInfo->pNext,
                                                                    VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO))
      buffer.usage = VkBufferUsageFlags(usage->usage);
    buffer.flags = pCreateInfo->flags;
    if (const auto* e = findNext<VkExternalMemoryBufferCreateInfo>(
            pCreateInfo->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO))
      buffer.externalTypes = e->handleTypes;
    buffer.bindings = AddressBindings::of(*cast<Device>(handle), VK_OBJECT_TYPE_BUFFER, buffer);
    if (!(buffer.flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT)) return VK_SUCCESS;
    const bool partial = buffer.flags & VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT;
    // Where other buffers lie follows from their memory; these have addresses of their own.
    const auto* captured = findNext<VkBufferOpaqueCaptureAddressCreateInfo>(
        pCreateInfo->pNext, VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO);
    const bool placed = buffer.flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    const uint64_t at = placed && captured ? captured->opaqueCaptureAddress : 0;
    const uint64_t bytes = alignUp(std::max<uint64_t>(buffer.size, 1), kSparseBlockBytes);
    buffer.sparse = placed ? SparseRange::reserveForReplay(at, bytes, partial) : SparseRange::reserve(bytes, partial);
    if (!buffer.sparse && at)
      return ETZEL_FAIL(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, "address %#llx is not free", (unsigned long long)at);
    if (!buffer.sparse)
      return ETZEL_FAIL(VK_ERROR_OUT_OF_DEVICE_MEMORY, "no %llu bytes of addresses", (unsigned long long)buffer.size);
    buffer.sparse->reportTo(buffer.bindings.get());
    buffer.data = buffer.sparse->data();
    addAddresses(buffer);
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroyBuffer(VkDevice device, VkBuffer handle, const VkAllocationCallbacks* pAllocator) {
  if (!handle) return;
  Buffer* buffer = cast<Buffer>(handle);
  removeAddresses(*buffer);
  destroy(pick(cast<Device>(device), pAllocator), buffer);
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements2(VkDevice, const VkBufferMemoryRequirementsInfo2* pInfo,
                                                        VkMemoryRequirements2* p) {
  const Buffer& buffer = *cast<Buffer>(pInfo->buffer);
  fillRequirements(buffer.size, buffer.flags, p->memoryRequirements);
  fillDedicatedRequirements(p->pNext);
}
VKAPI_ATTR void VKAPI_CALL GetDeviceBufferMemoryRequirements(VkDevice, const VkDeviceBufferMemoryRequirements* pInfo,
                                                             VkMemoryRequirements2* p) {
  fillRequirements(pInfo->pCreateInfo->size, pInfo->pCreateInfo->flags, p->memoryRequirements);
  fillDedicatedRequirements(p->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory2(VkDevice, uint32_t count, const VkBindBufferMemoryInfo* pBindInfos) {
  for (uint32_t i = 0; i < count; ++i) {
    bind(*cast<Buffer>(pBindInfos[i].buffer), cast<DeviceMemory>(pBindInfos[i].memory), pBindInfos[i].memoryOffset);
    reportBound(pBindInfos[i].pNext);
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL GetBufferDeviceAddress(VkDevice, const VkBufferDeviceAddressInfo* pInfo) {
  return reinterpret_cast<uintptr_t>(cast<Buffer>(pInfo->buffer)->data);
}
VKAPI_ATTR uint64_t VKAPI_CALL GetBufferOpaqueCaptureAddress(VkDevice device, const VkBufferDeviceAddressInfo* pInfo) {
  return GetBufferDeviceAddress(device, pInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice handle, const VkBufferViewCreateInfo* pCreateInfo,
                                                const VkAllocationCallbacks* pAllocator, VkBufferView* pView) {
  return createObject<BufferView>(handle, pAllocator, pView, "a buffer view", [&](BufferView& view) {
    const Buffer* buffer = cast<Buffer>(pCreateInfo->buffer);
    const uint64_t left = buffer->size - std::min(buffer->size, pCreateInfo->offset);
    const uint64_t range = pCreateInfo->range == VK_WHOLE_SIZE ? left : std::min(left, pCreateInfo->range);
    setTexelBuffer(view.view, buffer->data + pCreateInfo->offset, range, pCreateInfo->format,
                   buffer->sparse ? buffer->sparse->residency() : nullptr);
  });
}

ETZEL_DESTROY(BufferView)

}  // namespace etzel::icd
