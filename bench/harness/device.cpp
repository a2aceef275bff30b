// Instance, device, memory, buffers, images and their contents.
#include <cstring>

#include "gpu.h"
#include "testing/vk/commands.h"

namespace vkbench {
namespace {

bool offers(VkPhysicalDevice physical, const char* extension) {
  uint32_t count = 0;
  VK_CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> all(count);
  VK_CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data()));
  for (const VkExtensionProperties& e : all)
    if (!std::strcmp(e.extensionName, extension)) return true;
  return false;
}

}  // namespace

Gpu::Gpu() {
  openInstance("etzel-vkbench", VK_API_VERSION_1_1);
  vkGetPhysicalDeviceProperties(physical, &properties);
  vkGetPhysicalDeviceFeatures(physical, &features);
  features.robustBufferAccess = VK_FALSE;
  VkDeviceCreateInfo di{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  di.pEnabledFeatures = &features;
  const char* const rateExtensions[] = {VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
                                        VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME};
  VkPhysicalDeviceFragmentShadingRateFeaturesKHR rates{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR};
  rates.pipelineFragmentShadingRate = VK_TRUE;
  shadingRates = offers(physical, rateExtensions[0]) && offers(physical, rateExtensions[1]);
  if (shadingRates) di.pNext = &rates, di.enabledExtensionCount = 2, di.ppEnabledExtensionNames = rateExtensions;
  openDevice(di);
  VkCommandPoolCreateInfo pi{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pi.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool = make(pi);
  fence_ = make(VkFenceCreateInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO});
  layout = makeLayout(VK_NULL_HANDLE);
}

void Gpu::requireSamples(uint32_t samples) const {
  const VkSampleCountFlags both =
      properties.limits.framebufferColorSampleCounts & properties.limits.framebufferDepthSampleCounts;
  if (!(both & samples)) throw Unsupported(std::to_string(samples) + " samples");
}

Buffer Gpu::makeBuffer(VkDeviceSize bytes) {
  Buffer b;
  b.bytes = bytes;
  VkBufferCreateInfo ci{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  ci.size = bytes;
  ci.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
             VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  Bound bound;
  b.buffer = make(ci, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &bound);
  b.mapped = bound.data;
  std::memset(b.mapped, 0, bytes);
  return b;
}

Image Gpu::makeImage(const ImageDesc& desc) {
  Image i;
  i.desc = desc;
  const bool depth = desc.format == VK_FORMAT_D32_SFLOAT;
  i.aspect = depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  VkImageCreateInfo ci{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  ci.imageType = VK_IMAGE_TYPE_2D;
  ci.format = desc.format;
  ci.extent = {desc.width, desc.height, 1};
  ci.mipLevels = desc.mips;
  ci.arrayLayers = 1;
  ci.samples = static_cast<VkSampleCountFlagBits>(desc.samples);
  ci.usage = desc.usage;
  Bound bound;
  i.image = desc.sparse ? makeSparse(ci) : make(ci, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &bound);
  const VkImageUsageFlags viewable = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                     VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  if (!(desc.usage & viewable)) return i;
  VkImageViewCreateInfo vi{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  vi.image = i.image;
  vi.viewType = VK_IMAGE_VIEW_TYPE_2D;
  vi.format = desc.format;
  vi.subresourceRange = {i.aspect, 0, desc.mips, 0, 1};
  i.view = make(vi);
  return i;
}

Target Gpu::makeTarget(const TargetDesc& desc) {
  Target t;
  t.desc = desc;
  std::vector<VkAttachmentDescription> attachments;
  std::vector<VkImageView> views;
  const auto attach = [&](const Image& image, VkAttachmentLoadOp load, VkAttachmentStoreOp store) {
    VkAttachmentDescription a{};
    a.format = image.desc.format;
    a.samples = static_cast<VkSampleCountFlagBits>(image.desc.samples);
    a.loadOp = load;
    a.storeOp = store;
    a.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    a.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    a.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    attachments.push_back(a);
    views.push_back(image.view);
    return VkAttachmentReference{uint32_t(attachments.size() - 1), VK_IMAGE_LAYOUT_GENERAL};
  };
  std::vector<VkAttachmentReference> colors;
  const bool keep = desc.samples == 1 || desc.keepSamples || desc.goesOn;
  const VkImageUsageFlags read = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
  for (uint32_t c = 0; c < desc.colors; ++c) {
    t.colors.push_back(makeImage({desc.width, desc.height, desc.format,
                                  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | (keep ? read : 0), 1, desc.samples}));
    colors.push_back(attach(t.colors.back(), VK_ATTACHMENT_LOAD_OP_CLEAR,
                            keep ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE));
  }
  VkAttachmentReference depth{}, unused{VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
  if (desc.depth) {
    t.depth = makeImage(
        {desc.width, desc.height, VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, 1, desc.samples});
    depth = attach(t.depth, VK_ATTACHMENT_LOAD_OP_CLEAR,
                   desc.goesOn ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE);
  }
  std::vector<VkAttachmentReference> resolves;
  if (desc.resolve) {
    t.resolved = makeImage({desc.width, desc.height, desc.format,
                            VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, 1, 1});
    resolves.assign(desc.colors, unused);
    resolves[0] = attach(t.resolved, VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_STORE);
  }
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = desc.colors;
  subpass.pColorAttachments = colors.data();
  subpass.pResolveAttachments = desc.resolve ? resolves.data() : nullptr;
  subpass.pDepthStencilAttachment = desc.depth ? &depth : nullptr;
  VkRenderPassCreateInfo rp{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  rp.attachmentCount = uint32_t(attachments.size());
  rp.pAttachments = attachments.data();
  rp.subpassCount = 1;
  rp.pSubpasses = &subpass;
  // Of two compatible passes with one subpass each only the last need resolve ("Render Pass Compatibility").
  if (desc.goesOn) subpass.pResolveAttachments = nullptr;
  t.pass = make(rp);
  if (desc.goesOn) {
    subpass.pResolveAttachments = desc.resolve ? resolves.data() : nullptr;
    for (VkAttachmentDescription& a : attachments)
      if (a.loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
        a.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD, a.initialLayout = VK_IMAGE_LAYOUT_GENERAL;
    t.goOn = make(rp);
  }
  VkFramebufferCreateInfo fb{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  fb.renderPass = t.pass;
  fb.attachmentCount = uint32_t(views.size());
  fb.pAttachments = views.data();
  fb.width = desc.width;
  fb.height = desc.height;
  fb.layers = 1;
  t.framebuffer = make(fb);
  return t;
}

void Gpu::upload(const Image& image, std::span<const uint32_t> texels, uint32_t mip) {
  const Buffer staging = makeBuffer(texels.size_bytes());
  std::memcpy(staging.mapped, texels.data(), texels.size_bytes());
  submit(record([&](VkCommandBuffer c) {
    if (mip == 0) toGeneral(c, image);
    const VkBufferImageCopy region = vktest::wholeLevel({image.desc.width, image.desc.height, 1}, image.aspect, mip, 0);
    vkCmdCopyBufferToImage(c, staging.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    barrier(c);
  }));
}

std::vector<uint8_t> Gpu::read(const Image& image) {
  const Buffer b = makeBuffer(VkDeviceSize(image.desc.width) * image.desc.height * 4);
  submit(record([&](VkCommandBuffer c) {
    barrier(c);
    const VkBufferImageCopy region = vktest::wholeLevel({image.desc.width, image.desc.height, 1}, image.aspect, 0, 0);
    vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, b.buffer, 1, &region);
    barrier(c);
  }));
  const auto bytes = b.as<uint8_t>();
  return {bytes.begin(), bytes.end()};
}

}  // namespace vkbench
