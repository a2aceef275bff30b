// The optimizer's front door: cheap passes over virtual registers, near linear in the program's length, run on every
// shader before register allocation. Any thread.
#pragma once

#include "compiler/isa/program.h"

namespace etzel::opt {

/// Runs all passes. The program computes the same bits afterwards. Requires virtual registers whose groups are known
/// (Program::groups) and structured control flow; programs with base instructions are left alone.
void optimize(isa::Program& program);

}  // namespace etzel::opt
