// Ordering: events, pipeline barriers between kinds of work, semaphores between queues and in submission order,
// timeline semaphores with hosts and queues, fences, secondary command buffers, recording in several threads.
#include <algorithm>
#include <thread>

#include "cts-subset/cases/api/markers.h"
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/compute.h"

namespace etzel::cts {
namespace {

/// r[i] = r[i] * factor + addend, for 4096 words: running twice in the wrong order, or overlapping, shows.
const char* const step =
    "#version 450\nlayout(local_size_x=64) in;\nlayout(push_constant) uniform P { uint factor, addend, shift; };\n"
    "layout(binding=0) buffer R { uint r[]; };\n"
    // Each invocation reads where another one of the step before wrote.
    "layout(binding=1) buffer Q { uint q[]; };\n"
    "void main() { uint i = gl_GlobalInvocationID.x; q[i] = r[(i * 1031u + shift) & 4095u] * factor + addend; }\n";
constexpr uint32_t words = 4096;

/// Steps between two buffers, there and back, and what they must come to.
struct Chain {
  Gpu& gpu;
  Buffer a, b;
  Kernel there, back;
  std::vector<uint32_t> model;
  uint32_t count = 0;
  explicit Chain(Gpu& gpu)
      : gpu(gpu),
        a(gpu.buffer(words * 4)),
        b(gpu.buffer(words * 4)),
        there(gpu, step, {storage(a), storage(b)}, 12),
        back(gpu, step, {storage(b), storage(a)}, 12),
        model(words) {
    for (uint32_t i = 0; i < words; ++i) a.as<uint32_t>()[i] = model[i] = i;
  }
  /// Records one step without a barrier.
  void record(VkCommandBuffer cmd) {
    uint32_t push[3] = {3 + count % 5, 17 * count + 1, count * 7};
    Kernel& k = count % 2 ? back : there;
    k.bind(cmd);
    vkCmdPushConstants(cmd, k.layout(), VK_SHADER_STAGE_ALL, 0, 12, push);
    vkCmdDispatch(cmd, words / 64, 1, 1);
    std::vector<uint32_t> next(words);
    for (uint32_t i = 0; i < words; ++i) next[i] = model[(i * 1031u + push[2]) & 4095u] * push[0] + push[1];
    model = next;
    ++count;
  }
  void expect() {
    const uint32_t* got = (count % 2 ? b : a).as<uint32_t>();
    for (uint32_t i = 0; i < words; ++i) ASSERT_EQ(got[i], model[i]) << "word " << i << " after " << count << " steps";
  }
};

void computeBarrier(VkCommandBuffer cmd) {
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier,
                       0, nullptr, 0, nullptr);
}

VkSemaphore semaphore(Gpu& gpu, bool timeline) {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE, 0};
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, timeline ? &type : nullptr};
  VkSemaphore s;
  CTS_VK(vkCreateSemaphore(gpu.device, &info, nullptr, &s));
  gpu.later([&gpu, s] { vkDestroySemaphore(gpu.device, s, nullptr); });
  return s;
}

VkFence fence(Gpu& gpu, VkFenceCreateFlags flags = 0) {
  VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, flags};
  VkFence f;
  CTS_VK(vkCreateFence(gpu.device, &info, nullptr, &f));
  gpu.later([&gpu, f] { vkDestroyFence(gpu.device, f, nullptr); });
  return f;
}

VkEvent event(Gpu& gpu) {
  VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  VkEvent e;
  CTS_VK(vkCreateEvent(gpu.device, &info, nullptr, &e));
  gpu.later([&gpu, e] { vkDestroyEvent(gpu.device, e, nullptr); });
  return e;
}

constexpr uint64_t patience = 50'000'000'000;

void computeBarriers() {
  for (uint32_t steps : {2u, 7u, 40u})
    add(text("sync.barrier.compute.steps%u", steps), [=](Gpu& gpu) {
      Chain chain(gpu);
      gpu.submit([&](VkCommandBuffer cmd) {
        for (uint32_t i = 0; i < steps; ++i) chain.record(cmd), computeBarrier(cmd);
      });
      chain.expect();
    });
  for (uint32_t steps : {2u, 9u})
    for (bool two : {false, true})
      add(text("sync.event.%s.steps%u", two ? "set2" : "set", steps), [=](Gpu& gpu) {
        // A step waits for the event that the one before set.
        if (two) gpu.require(gpu.features13.synchronization2, "synchronization2");
        Chain chain(gpu);
        std::vector<VkEvent> events;
        for (uint32_t i = 0; i < steps; ++i) events.push_back(event(gpu));
        gpu.submit([&](VkCommandBuffer cmd) {
          for (uint32_t i = 0; i < steps; ++i) {
            chain.record(cmd);
            if (two) {
              VkMemoryBarrier2 barrier{
                  VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,     nullptr,
                  VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT,
                  VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT};
              VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO, nullptr, 0, 1, &barrier};
              vkCmdSetEvent2(cmd, events[i], &dependency);
              vkCmdWaitEvents2(cmd, 1, &events[i], &dependency);
            } else {
              VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
              vkCmdSetEvent(cmd, events[i], VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
              vkCmdWaitEvents(cmd, 1, &events[i], VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 1, &barrier, 0, nullptr, 0, nullptr);
            }
          }
        });
        chain.expect();
        for (VkEvent e : events) EXPECT_EQ(vkGetEventStatus(gpu.device, e), VK_EVENT_SET);
      });
  add("sync.event.set_by_host", [](Gpu& gpu) {
    // The device waits in the middle of a command buffer for an event that the host has set before.
    Chain chain(gpu);
    VkEvent e = event(gpu);
    CTS_VK(vkSetEvent(gpu.device, e));
    gpu.submit([&](VkCommandBuffer cmd) {
      chain.record(cmd);
      vkCmdWaitEvents(cmd, 1, &e, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, nullptr, 0,
                      nullptr, 0, nullptr);
      computeBarrier(cmd);
      chain.record(cmd);
    });
    chain.expect();
  });
}

void transferBarriers() {
  for (const char* kind : {"fill", "copy", "update"})
    add(text("sync.barrier.transfer_to_compute.%s", kind), [=](Gpu& gpu) {
      Chain chain(gpu);
      std::string k = kind;
      Buffer source = gpu.buffer(words * 4);
      for (uint32_t i = 0; i < words; ++i) source.as<uint32_t>()[i] = i ^ 0x5555;
      for (uint32_t i = 0; i < words; ++i) {
        if (k == "fill") chain.model[i] = 0x01020304;
        if (k == "copy") chain.model[i] = i ^ 0x5555;
        if (k == "update" && i < 1024) chain.model[i] = i ^ 0x5555;
      }
      gpu.submit([&](VkCommandBuffer cmd) {
        VkBufferCopy whole{0, 0, words * 4};
        if (k == "fill") vkCmdFillBuffer(cmd, chain.a.handle, 0, VK_WHOLE_SIZE, 0x01020304);
        if (k == "copy") vkCmdCopyBuffer(cmd, source.handle, chain.a.handle, 1, &whole);
        if (k == "update") vkCmdUpdateBuffer(cmd, chain.a.handle, 0, 4096, source.data);
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                VK_ACCESS_SHADER_READ_BIT};
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier,
                             0, nullptr, 0, nullptr);
        chain.record(cmd);
      });
      chain.expect();
    });
  for (uint32_t rounds : {1u, 6u})
    add(text("sync.barrier.compute_to_indirect.rounds%u", rounds), [=](Gpu& gpu) {
      // Each round's shader writes the next dispatch's size.
      Buffer sizes = gpu.buffer(64), out = gpu.buffer(256);
      sizes.as<uint32_t>()[0] = sizes.as<uint32_t>()[1] = sizes.as<uint32_t>()[2] = 1;
      Kernel kernel(gpu,
                    "#version 450\nlayout(binding=0) buffer S { uint s[]; };\nlayout(binding=1) buffer R { uint n; };\n"
                    "void main() { if (atomicAdd(n, 1u) + 1u == gl_NumWorkGroups.x * (gl_NumWorkGroups.x + 1u) / 2u) "
                    "s[0] = gl_NumWorkGroups.x + 1u; }\n",
                    {storage(sizes), storage(out)}, 0);
      gpu.submit([&](VkCommandBuffer cmd) {
        kernel.bind(cmd);
        for (uint32_t i = 0; i < rounds; ++i) {
          vkCmdDispatchIndirect(cmd, sizes.handle, 0);
          VkMemoryBarrier barrier{
              VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
              VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
          vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                               VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                               &barrier, 0, nullptr, 0, nullptr);
        }
      });
      EXPECT_EQ(*out.as<uint32_t>(), rounds * (rounds + 1) / 2);
      EXPECT_EQ(*sizes.as<uint32_t>(), rounds + 1);
    });
}

void barriers() {
  computeBarriers();
  transferBarriers();
}

void severalQueues() {
  for (bool timeline : {false, true})
    for (uint32_t steps : {2u, 12u})
      add(text("sync.queues.%s.steps%u", timeline ? "timeline" : "binary", steps), [=](Gpu& gpu) {
        // Steps alternate between the queues that can compute; each waits for the one before.
        std::vector<Gpu::Queue> list = {{gpu.queue, gpu.family, VK_QUEUE_COMPUTE_BIT}};
        for (auto& q : gpu.otherQueues)
          if (q.flags & VK_QUEUE_COMPUTE_BIT) list.push_back(q);
        gpu.require(list.size() > 1, "a second queue");
        if (timeline) gpu.require(gpu.features12.timelineSemaphore, "timelineSemaphore");
        Chain chain(gpu);
        std::vector<VkSemaphore> binary;
        for (uint32_t i = 0; i <= steps && !timeline; ++i) binary.push_back(semaphore(gpu, false));
        VkSemaphore counter = timeline ? semaphore(gpu, true) : VK_NULL_HANDLE;
        for (uint32_t i = 0; i < steps; ++i) {
          auto& queue = list[i % list.size()];
          VkCommandBuffer cmd = commands(gpu, queue.family, [&](VkCommandBuffer c) { chain.record(c); });
          uint64_t wait = i, signal = i + 1;
          VkTimelineSemaphoreSubmitInfo values{
              VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &wait, 1, &signal};
          VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
          VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, timeline ? &values : nullptr};
          submit.waitSemaphoreCount = i || timeline ? 1 : 0;
          submit.pWaitSemaphores = timeline ? &counter : &binary[i];
          submit.pWaitDstStageMask = &stage;
          submit.commandBufferCount = 1, submit.pCommandBuffers = &cmd;
          submit.signalSemaphoreCount = 1;
          submit.pSignalSemaphores = timeline ? &counter : &binary[i + 1];
          CTS_VK(vkQueueSubmit(queue.handle, 1, &submit, VK_NULL_HANDLE));
        }
        CTS_VK(vkDeviceWaitIdle(gpu.device));
        chain.expect();
      });
}

void timelines() {
  for (uint32_t steps : {3u, 16u})
    add(text("sync.timeline.submitted_backwards.steps%u", steps), [=](Gpu& gpu) {
      // Waits may be submitted before their signals, if to another queue; here the host signals last.
      gpu.require(gpu.features12.timelineSemaphore, "timelineSemaphore");
      Chain chain(gpu);
      VkSemaphore counter = semaphore(gpu, true);
      for (uint32_t i = 0; i < steps; ++i) {
        VkCommandBuffer cmd = commands(gpu, gpu.family, [&](VkCommandBuffer c) { chain.record(c); });
        uint64_t wait = 2 * i + 1, signal = 2 * i + 2;
        VkTimelineSemaphoreSubmitInfo values{
            VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &wait, 1, &signal};
        VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &counter, &stage, 1, &cmd, 1, &counter};
        CTS_VK(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
      }
      for (uint32_t i = 0; i < steps; ++i) {
        uint64_t now = 0, target = 2 * i + 2;
        CTS_VK(vkGetSemaphoreCounterValue(gpu.device, counter, &now));
        ASSERT_EQ(now, 2 * i) << "nothing runs before the host signals";
        VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, counter, 2 * i + 1};
        CTS_VK(vkSignalSemaphore(gpu.device, &signal));
        VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &counter, &target};
        CTS_VK(vkWaitSemaphores(gpu.device, &wait, patience));
      }
      CTS_VK(vkDeviceWaitIdle(gpu.device));
      chain.expect();
    });
  for (bool any : {false, true})
    add(text("sync.timeline.wait_%s", any ? "any" : "all"), [=](Gpu& gpu) {
      gpu.require(gpu.features12.timelineSemaphore, "timelineSemaphore");
      VkSemaphore list[3] = {semaphore(gpu, true), semaphore(gpu, true), semaphore(gpu, true)};
      uint64_t values[3] = {4, 5, 6};
      VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                               nullptr,
                               VkSemaphoreWaitFlags(any ? VK_SEMAPHORE_WAIT_ANY_BIT : 0),
                               3,
                               list,
                               values};
      EXPECT_EQ(vkWaitSemaphores(gpu.device, &wait, 0), VK_TIMEOUT);
      EXPECT_EQ(vkWaitSemaphores(gpu.device, &wait, 1000000), VK_TIMEOUT);
      for (int i = 0; i < 3; ++i) {
        VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, list[2 - i],
                                     values[2 - i] + uint64_t(i)};
        CTS_VK(vkSignalSemaphore(gpu.device, &signal));
        EXPECT_EQ(vkWaitSemaphores(gpu.device, &wait, 1000000), any || i == 2 ? VK_SUCCESS : VK_TIMEOUT) << i;
      }
    });
}

void fences() {
  for (uint32_t batches : {1u, 5u})
    add(text("sync.fence.after_%u_batches", batches), [=](Gpu& gpu) {
      Chain chain(gpu);
      VkFence f = fence(gpu);
      std::vector<VkCommandBuffer> list;
      for (uint32_t i = 0; i < batches; ++i)
        list.push_back(commands(gpu, gpu.family, [&](VkCommandBuffer c) { chain.record(c), fullBarrier(c); }));
      std::vector<VkSubmitInfo> submits(batches, {VK_STRUCTURE_TYPE_SUBMIT_INFO});
      for (uint32_t i = 0; i < batches; ++i) submits[i].commandBufferCount = 1, submits[i].pCommandBuffers = &list[i];
      CTS_VK(vkQueueSubmit(gpu.queue, batches, submits.data(), f));
      CTS_VK(vkWaitForFences(gpu.device, 1, &f, VK_TRUE, patience));
      chain.expect();
      EXPECT_EQ(vkGetFenceStatus(gpu.device, f), VK_SUCCESS);
    });
  add("sync.fence.any_of_several", [](Gpu& gpu) {
    VkFence list[3] = {fence(gpu), fence(gpu, VK_FENCE_CREATE_SIGNALED_BIT), fence(gpu)};
    CTS_VK(vkWaitForFences(gpu.device, 3, list, VK_FALSE, 0));
    EXPECT_EQ(vkWaitForFences(gpu.device, 3, list, VK_TRUE, 1000000), VK_TIMEOUT);
    CTS_VK(vkQueueSubmit(gpu.queue, 0, nullptr, list[0]));
    CTS_VK(vkQueueSubmit(gpu.queue, 0, nullptr, list[2]));
    CTS_VK(vkWaitForFences(gpu.device, 3, list, VK_TRUE, patience));
    CTS_VK(vkResetFences(gpu.device, 3, list));
    EXPECT_EQ(vkWaitForFences(gpu.device, 3, list, VK_FALSE, 0), VK_TIMEOUT);
  });
}

void recording() {
  for (uint32_t threads : {2u, 4u})
    add(text("sync.threads.record%u", threads), [=](Gpu& gpu) {
      // Every thread records into a pool of its own; the buffers are submitted together.
      Buffer out = gpu.buffer(threads * 256 * 4);
      Kernel kernel(gpu,
                    "#version 450\nlayout(local_size_x=64) in;\nlayout(push_constant) uniform P { uint thread; "
                    "};\nlayout(binding=0) buffer R { uint r[]; };\n"
                    "void main() { uint i = gl_GlobalInvocationID.x; r[thread * 256u + i] = thread * 1000u + i; }\n",
                    {storage(out)}, 4);
      std::vector<VkCommandBuffer> list(threads);
      std::vector<VkCommandPool> pools;
      for (uint32_t t = 0; t < threads; ++t) pools.push_back(pool(gpu, gpu.family));
      std::vector<std::thread> workers;
      for (uint32_t t = 0; t < threads; ++t)
        workers.emplace_back([&, t] {
          list[t] = recorded(gpu, pools[t], VK_COMMAND_BUFFER_LEVEL_PRIMARY, [&](VkCommandBuffer cmd) {
            kernel.bind(cmd);
            vkCmdPushConstants(cmd, kernel.layout(), VK_SHADER_STAGE_ALL, 0, 4, &t);
            vkCmdDispatch(cmd, 4, 1, 1);
          });
        });
      for (auto& w : workers) w.join();
      VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
      submit.commandBufferCount = threads, submit.pCommandBuffers = list.data();
      CTS_VK(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
      CTS_VK(vkQueueWaitIdle(gpu.queue));
      for (uint32_t i = 0; i < threads * 256; ++i) ASSERT_EQ(out.as<uint32_t>()[i], i / 256 * 1000 + i % 256) << i;
    });
  for (uint32_t calls : {1u, 3u})
    add(text("sync.secondary.calls%u", calls), [=](Gpu& gpu) {
      Chain chain(gpu);
      VkCommandPool p = pool(gpu, gpu.family);
      std::vector<VkCommandBuffer> list;
      for (uint32_t i = 0; i < calls; ++i)
        list.push_back(recorded(gpu, p, VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                [&](VkCommandBuffer cmd) { chain.record(cmd), computeBarrier(cmd); }));
      gpu.submit([&](VkCommandBuffer cmd) { vkCmdExecuteCommands(cmd, calls, list.data()); });
      chain.expect();
    });
}

void queues() {
  severalQueues();
  timelines();
  fences();
  recording();
}

}  // namespace

void registerOrdering() {
  barriers();
  queues();
  addMarkers();
}

}  // namespace etzel::cts
