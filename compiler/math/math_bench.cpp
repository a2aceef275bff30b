// Time per warp of the functions that shaders use most, with and without AVX2.
#include <benchmark/benchmark.h>

#include <bit>

#include "compiler/math/lane_math.h"

namespace etzel::math {
namespace {

void unary(benchmark::State& state, const LaneMath& m, LaneMath::Unary LaneMath::*f) {
  LaneWords x, r;
  for (uint32_t l = 0; l < kWarpLanes; ++l) x[l] = std::bit_cast<uint32_t>(0.1f + 0.7f * float(l));
  for (auto _ : state) {
    (m.*f)(&x, &r);
    benchmark::DoNotOptimize(r);
  }
}
BENCHMARK_CAPTURE(unary, sin, laneMath(), &LaneMath::sin);
BENCHMARK_CAPTURE(unary, exp2, laneMath(), &LaneMath::exp2);
BENCHMARK_CAPTURE(unary, log2, laneMath(), &LaneMath::log2);
BENCHMARK_CAPTURE(unary, atan, laneMath(), &LaneMath::atan);
BENCHMARK_CAPTURE(unary, sinBaseline, ETZEL_BASELINE::kLaneMath, &LaneMath::sin);
BENCHMARK_CAPTURE(unary, exp2Baseline, ETZEL_BASELINE::kLaneMath, &LaneMath::exp2);

void power(benchmark::State& state, const LaneMath& m) {
  LaneWords x, y, r;
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    x[l] = std::bit_cast<uint32_t>(0.1f + 0.7f * float(l)), y[l] = std::bit_cast<uint32_t>(2.2f);
  for (auto _ : state) {
    m.pow(&x, &y, &r);
    benchmark::DoNotOptimize(r);
  }
}
BENCHMARK_CAPTURE(power, pow, laneMath());
BENCHMARK_CAPTURE(power, powBaseline, ETZEL_BASELINE::kLaneMath);

}  // namespace
}  // namespace etzel::math
