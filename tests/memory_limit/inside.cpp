#include "tests/memory_limit/inside.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "testing/vk/commands.h"
#include "testing/vk/device.h"

#include "count.comp.h"

namespace limits {
namespace {

using vktest::Device;
using vktest::Failure;

constexpr uint64_t kMiB = 1 << 20;

void require(bool holds, const std::string& what) {
  if (!holds) throw Failure(what);
}

int guarded(void (*body)(uint64_t), uint64_t limitBytes) {
  try {
    body(limitBytes);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}

void open(Device& gpu, const void* features = nullptr, std::span<const char* const> extensions = {}) {
  gpu.openInstance("etzel-limits", VK_API_VERSION_1_3);
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, features};
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  gpu.openDevice(info);
}

VkCommandBuffer beginCommands(Device& gpu) {
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.queueFamilyIndex = gpu.family;
  const VkCommandBuffer commands = gpu.makeCommands(gpu.make(pool));
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  VKTEST_CHECK(vkBeginCommandBuffer(commands, &begin));
  return commands;
}

/// A shader that counts, compiled now, and a look at what it wrote.
void runShader(Device& gpu) {
  constexpr uint32_t kWords = 1024;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = kWords * 4;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  Device::Bound bound;
  const VkBuffer buffer =
      gpu.make(info, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &bound);
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                             nullptr};
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout({&binding, 1});
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  const VkDescriptorSet set = gpu.makeSets(setLayout, 1, {&size, 1})[0];
  const VkDescriptorBufferInfo whole{buffer, 0, VK_WHOLE_SIZE};
  const VkWriteDescriptorSet write = vktest::write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &whole);
  vkUpdateDescriptorSets(gpu.device, 1, &write, 0, nullptr);
  const VkPipelineLayout layout = gpu.makePipelineLayout(setLayout, 0);
  const VkPipeline pipeline = gpu.makePipeline(gpu.makeModule(count_comp), layout);
  const VkCommandBuffer commands = beginCommands(gpu);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(commands, kWords / 64, 1, 1);
  VKTEST_CHECK(vkEndCommandBuffer(commands));
  VKTEST_CHECK(vktest::submitAndWait(gpu.queue, commands));
  const auto* words = static_cast<const uint32_t*>(bound.data);
  for (uint32_t i = 0; i < kWords; ++i) require(words[i] == 3 * i + 1, "a shader's results are wrong");
}

void checkHeaps(const Device& gpu, uint64_t limitBytes) {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget};
  vkGetPhysicalDeviceMemoryProperties2(gpu.physical, &properties);
  uint64_t heaps = 0;
  for (uint32_t i = 0; i < gpu.memory.memoryHeapCount; ++i) {
    heaps += gpu.memory.memoryHeaps[i].size;
    require(budget.heapBudget[i] <= gpu.memory.memoryHeaps[i].size, "a budget is larger than its heap");
  }
  require(heaps < limitBytes, "the heaps are larger than the limit");
}

/// Memory of each type, written to, in pieces of that size until one is refused. \returns how much it was
uint64_t fill(Device& gpu, uint64_t pieceBytes) {
  uint64_t bytes = 0;
  for (uint32_t type = 0; type < gpu.memory.memoryTypeCount; ++type) {
    if (!(gpu.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)) continue;
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, pieceBytes, type};
    VkResult r;
    for (VkDeviceMemory memory; (r = vkAllocateMemory(gpu.device, &info, nullptr, &memory)) == VK_SUCCESS;) {
      gpu.later([&gpu, memory] { vkFreeMemory(gpu.device, memory, nullptr); });
      void* data = nullptr;
      VKTEST_CHECK(vkMapMemory(gpu.device, memory, 0, VK_WHOLE_SIZE, 0, &data));
      std::memset(data, 1, pieceBytes);
      bytes += pieceBytes;
    }
    require(r == VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkAllocateMemory refuses with " + std::to_string(r));
  }
  return bytes;
}

void fillAll(uint64_t limitBytes) {
  // Large pieces, and small ones.
  for (const uint64_t piece : {8 * kMiB, kMiB / 16}) {
    Device gpu;
    open(gpu);
    checkHeaps(gpu, limitBytes);
    const uint64_t bytes = fill(gpu, piece);
    require(bytes >= limitBytes / 2, "no more than " + std::to_string(bytes >> 20) + " MiB were to be had");
    // A little of it free again: what is left of the limit is enough for the driver itself.
    gpu.release(gpu.made() - 1);
    runShader(gpu);
  }
}

void fillBesideOthers(uint64_t limitBytes) {
  Device gpu;
  open(gpu);
  std::vector<char> own(limitBytes / 2, 1);
  const uint64_t bytes = fill(gpu, 4 * kMiB);
  require(bytes >= limitBytes / 8, "no more than " + std::to_string(bytes >> 20) + " MiB were to be had");
  require(own[own.size() / 3] == 1, "memory is not what it was");
  gpu.release(gpu.made() - 1);
  runShader(gpu);
}

void drawTooMuch(uint64_t limitBytes) {
  VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT single{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT, nullptr, VK_TRUE};
  VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &single};
  v13.dynamicRendering = VK_TRUE;
  const char* const extension = VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME;
  {
    Device gpu;
    open(gpu, &v13, {&extension, 1});
    // One of four bytes a pixel takes a sixteenth of the limit; one of eight samples takes half, all that the heap is.
    const auto side = uint32_t(limitBytes / 16 / 4 / 2048);
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.flags = VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {2048, side, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    Device::Bound bound;
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = gpu.make(info, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &bound);
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = info.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkMultisampledRenderToSingleSampledInfoEXT samples{VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT,
                                                       nullptr, VK_TRUE, VK_SAMPLE_COUNT_8_BIT};
    VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    attachment.imageView = gpu.make(view);
    attachment.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO, &samples};
    rendering.renderArea.extent = {info.extent.width, info.extent.height};
    rendering.layerCount = rendering.colorAttachmentCount = 1;
    rendering.pColorAttachments = &attachment;
    const VkCommandBuffer commands = beginCommands(gpu);
    vkCmdBeginRendering(commands, &rendering);
    vkCmdEndRendering(commands);
    VKTEST_CHECK(vkEndCommandBuffer(commands));
    const VkResult r = vktest::submitAndWait(gpu.queue, commands);
    require(r == VK_ERROR_DEVICE_LOST, "drawing to an image that there is no memory for gives " + std::to_string(r));
  }
  Device again;
  open(again);
  runShader(again);
}

}  // namespace

int fillHeaps(uint64_t limitBytes) { return guarded(fillAll, limitBytes); }
int fillHeapsBesideOthers(uint64_t limitBytes) { return guarded(fillBesideOthers, limitBytes); }
int drawToTooManySamples(uint64_t limitBytes) { return guarded(drawTooMuch, limitBytes); }

}  // namespace limits
