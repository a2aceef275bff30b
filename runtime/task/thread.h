// Threads of the driver: the application's signals go to its own threads, arithmetic is the driver's
// (runtime/simd/float_state.h), and debuggers see a name.
#pragma once

#include <pthread.h>

#include <functional>
#include <string>

namespace etzel::task {

class Thread {
 public:
  Thread() = default;
  ~Thread() { join(); }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  /// Runs `body`, which must not throw. `name`: at most 15 characters. \returns false when the system has no thread.
  bool start(const std::string& name, std::function<void()> body);
  bool started() const { return started_; }
  /// Waits until the body returns, if there is one.
  void join();
  /// In the child of a fork: there is no thread to wait for.
  void forget() { started_ = false; }

 private:
  pthread_t thread_{};
  bool started_ = false;
};

}  // namespace etzel::task
