#include "stage.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cover.vert.h"

namespace example {
namespace {

constexpr VkFormat kLight = VK_FORMAT_R16G16B16A16_SFLOAT, kPicture = VK_FORMAT_R8G8B8A8_UNORM,
                   kDepth = VK_FORMAT_D32_SFLOAT;

/// Everything before, to everything behind; images go to the layout that all of them are in.
void barrier(VkCommandBuffer commands, std::span<const VkImage> fresh = {}, VkImage depth = {}) {
  std::vector<VkImageMemoryBarrier> images;
  const auto add = [&](VkImage image, VkImageAspectFlags aspect) {
    VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    b.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    b.image = image, b.subresourceRange = {aspect, 0, 1, 0, 1};
    images.push_back(b);
  };
  for (VkImage image : fresh) add(image, VK_IMAGE_ASPECT_COLOR_BIT);
  if (depth) add(depth, VK_IMAGE_ASPECT_DEPTH_BIT);
  VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &memory,
                       0, nullptr, static_cast<uint32_t>(images.size()), images.data());
}

VkRenderingAttachmentInfo attachment(VkImageView view, VkClearValue clear) {
  VkRenderingAttachmentInfo a{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  a.imageView = view, a.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  a.clearValue = clear;
  return a;
}

}  // namespace

Stage::Stage() {
  if (!device_) {
    std::fputs("no device has VK_AMD_shader_fragment_mask\n", stderr);
    std::exit(1);
  }
  const VkExtent2D size{kSize, kSize};
  constexpr VkImageUsageFlags kTarget = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  constexpr VkImageAspectFlags kColor = VK_IMAGE_ASPECT_COLOR_BIT;
  samples_ = device_.makeImage(kLight, size, kSamples, kTarget | VK_IMAGE_USAGE_SAMPLED_BIT, kColor);
  average_ = device_.makeImage(kLight, size, VK_SAMPLE_COUNT_1_BIT, kTarget | VK_IMAGE_USAGE_SAMPLED_BIT, kColor);
  output_ = device_.makeImage(kPicture, size, VK_SAMPLE_COUNT_1_BIT, kTarget | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, kColor);
  depth_ =
      device_.makeImage(kDepth, size, kSamples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
  readback_ = device_.makeBuffer(kSize * kSize * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  makeDescriptors();
}

Stage::~Stage() {
  const VkDevice device = device_.handle();
  for (VkPipeline pipeline : pipelines_) vkDestroyPipeline(device, pipeline, nullptr);
  vkDestroyPipelineLayout(device, layout_, nullptr);
  vkDestroyDescriptorPool(device, pool_, nullptr);
  vkDestroyDescriptorSetLayout(device, setLayout_, nullptr);
  vkDestroySampler(device, sampler_, nullptr);
  for (const Image& image : {samples_, average_, depth_, output_}) device_.destroy(image);
  device_.destroy(readback_);
}

void Stage::makeDescriptors() {
  const VkDevice device = device_.handle();
  VkSamplerCreateInfo si{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  CHECK(vkCreateSampler(device, &si, nullptr, &sampler_));
  VkDescriptorSetLayoutBinding bindings[2]{};
  VkDescriptorImageInfo images[2] = {{sampler_, samples_.view, VK_IMAGE_LAYOUT_GENERAL},
                                     {sampler_, average_.view, VK_IMAGE_LAYOUT_GENERAL}};
  for (uint32_t i = 0; i < 2; ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo li{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  li.bindingCount = 2, li.pBindings = bindings;
  CHECK(vkCreateDescriptorSetLayout(device, &li, nullptr, &setLayout_));
  const VkDescriptorPoolSize poolSize{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2};
  VkDescriptorPoolCreateInfo pi{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pi.maxSets = pi.poolSizeCount = 1, pi.pPoolSizes = &poolSize;
  CHECK(vkCreateDescriptorPool(device, &pi, nullptr, &pool_));
  VkDescriptorSetAllocateInfo ai{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  ai.descriptorPool = pool_, ai.descriptorSetCount = 1, ai.pSetLayouts = &setLayout_;
  CHECK(vkAllocateDescriptorSets(device, &ai, &set_));
  for (uint32_t i = 0; i < 2; ++i) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set_, write.dstBinding = i, write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, write.pImageInfo = &images[i];
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
  }
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.setLayoutCount = 1, layout.pSetLayouts = &setLayout_;
  CHECK(vkCreatePipelineLayout(device, &layout, nullptr, &layout_));
}

VkPipeline Stage::makePipeline(Code vertex, Code fragment, VkSampleCountFlagBits samples, bool depth) {
  const VkFormat color = samples == VK_SAMPLE_COUNT_1_BIT ? kPicture : kLight;
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.colorAttachmentCount = 1, rendering.pColorAttachmentFormats = &color;
  if (samples != VK_SAMPLE_COUNT_1_BIT) rendering.depthAttachmentFormat = kDepth;
  VkPipelineShaderStageCreateInfo stages[2] = {{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO},
                                               {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO}};
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = device_.makeShader(vertex.data(), vertex.size_bytes());
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = device_.makeShader(fragment.data(), fragment.size_bytes());
  for (VkPipelineShaderStageCreateInfo& stage : stages) stage.pName = "main";
  const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  const VkViewport viewport{0, 0, kSize, kSize, 0, 1};
  const VkRect2D scissor{{0, 0}, {kSize, kSize}};
  VkPipelineViewportStateCreateInfo view{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  view.viewportCount = view.scissorCount = 1, view.pViewports = &viewport, view.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  multisample.rasterizationSamples = samples;
  VkPipelineDepthStencilStateCreateInfo tests{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  tests.depthTestEnable = tests.depthWriteEnable = depth, tests.depthCompareOp = VK_COMPARE_OP_LESS;
  VkPipelineColorBlendAttachmentState written{};
  written.colorWriteMask = 15;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = 1, blend.pAttachments = &written;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
  info.stageCount = 2, info.pStages = stages, info.layout = layout_;
  info.pVertexInputState = &input, info.pInputAssemblyState = &assembly, info.pViewportState = &view;
  info.pRasterizationState = &raster, info.pMultisampleState = &multisample, info.pDepthStencilState = &tests;
  info.pColorBlendState = &blend;
  VkPipeline pipeline;
  CHECK(vkCreateGraphicsPipelines(device_.handle(), {}, 1, &info, nullptr, &pipeline));
  for (const VkPipelineShaderStageCreateInfo& stage : stages)
    vkDestroyShaderModule(device_.handle(), stage.module, nullptr);
  return pipeline;
}

void Stage::draw(Code vertex, Code fragment, bool depth) {
  pipelines_.push_back(makePipeline(vertex, fragment, kSamples, depth));
}

void Stage::render(VkCommandBuffer commands, const VkRenderingAttachmentInfo& color,
                   const VkRenderingAttachmentInfo* depth, std::span<const VkPipeline> pipelines) const {
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea.extent = {kSize, kSize}, info.layerCount = 1;
  info.colorAttachmentCount = 1, info.pColorAttachments = &color, info.pDepthAttachment = depth;
  vkCmdBeginRendering(commands, &info);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0, nullptr);
  for (VkPipeline pipeline : pipelines) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(commands, 4, 1, 0, 0);
  }
  vkCmdEndRendering(commands);
}

demo::Picture Stage::finish(float light, Code last) {
  const VkPipeline pipeline = makePipeline(cover_vert, last, VK_SAMPLE_COUNT_1_BIT, false);
  VkCommandBuffer commands = device_.begin();
  const VkImage fresh[] = {samples_.image, average_.image, output_.image};
  barrier(commands, fresh, depth_.image);
  VkRenderingAttachmentInfo color = attachment(samples_.view, {.color = {{light, light, light, 1}}});
  color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  color.resolveImageView = average_.view, color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  const VkRenderingAttachmentInfo depth = attachment(depth_.view, {.depthStencil = {1, 0}});
  render(commands, color, &depth, pipelines_);
  barrier(commands);
  render(commands, attachment(output_.view, {}), nullptr, {&pipeline, 1});
  barrier(commands);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, copy.imageExtent = {kSize, kSize, 1};
  vkCmdCopyImageToBuffer(commands, output_.image, VK_IMAGE_LAYOUT_GENERAL, readback_.buffer, 1, &copy);
  barrier(commands);
  device_.submit(commands);
  vkDestroyPipeline(device_.handle(), pipeline, nullptr);
  demo::Picture picture{kSize, kSize, std::vector<uint8_t>(kSize * kSize * 4)};
  std::memcpy(picture.rgba.data(), readback_.mapped, picture.rgba.size());
  return picture;
}

int show(const demo::Picture& picture, const std::string& name, uint32_t x, uint32_t y) {
  const uint8_t* const rgba = &picture.rgba[(y * picture.width + x) * 4];
  std::printf("pixel (%u, %u) is (%u, %u, %u)\n", x, y, rgba[0], rgba[1], rgba[2]);
  if (demo::writePng(picture, name + ".png")) return 0;
  std::fprintf(stderr, "cannot write %s.png\n", name.c_str());
  return 1;
}

bool isFixed(int argc, char** argv) { return argc > 1 && std::strcmp(argv[1], "--fixed") == 0; }

}  // namespace example
