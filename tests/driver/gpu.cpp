#include "gpu.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace etzel::driver_test {
namespace {
void need(VkResult r, const char* what) {
  if (r == VK_SUCCESS) return;
  std::fprintf(stderr, "%s: VkResult %d\n", what, r);
  std::abort();
}
}  // namespace

Gpu::Gpu(const void* pNext, std::vector<const char*> extensions, VkPhysicalDeviceFeatures features) {
  VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  app.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo ii{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  ii.pApplicationInfo = &app;
  need(vkCreateInstance(&ii, nullptr, &instance), "vkCreateInstance");
  uint32_t one = 1;
  const VkResult r = vkEnumeratePhysicalDevices(instance, &one, &physical);
  need(r == VK_INCOMPLETE ? VK_SUCCESS : r, "vkEnumeratePhysicalDevices");
  const float priority = 1;
  VkDeviceQueueCreateInfo qi{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  qi.queueCount = 1;
  qi.pQueuePriorities = &priority;
  VkDeviceCreateInfo di{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  di.pNext = pNext;
  di.queueCreateInfoCount = 1;
  di.pQueueCreateInfos = &qi;
  di.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  di.ppEnabledExtensionNames = extensions.data();
  di.pEnabledFeatures = &features;
  need(vkCreateDevice(physical, &di, nullptr, &device), "vkCreateDevice");
  vkGetDeviceQueue(device, 0, 0, &queue);
  VkCommandPoolCreateInfo pi{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  need(vkCreateCommandPool(device, &pi, nullptr, &pool), "vkCreateCommandPool");
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_ALL, nullptr},
      {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr},
      {3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_ALL, nullptr}};
  VkDescriptorSetLayoutCreateInfo li{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  li.bindingCount = 3;
  li.pBindings = bindings;
  need(vkCreateDescriptorSetLayout(device, &li, nullptr, &setLayout), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange range{VK_SHADER_STAGE_ALL, 0, 12};
  VkPipelineLayoutCreateInfo pl{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  pl.setLayoutCount = 1;
  pl.pSetLayouts = &setLayout;
  pl.pushConstantRangeCount = 1;
  pl.pPushConstantRanges = &range;
  need(vkCreatePipelineLayout(device, &pl, nullptr, &layout), "vkCreatePipelineLayout");
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3}, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1}};
  VkDescriptorPoolCreateInfo dpi{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  dpi.maxSets = 1;
  dpi.poolSizeCount = 2;
  dpi.pPoolSizes = sizes;
  need(vkCreateDescriptorPool(device, &dpi, nullptr, &descriptorPool), "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo ai{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  ai.descriptorPool = descriptorPool;
  ai.descriptorSetCount = 1;
  ai.pSetLayouts = &setLayout;
  need(vkAllocateDescriptorSets(device, &ai, &set), "vkAllocateDescriptorSets");
}

Gpu::~Gpu() {
  vkDestroyDescriptorPool(device, descriptorPool, nullptr);
  vkDestroyPipelineLayout(device, layout, nullptr);
  vkDestroyDescriptorSetLayout(device, setLayout, nullptr);
  vkDestroyCommandPool(device, pool, nullptr);
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
}

Buffer Gpu::makeBuffer(VkDeviceSize bytes, VkBufferUsageFlags usage) {
  Buffer b;
  b.bytes = bytes;
  VkBufferCreateInfo bi{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  bi.size = bytes;
  bi.usage = usage;
  need(vkCreateBuffer(device, &bi, nullptr, &b.buffer), "vkCreateBuffer");
  VkMemoryRequirements r;
  vkGetBufferMemoryRequirements(device, b.buffer, &r);
  VkMemoryAllocateInfo mi{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  mi.allocationSize = r.size;
  need(vkAllocateMemory(device, &mi, nullptr, &b.memory), "vkAllocateMemory");
  need(vkBindBufferMemory(device, b.buffer, b.memory, 0), "vkBindBufferMemory");
  need(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, reinterpret_cast<void**>(&b.words)), "vkMapMemory");
  return b;
}

void Gpu::destroy(const Buffer& b) {
  vkDestroyBuffer(device, b.buffer, nullptr);
  vkFreeMemory(device, b.memory, nullptr);
}

Image Gpu::makeImage(VkExtent2D size, VkSampleCountFlagBits samples, VkImageUsageFlags usage) {
  Image i;
  VkImageCreateInfo ii{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  ii.imageType = VK_IMAGE_TYPE_2D;
  ii.format = Image::kFormat;
  ii.extent = {size.width, size.height, 1};
  ii.mipLevels = ii.arrayLayers = 1;
  ii.samples = samples;
  ii.usage = usage;
  need(vkCreateImage(device, &ii, nullptr, &i.image), "vkCreateImage");
  VkMemoryRequirements r;
  vkGetImageMemoryRequirements(device, i.image, &r);
  VkMemoryAllocateInfo mi{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  mi.allocationSize = r.size;
  need(vkAllocateMemory(device, &mi, nullptr, &i.memory), "vkAllocateMemory");
  need(vkBindImageMemory(device, i.image, i.memory, 0), "vkBindImageMemory");
  VkImageViewCreateInfo vi{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  vi.image = i.image;
  vi.viewType = VK_IMAGE_VIEW_TYPE_2D;
  vi.format = ii.format;
  vi.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  need(vkCreateImageView(device, &vi, nullptr, &i.view), "vkCreateImageView");
  return i;
}

void Gpu::destroy(const Image& i) {
  vkDestroyImageView(device, i.view, nullptr);
  vkDestroyImage(device, i.image, nullptr);
  vkFreeMemory(device, i.memory, nullptr);
}

void Gpu::bindBuffers(const Buffer* first, const Buffer* second, const Buffer& output) {
  const VkDescriptorBufferInfo infos[3] = {{first ? first->buffer : VK_NULL_HANDLE, 0, VK_WHOLE_SIZE},
                                           {second ? second->buffer : VK_NULL_HANDLE, 0, VK_WHOLE_SIZE},
                                           {output.buffer, 0, VK_WHOLE_SIZE}};
  VkWriteDescriptorSet writes[2]{};
  for (VkWriteDescriptorSet& w : writes) {
    w.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    w.dstSet = set;
    w.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  }
  writes[0].descriptorCount = 2;
  writes[0].pBufferInfo = infos;
  writes[1].dstBinding = 2;
  writes[1].descriptorCount = 1;
  writes[1].pBufferInfo = infos + 2;
  vkUpdateDescriptorSets(device, 2, writes, 0, nullptr);
}

VkResult Gpu::makeComputePipeline(std::span<const uint32_t> code, VkPipeline* pipeline) const {
  VkShaderModuleCreateInfo mi{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  mi.codeSize = code.size_bytes();
  mi.pCode = code.data();
  VkShaderModule module;
  if (const VkResult r = vkCreateShaderModule(device, &mi, nullptr, &module); r != VK_SUCCESS) return r;
  VkComputePipelineCreateInfo ci{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  ci.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  ci.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  ci.stage.module = module;
  ci.stage.pName = "main";
  ci.layout = layout;
  const VkResult r = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &ci, nullptr, pipeline);
  vkDestroyShaderModule(device, module, nullptr);
  return r;
}

VkResult Gpu::submit(const std::function<void(VkCommandBuffer)>& record) {
  VkCommandBufferAllocateInfo ai{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  ai.commandPool = pool;
  ai.commandBufferCount = 1;
  VkCommandBuffer commands;
  if (const VkResult r = vkAllocateCommandBuffers(device, &ai, &commands); r != VK_SUCCESS) return r;
  const VkCommandBufferBeginInfo bi{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  vkBeginCommandBuffer(commands, &bi);
  record(commands);
  vkEndCommandBuffer(commands);
  VkFence fence;
  const VkFenceCreateInfo fi{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  vkCreateFence(device, &fi, nullptr, &fence);
  VkSubmitInfo si{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  si.commandBufferCount = 1;
  si.pCommandBuffers = &commands;
  VkResult r = vkQueueSubmit(queue, 1, &si, fence);
  if (r == VK_SUCCESS) r = vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
  vkDestroyFence(device, fence, nullptr);
  vkFreeCommandBuffers(device, pool, 1, &commands);
  return r;
}

void Gpu::toLayout(VkCommandBuffer commands, VkImage image, VkImageLayout to, VkPipelineStageFlags stage,
                   VkAccessFlags access) {
  VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  b.dstAccessMask = access;
  b.newLayout = to;
  b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.image = image;
  b.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, stage, 0, 0, nullptr, 0, nullptr, 1, &b);
}

VkResult Gpu::run(VkPipeline pipeline, uint32_t groups, const uint32_t* push, VkImage image) {
  static constexpr uint32_t kNoPush[3] = {};
  return submit([&](VkCommandBuffer commands) {
    if (image)
      toLayout(commands, image, VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
               VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, 12, push ? push : kNoPush);
    vkCmdDispatch(commands, groups, 1, 1);
  });
}

long privateKilobytes() {
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  if (!f) return 0;
  long total = 0, resident = 0, ofFiles = 0;
  const int read = std::fscanf(f, "%ld %ld %ld", &total, &resident, &ofFiles);
  std::fclose(f);
  return read == 3 ? (resident - ofFiles) * (sysconf(_SC_PAGESIZE) / 1024) : 0;
}

}  // namespace etzel::driver_test
