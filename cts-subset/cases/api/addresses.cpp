// Commands that name memory by its device address (VK_KHR_device_address_commands), and usage of images with 64 bits
// (VK_KHR_extended_flags).
#include <cstring>
#include <numeric>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

// What not all headers have.
constexpr auto kStructure = [](int offset) { return VkStructureType(1000318000 + offset); };
struct Range {
  VkDeviceAddress address;
  VkDeviceSize size;
};
struct CopyRegion {
  VkStructureType sType = kStructure(0);
  const void* pNext = nullptr;
  Range source;
  VkFlags sourceFlags = 0;
  Range destination;
  VkFlags destinationFlags = 0;
};
struct ImageRegion {
  VkStructureType sType = kStructure(2);
  const void* pNext = nullptr;
  Range range;
  VkFlags flags = 0;
  uint32_t rowLength = 0, imageHeight = 0;
  VkImageSubresourceLayers subresource{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
  VkOffset3D offset{};
  VkExtent3D extent{};
};
template <class Region>
struct CopyInfo {
  VkStructureType sType;
  const void* pNext;
  uint32_t regionCount;
  const Region* regions;
};
struct ImageCopyInfo {
  VkStructureType sType;
  const void* pNext;
  VkImage image;
  uint32_t regionCount;
  const ImageRegion* regions;
};
struct DispatchInfo {
  VkStructureType sType;
  const void* pNext;
  Range range;
  VkFlags flags;
};
using Copy = void(VKAPI_PTR*)(VkCommandBuffer, const CopyInfo<CopyRegion>*);
using CopyImage = void(VKAPI_PTR*)(VkCommandBuffer, const ImageCopyInfo*);
using Fill = void(VKAPI_PTR*)(VkCommandBuffer, const Range*, VkFlags, uint32_t);
using Update = void(VKAPI_PTR*)(VkCommandBuffer, const Range*, VkFlags, VkDeviceSize, const void*);
using DispatchIndirect = void(VKAPI_PTR*)(VkCommandBuffer, const DispatchInfo*);

void require(Gpu& gpu) {
  gpu.requireExtension("VK_KHR_device_address_commands");
  gpu.require(gpu.features12.bufferDeviceAddress, "bufferDeviceAddress");
}

void copy(Gpu& gpu) {
  require(gpu);
  std::vector<uint32_t> words(64);
  std::iota(words.begin(), words.end(), 100u);
  Buffer in = gpu.buffer(words), out = gpu.buffer(std::vector<uint32_t>(64, 7));
  const CopyRegion regions[2] = {{.source = {in.address + 16, 32}, .destination = {out.address + 64, 32}},
                                 {.source = {in.address + 128, 4}, .destination = {out.address, 4}}};
  const CopyInfo<CopyRegion> info{kStructure(1), nullptr, 2, regions};
  gpu.submit([&](VkCommandBuffer cmd) { gpu.proc<Copy>("vkCmdCopyMemoryKHR")(cmd, &info); });
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out.as<uint32_t>()[i], i == 0 ? words[32] : i >= 16 && i < 24 ? words[i - 12] : 7u) << i;
}

void fillAndUpdate(Gpu& gpu) {
  require(gpu);
  Buffer out = gpu.buffer(std::vector<uint32_t>(16, 7));
  const uint32_t data[2] = {11, 12};
  const Range filled{out.address + 8, 16}, updated{out.address + 40, 8};
  gpu.submit([&](VkCommandBuffer cmd) {
    gpu.proc<Fill>("vkCmdFillMemoryKHR")(cmd, &filled, 0, 9);
    gpu.proc<Update>("vkCmdUpdateMemoryKHR")(cmd, &updated, 0, sizeof data, data);
  });
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(out.as<uint32_t>()[i], i >= 2 && i < 6 ? 9u : i == 10 ? 11u : i == 11 ? 12u : 7u) << i;
}

void image(Gpu& gpu) {
  require(gpu);
  Image image = gpu.image({.format = VK_FORMAT_R32_UINT, .width = 5, .height = 3});
  std::vector<uint32_t> words(8 * 3);
  std::iota(words.begin(), words.end(), 1u);
  Buffer in = gpu.buffer(words), out = gpu.buffer(std::vector<uint32_t>(15, 0));
  ImageRegion region{.range = {in.address, 8 * 3 * 4}, .rowLength = 8, .extent = {5, 3, 1}};
  const ImageCopyInfo info{kStructure(3), nullptr, image.handle, 1, &region};
  gpu.submit([&](VkCommandBuffer cmd) { gpu.proc<CopyImage>("vkCmdCopyMemoryToImageKHR")(cmd, &info); });
  region.range = {out.address, 15 * 4}, region.rowLength = 0;
  gpu.submit([&](VkCommandBuffer cmd) { gpu.proc<CopyImage>("vkCmdCopyImageToMemoryKHR")(cmd, &info); });
  for (uint32_t i = 0; i < 15; ++i) EXPECT_EQ(out.as<uint32_t>()[i], words[i / 5 * 8 + i % 5]) << i;
}

void dispatchIndirect(Gpu& gpu) {
  require(gpu);
  Buffer out = gpu.buffer(std::vector<uint32_t>(1, 0)), groups = gpu.buffer(std::vector<uint32_t>{9, 2, 3, 4});
  Gpu::Set set = gpu.set({storage(out)}, 0);
  const VkPipeline pipeline =
      gpu.makePipeline(gpu.shader(VK_SHADER_STAGE_COMPUTE_BIT,
                                  "#version 450\nlayout(local_size_x=5) in;\nlayout(binding=0) buffer R { uint r; };\n"
                                  "void main() { atomicAdd(r, 1u); }\n"),
                       set.pipeline);
  const DispatchInfo dispatch{kStructure(11), nullptr, {groups.address + 4, 12}, 0};
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, set.pipeline, 0, 1, &set.set, 0, nullptr);
    gpu.proc<DispatchIndirect>("vkCmdDispatchIndirect2KHR")(cmd, &dispatch);
  });
  EXPECT_EQ(out.as<uint32_t>()[0], 2u * 3 * 4 * 5);
}

/// VkImageUsageFlags2CreateInfoKHR goes before the usage of the structure that it is chained to.
void extendedUsage(Gpu& gpu) {
  gpu.requireExtension("VK_KHR_extended_flags");
  struct {
    VkStructureType sType;
    const void* pNext;
    uint64_t usage;
  } usage{VkStructureType(1000668002), nullptr, VK_IMAGE_USAGE_SAMPLED_BIT};
  VkPhysicalDeviceImageFormatInfo2 info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2, &usage};
  info.format = VK_FORMAT_R8G8B8A8_SRGB, info.type = VK_IMAGE_TYPE_2D, info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  VkImageFormatProperties2 properties{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
  EXPECT_EQ(vkGetPhysicalDeviceImageFormatProperties2(gpu.physical, &info, &properties), VK_SUCCESS);
  usage.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, info.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
  EXPECT_EQ(vkGetPhysicalDeviceImageFormatProperties2(gpu.physical, &info, &properties), VK_ERROR_FORMAT_NOT_SUPPORTED);
}

}  // namespace

void registerAddresses() {
  add("memory.extended_flags.format_query", extendedUsage);
  add("memory.device_address.copy", copy);
  add("memory.device_address.fill_and_update", fillAndUpdate);
  add("memory.device_address.image", image);
  add("memory.device_address.dispatch_indirect", dispatchIndirect);
}

}  // namespace etzel::cts
