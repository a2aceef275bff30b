// The depth test by blocks: layers of full-screen rectangles in both orders, a second pass with EQUAL, a net of
// triangles, and clears. No shading, so that the test is all there is; one thread, 1024 x 1024, float depth.
// Args: samples.
#include <benchmark/benchmark.h>

#include "raster/attachment/clear.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::TestImage;

constexpr int32_t kSize = 1024;
constexpr int kLayers = 8;

struct DepthScene {
  TestImage depth;
  Arena arena;
  DrawRecord draw;
  std::vector<BinnedPrimitive> list;
  std::unique_ptr<TileWorker> worker = makeTileWorker();
  DepthScene(uint32_t samples, VkCompareOp compare) : depth(VK_FORMAT_D32_SFLOAT, kSize, kSize, samples) {
    DrawState& s = draw.state;
    s.samples = samples;
    s.attachments.depth = &depth.view;
    s.depthTest = s.depthWrite = true, s.depthCompare = compare;
    prepareDraw(draw, arena);
  }
  void layer(float z) {
    list.push_back(testing::rectangle(draw, kSize, kSize, z));
    list.back().dzdx = 1.0f / 65536, list.back().dzdy = -1.0f / 65536;
  }
  void clear() { clearDepthRect(depth.view, 1, {{0, 0}, {kSize, kSize}}, 0); }
  void run() {
    std::vector<const BinnedPrimitive*> all;
    for (const BinnedPrimitive& p : list) all.push_back(&p);
    for (int32_t y = 0; y < kSize; y += kTileSize)
      for (int32_t x = 0; x < kSize; x += kTileSize)
        worker->run({x, y, 0, &draw.state.attachments, all.data(), static_cast<uint32_t>(all.size())});
  }
};

void count(benchmark::State& state, int layers) {
  state.counters["ns_per_pixel"] = benchmark::Counter(double(state.iterations()) * kSize * kSize * layers / 1e9,
                                                      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void layers(benchmark::State& state, float first, float step) {
  DepthScene scene(static_cast<uint32_t>(state.range(0)), VK_COMPARE_OP_LESS);
  for (int i = 0; i < kLayers; ++i) scene.layer(first + step * static_cast<float>(i));
  for (auto _ : state) {
    scene.clear();
    scene.run();
  }
  count(state, kLayers);
}
void FrontToBack(benchmark::State& state) { layers(state, 0.1f, 0.1f); }
void BackToFront(benchmark::State& state) { layers(state, 0.8f, -0.1f); }

/// A pass that finds what an earlier one left.
void Equal(benchmark::State& state) {
  DepthScene scene(static_cast<uint32_t>(state.range(0)), VK_COMPARE_OP_EQUAL);
  scene.draw.tile->depthStencil.compare = VK_COMPARE_OP_ALWAYS;
  scene.layer(0.5f);
  scene.run();
  scene.draw.tile->depthStencil.compare = VK_COMPARE_OP_EQUAL;
  for (auto _ : state) scene.run();
  count(state, 1);
}

/// Blocks that bounds do not decide: stored depth is noise around the layer's.
void Noise(benchmark::State& state) {
  DepthScene scene(static_cast<uint32_t>(state.range(0)), VK_COMPARE_OP_LESS);
  scene.draw.tile->depthStencil.depthWrite = false;
  scene.layer(0.5f);
  uint32_t seed = 1;
  for (size_t at = 0; at < scene.depth.layout.plane[0].samplePitch * scene.depth.layout.samples; at += 4) {
    const float z = static_cast<float>((seed = seed * 1664525 + 1013904223) >> 8) * 0x1p-24f;
    std::memcpy(&scene.depth.memory[at], &z, sizeof z);
  }
  for (auto _ : state) scene.run();
  count(state, 1);
}

void ClearDepth(benchmark::State& state) {
  DepthScene scene(static_cast<uint32_t>(state.range(0)), VK_COMPARE_OP_LESS);
  for (auto _ : state) scene.clear();
}

BENCHMARK(FrontToBack)->Arg(1)->Arg(4)->Arg(8)->Unit(benchmark::kMicrosecond);
BENCHMARK(BackToFront)->Arg(1)->Arg(4)->Arg(8)->Unit(benchmark::kMicrosecond);
BENCHMARK(Equal)->Arg(1)->Arg(4)->Arg(8)->Unit(benchmark::kMicrosecond);
BENCHMARK(Noise)->Arg(1)->Arg(4)->Unit(benchmark::kMicrosecond);
BENCHMARK(ClearDepth)->Arg(1)->Arg(8)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace etzel::raster
