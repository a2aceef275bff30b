// Runs compute kernels: workgroups over the pool, warps of a workgroup in turn, barrier by barrier. One worker runs a
// whole workgroup, so shared memory needs no atomics between warps.
#pragma once

#include "runtime/abi/kernel.h"
#include "runtime/task/pool.h"

namespace etzel::task {

struct DispatchSize {
  uint32_t base[3] = {0, 0, 0};
  uint32_t count[3] = {1, 1, 1};
};

/// \returns false when the watchdog cancelled it. \throws std::bad_alloc when there is no memory for its warps.
bool dispatch(Pool& pool, const abi::Kernel& kernel, const abi::DispatchContext& context, const DispatchSize& size);

}  // namespace etzel::task
