#include "gpu.h"

#include <algorithm>
#include <cstring>

#include "scene.frag.h"
#include "scene.vert.h"

namespace demo {
namespace {

constexpr VkFormat kColorFormat = VK_FORMAT_R8G8B8A8_SRGB;
constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;

void imageBarrier(VkCommandBuffer commands, VkImage image, uint32_t mip, VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  b.oldLayout = from;
  b.newLayout = to;
  b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.image = image;
  b.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, mip, 1, 0, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                       0, nullptr, 1, &b);
}

}  // namespace

Gpu::Gpu() {
  if (!device_) example::check(VK_ERROR_INITIALIZATION_FAILED, "finding a device");
  VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT,
                                       nullptr};
  VkDescriptorSetLayoutCreateInfo li{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  li.bindingCount = 1;
  li.pBindings = &binding;
  CHECK(vkCreateDescriptorSetLayout(device_.handle(), &li, nullptr, &setLayout_));
  VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(Camera)};
  VkPipelineLayoutCreateInfo pl{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  pl.setLayoutCount = 1;
  pl.pSetLayouts = &setLayout_;
  pl.pushConstantRangeCount = 1;
  pl.pPushConstantRanges = &range;
  CHECK(vkCreatePipelineLayout(device_.handle(), &pl, nullptr, &layout_));
  VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
  VkDescriptorPoolCreateInfo dpi{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  dpi.maxSets = 1;
  dpi.poolSizeCount = 1;
  dpi.pPoolSizes = &size;
  CHECK(vkCreateDescriptorPool(device_.handle(), &dpi, nullptr, &descriptorPool_));
  VkDescriptorSetAllocateInfo ai{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  ai.descriptorPool = descriptorPool_;
  ai.descriptorSetCount = 1;
  ai.pSetLayouts = &setLayout_;
  CHECK(vkAllocateDescriptorSets(device_.handle(), &ai, &set_));
  VkSamplerCreateInfo si{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  si.magFilter = si.minFilter = VK_FILTER_LINEAR;
  si.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  si.maxLod = VK_LOD_CLAMP_NONE;
  si.anisotropyEnable = device_.anisotropic();
  si.maxAnisotropy = 8;
  CHECK(vkCreateSampler(device_.handle(), &si, nullptr, &sampler_));
}

Gpu::~Gpu() {
  vkDeviceWaitIdle(device_.handle());
  if (texture_.image) device_.destroy(texture_), device_.destroy(vertices_), device_.destroy(indices_);
  vkDestroySampler(device_.handle(), sampler_, nullptr);
  vkDestroyDescriptorPool(device_.handle(), descriptorPool_, nullptr);
  vkDestroyPipelineLayout(device_.handle(), layout_, nullptr);
  vkDestroyDescriptorSetLayout(device_.handle(), setLayout_, nullptr);
}

bool Gpu::supportsSamples(VkSampleCountFlagBits samples) const {
  VkPhysicalDeviceProperties p;
  vkGetPhysicalDeviceProperties(device_.physical(), &p);
  return p.limits.framebufferColorSampleCounts & p.limits.framebufferDepthSampleCounts & samples;
}

void Gpu::upload(const Mesh& mesh, const std::vector<uint8_t>& texture, uint32_t textureSize) {
  indexCount_ = static_cast<uint32_t>(mesh.indices.size());
  vertices_ = device_.makeBuffer(mesh.vertices.size() * sizeof(Vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  std::memcpy(vertices_.mapped, mesh.vertices.data(), mesh.vertices.size() * sizeof(Vertex));
  indices_ = device_.makeBuffer(mesh.indices.size() * 4, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  std::memcpy(indices_.mapped, mesh.indices.data(), mesh.indices.size() * 4);
  const example::Buffer staging = device_.makeBuffer(texture.size(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  std::memcpy(staging.mapped, texture.data(), texture.size());

  uint32_t mips = 1;
  while (textureSize >> mips) ++mips;
  texture_ =
      device_.makeImage(VK_FORMAT_R8G8B8A8_SRGB, {textureSize, textureSize}, VK_SAMPLE_COUNT_1_BIT,
                        VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                        VK_IMAGE_ASPECT_COLOR_BIT, mips);
  VkCommandBuffer commands = device_.begin();
  for (uint32_t m = 0; m < mips; ++m)
    imageBarrier(commands, texture_.image, m, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {textureSize, textureSize, 1};
  vkCmdCopyBufferToImage(commands, staging.buffer, texture_.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
  for (uint32_t m = 1; m < mips; ++m) {
    imageBarrier(commands, texture_.image, m - 1, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                 VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    const auto from = static_cast<int32_t>(textureSize >> (m - 1));
    const int32_t to = std::max(from / 2, 1);
    VkImageBlit blit{};
    blit.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, m - 1, 0, 1};
    blit.srcOffsets[1] = {from, from, 1};
    blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, m, 0, 1};
    blit.dstOffsets[1] = {to, to, 1};
    vkCmdBlitImage(commands, texture_.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, texture_.image,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_LINEAR);
  }
  for (uint32_t m = 0; m < mips; ++m)
    imageBarrier(commands, texture_.image, m,
                 m + 1 < mips ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                 VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  device_.submit(commands);
  device_.destroy(staging);

  VkDescriptorImageInfo info{sampler_, texture_.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set_;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  write.pImageInfo = &info;
  vkUpdateDescriptorSets(device_.handle(), 1, &write, 0, nullptr);
}

VkRenderPass Gpu::makeRenderPass(VkSampleCountFlagBits samples) {
  const bool multisampled = samples != VK_SAMPLE_COUNT_1_BIT;
  VkAttachmentDescription a[3]{};
  a[0].format = kColorFormat;
  a[0].samples = samples;
  a[0].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  a[0].storeOp = multisampled ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE;
  a[0].stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  a[0].stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  a[0].finalLayout = multisampled ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  a[1] = a[0];
  a[1].format = kDepthFormat;
  a[1].storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  a[1].finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
  a[2] = a[0];
  a[2].samples = VK_SAMPLE_COUNT_1_BIT;
  a[2].loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  a[2].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  a[2].finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkAttachmentReference color{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkAttachmentReference depth{1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  const VkAttachmentReference resolve{2, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription s{};
  s.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  s.colorAttachmentCount = 1;
  s.pColorAttachments = &color;
  s.pDepthStencilAttachment = &depth;
  s.pResolveAttachments = multisampled ? &resolve : nullptr;
  VkSubpassDependency d{};
  d.srcSubpass = 0;
  d.dstSubpass = VK_SUBPASS_EXTERNAL;
  d.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  d.dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT;
  d.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  d.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  VkRenderPassCreateInfo ri{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  ri.attachmentCount = multisampled ? 3 : 2;
  ri.pAttachments = a;
  ri.subpassCount = 1;
  ri.pSubpasses = &s;
  ri.dependencyCount = 1;
  ri.pDependencies = &d;
  VkRenderPass pass;
  CHECK(vkCreateRenderPass(device_.handle(), &ri, nullptr, &pass));
  return pass;
}

VkPipeline Gpu::makePipeline(VkRenderPass pass, VkSampleCountFlagBits samples) {
  VkShaderModule modules[2];
  const uint32_t* code[2] = {scene_vert, scene_frag};
  const size_t bytes[2] = {sizeof(scene_vert), sizeof(scene_frag)};
  VkPipelineShaderStageCreateInfo stages[2]{};
  for (int i = 0; i < 2; ++i) {
    modules[i] = device_.makeShader(code[i], bytes[i]);
    stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stages[i].stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT;
    stages[i].module = modules[i];
    stages[i].pName = "main";
  }
  const VkVertexInputBindingDescription binding{0, sizeof(Vertex), VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attributes[3] = {
      {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, position)},
      {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, normal)},
      {2, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(Vertex, uv)}};
  VkPipelineVertexInputStateCreateInfo vi{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  vi.vertexBindingDescriptionCount = 1;
  vi.pVertexBindingDescriptions = &binding;
  vi.vertexAttributeDescriptionCount = 3;
  vi.pVertexAttributeDescriptions = attributes;
  VkPipelineInputAssemblyStateCreateInfo ia{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  ia.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo vp{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  vp.viewportCount = vp.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo rs{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  rs.polygonMode = VK_POLYGON_MODE_FILL;
  rs.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo ms{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  ms.rasterizationSamples = samples;
  VkPipelineDepthStencilStateCreateInfo ds{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  ds.depthTestEnable = ds.depthWriteEnable = VK_TRUE;
  ds.depthCompareOp = VK_COMPARE_OP_LESS;
  VkPipelineColorBlendAttachmentState blend{};
  blend.colorWriteMask = 0xF;
  VkPipelineColorBlendStateCreateInfo cb{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  cb.attachmentCount = 1;
  cb.pAttachments = &blend;
  const VkDynamicState dynamic[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dy{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dy.dynamicStateCount = 2;
  dy.pDynamicStates = dynamic;
  VkGraphicsPipelineCreateInfo gi{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  gi.stageCount = 2;
  gi.pStages = stages;
  gi.pVertexInputState = &vi;
  gi.pInputAssemblyState = &ia;
  gi.pViewportState = &vp;
  gi.pRasterizationState = &rs;
  gi.pMultisampleState = &ms;
  gi.pDepthStencilState = &ds;
  gi.pColorBlendState = &cb;
  gi.pDynamicState = &dy;
  gi.layout = layout_;
  gi.renderPass = pass;
  VkPipeline pipeline;
  CHECK(vkCreateGraphicsPipelines(device_.handle(), VK_NULL_HANDLE, 1, &gi, nullptr, &pipeline));
  for (VkShaderModule m : modules) vkDestroyShaderModule(device_.handle(), m, nullptr);
  return pipeline;
}

Picture Gpu::render(uint32_t width, uint32_t height, VkSampleCountFlagBits samples, double* milliseconds) {
  const bool multisampled = samples != VK_SAMPLE_COUNT_1_BIT;
  const VkRenderPass pass = makeRenderPass(samples);
  const VkPipeline pipeline = makePipeline(pass, samples);
  const VkImageUsageFlags colorUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const example::Image target =
      device_.makeImage(kColorFormat, {width, height}, VK_SAMPLE_COUNT_1_BIT, colorUsage, VK_IMAGE_ASPECT_COLOR_BIT);
  const example::Image depth = device_.makeImage(
      kDepthFormat, {width, height}, samples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
  example::Image color;
  if (multisampled)
    color = device_.makeImage(kColorFormat, {width, height}, samples, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                              VK_IMAGE_ASPECT_COLOR_BIT);
  const VkImageView views[3] = {multisampled ? color.view : target.view, depth.view, target.view};
  VkFramebufferCreateInfo fi{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  fi.renderPass = pass;
  fi.attachmentCount = multisampled ? 3 : 2;
  fi.pAttachments = views;
  fi.width = width;
  fi.height = height;
  fi.layers = 1;
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(device_.handle(), &fi, nullptr, &framebuffer));
  const example::Buffer readback =
      device_.makeBuffer(VkDeviceSize(width) * height * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);

  const Camera camera = makeCamera(static_cast<float>(width) / static_cast<float>(height));
  VkCommandBuffer commands = device_.begin();
  VkClearValue clears[2]{};
  clears[0].color = {{0.55f, 0.68f, 0.82f, 1}};
  clears[1].depthStencil = {1, 0};
  VkRenderPassBeginInfo bi{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  bi.renderPass = pass;
  bi.framebuffer = framebuffer;
  bi.renderArea = {{0, 0}, {width, height}};
  bi.clearValueCount = 2;
  bi.pClearValues = clears;
  vkCmdBeginRenderPass(commands, &bi, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0, nullptr);
  vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof camera,
                     &camera);
  const VkViewport viewport{0, 0, static_cast<float>(width), static_cast<float>(height), 0, 1};
  const VkRect2D scissor{{0, 0}, {width, height}};
  vkCmdSetViewport(commands, 0, 1, &viewport);
  vkCmdSetScissor(commands, 0, 1, &scissor);
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(commands, 0, 1, &vertices_.buffer, &zero);
  vkCmdBindIndexBuffer(commands, indices_.buffer, 0, VK_INDEX_TYPE_UINT32);
  vkCmdDrawIndexed(commands, indexCount_, 1, 0, 0, 0);
  vkCmdEndRenderPass(commands);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {width, height, 1};
  vkCmdCopyImageToBuffer(commands, target.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, readback.buffer, 1, &copy);
  VkMemoryBarrier toHost{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  toHost.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  toHost.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &toHost, 0, nullptr,
                       0, nullptr);
  *milliseconds = device_.submit(commands);

  const auto* texels = static_cast<const uint8_t*>(readback.mapped);
  Picture picture{width, height, std::vector<uint8_t>(texels, texels + size_t(width) * height * 4)};
  device_.destroy(readback);
  vkDestroyFramebuffer(device_.handle(), framebuffer, nullptr);
  device_.destroy(target);
  device_.destroy(depth);
  if (multisampled) device_.destroy(color);
  vkDestroyPipeline(device_.handle(), pipeline, nullptr);
  vkDestroyRenderPass(device_.handle(), pass, nullptr);
  return picture;
}

}  // namespace demo
