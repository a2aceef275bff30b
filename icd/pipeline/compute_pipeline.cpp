// Compute pipelines ("Compute Pipelines").

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/pipeline/create_pipelines.h"
#include "icd/pipeline/pipeline_binary.h"
#include "icd/pipeline/shader_stage.h"

namespace etzel::icd {
namespace {

VkResult build(const VkComputePipelineCreateInfo& info, PipelineCache* cache, Pipeline& pipeline) {
  const uint64_t begin = stageClockNs();
  pipeline.bindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
  pipeline.flags = pipelineFlags(info.pNext, info.flags);
  if (info.layout) pipeline.layout = cast<PipelineLayout>(info.layout)->data;
  pipeline.stages = VK_SHADER_STAGE_COMPUTE_BIT;
  std::vector<StageResult> stage(1);
  if (!stageFromBinary(info.pNext, VK_SHADER_STAGE_COMPUTE_BIT, stage[0])) {
    const VkResult r = makeStage(info.stage, pipeline.flags, pipeline.layout.get(), cache, stage[0]);
    if (r != VK_SUCCESS) return r;
  }
  setStage(pipeline, info.stage, stage[0]);
  reportFeedback(info.pNext, stage[0].applicationCacheHit, stageClockNs() - begin, stage);
  return VK_SUCCESS;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* pCreateInfos,
                                                      const VkAllocationCallbacks* pAllocator, VkPipeline* pPipelines) {
  return createPipelines(*cast<Device>(handle), cache, count, pCreateInfos, pAllocator, pPipelines, build);
}

}  // namespace etzel::icd
