// Compute work: private memory, workgroup memory, barriers.
#include "tests/out_of_memory/scenario.h"

#include "private.comp.h"

namespace oom {
namespace {

constexpr uint32_t kGroups = 64;

class Dispatches : public Scenario {
 public:
  VkResult prepare(Gpu& gpu) override {
    OOM_TRY(gpu.makeBuffer(kGroups * 64 * 4, &buffer_));
    OOM_TRY(gpu.makeBufferLayout(1, &layout_));
    OOM_TRY(gpu.makeCompute(private_comp, layout_, &pipeline_));
    VkCommandPool pool;
    OOM_TRY(gpu.makePool(&pool));
    OOM_TRY(gpu.makeCommands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &commands_));
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateFence, gpu.vk.DestroyFence, fence, &fence_));
    OOM_TRY(gpu.begin(commands_));
    gpu.vk.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    gpu.pushBuffer(commands_, layout_, 0, buffer_.buffer);
    for (uint32_t i = 0; i < dispatches_; ++i) gpu.vk.CmdDispatch(commands_, kGroups, 1, 1);
    return gpu.vk.EndCommandBuffer(commands_);
  }
  VkResult act(Gpu& gpu) override {
    OOM_TRY(gpu.submitAndWait(commands_, fence_));
    for (uint32_t i = 0; i < kGroups * 64; ++i)
      if (buffer_.words[i] != (i % 64 ^ 63) + i / 64) return VK_ERROR_UNKNOWN;
    return gpu.vk.DeviceWaitIdle(gpu.device);
  }

 protected:
  uint32_t dispatches_ = 1;

 private:
  Buffer buffer_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

/// A kernel that gets hot: the compiler's thread begins, and is done when the device is gone.
class Hot : public Dispatches {
 public:
  Hot() { dispatches_ = 80; }
  VkResult act(Gpu& gpu) override {
    const VkResult r = Dispatches::act(gpu);
    gpu.release();
    gpu.vk.DestroyDevice(gpu.device, gpu.callbacks);
    gpu.device = VK_NULL_HANDLE;
    return r;
  }
};

/// A pipeline that is made and used.
class Whole : public Dispatches {
 public:
  VkResult prepare(Gpu&) override { return VK_SUCCESS; }
  VkResult act(Gpu& gpu) override {
    OOM_TRY(Dispatches::prepare(gpu));
    return Dispatches::act(gpu);
  }
};

}  // namespace

std::vector<Entry> dispatchScenarios() {
  return {{"dispatch with private memory", makeScenario<Dispatches>},
          {"a shader that gets hot", makeScenario<Hot>},
          {"warm cache on disk, a dispatch", makeScenario<Whole>, "ETZEL_CACHE=", true}};
}

}  // namespace oom
