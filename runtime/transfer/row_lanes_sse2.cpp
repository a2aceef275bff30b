// row_lanes.h for every x86-64 machine, and the choice between both.
#include "runtime/transfer/row_lanes.h"

#include <emmintrin.h>

#include "runtime/format/convert.h"

namespace etzel::transfer {
namespace {
#include "runtime/transfer/row_lanes.inl.h"
}  // namespace

const RowLanes kRowLanesSse2 = kLanes;

const RowLanes& rowLanes() {
  static const bool hasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  return hasAvx2 ? kRowLanesAvx2 : kRowLanesSse2;
}

}  // namespace etzel::transfer
