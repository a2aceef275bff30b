// Which compute programs may have warps of eight workgroups (runtime/abi/groups_abreast.h).
#pragma once

#include "compiler/isa/program.h"

namespace etzel::isa {

/// Whether nobody can tell from the results of `program`, accesses that race with one another aside, that lanes are of
/// different workgroups: a compute program of workgroups one invocation wide that have no memory or barrier in common,
/// where no lane looks at another, and whose accesses have no order (no atomics, messages, fences, clocks).
bool canLieAbreast(const Program& program);

}  // namespace etzel::isa
