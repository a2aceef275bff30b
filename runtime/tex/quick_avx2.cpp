// The eight-lane paths with AVX2, called where the CPU has it. Headers come before the target changes, so that what
// they define inline stays baseline code.
#include <immintrin.h>

#include <array>
#include <utility>

#include "runtime/format/convert.h"
#include "runtime/msaa/fragment_surface.h"
#include "runtime/tex/address.h"
#include "runtime/tex/quick.h"

#pragma GCC push_options
#pragma GCC target("avx2")
#define ETZEL_AVX2 1
#define ETZEL_QUICK quickAvx2
#define ETZEL_EXECUTE executeAvx2
namespace etzel::tex {
namespace {
#include "runtime/tex/quick_vec.inl.h"
#include "runtime/tex/quick_formats.inl.h"
#include "runtime/tex/quick_kernels.inl.h"
#include "runtime/tex/quick_address.inl.h"
#include "runtime/tex/quick_square.inl.h"
#include "runtime/tex/quick_sample.inl.h"
#include "runtime/tex/quick_gather.inl.h"
#include "runtime/tex/quick_samples.inl.h"
#include "runtime/tex/quick_access.inl.h"
#include "runtime/tex/quick_execute.inl.h"
}  // namespace etzel::tex
#pragma GCC pop_options
