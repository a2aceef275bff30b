#include "device.h"

#include <errno.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace example {

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s: %s failed with VkResult %d\n", program_invocation_short_name, what, result);
  std::exit(1);
}

namespace {

bool hasFragmentMask(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties p;
  vkGetPhysicalDeviceProperties(device, &p);
  if (p.apiVersion < VK_API_VERSION_1_3) return false;
  uint32_t count = 0;
  CHECK(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> all(count);
  CHECK(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, all.data()));
  for (const VkExtensionProperties& e : all)
    if (!std::strcmp(e.extensionName, VK_AMD_SHADER_FRAGMENT_MASK_EXTENSION_NAME)) return true;
  return false;
}

}  // namespace

Device::Device(Needs needs) {
  const bool fragmentMask = needs == Needs::FragmentMask;
  VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  app.pApplicationName = "etzel-example";
  app.apiVersion = VK_API_VERSION_1_3;  // shaders carry their source: SPV_KHR_non_semantic_info is core
  VkInstanceCreateInfo ii{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  ii.pApplicationInfo = &app;
  CHECK(vkCreateInstance(&ii, nullptr, &instance_));
  uint32_t count = 0;
  CHECK(vkEnumeratePhysicalDevices(instance_, &count, nullptr));
  std::vector<VkPhysicalDevice> devices(count);
  CHECK(vkEnumeratePhysicalDevices(instance_, &count, devices.data()));
  for (VkPhysicalDevice d : devices)
    if (!physical_ && (!fragmentMask || hasFragmentMask(d))) physical_ = d;
  if (!physical_) return;

  const float priority = 1;
  VkDeviceQueueCreateInfo qi{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  qi.queueCount = 1;
  qi.pQueuePriorities = &priority;
  VkPhysicalDeviceVulkan13Features features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  features.dynamicRendering = features.synchronization2 = VK_TRUE;
  const char* extension = VK_AMD_SHADER_FRAGMENT_MASK_EXTENSION_NAME;
  VkPhysicalDeviceFeatures available{}, wanted{};
  vkGetPhysicalDeviceFeatures(physical_, &available);
  wanted.samplerAnisotropy = available.samplerAnisotropy;
  anisotropic_ = wanted.samplerAnisotropy != VK_FALSE;
  VkDeviceCreateInfo di{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, fragmentMask ? &features : nullptr};
  di.queueCreateInfoCount = 1;
  di.pQueueCreateInfos = &qi;
  di.enabledExtensionCount = fragmentMask;
  di.ppEnabledExtensionNames = &extension;
  di.pEnabledFeatures = &wanted;
  CHECK(vkCreateDevice(physical_, &di, nullptr, &device_));
  vkGetDeviceQueue(device_, 0, 0, &queue_);
  VkCommandPoolCreateInfo pi{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  CHECK(vkCreateCommandPool(device_, &pi, nullptr, &pool_));
}

Device::~Device() {
  if (device_) {
    vkDestroyCommandPool(device_, pool_, nullptr);
    vkDestroyDevice(device_, nullptr);
  }
  vkDestroyInstance(instance_, nullptr);
}

std::string Device::name() const {
  VkPhysicalDeviceProperties p;
  vkGetPhysicalDeviceProperties(physical_, &p);
  return p.deviceName;
}

uint32_t Device::memoryType(uint32_t allowed, VkMemoryPropertyFlags flags) const {
  VkPhysicalDeviceMemoryProperties p;
  vkGetPhysicalDeviceMemoryProperties(physical_, &p);
  for (uint32_t i = 0; i < p.memoryTypeCount; ++i)
    if ((allowed >> i & 1) && (p.memoryTypes[i].propertyFlags & flags) == flags) return i;
  check(VK_ERROR_FEATURE_NOT_PRESENT, "finding a memory type");
  return 0;
}

Buffer Device::makeBuffer(VkDeviceSize bytes, VkBufferUsageFlags usage) const {
  Buffer b;
  VkBufferCreateInfo bi{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  bi.size = bytes;
  bi.usage = usage;
  CHECK(vkCreateBuffer(device_, &bi, nullptr, &b.buffer));
  VkMemoryRequirements r;
  vkGetBufferMemoryRequirements(device_, b.buffer, &r);
  VkMemoryAllocateInfo mi{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  mi.allocationSize = r.size;
  mi.memoryTypeIndex =
      memoryType(r.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CHECK(vkAllocateMemory(device_, &mi, nullptr, &b.memory));
  CHECK(vkBindBufferMemory(device_, b.buffer, b.memory, 0));
  CHECK(vkMapMemory(device_, b.memory, 0, VK_WHOLE_SIZE, 0, &b.mapped));
  return b;
}

Image Device::makeImage(VkFormat format, VkExtent2D size, VkSampleCountFlagBits samples, VkImageUsageFlags usage,
                        VkImageAspectFlags aspect, uint32_t mips) const {
  Image i;
  VkImageCreateInfo ii{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  ii.imageType = VK_IMAGE_TYPE_2D;
  ii.format = format;
  ii.extent = {size.width, size.height, 1};
  ii.mipLevels = mips;
  ii.arrayLayers = 1;
  ii.samples = samples;
  ii.usage = usage;
  CHECK(vkCreateImage(device_, &ii, nullptr, &i.image));
  VkMemoryRequirements r;
  vkGetImageMemoryRequirements(device_, i.image, &r);
  VkMemoryAllocateInfo mi{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  mi.allocationSize = r.size;
  mi.memoryTypeIndex = memoryType(r.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  CHECK(vkAllocateMemory(device_, &mi, nullptr, &i.memory));
  CHECK(vkBindImageMemory(device_, i.image, i.memory, 0));
  VkImageViewCreateInfo vi{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  vi.image = i.image;
  vi.viewType = VK_IMAGE_VIEW_TYPE_2D;
  vi.format = format;
  vi.subresourceRange = {aspect, 0, mips, 0, 1};
  CHECK(vkCreateImageView(device_, &vi, nullptr, &i.view));
  return i;
}

void Device::destroy(const Buffer& b) const {
  vkDestroyBuffer(device_, b.buffer, nullptr);
  vkFreeMemory(device_, b.memory, nullptr);
}
void Device::destroy(const Image& i) const {
  vkDestroyImageView(device_, i.view, nullptr);
  vkDestroyImage(device_, i.image, nullptr);
  vkFreeMemory(device_, i.memory, nullptr);
}

VkShaderModule Device::makeShader(const uint32_t* code, size_t bytes) const {
  VkShaderModuleCreateInfo mi{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  mi.codeSize = bytes;
  mi.pCode = code;
  VkShaderModule module;
  CHECK(vkCreateShaderModule(device_, &mi, nullptr, &module));
  return module;
}

VkCommandBuffer Device::begin() const {
  VkCommandBufferAllocateInfo ai{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  ai.commandPool = pool_;
  ai.commandBufferCount = 1;
  VkCommandBuffer commands;
  CHECK(vkAllocateCommandBuffers(device_, &ai, &commands));
  VkCommandBufferBeginInfo bi{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  bi.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  CHECK(vkBeginCommandBuffer(commands, &bi));
  return commands;
}

double Device::submit(VkCommandBuffer commands) const {
  CHECK(vkEndCommandBuffer(commands));
  VkSubmitInfo si{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  si.commandBufferCount = 1;
  si.pCommandBuffers = &commands;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(vkQueueSubmit(queue_, 1, &si, VK_NULL_HANDLE));
  CHECK(vkQueueWaitIdle(queue_));
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  vkFreeCommandBuffers(device_, pool_, 1, &commands);
  return time.count();
}

}  // namespace example
