// What a scenario's shaders read and write, as one descriptor set: a line a binding.
#pragma once

#include <initializer_list>
#include <vector>

#include "draws.h"

namespace vkbench {

struct Resource {
  VkDescriptorType type;
  const Image* image = nullptr;
  VkSampler sampler = VK_NULL_HANDLE;
  const Buffer* buffer = nullptr;
  VkBufferView texels = VK_NULL_HANDLE;
};
inline Resource sampled(const Image& i, VkSampler s) { return {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &i, s}; }
inline Resource stored(const Image& i) { return {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &i}; }
inline Resource read(VkBufferView b) {
  return {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, nullptr, VK_NULL_HANDLE, nullptr, b};
}
inline Resource stored(VkBufferView b) {
  return {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, nullptr, VK_NULL_HANDLE, nullptr, b};
}
inline Resource uniform(const Buffer& b) { return {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, nullptr, VK_NULL_HANDLE, &b}; }
inline Resource storage(const Buffer& b) { return {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, nullptr, VK_NULL_HANDLE, &b}; }

/// Set 0 with these from binding 0, and the layout that has it and the push constants.
class Resources {
 public:
  Resources(Gpu& gpu, std::initializer_list<Resource> list) : gpu_(gpu) {
    std::vector<VkDescriptorType> types;
    for (const Resource& r : list) types.push_back(r.type);
    const VkDescriptorSetLayout setLayout = gpu.makeSetLayout(types);
    layout = gpu.makeLayout(setLayout);
    set_ = gpu.makeSet(setLayout);
    uint32_t binding = 0;
    for (const Resource& r : list) {
      if (r.image) gpu.writeImage(set_, binding, r.type, *r.image, r.sampler);
      if (r.texels) gpu.writeTexels(set_, binding, r.type, r.texels);
      if (r.buffer) gpu.writeBuffer(set_, binding, *r.buffer, r.type);
      ++binding;
    }
  }
  void bind(VkCommandBuffer c, VkPipeline pipeline, VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_GRAPHICS) const {
    vkCmdBindPipeline(c, point, pipeline);
    vkCmdBindDescriptorSets(c, point, layout, 0, 1, &set_, 0, nullptr);
  }
  template <class T>
  void push(VkCommandBuffer c, const T& constants) const {
    vkbench::push(gpu_, c, constants, layout);
  }
  VkPipelineLayout layout{};

 private:
  Gpu& gpu_;
  VkDescriptorSet set_{};
};

/// A triangle that covers a target, and what its fragment shader reads.
class FullPass {
 public:
  FullPass(Gpu& gpu, const Target& target, Spirv fragment, std::initializer_list<Resource> list, bool adds = false);
  /// The whole render pass, and a barrier behind it.
  void record(VkCommandBuffer c, const FullPush& constants = {}) const {
    gpu_.begin(c, target_);
    resources_.bind(c, pipeline_);
    resources_.push(c, constants);
    vkCmdDraw(c, 3, 1, 0, 0);
    vkCmdEndRenderPass(c);
    gpu_.barrier(c);
  }

 private:
  Gpu& gpu_;
  const Target& target_;
  Resources resources_;
  VkPipeline pipeline_{};
};

/// Times commands that end with a picture of four bytes a texel.
template <class F>
Outcome pictureOutcome(Gpu& gpu, double work, const Image& picture, F body) {
  Outcome out = commandOutcome(gpu, work, body);
  digestImage(out, gpu.read(picture), picture.desc.width, picture.desc.height);
  return out;
}

inline constexpr VkImageUsageFlags kTexture = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
inline constexpr VkImageUsageFlags kOutput = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;

}  // namespace vkbench
