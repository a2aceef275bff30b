// What a pipeline fixes and what it leaves to the command buffer.
#include <gtest/gtest.h>

#include "icd/pipeline/pipeline.h"
#include "icd/render_pass/render_pass.h"

namespace etzel::icd {
namespace {

class FoldTest : public testing::Test {
 protected:
  FoldTest() {
    info.pRasterizationState = &raster;
    info.pDynamicState = &dynamic;
    raster.lineWidth = 3;
    raster.cullMode = VK_CULL_MODE_BACK_BIT;
  }
  void fold(VkGraphicsPipelineLibraryFlagsEXT parts = kAllLibraryParts) {
    foldGraphicsState(info, parts, state, fixed);
  }
  bool has(StatePiece p) const { return fixed.test(static_cast<size_t>(p)); }
  void setDynamic(std::initializer_list<VkDynamicState> list) {
    states = list;
    dynamic.dynamicStateCount = uint32_t(states.size());
    dynamic.pDynamicStates = states.data();
  }

  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  std::vector<VkDynamicState> states;
  raster::DrawState state;
  StateSet fixed;
};

TEST_F(FoldTest, ADynamicStateIsNotFixed) {
  setDynamic({VK_DYNAMIC_STATE_LINE_WIDTH});
  fold();
  EXPECT_FALSE(has(StatePiece::LineWidth));
  ASSERT_TRUE(has(StatePiece::CullMode));
  raster::DrawState bound;
  bound.lineWidth = 7;
  copyState(bound, state, fixed);
  EXPECT_EQ(bound.lineWidth, 7);
  EXPECT_EQ(bound.cullMode, VkCullModeFlags(VK_CULL_MODE_BACK_BIT));
}

/// A pipeline that says everything there is to say.
class FoldAllTest : public FoldTest {
 protected:
  FoldAllTest() {
    info.stageCount = 1, info.pStages = &stage;
    info.pVertexInputState = &vertexInput, info.pInputAssemblyState = &assembly;
    info.pTessellationState = &tessellation, info.pViewportState = &viewports;
    info.pMultisampleState = &multisample, info.pDepthStencilState = &depthStencil, info.pColorBlendState = &blend;
    raster.pNext = &line;
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport, viewports.pScissors = &scissor;
    multisample.pNext = &locations;
    locations.sampleLocationsEnable = VK_TRUE;
    modulation.coverageModulationTableEnable = VK_TRUE;
  }
  /// Pieces that are not as `expected` says, by number.
  template <class Expected>
  std::vector<size_t> others(Expected expected) const {
    std::vector<size_t> list;
    for (size_t i = 0; i < fixed.size(); ++i)
      if (fixed.test(i) != expected(StatePiece(i))) list.push_back(i);
    return list;
  }

  VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                        VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT};
  VkPipelineVertexInputStateCreateInfo vertexInput{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  VkPipelineTessellationStateCreateInfo tessellation{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
  VkViewport viewport{};
  VkRect2D scissor{};
  VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  VkPipelineRasterizationLineStateCreateInfoEXT line{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
  VkPipelineCoverageModulationStateCreateInfoNV modulation{
      VK_STRUCTURE_TYPE_PIPELINE_COVERAGE_MODULATION_STATE_CREATE_INFO_NV};
  VkPipelineSampleLocationsStateCreateInfoEXT locations{
      VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT, &modulation};
  VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  VkPipelineDepthStencilStateCreateInfo depthStencil{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
};

TEST_F(FoldAllTest, EveryPieceIsFixedThatIsNotDynamic) {
  fold();
  EXPECT_EQ(others([](StatePiece p) { return p != StatePiece::DepthClip; }), std::vector<size_t>{})
      << "rows of raster/draw_state.def that foldGraphicsState forgets";
}

TEST_F(FoldAllTest, NoPieceIsFixedThatIsDynamic) {
  for (size_t i = 0; i < size_t(StatePiece::Count); ++i)
    if (const VkDynamicState s = dynamicStateOf(StatePiece(i)); s != VK_DYNAMIC_STATE_MAX_ENUM) states.push_back(s);
  dynamic.dynamicStateCount = uint32_t(states.size());
  dynamic.pDynamicStates = states.data();
  fold();
  EXPECT_EQ(others([](StatePiece p) { return dynamicStateOf(p) == VK_DYNAMIC_STATE_MAX_ENUM; }), std::vector<size_t>{});
}

TEST_F(FoldTest, IgnoredPointersAreNotFollowedWhenRasterizationIsDiscarded) {
  raster.rasterizerDiscardEnable = VK_TRUE;
  const auto garbage = reinterpret_cast<void*>(uintptr_t(0x10));
  info.pViewportState = static_cast<const VkPipelineViewportStateCreateInfo*>(garbage);
  info.pMultisampleState = static_cast<const VkPipelineMultisampleStateCreateInfo*>(garbage);
  info.pDepthStencilState = static_cast<const VkPipelineDepthStencilStateCreateInfo*>(garbage);
  info.pColorBlendState = static_cast<const VkPipelineColorBlendStateCreateInfo*>(garbage);
  info.pTessellationState = static_cast<const VkPipelineTessellationStateCreateInfo*>(garbage);
  fold();
  EXPECT_TRUE(state.rasterizerDiscard);
  EXPECT_FALSE(has(StatePiece::ColorWriteMask));
}

TEST_F(FoldTest, ALibraryFixesOnlyItsPart) {
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  info.pMultisampleState = &samples;
  fold(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT);
  EXPECT_TRUE(has(StatePiece::Samples));
  EXPECT_FALSE(has(StatePiece::CullMode));
}

TEST_F(FoldTest, CoverageModulationTakesWhatIsNotDynamic) {
  const float table[] = {0.25f, 2.0f};
  VkPipelineCoverageModulationStateCreateInfoNV modulation{
      VK_STRUCTURE_TYPE_PIPELINE_COVERAGE_MODULATION_STATE_CREATE_INFO_NV};
  modulation.coverageModulationMode = VK_COVERAGE_MODULATION_MODE_RGB_NV;
  modulation.coverageModulationTableCount = 2;
  modulation.pCoverageModulationTable = table;
  VkPipelineCoverageToColorStateCreateInfoNV toColor{VK_STRUCTURE_TYPE_PIPELINE_COVERAGE_TO_COLOR_STATE_CREATE_INFO_NV,
                                                     &modulation, 0, VK_TRUE, 3};
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, &toColor};
  info.pMultisampleState = &samples;
  fold();
  EXPECT_FALSE(has(StatePiece::CoverageTable)) << "the table is neither enabled nor can it be";
  setDynamic({VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_ENABLE_NV, VK_DYNAMIC_STATE_COVERAGE_TO_COLOR_LOCATION_NV});
  fixed.reset();
  fold();
  EXPECT_TRUE(has(StatePiece::CoverageTable) && has(StatePiece::CoverageModulation));
  EXPECT_FALSE(has(StatePiece::CoverageTableEnable) || has(StatePiece::CoverageToColorLocation));
  raster::DrawState bound;
  bound.coverage.toColorLocation = 7;
  copyState(bound, state, fixed);
  EXPECT_EQ(bound.coverage.reduction, raster::CoverageReduction::Default);
  EXPECT_EQ(bound.coverage.modulation, VK_COVERAGE_MODULATION_MODE_RGB_NV);
  EXPECT_EQ(bound.coverage.table[0], 0.25f);
  EXPECT_EQ(bound.coverage.table[1], 1.0f) << "clamped";
  EXPECT_TRUE(bound.coverage.toColor);
  EXPECT_EQ(bound.coverage.toColorLocation, 7u);
}

TEST_F(FoldTest, AttachmentsWithoutAFormatAreNotDeclared) {
  const VkFormat formats[] = {VK_FORMAT_R8_UNORM, VK_FORMAT_UNDEFINED, VK_FORMAT_R8_UNORM};
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.colorAttachmentCount = 3;
  rendering.pColorAttachmentFormats = formats;
  rendering.stencilAttachmentFormat = VK_FORMAT_S8_UINT;
  info.pNext = &rendering;
  fold(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT);
  EXPECT_FALSE(has(StatePiece::AttachmentsDeclared)) << "only the output interface knows the formats";
  fold();
  raster::DrawState bound;
  copyState(bound, state, fixed);
  EXPECT_TRUE(bound.blend[0].writes() && bound.blend[2].writes());
  EXPECT_FALSE(bound.blend[1].writes() || bound.blend[3].writes());
  EXPECT_TRUE(bound.stencilDeclared);
  EXPECT_FALSE(bound.depthDeclared);
  RenderPass pass;
  info.renderPass = handleOf(&pass);
  info.pNext = nullptr;
  fold();
  copyState(bound, state, fixed);
  EXPECT_TRUE(bound.blend[1].writes() && bound.depthDeclared) << "a render pass says itself what it has";
}

TEST_F(FoldTest, CustomResolvesHaveFormatsOfTheirOwn) {
  const VkFormat formats[] = {VK_FORMAT_R8_UNORM, VK_FORMAT_UNDEFINED},
                 resolved[] = {VK_FORMAT_UNDEFINED, VK_FORMAT_R32_SFLOAT};
  VkCustomResolveCreateInfoEXT custom{VK_STRUCTURE_TYPE_CUSTOM_RESOLVE_CREATE_INFO_EXT};
  custom.colorAttachmentCount = 2;
  custom.pColorAttachmentFormats = resolved;
  custom.depthAttachmentFormat = VK_FORMAT_D16_UNORM;
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, &custom};
  rendering.colorAttachmentCount = 2;
  rendering.pColorAttachmentFormats = formats;
  info.pNext = &rendering;
  for (const bool resolves : {false, true}) {
    custom.customResolve = resolves;
    fold();
    raster::DrawState bound;
    copyState(bound, state, fixed);
    EXPECT_EQ(bound.blend[0].writes(), !resolves);
    EXPECT_EQ(bound.blend[1].writes(), resolves);
    EXPECT_EQ(bound.depthDeclared, resolves);
    EXPECT_FALSE(bound.stencilDeclared);
  }
  info.pNext = nullptr;
}

TEST_F(FoldTest, ClippingIsTheOppositeOfClampingUnlessSaid) {
  raster.depthClampEnable = VK_TRUE;
  fold();
  EXPECT_TRUE(has(StatePiece::DepthClipOfClamp) && !has(StatePiece::DepthClip));
  VkPipelineRasterizationDepthClipStateCreateInfoEXT clip{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT, nullptr, 0, VK_TRUE};
  raster.pNext = &clip;
  fixed.reset();
  fold();
  EXPECT_TRUE(has(StatePiece::DepthClip) && !has(StatePiece::DepthClipOfClamp));
  EXPECT_TRUE(state.depthClip);
  setDynamic({VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT});
  fixed.reset();
  fold();
  EXPECT_FALSE(has(StatePiece::DepthClip) || has(StatePiece::DepthClipOfClamp));
}

TEST_F(FoldTest, WhatExtensionsAddToAbsentStructuresHasItsDefaults) {
  const VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                              VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT};
  info.stageCount = 1;
  info.pStages = &stage;
  info.pRasterizationState = nullptr;
  fold();
  raster::DrawState bound;  // as an earlier pipeline may have left it
  bound.lineMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
  bound.lineStipple = bound.provokingVertexLast = bound.negativeOneToOne = true;
  bound.depthClampRangeSet = bound.sampleShading = bound.customSampleLocations = true;
  bound.tessDomainOriginLowerLeft = bound.coverage.toColor = bound.coverage.modulationTable = true;
  bound.coverage.modulation = VK_COVERAGE_MODULATION_MODE_RGB_NV;
  bound.coverage.reduction = raster::CoverageReduction::Truncate;
  bound.rasterizationStream = 1;
  bound.conservativeMode = VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT;
  bound.blend[0].writeEnable = false;
  bound.samples = 4;
  copyState(bound, state, fixed);
  EXPECT_TRUE(has(StatePiece::DepthClipOfClamp));
  EXPECT_EQ(bound.lineMode, VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT);
  EXPECT_FALSE(bound.lineStipple || bound.provokingVertexLast || bound.negativeOneToOne);
  EXPECT_FALSE(bound.depthClampRangeSet || bound.sampleShading || bound.customSampleLocations);
  EXPECT_FALSE(bound.tessDomainOriginLowerLeft || bound.coverage.toColor || bound.coverage.modulationTable);
  EXPECT_EQ(bound.coverage.modulation, VK_COVERAGE_MODULATION_MODE_NONE_NV);
  EXPECT_EQ(bound.coverage.reduction, raster::CoverageReduction::Default);
  EXPECT_EQ(bound.rasterizationStream, 0u);
  EXPECT_EQ(bound.conservativeMode, VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT);
  EXPECT_TRUE(bound.blend[0].writeEnable);
  EXPECT_EQ(bound.samples, 4u) << "the absent structure's own state is dynamic";
}

}  // namespace
}  // namespace etzel::icd
