// LLVM's static initializers, and the relocation of its tables (runtime/portable/packed_relocations.cpp), run when the
// first kernel needs LLVM instead of when the driver is loaded: most processes never have a shader that is worth LLVM's
// optimization, and the 375 initializers touch 20 MB of code.
#pragma once

namespace etzel::native {

/// Runs them once; to be called before anything of LLVM is used. Any thread. Programs that are linked without
/// icd/deferred_llvm.ld have run them at their start, as usual: nothing is left to do.
void initializeLlvm();

}  // namespace etzel::native
