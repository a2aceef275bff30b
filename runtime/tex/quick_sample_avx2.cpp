// quick_sample.inl.h with AVX2, called where the CPU has it. Headers come before the target changes, so that what they
// define inline stays baseline code.
#include <immintrin.h>

#include "runtime/format/convert.h"
#include "runtime/tex/quick_sample.h"

#pragma GCC push_options
#pragma GCC target("avx2")
#define ETZEL_QUICK_SAMPLE quickSampleAvx2
#include "runtime/tex/quick_sample.inl.h"
#pragma GCC pop_options
