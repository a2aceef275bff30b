// vkQueueSubmit and its relatives ("Queue Submission", "Sparse Resource Binding").
#include <span>

#include "icd/cmd/buffer/command_buffer.h"
#include "icd/entry_points.h"
#include "icd/memory/sparse_binds.h"
#include "icd/object/error.h"
#include "icd/queue/queue.h"
#include "icd/sync/wait.h"

namespace etzel::icd {
namespace {

Fence* fenceOf(VkFence fence) { return fence ? cast<Fence>(fence) : nullptr; }

std::vector<SemaphoreOp> operations(const VkSemaphoreSubmitInfo* infos, uint32_t count) {
  std::vector<SemaphoreOp> out(count);
  for (uint32_t i = 0; i < count; ++i)
    out[i] = {.semaphore = cast<Semaphore>(infos[i].semaphore), .value = infos[i].value};
  return out;
}

std::vector<SemaphoreOp> operations(const VkSemaphore* semaphores, uint32_t count, const uint64_t* values,
                                    uint32_t valueCount) {
  std::vector<SemaphoreOp> out(count);
  for (uint32_t i = 0; i < count; ++i)
    out[i] = {.semaphore = cast<Semaphore>(semaphores[i]), .value = i < valueCount ? values[i] : 0};
  return out;
}

Submission submissionOf(const VkSubmitInfo2& info) {
  Submission s;
  s.waits = operations(info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount);
  s.signals = operations(info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount);
  for (uint32_t i = 0; i < info.commandBufferInfoCount; ++i)
    s.buffers.push_back(cast<CommandBuffer>(info.pCommandBufferInfos[i].commandBuffer));
  return s;
}

/// The semaphores of a VkSubmitInfo or VkBindSparseInfo.
template <class Info>
Submission semaphoresOf(const Info& info) {
  const auto* values =
      findNext<VkTimelineSemaphoreSubmitInfo>(info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  Submission s;
  s.waits = operations(info.pWaitSemaphores, info.waitSemaphoreCount, values ? values->pWaitSemaphoreValues : nullptr,
                       values ? values->waitSemaphoreValueCount : 0);
  s.signals =
      operations(info.pSignalSemaphores, info.signalSemaphoreCount, values ? values->pSignalSemaphoreValues : nullptr,
                 values ? values->signalSemaphoreValueCount : 0);
  return s;
}

Submission submissionOf(const VkSubmitInfo& info) {
  Submission s = semaphoresOf(info);
  for (uint32_t i = 0; i < info.commandBufferCount; ++i)
    s.buffers.push_back(cast<CommandBuffer>(info.pCommandBuffers[i]));
  return s;
}

Submission submissionOf(const VkBindSparseInfo& info) {
  Submission s = semaphoresOf(info);
  for (const VkSparseBufferMemoryBindInfo& b : std::span(info.pBufferBinds, info.bufferBindCount))
    appendBinds(cast<Buffer>(b.buffer)->sparse.get(), std::span(b.pBinds, b.bindCount), s.binds);
  for (const VkSparseImageOpaqueMemoryBindInfo& b : std::span(info.pImageOpaqueBinds, info.imageOpaqueBindCount))
    appendBinds(cast<Image>(b.image)->sparse.get(), std::span(b.pBinds, b.bindCount), s.binds);
  for (const VkSparseImageMemoryBindInfo& b : std::span(info.pImageBinds, info.imageBindCount))
    appendBinds(*cast<Image>(b.image), std::span(b.pBinds, b.bindCount), s.binds);
  return s;
}

/// "vkQueueSubmit": a call without memory must leave everything as it was, or lose the device. So what needs memory
/// comes first; a batch that cannot follow the one before it loses the device.
template <class Info>
VkResult submitBatches(Queue& queue, std::span<const Info> infos, VkFence fence) {
  std::vector<Submission> all;
  all.reserve(infos.size());
  for (const Info& info : infos) all.push_back(submissionOf(info));
  if (!all.empty()) all.back().fence = fenceOf(fence);
  for (Submission& s : all) {
    const VkResult r = withoutThrowing([&] { return queue.submit(std::move(s)); });
    if (r == VK_SUCCESS) continue;
    if (&s == &all.front()) return r;
    return queue.device->faults.lose(FaultCause::NoMemory, 0, "no memory for a batch that follows others");
  }
  return VK_SUCCESS;
}

template <class Info>
VkResult submitAll(VkQueue handle, uint32_t count, const Info* infos, VkFence fence) {
  Queue& queue = *cast<Queue>(handle);
  if (count == 0 && fence) {
    // "vkQueueSubmit": a fence alone waits for all earlier work of the queue.
    Submission s;
    s.fence = fenceOf(fence);
    return queue.submit(std::move(s));
  }
  if (count == 1) {
    Submission s = submissionOf(infos[0]);
    s.fence = fenceOf(fence);
    if (VkResult r = queue.submit(std::move(s)); r != VK_SUCCESS) return r;
  } else if (VkResult r = submitBatches(queue, std::span<const Info>(infos, count), fence); r != VK_SUCCESS) {
    return r;
  }
  return queue.device->ended() ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

}  // namespace

VkResult QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
  return submitAll(queue, count, submits, fence);
}

VkResult QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits, VkFence fence) {
  return submitAll(queue, count, submits, fence);
}

VkResult QueueWaitIdle(VkQueue queue) { return cast<Queue>(queue)->waitIdle(); }

VkResult DeviceWaitIdle(VkDevice device) {
  Device* d = cast<Device>(device);
  for (auto& queue : d->queues) queue->waitIdle();
  return d->ended() ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

VkResult QueueBindSparse(VkQueue queue, uint32_t count, const VkBindSparseInfo* infos, VkFence fence) {
  return submitAll(queue, count, infos, fence);
}

// Labels are for tools that stand between the application and the driver.
void QueueBeginDebugUtilsLabel(VkQueue, const VkDebugUtilsLabelEXT*) {}
void QueueEndDebugUtilsLabel(VkQueue) {}
void QueueInsertDebugUtilsLabel(VkQueue, const VkDebugUtilsLabelEXT*) {}

}  // namespace etzel::icd
