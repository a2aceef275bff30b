// What a module wants from outside, read from its declarations: enough to make a pipeline layout and descriptors that
// fit it. Modules may be damaged; what makes no sense is left out.
#pragma once

#include <vulkan/vulkan.h>

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace etzel::fuzz {

/// An image or texel buffer that fits an OpTypeImage.
struct ImageShape {
  uint32_t dim = 1;  ///< SPIR-V's Dim
  bool arrayed = false, multisampled = false, storage = false;
  VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
  auto operator<=>(const ImageShape&) const = default;
};

struct Binding {
  uint32_t set = 0, binding = 0, count = 1;
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  ImageShape image;
};

struct Interface {
  VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
  std::string entryPoint;
  std::vector<Binding> bindings;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;  ///< what a geometry shader takes
  bool usesAddresses = false;  ///< reads memory by address: nobody can say whether it may run
  bool usesClock = false;      ///< computes something else every time
  bool hasImages() const;      ///< among its bindings: not all are buffers
};

inline constexpr uint32_t kMaxSets = 4, kMaxBinding = 63, kMaxElements = 16;

/// Nothing when there is no entry point.
std::optional<Interface> interfaceOf(std::span<const uint32_t> module);

}  // namespace etzel::fuzz
