// Sparse buffers: what is bound where, what is not bound at all, memory at several places, and the order of binds among
// the work of queues ("Sparse Resources", Sparse Buffers and Sparse Resource Binding).
#include <algorithm>
#include <numeric>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/compute.h"
#include "cts-subset/support/sparse.h"

namespace etzel::cts {
namespace {

constexpr VkBufferCreateFlags kPartial = VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT;

void requireSparse(Gpu& gpu, bool partial) {
  gpu.require(gpu.features.features.sparseBinding, "sparseBinding");
  gpu.require(!partial || gpu.features.features.sparseResidencyBuffer, "sparseResidencyBuffer");
}

void fill(Gpu& gpu, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize bytes, uint32_t word) {
  gpu.submit([&](VkCommandBuffer cmd) { vkCmdFillBuffer(cmd, buffer, offset, bytes, word); });
}

std::vector<uint32_t> contents(Gpu& gpu, const SparseBuffer& buffer) {
  Buffer copy = gpu.buffer(buffer.bytes);
  const VkBufferCopy all{0, 0, buffer.bytes};
  gpu.submit([&](VkCommandBuffer cmd) { vkCmdCopyBuffer(cmd, buffer.handle, copy.handle, 1, &all); });
  return {copy.as<uint32_t>(), copy.as<uint32_t>() + buffer.bytes / 4};
}

/// Blocks get memory in a shuffled order, in one bind each; shaders write words that say where they are.
void shuffled(Gpu& gpu, VkDeviceSize count, VkQueueFlags without) {
  requireSparse(gpu, false);
  VkQueue binder = gpu.sparseQueue();
  if (without)
    for (const Gpu::Queue& q : gpu.otherQueues)
      if (!(q.flags & without) && q.flags & VK_QUEUE_SPARSE_BINDING_BIT) binder = q.handle;
  gpu.require(!without || binder != gpu.sparseQueue(), "such a queue that binds sparse resources");
  const SparseBuffer buffer(gpu, count, 0);
  const SparseMemory memory(gpu, buffer.needs.memoryTypeBits, buffer.bytes);
  std::vector<VkDeviceSize> place(count);
  std::iota(place.begin(), place.end(), 0);
  Random random(count);
  for (size_t i = count; i > 1; --i) std::swap(place[i - 1], place[random.below(uint32_t(i))]);
  SparseBatch batch;
  batch.buffer = &buffer;
  for (VkDeviceSize i = 0; i < count; ++i) batch.bufferBinds.push_back(buffer.blocks(i, 1, &memory, place[i]));
  batch.submit(binder);
  CTS_VK(vkQueueWaitIdle(binder));
  Binding binding{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {buffer.handle, 0, VK_WHOLE_SIZE}};
  gpu.dispatch({.glsl = "#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) buffer R { uint r[]; };\n"
                        "void main() { uint i = gl_GlobalInvocationID.x; r[i] = i * 2654435761u; }\n",
                .bindings = {binding},
                .x = uint32_t(buffer.bytes / 256)});
  const std::vector<uint32_t> got = contents(gpu, buffer);
  for (uint32_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i * 2654435761u) << "word " << i;
  gpu.require(memory.data, "memory that can be mapped, to look at it");
  const VkDeviceSize words = buffer.needs.alignment / 4;
  for (uint32_t i = 0; i < got.size(); ++i) {
    uint32_t there;
    memcpy(&there, memory.data + (place[i / words] * words + i % words) * 4, 4);
    ASSERT_EQ(there, got[i]) << "word " << i;
  }
}

/// What is written to a block that lost its memory does not reach the memory, which keeps what it had.
void unbind(Gpu& gpu) {
  requireSparse(gpu, true);
  const SparseBuffer buffer(gpu, 3, kPartial);
  const SparseMemory memory(gpu, buffer.needs.memoryTypeBits, buffer.bytes);
  SparseBatch all, middle, again;
  all.buffer = middle.buffer = again.buffer = &buffer;
  all.bufferBinds = {buffer.blocks(0, 3, &memory, 0)};
  all.run(gpu);
  fill(gpu, buffer.handle, 0, buffer.bytes, 0x11111111);
  middle.bufferBinds = {buffer.blocks(1, 1, nullptr, 0)};
  middle.run(gpu);
  fill(gpu, buffer.handle, 0, buffer.bytes, 0x22222222);
  again.bufferBinds = {buffer.blocks(1, 1, &memory, 1)};
  again.run(gpu);
  const std::vector<uint32_t> got = contents(gpu, buffer);
  const size_t words = buffer.needs.alignment / 4;
  for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i / words == 1 ? 0x11111111u : 0x22222222u) << "word " << i;
}

/// A buffer of which only every third block has memory: those work, and nothing else happens.
void holes(Gpu& gpu) {
  requireSparse(gpu, true);
  const SparseBuffer buffer(gpu, 10, kPartial);
  const SparseMemory memory(gpu, buffer.needs.memoryTypeBits, buffer.bytes);
  SparseBatch batch;
  batch.buffer = &buffer;
  for (uint32_t i = 0; i < 10; i += 3) batch.bufferBinds.push_back(buffer.blocks(i, 1, &memory, i / 3));
  batch.run(gpu);
  fill(gpu, buffer.handle, 0, buffer.bytes, 0x33333333);
  const std::vector<uint32_t> got = contents(gpu, buffer);
  const size_t words = buffer.needs.alignment / 4;
  VkPhysicalDeviceSparseProperties sparse = gpu.properties.properties.sparseProperties;
  for (size_t i = 0; i < got.size(); ++i) {
    const bool bound = i / words % 3 == 0;
    if (!bound && !sparse.residencyNonResidentStrict) continue;
    ASSERT_EQ(got[i], bound ? 0x33333333u : 0u) << "word " << i;
  }
}

/// Two blocks of one buffer, and one of another, are the same memory.
void alias(Gpu& gpu) {
  requireSparse(gpu, false);
  gpu.require(gpu.features.features.sparseResidencyAliased, "sparseResidencyAliased");
  constexpr VkBufferCreateFlags flags = kPartial | VK_BUFFER_CREATE_SPARSE_ALIASED_BIT;
  const SparseBuffer first(gpu, 4, flags), second(gpu, 2, flags);
  const SparseMemory memory(gpu, first.needs.memoryTypeBits, first.bytes);
  SparseBatch one, two;
  one.buffer = &first, two.buffer = &second;
  one.bufferBinds = {first.blocks(0, 2, &memory, 1), first.blocks(2, 2, &memory, 0)};
  two.bufferBinds = {second.blocks(0, 1, &memory, 2), second.blocks(1, 1, &memory, 1)};
  one.run(gpu), two.run(gpu);
  const VkDeviceSize block = first.needs.alignment;
  fill(gpu, first.handle, 0, block, 0xAAAAAAAA);          // memory block 1
  fill(gpu, first.handle, 2 * block, block, 0xBBBBBBBB);  // 0
  fill(gpu, second.handle, 0, block, 0xCCCCCCCC);         // 2
  const uint32_t memoryWord[3] = {0xBBBBBBBB, 0xAAAAAAAA, 0xCCCCCCCC};
  const uint32_t firstShows[4] = {1, 2, 0, 1}, secondShows[2] = {2, 1};
  const std::vector<uint32_t> a = contents(gpu, first), b = contents(gpu, second);
  for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], memoryWord[firstShows[i / (block / 4)]]) << "word " << i;
  for (size_t i = 0; i < b.size(); ++i) ASSERT_EQ(b[i], memoryWord[secondShows[i / (block / 4)]]) << "word " << i;
}

/// Shaders follow the buffer's address, which stays the same whatever is bound.
void address(Gpu& gpu) {
  requireSparse(gpu, false);
  const SparseBuffer buffer(gpu, 2, 0);
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer.handle};
  const VkDeviceAddress at = vkGetBufferDeviceAddress(gpu.device, &info);
  Buffer out = gpu.buffer(16);
  const SparseMemory memory(gpu, buffer.needs.memoryTypeBits, 2 * buffer.bytes);
  for (uint32_t round = 0; round < 2; ++round) {
    SparseBatch batch;
    batch.buffer = &buffer;
    batch.bufferBinds = {buffer.blocks(0, 2, &memory, 2 * round)};
    batch.run(gpu);
    fill(gpu, buffer.handle, 0, buffer.bytes, 77 + round);
    std::vector<uint8_t> push(16);
    const uint64_t last = at + buffer.bytes - 4;
    memcpy(push.data(), &at, 8), memcpy(push.data() + 8, &last, 8);
    gpu.dispatch({.glsl = "#version 460\n#extension GL_EXT_buffer_reference : require\n"
                          "layout(buffer_reference, std430) buffer W { uint v; };\n"
                          "layout(push_constant) uniform P { W first; W last; };\n"
                          "layout(binding=0) buffer R { uint r[]; };\n"
                          "void main() { r[0] = first.v; r[1] = last.v; }\n",
                  .bindings = {storage(out)},
                  .push = push});
    EXPECT_EQ(out.as<uint32_t>()[0], 77 + round);
    EXPECT_EQ(out.as<uint32_t>()[1], 77 + round);
  }
  EXPECT_EQ(vkGetBufferDeviceAddress(gpu.device, &info), at);
}

/// A bind waits for a timeline's value and signals another's next one, and a fence.
void timeline(Gpu& gpu) {
  requireSparse(gpu, false);
  const SparseBuffer buffer(gpu, 1, 0);
  const SparseMemory memory(gpu, buffer.needs.memoryTypeBits, buffer.bytes);
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE, 3};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  VkSemaphore before = gpu.make(info), after = gpu.make(info);
  VkFence fence = gpu.make(VkFenceCreateInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO});
  const uint64_t waitFor = 5, signalTo = 8;
  VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  values.waitSemaphoreValueCount = values.signalSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &waitFor, values.pSignalSemaphoreValues = &signalTo;
  SparseBatch batch;
  batch.buffer = &buffer;
  batch.bufferBinds = {buffer.blocks(0, 1, &memory, 0)};
  batch.waits = {before}, batch.signals = {after}, batch.timeline = &values;
  batch.submit(gpu.sparseQueue(), fence);
  uint64_t value = 0;
  EXPECT_EQ(vkGetFenceStatus(gpu.device, fence), VK_NOT_READY);
  CTS_VK(vkGetSemaphoreCounterValue(gpu.device, after, &value));
  EXPECT_EQ(value, 3u);
  const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, before, waitFor};
  CTS_VK(vkSignalSemaphore(gpu.device, &signal));
  CTS_VK(vkWaitForFences(gpu.device, 1, &fence, VK_TRUE, ~0ull));
  CTS_VK(vkGetSemaphoreCounterValue(gpu.device, after, &value));
  EXPECT_EQ(value, signalTo);
}

/// Fill, rebind, fill, rebind, copy: each waits for the one before it, on two queues where there are two.
void chain(Gpu& gpu, bool otherQueue) {
  requireSparse(gpu, true);
  VkQueue binder = gpu.sparseQueue();
  if (otherQueue)
    for (const Gpu::Queue& q : gpu.otherQueues)
      if (q.flags & VK_QUEUE_SPARSE_BINDING_BIT) binder = q.handle;
  gpu.require(!otherQueue || binder != gpu.queue, "another queue that binds sparse resources");
  const SparseBuffer buffer(gpu, 1, kPartial);
  constexpr uint32_t kSteps = 6;
  const SparseMemory memory(gpu, buffer.needs.memoryTypeBits, kSteps * buffer.bytes);
  VkSemaphore last = VK_NULL_HANDLE;
  const auto semaphore = [&] { return gpu.make(VkSemaphoreCreateInfo{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO}); };
  Buffer out = gpu.buffer(kSteps * buffer.bytes);
  for (uint32_t step = 0; step < kSteps; ++step) {
    SparseBatch batch;
    batch.buffer = &buffer;
    batch.bufferBinds = {buffer.blocks(0, 1, &memory, step)};
    VkSemaphore bound = semaphore(), filled = semaphore();
    if (last) batch.waits = {last};
    batch.signals = {bound};
    batch.submit(binder);
    const VkCommandBuffer cmd = commands(gpu, gpu.family, [&](VkCommandBuffer c) {
      vkCmdFillBuffer(c, buffer.handle, 0, buffer.bytes, 1000 + step);
      fullBarrier(c);
      const VkBufferCopy copy{0, step * buffer.bytes, buffer.bytes};
      vkCmdCopyBuffer(c, buffer.handle, out.handle, 1, &copy);
      fullBarrier(c);
    });
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &bound, &stage, 1, &cmd, 1, &filled};
    CTS_VK(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
    last = filled;
  }
  CTS_VK(vkDeviceWaitIdle(gpu.device));
  for (size_t i = 0; i < kSteps * buffer.bytes / 4; ++i)
    ASSERT_EQ(out.as<uint32_t>()[i], 1000 + i / (buffer.bytes / 4)) << "word " << i;
  // Every allocation's block still has what its step wrote.
  SparseBatch back;
  back.buffer = &buffer;
  back.bufferBinds = {buffer.blocks(0, 1, &memory, 2)};
  back.run(gpu);
  for (uint32_t word : contents(gpu, buffer)) ASSERT_EQ(word, 1002u);
}

}  // namespace

void registerSparseBuffers() {
  for (uint32_t count : {1u, 7u, 64u})
    add(text("sparse.buffer.shuffled.blocks%u", count), [=](Gpu& gpu) { shuffled(gpu, count, 0); });
  add("sparse.queue.compute", [](Gpu& gpu) { shuffled(gpu, 5, VK_QUEUE_GRAPHICS_BIT); });
  add("sparse.queue.transfer", [](Gpu& gpu) { shuffled(gpu, 5, VK_QUEUE_COMPUTE_BIT); });
  add("sparse.queue.timeline", timeline);
  add("sparse.queue.chain.same", [](Gpu& gpu) { chain(gpu, false); });
  add("sparse.queue.chain.other", [](Gpu& gpu) { chain(gpu, true); });
  add("sparse.buffer.unbind", unbind);
  add("sparse.buffer.holes", holes);
  add("sparse.buffer.alias", alias);
  add("sparse.buffer.address", address);
}

}  // namespace etzel::cts
