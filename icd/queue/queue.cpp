#include "icd/queue/queue.h"

#include <chrono>
#include <cstdlib>
#include <exception>

#include "icd/cmd/buffer/command_buffer.h"
#include "icd/cmd/replay/replay.h"
#include "icd/debug/capture.h"
#include "icd/object/error.h"
#include "icd/queue/stand_still.h"
#include "runtime/base/debug_flags.h"
#include "runtime/simd/float_state.h"

namespace etzel::icd {

uint64_t commandTimeoutNs() {
  if (debug(DebugFlag::NoWatchdog)) return 0;
  const char* text = secure_getenv("ETZEL_TIMEOUT_MS");
  uint64_t ms = text ? std::strtoull(text, nullptr, 10) : 10'000;
  return ms * 1'000'000u;
}

namespace {

/// Waking the queue's thread, and being woken by it, costs as much as copying this.
constexpr uint64_t kShortBytes = 64 * 1024;
constexpr size_t kShortBinds = 16;  // a mapping takes a microsecond

/// So many batches in a row that were gone when the queue's thread had woken for them, and it dozes.
constexpr uint32_t kBeaten = 8;
/// How long a doze is. A batch that nobody waits for after all is late by one to two.
constexpr auto kDoze = std::chrono::microseconds(100);
/// Dozes without a submission between them before the thread sleeps: looking costs some microseconds.
constexpr uint32_t kIdleDozes = 3;

bool isShort(const Submission& submission) {
  if (submission.binds.size() > kShortBinds) return false;
  uint64_t bytes = 0;
  for (const CommandBuffer* b : submission.buffers)
    if (b->workBytes > kShortBytes || (bytes += b->workBytes) > kShortBytes) return false;
  return true;
}

/// Whether what the batch waits for has happened.
bool ready(const Submission& submission) {
  for (const SemaphoreOp& w : submission.waits)
    if (!w.bound.reached()) return false;
  return true;
}

void bindSubmitted(Submission& submission, PendingWork& queue) {
  for (const SemaphoreOp& w : submission.waits) w.semaphore->waitSubmitted();
  for (SemaphoreOp& s : submission.signals) {
    s.timeline = s.semaphore->timeline();
    s.bound = s.semaphore->bindSignal(s.value);
    s.semaphore->work.store(&queue, std::memory_order_release);
  }
  if (submission.fence) submission.fence->work.store(&queue, std::memory_order_release);
}

}  // namespace

Queue::Queue(Device* owner, uint32_t queueFamily, uint32_t queueIndex, VkDeviceQueueCreateFlags queueFlags)
    : device(owner),
      family(queueFamily),
      index(queueIndex),
      flags(queueFlags),
      timeoutNs_(commandTimeoutNs()),
      watched_(std::make_unique<Watched>()) {}

Queue::~Queue() { stop(); }

void Queue::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  notifyWaiters();
  thread_.join();  // what still runs, against the rules, is watched to its end
  {
    std::lock_guard lock(mutex_);
    unwatched_ = true;
    watchdogWake_.notify_all();
  }
  watchdog_.join();
}

// The only exceptions here are the library's own: no memory, or no thread.
bool Queue::makeReplay() {
  if (replay_) return true;
  try {
    replay_ = std::make_unique<Replay>(*device, *watched_);
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

bool Queue::start() {
  if (!thread_.started() && !thread_.start("etzel-queue", [this] { loop(); })) return false;
  // Without a watchdog, for want of threads, work that does not end is never cancelled.
  if (timeoutNs_ && !watchdog_.started()) watchdog_.start("etzel-watchdog", [this] { watch(); });
  return true;
}

void Queue::inChild() {
  task::remake(mutex_), task::remake(changed_), task::remake(watchdogWake_);
  thread_.forget(), watchdog_.forget();
  device->lost = true;
  completed_ = submitted_.load();
  taken_ = dozing_ = false;
}

VkResult Queue::submit(Submission&& submission) {
  if (device->lost) {
    waitUntil(kForever, [&] { return device->ended(); });
    return VK_ERROR_DEVICE_LOST;
  }
  if (!submission.buffers.empty() && !makeReplay())
    return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for queue %u of family %u", index, family);
  for (SemaphoreOp& w : submission.waits) w.bound = w.semaphore->bindWait(w.value);
  if (completed_.load() == submitted_.load() && ready(submission) && isShort(submission)) {
    // Next to nothing to run and nothing to wait for: done at once, without waking a thread. The queue's own thread
    // has nothing and touches nothing.
    bindSubmitted(submission, batches_);
    submitted_.fetch_add(1);
    run(submission);
    return VK_SUCCESS;
  }
  if (!start()) return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no thread for queue %u of family %u", index, family);
  bool wake = true;
  {
    std::lock_guard lock(mutex_);
    pending_.emplace_back();
    bindSubmitted(submission, batches_);  // now nothing fails any more
    pending_.back() = std::move(submission);
    submitted_.fetch_add(1);
    wake = !dozing_;
  }
  if (wake) changed_.notify_one();
  return VK_SUCCESS;
}

VkResult Queue::waitIdle() {
  const uint64_t wanted = submitted_.load();
  const auto done = [&] { return completed_.load() >= wanted; };
  workUntil(&batches_, kForever, done);
  waitUntil(kForever, done);
  return device->ended() ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

void Queue::loop() {
  std::unique_lock lock(mutex_);
  const auto mine = [&] { return !taken_ && (stop_ || !pending_.empty()); };
  for (uint32_t beaten = 0;;) {
    while (!mine()) {
      changed_.wait(lock);
      if (!mine() && ++beaten >= kBeaten) doze(lock), beaten = 0;
    }
    if (pending_.empty()) return;
    runFirst(lock);
    beaten = 0;
  }
}

void Queue::doze(std::unique_lock<std::mutex>& lock) {
  dozing_ = true;
  uint64_t before = submitted_.load();
  for (uint32_t same = 0; same < kIdleDozes && !stop_;) {
    changed_.wait_for(lock, kDoze);
    same = submitted_.load() == before ? same + 1 : 0;
    if (same && !taken_ && !pending_.empty()) break;  // it lay there for a whole doze: nobody waits for it
    before = submitted_.load();
  }
  dozing_ = false;
}

bool Queue::runNext() {
  std::unique_lock lock(mutex_);
  if (taken_ || pending_.empty() || !ready(pending_.front())) return false;
  runFirst(lock);
  // The queue's thread went to sleep again when it found that batch taken.
  if ((!pending_.empty() && !dozing_) || stop_) changed_.notify_one();
  return true;
}

// Without the lock while the batch runs.
void Queue::runFirst(std::unique_lock<std::mutex>& lock) {
  taken_ = true;
  Submission next = std::move(pending_.front());
  pending_.pop_front();
  lock.unlock();
  run(next);
  lock.lock();
  taken_ = false;
}

void Queue::run(Submission& submission) {
  waitUntil(kForever, [&] { return stop_.load() || device->lost.load() || ready(submission); });

  watched_->cancel.store(0);
  if (!submission.buffers.empty() && !device->lost) {  // asked behind the store: see giveUp()
    watched_->progress.store(1);
    running_.store(true);
    if (timeoutNs_) {
      std::lock_guard lock(mutex_);
      if (!watchdogArmed_) {
        watchdogArmed_ = true;
        watchdogWake_.notify_all();
      }
    }
    replay(submission);
    running_.store(false);
  }
  if (!submission.binds.empty() && !device->lost) bind(submission);
  complete(submission);
}

void Queue::giveUp() {
  watched_->cancel.store(1);
  notifyWaiters();
}

void Queue::bind(const Submission& submission) {
  for (const SparseBind& b : submission.binds)
    if (!b.range->bind(b.offset, b.bytes, b.memory)) {
      (void)device->faults.lose(FaultCause::NoMemory, 0,
                                "the system has no mapping for sparse memory (vm.max_map_count)");
      return;
    }
}

void Queue::replay(const Submission& submission) try {
  const simd::FloatScope driverState;  // in the caller's thread, where the commands are short
  const bool captures = capturing();
  for (const CommandBuffer* buffer : submission.buffers)
    if (!replay_->run(*buffer)) {
      if (!device->lost)  // by an invocation that aborted
        (void)device->faults.lose(FaultCause::Timeout, timeoutNs_ / 1'000'000u,
                                  "nothing was finished for as long as ETZEL_TIMEOUT_MS says");
      break;
    }
  device->faults.settle();
  if (captures) captureTraffic();
} catch (const std::exception&) {
  // "Lost Device": the specification leaves nothing else for memory that is missing when commands run.
  (void)device->faults.lose(FaultCause::NoMemory, 0, "no memory to run a command");
}

// Signals happen even when the device is lost, so that no wait is left behind. After the last store below the
// application may destroy everything that the batch named.
void Queue::complete(Submission& submission) {
  for (const SemaphoreOp& s : submission.signals) Semaphore::signal(s.bound, s.timeline);
  Fence* fence = submission.fence;
  if (fence && fence->timed) fence->signaledNs = nowNs();
  if (fence) fence->word.store(1);
  completed_.fetch_add(1, std::memory_order_seq_cst);
  notifyWaiters();
}

// Sleeps while the queue is idle; while it is busy, looks a few times a second. Nothing on the way of a submission
// costs more than the lock that arms it.
void Queue::watch() {
  constexpr auto kInterval = std::chrono::milliseconds(200);
  StandStill work(std::chrono::nanoseconds(kInterval).count());
  std::unique_lock lock(mutex_);
  while (!unwatched_) {
    if (!watchdogArmed_) {
      watchdogWake_.wait(lock, [&] { return unwatched_ || watchdogArmed_; });
      continue;
    }
    watchdogWake_.wait_for(lock, kInterval, [&] { return unwatched_; });
    if (!running_.load()) {
      watchdogArmed_ = false;  // idle: the next batch arms it again
    } else if (work.look(nowNs(), watched_->progress.exchange(0)) > timeoutNs_) {
      watched_->cancel.store(1);
      notifyWaiters();  // vkCmdWaitEvents looks at it
    }
  }
}

}  // namespace etzel::icd
