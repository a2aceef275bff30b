// One scenario with one failure, in a process of its own: the driver is as if just loaded, and may die.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "tests/out_of_memory/scenario.h"

namespace oom {

/// What fails. Callback*: the application's pAllocator. AddressSpace: the process may not get larger (RLIMIT_AS), so
/// the libraries in the driver get nothing either.
enum class Fault { None, Once, FromThenOn, NoCallbackFault, CallbackOnce, CallbackFromThenOn, AddressSpace };

struct Trial {
  const Entry* entry = nullptr;
  Fault fault = Fault::None;
  uint64_t at = 0;       ///< which request; AddressSpace: how many bytes the process may still get
  unsigned place = 0;    ///< which of the processes side by side this is
  size_t explained = 0;  ///< says on stderr where pieces of that size are from that are held in the end; 0: none
  std::string fills;     ///< the cache on disk is this folder, and optimized code is made at once; empty: another one
  std::string filled;    ///< the cache on disk begins as a copy of this folder
};

/// What a trial's process tells before it ends. In memory that both have.
struct Report {
  static constexpr size_t kMaxSizes = 4096, kMaxRequests = 1 << 18, kMaxFrames = 24;
  bool done;          ///< all below is there
  VkResult prepared;  ///< before anything failed
  VkResult result;    ///< of what had no memory
  VkResult reopened;  ///< of making what was lost anew
  VkResult probe;     ///< of a small dispatch behind it
  VkResult again;     ///< of the same scenario with memory
  uint64_t requests, refused;
  int64_t callbacksHeld;
  int descriptors, threads;  ///< that are left
  size_t sizeCount;
  size_t sizes[kMaxSizes];
  int64_t counts[kMaxSizes];
  bool own[kMaxRequests];
  const void* refusedAt[kMaxFrames + 1];
};

/// Starts the trial's process. It ends itself when it takes longer than its patience (SIGALRM).
pid_t start(const Trial& trial, Report& report);

}  // namespace oom
