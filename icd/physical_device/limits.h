// Numbers that both device/properties.txt and the code use.
#pragma once

#include "icd/vulkan_newer.h"

namespace etzel::icd {

inline constexpr uint32_t kMaxBoundSets = 32;           ///< abi::kMaxSets
inline constexpr uint32_t kMaxDescriptors = 1u << 20;   ///< per stage and per set
inline constexpr uint32_t kMaxDynamicDescriptors = 32;  ///< of each kind, uniform and storage
inline constexpr uint32_t kMaxPushDescriptors = 32;
inline constexpr uint32_t kMaxDescriptorBuffers = 32;                ///< bound at a time
inline constexpr VkDeviceSize kMaxDescriptorBufferBytes = 1u << 30;  ///< what a descriptor handle reaches
inline constexpr uint32_t kMaxCustomBorderColors = 1u << 20;
inline constexpr uint32_t kMaxCommandBufferNesting = 256;  ///< secondary command buffers that run inside each other
inline constexpr VkSampleCountFlags kSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT |
                                                    VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT |
                                                    VK_SAMPLE_COUNT_16_BIT;
/// Colour images that every format can be sampled with. A fragment mask has 32 bits (VK_AMD_shader_fragment_mask),
/// which hold eight samples; 16 are offered per format (VkImageFormatProperties), where shaders read them sample by
/// sample.
inline constexpr VkSampleCountFlags kSampledSampleCounts = kSampleCounts & ~VkSampleCountFlags(VK_SAMPLE_COUNT_16_BIT);
/// Sample locations are the same for all pixels.
inline constexpr VkExtent2D kSampleLocationGrid = {1, 1};
inline constexpr VkResolveModeFlags kDepthResolveModes =
    VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_AVERAGE_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT;
inline constexpr VkResolveModeFlags kStencilResolveModes =
    VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT;
inline constexpr VkShaderStageFlags kSubgroupStages = VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT;
inline constexpr VkSubgroupFeatureFlags kSubgroupOperations =
    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
    VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
    VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT | VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV |
    VK_SUBGROUP_FEATURE_ROTATE_BIT | VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT;

}  // namespace etzel::icd
