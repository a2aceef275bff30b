#include "runtime/task/pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include "runtime/base/thread_local.h"
#include "runtime/task/cpus.h"
#include "runtime/task/fork.h"
#include "runtime/task/thread.h"

#include "runtime/simd/cpu.h"

namespace etzel::task {
namespace {

constexpr uint32_t kMaxThreads = 256;
constexpr uint32_t kNoWorker = ~0u;
// A sleeping thread needs about 40 us to wake, so it pays to look around for about that long before sleeping.
constexpr auto kSpinTime = std::chrono::microseconds(60);

/// The number under which this thread runs a body; kNoWorker outside. Nested loops stay on their thread.
ETZEL_THREAD_LOCAL uint32_t currentWorker = kNoWorker;

uint32_t defaultThreads() {
  if (const char* text = secure_getenv("ETZEL_THREADS")) {
    const long n = std::strtol(text, nullptr, 10);
    if (n > 0) return static_cast<uint32_t>(std::min<long>(n, kMaxThreads));
  }
  return std::min(availableCpus(), kMaxThreads);
}

void relax(bool fewCpus) {
  if (fewCpus) {
    sched_yield();  // the thread that we wait for may need this CPU
    return;
  }
  for (int i = 0; i < 16; ++i) simd::pause();
}

/// One parallelFor in progress; lives on its caller's stack. `users` counts the workers inside, changed under the
/// pool's mutex only, so that the loop outlives everyone who touches it.
struct Loop {
  const std::function<void(uint32_t, uint32_t)>* body;
  uint32_t count;
  std::atomic<uint32_t> next{0};
  std::atomic<uint32_t> users{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;  ///< what the first body that threw threw; written by who sets `failed`

  bool hasWork() const { return next.load(std::memory_order_relaxed) < count; }
  void runAll(uint32_t worker) {
    currentWorker = worker;
    while (hasWork()) {
      const uint32_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) break;
      try {
        (*body)(i, worker);
      } catch (const std::exception&) {
        if (!failed.exchange(true)) error = std::current_exception();
        next.store(count, std::memory_order_relaxed);  // nobody begins another one
      }
    }
    currentWorker = kNoWorker;
  }
};

}  // namespace

struct Pool::Impl {
  uint32_t threads = 1;
  bool fewCpus = true;
  std::mutex callerSlot;  ///< worker number 0: held by the one caller that runs bodies itself

  std::mutex mutex;
  std::condition_variable workArrived, loopDone;
  std::vector<Loop*> loops;  ///< oldest first
  std::deque<Thread> workers;
  bool started = false;
  uint32_t sleepers = 0;
  std::atomic<uint32_t> epoch{0};  ///< counts publications; idle workers watch it
  std::atomic<bool> stop{false};
  ForkHandler forkHandler{[this] { inChild(); }};

  /// The workers stayed with the parent. Loops run on their callers alone.
  void inChild() {
    remake(callerSlot), remake(mutex), remake(workArrived), remake(loopDone);
    for (Thread& worker : workers) worker.forget();
    workers.clear();
    loops.clear();
    started = true;
    sleepers = 0;
  }

  /// Starts the workers: the first loop pays, so that an idle device has none. Caller holds `mutex`.
  void start() {
    if (started) return;
    loops.reserve(16);
    started = true;
    for (uint32_t w = 1; w < threads; ++w) {
      if (workers.emplace_back().start("etzel-w" + std::to_string(w), [this, w] { work(w); })) continue;
      workers.pop_back();  // fewer workers are slower, not wrong
      break;
    }
  }

  /// Takes the mutex, which nobody holds for long. When a loop begins or ends, all workers want it at once: those that
  /// had to sleep for it would wake later than the others need for the loop.
  void take(std::unique_lock<std::mutex>& lock) const {
    constexpr int kTries = 200;
    for (int i = 0; !fewCpus && i < kTries; ++i) {
      if (lock.try_lock()) return;
      simd::pause();
    }
    lock.lock();
  }

  Loop* findWork() {
    for (Loop* loop : loops)
      if (loop->hasWork()) return loop;
    return nullptr;
  }

  void work(uint32_t worker) {
    std::unique_lock lock(mutex);
    while (true) {
      if (Loop* loop = findWork()) {
        loop->users.fetch_add(1, std::memory_order_relaxed);
        lock.unlock();
        loop->runAll(worker);
        take(lock);
        if (loop->users.fetch_sub(1, std::memory_order_release) == 1) loopDone.notify_all();
        continue;
      }
      if (stop.load(std::memory_order_relaxed)) return;
      const uint32_t seen = epoch.load(std::memory_order_relaxed);
      lock.unlock();
      const auto until = std::chrono::steady_clock::now() + kSpinTime;
      while (epoch.load(std::memory_order_acquire) == seen && !stop.load(std::memory_order_relaxed) &&
             std::chrono::steady_clock::now() < until)
        relax(fewCpus);
      take(lock);
      if (epoch.load(std::memory_order_relaxed) == seen && !stop.load(std::memory_order_relaxed)) {
        ++sleepers;
        workArrived.wait(lock, [&] {
          return epoch.load(std::memory_order_relaxed) != seen || stop.load(std::memory_order_relaxed);
        });
        --sleepers;
      }
    }
  }

  /// Offers `loop` to the workers. \returns false when there are none.
  bool publish(Loop& loop) {
    std::unique_lock lock(mutex, std::defer_lock);
    take(lock);
    start();
    if (workers.empty()) return false;
    loops.push_back(&loop);
    epoch.fetch_add(1, std::memory_order_release);
    const uint32_t wake = std::min(sleepers, loop.count);
    lock.unlock();
    if (wake >= workers.size())
      workArrived.notify_all();
    else
      for (uint32_t i = 0; i < wake; ++i) workArrived.notify_one();
    return true;
  }

  /// Waits until every index of `loop` has run, then withdraws it.
  void finish(Loop& loop) {
    const auto until = std::chrono::steady_clock::now() + kSpinTime;
    while ((loop.hasWork() || loop.users.load(std::memory_order_acquire) != 0) &&
           std::chrono::steady_clock::now() < until)
      relax(fewCpus);
    std::unique_lock lock(mutex, std::defer_lock);
    take(lock);
    // A worker joins only while there is work, so "no work and no users" is final.
    loopDone.wait(lock, [&] { return !loop.hasWork() && loop.users.load(std::memory_order_acquire) == 0; });
    loops.erase(std::find(loops.begin(), loops.end(), &loop));
  }
};

Pool::Pool(uint32_t threads) : impl_(std::make_unique<Impl>()) {
  impl_->threads = threads ? std::min(threads, kMaxThreads) : defaultThreads();
  impl_->fewCpus = availableCpus() <= 4 || impl_->threads > availableCpus();
}

Pool::~Pool() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stop.store(true, std::memory_order_relaxed);
  }
  impl_->workArrived.notify_all();
  for (Thread& worker : impl_->workers) worker.join();
}

uint32_t Pool::threads() const { return impl_->threads; }

void Pool::parallelFor(uint32_t count, const std::function<void(uint32_t index, uint32_t worker)>& body) {
  if (count == 0) return;
  if (currentWorker != kNoWorker) {  // inside a body: this thread already has a number
    for (uint32_t i = 0; i < count; ++i) body(i, currentWorker);
    return;
  }
  Loop loop{&body, count};
  if (count > 1 && impl_->threads > 1 && impl_->publish(loop)) {
    // Number 0 may be taken by another queue's loop. Then the workers do this one alone.
    if (std::unique_lock slot(impl_->callerSlot, std::try_to_lock); slot.owns_lock()) loop.runAll(0);
    impl_->finish(loop);
  } else {
    std::lock_guard slot(impl_->callerSlot);
    loop.runAll(0);
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace etzel::task
