// The number of a draw or dispatch, for what looks into shader invocations: both are counted together from 0, in the
// order in which queues run them. It travels with the functions that shaders call.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include <span>

#include "runtime/abi/kernel.h"
#include "runtime/base/arena.h"

namespace etzel::icd {

class PrintLog;
struct Object;

/// A draw or dispatch, as those know it who look for one.
struct CommandPlace {
  uint32_t number = 0;
  std::span<const char* const> labels = {};  ///< debug label regions around it, the outermost first
  const Object* pipeline = nullptr;          ///< null: shader objects
};

/// Gives the next draw or dispatch its number; `arena` lives until it has run. Queue threads. `prints` takes what its
/// shaders print; null: nobody listens.
void numberCommand(abi::DispatchContext& context, Arena& arena, PrintLog* prints);

/// The number of a context that has one.
uint32_t commandNumber(const abi::DispatchContext& context);

}  // namespace etzel::icd

#endif
