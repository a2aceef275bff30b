#include "renderer.h"

#include <cstring>

#include "deferred.comp.h"
#include "gbuffer.frag.h"
#include "resolve.comp.h"
#include "scene.vert.h"

namespace example {
namespace {

constexpr VkFormat kFormats[] = {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM,
                                 VK_FORMAT_R32G32B32A32_SFLOAT};
constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;
constexpr VkShaderStageFlags kStages =
    VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;

template <class T>
Buffer filled(const Device& device, const std::vector<T>& data, VkBufferUsageFlags usage) {
  const Buffer b = device.makeBuffer(data.size() * sizeof(T), usage);
  std::memcpy(b.mapped, data.data(), data.size() * sizeof(T));
  return b;
}

/// Everything before is done and visible to everything after.
void barrier(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier2 b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
  b.srcStageMask = b.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  b.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
  b.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  b.oldLayout = from, b.newLayout = to;
  b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.image = image;
  b.subresourceRange = {aspect, 0, 1, 0, 1};
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.imageMemoryBarrierCount = 1;
  info.pImageMemoryBarriers = &b;
  vkCmdPipelineBarrier2(commands, &info);
}

VkRenderingAttachmentInfo attachment(VkImageView view, VkImageLayout layout, VkClearValue clear) {
  VkRenderingAttachmentInfo a{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  a.imageView = view;
  a.imageLayout = layout;
  a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  a.clearValue = clear;
  return a;
}

VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits bit, VkShaderModule module) {
  VkPipelineShaderStageCreateInfo s{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  s.stage = bit;
  s.module = module;
  s.pName = "main";
  return s;
}

}  // namespace

Renderer::Renderer(const Device& device, VkExtent2D size, VkSampleCountFlagBits samples)
    : device_(device), size_(size), samples_(samples) {
  camera_ = demo::makeCamera(float(size.width) / float(size.height));
  const demo::Mesh mesh = demo::makeScene();
  indexCount_ = uint32_t(mesh.indices.size());
  vertices_ = filled(device_, mesh.vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  indices_ = filled(device_, mesh.indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  readback_ = device_.makeBuffer(VkDeviceSize(size.width) * size.height * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  for (uint32_t i = 0; i < kTargets; ++i)
    target_[i] =
        device_.makeImage(kFormats[i], size, samples, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                          VK_IMAGE_ASPECT_COLOR_BIT);
  depth_ = device_.makeImage(kDepthFormat, size, samples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                             VK_IMAGE_ASPECT_DEPTH_BIT);
  output_ = device_.makeImage(VK_FORMAT_R8G8B8A8_UNORM, size, VK_SAMPLE_COUNT_1_BIT,
                              VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
  makeDescriptors();
  scene_ = makeScenePipeline();
  for (Pass pass : {Pass::Resolve, Pass::Deferred})
    for (bool byFragment : {false, true}) compute_[int(pass)][byFragment] = makeComputePipeline(pass, byFragment);
}

Renderer::~Renderer() {
  const VkDevice d = device_.handle();
  for (auto& pair : compute_)
    for (VkPipeline p : pair) vkDestroyPipeline(d, p, nullptr);
  vkDestroyPipeline(d, scene_, nullptr);
  vkDestroyPipelineLayout(d, layout_, nullptr);
  vkDestroyDescriptorPool(d, pool_, nullptr);
  vkDestroyDescriptorSetLayout(d, setLayout_, nullptr);
  vkDestroySampler(d, sampler_, nullptr);
  for (const Image& i : {target_[0], target_[1], target_[2], depth_, output_}) device_.destroy(i);
  for (const Buffer& b : {vertices_, indices_, readback_}) device_.destroy(b);
}

void Renderer::makeDescriptors() {
  const VkDevice d = device_.handle();
  VkSamplerCreateInfo si{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  CHECK(vkCreateSampler(d, &si, nullptr, &sampler_));
  VkDescriptorSetLayoutBinding bindings[kTargets + 1];
  VkDescriptorImageInfo images[kTargets + 1];
  VkWriteDescriptorSet writes[kTargets + 1];
  for (uint32_t i = 0; i <= kTargets; ++i) {
    const bool storage = i == kTargets;
    const VkDescriptorType type =
        storage ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    bindings[i] = {i, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    images[i] = {sampler_, storage ? output_.view : target_[i].view,
                 storage ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, {}, i, 0, 1, type, &images[i], nullptr, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo li{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  li.bindingCount = kTargets + 1;
  li.pBindings = bindings;
  CHECK(vkCreateDescriptorSetLayout(d, &li, nullptr, &setLayout_));
  const VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kTargets},
                                         {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1}};
  VkDescriptorPoolCreateInfo pi{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pi.maxSets = 1;
  pi.poolSizeCount = 2;
  pi.pPoolSizes = sizes;
  CHECK(vkCreateDescriptorPool(d, &pi, nullptr, &pool_));
  VkDescriptorSetAllocateInfo ai{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  ai.descriptorPool = pool_;
  ai.descriptorSetCount = 1;
  ai.pSetLayouts = &setLayout_;
  CHECK(vkAllocateDescriptorSets(d, &ai, &set_));
  for (VkWriteDescriptorSet& w : writes) w.dstSet = set_;
  vkUpdateDescriptorSets(d, kTargets + 1, writes, 0, nullptr);
  const VkPushConstantRange range{kStages, 0, sizeof(demo::Camera)};
  VkPipelineLayoutCreateInfo pl{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  pl.setLayoutCount = 1;
  pl.pSetLayouts = &setLayout_;
  pl.pushConstantRangeCount = 1;
  pl.pPushConstantRanges = &range;
  CHECK(vkCreatePipelineLayout(d, &pl, nullptr, &layout_));
}

VkPipeline Renderer::makeScenePipeline() const {
  const VkShaderModule vertex = device_.makeShader(scene_vert, sizeof scene_vert);
  const VkShaderModule fragment = device_.makeShader(gbuffer_frag, sizeof gbuffer_frag);
  const VkPipelineShaderStageCreateInfo stages[2] = {stage(VK_SHADER_STAGE_VERTEX_BIT, vertex),
                                                     stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment)};
  using demo::Vertex;
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
  const VkViewport viewport{0, 0, float(size_.width), float(size_.height), 0, 1};
  const VkRect2D scissor{{}, size_};
  VkPipelineViewportStateCreateInfo vp{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  vp.viewportCount = vp.scissorCount = 1;
  vp.pViewports = &viewport;
  vp.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo rs{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  rs.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo ms{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  ms.rasterizationSamples = samples_;
  VkPipelineDepthStencilStateCreateInfo ds{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  ds.depthTestEnable = ds.depthWriteEnable = VK_TRUE;
  ds.depthCompareOp = VK_COMPARE_OP_LESS;
  VkPipelineColorBlendAttachmentState blend[kTargets]{};
  for (auto& b : blend) b.colorWriteMask = 0xF;
  VkPipelineColorBlendStateCreateInfo cb{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  cb.attachmentCount = kTargets;
  cb.pAttachments = blend;
  VkPipelineRenderingCreateInfo ri{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  ri.colorAttachmentCount = kTargets;
  ri.pColorAttachmentFormats = kFormats;
  ri.depthAttachmentFormat = kDepthFormat;
  VkGraphicsPipelineCreateInfo gi{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &ri};
  gi.stageCount = 2;
  gi.pStages = stages;
  gi.pVertexInputState = &vi;
  gi.pInputAssemblyState = &ia;
  gi.pViewportState = &vp;
  gi.pRasterizationState = &rs;
  gi.pMultisampleState = &ms;
  gi.pDepthStencilState = &ds;
  gi.pColorBlendState = &cb;
  gi.layout = layout_;
  VkPipeline pipeline;
  CHECK(vkCreateGraphicsPipelines(device_.handle(), VK_NULL_HANDLE, 1, &gi, nullptr, &pipeline));
  vkDestroyShaderModule(device_.handle(), vertex, nullptr);
  vkDestroyShaderModule(device_.handle(), fragment, nullptr);
  return pipeline;
}

VkPipeline Renderer::makeComputePipeline(Pass pass, bool byFragment) const {
  const VkShaderModule module = pass == Pass::Resolve ? device_.makeShader(resolve_comp, sizeof resolve_comp)
                                                      : device_.makeShader(deferred_comp, sizeof deferred_comp);
  const uint32_t constants[2] = {byFragment, samples_};
  const VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
  const VkSpecializationInfo specialization{2, entries, sizeof constants, constants};
  VkComputePipelineCreateInfo ci{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  ci.stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, module);
  ci.stage.pSpecializationInfo = &specialization;
  ci.layout = layout_;
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(device_.handle(), VK_NULL_HANDLE, 1, &ci, nullptr, &pipeline));
  vkDestroyShaderModule(device_.handle(), module, nullptr);
  return pipeline;
}

void Renderer::drawScene() {
  VkCommandBuffer c = device_.begin();
  const VkClearValue clears[kTargets] = {{{{0.99f, 1.2f, 1.5f, 1}}}, {{{0.55f, 0.68f, 0.82f, 1}}}, {}};
  VkRenderingAttachmentInfo colors[kTargets];
  for (uint32_t i = 0; i < kTargets; ++i) {
    barrier(c, target_[i].image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
            VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    colors[i] = attachment(target_[i].view, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, clears[i]);
  }
  barrier(c, depth_.image, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
          VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
  VkClearValue far{};
  far.depthStencil = {1, 0};
  const VkRenderingAttachmentInfo depth =
      attachment(depth_.view, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, far);
  VkRenderingInfo ri{VK_STRUCTURE_TYPE_RENDERING_INFO};
  ri.renderArea = {{}, size_};
  ri.layerCount = 1;
  ri.colorAttachmentCount = kTargets;
  ri.pColorAttachments = colors;
  ri.pDepthAttachment = &depth;
  vkCmdBeginRendering(c, &ri);
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, scene_);
  vkCmdPushConstants(c, layout_, kStages, 0, sizeof camera_, &camera_);
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(c, 0, 1, &vertices_.buffer, &zero);
  vkCmdBindIndexBuffer(c, indices_.buffer, 0, VK_INDEX_TYPE_UINT32);
  vkCmdDrawIndexed(c, indexCount_, 1, 0, 0, 0);
  vkCmdEndRendering(c);
  for (const Image& t : target_)
    barrier(c, t.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  device_.submit(c);
}

double Renderer::run(Pass pass, bool byFragment) {
  VkCommandBuffer c = device_.begin();
  barrier(c, output_.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, compute_[int(pass)][byFragment]);
  vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
  vkCmdPushConstants(c, layout_, kStages, 0, sizeof camera_, &camera_);
  vkCmdDispatch(c, (size_.width + 7) / 8, (size_.height + 7) / 8, 1);
  return device_.submit(c);
}

demo::Picture Renderer::result() const {
  VkCommandBuffer c = device_.begin();
  barrier(c, output_.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {size_.width, size_.height, 1};
  vkCmdCopyImageToBuffer(c, output_.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, readback_.buffer, 1, &copy);
  VkMemoryBarrier2 toHost{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
  toHost.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  toHost.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  toHost.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
  toHost.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &toHost;
  vkCmdPipelineBarrier2(c, &info);
  device_.submit(c);
  demo::Picture p{size_.width, size_.height, {}};
  const auto* bytes = static_cast<const uint8_t*>(readback_.mapped);
  p.rgba.assign(bytes, bytes + size_t(size_.width) * size_.height * 4);
  return p;
}

}  // namespace example
