// Queues: each has its own thread, started by the first submission that has something to do, which takes batches in
// order: waits for their semaphores, replays their command buffers, signals ("Queue Submission"). A queue that
// waits never holds up another, so wait-before-signal works between queues and with the host. An idle queue runs
// batches that take less time than waking its thread in the thread that submits them, and a thread that waits for a
// batch that nobody has begun runs it (icd/sync/pending_work.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "icd/memory/sparse_range.h"
#include "icd/object/device.h"
#include "icd/object/object.h"
#include "icd/sync/objects.h"
#include "icd/sync/pending_work.h"
#include "runtime/task/fork.h"
#include "runtime/task/thread.h"

namespace etzel::icd {

struct CommandBuffer;
class Replay;
struct Watched;

/// ETZEL_TIMEOUT_MS: how long work may stand still before the device counts as lost; 0 is forever.
uint64_t commandTimeoutNs();

struct SemaphoreOp {
  Semaphore* semaphore = nullptr;
  uint64_t value = 0;  ///< timeline semaphores
  BoundSync bound{};   ///< by Queue::submit
  bool timeline = false;
};

/// One batch.
struct Submission {
  std::vector<SemaphoreOp> waits, signals;
  std::vector<CommandBuffer*> buffers;
  std::vector<SparseBind> binds;  ///< of vkQueueBindSparse, which has no command buffers
  Fence* fence = nullptr;
};

struct Queue : DispatchableObject {
  using Handle = VkQueue;
  Queue(Device* device, uint32_t family, uint32_t index, VkDeviceQueueCreateFlags flags = 0);
  ~Queue();  ///< stop()

  Device* const device;
  const uint32_t family, index;
  const VkDeviceQueueCreateFlags flags;

  /// Appends a batch, and binds its waits and signals to the payloads that the semaphores have now. The caller
  /// synchronizes submissions externally, as the specification asks.
  /// \returns VK_SUCCESS, VK_ERROR_DEVICE_LOST or VK_ERROR_OUT_OF_HOST_MEMORY (no thread).
  VkResult submit(Submission&& submission);
  /// Blocks until everything submitted so far is done, or given up where the device is lost.
  VkResult waitIdle();
  /// PendingWork::runNext(): the batch that comes next, if what it waits for has happened.
  bool runNext();
  /// Has what runs given up. The device is lost already, so nothing else begins. Any thread.
  void giveUp();
  /// Finishes what was submitted, and joins the threads. Work that never ends is given up by the watchdog's limit;
  /// where that is off, this waits for ever. Queues of a device are stopped before any goes: what runs looks at all of
  /// them.
  void stop();
  /// Whether nothing of what was submitted is left.
  bool idle() const { return completed_.load() >= submitted_.load(); }

 private:
  void loop();
  /// Has the queue's thread look by itself, and not be woken, as long as those who wait for batches run them, one
  /// after the other: waking it for each costs more than small ones do.
  void doze(std::unique_lock<std::mutex>& lock);
  void runFirst(std::unique_lock<std::mutex>& lock);
  void run(Submission& submission);
  void complete(Submission& submission);
  void watch();
  void replay(const Submission& submission);
  void bind(const Submission& submission);
  bool makeReplay();
  bool start();
  void inChild();

  std::atomic<uint64_t> submitted_{0}, completed_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Submission> pending_;
  bool taken_ = false;   ///< somebody runs the batch that was in front; guarded by mutex_
  bool dozing_ = false;  ///< the queue's thread is in doze() and need not be woken; guarded by mutex_
  struct Batches final : PendingWork {
    explicit Batches(Queue& owner) : queue(owner) {}
    bool runNext() override { return queue.runNext(); }
    Queue& queue;
  } batches_{*this};
  std::atomic<bool> stop_{false};
  task::Thread thread_;
  std::unique_ptr<Replay> replay_;

  // The watchdog looks whether anything is finished (Watched::progress): a command, a workgroup, a primitive. When
  // nothing was for the timeout, it asks what runs to give up.
  uint64_t timeoutNs_;
  task::Thread watchdog_;
  std::condition_variable watchdogWake_;
  bool watchdogArmed_ = false;  ///< guarded by mutex_
  bool unwatched_ = false;      ///< the watchdog is to end; guarded by mutex_
  std::atomic<bool> running_{false};
  const std::unique_ptr<Watched> watched_;

  // A child's copy of the device is lost: its queues have no threads, and what was submitted belongs to the parent.
  task::ForkHandler forkHandler_{[this] { inChild(); }};
};

}  // namespace etzel::icd
