// What names mean in a frame of a stopped invocation, and storing to them.
#pragma once

#include "compiler/debug/expression.h"
#include "compiler/debug/group_run.h"

namespace etzel::debugger {

/// Which names are listed together.
enum class ScopeKind : uint8_t { Locals, Inputs, Outputs, Globals };

/// Variables of a frame that belong to a scope, inner ones first. Values without a name of their own, which modules
/// without names consist of, are locals.
std::vector<uint32_t> variablesOf(const GroupRun& run, Thread t, size_t frame, ScopeKind kind);

/// Names of a frame: variables, and members of blocks that have no name. `others`: asked for what is neither.
Names namesIn(const GroupRun& run, Thread t, size_t frame, Names others = {});

/// Stores a value to a part of a variable. Errors: another number of components, or a place that cannot be stored to.
Result<void> assign(GroupRun& run, Thread t, uint32_t variable, std::span<const uint32_t> path, const Value& value);

}  // namespace etzel::debugger
