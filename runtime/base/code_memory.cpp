#include "runtime/base/code_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>

#include "runtime/base/log.h"

namespace etzel {
namespace {

std::atomic<bool> refused{false};

}  // namespace

bool makeExecutable(void* pages, size_t bytes) {
  auto* const first = static_cast<char*>(pages);
  __builtin___clear_cache(first, first + bytes);  // processors may hold what was there as instructions
  if (mprotect(pages, bytes, PROT_READ | PROT_EXEC) == 0) return true;
  if (errno != ENOMEM && !refused.exchange(true))
    logMessage(LogLevel::Warning,
               "this system lets no program make code while it runs (SELinux, seccomp or the like): "
               "shaders are interpreted, with the same results, many times slower");
  return false;
}

bool isCodeRefused() { return refused.load(std::memory_order_relaxed); }

}  // namespace etzel
