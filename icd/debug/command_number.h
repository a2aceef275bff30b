// The number of a draw or dispatch, for what looks into shader invocations: both are counted together from 0, in the
// order in which queues run them. It travels with the functions that shaders call.
#pragma once

#include "runtime/abi/kernel.h"
#include "runtime/base/arena.h"

namespace etzel::icd {

/// Gives the next draw or dispatch its number; `arena` lives until it has run. Queue threads. \returns the number
uint32_t numberCommand(abi::DispatchContext& context, Arena& arena);

/// The number of a context that has one.
uint32_t commandNumber(const abi::DispatchContext& context);

}  // namespace etzel::icd
