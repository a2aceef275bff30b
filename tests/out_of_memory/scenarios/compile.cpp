// Shaders and pipelines, quick code and optimized code, and pipeline caches.
#include "tests/out_of_memory/graphics.h"
#include "tests/out_of_memory/scenario.h"

#include "private.comp.h"

namespace oom {
namespace {

class Compute : public Scenario {
 public:
  VkResult prepare(Gpu& gpu) override { return gpu.makeBufferLayout(1, &layout_); }
  VkResult act(Gpu& gpu) override {
    VkPipeline pipeline;
    return gpu.makeCompute(private_comp, layout_, &pipeline);
  }

 private:
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
};

class Graphics : public Scenario {
 public:
  VkResult act(Gpu& gpu) override {
    VkPipeline pipeline;
    return makeGraphics(gpu, VK_SAMPLE_COUNT_4_BIT, true, VK_NULL_HANDLE, &pipeline);
  }
};

/// A cache that is filled, saved, loaded, and used.
class Cache : public Scenario {
 public:
  VkResult act(Gpu& gpu) override {
    VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache first, second;
    OOM_TRY(gpu.make(gpu.vk.CreatePipelineCache, gpu.vk.DestroyPipelineCache, info, &first));
    VkPipeline pipeline;
    OOM_TRY(makeGraphics(gpu, VK_SAMPLE_COUNT_1_BIT, false, first, &pipeline));
    OOM_TRY(gpu.vk.GetPipelineCacheData(gpu.device, first, &info.initialDataSize, nullptr));
    std::vector<char> data(info.initialDataSize);
    OOM_TRY(gpu.vk.GetPipelineCacheData(gpu.device, first, &info.initialDataSize, data.data()));
    info.pInitialData = data.data();
    OOM_TRY(gpu.make(gpu.vk.CreatePipelineCache, gpu.vk.DestroyPipelineCache, info, &second));
    OOM_TRY(makeGraphics(gpu, VK_SAMPLE_COUNT_1_BIT, false, second, &pipeline));
    return gpu.vk.MergePipelineCaches(gpu.device, second, 1, &first);
  }
};

}  // namespace

std::vector<Entry> compileScenarios() {
  return {{"compile, quick code, compute", makeScenario<Compute>},
          {"compile, quick code, five stages", makeScenario<Graphics>},
          {"compile, optimized", makeScenario<Compute>, "ETZEL_DEBUG=jit-now"},
          {"pipeline cache", makeScenario<Cache>},
          {"cache on disk", makeScenario<Compute>, "ETZEL_CACHE="},
          {"warm cache on disk, five stages", makeScenario<Graphics>, "ETZEL_CACHE=", true}};
}

}  // namespace oom
