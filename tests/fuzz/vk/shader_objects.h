// Shader objects (VK_EXT_shader_object) on a rig: made of SPIR-V or of a binary, bound with the stages that they need
// beside them and with all state that comes with no pipeline, and run once.
#pragma once

#include "icd/vulkan_newer.h"
#include "tests/fuzz/vk/rig.h"

namespace etzel::fuzz {

class ShaderObjects {
 public:
  explicit ShaderObjects(Rig& rig) : rig_(rig) {}

  /// Null when the driver refuses. `code` is aligned to words.
  VkShaderEXT make(const Interface& interface, const Rig::Bindings& bindings, VkShaderCodeTypeEXT type,
                   std::span<const uint8_t> code) const;
  void destroy(VkShaderEXT shader) const;
  Bytes binaryOf(VkShaderEXT shader) const;

  /// One draw or dispatch; `options` as a module's header has them (rig.h).
  Outcome run(VkShaderEXT shader, const Interface& interface, const Rig::Bindings& bindings, uint32_t options) const;

 private:
  template <class F>
  F function(const char* name) const;
  void bind(VkCommandBuffer commands, VkShaderStageFlagBits stage, VkShaderEXT shader) const;
  void setState(VkCommandBuffer commands, const Interface& interface, uint32_t options) const;
  void setPixelState(VkCommandBuffer commands, uint32_t options) const;

  Rig& rig_;
};

}  // namespace etzel::fuzz
