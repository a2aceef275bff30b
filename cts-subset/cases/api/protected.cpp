// Protected memory: what may lie in it, and work of a protected queue on protected resources. Nothing of it can be read
// back; the shader that looks at it does not end where something else is there ("Lost Device").
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/gpu.h"

namespace etzel::cts {
namespace {

bool isProtected(const Gpu& gpu, uint32_t type) {
  return gpu.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_PROTECTED_BIT;
}

/// "VkMemoryRequirements": protected resources lie in protected memory, and others do not.
void expectTypes(const Gpu& gpu, const VkMemoryRequirements& needs, bool secret) {
  EXPECT_NE(needs.memoryTypeBits, 0u);
  for (uint32_t i = 0; i < gpu.memory.memoryTypeCount; ++i)
    if (needs.memoryTypeBits >> i & 1) {
      EXPECT_EQ(isProtected(gpu, i), secret) << "memory type " << i;
    }
}

VkBufferCreateInfo bufferInfo(bool secret) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  if (secret) info.flags = VK_BUFFER_CREATE_PROTECTED_BIT;
  info.size = 64;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  return info;
}

VkImageCreateInfo imageInfo(bool secret) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  if (secret) info.flags = VK_IMAGE_CREATE_PROTECTED_BIT;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R32_UINT;
  info.extent = {16, 1, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  return info;
}

void requirementsCase(Gpu& gpu) {
  gpu.require(gpu.features11.protectedMemory, "protectedMemory");
  for (uint32_t i = 0; i < gpu.memory.memoryTypeCount; ++i) {
    constexpr VkMemoryPropertyFlags kHost =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    if (isProtected(gpu, i)) {
      EXPECT_FALSE(gpu.memory.memoryTypes[i].propertyFlags & kHost);
    }
  }
  for (const bool secret : {false, true}) {
    VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    const VkBufferCreateInfo buffer = bufferInfo(secret);
    const VkDeviceBufferMemoryRequirements ofBuffer{VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, nullptr,
                                                    &buffer};
    vkGetDeviceBufferMemoryRequirements(gpu.device, &ofBuffer, &needs);
    expectTypes(gpu, needs.memoryRequirements, secret);
    const VkImageCreateInfo image = imageInfo(secret);
    const VkDeviceImageMemoryRequirements ofImage{VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, nullptr, &image};
    vkGetDeviceImageMemoryRequirements(gpu.device, &ofImage, &needs);
    expectTypes(gpu, needs.memoryRequirements, secret);
  }
}

/// Fills one buffer, copies it through an image into another one, and looks at that.
void workCase(Gpu& gpu) {
  gpu.require(gpu.protectedQueue != VK_NULL_HANDLE, "a protected queue");
  Gpu::Bound bound;
  const VkBuffer from = gpu.make(bufferInfo(true), VK_MEMORY_PROPERTY_PROTECTED_BIT, &bound);
  const VkBuffer to = gpu.make(bufferInfo(true), VK_MEMORY_PROPERTY_PROTECTED_BIT, &bound);
  const VkImage image = gpu.make(imageInfo(true), VK_MEMORY_PROPERTY_PROTECTED_BIT, &bound);
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.flags = VK_COMMAND_POOL_CREATE_PROTECTED_BIT;
  poolInfo.queueFamilyIndex = gpu.family;
  const VkCommandBuffer cmd = gpu.makeCommands(gpu.make(poolInfo));
  const Gpu::Set set = gpu.set({{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = {to, 0, VK_WHOLE_SIZE}}}, 0);
  const VkPipeline pipeline = gpu.makePipeline(
      gpu.shader(VK_SHADER_STAGE_COMPUTE_BIT,
                 "#version 450\nlayout(local_size_x=16) in;\nlayout(binding=0) volatile buffer A { uint "
                 "a[]; };\nvoid main() { while (a[gl_LocalInvocationIndex] != 0x12345678u) {} }\n"),
      set.pipeline);
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  CTS_VK(vkBeginCommandBuffer(cmd, &begin));
  vkCmdFillBuffer(cmd, from, 0, VK_WHOLE_SIZE, 0x12345678u);
  const VkImageMemoryBarrier barrier =
      vktest::discard(image, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}, VK_IMAGE_LAYOUT_GENERAL,
                      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr,
                       1, &barrier);
  fullBarrier(cmd);
  const VkBufferImageCopy copy = vktest::wholeLevel({16, 1, 1}, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
  vkCmdCopyBufferToImage(cmd, from, image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  fullBarrier(cmd);
  vkCmdCopyImageToBuffer(cmd, image, VK_IMAGE_LAYOUT_GENERAL, to, 1, &copy);
  fullBarrier(cmd);
  vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, set.pipeline, 0, 1, &set.set, 0, nullptr);
  vkCmdDispatch(cmd, 1, 1, 1);
  CTS_VK(vkEndCommandBuffer(cmd));
  const VkProtectedSubmitInfo secret{VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO, nullptr, VK_TRUE};
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &secret};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &cmd;
  CTS_VK(vkQueueSubmit(gpu.protectedQueue, 1, &submit, VK_NULL_HANDLE));
  CTS_VK(vkQueueWaitIdle(gpu.protectedQueue));
}

}  // namespace

void registerProtected() {
  add("api.protected_memory.requirements", requirementsCase);
  add("api.protected_memory.work", workCase);
}

}  // namespace etzel::cts
