// Compute pipelines that are recorded by hand, command pools and command buffers.
#pragma once

#include "cts-subset/support/draw.h"

namespace etzel::cts {

/// A compute pipeline with its descriptor set.
class Kernel {
 public:
  Kernel(Gpu& gpu, const std::string& glsl, const std::vector<Binding>& bindings, uint32_t pushBytes);
  void bind(VkCommandBuffer cmd) const;
  VkPipelineLayout layout() const { return set_.pipeline; }

 private:
  Gpu::Set set_;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

/// A pool that lives as long as the case.
VkCommandPool pool(Gpu& gpu, uint32_t family);

/// A command buffer of `pool` with what `record` puts into it. Callable from any thread, one a pool.
VkCommandBuffer recorded(Gpu& gpu, VkCommandPool pool, VkCommandBufferLevel level,
                         const std::function<void(VkCommandBuffer)>& record);

/// A primary one in a pool of its own.
VkCommandBuffer commands(Gpu& gpu, uint32_t family, const std::function<void(VkCommandBuffer)>& record);

}  // namespace etzel::cts
