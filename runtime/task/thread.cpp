#include "runtime/task/thread.h"

#include <signal.h>

#include <memory>
#include <new>

#include "runtime/simd/float_state.h"

namespace etzel::task {
namespace {

struct Start {
  std::string name;
  std::function<void()> body;
};

void* threadMain(void* argument) {
  const std::unique_ptr<Start> start(static_cast<Start*>(argument));
  pthread_setname_np(pthread_self(), start->name.c_str());
  simd::setDefaultFloatState();
  start->body();
  return nullptr;
}

}  // namespace

bool Thread::start(const std::string& name, std::function<void()> body) {
  join();
  auto start = std::unique_ptr<Start>(new (std::nothrow) Start{name, std::move(body)});
  if (!start) return false;
  // A thread inherits the mask of its maker: the application's handlers must not run on it.
  sigset_t all, own;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &own);
  started_ = pthread_create(&thread_, nullptr, threadMain, start.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &own, nullptr);
  if (started_) (void)start.release();
  return started_;
}

void Thread::join() {
  if (!started_) return;
  pthread_join(thread_, nullptr);
  started_ = false;
}

}  // namespace etzel::task
