// Fences and semaphores as file descriptors (VK_KHR_external_fence_fd, VK_KHR_external_semaphore_fd). Opaque ones are
// the page of a memfd. A sync file is only made once its payload has signalled, when the specification lets -1 stand
// for it: the kernel gives user space no way to make a real one.
#include <unistd.h>

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/object/shared_memory.h"
#include "icd/sync/objects.h"

namespace etzel::icd {
namespace {

/// Waits until `signaled()`, which the specification demands to be pending or done.
template <class F>
VkResult waitForExport(const Device& device, F signaled) {
  waitUntil(kForever, [&] { return device.ended() || signaled(); });
  return device.ended() ? ETZEL_FAIL(VK_ERROR_DEVICE_LOST, "the device was lost before its payload signalled")
                        : VK_SUCCESS;
}

VkResult exportPage(const SyncWord& word, int* fd) {
  *fd = word.exportPage();
  return *fd >= 0 ? VK_SUCCESS
                  : ETZEL_FAIL(VK_ERROR_TOO_MANY_OBJECTS, "no descriptor, or the payload is not exportable");
}

}  // namespace

VkResult GetSemaphoreFd(VkDevice device, const VkSemaphoreGetFdInfoKHR* info, int* fd) {
  Semaphore& semaphore = *cast<Semaphore>(info->semaphore);
  if (info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT) return exportPage(semaphore.word, fd);
  const BoundSync wait = semaphore.bindWait(1);  // exporting a sync file has the effect of a wait
  const VkResult r = waitForExport(*cast<Device>(device), [&] { return wait.reached(); });
  if (r != VK_SUCCESS) return r;
  semaphore.waitSubmitted();
  *fd = -1;
  return VK_SUCCESS;
}

VkResult ImportSemaphoreFd(VkDevice, const VkImportSemaphoreFdInfoKHR* info) {
  SyncWord& word = cast<Semaphore>(info->semaphore)->word;
  if (info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT) {
    word.importSyncFile(info->fd);
  } else if (!word.importPage(info->fd, info->flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT)) {
    return ETZEL_FAIL(VK_ERROR_INVALID_EXTERNAL_HANDLE, "descriptor %d is no semaphore of this driver", info->fd);
  }
  notifyWaiters();
  return VK_SUCCESS;
}

VkResult GetFenceFd(VkDevice device, const VkFenceGetFdInfoKHR* info, int* fd) {
  Fence& fence = *cast<Fence>(info->fence);
  if (info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT) return exportPage(fence.word, fd);
  const VkResult r = waitForExport(*cast<Device>(device), [&] { return fence.signaled(); });
  if (r != VK_SUCCESS) return r;
  fence.reset();  // exporting a sync file has the effect of a reset
  *fd = -1;
  return VK_SUCCESS;
}

VkResult ImportFenceFd(VkDevice, const VkImportFenceFdInfoKHR* info) {
  SyncWord& word = cast<Fence>(info->fence)->word;
  if (info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT) {
    word.importSyncFile(info->fd);
  } else if (!word.importPage(info->fd, info->flags & VK_FENCE_IMPORT_TEMPORARY_BIT)) {
    return ETZEL_FAIL(VK_ERROR_INVALID_EXTERNAL_HANDLE, "descriptor %d is no fence of this driver", info->fd);
  }
  notifyWaiters();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalFenceProperties(VkPhysicalDevice,
                                                                    const VkPhysicalDeviceExternalFenceInfo* info,
                                                                    VkExternalFenceProperties* p) {
  VkExternalFenceHandleTypeFlags known = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  if (systemSharesMemory()) known |= VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT;
  const VkExternalFenceHandleTypeFlags type = info->handleType & known;
  p->exportFromImportedHandleTypes = type;
  p->compatibleHandleTypes = type;
  p->externalFenceFeatures =
      type ? VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT : 0;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice, const VkPhysicalDeviceExternalSemaphoreInfo* info, VkExternalSemaphoreProperties* p) {
  VkExternalSemaphoreHandleTypeFlags known = 0;
  if (systemSharesMemory()) known |= VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  const auto* type = findNext<VkSemaphoreTypeCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  // Sync files are binary.
  if (!type || type->semaphoreType == VK_SEMAPHORE_TYPE_BINARY) known |= VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  const VkExternalSemaphoreHandleTypeFlags flags = info->handleType & known;
  p->exportFromImportedHandleTypes = flags;
  p->compatibleHandleTypes = flags;
  p->externalSemaphoreFeatures =
      flags ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT : 0;
}

}  // namespace etzel::icd
