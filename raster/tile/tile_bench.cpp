// What a tile costs beside its kernels: full-screen rectangles and small triangles with a kernel that only writes a
// constant colour. One thread, 1920 x 1080.
#include <benchmark/benchmark.h>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::TestImage;

constexpr int32_t kWidth = 1920, kHeight = 1080;

// Whole vectors, as compiled kernels store: narrower stores could not be forwarded to the loads of the output.
__attribute__((target("avx2"))) abi::WarpStatus constantColor(const void*, abi::Warp* warp) {
  using Words = uint32_t __attribute__((vector_size(32)));
  const Words half = {0x3F000000, 0x3F000000, 0x3F000000, 0x3F000000, 0x3F000000, 0x3F000000, 0x3F000000, 0x3F000000};
  for (uint32_t c = 0; c < 4; ++c) std::memcpy(&warp->out[abi::kFragOutColor + c], &half, sizeof half);
  return abi::WarpStatus::Done;
}

struct ConstantKernel : abi::Kernel {
  abi::Executable code;
  ConstantKernel() {
    info.outputLocations = 1;
    info.stage = abi::Stage::Fragment;
    code.entry = constantColor;
    executable = &code;
  }
};

struct Scene {
  TestImage color, depth;
  ConstantKernel kernel;
  DrawRecord draw;
  Arena arena;
  std::vector<BinnedPrimitive> list;
  Scene(uint32_t samples, bool withDepth, bool blend, VkFormat format = VK_FORMAT_R8G8B8A8_UNORM)
      : color(format, kWidth, kHeight, samples), depth(VK_FORMAT_D32_SFLOAT, kWidth, kHeight, samples) {
    DrawState& s = draw.state;
    s.fragment = &kernel;
    s.samples = samples;
    s.attachments.color[0] = &color.view, s.attachments.colorCount = 1;
    if (withDepth) {
      s.attachments.depth = &depth.view;
      s.depthTest = s.depthWrite = true;
      s.depthCompare = VK_COMPARE_OP_GREATER_OR_EQUAL;
    }
    BlendAttachment& b = s.blend[0];
    b.enable = blend;
    b.srcColor = VK_BLEND_FACTOR_SRC_ALPHA, b.dstColor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    prepareDraw(draw, arena);
  }
};

void fullScreen(benchmark::State& state, Scene& scene) {
  scene.list.push_back(testing::rectangle(scene.draw, kWidth, kHeight, 0.5f));
  testing::Runner runner;
  for (auto _ : state) runner.run(scene.draw.state.attachments, scene.list, kWidth, kHeight);
  state.counters["ns_per_pixel"] = benchmark::Counter(
      double(state.iterations()) * kWidth * kHeight / 1e9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
void Opaque(benchmark::State& state) {
  Scene scene(static_cast<uint32_t>(state.range(0)), false, false);
  fullScreen(state, scene);
}
void OpaqueDepth(benchmark::State& state) {
  Scene scene(static_cast<uint32_t>(state.range(0)), true, false);
  fullScreen(state, scene);
}
void Blend(benchmark::State& state) {
  Scene scene(static_cast<uint32_t>(state.range(0)), false, true);
  fullScreen(state, scene);
}
void Half(benchmark::State& state) {
  Scene scene(static_cast<uint32_t>(state.range(0)), false, false, VK_FORMAT_R16G16B16A16_SFLOAT);
  fullScreen(state, scene);
}

/// Right triangles with legs of range(1) pixels, two per square.
void Triangles(benchmark::State& state) {
  Scene scene(static_cast<uint32_t>(state.range(0)), true, false);
  int64_t size = state.range(1) * 256;
  int32_t tiles = 0;
  std::vector<BinnedPrimitive> list;
  for (int64_t y = 64; y + size < 64 * 256; y += size) {
    for (int64_t x = 64; x + size < 64 * 256; x += size) {
      for (int upper = 0; upper < 2; ++upper) {
        BinnedPrimitive p = testing::rectangle(scene.draw, 0, 0, 0.5f);
        p.minX = static_cast<int32_t>(x >> 8), p.minY = static_cast<int32_t>(y >> 8);
        p.maxX = static_cast<int32_t>((x + size + 255) >> 8), p.maxY = static_cast<int32_t>((y + size + 255) >> 8);
        p.edgeCount = 3;
        if (upper) {
          p.edge[0] = testing::edgeThrough(x, y, x + size, y);
          p.edge[1] = testing::edgeThrough(x + size, y, x + size, y + size);
          p.edge[2] = testing::edgeThrough(x + size, y + size, x, y);
        } else {
          p.edge[0] = testing::edgeThrough(x, y, x + size, y + size);
          p.edge[1] = testing::edgeThrough(x + size, y + size, x, y + size);
          p.edge[2] = testing::edgeThrough(x, y + size, x, y);
        }
        list.push_back(p);
      }
    }
  }
  testing::Runner runner;
  for (auto _ : state) runner.run(scene.draw.state.attachments, list, kTileSize, kTileSize), ++tiles;
  state.counters["ns_per_triangle"] = benchmark::Counter(double(tiles) * double(list.size()) / 1e9,
                                                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(Opaque)->Arg(1)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(OpaqueDepth)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK(Blend)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK(Half)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(Triangles)->Args({1, 3})->Args({1, 10})->Args({4, 10})->Args({1, 25});

}  // namespace
}  // namespace etzel::raster
