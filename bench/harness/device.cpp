// Instance, device, memory, buffers, images and their contents.
#include <algorithm>
#include <cstring>

#include "gpu.h"
#include "matrices.h"
#include "testing/vk/commands.h"

namespace vkbench {
namespace {

std::vector<VkExtensionProperties> extensionsOf(VkPhysicalDevice physical) {
  uint32_t count = 0;
  VK_CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> all(count);
  VK_CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data()));
  return all;
}

bool offers(const std::vector<VkExtensionProperties>& all, const char* extension) {
  return std::any_of(all.begin(), all.end(),
                     [&](const VkExtensionProperties& e) { return !std::strcmp(e.extensionName, extension); });
}

}  // namespace

Gpu::Gpu() {
  openInstance("etzel-vkbench", VK_API_VERSION_1_1);
  vkGetPhysicalDeviceProperties(physical, &properties);
  vkGetPhysicalDeviceFeatures(physical, &features);
  features.robustBufferAccess = VK_FALSE;
  VkDeviceCreateInfo di{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  di.pEnabledFeatures = &features;
  const std::vector<VkExtensionProperties> offered = extensionsOf(physical);
  VkPhysicalDevice16BitStorageFeatures half{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &half, {}};
  vkGetPhysicalDeviceFeatures2(physical, &all);
  halfStorage = half.storageBuffer16BitAccess;
  half = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, nullptr, halfStorage};
  const MatrixFeatures matrix(physical, offered, &half);
  matrices = matrix.floats(), halfMatrices = halfStorage && matrix.halves(),
  brainMatrices = halfStorage && matrix.brains();
  std::vector<const char*> extensions = matrix.extensions();
  di.pNext = matrix.chain();
  VkPhysicalDeviceFragmentShadingRateFeaturesKHR rates{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR};
  rates.pipelineFragmentShadingRate = VK_TRUE;
  rates.pNext = matrix.chain();
  const char* const rateExtensions[] = {VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
                                        VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME};
  shadingRates = offers(offered, rateExtensions[0]) && offers(offered, rateExtensions[1]);
  if (shadingRates) di.pNext = &rates, extensions.insert(extensions.end(), rateExtensions, std::end(rateExtensions));
  di.enabledExtensionCount = static_cast<uint32_t>(extensions.size()), di.ppEnabledExtensionNames = extensions.data();
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

void Gpu::requireFormat(VkFormat format, VkFormatFeatureFlags wanted) const {
  VkFormatProperties offered;
  vkGetPhysicalDeviceFormatProperties(physical, format, &offered);
  require((offered.optimalTilingFeatures & wanted) == wanted, "the format");
}

void Gpu::requireBufferFormat(VkFormat format, VkFormatFeatureFlags wanted) const {
  VkFormatProperties offered;
  vkGetPhysicalDeviceFormatProperties(physical, format, &offered);
  require((offered.bufferFeatures & wanted) == wanted, "the format");
}

void Gpu::requireSubgroups(VkSubgroupFeatureFlags operations) const {
  VkPhysicalDeviceSubgroupProperties sub{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceProperties2 p2{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sub, {}};
  vkGetPhysicalDeviceProperties2(physical, &p2);
  require((sub.supportedOperations & operations) == operations, "subgroup operations");
}

Buffer Gpu::makeBuffer(VkDeviceSize bytes) {
  Buffer b;
  b.bytes = bytes;
  VkBufferCreateInfo ci{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  ci.size = bytes;
  ci.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
             VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
             VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
             VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  Bound bound;
  b.buffer = make(ci, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &bound);
  b.mapped = bound.data;
  std::memset(b.mapped, 0, bytes);
  return b;
}

VkBufferView Gpu::makeTexels(const Buffer& buffer, VkFormat format) {
  VkBufferViewCreateInfo ci{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
  ci.buffer = buffer.buffer;
  ci.format = format;
  ci.range = VK_WHOLE_SIZE;
  return make(ci);
}

Image Gpu::makeImage(const ImageDesc& desc) {
  Image i;
  i.desc = desc;
  i.aspect = vktest::aspectsOf(desc.format);
  VkImageCreateInfo ci{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  ci.flags = desc.cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
  ci.imageType = desc.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  ci.format = desc.format;
  ci.extent = {desc.width, desc.height, desc.depth};
  ci.mipLevels = desc.mips;
  ci.arrayLayers = desc.layers();
  ci.samples = static_cast<VkSampleCountFlagBits>(desc.samples);
  ci.usage = desc.usage;
  Bound bound;
  i.image = desc.sparse ? makeSparse(ci) : make(ci, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &bound);
  const VkImageUsageFlags viewable = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                     VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  if (desc.usage & viewable) i.view = makeView(i, 0, desc.mips);
  return i;
}

VkImageView Gpu::makeView(const Image& image, uint32_t level, uint32_t levels) {
  VkImageViewCreateInfo vi{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  vi.image = image.image;
  vi.viewType = image.desc.depth > 1    ? VK_IMAGE_VIEW_TYPE_3D
                : image.desc.cube       ? VK_IMAGE_VIEW_TYPE_CUBE
                : image.desc.slices > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY
                                        : VK_IMAGE_VIEW_TYPE_2D;
  vi.format = image.desc.format;
  vi.subresourceRange = {image.aspect, level, levels, 0, image.desc.layers()};
  return make(vi);
}

Image Gpu::levelOf(const Image& image, uint32_t level) {
  Image i = image;
  i.desc.width = std::max(1u, image.desc.width >> level);
  i.desc.height = std::max(1u, image.desc.height >> level);
  i.desc.mips = 1;
  i.view = makeView(image, level, 1);
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
    a.stencilLoadOp = load;
    a.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    a.initialLayout = load == VK_ATTACHMENT_LOAD_OP_LOAD ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED;
    a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    attachments.push_back(a);
    views.push_back(image.view);
    return VkAttachmentReference{uint32_t(attachments.size() - 1), VK_IMAGE_LAYOUT_GENERAL};
  };
  if (desc.onto) t.desc.formats = {desc.onto->desc.format};
  if (t.desc.formats.empty()) t.desc.formats.assign(desc.colors, desc.format);
  t.desc.colors = uint32_t(t.desc.formats.size());
  std::vector<VkAttachmentReference> colors;
  const bool keep = desc.samples == 1 || desc.keepSamples || desc.goesOn;
  const VkImageUsageFlags read = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
  for (const VkFormat format : t.desc.formats) {
    t.colors.push_back(desc.onto
                           ? *desc.onto
                           : makeImage({desc.width, desc.height, format,
                                        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | (keep ? read : 0), 1, desc.samples}));
    colors.push_back(attach(t.colors.back(), desc.loads ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR,
                            keep ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE));
  }
  VkAttachmentReference depth{}, unused{VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
  if (desc.depth) {
    const VkImageUsageFlags sampled = desc.readsDepth ? VK_IMAGE_USAGE_SAMPLED_BIT : 0;
    t.depth = makeImage({desc.width, desc.height, desc.depthFormat,
                         VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | sampled, 1, desc.samples});
    depth = attach(t.depth, VK_ATTACHMENT_LOAD_OP_CLEAR,
                   desc.goesOn || desc.readsDepth ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE);
  }
  std::vector<VkAttachmentReference> resolves;
  if (desc.resolve) {
    t.resolved = makeImage({desc.width, desc.height, desc.format,
                            VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, 1, 1});
    resolves.assign(colors.size(), unused);
    resolves[0] = attach(t.resolved, VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_STORE);
  }
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = uint32_t(colors.size());
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
        a.loadOp = a.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_LOAD, a.initialLayout = VK_IMAGE_LAYOUT_GENERAL;
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

void Gpu::upload(const Image& image, std::span<const uint32_t> texels, uint32_t mip, uint32_t layer) {
  const Buffer staging = makeBuffer(texels.size_bytes());
  std::memcpy(staging.mapped, texels.data(), texels.size_bytes());
  submit(record([&](VkCommandBuffer c) {
    if (mip == 0 && layer == 0) toGeneral(c, image);
    const VkBufferImageCopy region =
        vktest::wholeLevel({image.desc.width, image.desc.height, image.desc.depth}, image.aspect, mip, layer);
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
