// See compute.h.
#include "cts-subset/support/compute.h"

namespace etzel::cts {

Kernel::Kernel(Gpu& gpu, const std::string& glsl, const std::vector<Binding>& bindings, uint32_t pushBytes)
    : set_(gpu.set(bindings, pushBytes)) {
  pipeline_ = gpu.makePipeline(gpu.shader(VK_SHADER_STAGE_COMPUTE_BIT, glsl), set_.pipeline, nullptr, gpu.cache);
}

void Kernel::bind(VkCommandBuffer cmd) const {
  vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  if (set_.set)
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, set_.pipeline, 0, 1, &set_.set, 0, nullptr);
}

VkCommandPool pool(Gpu& gpu, uint32_t family) {
  return gpu.make(VkCommandPoolCreateInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, family});
}

VkCommandBuffer recorded(Gpu& gpu, VkCommandPool pool, VkCommandBufferLevel level,
                         const std::function<void(VkCommandBuffer)>& record) {
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool, level, 1};
  VkCommandBuffer cmd;
  CTS_VK(vkAllocateCommandBuffers(gpu.device, &allocate, &cmd));
  VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0,
                                 level == VK_COMMAND_BUFFER_LEVEL_SECONDARY ? &inheritance : nullptr};
  CTS_VK(vkBeginCommandBuffer(cmd, &begin));
  record(cmd);
  CTS_VK(vkEndCommandBuffer(cmd));
  return cmd;
}

VkCommandBuffer commands(Gpu& gpu, uint32_t family, const std::function<void(VkCommandBuffer)>& record) {
  return recorded(gpu, pool(gpu, family), VK_COMMAND_BUFFER_LEVEL_PRIMARY, record);
}

}  // namespace etzel::cts
