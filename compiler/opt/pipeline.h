// The optimizer's front door: cheap passes over virtual registers, near linear in the program's length, run on every
// shader before register allocation, in the order of passes.def. Any thread.
#pragma once

#include <span>
#include <string_view>

#include "compiler/isa/program.h"
#include "runtime/base/result.h"

namespace etzel::opt {

/// Runs all passes. The program computes the same bits afterwards. Requires virtual registers whose groups are known
/// (Program::groups) and structured control flow; programs with base instructions are left alone. Builds with
/// assertions, and ETZEL_DEBUG=verify-passes, verify what each pass leaves: the error, Etzel's own mistake, names it.
Result<void> optimize(isa::Program& program);

/// A pass by itself, for tests and listings.
struct Pass {
  const char* id;    ///< the enumerator in passes.def; its tests are the suite <id>Pass
  const char* name;  ///< as ETZEL_DEBUG=print-after takes it
  const char* what;
  bool (*run)(isa::Program& program);  ///< true when it found something to do, where the order of passes asks for that
};
std::span<const Pass> passes();

/// A step of the order: a pass, and the one that must have found something to do, if there is one.
struct Step {
  const Pass* pass;
  const Pass* reason;  ///< null: always
};
std::span<const Step> steps();

/// ETZEL_DEBUG=print-after=NAME: prints the program if the step's name is the one asked for, or `all` is. Steps are the
/// passes, and `lower` and `allocate` around them.
void printAfter(std::string_view step, const isa::Program& program);

}  // namespace etzel::opt
