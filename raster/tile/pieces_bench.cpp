// Nanoseconds per group of eight pixels, or per block where the name says so; for every target that this host runs.
#include "raster/tile/pieces_bench.h"

#include <string>

#include "runtime/simd/cpu.h"

namespace etzel::raster {
namespace {

template <class Variants>
void add(const char* name, const Variants& variants, std::initializer_list<int64_t> arguments) {
  for (const auto& variant : variants) {
    if (!simd::hostRuns(variant.target)) continue;
    const std::string full = name + ("/" + std::string(simd::targetName(variant.target)));
    for (const int64_t argument : arguments) benchmark::RegisterBenchmark(full.c_str(), variant.of)->Arg(argument);
  }
}

using Variant = simd::Variant<void(benchmark::State&)>;

[[maybe_unused]] const bool kAdded = [] {
  add("EdgeFunctionsPerBlock", std::initializer_list<Variant> ETZEL_VARIANTS(edgeFunctionsPerBlock), {1, 4, 8, 16});
  add("FragmentMaskMergePerBlock", std::initializer_list<Variant> ETZEL_VARIANTS(fragmentMaskMergePerBlock),
      {2, 4, 8, 16});
  add("PackBytesPerBlock", std::initializer_list<Variant> ETZEL_VARIANTS(packBytesPerBlock), {0xFF, 0x5F});
  add("BlendBytesPerBlock", std::initializer_list<Variant> ETZEL_VARIANTS(blendBytesPerBlock), {0xFF, 0x5F});
  return true;
}();

}  // namespace
}  // namespace etzel::raster
