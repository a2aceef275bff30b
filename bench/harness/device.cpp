// Instance, device, memory, buffers, images and their contents.
#include <algorithm>
#include <cstring>

#include "gpu.h"

namespace vkbench {

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) throw Failed(std::string(what).substr(0, 60) + ": VkResult " + std::to_string(result));
}

Gpu::Gpu() {
  VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  app.pApplicationName = "etzel-vkbench";
  app.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo ii{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  ii.pApplicationInfo = &app;
  VK_CHECK(vkCreateInstance(&ii, nullptr, &instance));
  uint32_t count = 1;
  const VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (count == 0) throw Failed("no physical device");
  if (found != VK_INCOMPLETE) check(found, "vkEnumeratePhysicalDevices");
  vkGetPhysicalDeviceProperties(physical, &properties);
  vkGetPhysicalDeviceFeatures(physical, &features);
  features.robustBufferAccess = VK_FALSE;
  const float priority = 1;
  VkDeviceQueueCreateInfo qi{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  qi.queueCount = 1;
  qi.pQueuePriorities = &priority;
  VkDeviceCreateInfo di{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  di.queueCreateInfoCount = 1;
  di.pQueueCreateInfos = &qi;
  di.pEnabledFeatures = &features;
  VK_CHECK(vkCreateDevice(physical, &di, nullptr, &device));
  vkGetDeviceQueue(device, 0, 0, &queue);
  VkCommandPoolCreateInfo pi{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pi.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  VK_CHECK(vkCreateCommandPool(device, &pi, nullptr, &pool));
  VkFenceCreateInfo fi{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VK_CHECK(vkCreateFence(device, &fi, nullptr, &fence_));
  layout = makeLayout(VK_NULL_HANDLE);
}

Gpu::~Gpu() {
  if (device) {
    vkDeviceWaitIdle(device);
    for (auto f = cleanup_.rbegin(); f != cleanup_.rend(); ++f) (*f)();
    if (fence_) vkDestroyFence(device, fence_, nullptr);
    if (pool) vkDestroyCommandPool(device, pool, nullptr);
    vkDestroyDevice(device, nullptr);
  }
  if (instance) vkDestroyInstance(instance, nullptr);
}

void Gpu::requireSamples(uint32_t samples) const {
  const VkSampleCountFlags both =
      properties.limits.framebufferColorSampleCounts & properties.limits.framebufferDepthSampleCounts;
  if (!(both & samples)) throw Unsupported(std::to_string(samples) + " samples");
}

VkDeviceMemory Gpu::allocate(const VkMemoryRequirements& r, VkMemoryPropertyFlags flags) {
  VkPhysicalDeviceMemoryProperties p;
  vkGetPhysicalDeviceMemoryProperties(physical, &p);
  VkMemoryAllocateInfo ai{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  ai.allocationSize = r.size;
  ai.memoryTypeIndex = ~0u;
  for (uint32_t i = 0; i < p.memoryTypeCount; ++i)
    if ((r.memoryTypeBits >> i & 1) && (p.memoryTypes[i].propertyFlags & flags) == flags) {
      ai.memoryTypeIndex = i;
      break;
    }
  if (ai.memoryTypeIndex == ~0u) throw Failed("no fitting memory type");
  VkDeviceMemory memory;
  VK_CHECK(vkAllocateMemory(device, &ai, nullptr, &memory));
  later([this, memory] { vkFreeMemory(device, memory, nullptr); });
  return memory;
}

Buffer Gpu::makeBuffer(VkDeviceSize bytes) {
  Buffer b;
  b.bytes = bytes;
  VkBufferCreateInfo ci{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  ci.size = bytes;
  ci.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
             VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  VK_CHECK(vkCreateBuffer(device, &ci, nullptr, &b.buffer));
  later([this, buffer = b.buffer] { vkDestroyBuffer(device, buffer, nullptr); });
  VkMemoryRequirements r;
  vkGetBufferMemoryRequirements(device, b.buffer, &r);
  const VkDeviceMemory memory = allocate(r, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  VK_CHECK(vkBindBufferMemory(device, b.buffer, memory, 0));
  VK_CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &b.mapped));
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
  VK_CHECK(vkCreateImage(device, &ci, nullptr, &i.image));
  later([this, image = i.image] { vkDestroyImage(device, image, nullptr); });
  VkMemoryRequirements r;
  vkGetImageMemoryRequirements(device, i.image, &r);
  VK_CHECK(vkBindImageMemory(device, i.image, allocate(r, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0));
  const VkImageUsageFlags viewable = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                     VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  if (!(desc.usage & viewable)) return i;
  VkImageViewCreateInfo vi{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  vi.image = i.image;
  vi.viewType = VK_IMAGE_VIEW_TYPE_2D;
  vi.format = desc.format;
  vi.subresourceRange = {i.aspect, 0, desc.mips, 0, 1};
  VK_CHECK(vkCreateImageView(device, &vi, nullptr, &i.view));
  later([this, view = i.view] { vkDestroyImageView(device, view, nullptr); });
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
  const bool keep = desc.samples == 1 || desc.keepSamples;
  const VkImageUsageFlags read = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
  for (uint32_t c = 0; c < desc.colors; ++c) {
    t.colors.push_back(makeImage({desc.width, desc.height, VK_FORMAT_R8G8B8A8_UNORM,
                                  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | (keep ? read : 0), 1, desc.samples}));
    colors.push_back(attach(t.colors.back(), VK_ATTACHMENT_LOAD_OP_CLEAR,
                            keep ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE));
  }
  VkAttachmentReference depth{}, unused{VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
  if (desc.depth) {
    t.depth = makeImage(
        {desc.width, desc.height, VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, 1, desc.samples});
    depth = attach(t.depth, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE);
  }
  std::vector<VkAttachmentReference> resolves;
  if (desc.resolve) {
    t.resolved = makeImage({desc.width, desc.height, VK_FORMAT_R8G8B8A8_UNORM,
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
  VK_CHECK(vkCreateRenderPass(device, &rp, nullptr, &t.pass));
  later([this, pass = t.pass] { vkDestroyRenderPass(device, pass, nullptr); });
  VkFramebufferCreateInfo fb{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  fb.renderPass = t.pass;
  fb.attachmentCount = uint32_t(views.size());
  fb.pAttachments = views.data();
  fb.width = desc.width;
  fb.height = desc.height;
  fb.layers = 1;
  VK_CHECK(vkCreateFramebuffer(device, &fb, nullptr, &t.framebuffer));
  later([this, f = t.framebuffer] { vkDestroyFramebuffer(device, f, nullptr); });
  return t;
}

void Gpu::upload(const Image& image, std::span<const uint32_t> texels, uint32_t mip) {
  const Buffer staging = makeBuffer(texels.size_bytes());
  std::memcpy(staging.mapped, texels.data(), texels.size_bytes());
  submit(record([&](VkCommandBuffer c) {
    if (mip == 0) toGeneral(c, image);
    VkBufferImageCopy region{};
    region.imageSubresource = {image.aspect, mip, 0, 1};
    region.imageExtent = {std::max(1u, image.desc.width >> mip), std::max(1u, image.desc.height >> mip), 1};
    vkCmdCopyBufferToImage(c, staging.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    barrier(c);
  }));
}

std::vector<uint8_t> Gpu::read(const Image& image) {
  const Buffer b = makeBuffer(VkDeviceSize(image.desc.width) * image.desc.height * 4);
  submit(record([&](VkCommandBuffer c) {
    barrier(c);
    VkBufferImageCopy region{};
    region.imageSubresource = {image.aspect, 0, 0, 1};
    region.imageExtent = {image.desc.width, image.desc.height, 1};
    vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, b.buffer, 1, &region);
    barrier(c);
  }));
  const auto bytes = b.as<uint8_t>();
  return {bytes.begin(), bytes.end()};
}

}  // namespace vkbench
