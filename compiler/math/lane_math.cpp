#include "compiler/math/lane_math.h"

#include <cstring>

#include "compiler/math/math.h"
#include "compiler/math/vector_builder.h"

namespace etzel::math {
namespace {

using V = VectorBuilder;

[[gnu::always_inline]] inline V::F load(const LaneWords* words) {
  V::F v;
  std::memcpy(&v, words, sizeof v);
  return v;
}
[[gnu::always_inline]] inline void store(LaneWords* words, const V::F& v) { std::memcpy(words->lane, &v, sizeof v); }

// One set of functions per target: name = attribute; B is its builder.
#define ETZEL_UNARY(name, target)                      \
  target void name(const LaneWords* x, LaneWords* r) { \
    B b;                                               \
    store(r, math::name(b, load(x)));                  \
  }
#define ETZEL_BINARY(name, target)                                         \
  target void name(const LaneWords* x, const LaneWords* y, LaneWords* r) { \
    B b;                                                                   \
    store(r, math::name(b, load(x), load(y)));                             \
  }
#define ETZEL_TABLE(space, target, builder)                                                                           \
  namespace space {                                                                                                   \
  using B = builder;                                                                                                  \
  ETZEL_UNARY(sin, target)                                                                                            \
  ETZEL_UNARY(cos, target) ETZEL_UNARY(tan, target) ETZEL_UNARY(asin, target) ETZEL_UNARY(acos, target)               \
      ETZEL_UNARY(atan, target) ETZEL_UNARY(exp2, target) ETZEL_UNARY(log2, target) ETZEL_UNARY(exp, target)          \
          ETZEL_UNARY(log, target) ETZEL_BINARY(atan2, target) ETZEL_BINARY(pow, target) constexpr LaneMath table = { \
              sin, cos, tan, asin, acos, atan, exp2, log2, exp, log, atan2, pow};                                     \
  }

#define ETZEL_BASELINE
ETZEL_TABLE(baseline, ETZEL_BASELINE, VectorBuilder)
ETZEL_TABLE(avx2, [[gnu::target("avx2,fma")]], FmaVectorBuilder)

}  // namespace

const LaneMath& baselineLaneMath() { return baseline::table; }

const LaneMath& laneMath() {
  static const bool hasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return hasAvx2 ? avx2::table : baseline::table;
}

}  // namespace etzel::math
