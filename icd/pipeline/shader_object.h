// Shader objects (VK_EXT_shader_object): a kernel without a pipeline. Every stage stands alone anyway
// (abi/shader_io.h), so linked and unlinked shaders are the same, and a binary is the SPIR-V with what specialized it.
#pragma once

#include "icd/pipeline/pipeline.h"

namespace etzel::icd {

struct Shader : Object {
  using Handle = VkShaderEXT;
  VkShaderStageFlagBits stage = VK_SHADER_STAGE_VERTEX_BIT;
  Pipeline pipeline;              ///< its one kernel and layout; a compute shader is bound as this pipeline
  std::vector<std::byte> binary;  ///< what vkGetShaderBinaryDataEXT gives
};

}  // namespace etzel::icd
