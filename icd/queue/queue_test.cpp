// Queues, fences and semaphores through the entry points, on a device that has nothing but a pool.
#include "icd/queue/queue.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "icd/cmd/buffer/command_buffer.h"
#include "icd/cmd/replay/replay.h"
#include "icd/entry_points.h"
#include "icd/memory/resources.h"
#include "runtime/task/dispatch.h"

namespace etzel::icd {
namespace {

class QueueTest : public testing::Test {
 protected:
  QueueTest() {
    device.pool = std::make_unique<task::Pool>(1);
    VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, 0};
    EXPECT_EQ(CreateCommandPool(vk(), &info, nullptr, &pool), VK_SUCCESS);
    buffer.size = sizeof(words);
    buffer.data = reinterpret_cast<std::byte*>(words);
  }
  ~QueueTest() override {
    device.queues.clear();
    DestroyCommandPool(vk(), pool, nullptr);
  }
  VkDevice vk() { return handleOf(&device); }
  VkQueue queue() {
    device.queues.push_back(std::make_unique<Queue>(&device, 0, uint32_t(device.queues.size())));
    return handleOf(device.queues.back().get());
  }
  /// One whose work is given up when nothing of it is finished for that long.
  VkQueue impatientQueue(const char* milliseconds) {
    setenv("ETZEL_TIMEOUT_MS", milliseconds, 1);
    VkQueue q = queue();
    unsetenv("ETZEL_TIMEOUT_MS");
    return q;
  }
  VkEvent makeEvent() {
    const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr, 0};
    VkEvent e = VK_NULL_HANDLE;
    EXPECT_EQ(CreateEvent(vk(), &info, nullptr, &e), VK_SUCCESS);
    return e;
  }
  VkFence fence() {
    VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    VkFence f = VK_NULL_HANDLE;
    EXPECT_EQ(CreateFence(vk(), &info, nullptr, &f), VK_SUCCESS);
    return f;
  }
  VkSemaphore timeline(uint64_t value) {
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE,
                                   value};
    VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    VkSemaphore s = VK_NULL_HANDLE;
    EXPECT_EQ(CreateSemaphore(vk(), &info, nullptr, &s), VK_SUCCESS);
    return s;
  }
  template <class F>
  VkCommandBuffer commands(F body) {
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                     VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer c = VK_NULL_HANDLE;
    EXPECT_EQ(AllocateCommandBuffers(vk(), &info, &c), VK_SUCCESS);
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
    EXPECT_EQ(BeginCommandBuffer(c, &begin), VK_SUCCESS);
    body(c);
    EXPECT_EQ(EndCommandBuffer(c), VK_SUCCESS);
    return c;
  }
  VkResult submit(VkQueue q, VkCommandBuffer c, VkFence f, VkSemaphore wait = VK_NULL_HANDLE, uint64_t waitValue = 0,
                  VkSemaphore signal = VK_NULL_HANDLE, uint64_t signalValue = 0) {
    VkSemaphoreSubmitInfo w{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, wait, waitValue, 0, 0};
    VkSemaphoreSubmitInfo s{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, signal, signalValue, 0, 0};
    VkCommandBufferSubmitInfo b{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, c, 0};
    VkSubmitInfo2 info{
        VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, wait ? 1u : 0u, &w, c ? 1u : 0u, &b, signal ? 1u : 0u, &s};
    return QueueSubmit2(q, 1, &info, f);
  }

  Device device;
  VkCommandPool pool = VK_NULL_HANDLE;
  Buffer buffer;
  uint32_t words[4] = {};
};

constexpr uint64_t kSecond = 1'000'000'000;

TEST_F(QueueTest, AnEmptySubmissionSignalsAtOnce) {
  VkFence f = fence();
  EXPECT_EQ(GetFenceStatus(vk(), f), VK_NOT_READY);
  EXPECT_EQ(QueueSubmit(queue(), 0, nullptr, f), VK_SUCCESS);
  EXPECT_EQ(GetFenceStatus(vk(), f), VK_SUCCESS);
  DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, ShortBatchesAreDoneWhenSubmitted) {
  VkQueue q = queue();
  VkFence f = fence();
  VkCommandBuffer fill = commands([&](VkCommandBuffer c) {
    CmdFillBuffer(c, handleOf(&buffer), 0, VK_WHOLE_SIZE, 3);
    CmdPipelineBarrier(c, 0, 0, 0, 0, nullptr, 0, nullptr, 0, nullptr);
  });
  EXPECT_EQ(submit(q, fill, f), VK_SUCCESS);
  EXPECT_EQ(GetFenceStatus(vk(), f), VK_SUCCESS);
  EXPECT_EQ(words[3], 3u);
  DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, ShortBatchesWaitForWhatTheQueueHas) {
  VkQueue q = queue();
  VkFence f = fence();
  const VkEvent event = makeEvent();
  VkCommandBuffer wait =
      commands([&](VkCommandBuffer c) { CmdWaitEvents(c, 1, &event, 0, 0, 0, nullptr, 0, nullptr, 0, nullptr); });
  VkCommandBuffer fill = commands([&](VkCommandBuffer c) { CmdFillBuffer(c, handleOf(&buffer), 0, 4, 3); });
  EXPECT_EQ(submit(q, wait, VK_NULL_HANDLE), VK_SUCCESS);
  EXPECT_EQ(submit(q, fill, f), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, kSecond / 50), VK_TIMEOUT);
  EXPECT_EQ(words[0], 0u);
  EXPECT_EQ(SetEvent(vk(), event), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, 10 * kSecond), VK_SUCCESS);
  EXPECT_EQ(words[0], 3u);
  DestroyFence(vk(), f, nullptr);
  DestroyEvent(vk(), event, nullptr);
}

TEST_F(QueueTest, CommandBuffersRunInOrderAndMayRunAgain) {
  VkCommandBuffer one = commands([&](VkCommandBuffer c) {
    const uint32_t seven = 7;
    CmdUpdateBuffer(c, handleOf(&buffer), 0, 4, &seven);
  });
  VkCommandBuffer copy = commands([&](VkCommandBuffer c) {
    VkBufferCopy region{0, 8, 4};
    CmdCopyBuffer(c, handleOf(&buffer), handleOf(&buffer), 1, &region);
  });
  VkQueue q = queue();
  VkFence f = fence();
  EXPECT_EQ(submit(q, one, VK_NULL_HANDLE), VK_SUCCESS);
  EXPECT_EQ(submit(q, copy, f), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, 10 * kSecond), VK_SUCCESS);
  EXPECT_EQ(words[0], 7u);
  EXPECT_EQ(words[2], 7u);
  words[0] = 9;
  EXPECT_EQ(submit(q, copy, VK_NULL_HANDLE), VK_SUCCESS);
  EXPECT_EQ(QueueWaitIdle(q), VK_SUCCESS);
  EXPECT_EQ(words[2], 9u);
  DestroyFence(vk(), f, nullptr);
}

// After many that were waited for the queue's thread is not woken, and looks by itself (Queue::doze).
TEST_F(QueueTest, BatchesThatNobodyWaitsForAreRunToo) {
  VkQueue q = queue();
  VkFence f = fence();
  VkCommandBuffer count =
      commands([&](VkCommandBuffer c) { cast<CommandBuffer>(c)->record([this](Replay&) { ++words[0]; }); });
  const auto unwaited = [&] {
    EXPECT_EQ(submit(q, count, f), VK_SUCCESS);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (GetFenceStatus(vk(), f) == VK_NOT_READY && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(GetFenceStatus(vk(), f), VK_SUCCESS);
    EXPECT_EQ(ResetFences(vk(), 1, &f), VK_SUCCESS);
  };
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(submit(q, count, f), VK_SUCCESS);
    EXPECT_EQ(WaitForFences(vk(), 1, &f, true, UINT64_MAX), VK_SUCCESS);
    EXPECT_EQ(ResetFences(vk(), 1, &f), VK_SUCCESS);
  }
  unwaited();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(submit(q, count, VK_NULL_HANDLE), VK_SUCCESS);
    EXPECT_EQ(QueueWaitIdle(q), VK_SUCCESS);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // dozes end
  unwaited();
  EXPECT_EQ(words[0], 602u);
  DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, AWaitMayBeSubmittedBeforeItsSignalOnAnotherQueue) {
  VkSemaphore s = timeline(1);
  VkCommandBuffer c = commands([&](VkCommandBuffer b) { CmdFillBuffer(b, handleOf(&buffer), 0, VK_WHOLE_SIZE, 5); });
  VkFence f = fence();
  EXPECT_EQ(submit(queue(), c, f, s, 3), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, kSecond / 50), VK_TIMEOUT);
  EXPECT_EQ(words[3], 0u);
  EXPECT_EQ(submit(queue(), VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE, 0, s, 3), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, 10 * kSecond), VK_SUCCESS);
  EXPECT_EQ(words[3], 5u);
  uint64_t value = 0;
  EXPECT_EQ(GetSemaphoreCounterValue(vk(), s, &value), VK_SUCCESS);
  EXPECT_EQ(value, 3u);
  DestroySemaphore(vk(), s, nullptr);
  DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, TheHostSetsTheEventThatACommandBufferWaitsFor) {
  const VkEvent event = makeEvent();
  VkCommandBuffer c = commands([&](VkCommandBuffer b) {
    CmdWaitEvents2(b, 1, &event, nullptr);
    CmdFillBuffer(b, handleOf(&buffer), 0, 4, 1);
  });
  VkFence f = fence();
  EXPECT_EQ(submit(queue(), c, f), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, kSecond / 50), VK_TIMEOUT);
  EXPECT_EQ(SetEvent(vk(), event), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, 10 * kSecond), VK_SUCCESS);
  EXPECT_EQ(words[0], 1u);
  DestroyEvent(vk(), event, nullptr);
  DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, ACommandThatNeverEndsLosesTheDeviceOnly) {
  VkQueue q = impatientQueue("100");
  const VkEvent event = makeEvent();
  VkCommandBuffer c = commands([&](VkCommandBuffer b) { CmdWaitEvents2(b, 1, &event, nullptr); });
  VkFence f = fence();
  EXPECT_EQ(submit(q, c, f), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, 10 * kSecond), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(submit(q, c, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(DeviceWaitIdle(vk()), VK_ERROR_DEVICE_LOST);
  device.queues.clear();
  DestroyEvent(vk(), event, nullptr);
  DestroyFence(vk(), f, nullptr);
}

// Against the rules, and a program must not hang for it.
TEST_F(QueueTest, AQueueThatRunsWhatNeverEndsCanBeDestroyed) {
  VkQueue q = impatientQueue("100");
  const VkEvent event = makeEvent();
  std::atomic<bool> begun{false};
  VkCommandBuffer c = commands([&](VkCommandBuffer b) {
    cast<CommandBuffer>(b)->record([&begun](Replay&) { begun = true; });
    CmdWaitEvents2(b, 1, &event, nullptr);
  });
  EXPECT_EQ(submit(q, c, VK_NULL_HANDLE), VK_SUCCESS);
  while (!begun) std::this_thread::yield();
  device.queues.clear();
  EXPECT_TRUE(device.lost);
  DestroyEvent(vk(), event, nullptr);
}

TEST_F(QueueTest, ASignalBeforeTheLastOneWasConsumedIsNotLost) {
  const VkEvent event = makeEvent();
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
  VkSemaphore s = VK_NULL_HANDLE;
  ASSERT_EQ(CreateSemaphore(vk(), &info, nullptr, &s), VK_SUCCESS);
  VkCommandBuffer held = commands([&](VkCommandBuffer b) { CmdWaitEvents2(b, 1, &event, nullptr); });
  VkQueue q = queue(), other = queue();
  VkFence done = fence();
  EXPECT_EQ(submit(q, held, VK_NULL_HANDLE), VK_SUCCESS);
  for (int frame = 0; frame < 3; ++frame) {
    EXPECT_EQ(submit(other, VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE, 0, s), VK_SUCCESS);
    EXPECT_EQ(submit(q, VK_NULL_HANDLE, frame == 2 ? done : VK_NULL_HANDLE, s), VK_SUCCESS);
  }
  EXPECT_EQ(WaitForFences(vk(), 1, &done, true, kSecond / 50), VK_TIMEOUT);
  EXPECT_EQ(SetEvent(vk(), event), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &done, true, 10 * kSecond), VK_SUCCESS);
  DestroySemaphore(vk(), s, nullptr);
  DestroyEvent(vk(), event, nullptr);
  DestroyFence(vk(), done, nullptr);
}

TEST_F(QueueTest, AWaitForASignalThatNobodySubmittedIsOver) {
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
  VkSemaphore s = VK_NULL_HANDLE;
  ASSERT_EQ(CreateSemaphore(vk(), &info, nullptr, &s), VK_SUCCESS);
  VkQueue q = queue();
  VkFence f = fence();
  EXPECT_EQ(submit(q, VK_NULL_HANDLE, f, s), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, 10 * kSecond), VK_SUCCESS);
  DestroySemaphore(vk(), s, nullptr);
  DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, WorkThatGetsOnMayTakeAsLongAsItTakes) {
  VkQueue q = impatientQueue("1000");
  // One dispatch of many workgroups, each of which sleeps: 1.6 s in all.
  static std::atomic<uint32_t> ran;
  ran = 0;
  struct SlowKernel : abi::Kernel {
    abi::Executable slow;
  };
  SlowKernel kernel;
  kernel.slow.entry = [](const void*, abi::Warp*) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ++ran;
    return abi::WarpStatus::Done;
  };
  kernel.executable.store(&kernel.slow);
  VkCommandBuffer c = commands([&](VkCommandBuffer b) {
    cast<CommandBuffer>(b)->record([&kernel, this](Replay& r) {
      abi::DispatchContext context = r.state().context;
      r.check(task::dispatch(*device.pool, kernel, context, {{0, 0, 0}, {16, 1, 1}}));
    });
  });
  VkFence f = fence();
  EXPECT_EQ(submit(q, c, f), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, 30 * kSecond), VK_SUCCESS);
  EXPECT_EQ(ran.load(), 16u);
  DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, MemoryThatIsMissingWhenCommandsRunLosesTheDeviceOnly) {
  VkQueue q = queue();
  VkCommandBuffer c =
      commands([&](VkCommandBuffer b) { cast<CommandBuffer>(b)->record([](Replay&) { throw std::bad_alloc(); }); });
  VkFence f = fence();
  EXPECT_EQ(submit(q, c, f), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, 10 * kSecond), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(submit(q, c, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
  DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, AChildInheritsALostDevice) {
  VkQueue q = queue();
  const VkEvent event = makeEvent();
  VkCommandBuffer c = commands([&](VkCommandBuffer b) { CmdWaitEvents2(b, 1, &event, nullptr); });
  EXPECT_EQ(submit(q, c, VK_NULL_HANDLE), VK_SUCCESS);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool lost = DeviceWaitIdle(vk()) == VK_ERROR_DEVICE_LOST &&
                      submit(q, VK_NULL_HANDLE, VK_NULL_HANDLE) == VK_ERROR_DEVICE_LOST;
    device.queues.clear();  // joins nobody
    _exit(lost ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(SetEvent(vk(), event), VK_SUCCESS);
  EXPECT_EQ(DeviceWaitIdle(vk()), VK_SUCCESS);  // the parent's goes on
  DestroyEvent(vk(), event, nullptr);
}

TEST_F(QueueTest, SignalsAreForTheApplicationsThreads) {
  VkQueue q = queue();
  std::atomic<bool> blocked{false};
  VkCommandBuffer c = commands([&](VkCommandBuffer b) {
    cast<CommandBuffer>(b)->record([&blocked](Replay&) {
      sigset_t mask;
      pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      blocked = sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGALRM);
    });
  });
  VkFence f = fence();
  EXPECT_EQ(submit(q, c, f), VK_SUCCESS);
  // Who waits longer may run it.
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, 5 * kSecond), VK_SUCCESS);
  EXPECT_TRUE(blocked.load());
  DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, WhoWaitsForeverRunsWhatNobodyHasBegun) {
  VkQueue q = queue();
  VkSemaphore s = timeline(0);
  std::atomic<std::thread::id> ran;
  VkCommandBuffer c = commands([&](VkCommandBuffer b) {
    cast<CommandBuffer>(b)->record([&ran](Replay&) { ran = std::this_thread::get_id(); });
  });
  // Whether the queue's thread comes first is chance, but hardly always, also where it is preferred on a busy machine.
  constexpr int kAlways = 100'000, kOften = 500;
  const auto ranHere = [&](int tries, auto wait) {
    for (int i = 0; i < tries; ++i) {
      wait();
      if (ran.load() == std::this_thread::get_id()) return true;
    }
    return false;
  };
  VkFence f = fence();
  const auto waitForFence = [&](uint64_t timeout) {
    EXPECT_EQ(submit(q, c, f), VK_SUCCESS);
    EXPECT_EQ(WaitForFences(vk(), 1, &f, true, timeout), VK_SUCCESS);
    EXPECT_EQ(ResetFences(vk(), 1, &f), VK_SUCCESS);
  };
  EXPECT_TRUE(ranHere(kAlways, [&] { waitForFence(kForever); }));
  EXPECT_FALSE(ranHere(kOften, [&] { waitForFence(5 * kSecond); })) << "a batch may take longer than that";
  EXPECT_TRUE(ranHere(kAlways, [&] {
    EXPECT_EQ(submit(q, c, VK_NULL_HANDLE), VK_SUCCESS);
    EXPECT_EQ(QueueWaitIdle(q), VK_SUCCESS);
  }));
  uint64_t value = 0;
  EXPECT_TRUE(ranHere(kAlways, [&] {
    EXPECT_EQ(submit(q, c, VK_NULL_HANDLE, VK_NULL_HANDLE, 0, s, ++value), VK_SUCCESS);
    const VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &s, &value};
    EXPECT_EQ(WaitSemaphores(vk(), &info, kForever), VK_SUCCESS);
  }));
  DestroySemaphore(vk(), s, nullptr);
  DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, ThreadsThatWaitLeaveTheOrderOfBatches) {
  VkQueue q = queue();
  std::vector<int> order;
  constexpr int kBatches = 300;
  std::vector<VkFence> fences;
  std::vector<std::thread> waiters;
  for (int i = 0; i < kBatches; ++i) {
    fences.push_back(fence());
    EXPECT_EQ(submit(q, commands([&order, i](VkCommandBuffer b) {
                       cast<CommandBuffer>(b)->record([&order, i](Replay&) { order.push_back(i); });
                     }),
                     fences.back()),
              VK_SUCCESS);
    if (i % 20 == 0)
      waiters.emplace_back(
          [this, f = fences.back()] { EXPECT_EQ(WaitForFences(vk(), 1, &f, true, kForever), VK_SUCCESS); });
  }
  EXPECT_EQ(QueueWaitIdle(q), VK_SUCCESS);
  for (std::thread& t : waiters) t.join();
  ASSERT_EQ(order.size(), size_t(kBatches));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  for (VkFence f : fences) DestroyFence(vk(), f, nullptr);
}

TEST_F(QueueTest, WaitAnyNeedsOneSemaphoreWaitAllEvery) {
  VkSemaphore s[2] = {timeline(0), timeline(4)};
  const uint64_t values[2] = {1, 4};
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, VK_SEMAPHORE_WAIT_ANY_BIT, 2, s, values};
  EXPECT_EQ(WaitSemaphores(vk(), &info, 0), VK_SUCCESS);
  info.flags = 0;
  EXPECT_EQ(WaitSemaphores(vk(), &info, 1000), VK_TIMEOUT);
  VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, s[0], 2};
  EXPECT_EQ(SignalSemaphore(vk(), &signal), VK_SUCCESS);
  EXPECT_EQ(WaitSemaphores(vk(), &info, 0), VK_SUCCESS);
  for (VkSemaphore x : s) DestroySemaphore(vk(), x, nullptr);
}

TEST_F(QueueTest, ALostDeviceIsReportedWhenItsQueuesHaveStopped) {
  // Until then they use the fence, which the application may destroy once it knows.
  std::atomic<bool> began{false}, end{false};
  Queue& q = *cast<Queue>(queue());
  VkFence f = fence();
  VkCommandBuffer c = commands([&](VkCommandBuffer b) {
    cast<CommandBuffer>(b)->record([&began, &end](Replay&) {
      began = true;
      while (!end) std::this_thread::yield();
    });
  });
  EXPECT_EQ(submit(handleOf(&q), c, f), VK_SUCCESS);
  while (!began) std::this_thread::yield();
  device.lost = true;
  EXPECT_EQ(GetFenceStatus(vk(), f), VK_NOT_READY);
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, kSecond / 100), VK_TIMEOUT);
  end = true;
  EXPECT_EQ(WaitForFences(vk(), 1, &f, true, 10 * kSecond), VK_ERROR_DEVICE_LOST);
  DestroyFence(vk(), f, nullptr);
  EXPECT_EQ(QueueSubmit(handleOf(&q), 0, nullptr, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(q.waitIdle(), VK_ERROR_DEVICE_LOST);
}

TEST_F(QueueTest, QueriesReportAvailabilityInTheWidthAskedFor) {
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, 2, 0};
  VkQueryPool queries = VK_NULL_HANDLE;
  ASSERT_EQ(CreateQueryPool(vk(), &info, nullptr, &queries), VK_SUCCESS);
  VkCommandBuffer c = commands([&](VkCommandBuffer b) {
    CmdResetQueryPool(b, queries, 0, 2);
    CmdWriteTimestamp2(b, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries, 1);
  });
  VkQueue q = queue();
  EXPECT_EQ(submit(q, c, VK_NULL_HANDLE), VK_SUCCESS);
  EXPECT_EQ(QueueWaitIdle(q), VK_SUCCESS);
  uint64_t out[4] = {~0ull, ~0ull, ~0ull, ~0ull};
  EXPECT_EQ(GetQueryPoolResults(vk(), queries, 0, 2, sizeof(out), out, 16,
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
            VK_NOT_READY);
  EXPECT_EQ(out[0], ~0ull);  // unavailable: untouched
  EXPECT_EQ(out[1], 0u);
  EXPECT_NE(out[2], ~0ull);
  EXPECT_EQ(out[3], 1u);
  DestroyQueryPool(vk(), queries, nullptr);
}

}  // namespace
}  // namespace etzel::icd
