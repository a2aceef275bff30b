// Declarations of extensions that are newer than Debian 12's Vulkan headers, so that the driver can offer them there.
// Facts from the Vulkan registry (Khronos, Apache-2.0 OR MIT); with newer headers each part is skipped. Include
// instead of relying on vulkan.h for these. A table: nothing here is code.
#pragma once

#include <vulkan/vulkan.h>

// clang-format off
#ifndef VK_EXT_depth_clamp_control
#define VK_EXT_depth_clamp_control 1
#define VK_EXT_DEPTH_CLAMP_CONTROL_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLAMP_CONTROL_FEATURES_EXT = VkStructureType(1000582000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLAMP_CONTROL_CREATE_INFO_EXT = VkStructureType(1000582001);
inline constexpr VkDynamicState VK_DYNAMIC_STATE_DEPTH_CLAMP_RANGE_EXT = VkDynamicState(1000582000);
struct VkPhysicalDeviceDepthClampControlFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 depthClampControl;
};
enum VkDepthClampModeEXT {
  VK_DEPTH_CLAMP_MODE_VIEWPORT_RANGE_EXT = 0,
  VK_DEPTH_CLAMP_MODE_USER_DEFINED_RANGE_EXT = 1,
  VKDEPTHCLAMPMODEEXT_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
struct VkDepthClampRangeEXT {
  float minDepthClamp;
  float maxDepthClamp;
};
struct VkPipelineViewportDepthClampControlCreateInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkDepthClampModeEXT depthClampMode;
  const VkDepthClampRangeEXT* pDepthClampRange;
};
#endif

#ifndef VK_EXT_shader_object
#define VK_EXT_shader_object 1
#define VK_EXT_SHADER_OBJECT_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT = VkStructureType(1000482000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT = VkStructureType(1000482001);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT = VkStructureType(1000482002);
inline constexpr auto VK_STRUCTURE_TYPE_SHADER_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
inline constexpr VkObjectType VK_OBJECT_TYPE_SHADER_EXT = VkObjectType(1000482000);
inline constexpr VkResult VK_INCOMPATIBLE_SHADER_BINARY_EXT = VkResult(1000482000);
inline constexpr auto VK_ERROR_INCOMPATIBLE_SHADER_BINARY_EXT = VK_INCOMPATIBLE_SHADER_BINARY_EXT;
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkShaderEXT)
enum VkShaderCreateFlagBitsEXT {
  VK_SHADER_CREATE_LINK_STAGE_BIT_EXT = 1u << 0,
  VKSHADERCREATEFLAGBITSEXT_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
using VkShaderCreateFlagsEXT = VkFlags;
enum VkShaderCodeTypeEXT {
  VK_SHADER_CODE_TYPE_BINARY_EXT = 0,
  VK_SHADER_CODE_TYPE_SPIRV_EXT = 1,
  VKSHADERCODETYPEEXT_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
struct VkPhysicalDeviceShaderObjectFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderObject;
};
struct VkPhysicalDeviceShaderObjectPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  uint8_t shaderBinaryUUID[VK_UUID_SIZE];
  uint32_t shaderBinaryVersion;
};
struct VkShaderCreateInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkShaderCreateFlagsEXT flags;
  VkShaderStageFlagBits stage;
  VkShaderStageFlags nextStage;
  VkShaderCodeTypeEXT codeType;
  size_t codeSize;
  const void* pCode;
  const char* pName;
  uint32_t setLayoutCount;
  const VkDescriptorSetLayout* pSetLayouts;
  uint32_t pushConstantRangeCount;
  const VkPushConstantRange* pPushConstantRanges;
  const VkSpecializationInfo* pSpecializationInfo;
};
using VkShaderRequiredSubgroupSizeCreateInfoEXT = VkPipelineShaderStageRequiredSubgroupSizeCreateInfo;
inline constexpr VkShaderCreateFlagBitsEXT VK_SHADER_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT_EXT = VkShaderCreateFlagBitsEXT(1u << 1);
inline constexpr VkShaderCreateFlagBitsEXT VK_SHADER_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT = VkShaderCreateFlagBitsEXT(1u << 2);
inline constexpr VkShaderCreateFlagBitsEXT VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT = VkShaderCreateFlagBitsEXT(1u << 3);
inline constexpr VkShaderCreateFlagBitsEXT VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT = VkShaderCreateFlagBitsEXT(1u << 4);
inline constexpr VkShaderCreateFlagBitsEXT VK_SHADER_CREATE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_EXT = VkShaderCreateFlagBitsEXT(1u << 5);
inline constexpr VkShaderCreateFlagBitsEXT VK_SHADER_CREATE_FRAGMENT_DENSITY_MAP_ATTACHMENT_BIT_EXT = VkShaderCreateFlagBitsEXT(1u << 6);
#endif

#ifndef VK_KHR_maintenance5
#define VK_KHR_maintenance5 1
#define VK_KHR_MAINTENANCE_5_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES = VkStructureType(1000470000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES = VkStructureType(1000470001);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_RENDERING_AREA_INFO = VkStructureType(1000470003);
inline constexpr auto VK_STRUCTURE_TYPE_RENDERING_AREA_INFO_KHR = VK_STRUCTURE_TYPE_RENDERING_AREA_INFO;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO = VkStructureType(1000470004);
inline constexpr auto VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO_KHR = VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO;
struct VkPhysicalDeviceMaintenance5Features {
  VkStructureType sType;
  void* pNext;
  VkBool32 maintenance5;
};
using VkPhysicalDeviceMaintenance5FeaturesKHR = VkPhysicalDeviceMaintenance5Features;
struct VkPhysicalDeviceMaintenance5Properties {
  VkStructureType sType;
  void* pNext;
  VkBool32 earlyFragmentMultisampleCoverageAfterSampleCounting;
  VkBool32 earlyFragmentSampleMaskTestBeforeSampleCounting;
  VkBool32 depthStencilSwizzleOneSupport;
  VkBool32 polygonModePointSize;
  VkBool32 nonStrictSinglePixelWideLinesUseParallelogram;
  VkBool32 nonStrictWideLinesUseParallelogram;
};
using VkPhysicalDeviceMaintenance5PropertiesKHR = VkPhysicalDeviceMaintenance5Properties;
inline constexpr VkFormat VK_FORMAT_A1B5G5R5_UNORM_PACK16 = VkFormat(1000470000);
inline constexpr auto VK_FORMAT_A1B5G5R5_UNORM_PACK16_KHR = VK_FORMAT_A1B5G5R5_UNORM_PACK16;
inline constexpr VkFormat VK_FORMAT_A8_UNORM = VkFormat(1000470001);
inline constexpr auto VK_FORMAT_A8_UNORM_KHR = VK_FORMAT_A8_UNORM;
struct VkRenderingAreaInfo {
  VkStructureType sType;
  const void* pNext;
  uint32_t viewMask;
  uint32_t colorAttachmentCount;
  const VkFormat* pColorAttachmentFormats;
  VkFormat depthAttachmentFormat;
  VkFormat stencilAttachmentFormat;
};
using VkRenderingAreaInfoKHR = VkRenderingAreaInfo;
using VkImageSubresource2 = VkImageSubresource2EXT;
struct VkDeviceImageSubresourceInfo {
  VkStructureType sType;
  const void* pNext;
  const VkImageCreateInfo* pCreateInfo;
  const VkImageSubresource2* pSubresource;
};
using VkSubresourceLayout2 = VkSubresourceLayout2EXT;
using VkDeviceImageSubresourceInfoKHR = VkDeviceImageSubresourceInfo;
using VkImageSubresource2KHR = VkImageSubresource2;
using VkSubresourceLayout2KHR = VkSubresourceLayout2;
inline constexpr auto VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2 = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT;
inline constexpr auto VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_KHR = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2;
inline constexpr auto VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2 = VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT;
inline constexpr auto VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_KHR = VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2;
using VkPipelineCreateFlagBits2 = VkFlags64;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT = 1ull << 0;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT = 1ull << 1;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_DERIVATIVE_BIT = 1ull << 2;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_VIEW_INDEX_FROM_DEVICE_INDEX_BIT = 1ull << 3;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_DISPATCH_BASE_BIT = 1ull << 4;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT = 1ull << 8;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT = 1ull << 9;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_NO_PROTECTED_ACCESS_BIT = 1ull << 27;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_PROTECTED_ACCESS_ONLY_BIT = 1ull << 30;
inline constexpr auto VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT_KHR = VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT;
inline constexpr auto VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT_KHR = VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT;
inline constexpr auto VK_PIPELINE_CREATE_2_DERIVATIVE_BIT_KHR = VK_PIPELINE_CREATE_2_DERIVATIVE_BIT;
inline constexpr auto VK_PIPELINE_CREATE_2_VIEW_INDEX_FROM_DEVICE_INDEX_BIT_KHR = VK_PIPELINE_CREATE_2_VIEW_INDEX_FROM_DEVICE_INDEX_BIT;
inline constexpr auto VK_PIPELINE_CREATE_2_DISPATCH_BASE_BIT_KHR = VK_PIPELINE_CREATE_2_DISPATCH_BASE_BIT;
using VkBufferUsageFlagBits2 = VkFlags64;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT = 1ull << 0;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_TRANSFER_DST_BIT = 1ull << 1;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_UNIFORM_TEXEL_BUFFER_BIT = 1ull << 2;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_STORAGE_TEXEL_BUFFER_BIT = 1ull << 3;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_UNIFORM_BUFFER_BIT = 1ull << 4;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT = 1ull << 5;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT = 1ull << 6;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_VERTEX_BUFFER_BIT = 1ull << 7;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT = 1ull << 8;
inline constexpr auto VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT_KHR = VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT;
inline constexpr auto VK_BUFFER_USAGE_2_TRANSFER_DST_BIT_KHR = VK_BUFFER_USAGE_2_TRANSFER_DST_BIT;
inline constexpr auto VK_BUFFER_USAGE_2_UNIFORM_TEXEL_BUFFER_BIT_KHR = VK_BUFFER_USAGE_2_UNIFORM_TEXEL_BUFFER_BIT;
inline constexpr auto VK_BUFFER_USAGE_2_STORAGE_TEXEL_BUFFER_BIT_KHR = VK_BUFFER_USAGE_2_STORAGE_TEXEL_BUFFER_BIT;
inline constexpr auto VK_BUFFER_USAGE_2_UNIFORM_BUFFER_BIT_KHR = VK_BUFFER_USAGE_2_UNIFORM_BUFFER_BIT;
inline constexpr auto VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT_KHR = VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT;
inline constexpr auto VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR = VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT;
inline constexpr auto VK_BUFFER_USAGE_2_VERTEX_BUFFER_BIT_KHR = VK_BUFFER_USAGE_2_VERTEX_BUFFER_BIT;
inline constexpr auto VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR = VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT;
using VkPipelineCreateFlags2 = VkFlags64;
using VkPipelineCreateFlags2KHR = VkPipelineCreateFlags2;
using VkPipelineCreateFlagBits2KHR = VkPipelineCreateFlagBits2;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO = VkStructureType(1000470005);
struct VkPipelineCreateFlags2CreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkPipelineCreateFlags2 flags;
};
using VkPipelineCreateFlags2CreateInfoKHR = VkPipelineCreateFlags2CreateInfo;
using VkBufferUsageFlags2 = VkFlags64;
using VkBufferUsageFlags2KHR = VkBufferUsageFlags2;
using VkBufferUsageFlagBits2KHR = VkBufferUsageFlagBits2;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO = VkStructureType(1000470006);
struct VkBufferUsageFlags2CreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkBufferUsageFlags2 usage;
};
using VkBufferUsageFlags2CreateInfoKHR = VkBufferUsageFlags2CreateInfo;
inline constexpr auto VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
inline constexpr auto VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_DEFER_COMPILE_BIT_NV = 1ull << 5;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_CAPTURE_STATISTICS_BIT_KHR = 1ull << 6;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR = 1ull << 7;
inline constexpr auto VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_KHR = VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
inline constexpr auto VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT_KHR = VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_LINK_TIME_OPTIMIZATION_BIT_EXT = 1ull << 10;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT = 1ull << 23;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR = 1ull << 11;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR = 1ull << 12;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_AABBS_BIT_KHR = 1ull << 13;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_ANY_HIT_SHADERS_BIT_KHR = 1ull << 14;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_CLOSEST_HIT_SHADERS_BIT_KHR = 1ull << 15;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_MISS_SHADERS_BIT_KHR = 1ull << 16;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_INTERSECTION_SHADERS_BIT_KHR = 1ull << 17;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR = 1ull << 19;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV = 1ull << 18;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RAY_TRACING_ALLOW_MOTION_BIT_NV = 1ull << 20;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR = 1ull << 21;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_BIT_EXT = 1ull << 22;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_COLOR_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT = 1ull << 25;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT = 1ull << 26;
inline constexpr auto VK_PIPELINE_CREATE_2_NO_PROTECTED_ACCESS_BIT_EXT = VK_PIPELINE_CREATE_2_NO_PROTECTED_ACCESS_BIT;
inline constexpr auto VK_PIPELINE_CREATE_2_PROTECTED_ACCESS_ONLY_BIT_EXT = VK_PIPELINE_CREATE_2_PROTECTED_ACCESS_ONLY_BIT;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RAY_TRACING_DISPLACEMENT_MICROMAP_BIT_NV = 1ull << 28;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_DESCRIPTOR_BUFFER_BIT_EXT = 1ull << 29;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_CONDITIONAL_RENDERING_BIT_EXT = 1ull << 9;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_SHADER_BINDING_TABLE_BIT_KHR = 1ull << 10;
inline constexpr auto VK_BUFFER_USAGE_2_RAY_TRACING_BIT_NV = VK_BUFFER_USAGE_2_SHADER_BINDING_TABLE_BIT_KHR;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT = 1ull << 11;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT = 1ull << 12;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_VIDEO_DECODE_SRC_BIT_KHR = 1ull << 13;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_VIDEO_DECODE_DST_BIT_KHR = 1ull << 14;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_VIDEO_ENCODE_DST_BIT_KHR = 1ull << 15;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_VIDEO_ENCODE_SRC_BIT_KHR = 1ull << 16;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT = 1ull << 17;
inline constexpr auto VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT_KHR = VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR = 1ull << 19;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR = 1ull << 20;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT = 1ull << 21;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT = 1ull << 22;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_PUSH_DESCRIPTORS_DESCRIPTOR_BUFFER_BIT_EXT = 1ull << 26;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_DISALLOW_OPACITY_MICROMAP_BIT_ARM = 1ull << 37;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_INSTRUMENT_SHADERS_BIT_ARM = 1ull << 39;
inline constexpr VkShaderCreateFlagBitsEXT VK_SHADER_CREATE_INSTRUMENT_SHADER_BIT_ARM = VkShaderCreateFlagBitsEXT(1u << 11);
#endif

#ifndef VK_KHR_maintenance6
#define VK_KHR_maintenance6 1
#define VK_KHR_MAINTENANCE_6_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES = VkStructureType(1000545000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_PROPERTIES = VkStructureType(1000545001);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_PROPERTIES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_PROPERTIES;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS = VkStructureType(1000545002);
inline constexpr auto VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR = VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO = VkStructureType(1000545003);
inline constexpr auto VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO_KHR = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO = VkStructureType(1000545004);
inline constexpr auto VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO;
struct VkPhysicalDeviceMaintenance6Features {
  VkStructureType sType;
  void* pNext;
  VkBool32 maintenance6;
};
using VkPhysicalDeviceMaintenance6FeaturesKHR = VkPhysicalDeviceMaintenance6Features;
struct VkPhysicalDeviceMaintenance6Properties {
  VkStructureType sType;
  void* pNext;
  VkBool32 blockTexelViewCompatibleMultipleLayers;
  uint32_t maxCombinedImageSamplerDescriptorCount;
  VkBool32 fragmentShadingRateClampCombinerInputs;
};
using VkPhysicalDeviceMaintenance6PropertiesKHR = VkPhysicalDeviceMaintenance6Properties;
struct VkBindMemoryStatus {
  VkStructureType sType;
  const void* pNext;
  VkResult* pResult;
};
using VkBindMemoryStatusKHR = VkBindMemoryStatus;
struct VkBindDescriptorSetsInfo {
  VkStructureType sType;
  const void* pNext;
  VkShaderStageFlags stageFlags;
  VkPipelineLayout layout;
  uint32_t firstSet;
  uint32_t descriptorSetCount;
  const VkDescriptorSet* pDescriptorSets;
  uint32_t dynamicOffsetCount;
  const uint32_t* pDynamicOffsets;
};
using VkBindDescriptorSetsInfoKHR = VkBindDescriptorSetsInfo;
struct VkPushConstantsInfo {
  VkStructureType sType;
  const void* pNext;
  VkPipelineLayout layout;
  VkShaderStageFlags stageFlags;
  uint32_t offset;
  uint32_t size;
  const void* pValues;
};
using VkPushConstantsInfoKHR = VkPushConstantsInfo;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO = VkStructureType(1000545005);
inline constexpr auto VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO_KHR = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO = VkStructureType(1000545006);
inline constexpr auto VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO_KHR = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO;
struct VkPushDescriptorSetInfo {
  VkStructureType sType;
  const void* pNext;
  VkShaderStageFlags stageFlags;
  VkPipelineLayout layout;
  uint32_t set;
  uint32_t descriptorWriteCount;
  const VkWriteDescriptorSet* pDescriptorWrites;
};
using VkPushDescriptorSetInfoKHR = VkPushDescriptorSetInfo;
struct VkPushDescriptorSetWithTemplateInfo {
  VkStructureType sType;
  const void* pNext;
  VkDescriptorUpdateTemplate descriptorUpdateTemplate;
  VkPipelineLayout layout;
  uint32_t set;
  const void* pData;
};
using VkPushDescriptorSetWithTemplateInfoKHR = VkPushDescriptorSetWithTemplateInfo;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_SET_DESCRIPTOR_BUFFER_OFFSETS_INFO_EXT = VkStructureType(1000545007);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_INFO_EXT = VkStructureType(1000545008);
struct VkSetDescriptorBufferOffsetsInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkShaderStageFlags stageFlags;
  VkPipelineLayout layout;
  uint32_t firstSet;
  uint32_t setCount;
  const uint32_t* pBufferIndices;
  const VkDeviceSize* pOffsets;
};
struct VkBindDescriptorBufferEmbeddedSamplersInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkShaderStageFlags stageFlags;
  VkPipelineLayout layout;
  uint32_t set;
};
#endif

#ifndef VK_KHR_map_memory2
#define VK_KHR_map_memory2 1
#define VK_KHR_MAP_MEMORY_2_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_MEMORY_MAP_INFO = VkStructureType(1000271000);
inline constexpr auto VK_STRUCTURE_TYPE_MEMORY_MAP_INFO_KHR = VK_STRUCTURE_TYPE_MEMORY_MAP_INFO;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO = VkStructureType(1000271001);
inline constexpr auto VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO_KHR = VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO;
struct VkMemoryMapInfo {
  VkStructureType sType;
  const void* pNext;
  VkMemoryMapFlags flags;
  VkDeviceMemory memory;
  VkDeviceSize offset;
  VkDeviceSize size;
};
using VkMemoryMapInfoKHR = VkMemoryMapInfo;
enum VkMemoryUnmapFlagBits {

  VKMEMORYUNMAPFLAGBITS_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
using VkMemoryUnmapFlags = VkFlags;
struct VkMemoryUnmapInfo {
  VkStructureType sType;
  const void* pNext;
  VkMemoryUnmapFlags flags;
  VkDeviceMemory memory;
};
using VkMemoryUnmapInfoKHR = VkMemoryUnmapInfo;
using VkMemoryUnmapFlagBitsKHR = VkMemoryUnmapFlagBits;
using VkMemoryUnmapFlagsKHR = VkMemoryUnmapFlags;
#endif

#ifndef VK_EXT_host_image_copy
#define VK_EXT_host_image_copy 1
#define VK_EXT_HOST_IMAGE_COPY_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES = VkStructureType(1000270000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES = VkStructureType(1000270001);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES_EXT = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY = VkStructureType(1000270002);
inline constexpr auto VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY = VkStructureType(1000270003);
inline constexpr auto VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT = VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO = VkStructureType(1000270004);
inline constexpr auto VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO = VkStructureType(1000270005);
inline constexpr auto VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO = VkStructureType(1000270006);
inline constexpr auto VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT = VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_COPY_IMAGE_TO_IMAGE_INFO = VkStructureType(1000270007);
inline constexpr auto VK_STRUCTURE_TYPE_COPY_IMAGE_TO_IMAGE_INFO_EXT = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_IMAGE_INFO;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE = VkStructureType(1000270008);
inline constexpr auto VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT = VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY = VkStructureType(1000270009);
inline constexpr auto VK_STRUCTURE_TYPE_HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY_EXT = VK_STRUCTURE_TYPE_HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY;
inline constexpr VkImageUsageFlagBits VK_IMAGE_USAGE_HOST_TRANSFER_BIT = VkImageUsageFlagBits(1u << 22);
inline constexpr auto VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT = VK_IMAGE_USAGE_HOST_TRANSFER_BIT;
inline constexpr VkFormatFeatureFlagBits2 VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT = 1ull << 46;
inline constexpr auto VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT = VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT;
enum VkHostImageCopyFlagBits {
  VK_HOST_IMAGE_COPY_MEMCPY_BIT = 1u << 0,
  VK_HOST_IMAGE_COPY_MEMCPY = VK_HOST_IMAGE_COPY_MEMCPY_BIT,
  VKHOSTIMAGECOPYFLAGBITS_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
inline constexpr auto VK_HOST_IMAGE_COPY_MEMCPY_BIT_EXT = VK_HOST_IMAGE_COPY_MEMCPY_BIT;
inline constexpr auto VK_HOST_IMAGE_COPY_MEMCPY_EXT = VK_HOST_IMAGE_COPY_MEMCPY_BIT;
struct VkPhysicalDeviceHostImageCopyFeatures {
  VkStructureType sType;
  void* pNext;
  VkBool32 hostImageCopy;
};
using VkPhysicalDeviceHostImageCopyFeaturesEXT = VkPhysicalDeviceHostImageCopyFeatures;
struct VkPhysicalDeviceHostImageCopyProperties {
  VkStructureType sType;
  void* pNext;
  uint32_t copySrcLayoutCount;
  VkImageLayout* pCopySrcLayouts;
  uint32_t copyDstLayoutCount;
  VkImageLayout* pCopyDstLayouts;
  uint8_t optimalTilingLayoutUUID[VK_UUID_SIZE];
  VkBool32 identicalMemoryTypeRequirements;
};
using VkPhysicalDeviceHostImageCopyPropertiesEXT = VkPhysicalDeviceHostImageCopyProperties;
using VkHostImageCopyFlagBitsEXT = VkHostImageCopyFlagBits;
using VkHostImageCopyFlags = VkFlags;
using VkHostImageCopyFlagsEXT = VkHostImageCopyFlags;
struct VkMemoryToImageCopy {
  VkStructureType sType;
  const void* pNext;
  const void* pHostPointer;
  uint32_t memoryRowLength;
  uint32_t memoryImageHeight;
  VkImageSubresourceLayers imageSubresource;
  VkOffset3D imageOffset;
  VkExtent3D imageExtent;
};
using VkMemoryToImageCopyEXT = VkMemoryToImageCopy;
struct VkImageToMemoryCopy {
  VkStructureType sType;
  const void* pNext;
  void* pHostPointer;
  uint32_t memoryRowLength;
  uint32_t memoryImageHeight;
  VkImageSubresourceLayers imageSubresource;
  VkOffset3D imageOffset;
  VkExtent3D imageExtent;
};
using VkImageToMemoryCopyEXT = VkImageToMemoryCopy;
struct VkCopyMemoryToImageInfo {
  VkStructureType sType;
  const void* pNext;
  VkHostImageCopyFlags flags;
  VkImage dstImage;
  VkImageLayout dstImageLayout;
  uint32_t regionCount;
  const VkMemoryToImageCopy* pRegions;
};
using VkCopyMemoryToImageInfoEXT = VkCopyMemoryToImageInfo;
struct VkCopyImageToMemoryInfo {
  VkStructureType sType;
  const void* pNext;
  VkHostImageCopyFlags flags;
  VkImage srcImage;
  VkImageLayout srcImageLayout;
  uint32_t regionCount;
  const VkImageToMemoryCopy* pRegions;
};
using VkCopyImageToMemoryInfoEXT = VkCopyImageToMemoryInfo;
struct VkCopyImageToImageInfo {
  VkStructureType sType;
  const void* pNext;
  VkHostImageCopyFlags flags;
  VkImage srcImage;
  VkImageLayout srcImageLayout;
  VkImage dstImage;
  VkImageLayout dstImageLayout;
  uint32_t regionCount;
  const VkImageCopy2* pRegions;
};
using VkCopyImageToImageInfoEXT = VkCopyImageToImageInfo;
struct VkHostImageLayoutTransitionInfo {
  VkStructureType sType;
  const void* pNext;
  VkImage image;
  VkImageLayout oldLayout;
  VkImageLayout newLayout;
  VkImageSubresourceRange subresourceRange;
};
using VkHostImageLayoutTransitionInfoEXT = VkHostImageLayoutTransitionInfo;
struct VkSubresourceHostMemcpySize {
  VkStructureType sType;
  void* pNext;
  VkDeviceSize size;
};
using VkSubresourceHostMemcpySizeEXT = VkSubresourceHostMemcpySize;
struct VkHostImageCopyDevicePerformanceQuery {
  VkStructureType sType;
  void* pNext;
  VkBool32 optimalDeviceAccess;
  VkBool32 identicalMemoryLayout;
};
using VkHostImageCopyDevicePerformanceQueryEXT = VkHostImageCopyDevicePerformanceQuery;
#endif

#ifndef VK_EXT_dynamic_rendering_unused_attachments
#define VK_EXT_dynamic_rendering_unused_attachments 1
#define VK_EXT_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_FEATURES_EXT = VkStructureType(1000499000);
struct VkPhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 dynamicRenderingUnusedAttachments;
};
#endif

#ifndef VK_KHR_load_store_op_none
#define VK_KHR_load_store_op_none 1
#define VK_KHR_LOAD_STORE_OP_NONE_SPEC_VERSION 1
inline constexpr auto VK_ATTACHMENT_LOAD_OP_NONE = VK_ATTACHMENT_LOAD_OP_NONE_EXT;
inline constexpr auto VK_ATTACHMENT_LOAD_OP_NONE_KHR = VK_ATTACHMENT_LOAD_OP_NONE;
#endif

#ifndef VK_KHR_index_type_uint8
#define VK_KHR_index_type_uint8 1
#define VK_KHR_INDEX_TYPE_UINT8_SPEC_VERSION 1
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT;
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES;
inline constexpr auto VK_INDEX_TYPE_UINT8 = VK_INDEX_TYPE_UINT8_EXT;
inline constexpr auto VK_INDEX_TYPE_UINT8_KHR = VK_INDEX_TYPE_UINT8;
using VkPhysicalDeviceIndexTypeUint8Features = VkPhysicalDeviceIndexTypeUint8FeaturesEXT;
using VkPhysicalDeviceIndexTypeUint8FeaturesKHR = VkPhysicalDeviceIndexTypeUint8Features;
#endif

#ifndef VK_KHR_line_rasterization
#define VK_KHR_line_rasterization 1
#define VK_KHR_LINE_RASTERIZATION_SPEC_VERSION 1
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT;
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES;
inline constexpr auto VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT;
inline constexpr auto VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_KHR = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO;
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES_EXT;
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES;
inline constexpr auto VK_DYNAMIC_STATE_LINE_STIPPLE = VK_DYNAMIC_STATE_LINE_STIPPLE_EXT;
inline constexpr auto VK_DYNAMIC_STATE_LINE_STIPPLE_KHR = VK_DYNAMIC_STATE_LINE_STIPPLE;
using VkLineRasterizationMode = VkLineRasterizationModeEXT;
inline constexpr auto VK_LINE_RASTERIZATION_MODE_DEFAULT = VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT;
inline constexpr auto VK_LINE_RASTERIZATION_MODE_RECTANGULAR = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT;
inline constexpr auto VK_LINE_RASTERIZATION_MODE_BRESENHAM = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
inline constexpr auto VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
inline constexpr auto VK_LINE_RASTERIZATION_MODE_DEFAULT_KHR = VK_LINE_RASTERIZATION_MODE_DEFAULT;
inline constexpr auto VK_LINE_RASTERIZATION_MODE_RECTANGULAR_KHR = VK_LINE_RASTERIZATION_MODE_RECTANGULAR;
inline constexpr auto VK_LINE_RASTERIZATION_MODE_BRESENHAM_KHR = VK_LINE_RASTERIZATION_MODE_BRESENHAM;
inline constexpr auto VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_KHR = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH;
using VkPhysicalDeviceLineRasterizationFeatures = VkPhysicalDeviceLineRasterizationFeaturesEXT;
using VkPhysicalDeviceLineRasterizationFeaturesKHR = VkPhysicalDeviceLineRasterizationFeatures;
using VkPhysicalDeviceLineRasterizationProperties = VkPhysicalDeviceLineRasterizationPropertiesEXT;
using VkPhysicalDeviceLineRasterizationPropertiesKHR = VkPhysicalDeviceLineRasterizationProperties;
using VkPipelineRasterizationLineStateCreateInfo = VkPipelineRasterizationLineStateCreateInfoEXT;
using VkPipelineRasterizationLineStateCreateInfoKHR = VkPipelineRasterizationLineStateCreateInfo;
using VkLineRasterizationModeKHR = VkLineRasterizationMode;
#endif

#ifndef VK_KHR_vertex_attribute_divisor
#define VK_KHR_vertex_attribute_divisor 1
#define VK_KHR_VERTEX_ATTRIBUTE_DIVISOR_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES = VkStructureType(1000525000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES;
inline constexpr auto VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT;
inline constexpr auto VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_KHR = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO;
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT;
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES;
struct VkPhysicalDeviceVertexAttributeDivisorProperties {
  VkStructureType sType;
  void* pNext;
  uint32_t maxVertexAttribDivisor;
  VkBool32 supportsNonZeroFirstInstance;
};
using VkPhysicalDeviceVertexAttributeDivisorPropertiesKHR = VkPhysicalDeviceVertexAttributeDivisorProperties;
using VkVertexInputBindingDivisorDescription = VkVertexInputBindingDivisorDescriptionEXT;
using VkVertexInputBindingDivisorDescriptionKHR = VkVertexInputBindingDivisorDescription;
using VkPipelineVertexInputDivisorStateCreateInfo = VkPipelineVertexInputDivisorStateCreateInfoEXT;
using VkPipelineVertexInputDivisorStateCreateInfoKHR = VkPipelineVertexInputDivisorStateCreateInfo;
using VkPhysicalDeviceVertexAttributeDivisorFeatures = VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT;
using VkPhysicalDeviceVertexAttributeDivisorFeaturesKHR = VkPhysicalDeviceVertexAttributeDivisorFeatures;
#endif

#ifndef VK_KHR_calibrated_timestamps
#define VK_KHR_calibrated_timestamps 1
#define VK_KHR_CALIBRATED_TIMESTAMPS_SPEC_VERSION 1
inline constexpr auto VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_KHR = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
using VkTimeDomainKHR = VkTimeDomainEXT;
inline constexpr auto VK_TIME_DOMAIN_DEVICE_KHR = VK_TIME_DOMAIN_DEVICE_EXT;
inline constexpr auto VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
inline constexpr auto VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR = VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT;
inline constexpr auto VK_TIME_DOMAIN_QUERY_PERFORMANCE_COUNTER_KHR = VK_TIME_DOMAIN_QUERY_PERFORMANCE_COUNTER_EXT;
using VkCalibratedTimestampInfoKHR = VkCalibratedTimestampInfoEXT;
#endif

#ifndef VK_EXT_nested_command_buffer
#define VK_EXT_nested_command_buffer 1
#define VK_EXT_NESTED_COMMAND_BUFFER_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT = VkStructureType(1000451000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_PROPERTIES_EXT = VkStructureType(1000451001);
inline constexpr VkSubpassContents VK_SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_KHR = VkSubpassContents(1000451000);
inline constexpr auto VK_SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_EXT = VK_SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_KHR;
inline constexpr VkRenderingFlagBits VK_RENDERING_CONTENTS_INLINE_BIT_KHR = VkRenderingFlagBits(1u << 4);
inline constexpr auto VK_RENDERING_CONTENTS_INLINE_BIT_EXT = VK_RENDERING_CONTENTS_INLINE_BIT_KHR;
struct VkPhysicalDeviceNestedCommandBufferFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 nestedCommandBuffer;
  VkBool32 nestedCommandBufferRendering;
  VkBool32 nestedCommandBufferSimultaneousUse;
};
struct VkPhysicalDeviceNestedCommandBufferPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  uint32_t maxCommandBufferNestingLevel;
};
#endif

#ifndef VK_KHR_shader_expect_assume
#define VK_KHR_shader_expect_assume 1
#define VK_KHR_SHADER_EXPECT_ASSUME_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES = VkStructureType(1000544000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES;
struct VkPhysicalDeviceShaderExpectAssumeFeatures {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderExpectAssume;
};
using VkPhysicalDeviceShaderExpectAssumeFeaturesKHR = VkPhysicalDeviceShaderExpectAssumeFeatures;
#endif

#ifndef VK_KHR_shader_subgroup_rotate
#define VK_KHR_shader_subgroup_rotate 1
#define VK_KHR_SHADER_SUBGROUP_ROTATE_SPEC_VERSION 2
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES = VkStructureType(1000416000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES;
inline constexpr VkSubgroupFeatureFlagBits VK_SUBGROUP_FEATURE_ROTATE_BIT = VkSubgroupFeatureFlagBits(1u << 9);
inline constexpr auto VK_SUBGROUP_FEATURE_ROTATE_BIT_KHR = VK_SUBGROUP_FEATURE_ROTATE_BIT;
inline constexpr VkSubgroupFeatureFlagBits VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT = VkSubgroupFeatureFlagBits(1u << 10);
inline constexpr auto VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT_KHR = VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT;
struct VkPhysicalDeviceShaderSubgroupRotateFeatures {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderSubgroupRotate;
  VkBool32 shaderSubgroupRotateClustered;
};
using VkPhysicalDeviceShaderSubgroupRotateFeaturesKHR = VkPhysicalDeviceShaderSubgroupRotateFeatures;
#endif

#ifndef VK_KHR_shader_maximal_reconvergence
#define VK_KHR_shader_maximal_reconvergence 1
#define VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR = VkStructureType(1000434000);
struct VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderMaximalReconvergence;
};
#endif

#ifndef VK_KHR_shader_quad_control
#define VK_KHR_shader_quad_control 1
#define VK_KHR_SHADER_QUAD_CONTROL_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_QUAD_CONTROL_FEATURES_KHR = VkStructureType(1000235000);
struct VkPhysicalDeviceShaderQuadControlFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderQuadControl;
};
#endif

#ifndef VK_KHR_shader_float_controls2
#define VK_KHR_shader_float_controls2 1
#define VK_KHR_SHADER_FLOAT_CONTROLS_2_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT_CONTROLS_2_FEATURES = VkStructureType(1000528000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT_CONTROLS_2_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT_CONTROLS_2_FEATURES;
struct VkPhysicalDeviceShaderFloatControls2Features {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderFloatControls2;
};
using VkPhysicalDeviceShaderFloatControls2FeaturesKHR = VkPhysicalDeviceShaderFloatControls2Features;
#endif

#ifndef VK_KHR_shader_relaxed_extended_instruction
#define VK_KHR_shader_relaxed_extended_instruction 1
#define VK_KHR_SHADER_RELAXED_EXTENDED_INSTRUCTION_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_RELAXED_EXTENDED_INSTRUCTION_FEATURES_KHR = VkStructureType(1000558000);
struct VkPhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderRelaxedExtendedInstruction;
};
#endif

#ifndef VK_EXT_image_sliced_view_of_3d
#define VK_EXT_image_sliced_view_of_3d 1
#define VK_EXT_IMAGE_SLICED_VIEW_OF_3D_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_SLICED_VIEW_OF_3D_FEATURES_EXT = VkStructureType(1000418000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT = VkStructureType(1000418001);
struct VkPhysicalDeviceImageSlicedViewOf3DFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 imageSlicedViewOf3D;
};
struct VkImageViewSlicedCreateInfoEXT {
  VkStructureType sType;
  const void* pNext;
  uint32_t sliceOffset;
  uint32_t sliceCount;
};
#endif

#ifndef VK_KHR_maintenance7
#define VK_KHR_maintenance7 1
#define VK_KHR_MAINTENANCE_7_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_FEATURES_KHR = VkStructureType(1000562000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_PROPERTIES_KHR = VkStructureType(1000562001);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_LIST_KHR = VkStructureType(1000562002);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_KHR = VkStructureType(1000562003);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_VULKAN_PROPERTIES_KHR = VkStructureType(1000562004);
struct VkPhysicalDeviceMaintenance7FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 maintenance7;
};
struct VkPhysicalDeviceMaintenance7PropertiesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 robustFragmentShadingRateAttachmentAccess;
  VkBool32 separateDepthStencilAttachmentAccess;
  uint32_t maxDescriptorSetTotalUniformBuffersDynamic;
  uint32_t maxDescriptorSetTotalStorageBuffersDynamic;
  uint32_t maxDescriptorSetTotalBuffersDynamic;
  uint32_t maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic;
  uint32_t maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic;
  uint32_t maxDescriptorSetUpdateAfterBindTotalBuffersDynamic;
};
enum VkPhysicalDeviceLayeredApiKHR {
  VK_PHYSICAL_DEVICE_LAYERED_API_VULKAN_KHR = 0,
  VK_PHYSICAL_DEVICE_LAYERED_API_D3D12_KHR = 1,
  VK_PHYSICAL_DEVICE_LAYERED_API_METAL_KHR = 2,
  VK_PHYSICAL_DEVICE_LAYERED_API_OPENGL_KHR = 3,
  VK_PHYSICAL_DEVICE_LAYERED_API_OPENGLES_KHR = 4,
  VKPHYSICALDEVICELAYEREDAPIKHR_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
struct VkPhysicalDeviceLayeredApiPropertiesKHR {
  VkStructureType sType;
  void* pNext;
  uint32_t vendorID;
  uint32_t deviceID;
  VkPhysicalDeviceLayeredApiKHR layeredAPI;
  char deviceName[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};
struct VkPhysicalDeviceLayeredApiPropertiesListKHR {
  VkStructureType sType;
  void* pNext;
  uint32_t layeredApiCount;
  VkPhysicalDeviceLayeredApiPropertiesKHR* pLayeredApis;
};
struct VkPhysicalDeviceLayeredApiVulkanPropertiesKHR {
  VkStructureType sType;
  void* pNext;
  VkPhysicalDeviceProperties2 properties;
};
#endif

#ifndef VK_KHR_maintenance8
#define VK_KHR_maintenance8 1
#define VK_KHR_MAINTENANCE_8_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR = VkStructureType(1000574000);
inline constexpr VkPipelineCacheCreateFlagBits VK_PIPELINE_CACHE_CREATE_INTERNALLY_SYNCHRONIZED_MERGE_BIT_KHR = VkPipelineCacheCreateFlagBits(1u << 3);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_MEMORY_BARRIER_ACCESS_FLAGS_3_KHR = VkStructureType(1000574002);
inline constexpr VkDependencyFlagBits VK_DEPENDENCY_QUEUE_FAMILY_OWNERSHIP_TRANSFER_USE_ALL_STAGES_BIT_KHR = VkDependencyFlagBits(1u << 5);
using VkAccessFlagBits3KHR = VkFlags64;
inline constexpr VkAccessFlagBits3KHR VK_ACCESS_3_NONE_KHR = 0ull;
using VkAccessFlags3KHR = VkFlags64;
struct VkMemoryBarrierAccessFlags3KHR {
  VkStructureType sType;
  const void* pNext;
  VkAccessFlags3KHR srcAccessMask3;
  VkAccessFlags3KHR dstAccessMask3;
};
struct VkPhysicalDeviceMaintenance8FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 maintenance8;
};
#endif

#ifndef VK_KHR_maintenance9
#define VK_KHR_maintenance9 1
#define VK_KHR_MAINTENANCE_9_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR = VkStructureType(1000584000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_PROPERTIES_KHR = VkStructureType(1000584001);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_QUEUE_FAMILY_OWNERSHIP_TRANSFER_PROPERTIES_KHR = VkStructureType(1000584002);
inline constexpr VkDependencyFlagBits VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR = VkDependencyFlagBits(1u << 6);
enum VkQueryPoolCreateFlagBits {

  VKQUERYPOOLCREATEFLAGBITS_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
inline constexpr VkQueryPoolCreateFlagBits VK_QUERY_POOL_CREATE_RESET_BIT_KHR = VkQueryPoolCreateFlagBits(1u << 0);
struct VkPhysicalDeviceMaintenance9FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 maintenance9;
};
enum VkDefaultVertexAttributeValueKHR {
  VK_DEFAULT_VERTEX_ATTRIBUTE_VALUE_ZERO_ZERO_ZERO_ZERO_KHR = 0,
  VK_DEFAULT_VERTEX_ATTRIBUTE_VALUE_ZERO_ZERO_ZERO_ONE_KHR = 1,
  VKDEFAULTVERTEXATTRIBUTEVALUEKHR_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
struct VkPhysicalDeviceMaintenance9PropertiesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 image2DViewOf3DSparse;
  VkDefaultVertexAttributeValueKHR defaultVertexAttributeValue;
};
struct VkQueueFamilyOwnershipTransferPropertiesKHR {
  VkStructureType sType;
  void* pNext;
  uint32_t optimalImageTransferToQueueFamilies;
};
#endif

#ifndef VK_KHR_maintenance10
#define VK_KHR_maintenance10 1
#define VK_KHR_MAINTENANCE_10_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_10_FEATURES_KHR = VkStructureType(1000630000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_10_PROPERTIES_KHR = VkStructureType(1000630001);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_FLAGS_INFO_KHR = VkStructureType(1000630002);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_RENDERING_END_INFO_KHR = VkStructureType(1000619003);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_RESOLVE_IMAGE_MODE_INFO_KHR = VkStructureType(1000630004);
struct VkPhysicalDeviceMaintenance10FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 maintenance10;
};
struct VkPhysicalDeviceMaintenance10PropertiesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 rgba4OpaqueBlackSwizzled;
  VkBool32 resolveSrgbFormatAppliesTransferFunction;
  VkBool32 resolveSrgbFormatSupportsTransferFunctionControl;
};
struct VkRenderingEndInfoKHR {
  VkStructureType sType;
  const void* pNext;
};
enum VkRenderingAttachmentFlagBitsKHR {

  VKRENDERINGATTACHMENTFLAGBITSKHR_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
using VkRenderingAttachmentFlagsKHR = VkFlags;
struct VkRenderingAttachmentFlagsInfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkRenderingAttachmentFlagsKHR flags;
};
enum VkResolveImageFlagBitsKHR {

  VKRESOLVEIMAGEFLAGBITSKHR_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
using VkResolveImageFlagsKHR = VkFlags;
struct VkResolveImageModeInfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkResolveImageFlagsKHR flags;
  VkResolveModeFlagBits resolveMode;
  VkResolveModeFlagBits stencilResolveMode;
};
inline constexpr VkAttachmentDescriptionFlagBits VK_ATTACHMENT_DESCRIPTION_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR = VkAttachmentDescriptionFlagBits(1u << 1);
inline constexpr VkAttachmentDescriptionFlagBits VK_ATTACHMENT_DESCRIPTION_RESOLVE_ENABLE_TRANSFER_FUNCTION_BIT_KHR = VkAttachmentDescriptionFlagBits(1u << 2);
inline constexpr VkRenderingFlagBits VK_RENDERING_LOCAL_READ_CONCURRENT_ACCESS_CONTROL_BIT_KHR = VkRenderingFlagBits(1u << 8);
inline constexpr VkRenderingAttachmentFlagBitsKHR VK_RENDERING_ATTACHMENT_INPUT_ATTACHMENT_FEEDBACK_BIT_KHR = VkRenderingAttachmentFlagBitsKHR(1u << 0);
inline constexpr VkFormatFeatureFlagBits2 VK_FORMAT_FEATURE_2_DEPTH_COPY_ON_COMPUTE_QUEUE_BIT_KHR = 1ull << 52;
inline constexpr VkFormatFeatureFlagBits2 VK_FORMAT_FEATURE_2_DEPTH_COPY_ON_TRANSFER_QUEUE_BIT_KHR = 1ull << 53;
inline constexpr VkFormatFeatureFlagBits2 VK_FORMAT_FEATURE_2_STENCIL_COPY_ON_COMPUTE_QUEUE_BIT_KHR = 1ull << 54;
inline constexpr VkFormatFeatureFlagBits2 VK_FORMAT_FEATURE_2_STENCIL_COPY_ON_TRANSFER_QUEUE_BIT_KHR = 1ull << 55;
inline constexpr VkRenderingAttachmentFlagBitsKHR VK_RENDERING_ATTACHMENT_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR = VkRenderingAttachmentFlagBitsKHR(1u << 1);
inline constexpr VkRenderingAttachmentFlagBitsKHR VK_RENDERING_ATTACHMENT_RESOLVE_ENABLE_TRANSFER_FUNCTION_BIT_KHR = VkRenderingAttachmentFlagBitsKHR(1u << 2);
inline constexpr VkResolveImageFlagBitsKHR VK_RESOLVE_IMAGE_SKIP_TRANSFER_FUNCTION_BIT_KHR = VkResolveImageFlagBitsKHR(1u << 0);
inline constexpr VkResolveImageFlagBitsKHR VK_RESOLVE_IMAGE_ENABLE_TRANSFER_FUNCTION_BIT_KHR = VkResolveImageFlagBitsKHR(1u << 1);
#endif

#ifndef VK_KHR_dynamic_rendering_local_read
#define VK_KHR_dynamic_rendering_local_read 1
#define VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_SPEC_VERSION 1
inline constexpr VkImageLayout VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ = VkImageLayout(1000232000);
inline constexpr auto VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR = VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO = VkStructureType(1000232001);
struct VkRenderingAttachmentLocationInfo {
  VkStructureType sType;
  const void* pNext;
  uint32_t colorAttachmentCount;
  const uint32_t* pColorAttachmentLocations;
};
inline constexpr VkStructureType VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO = VkStructureType(1000232002);
struct VkRenderingInputAttachmentIndexInfo {
  VkStructureType sType;
  const void* pNext;
  uint32_t colorAttachmentCount;
  const uint32_t* pColorAttachmentInputIndices;
  const uint32_t* pDepthInputAttachmentIndex;
  const uint32_t* pStencilInputAttachmentIndex;
};
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES = VkStructureType(1000232000);
struct VkPhysicalDeviceDynamicRenderingLocalReadFeatures {
  VkStructureType sType;
  void* pNext;
  VkBool32 dynamicRenderingLocalRead;
};
using VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR = VkPhysicalDeviceDynamicRenderingLocalReadFeatures;
using VkRenderingAttachmentLocationInfoKHR = VkRenderingAttachmentLocationInfo;
using VkRenderingInputAttachmentIndexInfoKHR = VkRenderingInputAttachmentIndexInfo;
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES;
inline constexpr auto VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO;
inline constexpr auto VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO;
#endif

#ifndef VK_EXT_depth_bias_control
#define VK_EXT_depth_bias_control 1
#define VK_EXT_DEPTH_BIAS_CONTROL_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_BIAS_CONTROL_FEATURES_EXT = VkStructureType(1000283000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT = VkStructureType(1000283001);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT = VkStructureType(1000283002);
struct VkPhysicalDeviceDepthBiasControlFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 depthBiasControl;
  VkBool32 leastRepresentableValueForceUnormRepresentation;
  VkBool32 floatRepresentation;
  VkBool32 depthBiasExact;
};
struct VkDepthBiasInfoEXT {
  VkStructureType sType;
  const void* pNext;
  float depthBiasConstantFactor;
  float depthBiasClamp;
  float depthBiasSlopeFactor;
};
enum VkDepthBiasRepresentationEXT {
  VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORMAT_EXT = 0,
  VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORCE_UNORM_EXT = 1,
  VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT = 2,
  VKDEPTHBIASREPRESENTATIONEXT_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
struct VkDepthBiasRepresentationInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkDepthBiasRepresentationEXT depthBiasRepresentation;
  VkBool32 depthBiasExact;
};
#endif

#if VK_EXT_DISCARD_RECTANGLES_SPEC_VERSION < 2
#undef VK_EXT_DISCARD_RECTANGLES_SPEC_VERSION
#define VK_EXT_DISCARD_RECTANGLES_SPEC_VERSION 2
inline constexpr VkDynamicState VK_DYNAMIC_STATE_DISCARD_RECTANGLE_ENABLE_EXT = VkDynamicState(1000099001);
inline constexpr VkDynamicState VK_DYNAMIC_STATE_DISCARD_RECTANGLE_MODE_EXT = VkDynamicState(1000099002);
#endif

#ifndef VK_EXT_legacy_vertex_attributes
#define VK_EXT_legacy_vertex_attributes 1
#define VK_EXT_LEGACY_VERTEX_ATTRIBUTES_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LEGACY_VERTEX_ATTRIBUTES_FEATURES_EXT = VkStructureType(1000495000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LEGACY_VERTEX_ATTRIBUTES_PROPERTIES_EXT = VkStructureType(1000495001);
struct VkPhysicalDeviceLegacyVertexAttributesFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 legacyVertexAttributes;
};
struct VkPhysicalDeviceLegacyVertexAttributesPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 nativeUnalignedPerformance;
};
#endif

#ifndef VK_KHR_compute_shader_derivatives
#define VK_KHR_compute_shader_derivatives 1
#define VK_KHR_COMPUTE_SHADER_DERIVATIVES_SPEC_VERSION 1
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_NV;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_PROPERTIES_KHR = VkStructureType(1000511000);
using VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR = VkPhysicalDeviceComputeShaderDerivativesFeaturesNV;
struct VkPhysicalDeviceComputeShaderDerivativesPropertiesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 meshAndTaskShaderDerivatives;
};
#endif

#ifndef VK_EXT_depth_clamp_zero_one
#define VK_EXT_depth_clamp_zero_one 1
#define VK_EXT_DEPTH_CLAMP_ZERO_ONE_SPEC_VERSION 1

#endif

#ifndef VK_KHR_robustness2
#define VK_KHR_robustness2 1
#define VK_KHR_ROBUSTNESS_2_SPEC_VERSION 1
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT;
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT;
using VkPhysicalDeviceRobustness2FeaturesKHR = VkPhysicalDeviceRobustness2FeaturesEXT;
using VkPhysicalDeviceRobustness2PropertiesKHR = VkPhysicalDeviceRobustness2PropertiesEXT;
#endif

#ifndef VK_KHR_depth_clamp_zero_one
#define VK_KHR_depth_clamp_zero_one 1
#define VK_KHR_DEPTH_CLAMP_ZERO_ONE_SPEC_VERSION 1
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLAMP_ZERO_ONE_FEATURES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLAMP_ZERO_ONE_FEATURES_EXT;
using VkPhysicalDeviceDepthClampZeroOneFeaturesKHR = VkPhysicalDeviceDepthClampZeroOneFeaturesEXT;
#endif

#ifndef VK_KHR_unified_image_layouts
#define VK_KHR_unified_image_layouts 1
#define VK_KHR_UNIFIED_IMAGE_LAYOUTS_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_UNIFIED_IMAGE_LAYOUTS_FEATURES_KHR = VkStructureType(1000527000);
struct VkPhysicalDeviceUnifiedImageLayoutsFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 unifiedImageLayouts;
  VkBool32 unifiedImageLayoutsVideo;
};
inline constexpr VkStructureType VK_STRUCTURE_TYPE_ATTACHMENT_FEEDBACK_LOOP_INFO_EXT = VkStructureType(1000527001);
struct VkAttachmentFeedbackLoopInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkBool32 feedbackLoopEnable;
};
#endif

#ifndef VK_EXT_attachment_feedback_loop_dynamic_state
#define VK_EXT_attachment_feedback_loop_dynamic_state 1
#define VK_EXT_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_FEATURES_EXT = VkStructureType(1000524000);
inline constexpr VkDynamicState VK_DYNAMIC_STATE_ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT = VkDynamicState(1000524000);
struct VkPhysicalDeviceAttachmentFeedbackLoopDynamicStateFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 attachmentFeedbackLoopDynamicState;
};
#endif

#ifndef VK_KHR_copy_memory_indirect
#define VK_KHR_copy_memory_indirect 1
#define VK_KHR_COPY_MEMORY_INDIRECT_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COPY_MEMORY_INDIRECT_FEATURES_KHR = VkStructureType(1000549000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COPY_MEMORY_INDIRECT_PROPERTIES_KHR = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COPY_MEMORY_INDIRECT_PROPERTIES_NV;
inline constexpr VkStructureType VK_STRUCTURE_TYPE_COPY_MEMORY_INDIRECT_INFO_KHR = VkStructureType(1000549002);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INDIRECT_INFO_KHR = VkStructureType(1000549003);
inline constexpr VkPipelineStageFlagBits2 VK_PIPELINE_STAGE_2_COPY_INDIRECT_BIT_KHR = 1ull << 46;
inline constexpr VkFormatFeatureFlagBits2 VK_FORMAT_FEATURE_2_COPY_IMAGE_INDIRECT_DST_BIT_KHR = 1ull << 59;
struct VkStridedDeviceAddressRangeKHR {
  VkDeviceAddress address;
  VkDeviceSize size;
  VkDeviceSize stride;
};
enum VkAddressCopyFlagBitsKHR {
  VK_ADDRESS_COPY_DEVICE_LOCAL_BIT_KHR = 1u << 0,
  VK_ADDRESS_COPY_SPARSE_BIT_KHR = 1u << 1,
  VK_ADDRESS_COPY_PROTECTED_BIT_KHR = 1u << 2,
  VKADDRESSCOPYFLAGBITSKHR_MAX_ENUM_ETZEL = 0x7FFFFFFF
};
using VkAddressCopyFlagsKHR = VkFlags;
using VkCopyMemoryIndirectCommandKHR = VkCopyMemoryIndirectCommandNV;
struct VkCopyMemoryIndirectInfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkAddressCopyFlagsKHR srcCopyFlags;
  VkAddressCopyFlagsKHR dstCopyFlags;
  uint32_t copyCount;
  VkStridedDeviceAddressRangeKHR copyAddressRange;
};
using VkCopyMemoryToImageIndirectCommandKHR = VkCopyMemoryToImageIndirectCommandNV;
struct VkCopyMemoryToImageIndirectInfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkAddressCopyFlagsKHR srcCopyFlags;
  uint32_t copyCount;
  VkStridedDeviceAddressRangeKHR copyAddressRange;
  VkImage dstImage;
  VkImageLayout dstImageLayout;
  const VkImageSubresourceLayers* pImageSubresources;
};
struct VkPhysicalDeviceCopyMemoryIndirectFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 indirectMemoryCopy;
  VkBool32 indirectMemoryToImageCopy;
};
using VkPhysicalDeviceCopyMemoryIndirectPropertiesKHR = VkPhysicalDeviceCopyMemoryIndirectPropertiesNV;
#endif

#ifndef VK_KHR_extended_flags
#define VK_KHR_extended_flags 1
#define VK_KHR_EXTENDED_FLAGS_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_4_KHR = VkStructureType(1000668000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_IMAGE_CREATE_FLAGS_2_CREATE_INFO_KHR = VkStructureType(1000668001);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_IMAGE_USAGE_FLAGS_2_CREATE_INFO_KHR = VkStructureType(1000668002);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_2_CREATE_INFO_KHR = VkStructureType(1000668003);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_FLAGS_FEATURES_KHR = VkStructureType(1000668004);
using VkFormatFeatureFlagBits4KHR = VkFlags64;
using VkFormatFeatureFlags4KHR = VkFlags64;
struct VkFormatProperties4KHR {
  VkStructureType sType;
  void* pNext;
  VkFormatFeatureFlags4KHR linearTilingFeatures;
  VkFormatFeatureFlags4KHR optimalTilingFeatures;
  VkFormatFeatureFlags4KHR bufferFeatures;
};
using VkImageUsageFlagBits2KHR = VkFlags64;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_TRANSFER_SRC_BIT_KHR = 1ull << 0;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_TRANSFER_DST_BIT_KHR = 1ull << 1;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_SAMPLED_BIT_KHR = 1ull << 2;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_STORAGE_BIT_KHR = 1ull << 3;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_COLOR_ATTACHMENT_BIT_KHR = 1ull << 4;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_DEPTH_STENCIL_ATTACHMENT_BIT_KHR = 1ull << 5;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_TRANSIENT_ATTACHMENT_BIT_KHR = 1ull << 6;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_INPUT_ATTACHMENT_BIT_KHR = 1ull << 7;
using VkImageUsageFlags2KHR = VkFlags64;
struct VkImageUsageFlags2CreateInfoKHR {
  VkStructureType sType;
  void* pNext;
  VkImageUsageFlags2KHR usage;
};
using VkImageCreateFlagBits2KHR = VkFlags64;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_SPARSE_BINDING_BIT_KHR = 1ull << 0;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_SPARSE_RESIDENCY_BIT_KHR = 1ull << 1;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_SPARSE_ALIASED_BIT_KHR = 1ull << 2;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_MUTABLE_FORMAT_BIT_KHR = 1ull << 3;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_CUBE_COMPATIBLE_BIT_KHR = 1ull << 4;
using VkImageCreateFlags2KHR = VkFlags64;
struct VkImageCreateFlags2CreateInfoKHR {
  VkStructureType sType;
  void* pNext;
  VkImageCreateFlags2KHR flags;
};
struct VkImageViewUsage2CreateInfoKHR {
  VkStructureType sType;
  void* pNext;
  VkImageUsageFlags2KHR usage;
};
struct VkPhysicalDeviceExtendedFlagsFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 extendedFlags;
};
inline constexpr VkStructureType VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_2_CREATE_INFO_KHR = VkStructureType(1000668005);
struct VkImageStencilUsage2CreateInfoKHR {
  VkStructureType sType;
  void* pNext;
  VkImageUsageFlags2KHR stencilUsage;
};
inline constexpr VkStructureType VK_STRUCTURE_TYPE_SHARED_PRESENT_SURFACE_CAPABILITIES_2_KHR = VkStructureType(1000668006);
struct VkSharedPresentSurfaceCapabilities2KHR {
  VkStructureType sType;
  void* pNext;
  VkImageUsageFlags2KHR sharedPresentSupportedUsageFlags;
};
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_2D_ARRAY_COMPATIBLE_BIT_KHR = 1ull << 5;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR = 1ull << 6;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT_KHR = 1ull << 7;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_EXTENDED_USAGE_BIT_KHR = 1ull << 8;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_DISJOINT_BIT_KHR = 1ull << 9;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_ALIAS_BIT_KHR = 1ull << 10;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_PROTECTED_BIT_KHR = 1ull << 11;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_BIT_EXT = 1ull << 12;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_CORNER_SAMPLED_BIT_NV = 1ull << 13;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_SUBSAMPLED_BIT_EXT = 1ull << 14;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_FRAGMENT_DENSITY_MAP_OFFSET_BIT_EXT = 1ull << 15;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT = 1ull << 16;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_2D_VIEW_COMPATIBLE_BIT_EXT = 1ull << 17;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT = 1ull << 18;
inline constexpr VkImageCreateFlagBits2KHR VK_IMAGE_CREATE_2_VIDEO_PROFILE_INDEPENDENT_BIT_KHR = 1ull << 20;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR = 1ull << 8;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_FRAGMENT_DENSITY_MAP_BIT_EXT = 1ull << 9;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_VIDEO_DECODE_DST_BIT_KHR = 1ull << 10;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_VIDEO_DECODE_SRC_BIT_KHR = 1ull << 11;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_VIDEO_DECODE_DPB_BIT_KHR = 1ull << 12;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_VIDEO_ENCODE_DST_BIT_KHR = 1ull << 13;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_VIDEO_ENCODE_SRC_BIT_KHR = 1ull << 14;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_VIDEO_ENCODE_DPB_BIT_KHR = 1ull << 15;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_INVOCATION_MASK_BIT_HUAWEI = 1ull << 18;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT = 1ull << 19;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_SAMPLE_WEIGHT_BIT_QCOM = 1ull << 20;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_SAMPLE_BLOCK_MATCH_BIT_QCOM = 1ull << 21;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_HOST_TRANSFER_BIT_KHR = 1ull << 22;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_TENSOR_ALIASING_BIT_ARM = 1ull << 23;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_VIDEO_ENCODE_QUANTIZATION_DELTA_MAP_BIT_KHR = 1ull << 25;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_VIDEO_ENCODE_EMPHASIS_MAP_BIT_KHR = 1ull << 26;
inline constexpr VkImageUsageFlagBits2KHR VK_IMAGE_USAGE_2_TILE_MEMORY_BIT_QCOM = 1ull << 27;
inline constexpr VkPipelineCreateFlagBits2 VK_PIPELINE_CREATE_2_RAY_TRACING_OPACITY_MICROMAP_BIT_KHR = 1ull << 24;
inline constexpr auto VK_PIPELINE_CREATE_2_RAY_TRACING_OPACITY_MICROMAP_BIT_EXT = VK_PIPELINE_CREATE_2_RAY_TRACING_OPACITY_MICROMAP_BIT_KHR;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_MICROMAP_BUILD_INPUT_READ_ONLY_BIT_EXT = 1ull << 23;
inline constexpr VkBufferUsageFlagBits2 VK_BUFFER_USAGE_2_MICROMAP_STORAGE_BIT_EXT = 1ull << 24;
#endif

#ifndef VK_EXT_zero_initialize_device_memory
#define VK_EXT_zero_initialize_device_memory 1
#define VK_EXT_ZERO_INITIALIZE_DEVICE_MEMORY_SPEC_VERSION 1
inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_DEVICE_MEMORY_FEATURES_EXT = VkStructureType(1000620000);
inline constexpr VkMemoryAllocateFlagBits VK_MEMORY_ALLOCATE_ZERO_INITIALIZE_BIT_EXT = VkMemoryAllocateFlagBits(1u << 3);
inline constexpr VkImageLayout VK_IMAGE_LAYOUT_ZERO_INITIALIZED_EXT = VkImageLayout(1000620000);
struct VkPhysicalDeviceZeroInitializeDeviceMemoryFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 zeroInitializeDeviceMemory;
};
#endif

// clang-format on
