#include "tests/out_of_memory/graphics.h"

#include "draw.frag.h"
#include "draw.vert.h"
#include "pass.geom.h"
#include "split.tesc.h"
#include "split.tese.h"

namespace oom {
namespace {

/// All state but the stages; the structures point to each other.
struct State {
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  VkPipelineTessellationStateCreateInfo tessellation{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
  const VkViewport viewport{0, 0, kPictureSize, kPictureSize, 0, 1};
  const VkRect2D scissor{{0, 0}, {kPictureSize, kPictureSize}};
  VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  VkPipelineColorBlendAttachmentState attachment{};
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};

  State(VkSampleCountFlagBits samples, bool patches) {
    assembly.topology = patches ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    tessellation.patchControlPoints = 3;
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport, viewports.pScissors = &scissor;
    raster.lineWidth = 1;
    multisample.rasterizationSamples = samples;
    depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
    depth.depthCompareOp = VK_COMPARE_OP_LESS;
    attachment.colorWriteMask = 0xF;
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &kPictureFormat;
    rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

}  // namespace

VkResult makeGraphics(Gpu& gpu, VkSampleCountFlagBits samples, bool allStages, VkPipelineCache cache,
                      VkPipeline* pipeline) {
  struct Source {
    VkShaderStageFlagBits stage;
    std::span<const uint32_t> code;
  };
  const Source sources[] = {{VK_SHADER_STAGE_VERTEX_BIT, draw_vert},
                            {VK_SHADER_STAGE_FRAGMENT_BIT, draw_frag},
                            {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, split_tesc},
                            {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, split_tese},
                            {VK_SHADER_STAGE_GEOMETRY_BIT, pass_geom}};
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (const Source& s : std::span(sources).first(allStages ? 5 : 2)) {
    VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage = s.stage;
    info.pName = "main";
    OOM_TRY(gpu.makeModule(s.code, &info.module));
    stages.push_back(info);
  }
  const VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  const State state(samples, allStages);
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &state.rendering};
  OOM_TRY(gpu.make(gpu.vk.CreatePipelineLayout, gpu.vk.DestroyPipelineLayout, layout, &info.layout));
  info.stageCount = uint32_t(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &state.input;
  info.pInputAssemblyState = &state.assembly;
  info.pTessellationState = &state.tessellation;
  info.pViewportState = &state.viewports;
  info.pRasterizationState = &state.raster;
  info.pMultisampleState = &state.multisample;
  info.pDepthStencilState = &state.depth;
  info.pColorBlendState = &state.blend;
  OOM_TRY(gpu.vk.CreateGraphicsPipelines(gpu.device, cache, 1, &info, gpu.callbacks, pipeline));
  gpu.later([&gpu, made = *pipeline] { gpu.vk.DestroyPipeline(gpu.device, made, gpu.callbacks); });
  return VK_SUCCESS;
}

}  // namespace oom
