// Fixed-function state of graphics pipelines ("Graphics Pipelines", "Dynamic State").
#include <algorithm>
#include <bit>

#include "icd/pipeline/pipeline.h"
#include "icd/render_pass/render_pass.h"

namespace etzel::icd {
namespace {

using raster::DrawState;
using P = StatePiece;

/// Null is allowed for a structure all of whose own state is dynamic (VK_EXT_extended_dynamic_state3). What extensions
/// add to it then has its defaults, unless that is dynamic too.
template <class T>
const void* chainOf(const T* info) {
  return info ? info->pNext : nullptr;
}

/// The dynamic states of one create info.
class Dynamic {
 public:
  explicit Dynamic(const VkPipelineDynamicStateCreateInfo* info) : info_(info) {}
  bool has(VkDynamicState s) const {
    return info_ && std::find(info_->pDynamicStates, info_->pDynamicStates + info_->dynamicStateCount, s) !=
                        info_->pDynamicStates + info_->dynamicStateCount;
  }

 private:
  const VkPipelineDynamicStateCreateInfo* info_;
};

struct Fold {
  const VkGraphicsPipelineCreateInfo& info;
  VkGraphicsPipelineLibraryFlagsEXT parts;
  DrawState& state;
  StateSet& fixed;
  Dynamic dynamic{info.pDynamicState};

  bool dyn(VkDynamicState s) const { return dynamic.has(s); }
  /// Fixes `piece` unless its state is dynamic. \returns whether it is fixed.
  bool fix(P piece) {
    if (dyn(dynamicStateOf(piece))) return false;
    fixed.set(static_cast<size_t>(piece));
    return true;
  }

  void run();
  void vertexInput();
  void viewports(const VkPipelineViewportStateCreateInfo& v);
  void viewportExtensions(const void* chain);
  void rasterization(const VkPipelineRasterizationStateCreateInfo& r);
  void rasterizationExtensions(const void* chain);
  void discardRectangles();
  void tessellation();
  void shadingRate();
  void multisample(const VkPipelineMultisampleStateCreateInfo& m);
  void multisampleExtensions(const void* chain);
  void coverage(const void* chain);
  void depthStencil(const VkPipelineDepthStencilStateCreateInfo& d);
  void colorBlend(const VkPipelineColorBlendStateCreateInfo& b);
  void colorWrites(const void* chain);
  void attachmentFormats();
  bool hasStage(VkShaderStageFlags stages) const {
    return std::any_of(info.pStages, info.pStages + info.stageCount,
                       [&](const VkPipelineShaderStageCreateInfo& s) { return s.stage & stages; });
  }
  const Subpass* subpass() const {
    const RenderPass* pass = cast<RenderPass>(info.renderPass);
    return pass && info.subpass < pass->subpasses.size() ? &pass->subpasses[info.subpass] : nullptr;
  }
};

void Fold::vertexInput() {
  if (!dyn(VK_DYNAMIC_STATE_VERTEX_INPUT_EXT) && info.pVertexInputState) {
    fix(P::VertexInput);
    const VkPipelineVertexInputStateCreateInfo& v = *info.pVertexInputState;
    for (uint32_t i = 0; i < v.vertexBindingDescriptionCount; ++i) {
      const VkVertexInputBindingDescription& d = v.pVertexBindingDescriptions[i];
      if (d.binding >= raster::kMaxVertexBindings) continue;
      raster::VertexBinding& b = state.binding[d.binding];
      b.stride = d.stride;
      b.perInstance = d.inputRate == VK_VERTEX_INPUT_RATE_INSTANCE;
      b.divisor = 1;
    }
    if (const auto* divisors = findNext<VkPipelineVertexInputDivisorStateCreateInfoEXT>(
            v.pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT))
      for (uint32_t i = 0; i < divisors->vertexBindingDivisorCount; ++i) {
        const VkVertexInputBindingDivisorDescriptionEXT& d = divisors->pVertexBindingDivisors[i];
        if (d.binding < raster::kMaxVertexBindings) state.binding[d.binding].divisor = d.divisor;
      }
    for (uint32_t i = 0; i < v.vertexAttributeDescriptionCount; ++i) {
      const VkVertexInputAttributeDescription& d = v.pVertexAttributeDescriptions[i];
      if (d.location >= raster::kMaxVertexAttributes) continue;
      state.attribute[d.location] = {true, uint8_t(d.binding), d.format, d.offset};
    }
    fix(P::VertexStride);
  }
  if (const auto* a = info.pInputAssemblyState) {
    if (fix(P::Topology)) state.topology = a->topology;
    if (fix(P::PrimitiveRestart)) state.primitiveRestart = a->primitiveRestartEnable;
  }
}

void Fold::viewports(const VkPipelineViewportStateCreateInfo& v) {
  if (fix(P::ViewportCount)) {
    state.viewportCount = std::min(v.viewportCount, raster::kMaxViewports);
    if (!dyn(VK_DYNAMIC_STATE_VIEWPORT) && v.pViewports) {
      fix(P::Viewport);
      std::copy_n(v.pViewports, state.viewportCount, state.viewport);
    }
  }
  if (fix(P::ScissorCount)) {
    state.scissorCount = std::min(v.scissorCount, raster::kMaxViewports);
    if (!dyn(VK_DYNAMIC_STATE_SCISSOR) && v.pScissors) {
      fix(P::Scissor);
      std::copy_n(v.pScissors, state.scissorCount, state.scissor);
    }
  }
}

void Fold::viewportExtensions(const void* chain) {
  if (fix(P::NegativeOneToOne)) {
    const auto* c = findNext<VkPipelineViewportDepthClipControlCreateInfoEXT>(
        chain, VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT);
    state.negativeOneToOne = c && c->negativeOneToOne;
  }
  if (fix(P::DepthClampRange)) {
    const auto* c = findNext<VkPipelineViewportDepthClampControlCreateInfoEXT>(
        chain, VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLAMP_CONTROL_CREATE_INFO_EXT);
    if (c) setDepthClampRange(state, c->depthClampMode, c->pDepthClampRange);
  }
}

void Fold::rasterization(const VkPipelineRasterizationStateCreateInfo& r) {
  if (fix(P::DepthClamp)) state.depthClamp = r.depthClampEnable;
  if (fix(P::PolygonMode)) state.polygonMode = r.polygonMode;
  if (fix(P::CullMode)) state.cullMode = r.cullMode;
  if (fix(P::FrontFace)) state.frontFace = r.frontFace;
  if (fix(P::DepthBiasEnable)) state.depthBias = r.depthBiasEnable;
  if (fix(P::DepthBias)) {
    state.depthBiasConstant = r.depthBiasConstantFactor;
    state.depthBiasClamp = r.depthBiasClamp;
    state.depthBiasSlope = r.depthBiasSlopeFactor;
    state.depthBiasUnit = depthBiasUnit(r.pNext);
  }
  if (fix(P::LineWidth)) state.lineWidth = r.lineWidth;
}

void Fold::rasterizationExtensions(const void* chain) {
  const auto* clip = findNext<VkPipelineRasterizationDepthClipStateCreateInfoEXT>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT);
  if (fix(clip ? P::DepthClip : P::DepthClipOfClamp) && clip) state.depthClip = clip->depthClipEnable;
  const auto* line = findNext<VkPipelineRasterizationLineStateCreateInfoEXT>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT);
  if (fix(P::LineMode)) state.lineMode = line ? line->lineRasterizationMode : VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT;
  if (fix(P::LineStippleEnable)) state.lineStipple = line && line->stippledLineEnable;
  if (!dyn(VK_DYNAMIC_STATE_LINE_STIPPLE_EXT) && line) {
    fix(P::LineStipple);
    state.lineStippleFactor = line->lineStippleFactor;
    state.lineStipplePattern = line->lineStipplePattern;
  }
  if (fix(P::ProvokingVertex)) {
    const auto* p = findNext<VkPipelineRasterizationProvokingVertexStateCreateInfoEXT>(
        chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT);
    state.provokingVertexLast = p && p->provokingVertexMode == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
  }
  const auto* conservative = findNext<VkPipelineRasterizationConservativeStateCreateInfoEXT>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT);
  if (fix(P::ConservativeMode) && conservative) state.conservativeMode = conservative->conservativeRasterizationMode;
  if (fix(P::ExtraOverestimation) && conservative)
    state.extraOverestimation = conservative->extraPrimitiveOverestimationSize;
  if (fix(P::RasterizationStream)) {
    const auto* s = findNext<VkPipelineRasterizationStateStreamCreateInfoEXT>(
        chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_STREAM_CREATE_INFO_EXT);
    state.rasterizationStream = s ? s->rasterizationStream : 0;
  }
}

void Fold::discardRectangles() {
  const auto* d = findNext<VkPipelineDiscardRectangleStateCreateInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT);
  if (fix(P::DiscardRectangleEnable)) state.discardRectangleEnable = d && d->discardRectangleCount > 0;
  if (fix(P::DiscardRectangleMode) && d) state.discardRectangleMode = d->discardRectangleMode;
  const uint32_t count = d ? std::min(d->discardRectangleCount, raster::kMaxDiscardRectangles) : 0;
  if (fix(P::DiscardRectangle) && count) std::copy_n(d->pDiscardRectangles, count, state.discardRectangle);
  // A pipeline that says how many there are uses no others.
  fix(P::DiscardRectangleCount);
  state.discardRectangleCount = count ? count : raster::kMaxDiscardRectangles;
}

void Fold::tessellation() {
  constexpr VkShaderStageFlags stages =
      VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  if (!hasStage(stages)) return;
  const VkPipelineTessellationStateCreateInfo* t = info.pTessellationState;
  if (t && fix(P::PatchControlPoints)) state.patchControlPoints = t->patchControlPoints;
  if (fix(P::DomainOrigin)) {
    const auto* o = findNext<VkPipelineTessellationDomainOriginStateCreateInfo>(
        chainOf(t), VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO);
    state.tessDomainOriginLowerLeft = o && o->domainOrigin == VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT;
  }
}

void Fold::shadingRate() {
  const auto* r = findNext<VkPipelineFragmentShadingRateStateCreateInfoKHR>(
      info.pNext, VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR);
  constexpr VkFragmentShadingRateCombinerOpKHR keep = VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR;
  if (!fix(P::FragmentShadingRate)) return;
  setFragmentShadingRate(state, r ? r->fragmentSize : VkExtent2D{1, 1}, r ? r->combinerOps[0] : keep,
                         r ? r->combinerOps[1] : keep);
}

void Fold::multisample(const VkPipelineMultisampleStateCreateInfo& m) {
  if (fix(P::Samples)) state.samples = m.rasterizationSamples;
  state.sampleShading = m.sampleShadingEnable;
  state.minSampleShading = m.minSampleShading;
  if (fix(P::SampleMask)) state.sampleMask = m.pSampleMask ? *m.pSampleMask : ~0u;
  if (fix(P::AlphaToCoverage)) state.alphaToCoverage = m.alphaToCoverageEnable;
  if (fix(P::AlphaToOne)) state.alphaToOne = m.alphaToOneEnable;
}

void Fold::multisampleExtensions(const void* chain) {
  fix(P::SampleShading);
  coverage(chain);
  const auto* l = findNext<VkPipelineSampleLocationsStateCreateInfoEXT>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT);
  if (fix(P::SampleLocationsEnable)) state.customSampleLocations = l && l->sampleLocationsEnable;
  // The locations count where they can be enabled: by the structure itself or later by the dynamic state.
  const bool used = l && (l->sampleLocationsEnable || dyn(VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_ENABLE_EXT));
  if (used && fix(P::SampleLocations))
    std::copy_n(l->sampleLocationsInfo.pSampleLocations, std::min(l->sampleLocationsInfo.sampleLocationsCount, 16u),
                state.sampleLocation);
}

void Fold::coverage(const void* chain) {
  raster::CoverageState& c = state.coverage;
  const auto* r = findNext<VkPipelineCoverageReductionStateCreateInfoNV>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_COVERAGE_REDUCTION_STATE_CREATE_INFO_NV);
  if (fix(P::CoverageReduction))
    c.reduction = r ? coverageReduction(r->coverageReductionMode) : raster::CoverageReduction::Default;
  const auto* m = findNext<VkPipelineCoverageModulationStateCreateInfoNV>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_COVERAGE_MODULATION_STATE_CREATE_INFO_NV);
  if (fix(P::CoverageModulation)) c.modulation = m ? m->coverageModulationMode : VK_COVERAGE_MODULATION_MODE_NONE_NV;
  if (fix(P::CoverageTableEnable)) c.modulationTable = m && m->coverageModulationTableEnable;
  // The table counts where it can be enabled: by the structure itself or later by the dynamic state.
  const bool used =
      m && (m->coverageModulationTableEnable || dyn(VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_ENABLE_NV));
  if (used && fix(P::CoverageTable))
    setCoverageTable(state, m->pCoverageModulationTable, m->coverageModulationTableCount);
  const auto* t = findNext<VkPipelineCoverageToColorStateCreateInfoNV>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_COVERAGE_TO_COLOR_STATE_CREATE_INFO_NV);
  if (fix(P::CoverageToColorEnable)) c.toColor = t && t->coverageToColorEnable;
  if (fix(P::CoverageToColorLocation)) c.toColorLocation = t ? t->coverageToColorLocation : 0;
}

void Fold::depthStencil(const VkPipelineDepthStencilStateCreateInfo& d) {
  if (fix(P::DepthTest)) state.depthTest = d.depthTestEnable;
  if (fix(P::DepthWrite)) state.depthWrite = d.depthWriteEnable;
  if (fix(P::DepthCompare)) state.depthCompare = d.depthCompareOp;
  if (fix(P::DepthBoundsTest)) state.depthBoundsTest = d.depthBoundsTestEnable;
  if (fix(P::DepthBounds)) {
    state.depthBoundsMin = d.minDepthBounds;
    state.depthBoundsMax = d.maxDepthBounds;
  }
  if (fix(P::StencilTest)) state.stencilTest = d.stencilTestEnable;
  const auto face = [&](raster::StencilFace& to, const VkStencilOpState& from) {
    to.fail = from.failOp, to.pass = from.passOp, to.depthFail = from.depthFailOp, to.compare = from.compareOp;
    to.compareMask = from.compareMask, to.writeMask = from.writeMask, to.reference = from.reference;
  };
  face(state.front, d.front);
  face(state.back, d.back);
  fix(P::StencilOp);
  fix(P::StencilCompareMask);
  fix(P::StencilWriteMask);
  fix(P::StencilReference);
}

void Fold::colorBlend(const VkPipelineColorBlendStateCreateInfo& b) {
  if (fix(P::LogicOpEnable)) state.logicOpEnable = b.logicOpEnable;
  if (fix(P::LogicOp)) state.logicOp = b.logicOp;
  if (fix(P::BlendConstants)) std::copy_n(b.blendConstants, 4, state.blendConstants);
  const uint32_t count = b.pAttachments ? std::min(b.attachmentCount, raster::kMaxColorAttachments) : 0;
  for (uint32_t i = 0; i < count; ++i) {
    const VkPipelineColorBlendAttachmentState& from = b.pAttachments[i];
    raster::BlendAttachment& to = state.blend[i];
    to.enable = from.blendEnable;
    to.srcColor = from.srcColorBlendFactor, to.dstColor = from.dstColorBlendFactor, to.colorOp = from.colorBlendOp;
    to.srcAlpha = from.srcAlphaBlendFactor, to.dstAlpha = from.dstAlphaBlendFactor, to.alphaOp = from.alphaBlendOp;
    to.writeMask = from.colorWriteMask;
  }
  fix(P::BlendEnable);
  // Either command says the operation.
  if (!dyn(VK_DYNAMIC_STATE_COLOR_BLEND_ADVANCED_EXT)) fix(P::BlendEquation);
  fix(P::ColorWriteMask);
}

void Fold::colorWrites(const void* chain) {
  if (fix(P::BlendAdvanced)) {
    const auto* a = findNext<VkPipelineColorBlendAdvancedStateCreateInfoEXT>(
        chain, VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_ADVANCED_STATE_CREATE_INFO_EXT);
    for (raster::BlendAttachment& b : state.blend) {
      b.srcPremultiplied = !a || a->srcPremultiplied, b.dstPremultiplied = !a || a->dstPremultiplied;
      b.overlap = a ? a->blendOverlap : VK_BLEND_OVERLAP_UNCORRELATED_EXT;
      b.clampResults = false;
    }
  }
  if (fix(P::ColorWriteEnable)) {
    for (raster::BlendAttachment& a : state.blend) a.writeEnable = true;
    if (const auto* w =
            findNext<VkPipelineColorWriteCreateInfoEXT>(chain, VK_STRUCTURE_TYPE_PIPELINE_COLOR_WRITE_CREATE_INFO_EXT))
      for (uint32_t i = 0; i < std::min(w->attachmentCount, raster::kMaxColorAttachments); ++i)
        state.blend[i].writeEnable = w->pColorWriteEnables[i];
  }
}

/// VK_EXT_dynamic_rendering_unused_attachments: attachments without a format in the pipeline are neither tested nor
/// written. A render pass says itself what its subpasses use.
void Fold::attachmentFormats() {
  fix(P::AttachmentsDeclared);
  for (raster::BlendAttachment& a : state.blend) a.declared = true;
  state.depthDeclared = state.stencilDeclared = true;
  if (info.renderPass) return;
  const auto declare = [&](const auto* formats) {
    for (uint32_t i = 0; i < raster::kMaxColorAttachments; ++i)
      state.blend[i].declared =
          formats && i < formats->colorAttachmentCount && formats->pColorAttachmentFormats[i] != VK_FORMAT_UNDEFINED;
    state.depthDeclared = formats && formats->depthAttachmentFormat != VK_FORMAT_UNDEFINED;
    state.stencilDeclared = formats && formats->stencilAttachmentFormat != VK_FORMAT_UNDEFINED;
  };
  // What resolves draws to other images, of formats of their own.
  const auto* custom =
      findNext<VkCustomResolveCreateInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_CUSTOM_RESOLVE_CREATE_INFO_EXT);
  if (custom && custom->customResolve) return declare(custom);
  declare(findNext<VkPipelineRenderingCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO));
}

void Fold::run() {
  if (parts & VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT) vertexInput();

  const bool preRaster = parts & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  const bool fragment = parts & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
  const bool output = parts & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
  bool discards = false;
  if (preRaster) {
    if (info.pRasterizationState) {
      if (fix(P::RasterizerDiscard)) {
        state.rasterizerDiscard = info.pRasterizationState->rasterizerDiscardEnable;
        discards = state.rasterizerDiscard;
      }
      rasterization(*info.pRasterizationState);
    }
    rasterizationExtensions(chainOf(info.pRasterizationState));
    discardRectangles();
    tessellation();
    if (!discards) {
      shadingRate();
      if (info.pViewportState) viewports(*info.pViewportState);
      viewportExtensions(chainOf(info.pViewportState));
    }
  }
  if (discards) return;  // the pointers below are ignored

  const Subpass* pass = subpass();
  const bool usesDepth = !pass || pass->depthStencil.attachment != VK_ATTACHMENT_UNUSED;
  const bool usesColor =
      !pass || std::any_of(pass->colors.begin(), pass->colors.end(),
                           [](const AttachmentReference& r) { return r.attachment != VK_ATTACHMENT_UNUSED; });
  if (fragment && usesDepth && info.pDepthStencilState) depthStencil(*info.pDepthStencilState);
  if ((fragment || output) && info.pMultisampleState) multisample(*info.pMultisampleState);
  // A library of the fragment shader may leave all of it to the one of the output.
  if (output || (fragment && info.pMultisampleState)) multisampleExtensions(chainOf(info.pMultisampleState));
  if (output && usesColor) {
    if (info.pColorBlendState) colorBlend(*info.pColorBlendState);
    colorWrites(chainOf(info.pColorBlendState));
  }
  if (output) attachmentFormats();
}

}  // namespace

raster::DepthBiasUnit depthBiasUnit(const void* chain) {
  const auto* info =
      findNext<VkDepthBiasRepresentationInfoEXT>(chain, VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT);
  return info ? raster::DepthBiasUnit(info->depthBiasRepresentation) : raster::DepthBiasUnit::Format;
}

void setDepthClampRange(DrawState& state, VkDepthClampModeEXT mode, const VkDepthClampRangeEXT* range) {
  state.depthClampRangeSet = mode == VK_DEPTH_CLAMP_MODE_USER_DEFINED_RANGE_EXT && range;
  if (!state.depthClampRangeSet) return;
  state.depthClampMin = range->minDepthClamp;
  state.depthClampMax = range->maxDepthClamp;
}

void setFragmentShadingRate(DrawState& state, VkExtent2D size, VkFragmentShadingRateCombinerOpKHR withPrimitive,
                            VkFragmentShadingRateCombinerOpKHR withAttachment) {
  const auto log = [](uint32_t n) {
    return std::min(uint32_t(std::bit_width(n | 1)) - 1, raster::kMaxLogFragmentSize);
  };
  state.shadingRate = raster::makeRate(log(size.width), log(size.height));
  state.shadingRateCombiner[0] = withPrimitive, state.shadingRateCombiner[1] = withAttachment;
}

raster::CoverageReduction coverageReduction(VkCoverageReductionModeNV mode) {
  return mode == VK_COVERAGE_REDUCTION_MODE_TRUNCATE_NV ? raster::CoverageReduction::Truncate
                                                        : raster::CoverageReduction::Merge;
}

void setCoverageTable(DrawState& state, const float* table, uint32_t count) {
  for (uint32_t i = 0; table && i < std::min<uint32_t>(count, std::size(state.coverage.table)); ++i)
    state.coverage.table[i] = table[i] > 0 ? std::min(table[i], 1.0f) : 0.0f;
}

void foldGraphicsState(const VkGraphicsPipelineCreateInfo& info, VkGraphicsPipelineLibraryFlagsEXT parts,
                       DrawState& state, StateSet& fixed) {
  Fold{info, parts, state, fixed}.run();
}

}  // namespace etzel::icd
