#include "gpu.h"

#include <unistd.h>

#include <cstdio>

#include "testing/vk/commands.h"

namespace etzel::driver_test {

Gpu::Gpu(const void* pNext, std::vector<const char*> extensions, VkPhysicalDeviceFeatures features) {
  openInstance("etzel-driver-test", VK_API_VERSION_1_3);
  VkDeviceCreateInfo di{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  di.pNext = pNext;
  di.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  di.ppEnabledExtensionNames = extensions.data();
  di.pEnabledFeatures = &features;
  openDevice(di);
  pool = make(VkCommandPoolCreateInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO});
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_ALL, nullptr},
      {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr},
      {3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_ALL, nullptr}};
  setLayout = makeSetLayout(bindings);
  layout = makePipelineLayout(setLayout, 12);
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3}, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1}};
  set = makeSets(setLayout, 1, sizes)[0];
}

Buffer Gpu::makeBuffer(VkDeviceSize bytes, VkBufferUsageFlags usage) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = usage;
  Bound bound;
  const VkBuffer buffer =
      make(info, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &bound);
  return {buffer, static_cast<uint32_t*>(bound.data), bytes};
}

Image Gpu::makeImage(VkExtent2D size, VkSampleCountFlagBits samples, VkImageUsageFlags usage) {
  Image i;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = Image::kFormat;
  info.extent = {size.width, size.height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = samples;
  info.usage = usage;
  Bound bound;
  i.image = make(info, 0, &bound);
  VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view.image = i.image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = info.format;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  i.view = make(view);
  return i;
}

void Gpu::bindBuffers(const Buffer* first, const Buffer* second, const Buffer& output) {
  const VkDescriptorBufferInfo infos[3] = {{first ? first->buffer : VK_NULL_HANDLE, 0, VK_WHOLE_SIZE},
                                           {second ? second->buffer : VK_NULL_HANDLE, 0, VK_WHOLE_SIZE},
                                           {output.buffer, 0, VK_WHOLE_SIZE}};
  VkWriteDescriptorSet writes[] = {vktest::write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, infos),
                                   vktest::write(set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, infos + 2)};
  writes[0].descriptorCount = 2;
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
  const size_t before = made();
  const VkCommandBuffer commands = makeCommands(pool);
  const VkCommandBufferBeginInfo bi{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  vkBeginCommandBuffer(commands, &bi);
  record(commands);
  vkEndCommandBuffer(commands);
  const VkResult r = vktest::submitAndWait(queue, commands);
  release(before);
  return r;
}

void Gpu::toLayout(VkCommandBuffer commands, VkImage image, VkImageLayout to, VkPipelineStageFlags stage,
                   VkAccessFlags access) {
  const VkImageMemoryBarrier b = vktest::discard(image, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}, to, access);
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
