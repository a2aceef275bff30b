// The interpreter: the exact executor of the instruction set, what quick code (quick.h) and LLVM's code are measured
// against, and what runs where the host has neither. A program is decoded once into a compact array (Code); any number
// of threads may run it.
#pragma once

#include <memory>

#include "compiler/isa/program.h"
#include "runtime/base/result.h"
#include "runtime/simd/cpu.h"

namespace etzel::interp {

struct Code;
struct CodeDeleter {
  void operator()(Code* code) const;
};
using CodePtr = std::unique_ptr<Code, CodeDeleter>;

/// Prepares a verified program over real registers; every one can run. All targets give the same bytes.
Result<CodePtr> decode(const isa::Program& program, simd::Target target = simd::target());

/// The entry for abi::Executable: `code` is a Code*. See kernel.h for the warp's contract.
abi::WarpStatus run(const void* code, abi::Warp* warp);

/// Called after each instruction, with its index and the lanes that were active before it.
using TraceStep = void (*)(void* user, uint32_t inst, LaneMask lanes, const abi::Warp* warp);
/// As run(), and tells `step` about every instruction.
abi::WarpStatus runTraced(const void* code, abi::Warp* warp, TraceStep step, void* user);

/// Kernel::stateBytes: 0 without barriers.
uint32_t stateBytes(const Code& code);

}  // namespace etzel::interp
