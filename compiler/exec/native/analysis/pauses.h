// A barrier more, behind a loop with barriers: what tiles are filled for and what is stored in the end lie between the
// same two barriers then no longer, and warps that fill tiles side by side need not store side by side.
#pragma once

#include <optional>

#include "compiler/isa/program.h"

namespace etzel::native {

/// The program with a barrier behind each such loop that all invocations of a workgroup leave in the same round, where
/// nothing is read from memory or written there since the barrier before. Nothing where there is none.
std::optional<isa::Program> withPauses(const isa::Program& program);

}  // namespace etzel::native
