// Pipeline creation, cold and with a cache, for a small and a large shader, and the first draw with it.
#include <algorithm>

#include "../harness/clock.h"
#include "../scenario.h"
#include "draws.h"
#include "full.vert.h"
#include "large.frag.h"
#include "small.frag.h"

namespace vkbench {
namespace {

enum class Measure { Create, CreateAndDraw };

Outcome createPipelines(Gpu& gpu, Spirv fragment, bool cached, Measure measure) {
  const Target target = gpu.makeTarget({.width = 64, .height = 64});
  // Each round's specialization constant makes a pipeline that the driver has not seen. With a cache, the cache that a
  // former life filled with the same pipelines is loaded from its data.
  constexpr int kRounds = 6;
  const auto create = [&](int round, VkPipelineCache cache) {
    const float variant = 0.5f + 0.01f * float(round);
    return gpu.makePipeline(
        {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, fragment}},
         .target = &target,
         .variant = &variant,
         .cache = cache},
        gpu.layout);
  };
  const auto draw = [&](VkPipeline pipeline) {
    gpu.submit(gpu.record([&](VkCommandBuffer c) {
      gpu.begin(c, target);
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      push(gpu, c, FullPush{.color = {0.5f, 0.6f, 0.7f, 1}});
      vkCmdDraw(c, 3, 1, 0, 0);
      vkCmdEndRenderPass(c);
    }));
  };
  draw(create(100, VK_NULL_HANDLE));  // what only the first pipeline of a process pays: api.start_to_first_frame
  VkPipelineCacheCreateInfo ci{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache warm = VK_NULL_HANDLE;
  if (cached) {
    VkPipelineCache filled;
    VK_CHECK(vkCreatePipelineCache(gpu.device, &ci, nullptr, &filled));
    for (int i = 0; i < kRounds; ++i) draw(create(i, filled));
    size_t size = 0;
    VK_CHECK(vkGetPipelineCacheData(gpu.device, filled, &size, nullptr));
    std::vector<uint8_t> data(size);
    VK_CHECK(vkGetPipelineCacheData(gpu.device, filled, &size, data.data()));
    vkDestroyPipelineCache(gpu.device, filled, nullptr);
    ci.initialDataSize = size;
    ci.pInitialData = data.data();
    VK_CHECK(vkCreatePipelineCache(gpu.device, &ci, nullptr, &warm));
  }
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    const double t0 = now();
    const VkPipeline p = create(i, warm);
    if (measure == Measure::CreateAndDraw) draw(p);
    times.push_back(now() - t0);
    if (measure == Measure::Create) draw(p);
  }
  std::sort(times.begin(), times.end());
  Outcome out;
  out.timing.median = times[kRounds / 2];
  out.timing.best = times[0];
  out.timing.repetitions = kRounds;
  out.value = out.timing.median * 1e3;
  digestImage(out, gpu.read(target.picture()), 64, 64);
  if (warm) vkDestroyPipelineCache(gpu.device, warm, nullptr);
  return out;
}

}  // namespace

std::vector<Scenario> pipelineScenarios() {
  std::vector<Scenario> list;
  for (const bool large : {false, true})
    for (const bool cached : {false, true}) {
      const Spirv code = large ? Spirv(large_frag) : Spirv(small_frag);
      const std::string name = std::string(large ? "large" : "small") + (cached ? "_cached" : "_cold");
      list.push_back({"pipeline.create_" + name, "ms", false, Bound::None, 0, 0.03,
                      [=](Gpu& g) { return createPipelines(g, code, cached, Measure::Create); }});
      list.push_back({"pipeline.create_draw_" + name, "ms", false, Bound::None, 0, 0.03,
                      [=](Gpu& g) { return createPipelines(g, code, cached, Measure::CreateAndDraw); }});
    }
  return list;
}

}  // namespace vkbench
