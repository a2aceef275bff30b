// What vkCreateGraphicsPipelines and vkCreateComputePipelines share ("Pipelines", Multiple Pipeline Creation).
#pragma once

#include <algorithm>

#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/pipeline/kernel_cache.h"
#include "icd/pipeline/pipeline.h"
#include "icd/pipeline/shader_stage.h"

namespace etzel::icd {

/// Builds each pipeline with `build(info, cache, pipeline)`. Creation goes on after a failure, unless asked to stop;
/// the worst result is returned, and failed elements are null.
template <class Info, class Build>
VkResult createPipelines(Device& device, VkPipelineCache cache, uint32_t count, const Info* infos,
                         const VkAllocationCallbacks* allocator, VkPipeline* pipelines, Build build) {
  const VkAllocationCallbacks* callbacks = pick(&device, allocator);
  std::fill(pipelines, pipelines + count, VkPipeline(VK_NULL_HANDLE));
  VkResult result = VK_SUCCESS;
  for (uint32_t i = 0; i < count; ++i) {
    auto* pipeline = create<Pipeline>(callbacks, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    const VkResult r = withoutThrowing([&] {
      return pipeline ? build(infos[i], cast<PipelineCache>(cache), *pipeline) : VK_ERROR_OUT_OF_HOST_MEMORY;
    });
    if (r == VK_SUCCESS) {
      pipelines[i] = handleOf(pipeline);
      continue;
    }
    destroy(callbacks, pipeline);
    if (result == VK_SUCCESS || r < 0) result = r;
    if (pipelineFlags(infos[i].pNext, infos[i].flags) & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT) break;
  }
  return result;
}

}  // namespace etzel::icd
