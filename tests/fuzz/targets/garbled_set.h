// A descriptor set in a buffer (VK_EXT_descriptor_buffer) in which bytes lie that are no descriptors: shaders read
// zeros for them.
#pragma once

#include "tests/fuzz/vk/rig.h"

namespace etzel::fuzz {

class GarbledSet {
 public:
  /// `slots`: descriptors of the layout, all bindings together. Lives as long as what the run makes.
  GarbledSet(Rig& rig, VkDescriptorSetLayout layout, uint32_t slots);

  void put(uint32_t binding, uint32_t element, VkDescriptorType type, const VkDescriptorDataEXT& data);
  /// Writes something else into one of the slots, which `word` chooses, and what: any bytes, addresses where the driver
  /// might look for some, a descriptor with a bit changed, one that belongs elsewhere.
  void garble(uint32_t word);
  void bind(VkCommandBuffer commands, VkPipelineLayout layout) const;

 private:
  Rig& rig_;
  const VkDescriptorSetLayout layout_;
  const uint32_t slots_;
  VkDeviceAddress address_ = 0;
  uint8_t* bytes_ = nullptr;
};

}  // namespace etzel::fuzz
