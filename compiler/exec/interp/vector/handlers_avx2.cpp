// The vector handlers again, for machines with AVX2, FMA and F16C. Headers come first, so that no inline function of
// theirs is compiled for AVX2 and then shared with code that runs everywhere.
#include "compiler/exec/interp/vector/handlers_prelude.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")
#define ETZEL_SIMD avx2
#include "compiler/exec/interp/vector/handlers.inc"
#pragma GCC pop_options

namespace etzel::interp {
HandlerGroups avx2Handlers() { return avx2::kGroups; }
}  // namespace etzel::interp
