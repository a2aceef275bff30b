// Buffers, images, descriptors, transfers and dispatches.
#include "cts-subset/support/gpu.h"

namespace etzel::cts {

VkImageAspectFlags aspectsOf(VkFormat format) {
  switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT: return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT: return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D16_UNORM_S8_UINT:
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT: return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default: return VK_IMAGE_ASPECT_COLOR_BIT;
  }
}

Binding storage(const Buffer& b, VkDeviceSize offset, VkDeviceSize range) {
  return {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {b.handle, offset, range}};
}
Binding uniform(const Buffer& b, VkDeviceSize offset, VkDeviceSize range) {
  return {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {b.handle, offset, range}};
}
Binding storageImage(VkImageView view) {
  return {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, {}, {VK_NULL_HANDLE, view, VK_IMAGE_LAYOUT_GENERAL}};
}
Binding sampled(VkImageView view, VkSampler sampler) {
  return {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, {}, {sampler, view, VK_IMAGE_LAYOUT_GENERAL}};
}
Binding inputAttachment(VkImageView view) {
  return {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, {}, {VK_NULL_HANDLE, view, VK_IMAGE_LAYOUT_GENERAL}};
}

void fullBarrier(VkCommandBuffer cmd) {
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = barrier.srcAccessMask | VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0,
                       nullptr);
}

Buffer Gpu::buffer(VkDeviceSize size, const void* data, VkBufferUsageFlags usage) {
  Buffer b;
  b.size = size;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = usage ? usage
                     : VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                           VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                           VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                           VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                           VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  bool addressable = features12.bufferDeviceAddress;
  if (addressable) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  CTS_VK(vkCreateBuffer(device, &info, nullptr, &b.handle));
  later([this, b] { vkDestroyBuffer(device, b.handle, nullptr); });
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, b.handle, &needs);
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = addressable ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex =
      memoryType(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CTS_VK(vkAllocateMemory(device, &allocate, nullptr, &b.memory));
  later([this, b] { vkFreeMemory(device, b.memory, nullptr); });
  CTS_VK(vkBindBufferMemory(device, b.handle, b.memory, 0));
  CTS_VK(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.data));
  if (data)
    memcpy(b.data, data, size);
  else
    memset(b.data, 0, size);
  buffers_.push_back(b);
  if (addressable) {
    VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, b.handle};
    b.address = vkGetBufferDeviceAddress(device, &address);
  }
  return b;
}

Image Gpu::image(ImageDesc desc) {
  Image image;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  desc.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.flags = desc.flags;
  info.imageType = desc.type;
  info.format = desc.format;
  info.extent = {desc.width, desc.height, desc.depth};
  info.mipLevels = desc.levels;
  info.arrayLayers = desc.layers;
  info.samples = desc.samples;
  info.tiling = desc.tiling;
  info.usage = desc.usage;
  VkImageFormatProperties limits;
  VkResult supported = vkGetPhysicalDeviceImageFormatProperties(physical, desc.format, desc.type, desc.tiling,
                                                                desc.usage, desc.flags, &limits);
  if (supported == VK_ERROR_FORMAT_NOT_SUPPORTED) throw NotSupported("image format and usage");
  if (!(limits.sampleCounts & desc.samples)) throw NotSupported("sample count of the image");
  CTS_VK(vkCreateImage(device, &info, nullptr, &image.handle));
  later([this, image] { vkDestroyImage(device, image.handle, nullptr); });
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, image.handle, &needs);
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = memoryType(needs.memoryTypeBits, 0);
  CTS_VK(vkAllocateMemory(device, &allocate, nullptr, &image.memory));
  later([this, image] { vkFreeMemory(device, image.memory, nullptr); });
  CTS_VK(vkBindImageMemory(device, image.handle, image.memory, 0));
  image.desc = desc;
  image.aspect = aspectsOf(desc.format);
  VkImageViewType type = desc.view                       ? *desc.view
                         : desc.type == VK_IMAGE_TYPE_3D ? VK_IMAGE_VIEW_TYPE_3D
                         : desc.type == VK_IMAGE_TYPE_1D
                             ? (desc.layers > 1 ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D)
                             : (desc.layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D);
  constexpr VkImageUsageFlags viewable =
      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  if (desc.usage & viewable)
    image.view = view(image, type, {image.aspect, 0, desc.levels, 0, desc.layers}, desc.format);
  VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.handle;
  barrier.subresourceRange = {image.aspect, 0, desc.levels, 0, desc.layers};
  transitions_.push_back(barrier);
  return image;
}

VkImageView Gpu::view(const Image& image, VkImageViewType type, VkImageSubresourceRange range, VkFormat format,
                      VkComponentMapping swizzle) {
  VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  info.image = image.handle;
  info.viewType = type;
  info.format = format;
  info.components = swizzle;
  info.subresourceRange = range;
  VkImageView result;
  CTS_VK(vkCreateImageView(device, &info, nullptr, &result));
  later([this, result] { vkDestroyImageView(device, result, nullptr); });
  return result;
}

VkBufferView Gpu::texels(const Buffer& buffer, VkFormat format, VkDeviceSize offset, VkDeviceSize range) {
  VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
  info.buffer = buffer.handle;
  info.format = format;
  info.offset = offset;
  info.range = range;
  VkBufferView result;
  CTS_VK(vkCreateBufferView(device, &info, nullptr, &result));
  later([this, result] { vkDestroyBufferView(device, result, nullptr); });
  return result;
}

VkSampler Gpu::sampler(VkSamplerCreateInfo info) {
  VkSampler result;
  CTS_VK(vkCreateSampler(device, &info, nullptr, &result));
  later([this, result] { vkDestroySampler(device, result, nullptr); });
  return result;
}

void Gpu::submit(const std::function<void(VkCommandBuffer)>& record) {
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = pool_;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer cmd;
  CTS_VK(vkAllocateCommandBuffers(device, &allocate, &cmd));
  later([this, cmd] { vkFreeCommandBuffers(device, pool_, 1, &cmd); });
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  CTS_VK(vkBeginCommandBuffer(cmd, &begin));
  if (!transitions_.empty())
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                         nullptr, uint32_t(transitions_.size()), transitions_.data());
  transitions_.clear();
  record(cmd);
  fullBarrier(cmd);
  CTS_VK(vkEndCommandBuffer(cmd));
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &cmd;
  VkResult result = vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE);
  if (result == VK_SUCCESS) result = vkQueueWaitIdle(queue);
  lost |= result == VK_ERROR_DEVICE_LOST;
  checkVk(result, "vkQueueSubmit and vkQueueWaitIdle");
  digestBuffers();
}

void Gpu::digestBuffers() {
  if (!digesting) return;
  for (const Buffer& b : buffers_) digest.add(b.data, b.size);
}

void Gpu::results(VkQueryPool pool, uint32_t first, uint32_t count, size_t bytes, void* data, VkDeviceSize stride,
                  VkQueryResultFlags flags) {
  CTS_VK(vkGetQueryPoolResults(device, pool, first, count, bytes, data, stride, flags));
  if (digesting) digest.add(data, bytes);
}

static VkBufferImageCopy wholeLevel(const Image& image, uint32_t level, uint32_t layer, VkImageAspectFlags aspect) {
  VkBufferImageCopy copy{};
  copy.imageSubresource = {aspect ? aspect : image.aspect, level, layer, 1};
  auto at = [&](uint32_t v) { return std::max(1u, v >> level); };
  copy.imageExtent = {at(image.desc.width), at(image.desc.height), at(image.desc.depth)};
  return copy;
}

void Gpu::upload(const Image& image, const void* data, size_t bytes, uint32_t level, uint32_t layer) {
  Buffer staging = buffer(bytes, data);
  VkBufferImageCopy copy = wholeLevel(image, level, layer, 0);
  submit([&](VkCommandBuffer cmd) {
    vkCmdCopyBufferToImage(cmd, staging.handle, image.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  });
}

std::vector<uint8_t> Gpu::download(const Image& image, size_t texelBytes, uint32_t level, uint32_t layer,
                                   VkImageAspectFlags aspect) {
  VkBufferImageCopy copy = wholeLevel(image, level, layer, aspect);
  size_t bytes = texelBytes * copy.imageExtent.width * copy.imageExtent.height * copy.imageExtent.depth;
  Buffer staging = buffer(bytes);
  submit([&](VkCommandBuffer cmd) {
    vkCmdCopyImageToBuffer(cmd, image.handle, VK_IMAGE_LAYOUT_GENERAL, staging.handle, 1, &copy);
  });
  return {staging.as<uint8_t>(), staging.as<uint8_t>() + bytes};
}

void Gpu::clear(const Image& image, VkClearValue value) {
  submit([&](VkCommandBuffer cmd) {
    VkImageSubresourceRange all{image.aspect, 0, image.desc.levels, 0, image.desc.layers};
    if (image.aspect & VK_IMAGE_ASPECT_COLOR_BIT)
      vkCmdClearColorImage(cmd, image.handle, VK_IMAGE_LAYOUT_GENERAL, &value.color, 1, &all);
    else
      vkCmdClearDepthStencilImage(cmd, image.handle, VK_IMAGE_LAYOUT_GENERAL, &value.depthStencil, 1, &all);
  });
}

Gpu::Set Gpu::set(const std::vector<Binding>& bindings, uint32_t pushBytes) {
  Set result;
  std::vector<VkDescriptorSetLayoutBinding> layout;
  std::map<VkDescriptorType, uint32_t> counts;
  for (uint32_t i = 0; i < bindings.size(); ++i) {
    VkShaderStageFlags stages =
        bindings[i].type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_ALL;
    layout.push_back({i, bindings[i].type, 1, stages, nullptr});
    ++counts[bindings[i].type];
  }
  VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  info.bindingCount = uint32_t(layout.size());
  info.pBindings = layout.data();
  CTS_VK(vkCreateDescriptorSetLayout(device, &info, nullptr, &result.layout));
  later([this, result] { vkDestroyDescriptorSetLayout(device, result.layout, nullptr); });
  VkPipelineLayoutCreateInfo pipelineInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  VkPushConstantRange push{VK_SHADER_STAGE_ALL, 0, (pushBytes + 3) & ~3u};
  pipelineInfo.setLayoutCount = 1;
  pipelineInfo.pSetLayouts = &result.layout;
  pipelineInfo.pushConstantRangeCount = pushBytes ? 1 : 0;
  pipelineInfo.pPushConstantRanges = &push;
  CTS_VK(vkCreatePipelineLayout(device, &pipelineInfo, nullptr, &result.pipeline));
  later([this, result] { vkDestroyPipelineLayout(device, result.pipeline, nullptr); });
  if (bindings.empty()) return result;
  std::vector<VkDescriptorPoolSize> sizes;
  for (auto [type, count] : counts) sizes.push_back({type, count});
  VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  poolInfo.maxSets = 1;
  poolInfo.poolSizeCount = uint32_t(sizes.size());
  poolInfo.pPoolSizes = sizes.data();
  VkDescriptorPool pool;
  CTS_VK(vkCreateDescriptorPool(device, &poolInfo, nullptr, &pool));
  later([this, pool] { vkDestroyDescriptorPool(device, pool, nullptr); });
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &result.layout;
  CTS_VK(vkAllocateDescriptorSets(device, &allocate, &result.set));
  std::vector<VkWriteDescriptorSet> writes;
  for (uint32_t i = 0; i < bindings.size(); ++i) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = result.set;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = bindings[i].type;
    write.pBufferInfo = &bindings[i].buffer;
    write.pImageInfo = &bindings[i].image;
    write.pTexelBufferView = &bindings[i].texels;
    writes.push_back(write);
  }
  vkUpdateDescriptorSets(device, uint32_t(writes.size()), writes.data(), 0, nullptr);
  return result;
}

void Gpu::dispatch(const Dispatch& what) {
  Set s = set(what.bindings, uint32_t(what.push.size()));
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = what.module ? what.module : shader(VK_SHADER_STAGE_COMPUTE_BIT, what.glsl);
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = what.specialization;
  info.layout = s.pipeline;
  VkPipeline pipeline;
  CTS_VK(vkCreateComputePipelines(device, cache, 1, &info, nullptr, &pipeline));
  later([this, pipeline] { vkDestroyPipeline(device, pipeline, nullptr); });
  submit([&](VkCommandBuffer cmd) {
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    if (s.set)
      vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, s.pipeline, 0, 1, &s.set,
                              uint32_t(what.dynamicOffsets.size()), what.dynamicOffsets.data());
    if (!what.push.empty())
      vkCmdPushConstants(cmd, s.pipeline, VK_SHADER_STAGE_ALL, 0, uint32_t(what.push.size()), what.push.data());
    vkCmdDispatch(cmd, what.x, what.y, what.z);
  });
}

}  // namespace etzel::cts
