// Memory that is there only where somebody writes to it, memory that can be where it was, and what drivers say of
// images before and after they are made: usage of other formats' views, compression.
#include <algorithm>
#include <vector>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

uint32_t lazyTypes(const Gpu& gpu) {
  VkPhysicalDeviceMemoryProperties p;
  vkGetPhysicalDeviceMemoryProperties(gpu.physical, &p);
  uint32_t types = 0;
  for (uint32_t i = 0; i < p.memoryTypeCount; ++i)
    if (p.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) types |= 1u << i;
  gpu.require(types != 0, "lazily allocated memory");
  return types;
}

/// An image that the case ends with, bound to nothing.
VkImage makeImage(Gpu& gpu, VkFormat format, VkImageUsageFlags usage, VkSampleCountFlagBits samples,
                  const void* next = nullptr) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, next};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {512, 512, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = samples;
  info.usage = usage;
  VkImage image;
  CTS_VK(vkCreateImage(gpu.device, &info, nullptr, &image));
  gpu.later([&gpu, image] { vkDestroyImage(gpu.device, image, nullptr); });
  return image;
}

VkMemoryRequirements needsOf(const Gpu& gpu, VkImage image) {
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(gpu.device, image, &needs);
  return needs;
}

/// "Resource Memory Association": lazily allocated memory is for transient attachments alone.
void lazyRequirements(Gpu& gpu) {
  const uint32_t lazy = lazyTypes(gpu);
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R16_UINT}) {
    const VkImage image =
        makeImage(gpu, format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, VK_SAMPLE_COUNT_1_BIT);
    EXPECT_EQ(needsOf(gpu, image).memoryTypeBits & lazy, 0u);
  }
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = 64, info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer buffer;
  CTS_VK(vkCreateBuffer(gpu.device, &info, nullptr, &buffer));
  gpu.later([&gpu, buffer] { vkDestroyBuffer(gpu.device, buffer, nullptr); });
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(gpu.device, buffer, &needs);
  EXPECT_EQ(needs.memoryTypeBits & lazy, 0u);
}

/// "vkGetDeviceMemoryCommitment": never more than was asked for, however much is drawn; what is drawn is resolved.
void lazyAttachment(Gpu& gpu) {
  const uint32_t lazy = lazyTypes(gpu);
  const VkImage image =
      makeImage(gpu, VK_FORMAT_R8G8B8A8_UNORM,
                VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT, VK_SAMPLE_COUNT_4_BIT);
  const VkMemoryRequirements needs = needsOf(gpu, image);
  gpu.require((needs.memoryTypeBits & lazy) != 0, "lazily allocated memory of this format");
  uint32_t type = 0;
  while (!(needs.memoryTypeBits & lazy & 1u << type)) ++type;
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
  VkDeviceMemory memory;
  CTS_VK(vkAllocateMemory(gpu.device, &allocate, nullptr, &memory));
  gpu.later([&gpu, memory] { vkFreeMemory(gpu.device, memory, nullptr); });
  CTS_VK(vkBindImageMemory(gpu.device, image, memory, 0));
  const auto expectNoMore = [&] {
    VkDeviceSize committed = ~VkDeviceSize(0);
    vkGetDeviceMemoryCommitment(gpu.device, memory, &committed);
    EXPECT_LE(committed, needs.size);
  };
  expectNoMore();
  Image target;
  target.handle = image, target.memory = memory, target.aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  target.desc = {.format = VK_FORMAT_R8G8B8A8_UNORM, .width = 512, .height = 512, .samples = VK_SAMPLE_COUNT_4_BIT};
  target.view = gpu.view(target, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}, target.desc.format);
  gpu.discardFirst(image, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
  const Image resolved = gpu.image(
      {.format = VK_FORMAT_R8G8B8A8_UNORM, .width = 512, .height = 512, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  DrawState s;
  s.vert = coverAll();
  s.frag = writes("vec4(1, 0.2, 0.4, 0.6)");
  s.colors = {target}, s.resolves = {resolved};
  s.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  s.clearColors = VkClearValue{};
  s.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  draw(gpu, s);
  expectNoMore();
  const std::vector<uint8_t> bytes = gpu.download(resolved, 4), pixel = {255, 51, 102, 153};
  for (size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], pixel[i % 4]) << i;
}

/// A buffer with addresses, and memory of its own unless it is sparse.
struct Placed {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
};
constexpr VkDeviceSize kPlacedBytes = 1 << 20;

VkBuffer makePlaced(const Gpu& gpu, uint64_t at, bool sparse) {
  const VkBufferOpaqueCaptureAddressCreateInfo captured{VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO,
                                                        nullptr, at};
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &captured};
  info.flags = VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  if (sparse) info.flags |= VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
  info.size = kPlacedBytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkBuffer buffer;
  CTS_VK(vkCreateBuffer(gpu.device, &info, nullptr, &buffer));
  return buffer;
}

Placed makePlaced(const Gpu& gpu, uint64_t at, uint64_t memoryAt) {
  Placed p;
  p.buffer = makePlaced(gpu, at, false);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(gpu.device, p.buffer, &needs);
  const VkMemoryOpaqueCaptureAddressAllocateInfo captured{VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO,
                                                          nullptr, memoryAt};
  const VkMemoryAllocateFlagsInfo flags{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, &captured,
      VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT | VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT, 0};
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size,
                                  gpu.memoryType(needs.memoryTypeBits, 0)};
  CTS_VK(vkAllocateMemory(gpu.device, &info, nullptr, &p.memory));
  CTS_VK(vkBindBufferMemory(gpu.device, p.buffer, p.memory, 0));
  return p;
}

VkDeviceAddress addressOf(const Gpu& gpu, VkBuffer buffer) {
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
  return vkGetBufferDeviceAddress(gpu.device, &info);
}
uint64_t captured(const Gpu& gpu, VkBuffer buffer) {
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
  return vkGetBufferOpaqueCaptureAddress(gpu.device, &info);
}

/// "bufferDeviceAddressCaptureReplay": with what was captured, buffers have the addresses that they had.
void capturedMemory(Gpu& gpu) {
  gpu.require(gpu.features12.bufferDeviceAddressCaptureReplay, "bufferDeviceAddressCaptureReplay");
  constexpr int kCount = 4;
  VkDeviceAddress address[kCount];
  uint64_t buffers[kCount], memories[kCount];
  const auto drop = [&](const Placed& p) {
    vkDestroyBuffer(gpu.device, p.buffer, nullptr);
    vkFreeMemory(gpu.device, p.memory, nullptr);
  };
  std::vector<Placed> all;
  for (int i = 0; i < kCount; ++i) {
    all.push_back(makePlaced(gpu, 0, uint64_t(0)));
    address[i] = addressOf(gpu, all[i].buffer), buffers[i] = captured(gpu, all[i].buffer);
    const VkDeviceMemoryOpaqueCaptureAddressInfo info{VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO,
                                                      nullptr, all[i].memory};
    memories[i] = vkGetDeviceMemoryOpaqueCaptureAddress(gpu.device, &info);
  }
  for (const Placed& p : all) drop(p);
  all.clear();
  for (int i = kCount; i-- > 0;) {  // in another order
    all.push_back(makePlaced(gpu, buffers[i], memories[i]));
    EXPECT_EQ(addressOf(gpu, all.back().buffer), address[i]);
    EXPECT_EQ(captured(gpu, all.back().buffer), buffers[i]);
  }
  for (const Placed& p : all) drop(p);
}

/// The same for sparse buffers, which have addresses before they have memory.
void capturedSparse(Gpu& gpu) {
  gpu.require(gpu.features12.bufferDeviceAddressCaptureReplay, "bufferDeviceAddressCaptureReplay");
  gpu.require(gpu.features.features.sparseBinding, "sparseBinding");
  const VkBuffer first = makePlaced(gpu, 0, true);
  const VkDeviceAddress address = addressOf(gpu, first);
  const uint64_t at = captured(gpu, first);
  vkDestroyBuffer(gpu.device, first, nullptr);
  const VkBuffer second = makePlaced(gpu, at, true);
  EXPECT_EQ(addressOf(gpu, second), address);
  vkDestroyBuffer(gpu.device, second, nullptr);
}

/// VK_EXT_image_compression_control: an image that is made without compression says so, and shows the same.
void compression(Gpu& gpu, VkImageCompressionFlagsEXT flags) {
  gpu.requireFeatures(VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME, 1);
  const auto query = gpu.proc<PFN_vkGetImageSubresourceLayout2EXT>("vkGetImageSubresourceLayout2EXT");
  const VkImageCompressionControlEXT control{VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT, nullptr, flags, 0,
                                             nullptr};
  for (VkSampleCountFlagBits samples : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT})
    for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D16_UNORM}) {
      const bool color = format != VK_FORMAT_D16_UNORM;
      const VkImage image = makeImage(
          gpu, format, color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
          samples, &control);
      VkImageCompressionPropertiesEXT p{VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT};
      VkSubresourceLayout2EXT layout{VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT, &p, {}};
      const VkImageAspectFlags aspect = color ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_DEPTH_BIT;
      const VkImageSubresource2EXT which{VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT, nullptr, {aspect, 0, 0}};
      query(gpu.device, image, &which, &layout);
      EXPECT_EQ(p.imageCompressionFixedRateFlags, VkImageCompressionFixedRateFlagsEXT(0));
      if (flags == VK_IMAGE_COMPRESSION_DISABLED_EXT)
        EXPECT_EQ(p.imageCompressionFlags, VK_IMAGE_COMPRESSION_DISABLED_EXT) << "of format " << format;
      else
        EXPECT_TRUE(p.imageCompressionFlags == VK_IMAGE_COMPRESSION_DEFAULT_EXT ||
                    p.imageCompressionFlags == VK_IMAGE_COMPRESSION_DISABLED_EXT);
    }
}

/// "Image Creation", VK_IMAGE_CREATE_EXTENDED_USAGE_BIT: blocks that texels may be seen in are used as those can be.
void texelsOfBlocks(Gpu& gpu) {
  gpu.require(gpu.features.features.textureCompressionBC, "textureCompressionBC");
  const VkImageCreateFlags views = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
  const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
  VkImageFormatProperties p;
  const auto ask = [&](VkFormat format, VkImageCreateFlags flags) {
    return vkGetPhysicalDeviceImageFormatProperties(gpu.physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                    usage, flags, &p);
  };
  gpu.require(ask(VK_FORMAT_R32G32B32A32_UINT, 0) == VK_SUCCESS, "storage images of 16 bytes a texel");
  for (VkFormat format : {VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK}) {
    EXPECT_EQ(ask(format, 0), VK_ERROR_FORMAT_NOT_SUPPORTED);
    EXPECT_EQ(ask(format, views | VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT), VK_SUCCESS);
  }
}

}  // namespace

void registerKindsOfMemory() {
  add("memory.lazy.requirements", lazyRequirements);
  add("memory.lazy.attachment", lazyAttachment);
  add("memory.captured.memory", capturedMemory);
  add("memory.captured.sparse", capturedSparse);
  add("memory.compression.disabled", [](Gpu& gpu) { compression(gpu, VK_IMAGE_COMPRESSION_DISABLED_EXT); });
  add("memory.compression.default", [](Gpu& gpu) { compression(gpu, VK_IMAGE_COMPRESSION_DEFAULT_EXT); });
  add("memory.extended_flags.texels_of_blocks", texelsOfBlocks);
}

}  // namespace etzel::cts
