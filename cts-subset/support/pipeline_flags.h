// Flags of pipelines that headers of Debian 12 lack.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace etzel::cts {

inline constexpr uint64_t kCapturesData = 1ull << 31;  ///< VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR
inline constexpr uint64_t kWideIndices = 1ull << 43;   ///< VK_PIPELINE_CREATE_2_64_BIT_INDEXING_BIT_EXT

/// VkPipelineCreateFlags2CreateInfo
struct PipelineFlags {
  explicit PipelineFlags(uint64_t all) : flags(all) {}
  VkStructureType sType = VkStructureType(1000470005);
  const void* next = nullptr;
  uint64_t flags;
};

}  // namespace etzel::cts
