// What a draw tells the watchdog of the queue it runs in: every stage shows that it gets on, so that a pass may take as
// long as it takes. A stage's kernel takes the sign away each time it runs; what it finds the next time is of the
// stage.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <vector>

#include "raster/pass/render_pass.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using abi::SysValue;
using abi::Warp;
using testing::TestImage;
using testing::TestKernel;

uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }

/// A kernel of one stage, which may be the one under test.
struct Stage : TestKernel {
  std::atomic<uint32_t>* progress = nullptr;  ///< that one's
  uint32_t runs = 0, signs = 0;
  Stage(abi::Stage stage, Body work) : TestKernel([](Warp&) {}) {
    info.stage = stage;
    info.outputLocations = 1;
    body = [this, work](Warp& w) {
      ++runs;
      if (progress) signs += progress->exchange(0) != 0;
      work(w);
    };
  }
};

/// Draws through all stages with one worker.
class Progress : public ::testing::Test {
 protected:
  static constexpr uint32_t kTriangles = 40;

  Progress() {
    state.vertex = &vertex, state.fragment = &fragment;
    state.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    state.viewport[0] = {0, 0, 64, 64, 0, 1};
    state.scissor[0] = {{0, 0}, {64, 64}};
    state.statistics = &statistics;
    state.context.progress = &progress;
    params.count = 3 * kTriangles;
    control.info.outputVertices = 3;
    evaluation.info.tessMode = 1;
    geometry.info.geometryVerticesOut = 3;
    geometry.info.geometryInvocations = 1;
    geometry.info.geometryInput = 3;
    geometry.info.geometryOutput = 2;
  }

  void draw(Stage& tested) {
    tested.progress = &progress;
    TestImage image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
    Attachments attachments;
    attachments.color[0] = &image.view, attachments.colorCount = 1, attachments.layers = 1;
    attachments.renderArea = {{0, 0}, {64, 64}};
    task::Pool pool(1);
    RenderPass pass(&pool);
    pass.begin(attachments);
    pass.draw(state, params);
    ASSERT_TRUE(pass.flush());
  }

  /// A triangle that covers the picture: vertex i of it.
  static void place(Warp& w, uint32_t lane, uint32_t i) {
    w.out[0][lane] = bits(i == 1 ? 3.0f : -1.0f);
    w.out[1][lane] = bits(i == 2 ? 3.0f : -1.0f);
    w.out[2][lane] = 0;
    w.out[3][lane] = bits(1);
  }

  std::atomic<uint32_t> progress{0};
  float level = 1;  ///< of tessellation
  Statistics statistics;
  DrawState state;
  DrawParams params;
  Stage vertex{abi::Stage::Vertex, [](Warp& w) {
                 for (uint32_t i = 0; i < kWarpLanes; ++i) place(w, i, w.sys[uint32_t(SysValue::VertexIndex)][i] % 3);
               }};
  Stage control{abi::Stage::TessControl, [this](Warp& w) {
                  for (uint32_t i = 0; i < kWarpLanes; ++i)
                    for (uint32_t k = 0; (w.active >> i & 1) && k < 6; ++k) w.patchRecord[i][k] = bits(level);
                }};
  Stage evaluation{abi::Stage::TessEvaluation, [](Warp& w) {
                     for (uint32_t i = 0; i < kWarpLanes; ++i) place(w, i, i % 3);
                   }};
  Stage geometry{abi::Stage::Geometry, [](Warp& w) {
                   for (uint32_t k = 0; k < 3; ++k) {
                     for (uint32_t i = 0; i < kWarpLanes; ++i) place(w, i, k);
                     w.emitVertex(&w, 0, w.active);
                   }
                 }};
  Stage fragment{abi::Stage::Fragment, [](Warp& w) {
                   for (uint32_t i = 0; i < kWarpLanes; ++i) w.out[abi::kFragOutColor][i] = bits(1);
                 }};
};

TEST_F(Progress, OfVertices) {
  state.rasterizerDiscard = true;
  params.count = 300'000;  // many batches
  draw(vertex);
  EXPECT_GE(vertex.signs, 8u);
}

TEST_F(Progress, OfPatches) {
  state.rasterizerDiscard = true;
  state.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
  state.patchControlPoints = 3;
  state.control = &control, state.evaluation = &evaluation;
  draw(control);
  EXPECT_EQ(control.runs, kTriangles);
  EXPECT_GE(control.signs, kTriangles - 1);  // before the first one vertices may have been shaded or not
}

TEST_F(Progress, OfPointsOfAPatch) {
  state.rasterizerDiscard = true;
  state.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
  state.patchControlPoints = 3;
  state.control = &control, state.evaluation = &evaluation;
  params.count = 3;
  level = 20;
  draw(evaluation);
  EXPECT_EQ(evaluation.runs, (21u * 21 + 7) / 8);
  EXPECT_GE(evaluation.signs, evaluation.runs - 1);
}

TEST_F(Progress, OfPrimitivesInTheGeometryStage) {
  state.rasterizerDiscard = true;
  state.geometry = &geometry;
  draw(geometry);
  EXPECT_EQ(geometry.runs, kTriangles / kWarpLanes);
  EXPECT_GE(geometry.signs, geometry.runs - 1);
}

TEST_F(Progress, OfPrimitivesOfATile) {
  draw(fragment);
  EXPECT_GT(fragment.runs, kTriangles);
  // A sign before each triangle but the first, which finds that of the stages before.
  EXPECT_GE(fragment.signs, kTriangles - 1);
}

}  // namespace
}  // namespace etzel::raster
