// The rules that every program obeys before an executor sees it. Executors rely on them and check nothing again:
// operands are present, in banks and ranges that exist; types are legal; control flow nests. Pure, any thread.
#pragma once

#include "compiler/isa/info.h"
#include "runtime/base/result.h"

namespace etzel::isa {

/// Deepest nesting of if, block and loop together; executors keep a stack of this many entries.
inline constexpr uint32_t kMaxControlDepth = 2048;

/// Virtual programs (before register allocation) may use any number of Temp words.
enum class VerifyMode { VirtualRegisters, RealRegisters };

/// Error: InvalidShader, with the number and the text of the first instruction that breaks a rule. Programs with real
/// registers, which are about to run, are verified with their information.
Result<void> verify(const Program& program, VerifyMode mode);

/// The same for what the program says of itself (ProgramInfo) and asks for.
Result<void> verifyInfo(const Program& program);

/// Words of the In and Out banks that the stage has.
uint32_t inWords(const Program& program);
uint32_t outWords(const Program& program);

}  // namespace etzel::isa
