// What binding a pipeline makes of state that vkCmdSet* or earlier pipelines left.
#include "icd/cmd/replay/replay.h"

#include <gtest/gtest.h>

#include "icd/cmd/buffer/command_buffer.h"
#include "icd/entry_points.h"
#include "icd/physical_device/limits.h"
#include "icd/pipeline/shader_object.h"
#include "icd/queue/queue.h"

namespace etzel::icd {
namespace {

struct DeviceWithPool : Device {
  DeviceWithPool() { pool = std::make_unique<task::Pool>(1); }
};

class ReplayTest : public testing::Test {
 protected:
  /// A pipeline that fixes these pieces, with the values of `values`.
  static Pipeline pipeline(std::initializer_list<StatePiece> pieces, const raster::DrawState& values = {}) {
    Pipeline p;
    p.layout = std::make_shared<PipelineLayoutData>();
    p.state = std::make_shared<raster::DrawState>(values);
    for (StatePiece piece : pieces) p.fixed.set(static_cast<size_t>(piece));
    return p;
  }
  /// Runs what the entry points recorded into `commands`, from fresh state.
  void run() {
    ASSERT_TRUE(replay.run(commands));
    commands.reset();
  }
  void bind(Pipeline& p) { CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, handleOf(&p)); }
  void bindStride(uint64_t stride) {
    const VkBuffer none = VK_NULL_HANDLE;
    const VkDeviceSize zero = 0;
    CmdBindVertexBuffers2(c, 0, 1, &none, &zero, nullptr, &stride);
  }
  uint32_t stride() { return replay.state().binding[0].stride; }

  DeviceWithPool device;
  CommandBuffer commands;
  VkCommandBuffer c = handleOf(&commands);
  Watched watched;
  Replay replay{device, watched};
};

TEST_F(ReplayTest, ACommandBufferThatRunsItselfEnds) {
  int ran = 0;
  commands.record([count = &ran](Replay&) { ++*count; });
  CmdExecuteCommands(c, 1, &c);
  ASSERT_TRUE(replay.run(commands));
  EXPECT_EQ(ran, 1 + int(kMaxCommandBufferNesting));
  ran = 0;
  ASSERT_TRUE(replay.run(commands));  // from a fresh depth
  EXPECT_EQ(ran, 1 + int(kMaxCommandBufferNesting));
}

TEST_F(ReplayTest, EveryCommandBufferBeginsWithFreshStateAlsoBehindOneOfTransfersOnly) {
  const auto barrier = [&] { CmdPipelineBarrier2(c, nullptr); };
  for (int transfers = 0; transfers < 3; ++transfers) {
    bindStride(12);
    commands.record([](Replay& r) { r.predicate = false; });
    run();
    ASSERT_EQ(stride(), 12u);
    for (int i = 0; i < transfers; ++i) {
      barrier();
      ASSERT_TRUE(commands.isBounded());
      run();
    }
    commands.record([](Replay&) {});
    run();
    EXPECT_EQ(stride(), 0u);
    EXPECT_TRUE(replay.predicate);
  }
}

TEST_F(ReplayTest, ADynamicDepthClipEndsWithItsPipeline) {
  Pipeline dynamicClip = pipeline({StatePiece::DepthClamp});
  Pipeline dynamicClamp = pipeline({StatePiece::DepthClipOfClamp});
  bind(dynamicClip);
  CmdSetDepthClipEnable(c, VK_TRUE);
  run();
  EXPECT_TRUE(replay.state().depthClip);
  for (const VkBool32 clamp : {VK_TRUE, VK_FALSE}) {
    bind(dynamicClip);
    CmdSetDepthClipEnable(c, clamp);
    bind(dynamicClamp);
    CmdSetDepthClampEnable(c, clamp);
    run();
    EXPECT_EQ(replay.state().depthClip, !clamp);
    CmdSetDepthClampEnable(c, clamp);
    CmdSetDepthClipEnable(c, clamp);
    bind(dynamicClamp);  // the clamp was set before the pipeline was bound
    run();
    EXPECT_EQ(replay.state().depthClip, !clamp);
  }
}

TEST_F(ReplayTest, ADynamicDepthClipDoesNotFollowTheClamp) {
  Pipeline dynamicBoth = pipeline({}), follows = pipeline({StatePiece::DepthClipOfClamp});
  bind(follows);
  CmdSetDepthClipEnable(c, VK_TRUE);
  bind(dynamicBoth);
  CmdSetDepthClampEnable(c, VK_TRUE);
  run();
  EXPECT_TRUE(replay.state().depthClip && replay.state().depthClamp);
}

TEST_F(ReplayTest, AStaticDepthClipDoesNotFollowADynamicClamp) {
  raster::DrawState clips;
  clips.depthClip = true;
  Pipeline fixedClip = pipeline({StatePiece::DepthClip}, clips);
  CmdSetDepthClampEnable(c, VK_TRUE);
  bind(fixedClip);
  CmdSetDepthClampEnable(c, VK_TRUE);
  run();
  EXPECT_TRUE(replay.state().depthClip && replay.state().depthClamp);
}

TEST_F(ReplayTest, StridesOfVertexBuffersWaitForAPipelineWithoutItsOwn) {
  raster::DrawState values;
  values.binding[0].stride = 12;
  Pipeline own = pipeline({StatePiece::VertexInput, StatePiece::VertexStride}, values);
  Pipeline none = pipeline({StatePiece::VertexInput});
  bind(own);
  bindStride(20);
  run();
  EXPECT_EQ(stride(), 12u);
  bind(own);
  bindStride(20);
  bind(none);
  run();
  EXPECT_EQ(stride(), 20u);
  bindStride(20);
  bind(own);
  bind(none);
  bindStride(24);
  run();
  EXPECT_EQ(stride(), 24u);
  Shader vertex;
  vertex.pipeline.layout = std::make_shared<PipelineLayoutData>();
  const VkShaderStageFlagBits stage = VK_SHADER_STAGE_VERTEX_BIT;
  const VkShaderEXT shader = handleOf(&vertex);
  bind(own);
  bindStride(20);
  CmdBindShaders(c, 1, &stage, &shader);
  run();
  EXPECT_EQ(stride(), 20u) << "shader objects have no strides of their own";
}

}  // namespace
}  // namespace etzel::icd
