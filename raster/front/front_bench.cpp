// What the front end costs per triangle: a grid of small triangles, indexed, with a vertex kernel that only copies.
// Nothing is flushed inside the timed part.
#include <benchmark/benchmark.h>

#include "raster/pass/render_pass.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

void BM_FrontEnd(benchmark::State& bench) {
  const uint32_t side = uint32_t(bench.range(0)), size = side == 1 ? 8 : 1024;
  testing::TestImage image(VK_FORMAT_R8G8B8A8_UNORM, size, size);
  testing::TestKernel vertex([](abi::Warp& w) {
    for (uint32_t c = 0; c < 4; ++c) w.out[c] = w.in[c], w.out[16 + c] = w.in[c];
  });
  vertex.info.stage = abi::Stage::Vertex;
  vertex.info.inputLocations = vertex.info.outputLocations = 1;
  testing::TestKernel fragment([](abi::Warp&) {});
  fragment.info.inputLocations = 1;
  std::vector<float> vertices;
  std::vector<uint32_t> indices;
  for (uint32_t y = 0; y <= side; ++y) {
    for (uint32_t x = 0; x <= side; ++x) {
      vertices.insert(vertices.end(), {2.0f * x / side - 1, 2.0f * y / side - 1, 0.5f, 1.0f});
    }
  }
  for (uint32_t y = 0; y < side; ++y) {
    for (uint32_t x = 0; x < side; ++x) {
      const uint32_t i = y * (side + 1) + x, below = i + side + 1;
      indices.insert(indices.end(), {i, i + 1, below, below, i + 1, below + 1});
    }
  }
  DrawState s;
  s.vertex = &vertex;
  s.fragment = &fragment;
  s.attribute[0] = {true, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
  s.binding[0].data = reinterpret_cast<const std::byte*>(vertices.data());
  s.binding[0].size = vertices.size() * 4;
  s.binding[0].stride = 16;
  s.viewport[0] = {0, 0, float(size), float(size), 0, 1};
  s.scissor[0] = {{0, 0}, {size, size}};
  DrawParams params;
  params.count = uint32_t(indices.size());
  params.indices = reinterpret_cast<const std::byte*>(indices.data());
  params.indexBytes = indices.size() * 4;
  Attachments a;
  a.color[0] = &image.view;
  a.colorCount = 1;
  a.renderArea = {{0, 0}, {size, size}};
  task::Pool pool(uint32_t(bench.range(1)));
  RenderPass pass(&pool);
  for (auto _ : bench) {
    pass.begin(a);
    pass.draw(s, params);
    bench.PauseTiming();
    pass.flush();
    bench.ResumeTiming();
  }
  bench.SetItemsProcessed(bench.iterations() * indices.size() / 3);
}
BENCHMARK(BM_FrontEnd)->Args({1, 1})->Args({64, 1})->Args({256, 1})->Args({256, 2})->Args({1024, 1})->UseRealTime();

}  // namespace
}  // namespace etzel::raster
