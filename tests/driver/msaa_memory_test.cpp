// What multisampled images really take: fragment planes that nothing was drawn to have no physical memory.
#include <cstdio>
#include <cstdlib>

#include "gpu.h"

#include "triangle.frag.h"
#include "triangle.vert.h"

namespace etzel::driver_test {
namespace {

VkPhysicalDeviceVulkan13Features dynamicRendering() {
  VkPhysicalDeviceVulkan13Features f{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  f.dynamicRendering = VK_TRUE;
  return f;
}

/// Draws a triangle over all of a new image, which is stored, and tells how many kilobytes the process grew by.
class Triangle {
 public:
  explicit Triangle(VkSampleCountFlagBits samples) : samples_(samples) { makePipeline(); }
  ~Triangle() {
    vkDestroyPipeline(gpu_.device, pipeline_, nullptr);
    vkDestroyPipelineLayout(gpu_.device, layout_, nullptr);
  }

  void draw(uint32_t width, uint32_t height, long* growth) {
    const size_t made = gpu_.made();
    const long before = privateKilobytes();
    const Image image = gpu_.makeImage({width, height}, samples_,
                                       VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    VK_OK(gpu_.submit([&](VkCommandBuffer c) { record(c, image, {width, height}); }));
    *growth = privateKilobytes() - before;
    gpu_.release(made);
  }

 private:
  void makePipeline() {
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VK_OK(vkCreatePipelineLayout(gpu_.device, &layoutInfo, nullptr, &layout_));
    VkShaderModule modules[2];
    const auto module = [&](std::span<const uint32_t> code, VkShaderModule* to) {
      VkShaderModuleCreateInfo m{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, code.size_bytes(),
                                 code.data()};
      VK_OK(vkCreateShaderModule(gpu_.device, &m, nullptr, to));
    };
    module(triangle_vert, &modules[0]), module(triangle_frag, &modules[1]);
    VkPipelineShaderStageCreateInfo stages[2]{};
    for (uint32_t i = 0; i < 2; ++i) {
      stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
      stages[i].stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT;
      stages[i].module = modules[i];
      stages[i].pName = "main";
    }
    VkPipelineVertexInputStateCreateInfo vertices{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    multisample.rasterizationSamples = samples_;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = 15;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1, blend.pAttachments = &attachment;
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 2,
                                             states};
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1, rendering.pColorAttachmentFormats = &Image::kFormat;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = 2, info.pStages = stages;
    info.pVertexInputState = &vertices, info.pInputAssemblyState = &assembly, info.pViewportState = &viewport;
    info.pRasterizationState = &raster, info.pMultisampleState = &multisample, info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic, info.layout = layout_;
    VK_OK(vkCreateGraphicsPipelines(gpu_.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_));
    for (VkShaderModule m : modules) vkDestroyShaderModule(gpu_.device, m, nullptr);
  }

  void record(VkCommandBuffer c, const Image& image, VkExtent2D size) const {
    Gpu::toLayout(c, image.image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                  VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT);
    VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    attachment.imageView = image.view;
    attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
    rendering.renderArea.extent = size;
    rendering.layerCount = rendering.colorAttachmentCount = 1;
    rendering.pColorAttachments = &attachment;
    vkCmdBeginRendering(c, &rendering);
    const VkViewport viewport{0, 0, float(size.width), float(size.height), 0, 1};
    vkCmdSetViewport(c, 0, 1, &viewport);
    vkCmdSetScissor(c, 0, 1, &rendering.renderArea);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
    vkCmdDraw(c, 3, 1, 0, 0);
    vkCmdEndRendering(c);
  }

  const VkSampleCountFlagBits samples_;
  const VkPhysicalDeviceVulkan13Features features_ = dynamicRendering();
  Gpu gpu_{&features_};
  VkPipelineLayout layout_{};
  VkPipeline pipeline_{};
};

/// The second image: buffers of the workers are there by then.
long growthOf(VkSampleCountFlagBits samples) {
  Triangle triangle(samples);
  long growth = 0;
  for (uint32_t i = 0; i < 2; ++i) triangle.draw(1920, 1080, &growth);
  return growth;
}

// In a process of its own, without LLVM, whose memory would come and go in between.
TEST(MsaaMemoryDeathTest, OneTriangleAtEightSamplesTakesHardlyMoreThanAtOne) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's memory hides the driver's";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    setenv("ETZEL_DEBUG", "no-jit", 1);
    const long one = growthOf(VK_SAMPLE_COUNT_1_BIT), eight = growthOf(VK_SAMPLE_COUNT_8_BIT);
    std::fprintf(stderr, "1920x1080: %ld KB with one sample, %ld KB with eight\n", one, eight);
    const bool drawn = one >= 1920 * 1080 * 4 / 1024 && eight >= 1920 * 1080 * 4 / 1024;
    std::_Exit(!drawn || eight > one + one / 10);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "with eight");
}

}  // namespace
}  // namespace etzel::driver_test
