// The cases for a host without vector instructions: nothing but the compilers' vector extensions and plain loops.
#define ETZEL_SIMD_PLAIN
#undef ETZEL_TARGET
#define ETZEL_TARGET plain
#include "runtime/simd/vec_cases_simd_test.cpp"
