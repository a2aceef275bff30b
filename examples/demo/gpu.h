// The Vulkan side of the demo: a device, the scene's resources, and one offscreen frame at any sample count.
#pragma once

#include <vulkan/vulkan.h>

#include <string>

#include "device.h"
#include "picture.h"
#include "scene.h"

namespace demo {

class Gpu {
 public:
  Gpu();  ///< ends the program with a message when a Vulkan call fails
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  std::string deviceName() const { return device_.name(); }
  bool supportsSamples(VkSampleCountFlagBits samples) const;
  void upload(const Mesh& mesh, const std::vector<uint8_t>& texture, uint32_t textureSize);
  /// Draws the uploaded scene; `milliseconds` gets the time from submit to fence.
  Picture render(uint32_t width, uint32_t height, VkSampleCountFlagBits samples, double* milliseconds);

 private:
  VkRenderPass makeRenderPass(VkSampleCountFlagBits samples);
  VkPipeline makePipeline(VkRenderPass pass, VkSampleCountFlagBits samples);

  const example::Device device_{example::Device::Needs::Nothing};
  VkDescriptorSetLayout setLayout_{};
  VkPipelineLayout layout_{};
  VkDescriptorPool descriptorPool_{};
  VkDescriptorSet set_{};
  VkSampler sampler_{};
  example::Buffer vertices_, indices_;
  example::Image texture_;
  uint32_t indexCount_ = 0;
};

}  // namespace demo
