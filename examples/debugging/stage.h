// A picture of 64 x 64 pixels with four samples each, for programs that show one thing: triangles without vertex
// buffers, an average of the samples, and a last pass that makes the picture of both.
#pragma once

#include <span>
#include <string>

#include "device.h"
#include "picture.h"

namespace example {

using Code = std::span<const uint32_t>;

class Stage {
 public:
  static constexpr uint32_t kSize = 64;
  static constexpr VkSampleCountFlagBits kSamples = VK_SAMPLE_COUNT_4_BIT;

  Stage();  ///< ends the program where no device can do it
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Two triangles that `vertex` makes of gl_VertexIndex. `depth`: tested (less) and written.
  void draw(Code vertex, Code fragment, bool depth = false);
  /// Runs the draws on a background of `light` in red, green and blue, then `last` for every pixel, which reads the
  /// samples (binding 0) and their average (binding 1). \returns what that wrote
  demo::Picture finish(float light, Code last);

 private:
  VkPipeline makePipeline(Code vertex, Code fragment, VkSampleCountFlagBits samples, bool depth);
  void render(VkCommandBuffer commands, const VkRenderingAttachmentInfo& color, const VkRenderingAttachmentInfo* depth,
              std::span<const VkPipeline> pipelines) const;
  void makeDescriptors();

  Device device_{Device::Needs::FragmentMask};
  Image samples_, average_, depth_, output_;
  Buffer readback_;
  VkSampler sampler_{};
  VkDescriptorSetLayout setLayout_{};
  VkDescriptorPool pool_{};
  VkDescriptorSet set_{};
  VkPipelineLayout layout_{};
  std::vector<VkPipeline> pipelines_;  ///< one a draw
};

/// Ends a program: writes the picture to NAME.png, and says which colour a pixel of it has.
int show(const demo::Picture& picture, const std::string& name, uint32_t x, uint32_t y);
/// Whether the program was asked to be right.
bool isFixed(int argc, char** argv);

}  // namespace example
