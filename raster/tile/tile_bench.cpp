// What a tile costs beside its kernels: full-screen rectangles and small triangles with a kernel that only writes a
// constant colour. One thread, 1920 x 1080.
#include <benchmark/benchmark.h>

#include "raster/attachment/clear.h"
#include "raster/attachment/resolve_job.h"
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
  state.counters["ns_per_pixel"] = benchmark::Counter(double(state.iterations()) * kWidth * kHeight / 1e9,
                                                      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
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
void Format(benchmark::State& state) {
  constexpr VkFormat kFormats[] = {VK_FORMAT_R8_UNORM,
                                   VK_FORMAT_R8G8_UNORM,
                                   VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                   VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                   VK_FORMAT_R16G16_SFLOAT,
                                   VK_FORMAT_R16G16B16A16_SFLOAT,
                                   VK_FORMAT_R32G32B32A32_SFLOAT};
  const VkFormat format = kFormats[state.range(0)];
  state.SetLabel(format::find(format)->name);
  Scene scene(1, false, state.range(1) != 0, format);
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

/// A net of right triangles over the whole picture, legs of 40 pixels: 8 % of the pixels have an edge.
void Net(benchmark::State& state) {
  Scene scene(static_cast<uint32_t>(state.range(0)), false, false);
  constexpr int64_t kLeg = 40 * 256 + 77;
  for (int64_t y = 100; y + kLeg < kHeight * 256; y += kLeg) {
    for (int64_t x = 100; x + kLeg < kWidth * 256; x += kLeg) {
      for (int upper = 0; upper < 2; ++upper) {
        BinnedPrimitive p = testing::rectangle(scene.draw, 0, 0, 0.5f);
        p.minX = static_cast<int32_t>(x >> 8), p.minY = static_cast<int32_t>(y >> 8);
        p.maxX = static_cast<int32_t>((x + kLeg + 255) >> 8), p.maxY = static_cast<int32_t>((y + kLeg + 255) >> 8);
        p.edgeCount = 3;
        p.edge[0] = testing::edgeThrough(x, y, x + kLeg, y + kLeg);
        if (upper) {
          p.edge[0] = testing::edgeThrough(x + kLeg, y + kLeg, x, y);
          p.edge[1] = testing::edgeThrough(x, y, x + kLeg, y);
          p.edge[2] = testing::edgeThrough(x + kLeg, y, x + kLeg, y + kLeg);
        } else {
          p.edge[1] = testing::edgeThrough(x + kLeg, y + kLeg, x, y + kLeg);
          p.edge[2] = testing::edgeThrough(x, y + kLeg, x, y);
        }
        scene.list.push_back(p);
      }
    }
  }
  // Bins by hand: a tile walks only what touches it.
  struct Bin {
    int32_t x, y;
    std::vector<const BinnedPrimitive*> list;
  };
  std::vector<Bin> bins;
  for (int32_t y = 0; y < kHeight; y += kTileSize)
    for (int32_t x = 0; x < kWidth; x += kTileSize) {
      bins.push_back({x, y, {}});
      for (const BinnedPrimitive& p : scene.list)
        if (p.minX < x + int32_t{kTileSize} && p.maxX > x && p.minY < y + int32_t{kTileSize} && p.maxY > y)
          bins.back().list.push_back(&p);
    }
  std::unique_ptr<TileWorker> worker = makeTileWorker();
  for (auto _ : state)
    for (const Bin& bin : bins)
      worker->run(
          {bin.x, bin.y, 0, &scene.draw.state.attachments, bin.list.data(), static_cast<uint32_t>(bin.list.size())});
  const msaa::FragmentSurface s = surfaceOf(&scene.color.view).fragments(0);
  uint64_t edges = 0;
  for (uint32_t y = 0; s && y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) edges += s.maskAt(x, y) != 0;
  state.counters["edge_percent"] = 100.0 * static_cast<double>(edges) / (double{kWidth} * kHeight);
}

/// Clears a whole surface, as loadOp does.
void ClearSurface(benchmark::State& state) {
  TestImage image(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, static_cast<uint32_t>(state.range(0)));
  VkClearColorValue value{{0.25f, 0.5f, 0.75f, 1.0f}};
  const VkRect2D all{{0, 0}, {kWidth, kHeight}};
  for (auto _ : state) {
    value.float32[0] = value.float32[0] > 0.5f ? 0.25f : 1.0f;
    clearColorRect(image.view, value, all, 0, reserveClearColor(image.view, value, all, 0, true));
  }
}
/// What ClearSurface is measured against: every sample of the surface written.
void FillMemory(benchmark::State& state) {
  std::vector<uint32_t> memory(size_t{kWidth} * kHeight * static_cast<uint32_t>(state.range(0)));
  for (auto _ : state) {
    std::fill(memory.begin(), memory.end(), 0x12345678u);
    benchmark::ClobberMemory();
  }
}
/// Resolves a surface without edges; 1 sample is a copy.
void ResolveSurface(benchmark::State& state) {
  TestImage from(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, static_cast<uint32_t>(state.range(0)));
  TestImage to(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight);
  for (auto _ : state)
    resolveAttachment(nullptr, {&from.view, &to.view, VK_IMAGE_ASPECT_COLOR_BIT, VK_RESOLVE_MODE_AVERAGE_BIT},
                      {{0, 0}, {kWidth, kHeight}}, 1, 0);
}

/// Resolves a surface of half floats, every 14th pixel of which has two fragments.
void ResolveHalves(benchmark::State& state) {
  TestImage from(VK_FORMAT_R16G16B16A16_SFLOAT, kWidth, kHeight, static_cast<uint32_t>(state.range(0)));
  TestImage to(VK_FORMAT_R16G16B16A16_SFLOAT, kWidth, kHeight);
  const msaa::FragmentSurface s = surfaceOf(&from.view).fragments(0);
  const std::byte texel[8] = {};
  for (uint32_t pixel = 0; s && pixel < kWidth * kHeight; pixel += 14)
    s.writeSamples(pixel % kWidth, pixel / kWidth, 1, texel);
  for (auto _ : state)
    resolveAttachment(nullptr, {&from.view, &to.view, VK_IMAGE_ASPECT_COLOR_BIT, VK_RESOLVE_MODE_AVERAGE_BIT},
                      {{0, 0}, {kWidth, kHeight}}, 1, 0);
}

BENCHMARK(Net)->Arg(1)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(ClearSurface)->Arg(8)->Unit(benchmark::kMicrosecond);
BENCHMARK(FillMemory)->Arg(8)->Unit(benchmark::kMicrosecond);
BENCHMARK(ResolveSurface)->Arg(1)->Arg(8)->Unit(benchmark::kMicrosecond);
BENCHMARK(ResolveHalves)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(Opaque)->Arg(1)->Arg(2)->Arg(4)->Arg(8)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK(OpaqueDepth)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK(Blend)->Arg(1)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(Format)->ArgsProduct({{0, 1, 2, 3, 4, 5, 6}, {0, 1}})->Unit(benchmark::kMillisecond);
BENCHMARK(Triangles)->Args({1, 3})->Args({1, 10})->Args({4, 10})->Args({1, 25});

}  // namespace
}  // namespace etzel::raster
