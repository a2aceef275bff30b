// What warps write back at barriers: of the values that are needed later, those that may have changed since the warp's
// last barrier. The others lie in the warp's memory already.
#pragma once

#include "compiler/exec/native/analysis/webs.h"

namespace etzel::native {

/// Per barrier, in program order. A part of Webs::barriers.
std::vector<std::vector<Webs::Live>> valuesToSave(const Webs& webs);

}  // namespace etzel::native
