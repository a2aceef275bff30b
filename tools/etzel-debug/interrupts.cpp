#include "interrupts.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace etzel_debug {
namespace {

std::atomic<int> pressed{-1};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void onInterrupt(int) {
  const int was = errno;
  const char byte = 0;
  // A full pipe says it already.
  if (write(pressed.load(std::memory_order_relaxed), &byte, 1) < 0) errno = was;
}

}  // namespace

Interrupts::Interrupts(bool listen) {
  if (!listen || pipe2(pipe_, O_CLOEXEC | O_NONBLOCK)) return;
  pressed.store(pipe_[1]);
  struct sigaction action {};
  action.sa_handler = onInterrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

Interrupts::~Interrupts() {
  if (pipe_[0] < 0) return;
  signal(SIGINT, SIG_DFL);
  close(pipe_[0]), close(pipe_[1]);
}

void Interrupts::clear() {
  char bytes[64];
  while (pipe_[0] >= 0 && read(pipe_[0], bytes, sizeof bytes) > 0) continue;
}

void Interrupts::take() {
  char byte = 0;
  while (pipe_[0] >= 0 && read(pipe_[0], &byte, 1) < 0 && errno == EINTR) continue;
}

void Interrupts::press() {
  if (pipe_[1] >= 0) onInterrupt(SIGINT);
}

}  // namespace etzel_debug
