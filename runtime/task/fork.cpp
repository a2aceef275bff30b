#include "runtime/task/fork.h"

#include <pthread.h>

#include <mutex>

namespace etzel::task {

struct ForkRegistry {
  std::mutex mutex;
  std::list<ForkHandler*> all;

  // Never destroyed: handlers may live until the process ends.
  static ForkRegistry& get() {
    static ForkRegistry* const registry = [] {
      auto* made = new ForkRegistry;
      pthread_atfork(before, inParent, inChild);
      return made;
    }();
    return *registry;
  }

  static void before() {
    get().mutex.lock();
    for (const ForkHandler* h : get().all)
      if (h->lock_) h->lock_();
  }
  static void inParent() {
    for (const ForkHandler* h : get().all)
      if (h->unlock_) h->unlock_();
    get().mutex.unlock();
  }
  static void inChild() {
    remake(get().mutex);
    for (const ForkHandler* h : get().all) h->inChild_();
  }
};

ForkHandler::ForkHandler(std::function<void()> inChild, std::function<void()> lock, std::function<void()> unlock)
    : inChild_(std::move(inChild)), lock_(std::move(lock)), unlock_(std::move(unlock)) {
  ForkRegistry& registry = ForkRegistry::get();
  std::lock_guard guard(registry.mutex);
  place_ = registry.all.insert(registry.all.end(), this);
}

ForkHandler::~ForkHandler() {
  ForkRegistry& registry = ForkRegistry::get();
  std::lock_guard guard(registry.mutex);
  registry.all.erase(place_);
}

}  // namespace etzel::task
