#include "tests/out_of_memory/gpu.h"

#include <dlfcn.h>

#include <cstdio>

#include "icd/vulkan_newer.h"
#include "tests/out_of_memory/allocator.h"

#include "probe.comp.h"

namespace oom {
namespace {

using GetProcAddress = PFN_vkVoidFunction (*)(VkInstance, const char*);
GetProcAddress getProcAddress = nullptr;

constexpr uint64_t kPatienceNs = 20'000'000'000;
/// The last extensions, of an instance and of a device, are for windows only.
constexpr uint32_t kInstanceWindowExtensions = 4, kDeviceWindowExtensions = 3;

}  // namespace

bool openDriver(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  const auto negotiate =
      reinterpret_cast<VkResult (*)(uint32_t*)>(dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion"));
  getProcAddress = reinterpret_cast<GetProcAddress>(dlsym(library, "vk_icdGetInstanceProcAddr"));
  uint32_t version = 5;
  if (!negotiate || !getProcAddress || negotiate(&version) != VK_SUCCESS) {
    std::fprintf(stderr, "%s is no driver of the Vulkan loader's\n", path);
    return false;
  }
  watch(reinterpret_cast<const void*>(getProcAddress));
  return true;
}

VkResult Gpu::openInstance(VkInstance* out) {
  vk.CreateInstance = reinterpret_cast<PFN_vkCreateInstance>(getProcAddress(VK_NULL_HANDLE, "vkCreateInstance"));
  vk.EnumerateInstanceExtensionProperties = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
      getProcAddress(VK_NULL_HANDLE, "vkEnumerateInstanceExtensionProperties"));
  VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  app.apiVersion = VK_API_VERSION_1_3;
  VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
  messenger.pfnUserCallback = [](auto...) -> VkBool32 { return VK_FALSE; };
  static constexpr const char* kExtensions[] = {"VK_KHR_surface",
                                                "VK_EXT_headless_surface",
                                                "VK_EXT_debug_utils",
                                                "VK_EXT_debug_report",
                                                "VK_KHR_xcb_surface",
                                                "VK_KHR_xlib_surface",
                                                "VK_KHR_get_surface_capabilities2",
                                                "VK_KHR_surface_maintenance1"};
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &messenger};
  info.pApplicationInfo = &app;
  info.enabledExtensionCount = std::size(kExtensions) - (windows ? 0 : kInstanceWindowExtensions);
  info.ppEnabledExtensionNames = kExtensions;
  OOM_TRY(vk.CreateInstance(&info, callbacks, out));
#define OOM_FUNCTION(name) vk.name = reinterpret_cast<PFN_vk##name>(getProcAddress(*out, "vk" #name));
#include "tests/out_of_memory/functions.def"
#undef OOM_FUNCTION
  return VK_SUCCESS;
}

PFN_vkVoidFunction Gpu::find(const char* name) const { return getProcAddress(instance, name); }

VkResult Gpu::openDevice(VkDevice* out) {
  const float priority[2] = {1, 1};
  VkDeviceQueueCreateInfo queues[2] = {{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO},
                                       {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO}};
  queues[0].queueCount = 2, queues[1].queueCount = 1;
  queues[1].queueFamilyIndex = 1;
  queues[0].pQueuePriorities = queues[1].pQueuePriorities = priority;
  VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  v13.dynamicRendering = v13.synchronization2 = v13.privateData = VK_TRUE;
  VkPhysicalDeviceMaintenance5FeaturesKHR maintenance{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                      &v13, VK_TRUE};
  VkPhysicalDevicePipelineBinaryFeaturesKHR binaries{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_BINARY_FEATURES_KHR,
                                                     &maintenance, VK_TRUE};
  VkPhysicalDeviceDescriptorBufferFeaturesEXT buffers{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT,
                                                      &binaries, VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &buffers};
  v12.timelineSemaphore = v12.bufferDeviceAddress = VK_TRUE;
  VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12};
  v11.samplerYcbcrConversion = VK_TRUE;
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11};
  features.features.tessellationShader = features.features.geometryShader = VK_TRUE;
  features.features.sparseBinding = features.features.sparseResidencyBuffer = VK_TRUE;
  features.features.sparseResidencyImage2D = VK_TRUE;
  static constexpr const char* kExtensions[] = {"VK_KHR_swapchain",
                                                "VK_KHR_push_descriptor",
                                                "VK_KHR_external_memory_fd",
                                                "VK_KHR_external_semaphore_fd",
                                                "VK_KHR_external_fence_fd",
                                                "VK_EXT_descriptor_buffer",
                                                "VK_KHR_maintenance5",
                                                "VK_KHR_pipeline_binary",
                                                "VK_KHR_present_id",
                                                "VK_KHR_present_wait",
                                                "VK_KHR_swapchain_maintenance1"};
  VkPhysicalDevicePresentIdFeaturesKHR ids{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, &features,
                                           VK_TRUE};
  VkPhysicalDevicePresentWaitFeaturesKHR waits{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR, &ids,
                                               VK_TRUE};
  VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT scaling{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT, &waits, VK_TRUE};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, windows ? static_cast<void*>(&scaling) : &features};
  info.queueCreateInfoCount = std::size(queues);
  info.pQueueCreateInfos = queues;
  info.enabledExtensionCount = std::size(kExtensions) - (windows ? 0 : kDeviceWindowExtensions);
  info.ppEnabledExtensionNames = kExtensions;
  return vk.CreateDevice(physical, &info, callbacks, out);
}

VkResult Gpu::open(Level level) {
  if (level >= Level::Instance && !instance) {
    OOM_TRY(openInstance(&instance));
    uint32_t one = 1;
    OOM_TRY(vk.EnumeratePhysicalDevices(instance, &one, &physical));
  }
  if (level == Level::Device && !device) {
    OOM_TRY(openDevice(&device));
    vk.GetDeviceQueue(device, 0, 0, &queue);
  }
  return VK_SUCCESS;
}

void Gpu::close() {
  release();
  if (device) vk.DestroyDevice(device, callbacks);
  if (instance) vk.DestroyInstance(instance, callbacks);
  device = VK_NULL_HANDLE, instance = VK_NULL_HANDLE;
}

void Gpu::release() {
  for (; !ends_.empty(); ends_.pop_back()) ends_.back()();
}

VkResult Gpu::allocate(const VkMemoryRequirements& need, uint32_t type, VkDeviceMemory* out) {
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, need.size, type};
  OOM_TRY(vk.AllocateMemory(device, &info, callbacks, out));
  later([this, memory = *out] { vk.FreeMemory(device, memory, callbacks); });
  return VK_SUCCESS;
}

VkResult Gpu::makeBuffer(uint64_t bytes, Buffer* out) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
               VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  OOM_TRY(make(vk.CreateBuffer, vk.DestroyBuffer, info, &out->buffer));
  VkMemoryRequirements need;
  vk.GetBufferMemoryRequirements(device, out->buffer, &need);
  VkDeviceMemory memory;
  OOM_TRY(allocate(need, 0, &memory));
  OOM_TRY(vk.BindBufferMemory(device, out->buffer, memory, 0));
  void* data = nullptr;
  OOM_TRY(vk.MapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &data));
  out->words = static_cast<uint32_t*>(data);
  return VK_SUCCESS;
}

VkResult Gpu::makeImage(VkFormat format, VkSampleCountFlagBits samples, VkImageUsageFlags usage, VkExtent2D size,
                        Image* out) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {size.width, size.height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = samples;
  info.usage = usage;
  OOM_TRY(make(vk.CreateImage, vk.DestroyImage, info, &out->image));
  VkMemoryRequirements need;
  vk.GetImageMemoryRequirements(device, out->image, &need);
  VkDeviceMemory memory;
  OOM_TRY(allocate(need, 0, &memory));
  OOM_TRY(vk.BindImageMemory(device, out->image, memory, 0));
  VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view.image = out->image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = format;
  const bool depth = usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  view.subresourceRange = {VkImageAspectFlags(depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT), 0, 1, 0,
                           1};
  return make(vk.CreateImageView, vk.DestroyImageView, view, &out->view);
}

VkResult Gpu::makeModule(std::span<const uint32_t> code, VkShaderModule* out) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = code.size_bytes();
  info.pCode = code.data();
  return make(vk.CreateShaderModule, vk.DestroyShaderModule, info, out);
}

VkResult Gpu::makePool(VkCommandPool* out) {
  const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  return make(vk.CreateCommandPool, vk.DestroyCommandPool, info, out);
}

VkResult Gpu::makeCommands(VkCommandPool pool, VkCommandBufferLevel level, VkCommandBuffer* out) {
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool, level, 1};
  return vk.AllocateCommandBuffers(device, &info, out);
}

VkResult Gpu::makeBufferLayout(uint32_t count, VkPipelineLayout* out) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < count; ++i)
    bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr});
  VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  set.bindingCount = count;
  set.pBindings = bindings.data();
  VkDescriptorSetLayout setLayout;
  OOM_TRY(make(vk.CreateDescriptorSetLayout, vk.DestroyDescriptorSetLayout, set, &setLayout));
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 1;
  info.pSetLayouts = &setLayout;
  return make(vk.CreatePipelineLayout, vk.DestroyPipelineLayout, info, out);
}

VkResult Gpu::makeCompute(std::span<const uint32_t> code, VkPipelineLayout layout, VkPipeline* out) {
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.pName = "main";
  info.layout = layout;
  OOM_TRY(makeModule(code, &info.stage.module));
  OOM_TRY(vk.CreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, callbacks, out));
  later([this, pipeline = *out] { vk.DestroyPipeline(device, pipeline, callbacks); });
  return VK_SUCCESS;
}

VkResult Gpu::begin(VkCommandBuffer commands) const {
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  return vk.BeginCommandBuffer(commands, &info);
}

void Gpu::pushBuffer(VkCommandBuffer commands, VkPipelineLayout layout, uint32_t binding, VkBuffer buffer) const {
  const VkDescriptorBufferInfo info{buffer, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstBinding = binding;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &info;
  vk.CmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &write);
}

VkResult Gpu::submitAndWait(VkCommandBuffer commands, VkFence fence) const {
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  OOM_TRY(vk.QueueSubmit(queue, 1, &info, fence));
  return vk.WaitForFences(device, 1, &fence, VK_TRUE, kPatienceNs);
}

VkResult Gpu::probe() {
  Buffer buffer;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkFence fence;
  OOM_TRY(makeBuffer(1024, &buffer));
  OOM_TRY(makeBufferLayout(1, &layout));
  OOM_TRY(makeCompute(probe_comp, layout, &pipeline));
  OOM_TRY(makePool(&pool));
  OOM_TRY(makeCommands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &commands));
  const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  OOM_TRY(make(vk.CreateFence, vk.DestroyFence, fenceInfo, &fence));
  OOM_TRY(begin(commands));
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  pushBuffer(commands, layout, 0, buffer.buffer);
  vk.CmdDispatch(commands, 4, 1, 1);
  OOM_TRY(vk.EndCommandBuffer(commands));
  OOM_TRY(submitAndWait(commands, fence));
  for (uint32_t i = 0; i < 256; ++i)
    if (buffer.words[i] != 3 * i + 1) return VK_ERROR_UNKNOWN;
  return VK_SUCCESS;
}

}  // namespace oom
