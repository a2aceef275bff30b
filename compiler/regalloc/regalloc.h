// Register allocation: virtual Temp words become at most isa::kMaxTempWords real ones. Any thread.
#pragma once

#include "compiler/isa/program.h"
#include "runtime/base/result.h"

namespace etzel::regalloc {

/// Rewrites every Temp operand; words of one group stay consecutive. What does not fit is kept in scratch memory, and
/// copies between registers that became the same disappear. Time is close to linear in the program's length.
///
/// Requires structured control flow (isa::verify). A program without groups already has real registers and is left
/// alone. Afterwards program.groups is empty and tempWords counts real words.
/// Error: InvalidShader when one instruction alone needs more registers than there are.
Result<void> allocate(isa::Program& program);

}  // namespace etzel::regalloc
