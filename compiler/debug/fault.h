// What goes wrong in shaders without anybody telling, and where they want to be looked at: looked for at one
// instruction of a warp that is being debugged.
#pragma once

#include "compiler/debug/group_run.h"

namespace etzel::debugger {

enum class FaultKind : uint8_t {
  NotANumber,   ///< a result is NaN where no operand was, or infinite where all were finite
  OutOfBounds,  ///< a buffer, workgroup memory or a variable of the invocation is accessed behind its end
  DivisionByZero,
  Discard,  ///< invocations are discarded or become helpers
  Break,    ///< no fault: the shader wants it (NonSemantic.DebugBreak)
  Abort,    ///< invocations abort, and the device will be lost
  kCount
};
constexpr uint32_t bitOf(FaultKind kind) { return 1u << static_cast<uint32_t>(kind); }
/// As users name it: "nan", "bounds", "division", "discard", "break", "abort".
const char* nameOf(FaultKind kind);
/// For people: what it means.
const char* describe(FaultKind kind);

struct Fault {
  FaultKind kind;
  uint32_t lane;
};

/// The fault of one of the `kinds` (bits) that the next instruction of warp `w` is about to make, of `lanes`. Helper
/// invocations, those that were demoted among them, make none, since nothing of theirs is kept; breaks are for all.
std::optional<Fault> faultAhead(const GroupRun& run, uint32_t w, uint32_t kinds, LaneMask lanes);

}  // namespace etzel::debugger
