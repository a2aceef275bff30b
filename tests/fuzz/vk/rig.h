// Everything that a shader may want, so that any module can run once: a device with all features, images of every
// shape, buffers, the other stages of a pipeline. What it reads is the same each time, and all that it may write has a
// digest.
//
// The third word of a module's header, which means nothing to anybody (the tool that made it), chooses how it runs:
// bit 0: four samples, bit 1: sample shading, bit 2: two instances and a second workgroup, bit 3: blending.
#pragma once

#include <map>

#include "testing/vk/device.h"
#include "tests/fuzz/core/target.h"
#include "tests/fuzz/vk/interface.h"

namespace etzel::fuzz {

class Rig : public vktest::Device {
 public:
  Rig();

  /// Makes a pipeline of `module` and the stages that it needs beside it, and runs it once. Refused when there is none.
  Outcome run(std::span<const uint32_t> module, VkPipelineCache cache = VK_NULL_HANDLE,
              VkPipelineCreateFlags flags = 0);

  /// A pipeline layout with descriptors that fit, in memory that is as in the beginning. Valid until the next one.
  struct Bindings {
    VkPipelineLayout layout = VK_NULL_HANDLE;
    std::vector<VkDescriptorSetLayout> setLayouts;
    std::vector<VkDescriptorSet> sets;
    std::vector<ImageShape> written;  ///< storage images among them
  };
  Bindings bind(const Interface& interface);
  /// Binds, pushes constants, dispatches, and gives the digest. `pipeline` may be null: what is bound then is the
  /// caller's, who records it.
  Outcome dispatch(VkPipeline pipeline, const Bindings& bindings, uint32_t options,
                   const std::function<void(VkCommandBuffer)>& bindCode = {});

  /// The same with a draw of all stages. `bindCode` binds the shaders, and the state that comes with a pipeline.
  Outcome draw(const Bindings& bindings, uint32_t options, const std::function<void(VkCommandBuffer)>& bindCode);

  /// The stages that a pipeline has for the sake of the one under test, and their code.
  static uint32_t companionsOf(VkShaderStageFlagBits stage);
  static std::span<const uint32_t> companionCode(VkShaderStageFlagBits stage);

  static constexpr uint32_t kStages = 5;  ///< of graphics, Vertex to Fragment
  static constexpr uint32_t kPatchPoints = 3, kAttributes = 8, kVertexStride = 64, kTargetSize = 16;
  static constexpr uint32_t kPushBytes = 128;
  static constexpr VkDeviceSize kBufferBytes = 4096, kBuffers = 16;

  /// Whether the device is of no more use.
  bool lost() const { return lost_; }

  struct Picture {
    VkImage image = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
    VkExtent3D size{};
    uint32_t layers = 1;
  };
  const Picture& picture(const ImageShape& shape);
  VkBuffer outputs() const { return outputs_; }
  VkBuffer inputs() const { return inputs_; }
  VkSampler sampler() const { return sampler_; }
  /// A buffer in memory of the host whose address shaders and descriptors may have.
  VkBuffer makeAddressed(const VkBufferCreateInfo& info, Bound* bound);
  VkDeviceAddress addressOf(VkBuffer buffer) const;
  /// Submits `commands` and waits; Lost or Ran with the digest of outputs and what was read back.
  Outcome finish(VkCommandBuffer commands);
  VkCommandBuffer begin();
  /// All that bindings name is as in the beginning.
  void reset(VkCommandBuffer commands, const Bindings& bindings);
  /// Storage images count for the digest.
  void readBack(VkCommandBuffer commands, const Bindings& bindings);
  /// Destroys what a run made.
  void endRun() { release(base_); }

 private:
  void makeBuffers();
  void makeTargets();
  VkBufferView texels(VkFormat format, bool storage);
  void fill(VkCommandBuffer commands, const ImageShape& shape, const Picture& picture);
  VkDescriptorSet makeSet(const Interface& interface, uint32_t set, VkDescriptorSetLayout layout);
  VkPipeline graphicsPipeline(const Interface& interface, VkShaderModule module, VkPipelineLayout layout,
                              VkPipelineCache cache, VkPipelineCreateFlags flags, uint32_t options);
  VkPipeline computePipeline(const Interface& interface, VkShaderModule module, VkPipelineLayout layout,
                             VkPipelineCache cache, VkPipelineCreateFlags flags);
  void render(VkCommandBuffer commands, uint32_t options);
  Outcome runBare(std::span<const uint32_t> module);  ///< where not even the grammar holds

  VkCommandPool pool_{};
  VkBuffer inputs_{}, outputs_{}, readback_{};
  uint32_t *input_ = nullptr, *output_ = nullptr, *back_ = nullptr;
  std::pair<VkDeviceSize, VkDeviceSize> floats_{};  ///< words of back_ that are a colour of floats, from and to
  VkDeviceSize backBytes_ = 0;                      ///< of this run
  VkSampler sampler_{};
  Picture targets_[2][3];  ///< [multisampled][attachment]: two colours, depth
  std::map<ImageShape, Picture> pictures_;
  std::map<std::pair<VkFormat, bool>, VkBufferView> texels_;
  VkShaderModule companion_[5]{};  ///< by stage, Vertex to Fragment
  uint32_t base_ = 0;              ///< what a run begins with; it releases the rest
  bool lost_ = false;
};

}  // namespace etzel::fuzz
