// Buffers, images, descriptors, transfers and dispatches.
#include "cts-subset/support/gpu.h"

namespace etzel::cts {

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

Buffer Gpu::buffer(VkDeviceSize size, const void* data, VkBufferUsageFlags usage) {
  Buffer b;
  b.size = size;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = usage ? usage
                     : VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                           VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                           VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
                           VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  bool addressable = features12.bufferDeviceAddress;
  if (addressable) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = addressable ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0;
  Bound bound;
  b.handle = make(info, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &bound, &flags);
  b.memory = bound.memory;
  b.data = bound.data;
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
  if (desc.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) {
    image.handle = makeSparse(info);
  } else {
    Bound bound;
    image.handle = make(info, 0, &bound);
    image.memory = bound.memory;
  }
  image.desc = desc;
  image.aspect = aspectsOf(desc.format);
  VkImageViewType type = desc.view                       ? *desc.view
                         : desc.type == VK_IMAGE_TYPE_3D ? VK_IMAGE_VIEW_TYPE_3D
                         : desc.type == VK_IMAGE_TYPE_1D
                             ? (desc.layers > 1 ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D)
                             : (desc.layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D);
  constexpr VkImageUsageFlags viewable =
      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
      VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;
  if (desc.usage & viewable)
    image.view = view(image, type, {image.aspect, 0, desc.levels, 0, desc.layers}, desc.format);
  discardFirst(image.handle, {image.aspect, 0, desc.levels, 0, desc.layers});
  return image;
}

void Gpu::discardFirst(VkImage image, VkImageSubresourceRange range) {
  transitions_.push_back(
      vktest::discard(image, range, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT));
}

VkImageView Gpu::view(const Image& image, VkImageViewType type, VkImageSubresourceRange range, VkFormat format,
                      VkComponentMapping swizzle) {
  VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  info.image = image.handle;
  info.viewType = type;
  info.format = format;
  info.components = swizzle;
  info.subresourceRange = range;
  return make(info);
}

VkBufferView Gpu::texels(const Buffer& buffer, VkFormat format, VkDeviceSize offset, VkDeviceSize range) {
  VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
  info.buffer = buffer.handle;
  info.format = format;
  info.offset = offset;
  info.range = range;
  return make(info);
}

VkSampler Gpu::sampler(VkSamplerCreateInfo info) { return make(info); }

void Gpu::submit(const std::function<void(VkCommandBuffer)>& record) {
  VkCommandBuffer cmd = makeCommands(pool_);
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
  const VkResult result = vktest::submitAndWait(queue, cmd);
  lost |= result == VK_ERROR_DEVICE_LOST;
  vktest::check(result, "vkQueueSubmit and vkQueueWaitIdle");
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
  return vktest::wholeLevel({image.desc.width, image.desc.height, image.desc.depth}, aspect ? aspect : image.aspect,
                            level, layer);
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
  result.layout = makeSetLayout(layout);
  result.pipeline = makePipelineLayout(result.layout, pushBytes);
  if (bindings.empty()) return result;
  std::vector<VkDescriptorPoolSize> sizes;
  for (auto [type, count] : counts) sizes.push_back({type, count});
  result.set = makeSets(result.layout, 1, sizes)[0];
  std::vector<VkWriteDescriptorSet> writes;
  for (uint32_t i = 0; i < bindings.size(); ++i)
    writes.push_back(
        vktest::write(result.set, i, bindings[i].type, &bindings[i].buffer, &bindings[i].image, &bindings[i].texels));
  vkUpdateDescriptorSets(device, uint32_t(writes.size()), writes.data(), 0, nullptr);
  return result;
}

void Gpu::dispatch(const Dispatch& what) {
  Set s = set(what.bindings, uint32_t(what.push.size()));
  VkShaderModule module = what.module ? what.module : shader(VK_SHADER_STAGE_COMPUTE_BIT, what.glsl);
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, what.subgroupSize};
  VkPipeline pipeline =
      makePipeline(module, s.pipeline, what.specialization, cache, what.subgroupSize ? &required : nullptr, what.chain);
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
