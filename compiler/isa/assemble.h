// Text to programs: the syntax that disassemble.h writes, and ATTILA's for base instructions. Pure, any thread.
//
// Directives, one a line: `.stage fragment`, `.temps 12` (words), `.scratch 64` (bytes per lane), `.shared 1024`,
// `.local 8 8 1`, `.const 1.0 0 0x7F 2` (the next c register), `.resource set binding handle stride count`, `.name
// foo`. A line may start with its number; `;` starts a comment. Without `.temps` the highest register named decides.
#pragma once

#include "compiler/isa/program.h"
#include "runtime/base/result.h"

namespace etzel::isa {

/// Error: InvalidShader, with the line number and what was expected there. The program is not verified.
Result<Program> assemble(std::string_view text);

}  // namespace etzel::isa
