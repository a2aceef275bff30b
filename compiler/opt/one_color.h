// Which fragment programs give all fragments of a primitive the same colours.
#pragma once

#include "compiler/isa/program.h"

namespace etzel::opt {

/// Whether `program`, a fragment program, does nothing but give colours, and those depend on nothing in which fragments
/// of one primitive differ: then one invocation may stand for all of them (abi::Kernel::oneColor). Reads of buffers
/// count as equal: who stores there meanwhile races with all invocations.
bool givesOneColor(const isa::Program& program);

}  // namespace etzel::opt
