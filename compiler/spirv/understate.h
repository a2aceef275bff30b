// Modules for spirv-val. Some of its rules are narrower than the specification with the extensions that the driver
// has; what they are about is replaced by instructions with the same ids, types and uses that any version accepts, so
// that every other rule is still checked on the whole module:
//
//   Component on an array of arrays, where one level is the per-vertex one: the decoration goes
//   Offset operands that are no constants, of instructions that do not gather (VK_KHR_maintenance8): the operand goes,
//     and a copy of the offset before the instruction keeps its definition and type in view
//   FloatControls2, its modes and decorations, and maximal reconvergence, which an older spirv-val does not know: they
//   go bit fields, counts and reversals that are not 32 bits wide (VK_KHR_maintenance9): other integer operations
//
// What the replaced operand or decoration may be is checked here.
#pragma once

#include <span>
#include <vector>

#include "runtime/base/result.h"

namespace etzel::spirv {

/// The module to validate in place of `words`, which are in the host's byte order; empty: `words` as they are. Takes
/// any words; whatever is no module is left for spirv-val to refuse. InvalidShader where what is replaced breaks a rule
/// itself.
Result<std::vector<uint32_t>> understate(std::span<const uint32_t> words);

}  // namespace etzel::spirv
