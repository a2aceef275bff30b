// Opening the device: the first one of the driver, with every feature and the extensions that cases use.
#include "cts-subset/support/gpu.h"

namespace etzel::cts {
namespace {

/// Extensions whose names and feature structures not all headers have.
struct NewerFeatures {
  const char* extension;
  VkStructureType sType;
};
constexpr NewerFeatures kNewerFeatures[] = {
    {"VK_EXT_ycbcr_image_arrays", VkStructureType(1000252000)},
    {"VK_EXT_image_sliced_view_of_3d", VkStructureType(1000418000)},
    {"VK_EXT_frame_boundary", VkStructureType(1000375000)},
    {"VK_EXT_vertex_attribute_robustness", VkStructureType(1000608000)},
    {"VK_EXT_shader_subgroup_partitioned", VkStructureType(1000662000)},
    {"VK_NV_inherited_viewport_scissor", VkStructureType(1000278000)},
    {kUnusedAttachmentsExtension, VkStructureType(1000499000)},
    {"VK_EXT_shader_tile_image", VkStructureType(1000395000)},
    {"VK_EXT_custom_resolve", VkStructureType(1000628000)},
    {"VK_EXT_rasterization_order_attachment_access", VkStructureType(1000342000)},
    {"VK_KHR_dynamic_rendering_local_read", VkStructureType(1000232000)},
    {"VK_EXT_texture_compression_astc_3d", VkStructureType(1000288000)},
    {"VK_AMD_shader_early_and_late_fragment_tests", VkStructureType(1000321000)},
    {"VK_KHR_device_address_commands", VkStructureType(1000318006)},
    {"VK_KHR_extended_flags", VkStructureType(1000668004)},
    {"VK_KHR_maintenance10", VkStructureType(1000630000)},
    {"VK_KHR_compute_shader_derivatives", VkStructureType(1000201000)},
    {"VK_KHR_cooperative_matrix", VkStructureType(1000506000)},
    {"VK_NV_cooperative_matrix2", VkStructureType(1000593000)},
    {"VK_NV_cooperative_vector", VkStructureType(1000491000)},
    {"VK_EXT_shader_replicated_composites", VkStructureType(1000564000)},
    {"VK_KHR_shader_fma", VkStructureType(1000579000)},
    {"VK_KHR_workgroup_memory_explicit_layout", VkStructureType(1000336000)},
    {"VK_KHR_shader_untyped_pointers", VkStructureType(1000387000)},
    {"VK_NV_raw_access_chains", VkStructureType(1000555000)},
    {"VK_KHR_shader_bfloat16", VkStructureType(1000141000)},
    {"VK_EXT_shader_float8", VkStructureType(1000567000)},
    {"VK_EXT_shader_64bit_indexing", VkStructureType(1000627000)},
    {"VK_KHR_shader_maximal_reconvergence", VkStructureType(1000434000)},
    {"VK_KHR_shader_quad_control", VkStructureType(1000235000)},
    {"VK_EXT_shader_long_vector", VkStructureType(1000635000)},
    {"VK_EXT_swapchain_maintenance1", VkStructureType(1000275000)},
    {"VK_KHR_present_id", VkStructureType(1000294001)},
    {"VK_KHR_present_wait", VkStructureType(1000248000)},
    {"VK_KHR_present_id2", VkStructureType(1000479002)},
    {"VK_KHR_present_wait2", VkStructureType(1000480001)},
    {"VK_KHR_present_mode_fifo_latest_ready", VkStructureType(1000361000)},
    {"VK_EXT_present_timing", VkStructureType(1000208000)},
    {"VK_EXT_shader_module_identifier", VkStructureType(1000462000)},
    {"VK_EXT_descriptor_buffer", VkStructureType(1000316002)},
    {"VK_EXT_descriptor_heap", VkStructureType(1000135009)},
    {"VK_KHR_maintenance5", VkStructureType(1000470000)},
    {"VK_KHR_maintenance8", VkStructureType(1000574000)},
    {"VK_KHR_pipeline_binary", VkStructureType(1000483000)},
    {VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT},
    {"VK_EXT_device_fault", VkStructureType(1000341000)},
    {"VK_KHR_device_fault", VkStructureType(1000573000)},
    {"VK_KHR_shader_constant_data", VkStructureType(1000231000)},
    {"VK_KHR_shader_abort", VkStructureType(1000233000)},
    {VK_EXT_FRAGMENT_DENSITY_MAP_EXTENSION_NAME, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_DENSITY_MAP_FEATURES_EXT},
    {VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT},
    {"VK_EXT_shader_uniform_buffer_unsized_array", VkStructureType(1000642000)},
    {"VK_EXT_fragment_density_map_offset", VkStructureType(1000425000)},
    {"VK_VALVE_fragment_density_map_layered", VkStructureType(1000611000)},
};

}  // namespace

std::set<std::string>& Gpu::withheld() {
  static std::set<std::string> names;
  return names;
}

std::vector<const char*> Gpu::chooseInstanceExtensions() {
  uint32_t count = 0;
  vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> found(count);
  vkEnumerateInstanceExtensionProperties(nullptr, &count, found.data());
  std::vector<const char*> enabled;
  for (const char* wanted :
       {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME, VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
        VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME, "VK_EXT_surface_maintenance1"})
    for (auto& e : found)
      if (!strcmp(e.extensionName, wanted)) enabled.push_back(wanted), instanceExtensions.insert(wanted);
  return enabled;
}

std::vector<const char*> Gpu::chooseExtensions() {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> found(count);
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, found.data());
  std::set<std::string> offered;
  for (auto& e : found)
    if (!withheld().count(e.extensionName)) offered.insert(e.extensionName);
  std::vector<const char*> enabled;
  for (const char* wanted : {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
                             VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
                             VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
                             VK_KHR_SWAPCHAIN_EXTENSION_NAME,
                             VK_EXT_SAMPLE_LOCATIONS_EXTENSION_NAME,
                             VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
                             VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME,
                             VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME,
                             VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME,
                             VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
                             VK_AMD_SHADER_FRAGMENT_MASK_EXTENSION_NAME,
                             VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
                             VK_EXT_MULTI_DRAW_EXTENSION_NAME,
                             VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
                             VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
                             VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME,
                             VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME,
                             VK_NV_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME,
                             VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME,
                             VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
                             VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME,
                             VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME,
                             VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME,
                             VK_EXT_CONSERVATIVE_RASTERIZATION_EXTENSION_NAME,
                             VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
                             VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME,
                             VK_IMG_FILTER_CUBIC_EXTENSION_NAME,
                             VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                             VK_GOOGLE_DECORATE_STRING_EXTENSION_NAME,
                             VK_GOOGLE_HLSL_FUNCTIONALITY1_EXTENSION_NAME,
                             VK_GOOGLE_USER_TYPE_EXTENSION_NAME,
                             VK_AMD_BUFFER_MARKER_EXTENSION_NAME,
                             VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME,
                             "VK_KHR_calibrated_timestamps"}) {
    if (wanted == std::string(VK_KHR_SWAPCHAIN_EXTENSION_NAME) && instanceExtensions.empty()) continue;
    if (offered.count(wanted)) enabled.push_back(wanted), extensions.insert(wanted);
  }
  for (const NewerFeatures& f : kNewerFeatures) {
    // "Device Creation": fragment density maps exclude shading rates, which most cases may use.
    const bool isDensity = std::string(f.extension).find("fragment_density_map") != std::string::npos;
    if (isDensity && extensions.count(VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME)) continue;
    const bool lacksSurface = f.extension == std::string("VK_EXT_swapchain_maintenance1") &&
                              !instanceExtensions.count("VK_EXT_surface_maintenance1");
    if (offered.count(f.extension) && !lacksSurface) enabled.push_back(f.extension), extensions.insert(f.extension);
  }
  return enabled;
}

void Gpu::queryFeatures() {
  static VkPhysicalDeviceIndexTypeUint8FeaturesEXT index8{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT};
  static VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT};
  static VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT};
  static VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT};
  static VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomicFloat{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
  static VkPhysicalDeviceProvokingVertexFeaturesEXT provoking{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT};
  static VkPhysicalDeviceMultiDrawFeaturesEXT multiDraw{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT};
  static VkPhysicalDeviceCustomBorderColorFeaturesEXT borders{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT};
  static VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT listRestart{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT};
  static VkPhysicalDeviceLineRasterizationFeaturesEXT lines{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT};
  static VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT interlock{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT};
  static VkPhysicalDeviceDepthClipControlFeaturesEXT clipControl{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT};
  static VkPhysicalDeviceFragmentShadingRateFeaturesKHR shadingRate{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR};
  static VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic3{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT};
  static struct {
    VkStructureType sType;
    void* pNext;
    VkBool32 feature[8];  // more than any of them has
  } newer[std::size(kNewerFeatures)]{};
  features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features11};
  features11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features12};
  features12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features13};
  features13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  robustness2 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
  void** tail = &features13.pNext;
  auto chain = [&](const char* extension, auto& block) {
    if (!extensions.count(extension)) return;
    *tail = &block;
    tail = &block.pNext;
  };
  chain(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, robustness2);
  chain(VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME, index8);
  chain(VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME, divisor);
  chain(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, conditional);
  chain(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, feedback);
  chain(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, atomicFloat);
  chain(VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME, provoking);
  chain(VK_EXT_MULTI_DRAW_EXTENSION_NAME, multiDraw);
  chain(VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME, borders);
  chain(VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME, listRestart);
  chain(VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME, lines);
  chain(VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME, clipControl);
  chain(VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME, interlock);
  chain(VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, shadingRate);
  chain(VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME, dynamic3);
  for (size_t i = 0; i < std::size(newer); ++i) {
    newer[i].sType = kNewerFeatures[i].sType;
    chain(kNewerFeatures[i].extension, newer[i]);
  }
  *tail = nullptr;  // another device may have had more
  vkGetPhysicalDeviceFeatures2(physical, &features);
  for (size_t i = 0; i < std::size(newer); ++i)
    if (extensions.count(kNewerFeatures[i].extension)) newerFeatures_[kNewerFeatures[i].extension] = newer[i].feature;
}

void Gpu::requireFeatures(const char* extension, uint32_t count) {
  requireExtension(extension);
  for (uint32_t i = 0; i < count; ++i) require(newerFeatures_.at(extension)[i], extension);
}

void Gpu::openQueues(const std::vector<const char*>& enabled) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (uint32_t i = 0; i < count; ++i)
    if ((families[i].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) ==
        (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) {
      family = i;
      break;
    }
  // The first queue of each family, and a second one of the cases' own family.
  const float priorities[2] = {1, 1};
  std::vector<VkDeviceQueueCreateInfo> queueInfos;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t wanted = i == family ? std::min(2u, families[i].queueCount) : 1;
    queueInfos.push_back({VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, i, wanted, priorities});
  }
  const size_t ordinary = queueInfos.size();
  if (features11.protectedMemory && families[family].queueFlags & VK_QUEUE_PROTECTED_BIT &&
      families[family].queueCount > queueInfos[family].queueCount)
    queueInfos.push_back({VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT,
                          family, 1, priorities});
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  info.queueCreateInfoCount = uint32_t(queueInfos.size());
  info.pQueueCreateInfos = queueInfos.data();
  info.enabledExtensionCount = uint32_t(enabled.size());
  info.ppEnabledExtensionNames = enabled.data();
  openDevice(info);
  if (queueInfos.size() > ordinary) {
    const VkDeviceQueueInfo2 secret{VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, nullptr,
                                    VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT, family, 0};
    vkGetDeviceQueue2(device, &secret, &protectedQueue);
    queueInfos.pop_back();
  }
  for (auto& q : queueInfos)
    for (uint32_t i = q.queueFamilyIndex == family ? 1 : 0; i < q.queueCount; ++i) {
      otherQueues.push_back({VK_NULL_HANDLE, q.queueFamilyIndex, families[q.queueFamilyIndex].queueFlags});
      const VkDeviceQueueInfo2 which{VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, nullptr, 0, q.queueFamilyIndex, i};
      vkGetDeviceQueue2(device, &which, &otherQueues.back().handle);
    }
}

Gpu::Gpu() {
  openInstance("etzel-cts", VK_API_VERSION_1_3, chooseInstanceExtensions());
  properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties11};
  properties11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &properties12};
  properties12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &properties13};
  properties13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
  vkGetPhysicalDeviceProperties2(physical, &properties);
  if (properties.properties.apiVersion < VK_API_VERSION_1_3) throw Failure("the driver is older than Vulkan 1.3");
  const std::vector<const char*> enabled = chooseExtensions();
  queryFeatures();
  openQueues(enabled);
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  poolInfo.queueFamilyIndex = family;
  pool_ = make(poolInfo);
  kept_ = made();
}

Gpu::~Gpu() { endCase(); }

void Gpu::endCase() {
  if (device && made() > kept_) vkDeviceWaitIdle(device);
  digestBuffers();
  buffers_.clear();
  release(kept_);
  transitions_.clear();
}

VkFormatFeatureFlags Gpu::formatFeatures(VkFormat format, bool buffer) const {
  VkFormatProperties p;
  vkGetPhysicalDeviceFormatProperties(physical, format, &p);
  return buffer ? p.bufferFeatures : p.optimalTilingFeatures;
}

}  // namespace etzel::cts
