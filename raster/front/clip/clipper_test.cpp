// What fragments are interpolated from after clipping, against the definition: perspective data are linear in clip
// space, the others on the screen.
#include "raster/front/clip/clipper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "raster/front/primitive/primitive_stage.h"

namespace etzel::raster {
namespace {

constexpr int kSize = 64;
constexpr uint32_t kStride = abi::kWordGeneric + 8;
constexpr uint32_t kPerspective = abi::kWordGeneric, kLinear = abi::kWordGeneric + 4;  // locations 0 and 1

double screen(double clip, double w) { return (clip / w * 0.5 + 0.5) * kSize; }
double clipPlane(const double* p) { return 3 * p[0] - 2 * p[1] + 0.5 * p[2] + p[3]; }
double screenPlane(double x, double y) { return 0.25 * x - 0.125 * y + 5; }

struct Scene {
  abi::Kernel fragment;
  DrawRecord record;
  abi::ProgramInfo last;
  TileGrid grid{1, 1, 1};
  RasterState state;
  BinSink sink;
  double position[3][4];
  std::vector<uint32_t> words = std::vector<uint32_t>(3 * kStride);

  Scene() {
    fragment.info.linearInputs = uint64_t(1) << (kLinear / 4);
    fragment.info.readsVertices = true;
    DrawState& d = record.state;
    d.fragment = &fragment;
    d.viewport[0] = {0, 0, kSize, kSize, 0, 1};
    d.scissor[0] = {{0, 0}, {kSize, kSize}};
  }
  void setVertex(uint32_t i, float x, float y, float z, float w) {
    const float p[4] = {x, y, z, w};
    uint32_t* r = words.data() + i * kStride;
    std::memcpy(r, p, sizeof p);
    for (int k = 0; k < 4; ++k) position[i][k] = p[k];
    const float perspective = float(clipPlane(position[i]));
    const float linear = float(screenPlane(screen(x, w), screen(y, w)));
    std::memcpy(r + kPerspective, &perspective, 4);
    std::memcpy(r + kLinear, &linear, 4);
  }
  void run(uint32_t count) {
    state = makeRasterState(record, last, grid, {0, 0, kSize, kSize}, kStride);
    VertexBlock block;
    block.words = words.data(), block.stride = kStride, block.count = count;
    const uint32_t index[3] = {0, 1, 2}, id = 0;
    PrimitiveList list;
    list.verticesPerPrimitive = count, list.count = 1, list.vertex = index, list.primitiveId = &id;
    Statistics statistics;
    PrimitiveStage(state, sink).run(block, list, 0, statistics);
  }
  const uint32_t* original(uint32_t i) const { return words.data() + i * kStride; }
};

/// Every corner of a binned primitive obeys the planes its data were made from. `corners`: how many to look at.
void expectCorners(const Scene& s, const BinnedPrimitive& p, uint32_t corners, uint32_t vertices) {
  for (uint32_t k = 0; k < corners; ++k) {
    float at[4], perspective, linear;
    std::memcpy(at, p.setup.record[k], sizeof at);
    std::memcpy(&perspective, p.setup.record[k] + kPerspective, 4);
    std::memcpy(&linear, p.setup.record[k] + kLinear, 4);
    const double clip[4] = {at[0], at[1], at[2], at[3]};
    const double x = screen(at[0], at[3]), y = screen(at[1], at[3]);
    EXPECT_NEAR(perspective, clipPlane(clip), 1e-4);
    EXPECT_NEAR(linear, screenPlane(x, y), 1e-3 * (1 + std::fabs(linear)));
    const float* b = p.setup.vertices->barycentric[k];
    double byClip[4] = {}, byScreen[2] = {}, sum[2] = {};
    for (uint32_t v = 0; v < vertices; ++v) {
      for (int c = 0; c < 4; ++c) byClip[c] += b[v] * s.position[v][c];
      for (int c = 0; c < 2; ++c) byScreen[c] += b[3 + v] * screen(s.position[v][c], s.position[v][3]);
      sum[0] += b[v], sum[1] += b[3 + v];
    }
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(byClip[c], clip[c], 1e-5);
    EXPECT_NEAR(sum[0], 1, 1e-5);
    EXPECT_NEAR(sum[1], 1, 1e-3);
    EXPECT_NEAR(byScreen[0], x, 0.05);
    EXPECT_NEAR(byScreen[1], y, 0.05);
  }
  for (uint32_t v = 0; v < 3; ++v)
    EXPECT_EQ(p.setup.vertices->record[v], s.original(std::min(v, vertices - 1))) << "vertex " << v;
}

TEST(Clipper, CornersOfClippedTrianglesStayOnTheirPlanes) {
  std::mt19937 random(11);
  uint32_t cut = 0;
  for (int round = 0; round < 400; ++round) {
    Scene s;
    auto uniform = [&](double low, double high) { return float(low + (high - low) * (random() % 4096) / 4096); };
    for (uint32_t i = 0; i < 3; ++i) {
      // Through the near plane; in half of the rounds behind the eye, too.
      const float w = round % 2 ? uniform(0.25, 2) : uniform(-1, 2);
      s.setVertex(i, uniform(-2, 2), uniform(-2, 2), w - 0.3f, std::fabs(w) < 0.05f ? 0.05f : w);
    }
    s.run(3);
    for (const BinItem& item : s.sink.items) {
      expectCorners(s, *item.primitive, 3, 3);
      for (const uint32_t* r : item.primitive->setup.record)
        cut += r != s.original(0) && r != s.original(1) && r != s.original(2);
    }
  }
  EXPECT_GT(cut, 200u);
}

TEST(Clipper, EndsOfClippedLinesStayOnTheirPlanes) {
  std::mt19937 random(12);
  uint32_t cut = 0;
  for (int round = 0; round < 300; ++round) {
    Scene s;
    auto uniform = [&](double low, double high) { return float(low + (high - low) * (random() % 4096) / 4096); };
    for (uint32_t i = 0; i < 2; ++i) {
      const float w = uniform(0.25, 2);
      s.setVertex(i, uniform(-2, 2), uniform(-2, 2), w - 0.5f, w);
    }
    s.run(2);
    for (const BinItem& item : s.sink.items) {
      expectCorners(s, *item.primitive, 2, 2);
      cut += item.primitive->setup.record[0] != s.original(0) || item.primitive->setup.record[1] != s.original(1);
    }
  }
  EXPECT_GT(cut, 30u);
}

TEST(Clipper, LinearClipDistancesStillCutWhereTheyAreZero) {
  Scene s;
  s.last.clipDistances = 2;
  s.fragment.info.linearInputs = uint64_t(1) << (abi::kWordClipDistance / 4);
  s.setVertex(0, -1, -1, 0.5f, 1);
  s.setVertex(1, 4, -4, 2, 4);
  s.setVertex(2, -1, 1, 0.5f, 1);
  // Cut at a quarter of the edges that leave vertex 0 and 2, then again at half of what is left.
  const float distance[3][2] = {{1, 1}, {-3, -7}, {1, 1}};
  for (uint32_t i = 0; i < 3; ++i)
    std::memcpy(s.words.data() + i * kStride + abi::kWordClipDistance, distance[i], sizeof distance[i]);
  s.run(3);
  ASSERT_FALSE(s.sink.items.empty());
  float furthest = 0;
  for (const BinItem& item : s.sink.items) {
    for (uint32_t k = 0; k < 3; ++k) furthest = std::max(furthest, item.primitive->setup.vertices->barycentric[k][1]);
  }
  EXPECT_FLOAT_EQ(furthest, 0.125f);
}

}  // namespace
}  // namespace etzel::raster
