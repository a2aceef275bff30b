// VK_KHR_pipeline_binary: the kernels of a pipeline as data of the application, one binary a stage. The data are those
// of a VkPipelineCache with that kernel alone, and no more is believed of them (cache_data.h).
#pragma once

#include "icd/pipeline/shader_stage.h"

namespace etzel::icd {

struct PipelineBinary : Object {
  using Handle = VkPipelineBinaryKHR;
  KernelKey key{};
  std::shared_ptr<abi::Kernel> kernel;
  std::vector<std::byte> data;
};

/// Takes a stage's kernel from the binaries that a pipeline's create info chains. \returns false where none is its own
bool stageFromBinary(const void* chain, VkShaderStageFlagBits stage, StageResult& out);

}  // namespace etzel::icd
