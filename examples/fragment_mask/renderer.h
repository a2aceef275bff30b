// Draws the scene into a multisampled G-buffer and runs compute passes over it, each sample by sample or fragment by
// fragment.
#pragma once

#include "device.h"
#include "picture.h"
#include "scene.h"

namespace example {

enum class Pass { Resolve, Deferred };

class Renderer {
 public:
  Renderer(const Device& device, VkExtent2D size, VkSampleCountFlagBits samples);
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  /// Draws the G-buffer: lit colour, albedo, geometry.
  void drawScene();
  /// Runs a pass over the G-buffer. \returns milliseconds
  double run(Pass pass, bool byFragment);
  /// What the last pass wrote.
  demo::Picture result() const;

 private:
  static constexpr uint32_t kTargets = 3;

  void makeDescriptors();
  VkPipeline makeScenePipeline() const;
  VkPipeline makeComputePipeline(Pass pass, bool byFragment) const;

  const Device& device_;
  VkExtent2D size_;
  VkSampleCountFlagBits samples_;
  demo::Camera camera_;
  uint32_t indexCount_ = 0;
  Buffer vertices_, indices_, readback_;
  Image target_[kTargets], depth_, output_;
  VkSampler sampler_{};
  VkDescriptorSetLayout setLayout_{};
  VkDescriptorPool pool_{};
  VkDescriptorSet set_{};
  VkPipelineLayout layout_{};
  VkPipeline scene_{}, compute_[2][2]{};  ///< compute: by pass, by fragment or not
};

}  // namespace example
