// The Vulkan side of the demo: a device, the scene's resources, and one offscreen frame at any sample count.
#pragma once

#include <vulkan/vulkan.h>

#include <string>

#include "picture.h"
#include "scene.h"

namespace demo {

class Gpu {
 public:
  Gpu();  ///< ends the program with a message when a Vulkan call fails
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  std::string deviceName() const;
  bool supportsSamples(VkSampleCountFlagBits samples) const;
  void upload(const Mesh& mesh, const std::vector<uint8_t>& texture, uint32_t textureSize);
  /// Draws the uploaded scene; `milliseconds` gets the time from submit to fence.
  Picture render(uint32_t width, uint32_t height, VkSampleCountFlagBits samples, double* milliseconds);

 private:
  struct Buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void* mapped;
  };
  struct Image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
  };
  uint32_t memoryType(uint32_t allowed, VkMemoryPropertyFlags flags) const;
  Buffer makeBuffer(VkDeviceSize bytes, VkBufferUsageFlags usage);
  Image makeImage(VkFormat format, uint32_t width, uint32_t height, uint32_t mips, VkSampleCountFlagBits samples,
                  VkImageUsageFlags usage, VkImageAspectFlags aspect);
  void destroy(const Buffer& b);
  void destroy(const Image& i);
  VkCommandBuffer beginCommands();
  void submit(VkCommandBuffer commands);
  VkRenderPass makeRenderPass(VkSampleCountFlagBits samples);
  VkPipeline makePipeline(VkRenderPass pass, VkSampleCountFlagBits samples);

  VkInstance instance_{};
  VkPhysicalDevice physical_{};
  VkDevice device_{};
  VkQueue queue_{};
  VkCommandPool pool_{};
  VkDescriptorSetLayout setLayout_{};
  VkPipelineLayout layout_{};
  VkDescriptorPool descriptorPool_{};
  VkDescriptorSet set_{};
  VkSampler sampler_{};
  Buffer vertices_{}, indices_{};
  Image texture_{};
  uint32_t indexCount_ = 0;
};

}  // namespace demo
