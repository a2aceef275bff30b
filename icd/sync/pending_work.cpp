#include "icd/sync/pending_work.h"

#include <pthread.h>

#include "runtime/base/thread_local.h"

namespace etzel::icd {
namespace {

constexpr uint64_t kPatientNs = 10'000'000'000;
constexpr size_t kStackBytes = 512 * 1024;

/// Whether the calling thread's stack has that much left below the caller's frame.
bool hasDeepStack() {
  // The lowest address that a frame may have. Found once a thread, since that takes 50 us in a process's first one.
  ETZEL_THREAD_LOCAL static uintptr_t lowest = 0;
  if (!lowest) {
    lowest = UINTPTR_MAX;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      void* begin = nullptr;
      size_t bytes = 0;
      if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0)
        lowest = reinterpret_cast<uintptr_t>(begin) + kStackBytes;
      pthread_attr_destroy(&attributes);
    }
  }
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) > lowest;
}

}  // namespace

bool mayWork(uint64_t timeoutNs) { return timeoutNs >= kPatientNs && hasDeepStack(); }

}  // namespace etzel::icd
