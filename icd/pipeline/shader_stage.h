// One VkPipelineShaderStageCreateInfo: what the compiler is given, and the way through the caches. Used by graphics
// and compute pipelines.
#pragma once

#include <optional>

#include "icd/pipeline/kernel_cache.h"
#include "icd/pipeline/pipeline.h"

namespace etzel::icd {

abi::Stage stageOf(VkShaderStageFlagBits stage);

/// How one kernel was got, for VK_EXT_pipeline_creation_feedback.
struct StageResult {
  std::shared_ptr<abi::Kernel> kernel;
  KernelKey key{};
  bool applicationCacheHit = false;
  uint64_t nanoseconds = 0;
};

/// Compiles, or finds in `cache` or the process's cache. `flags` are the pipeline's: those that change what the
/// compiler is given count, and VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT.
VkResult makeStage(const VkPipelineShaderStageCreateInfo& info, VkPipelineCreateFlags2 flags,
                   const PipelineLayoutData* layout, PipelineCache* cache, StageResult& out);

/// Gives a pipeline the stage, with what its mappings make.
void setStage(Pipeline& pipeline, const VkPipelineShaderStageCreateInfo& info, const StageResult& stage);

/// The same for a source that is put together already. With `onlyCached` a kernel that would have to be compiled gives
/// VK_PIPELINE_COMPILE_REQUIRED.
VkResult makeKernel(compiler::ShaderSource source, PipelineCache* cache, bool onlyCached, StageResult& out);

/// The same for a module of which only the identifier is known: what nobody compiled in this process, and `cache` does
/// not have, gives VK_PIPELINE_COMPILE_REQUIRED.
VkResult findKernelOfModule(compiler::ShaderSource source, const ModuleId& module, PipelineCache* cache,
                            StageResult& out);

/// The key of the kernel that a stage would have; nothing where it has neither a module nor its identifier.
std::optional<KernelKey> keyOfStage(const VkPipelineShaderStageCreateInfo& info, VkPipelineCreateFlags2 flags,
                                    const PipelineLayoutData* layout);

/// Specialization constants as the compiler wants them; entries that point outside of the data are left out.
std::map<uint32_t, std::vector<uint8_t>> specializationOf(const VkSpecializationInfo* info);

/// The subgroup size that a stage's or a shader object's chain requires; that of all others where it says nothing.
uint32_t requiredSubgroupSizeOf(const void* chain);

/// A pipeline's flags: VkPipelineCreateFlags2CreateInfo's where it is chained, else the create info's own.
VkPipelineCreateFlags2 pipelineFlags(const void* chain, VkPipelineCreateFlags own);

/// Nanoseconds on a clock that only grows.
uint64_t stageClockNs();

/// Fills VkPipelineCreationFeedbackCreateInfo of a chain, if there is one.
void reportFeedback(const void* chain, bool cacheHit, uint64_t totalNs, const std::vector<StageResult>& stages);

}  // namespace etzel::icd
