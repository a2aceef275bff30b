#include "compiler/math/lane_math.h"
#include "compiler/math/math.h"
#include "compiler/math/vector_builder.h"

namespace etzel::math::ETZEL_TARGET {
namespace {

#define ETZEL_UNARY(name)                                      \
  void name(const LaneWords* x, LaneWords* r) {                \
    VectorBuilder b;                                           \
    simd::store(r, math::name(b, simd::load<simd::F32x8>(x))); \
  }
#define ETZEL_BINARY(name)                                                                 \
  void name(const LaneWords* x, const LaneWords* y, LaneWords* r) {                        \
    VectorBuilder b;                                                                       \
    simd::store(r, math::name(b, simd::load<simd::F32x8>(x), simd::load<simd::F32x8>(y))); \
  }
ETZEL_UNARY(sin)
ETZEL_UNARY(cos)
ETZEL_UNARY(tan)
ETZEL_UNARY(asin)
ETZEL_UNARY(acos)
ETZEL_UNARY(atan)
ETZEL_UNARY(exp2)
ETZEL_UNARY(log2)
ETZEL_UNARY(exp)
ETZEL_UNARY(log)
ETZEL_BINARY(atan2)
ETZEL_BINARY(pow)
#undef ETZEL_UNARY
#undef ETZEL_BINARY

constexpr LaneMath kTable = {sin, cos, tan, asin, acos, atan, exp2, log2, exp, log, atan2, pow};

}  // namespace

const LaneMath kLaneMath = kTable;

}  // namespace etzel::math::ETZEL_TARGET
