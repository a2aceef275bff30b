#include "tests/fuzz/vk/rig.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "any.frag.h"
#include "any.tesc.h"
#include "any.tese.h"
#include "any.vert.h"
#include "testing/vk/commands.h"
#include "tests/fuzz/core/raw.h"

namespace etzel::fuzz {
namespace {

constexpr VkDeviceSize kReadbackBytes = 4 << 20;
constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// Small numbers as integers, as floats, and special ones, by turns.
uint32_t pattern(uint32_t i) {
  switch (i % 4) {
    case 0: return i / 4;
    case 1: return std::bit_cast<uint32_t>(float(i) * 0.125f);
    case 2: return std::bit_cast<uint32_t>(1.0f - float(i % 64) * 0.0625f);
    default:
      return i % 32 == 3 ? 0x7F800000u : i % 32 == 7 ? 0xFFFFFFFFu : i % 32 == 11 ? 0x7FC00001u : i * 0x01010101u;
  }
}

VkExtent3D sizeOf(const ImageShape& s) {
  switch (s.dim) {
    case 0: return {16, 1, 1};
    case 2: return {8, 8, 4};
    default: return {16, 16, 1};
  }
}

VkImageViewType viewTypeOf(const ImageShape& s) {
  switch (s.dim) {
    case 0: return s.arrayed ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
    case 2: return VK_IMAGE_VIEW_TYPE_3D;
    case 3: return s.arrayed ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
    default: return s.arrayed ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  }
}

VkImageAspectFlags aspectOf(VkFormat format) {
  return format == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

VkDeviceSize texelBytes(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R32G32B32A32_SFLOAT:
    case VK_FORMAT_R32G32B32A32_SINT:
    case VK_FORMAT_R32G32B32A32_UINT: return 16;
    case VK_FORMAT_R16G16B16A16_SFLOAT:
    case VK_FORMAT_R64_SINT:
    case VK_FORMAT_R64_UINT: return 8;
    default: return 4;
  }
}

void openWithEverything(Rig& rig) {
  rig.openInstance("etzel-fuzz", VK_API_VERSION_1_3);
  VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13};
  VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12};
  VkPhysicalDeviceRobustness2FeaturesEXT robustness{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, &v11};
  VkPhysicalDeviceDescriptorBufferFeaturesEXT buffers{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT,
                                                      &robustness};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &buffers};
  vkGetPhysicalDeviceFeatures2(rig.physical, &features);
  // Fragment masks are tried all the same: no device may have VK_AMD_shader_fragment_mask and descriptor buffers, and
  // modules need not ask for what they use.
  static constexpr const char* kExtensions[] = {"VK_EXT_robustness2",
                                                "VK_EXT_descriptor_buffer",
                                                "VK_EXT_shader_object",
                                                "VK_EXT_shader_atomic_float",
                                                "VK_EXT_shader_atomic_float2",
                                                "VK_EXT_shader_image_atomic_int64",
                                                "VK_KHR_fragment_shader_barycentric",
                                                "VK_EXT_fragment_shader_interlock",
                                                "VK_EXT_post_depth_coverage",
                                                "VK_EXT_shader_stencil_export"};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  info.enabledExtensionCount = uint32_t(std::size(kExtensions));
  info.ppEnabledExtensionNames = kExtensions;
  rig.openDevice(info);
}

}  // namespace

Rig::Rig() {
  openWithEverything(*this);
  pool_ = make(VkCommandPoolCreateInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO});
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = VK_FILTER_LINEAR;
  info.maxLod = 8;
  sampler_ = make(info);
  makeBuffers();
  makeTargets();
  for (uint32_t i = 0; i < kStages; ++i)
    if (const auto code = companionCode(VkShaderStageFlagBits(1u << i)); !code.empty())
      companion_[i] = makeModule(code);
  base_ = uint32_t(made());
}

std::span<const uint32_t> Rig::companionCode(VkShaderStageFlagBits stage) {
  switch (stage) {
    case VK_SHADER_STAGE_VERTEX_BIT: return any_vert;
    case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT: return any_tesc;
    case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT: return any_tese;
    case VK_SHADER_STAGE_FRAGMENT_BIT: return any_frag;
    default: return {};
  }
}

VkBuffer Rig::makeAddressed(const VkBufferCreateInfo& info, Bound* bound) {
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  return make(info, kHost, bound, &flags);
}

VkDeviceAddress Rig::addressOf(VkBuffer buffer) const {
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
  return vkGetBufferDeviceAddress(device, &info);
}

void Rig::makeBuffers() {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
               VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  const auto makeOne = [&](VkDeviceSize bytes, uint32_t** words) {
    Bound bound;
    info.size = bytes;
    const VkBuffer buffer = makeAddressed(info, &bound);
    *words = static_cast<uint32_t*>(bound.data);
    return buffer;
  };
  inputs_ = makeOne(kBufferBytes * kBuffers, &input_);
  outputs_ = makeOne(kBufferBytes * kBuffers, &output_);
  readback_ = makeOne(kReadbackBytes, &back_);
}

void Rig::makeTargets() {
  static constexpr VkFormat kFormats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT,
                                          VK_FORMAT_D32_SFLOAT};
  for (int multisampled = 0; multisampled < 2; ++multisampled)
    for (int i = 0; i < 3; ++i) {
      VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
      info.imageType = VK_IMAGE_TYPE_2D;
      info.format = kFormats[i];
      info.extent = {16, 16, 1};
      info.mipLevels = info.arrayLayers = 1;
      info.samples = multisampled ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
      info.usage = i == 2 ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
      info.usage |= multisampled ? 0 : VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
      Bound bound;
      Picture& p = targets_[multisampled][i];
      p.image = make(info, 0, &bound);
      VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
      view.image = p.image;
      view.viewType = VK_IMAGE_VIEW_TYPE_2D;
      view.format = info.format;
      view.subresourceRange = {aspectOf(info.format), 0, 1, 0, 1};
      p.view = make(view);
      p.size = info.extent;
    }
}

const Rig::Picture& Rig::picture(const ImageShape& shape) {
  const auto [it, isNew] = pictures_.try_emplace(shape);
  Picture& p = it->second;
  if (!isNew) return p;
  p.size = sizeOf(shape);
  p.layers = (shape.arrayed ? 2 : 1) * (shape.dim == 3 ? 6 : 1);
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.flags = shape.dim == 3 ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
  info.imageType = shape.dim == 0 ? VK_IMAGE_TYPE_1D : shape.dim == 2 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  info.format = shape.format;
  info.extent = p.size;
  info.mipLevels = 1;
  info.arrayLayers = p.layers;
  info.samples = shape.multisampled ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
               (shape.storage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT);
  VkImageFormatProperties can;
  if (vkGetPhysicalDeviceImageFormatProperties(physical, info.format, info.imageType, VK_IMAGE_TILING_OPTIMAL,
                                               info.usage, info.flags, &can) != VK_SUCCESS ||
      !(can.sampleCounts & info.samples))
    return p;  // no such image: null descriptors
  Bound bound;
  p.image = make(info, 0, &bound);
  VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view.image = p.image;
  view.viewType = viewTypeOf(shape);
  view.format = shape.format;
  view.subresourceRange = {aspectOf(shape.format), 0, 1, 0, p.layers};
  p.view = make(view);
  return p;
}

VkBufferView Rig::texels(VkFormat format, bool storage) {
  VkBufferView& view = texels_[{format, storage}];
  if (view) return view;
  VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
  info.buffer = storage ? outputs_ : inputs_;
  info.format = format;
  info.offset = storage ? kBufferBytes * (kBuffers - 1) : 0;
  info.range = kBufferBytes;
  return view = make(info);
}

/// What an image holds before a run: the pattern, or where it has samples or depth one clear value.
void Rig::fill(VkCommandBuffer commands, const ImageShape& shape, const Picture& p) {
  const VkImageSubresourceRange range{aspectOf(shape.format), 0, 1, 0, p.layers};
  const VkImageMemoryBarrier barrier =
      vktest::discard(p.image, range, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_WRITE_BIT);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &barrier);
  if (range.aspectMask == VK_IMAGE_ASPECT_DEPTH_BIT) {
    const VkClearDepthStencilValue half{0.5f, 0};
    vkCmdClearDepthStencilImage(commands, p.image, VK_IMAGE_LAYOUT_GENERAL, &half, 1, &range);
  } else if (shape.multisampled) {
    const VkClearColorValue color{{0.25f, 0.5f, 0.75f, 1.0f}};
    vkCmdClearColorImage(commands, p.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
  } else {
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, p.layers};
    copy.imageExtent = p.size;
    vkCmdCopyBufferToImage(commands, inputs_, p.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  }
}

VkCommandBuffer Rig::begin() {
  const VkCommandBuffer commands = makeCommands(pool_);
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  VKTEST_CHECK(vkBeginCommandBuffer(commands, &info));
  return commands;
}

void Rig::reset(VkCommandBuffer commands, const Bindings& bindings) {
  // The inputs too: forged programs store where others read, and not every process runs every input.
  for (uint32_t i = 0; i < kBufferBytes * kBuffers / 4; ++i) input_[i] = output_[i] = pattern(i);
  std::memset(back_, 0, backBytes_);
  backBytes_ = 0;
  floats_ = {};
  for (const auto& [shape, p] : pictures_) {
    const bool used = !shape.storage || std::count(bindings.written.begin(), bindings.written.end(), shape);
    if (used && p.image) fill(commands, shape, p);
  }
  vktest::fullBarrier(commands);
}

void Rig::readBack(VkCommandBuffer commands, const Bindings& bindings) {
  vktest::fullBarrier(commands);
  for (const ImageShape& shape : bindings.written) {
    const Picture& p = pictures_.at(shape);
    if (shape.multisampled || !p.image) continue;
    VkBufferImageCopy copy{};
    copy.bufferOffset = backBytes_;
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, p.layers};
    copy.imageExtent = p.size;
    const VkDeviceSize bytes = texelBytes(shape.format) * p.size.width * p.size.height * p.size.depth * p.layers;
    if (backBytes_ + bytes > kReadbackBytes) return;
    backBytes_ += bytes;
    vkCmdCopyImageToBuffer(commands, p.image, VK_IMAGE_LAYOUT_GENERAL, readback_, 1, &copy);
  }
  vktest::fullBarrier(commands);
}

Outcome Rig::finish(VkCommandBuffer commands) {
  VKTEST_CHECK(vkEndCommandBuffer(commands));
  if (const VkResult r = vktest::submitAndWait(queue, commands); r != VK_SUCCESS) {
    lost_ = true;
    return {Verdict::Lost, 0};
  }
  // Attributes that are NaN are so where they are interpolated, with a payload that is the host's.
  for (VkDeviceSize i = floats_.first; i < floats_.second; ++i)
    if ((back_[i] & 0x7FFFFFFFu) > 0x7F800000u) back_[i] = 0x7FC00000u;
  const auto bytes = [](const uint32_t* words, VkDeviceSize count) {
    return std::span(reinterpret_cast<const uint8_t*>(words), size_t(count));
  };
  return {Verdict::Ran, digest(bytes(back_, backBytes_), digest(bytes(output_, kBufferBytes * kBuffers)))};
}

Outcome Rig::dispatch(VkPipeline pipeline, const Bindings& bindings, uint32_t options,
                      const std::function<void(VkCommandBuffer)>& bindCode) {
  const VkCommandBuffer commands = begin();
  reset(commands, bindings);
  if (pipeline) vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  if (bindCode) bindCode(commands);
  if (!bindings.sets.empty())
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, bindings.layout, 0,
                            uint32_t(bindings.sets.size()), bindings.sets.data(), 0, nullptr);
  vkCmdPushConstants(commands, bindings.layout, VK_SHADER_STAGE_ALL, 0, kPushBytes, input_);
  vkCmdDispatch(commands, 1 + (options >> 2 & 1), 1, 1);
  readBack(commands, bindings);
  return finish(commands);
}

}  // namespace etzel::fuzz
