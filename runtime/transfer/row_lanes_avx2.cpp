// row_lanes.h for machines with AVX2 and F16C. Headers come before the target changes.
#include "runtime/transfer/row_lanes.h"

#include <immintrin.h>

#include "runtime/format/convert.h"

#define ETZEL_AVX2
#pragma GCC push_options
#pragma GCC target("avx2,f16c")
namespace etzel::transfer {
namespace {
#include "runtime/transfer/row_lanes.inl.h"
}  // namespace

const RowLanes kRowLanesAvx2 = kLanes;

}  // namespace etzel::transfer
#pragma GCC pop_options
