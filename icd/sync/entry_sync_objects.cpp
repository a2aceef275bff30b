// Host side of fences, semaphores and events ("Synchronization and Cache Control").
#include <algorithm>
#include <thread>

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/sync/objects.h"

namespace etzel::icd {
namespace {

/// Waits for `satisfied()`, or until the device is lost and idle. `work`: what may bring it about; null: unknown.
template <class F>
VkResult waitOn(const Device& d, uint64_t timeoutNs, PendingWork* work, F satisfied) {
  if (satisfied() && !d.lost) return VK_SUCCESS;  // without a look at the clock
  const auto ended = [&] { return d.ended() || satisfied(); };
  workUntil(work, timeoutNs, ended);
  const bool done = waitUntil(deadlineAfter(timeoutNs), ended);
  if (d.ended()) return VK_ERROR_DEVICE_LOST;
  return done ? VK_SUCCESS : VK_TIMEOUT;
}

}  // namespace

VkResult CreateFence(VkDevice device, const VkFenceCreateInfo* info, const VkAllocationCallbacks* allocator,
                     VkFence* out) {
  return createObject<Fence>(device, allocator, out, "a fence", [&](Fence& fence) {
    if (info->flags & VK_FENCE_CREATE_SIGNALED_BIT) fence.word.store(1);
    const auto* share = findNext<VkExportFenceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO);
    if (share && share->handleTypes & VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT && !fence.word.share())
      return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "the system gives no memory to share a fence");
    return VK_SUCCESS;
  });
}

ETZEL_DESTROY(Fence)

VkResult ResetFences(VkDevice, uint32_t count, const VkFence* fences) {
  for (uint32_t i = 0; i < count; ++i) cast<Fence>(fences[i])->reset();
  return VK_SUCCESS;
}

VkResult GetFenceStatus(VkDevice device, VkFence fence) {
  if (cast<Fence>(fence)->signaled()) return VK_SUCCESS;
  std::this_thread::yield();  // who asks again and again takes a core from the work that is asked for
  if (cast<Fence>(fence)->signaled()) return VK_SUCCESS;
  return cast<Device>(device)->ended() ? VK_ERROR_DEVICE_LOST : VK_NOT_READY;
}

VkResult WaitForFences(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 waitAll, uint64_t timeout) {
  auto signaled = [](VkFence f) { return cast<Fence>(f)->signaled(); };
  // With several fences the wait may be over while one queue's batch runs.
  PendingWork* const work = count == 1 ? cast<Fence>(*fences)->work.load(std::memory_order_acquire) : nullptr;
  return waitOn(*cast<Device>(device), timeout, work, [&] {
    return waitAll ? std::all_of(fences, fences + count, signaled) : std::any_of(fences, fences + count, signaled);
  });
}

VkResult CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo* info, const VkAllocationCallbacks* allocator,
                         VkSemaphore* out) {
  return createObject<Semaphore>(device, allocator, out, "a semaphore", [&](Semaphore& semaphore) {
    if (const auto* type =
            findNext<VkSemaphoreTypeCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO)) {
      semaphore.type = type->semaphoreType;
      if (semaphore.timeline()) semaphore.word.store(type->initialValue);
    }
    const auto* share =
        findNext<VkExportSemaphoreCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
    if (share && share->handleTypes & VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT && !semaphore.word.share())
      return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "the system gives no memory to share a semaphore");
    return VK_SUCCESS;
  });
}

ETZEL_DESTROY(Semaphore)

VkResult GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t* value) {
  *value = cast<Semaphore>(semaphore)->word.load();
  return cast<Device>(device)->ended() ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

VkResult WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  PendingWork* const work =
      info->semaphoreCount == 1 ? cast<Semaphore>(*info->pSemaphores)->work.load(std::memory_order_acquire) : nullptr;
  return waitOn(*cast<Device>(device), timeout, work, [&] {
    const bool any = info->flags & VK_SEMAPHORE_WAIT_ANY_BIT;
    for (uint32_t i = 0; i < info->semaphoreCount; ++i)
      if ((cast<Semaphore>(info->pSemaphores[i])->word.load() >= info->pValues[i]) == any) return any;
    return !any;
  });
}

VkResult SignalSemaphore(VkDevice, const VkSemaphoreSignalInfo* info) {
  cast<Semaphore>(info->semaphore)->signal(info->value);
  return VK_SUCCESS;
}

VkResult CreateEvent(VkDevice device, const VkEventCreateInfo*, const VkAllocationCallbacks* allocator, VkEvent* out) {
  return createObject<Event>(device, allocator, out, "an event", [](Event&) {});
}

ETZEL_DESTROY(Event)

VkResult GetEventStatus(VkDevice device, VkEvent event) {
  if (cast<Device>(device)->ended()) return VK_ERROR_DEVICE_LOST;
  return cast<Event>(event)->set.load(std::memory_order_seq_cst) ? VK_EVENT_SET : VK_EVENT_RESET;
}

VkResult SetEvent(VkDevice, VkEvent event) {
  cast<Event>(event)->store(true);
  return VK_SUCCESS;
}

VkResult ResetEvent(VkDevice, VkEvent event) {
  cast<Event>(event)->store(false);
  return VK_SUCCESS;
}

}  // namespace etzel::icd
