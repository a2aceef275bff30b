// Linear images by their DRM format modifier (VK_EXT_image_drm_format_modifier): texels lie where the layout says, and
// a second image is made of what the first one tells.
#include <cstring>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint64_t kLinear = 0;  // DRM_FORMAT_MOD_LINEAR
constexpr uint32_t kWidth = 37, kHeight = 9;

VkImageCreateInfo describe(const void* next, VkFormat format) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, next};
  info.imageType = VK_IMAGE_TYPE_2D, info.format = format, info.extent = {kWidth, kHeight, 1};
  info.mipLevels = info.arrayLayers = 1, info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
  info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  return info;
}

/// Whether the format has the linear modifier, and planes as many as the format.
void requireLinear(Gpu& gpu, VkFormat format) {
  gpu.requireExtension(VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME);
  VkDrmFormatModifierPropertiesListEXT list{VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT};
  VkFormatProperties2 properties{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &list};
  vkGetPhysicalDeviceFormatProperties2(gpu.physical, format, &properties);
  std::vector<VkDrmFormatModifierPropertiesEXT> modifiers(list.drmFormatModifierCount);
  list.pDrmFormatModifierProperties = modifiers.data();
  vkGetPhysicalDeviceFormatProperties2(gpu.physical, format, &properties);
  for (const auto& m : modifiers) {
    if (m.drmFormatModifier != kLinear) continue;
    EXPECT_EQ(m.drmFormatModifierPlaneCount, 1u);
    EXPECT_TRUE(m.drmFormatModifierTilingFeatures & VK_FORMAT_FEATURE_TRANSFER_DST_BIT);
    return;
  }
  throw NotSupported("the linear modifier");
}

VkImage makeImage(Gpu& gpu, const void* next, VkFormat format, VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED) {
  VkImage image;
  VkImageCreateInfo info = describe(next, format);
  info.initialLayout = layout;
  CTS_VK(vkCreateImage(gpu.device, &info, nullptr, &image));
  gpu.later([&gpu, image] { vkDestroyImage(gpu.device, image, nullptr); });
  return image;
}

VkSubresourceLayout layoutOf(Gpu& gpu, VkImage image) {
  VkImageSubresource sub{VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT, 0, 0};
  VkSubresourceLayout layout;
  vkGetImageSubresourceLayout(gpu.device, image, &sub, &layout);
  return layout;
}

void linear(Gpu& gpu, VkFormat format, uint32_t texelBytes) {
  requireLinear(gpu, format);
  VkImageDrmFormatModifierListCreateInfoEXT list{VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT,
                                                 nullptr, 1, &kLinear};
  VkImage image = makeImage(gpu, &list, format);
  VkImageDrmFormatModifierPropertiesEXT made{VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_PROPERTIES_EXT};
  auto query = gpu.proc<PFN_vkGetImageDrmFormatModifierPropertiesEXT>("vkGetImageDrmFormatModifierPropertiesEXT");
  CTS_VK(query(gpu.device, image, &made));
  EXPECT_EQ(made.drmFormatModifier, kLinear);
  const VkSubresourceLayout layout = layoutOf(gpu, image);

  VkSubresourceLayout told{layout.offset, 0, layout.rowPitch, 0, 0};
  VkImageDrmFormatModifierExplicitCreateInfoEXT same{
      VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT, nullptr, kLinear, 1, &told};
  VkImage again = makeImage(gpu, &same, format, VK_IMAGE_LAYOUT_PREINITIALIZED);
  EXPECT_EQ(layoutOf(gpu, again).rowPitch, layout.rowPitch);

  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(gpu.device, image, &needs);
  Buffer shared = gpu.buffer(needs.size + 4096);
  gpu.require(needs.memoryTypeBits &
                  1u << gpu.memoryType(~0u, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
              "host memory for images");
  // Both images are of the same memory: what one is filled with lies there, and the other one shows it.
  for (VkImage i : {image, again}) CTS_VK(vkBindImageMemory(gpu.device, i, shared.memory, 0));
  std::vector<uint8_t> bytes(size_t(kWidth) * kHeight * texelBytes);
  Random random(texelBytes);
  for (auto& b : bytes) b = uint8_t(random.next() >> 9);
  Buffer in = gpu.buffer(bytes.size(), bytes.data()), out = gpu.buffer(bytes.size());
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, copy.imageExtent = {kWidth, kHeight, 1};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  gpu.submit([&](VkCommandBuffer cmd) {
    VkImageMemoryBarrier barrier = vktest::discard(image, all, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_WRITE_BIT);
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
    vkCmdCopyBufferToImage(cmd, in.handle, image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  });
  const size_t row = size_t(kWidth) * texelBytes;
  for (uint32_t y = 0; y < kHeight; ++y)
    ASSERT_EQ(memcmp(shared.as<uint8_t>() + layout.offset + y * layout.rowPitch, bytes.data() + y * row, row), 0)
        << "row " << y;
  gpu.submit([&](VkCommandBuffer cmd) {
    VkImageMemoryBarrier barrier = vktest::discard(again, all, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_READ_BIT);
    barrier.oldLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
    vkCmdCopyImageToBuffer(cmd, again, VK_IMAGE_LAYOUT_GENERAL, out.handle, 1, &copy);
  });
  EXPECT_EQ(memcmp(out.as<uint8_t>(), bytes.data(), bytes.size()), 0);
}

/// Planes cannot overlap their own rows, so no driver takes a pitch of one byte.
void wrongPitch(Gpu& gpu) {
  requireLinear(gpu, VK_FORMAT_R8G8B8A8_UNORM);
  VkSubresourceLayout told{0, 0, 1, 0, 0};
  VkImageDrmFormatModifierExplicitCreateInfoEXT wrong{
      VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT, nullptr, kLinear, 1, &told};
  VkImage image = VK_NULL_HANDLE;
  const VkImageCreateInfo info = describe(&wrong, VK_FORMAT_R8G8B8A8_UNORM);
  const VkResult result = vkCreateImage(gpu.device, &info, nullptr, &image);
  EXPECT_EQ(result, VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT);
  if (result == VK_SUCCESS) vkDestroyImage(gpu.device, image, nullptr);
}

}  // namespace

void registerModifiers() {
  add("memory.drm_modifier.linear.r8", [](Gpu& gpu) { linear(gpu, VK_FORMAT_R8_UNORM, 1); });
  add("memory.drm_modifier.linear.rgba8", [](Gpu& gpu) { linear(gpu, VK_FORMAT_R8G8B8A8_UNORM, 4); });
  add("memory.drm_modifier.linear.rgba32f", [](Gpu& gpu) { linear(gpu, VK_FORMAT_R32G32B32A32_SFLOAT, 16); });
  add("memory.drm_modifier.wrong_pitch", wrongPitch);
}

}  // namespace etzel::cts
