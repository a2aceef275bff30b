// Device memory ("Device Memory"): pages of the process (memory_pages.h), of other processes or of the application.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "icd/entry_points.h"
#include "icd/memory/descriptor_ranges.h"
#include "icd/memory/memory_pages.h"
#include "icd/memory/resources.h"
#include "icd/object/captured_addresses.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/object/shared_memory.h"
#include "icd/physical_device/formats.h"
#include "icd/physical_device/host.h"
#include "icd/physical_device/memory_types.h"
#include "runtime/base/live_memory.h"
#include "runtime/base/memory_limit.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

std::atomic<uint64_t> inUse[kHeapCount];

/// Memory of `m.fd`.
std::byte* mapShared(const DeviceMemory& m, uint64_t at) {
  const size_t size = roundToPages(m.size);
  return m.placed ? mapForReplay(at, size, MAP_SHARED, m.fd) : mapSharedMemory(m.fd, size);
}

/// "Device Memory", VkMemoryOpaqueCaptureAddressAllocateInfo: the address that memory had when it was captured. 0: none
uint64_t capturedAddress(const VkMemoryAllocateInfo& info) {
  const auto* s = findNext<VkMemoryOpaqueCaptureAddressAllocateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO);
  return s && !mutated(Mutant::CapturedAddress) ? s->opaqueCaptureAddress : 0;
}
bool isCaptured(const VkMemoryAllocateInfo& info) {
  const auto* s = findNext<VkMemoryAllocateFlagsInfo>(info.pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  return s && s->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
}

/// Counts `bytes` against a heap, or refuses.
bool reserve(uint32_t heap, uint64_t bytes) {
  const uint64_t all = host().heapBytes[heap];
  uint64_t used = inUse[heap].load();
  do {
    if (bytes > all || used > all - bytes) return false;
  } while (!inUse[heap].compare_exchange_weak(used, used + bytes));
  return true;
}

/// Asks for small pieces together: it costs some reads of files.
bool groupsLeaveRoom(uint64_t bytes) {
  constexpr uint64_t kAskFrom = 1 << 20;
  static std::atomic<uint64_t> unasked{0};
  if (unasked.fetch_add(bytes) + bytes < kAskFrom) return true;
  unasked = 0;
  return groupsHaveRoomFor(bytes);
}

uint32_t heapOf(uint32_t typeIndex) { return kMemoryTypes[typeIndex < kMemoryTypeCount ? typeIndex : 0].heapIndex; }

/// Who hears of memory as whose. `owner`: of memory that is not there, null.
ReportedMemory reportedFor(VkSwapchainKHR swapchain, const DeviceMemory* owner, uint64_t bytes, uint32_t typeIndex) {
  ReportedMemory report;
  report.id = owner ? owner->reportedId : 0;
  report.size = bytes;
  report.ownerType = swapchain ? VK_OBJECT_TYPE_SWAPCHAIN_KHR : VK_OBJECT_TYPE_DEVICE_MEMORY;
  report.owner = swapchain ? reinterpret_cast<uintptr_t>(swapchain) : reinterpret_cast<uintptr_t>(owner);
  report.heap = heapOf(typeIndex);
  return report;
}

void tell(const Device& device, const DeviceMemory& memory, VkDeviceMemoryReportEventTypeEXT own,
          VkDeviceMemoryReportEventTypeEXT imported) {
  device.memoryReports.tell(memory.imported || memory.fdImported ? imported : own,
                            reportedFor(memory.swapchain, &memory, memory.size, memory.typeIndex));
}

/// Before the application has the memory.
void reportAllocated(const Device& device, DeviceMemory& memory) {
  if (device.memoryReports.wanted()) {
    memory.reportedId = memory.fd >= 0 ? sharedMemoryId(memory.fd) : newMemoryId();
    tell(device, memory, VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_ALLOCATE_EXT,
         VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_IMPORT_EXT);
  }
  if (memory.swapchain) return;  // its image has the addresses
  memory.bindings = AddressBindings::of(device, VK_OBJECT_TYPE_DEVICE_MEMORY, memory);
  if (!memory.bindings) return;
  memory.bindings->setVisible(false);
  memory.bindings->bind(memory.data, memory.size);
  memory.bindings->setVisible(true);
}

/// Before anybody else can get the addresses or the handle.
void reportFreed(const Device& device, DeviceMemory& memory) {
  memory.bindings.reset();
  if (device.memoryReports.wanted())
    tell(device, memory, VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_FREE_EXT, VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_UNIMPORT_EXT);
}

/// allocateMemory(), but for who hears of failures.
VkResult allocate(Device* device, const VkMemoryAllocateInfo* pAllocateInfo, const VkAllocationCallbacks* pAllocator,
                  VkSwapchainKHR swapchain, VkDeviceMemory* pMemory) {
  const uint64_t bytes = pAllocateInfo->allocationSize;
  const auto* import = findNext<VkImportMemoryHostPointerInfoEXT>(
      pAllocateInfo->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  const bool imported = import && import->handleType;
  const auto* fdImport =
      findNext<VkImportMemoryFdInfoKHR>(pAllocateInfo->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
  const bool importsFd = fdImport && fdImport->handleType;
  const auto* exported =
      findNext<VkExportMemoryAllocateInfo>(pAllocateInfo->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
  const bool exportsFd = exported && exported->handleTypes & VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  const uint32_t heap = heapOf(pAllocateInfo->memoryTypeIndex);
  const uint64_t at = capturedAddress(*pAllocateInfo);
  if (importsFd && !isSharedMemory(fdImport->fd, bytes))
    return ETZEL_FAIL(VK_ERROR_INVALID_EXTERNAL_HANDLE, "descriptor %d is no memory of this driver of %llu bytes",
                      fdImport->fd, (unsigned long long)bytes);
  // The pages of an imported descriptor are there already.
  if (!imported && !(importsFd ? reserve(heap, bytes) : takeFromHeap(heap, bytes)))
    return ETZEL_FAIL(VK_ERROR_OUT_OF_DEVICE_MEMORY,
                      "%llu bytes do not fit into the heap or the control group any more", (unsigned long long)bytes);
  auto* memory = create<DeviceMemory>(pick(device, pAllocator), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
  if (memory) {
    memory->size = bytes;
    memory->typeIndex = pAllocateInfo->memoryTypeIndex;
    memory->swapchain = swapchain;
    memory->fdImported = importsFd;
    memory->placed = isCaptured(*pAllocateInfo) && !imported;
    memory->imported = imported ? import->pHostPointer : nullptr;
    if (imported) {
      memory->data = static_cast<std::byte*>(import->pHostPointer);
    } else if (importsFd || exportsFd) {
      memory->fd = importsFd ? fdImport->fd : createSharedMemory("etzel-memory", roundToPages(bytes)).release();
      if (memory->fd >= 0) memory->data = mapShared(*memory, at);
    } else {
      memory->data = allocatePages(*memory, at);
    }
  }
  if (!memory || !memory->data) {
    if (!imported) giveBackToHeap(heap, bytes);
    const bool noHost = !memory, taken = memory && memory->placed && at;
    if (memory && memory->fd >= 0 && !importsFd) close(memory->fd);
    destroy(pick(device, pAllocator), memory);
    if (taken)
      return ETZEL_FAIL(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, "address %#llx is not free", (unsigned long long)at);
    return ETZEL_FAIL(noHost ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_OUT_OF_DEVICE_MEMORY,
                      "the system has no %llu bytes", (unsigned long long)bytes);
  }
  reportAllocated(*device, *memory);
  *pMemory = handleOf(memory);
  return VK_SUCCESS;
}

}  // namespace

uint64_t deviceMemoryInUse(uint32_t heap) { return inUse[heap].load(); }

bool takeFromHeap(uint32_t heap, uint64_t bytes) {
  if (!reserve(heap, bytes)) return false;
  if (groupsLeaveRoom(bytes)) return true;
  giveBackToHeap(heap, bytes);
  return false;
}
void giveBackToHeap(uint32_t heap, uint64_t bytes) { inUse[heap] -= bytes; }

VkResult allocateMemory(Device& device, const VkMemoryAllocateInfo& info, const VkAllocationCallbacks* callbacks,
                        VkSwapchainKHR swapchain, VkDeviceMemory* memory) {
  const VkResult r = allocate(&device, &info, callbacks, swapchain, memory);
  const bool lacking = r == VK_ERROR_OUT_OF_HOST_MEMORY || r == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (lacking && device.memoryReports.wanted())
    device.memoryReports.tell(VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_ALLOCATION_FAILED_EXT,
                              reportedFor(swapchain, nullptr, info.allocationSize, info.memoryTypeIndex));
  return r;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* pAllocateInfo,
                                              const VkAllocationCallbacks* pAllocator, VkDeviceMemory* pMemory) {
  return allocateMemory(*cast<Device>(device), *pAllocateInfo, pAllocator, VK_NULL_HANDLE, pMemory);
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory handle, const VkAllocationCallbacks* pAllocator) {
  auto* memory = cast<DeviceMemory>(handle);
  if (!memory) return;
  reportFreed(*cast<Device>(device), *memory);
  removeLiveMemoryWithin(memory->data, memory->size);
  removeDescriptorRangesWithin(memory->data, memory->size);
  if (!memory->imported) {
    freePages(*memory);
    if (memory->fd >= 0) close(memory->fd);
    giveBackToHeap(heapOf(memory->typeIndex), memory->size);
  }
  destroy(pick(cast<Device>(device), pAllocator), memory);
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize,
                                         VkMemoryMapFlags, void** ppData) {
  const DeviceMemory& m = *cast<DeviceMemory>(memory);
  if (m.typeIndex == kProtectedMemoryType || m.typeIndex == kLazyMemoryType)
    return ETZEL_FAIL(VK_ERROR_MEMORY_MAP_FAILED, "memory of type %u is not for the host to see", m.typeIndex);
  *ppData = m.data + offset;
  return VK_SUCCESS;
}

// Always mapped and coherent: nothing to undo, flush or invalidate.
VKAPI_ATTR void VKAPI_CALL UnmapMemory(VkDevice, VkDeviceMemory) {}
VKAPI_ATTR VkResult VKAPI_CALL FlushMappedMemoryRanges(VkDevice, uint32_t, const VkMappedMemoryRange*) {
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL InvalidateMappedMemoryRanges(VkDevice, uint32_t, const VkMappedMemoryRange*) {
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetDeviceMemoryCommitment(VkDevice, VkDeviceMemory memory,
                                                     VkDeviceSize* pCommittedMemoryInBytes) {
  *pCommittedMemoryInBytes = residentBytes(*cast<DeviceMemory>(memory));
}

VKAPI_ATTR uint64_t VKAPI_CALL GetDeviceMemoryOpaqueCaptureAddress(VkDevice,
                                                                   const VkDeviceMemoryOpaqueCaptureAddressInfo* p) {
  return reinterpret_cast<uintptr_t>(cast<DeviceMemory>(p->memory)->data);
}

VKAPI_ATTR void VKAPI_CALL SetDeviceMemoryPriority(VkDevice, VkDeviceMemory, float) {
  // Nothing is ever paged out by us, so no allocation goes before another.
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryFd(VkDevice, const VkMemoryGetFdInfoKHR* pInfo, int* pFd) {
  const DeviceMemory& memory = *cast<DeviceMemory>(pInfo->memory);
  *pFd = memory.fd >= 0 ? fcntl(memory.fd, F_DUPFD_CLOEXEC, 0) : -1;
  return *pFd >= 0 ? VK_SUCCESS : ETZEL_FAIL(VK_ERROR_TOO_MANY_OBJECTS, "no descriptor, or memory is not exportable");
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryFdProperties(VkDevice, VkExternalMemoryHandleTypeFlagBits handleType, int,
                                                     VkMemoryFdPropertiesKHR*) {
  // Opaque descriptors must not be asked about, and there are no others.
  return ETZEL_FAIL(VK_ERROR_INVALID_EXTERNAL_HANDLE, "handle type %#x has no properties", handleType);
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryHostPointerProperties(VkDevice, VkExternalMemoryHandleTypeFlagBits handleType,
                                                              const void*, VkMemoryHostPointerPropertiesEXT* p) {
  if (!externalMemoryProperties(handleType).externalMemoryFeatures)
    return ETZEL_FAIL(VK_ERROR_INVALID_EXTERNAL_HANDLE, "handle type %#x is not a host pointer", handleType);
  p->memoryTypeBits = kMemoryTypeBits & ~(1u << kSparseMemoryType);
  return VK_SUCCESS;
}

}  // namespace etzel::icd
