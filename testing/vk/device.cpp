#include "testing/vk/device.h"

#include "testing/vk/float_state.h"

#include <string>

namespace vktest {

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) throw Failure(std::string(what) + " returned " + std::to_string(result));
}

Device::~Device() {
  if (device) vkDeviceWaitIdle(device);
  release();
  if (device) vkDestroyDevice(device, nullptr);
  if (instance) vkDestroyInstance(instance, nullptr);
}

void Device::release(size_t keep) {
  while (cleanup_.size() > keep) {
    cleanup_.back()();
    cleanup_.pop_back();
  }
}

void Device::openInstance(const char* application, uint32_t apiVersion, std::span<const char* const> extensions) {
  VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  app.pApplicationName = application;
  app.apiVersion = apiVersion;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &app;
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VKTEST_CHECK(vkCreateInstance(&info, nullptr, &instance));
  uint32_t count = 1;
  const VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (found < 0 || count == 0) throw Failure("the driver has no device");
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
}

void Device::openDevice(VkDeviceCreateInfo info) {
  const float priority = 1;
  const VkDeviceQueueCreateInfo one{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &priority};
  if (!info.queueCreateInfoCount) info.queueCreateInfoCount = 1, info.pQueueCreateInfos = &one;
  VKTEST_CHECK(vkCreateDevice(physical, &info, nullptr, &device));
  const VkDeviceQueueInfo2 first{VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, nullptr, 0, family, 0};
  vkGetDeviceQueue2(device, &first, &queue);
}

#define VKTEST_DEFINE(Name)                                          \
  Vk##Name Device::make(const Vk##Name##CreateInfo& info) {          \
    Vk##Name made;                                                   \
    VKTEST_CHECK(vkCreate##Name(device, &info, nullptr, &made));     \
    later([this, made] { vkDestroy##Name(device, made, nullptr); }); \
    return made;                                                     \
  }
VKTEST_OBJECTS(VKTEST_DEFINE)
#undef VKTEST_DEFINE

VkPipeline Device::make(const VkComputePipelineCreateInfo& info, VkPipelineCache cache) {
  VkPipeline made;
  VKTEST_CHECK(inApplicationState([&] { return vkCreateComputePipelines(device, cache, 1, &info, nullptr, &made); }));
  later([this, made] { vkDestroyPipeline(device, made, nullptr); });
  return made;
}

VkPipeline Device::make(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache) {
  VkPipeline made;
  VKTEST_CHECK(inApplicationState([&] { return vkCreateGraphicsPipelines(device, cache, 1, &info, nullptr, &made); }));
  later([this, made] { vkDestroyPipeline(device, made, nullptr); });
  return made;
}

VkBuffer Device::make(const VkBufferCreateInfo& info, VkMemoryPropertyFlags flags, Bound* bound, const void* next) {
  VkBuffer buffer;
  VKTEST_CHECK(vkCreateBuffer(device, &info, nullptr, &buffer));
  later([this, buffer] { vkDestroyBuffer(device, buffer, nullptr); });
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  bound->memory = allocate(needs, flags, next);
  VKTEST_CHECK(vkBindBufferMemory(device, buffer, bound->memory, 0));
  if (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)
    VKTEST_CHECK(vkMapMemory(device, bound->memory, 0, VK_WHOLE_SIZE, 0, &bound->data));
  return buffer;
}

VkImage Device::make(const VkImageCreateInfo& info, VkMemoryPropertyFlags flags, Bound* bound) {
  VkImage image;
  VKTEST_CHECK(vkCreateImage(device, &info, nullptr, &image));
  later([this, image] { vkDestroyImage(device, image, nullptr); });
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, image, &needs);
  bound->memory = allocate(needs, flags, nullptr);
  VKTEST_CHECK(vkBindImageMemory(device, image, bound->memory, 0));
  return image;
}

uint32_t Device::memoryType(uint32_t bits, VkMemoryPropertyFlags flags) const {
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((bits >> i & 1) && (memory.memoryTypes[i].propertyFlags & flags) == flags) return i;
  throw Failure("no memory type with flags " + std::to_string(flags));
}

VkDeviceMemory Device::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags flags, const void* next) {
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next};
  info.allocationSize = needs.size;
  info.memoryTypeIndex = memoryType(needs.memoryTypeBits, flags);
  VkDeviceMemory made;
  VKTEST_CHECK(vkAllocateMemory(device, &info, nullptr, &made));
  later([this, made] { vkFreeMemory(device, made, nullptr); });
  return made;
}

VkShaderModule Device::makeModule(std::span<const uint32_t> code) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = code.size_bytes();
  info.pCode = code.data();
  return make(info);
}

VkPipeline Device::makePipeline(VkShaderModule compute, VkPipelineLayout layout,
                                const VkSpecializationInfo* specialization, VkPipelineCache cache,
                                const void* stageNext, const void* next) {
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, next};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = stageNext;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = compute;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = specialization;
  info.layout = layout;
  return make(info, cache);
}

VkDescriptorSetLayout Device::makeSetLayout(std::span<const VkDescriptorSetLayoutBinding> bindings) {
  VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  info.bindingCount = uint32_t(bindings.size());
  info.pBindings = bindings.data();
  return make(info);
}

VkPipelineLayout Device::makePipelineLayout(VkDescriptorSetLayout set, uint32_t pushBytes) {
  const VkPushConstantRange push{VK_SHADER_STAGE_ALL, 0, (pushBytes + 3) & ~3u};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = set ? 1 : 0;
  info.pSetLayouts = &set;
  info.pushConstantRangeCount = pushBytes ? 1 : 0;
  info.pPushConstantRanges = &push;
  return make(info);
}

std::vector<VkDescriptorSet> Device::makeSets(VkDescriptorSetLayout layout, uint32_t count,
                                              std::span<const VkDescriptorPoolSize> sizes) {
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = count;
  pool.poolSizeCount = uint32_t(sizes.size());
  pool.pPoolSizes = sizes.data();
  const std::vector<VkDescriptorSetLayout> layouts(count, layout);
  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = make(pool);
  info.descriptorSetCount = count;
  info.pSetLayouts = layouts.data();
  std::vector<VkDescriptorSet> sets(count);
  VKTEST_CHECK(vkAllocateDescriptorSets(device, &info, sets.data()));
  return sets;
}

VkCommandBuffer Device::makeCommands(VkCommandPool pool, VkCommandBufferLevel level) {
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool, level, 1};
  VkCommandBuffer commands;
  VKTEST_CHECK(vkAllocateCommandBuffers(device, &info, &commands));
  later([this, pool, commands] { vkFreeCommandBuffers(device, pool, 1, &commands); });
  return commands;
}

}  // namespace vktest
