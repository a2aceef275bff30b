// Compute pipelines ("Compute Pipelines").
#include <algorithm>

#include "icd/device.h"
#include "icd/entry_points.h"
#include "icd/error.h"
#include "icd/pipeline/shader_stage.h"

namespace etzel::icd {
namespace {

VkResult build(const VkComputePipelineCreateInfo& info, PipelineCache* cache, Pipeline& pipeline) {
  const uint64_t begin = stageClockNs();
  pipeline.bindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
  pipeline.flags = pipelineFlags(info.pNext, info.flags);
  pipeline.layout = cast<PipelineLayout>(info.layout)->data;
  pipeline.stages = VK_SHADER_STAGE_COMPUTE_BIT;
  std::vector<StageResult> stage(1);
  const VkResult r = makeStage(info.stage, pipeline.layout.get(), cache,
                               pipeline.flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT, stage[0]);
  if (r != VK_SUCCESS) return r;
  pipeline.kernel[static_cast<size_t>(abi::Stage::Compute)] = stage[0].kernel;
  reportFeedback(info.pNext, stage[0].applicationCacheHit, stageClockNs() - begin, stage);
  return VK_SUCCESS;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* pCreateInfos,
                                                      const VkAllocationCallbacks* pAllocator, VkPipeline* pPipelines) {
  Device* device = cast<Device>(handle);
  const VkAllocationCallbacks* callbacks = pick(device, pAllocator);
  std::fill(pPipelines, pPipelines + count, VkPipeline(VK_NULL_HANDLE));
  VkResult result = VK_SUCCESS;
  for (uint32_t i = 0; i < count; ++i) {
    auto* pipeline = create<Pipeline>(callbacks, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    const VkResult r = pipeline ? build(pCreateInfos[i], cast<PipelineCache>(cache), *pipeline)
                                : ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for a pipeline");
    if (r == VK_SUCCESS) {
      pPipelines[i] = handleOf(pipeline);
      continue;
    }
    destroy(callbacks, pipeline);
    if (result == VK_SUCCESS || r < 0) result = r;
    if (pipelineFlags(pCreateInfos[i].pNext, pCreateInfos[i].flags) & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT) break;
  }
  return result;
}

}  // namespace etzel::icd
