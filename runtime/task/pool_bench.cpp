// What a loop costs when it is tiny, and how a dispatch of empty workgroups scales.
#include <benchmark/benchmark.h>

#include "runtime/task/dispatch.h"

namespace etzel::task {
namespace {

void emptyLoop(benchmark::State& state) {
  Pool pool(static_cast<uint32_t>(state.range(0)));
  for (auto _ : state) pool.parallelFor(16, [](uint32_t i, uint32_t) { benchmark::DoNotOptimize(i); });
}
BENCHMARK(emptyLoop)->Arg(1)->Arg(2)->Arg(4)->UseRealTime();

struct EmptyKernel : abi::Kernel {
  static abi::WarpStatus entry(const void*, abi::Warp* warp) {
    benchmark::DoNotOptimize(warp->sys);
    return abi::WarpStatus::Done;
  }
  abi::Executable exe{entry, nullptr};
  EmptyKernel() {
    info.localSize[0] = 64;
    info.sysValues = 1ull << uint32_t(abi::SysValue::GlobalIdX);
    executable = &exe;
  }
};

void emptyDispatch(benchmark::State& state) {
  Pool pool(static_cast<uint32_t>(state.range(0)));
  EmptyKernel kernel;
  abi::DispatchContext context;
  for (auto _ : state) benchmark::DoNotOptimize(dispatch(pool, kernel, context, {{0, 0, 0}, {64, 64, 1}}));
  state.SetItemsProcessed(state.iterations() * 64 * 64 * 8);  // warps
}
BENCHMARK(emptyDispatch)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace etzel::task
