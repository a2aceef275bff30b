#include "compiler/exec/native/deferred_init.h"

#include <atomic>
#include <mutex>

namespace {

std::atomic<bool> initialized{false};

}  // namespace

extern "C" {

// The bounds of LLVM's part of .init_array, by icd/deferred_llvm.ld.
using Initializer = void (*)();
[[gnu::weak, gnu::visibility("hidden")]] extern const Initializer etzel_llvm_init_begin[], etzel_llvm_init_end[];

// Relocates LLVM's tables of addresses; null where the dynamic linker has done it
// (runtime/portable/packed_relocations.cpp).
[[gnu::weak, gnu::visibility("hidden")]] void etzelRelocateLlvm();

// The linker's --wrap: the driver's calls of __cxa_atexit come here. Destructors run in the reverse order of their
// registration, so those of LLVM's statics would run before the exit handlers of an application that has a device by
// then, and take away what its kernels stand on. Nothing needs them: the process ends. What registered while the driver
// was loaded (iostreams) is flushed as usual.
[[gnu::weak]] int __real___cxa_atexit(void (*destroy)(void*), void* object, void* library);
[[gnu::visibility("hidden"), gnu::used]] int __wrap___cxa_atexit(void (*destroy)(void*), void* object, void* library) {
  return initialized.load(std::memory_order_relaxed) ? 0 : __real___cxa_atexit(destroy, object, library);
}

}  // extern "C"

namespace etzel::native {

void initializeLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (etzelRelocateLlvm) etzelRelocateLlvm();
    initialized.store(true, std::memory_order_relaxed);
    for (const Initializer* i = etzel_llvm_init_begin; i != etzel_llvm_init_end; ++i) (*i)();
  });
}

}  // namespace etzel::native
