// fork(): the child has one thread, and copies of every lock as it was. Owners of threads and locks are told, so that
// what a child makes itself works as in any process, and what it inherited can be destroyed without waiting for
// threads that are not there.
#pragma once

#include <functional>
#include <list>
#include <memory>

namespace etzel::task {

/// A member of what has threads or locks. Its functions must not throw.
class ForkHandler {
 public:
  /// `inChild` makes locks and condition variables anew (remake) and forgets threads (Thread::forget). `lock` and
  /// `unlock` are called around the fork, in the thread that forks and in the parent, for what a child goes on using.
  explicit ForkHandler(std::function<void()> inChild, std::function<void()> lock = nullptr,
                       std::function<void()> unlock = nullptr);
  ~ForkHandler();
  ForkHandler(const ForkHandler&) = delete;
  ForkHandler& operator=(const ForkHandler&) = delete;

 private:
  friend struct ForkRegistry;
  const std::function<void()> inChild_, lock_, unlock_;
  std::list<ForkHandler*>::iterator place_;
};

/// A lock or condition variable of which nobody knows who held it or waited for it.
template <class T>
void remake(T& object) {
  std::construct_at(&object);
}

}  // namespace etzel::task
