// vkCmdSet*: every piece of raster::DrawState that can be dynamic. One short function each; a pipeline that has the
// same piece as static state overwrites it when bound, which is what the specification asks for.
#include <algorithm>

#include "icd/cmd/entry/record.h"

namespace etzel::icd {
namespace {

using raster::DrawState;

/// Copies array elements [first, first + count) into `to`, which has N of them.
template <class T, size_t N>
void place(T (&to)[N], const T* from, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count && first + i < N; ++i) to[first + i] = from[i];
}

template <class F>
void forFaces(DrawState& s, VkStencilFaceFlags faces, F change) {
  if (faces & VK_STENCIL_FACE_FRONT_BIT) change(s.front);
  if (faces & VK_STENCIL_FACE_BACK_BIT) change(s.back);
}

/// `change(BlendAttachment&, const T&)` for each attachment of the range.
template <class T, class F>
void recordBlend(VkCommandBuffer c, uint32_t first, uint32_t count, const T* values, F change) {
  const T* kept = keep(c, values, count);
  recordState(c, [=](DrawState& s) {
    for (uint32_t i = 0; i < count && first + i < raster::kMaxColorAttachments; ++i)
      change(s.blend[first + i], kept[i]);
  });
}

}  // namespace

// A command that stores one value: name, parameter type, statement over `s` and `v`.
#define ETZEL_SET(NAME, TYPE, STATEMENT)              \
  void CmdSet##NAME(VkCommandBuffer c, TYPE v) {      \
    recordState(c, [=](DrawState& s) { STATEMENT; }); \
  }

ETZEL_SET(LineWidth, float, s.lineWidth = v)
ETZEL_SET(CullMode, VkCullModeFlags, s.cullMode = v)
ETZEL_SET(FrontFace, VkFrontFace, s.frontFace = v)
ETZEL_SET(PrimitiveTopology, VkPrimitiveTopology, s.topology = v)
ETZEL_SET(DepthTestEnable, VkBool32, s.depthTest = v)
ETZEL_SET(DepthWriteEnable, VkBool32, s.depthWrite = v)
ETZEL_SET(DepthCompareOp, VkCompareOp, s.depthCompare = v)
ETZEL_SET(DepthBoundsTestEnable, VkBool32, s.depthBoundsTest = v)
ETZEL_SET(StencilTestEnable, VkBool32, s.stencilTest = v)
ETZEL_SET(RasterizerDiscardEnable, VkBool32, s.rasterizerDiscard = v)
ETZEL_SET(DepthBiasEnable, VkBool32, s.depthBias = v)
ETZEL_SET(PrimitiveRestartEnable, VkBool32, s.primitiveRestart = v)
ETZEL_SET(PatchControlPoints, uint32_t, s.patchControlPoints = v)
ETZEL_SET(LogicOp, VkLogicOp, s.logicOp = v)
ETZEL_SET(LogicOpEnable, VkBool32, s.logicOpEnable = v)
ETZEL_SET(TessellationDomainOrigin, VkTessellationDomainOrigin,
          s.tessDomainOriginLowerLeft = v == VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT)
ETZEL_SET(PolygonMode, VkPolygonMode, s.polygonMode = v)
ETZEL_SET(RasterizationSamples, VkSampleCountFlagBits, s.samples = v)
ETZEL_SET(AlphaToCoverageEnable, VkBool32, s.alphaToCoverage = v)
ETZEL_SET(AlphaToOneEnable, VkBool32, s.alphaToOne = v)
ETZEL_SET(RasterizationStream, uint32_t, s.rasterizationStream = v)
ETZEL_SET(ConservativeRasterizationMode, VkConservativeRasterizationModeEXT,
          s.conservative = v != VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT)
ETZEL_SET(SampleLocationsEnable, VkBool32, s.customSampleLocations = v)
ETZEL_SET(ProvokingVertexMode, VkProvokingVertexModeEXT,
          s.provokingVertexLast = v == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT)
ETZEL_SET(LineRasterizationMode, VkLineRasterizationModeEXT, s.lineMode = v)
ETZEL_SET(LineStippleEnable, VkBool32, s.lineStipple = v)
ETZEL_SET(DepthClipNegativeOneToOne, VkBool32, s.negativeOneToOne = v)
ETZEL_SET(DiscardRectangleEnable, VkBool32, s.discardRectangleEnable = v)
ETZEL_SET(DiscardRectangleMode, VkDiscardRectangleModeEXT, s.discardRectangleMode = v)
ETZEL_SET(CoverageReductionMode, VkCoverageReductionModeNV, s.coverage.reduction = coverageReduction(v))
ETZEL_SET(CoverageModulationMode, VkCoverageModulationModeNV, s.coverage.modulation = v)
ETZEL_SET(CoverageModulationTableEnable, VkBool32, s.coverage.modulationTable = v)
ETZEL_SET(CoverageToColorEnable, VkBool32, s.coverage.toColor = v)
ETZEL_SET(CoverageToColorLocation, uint32_t, s.coverage.toColorLocation = v)

#undef ETZEL_SET

void CmdSetDepthClipEnable(VkCommandBuffer c, VkBool32 enable) {
  record(c, [=](Replay& r) { r.setDepthClip(enable); });
}

void CmdSetDepthClampEnable(VkCommandBuffer c, VkBool32 enable) {
  record(c, [=](Replay& r) { r.setDepthClamp(enable); });
}

void CmdSetDepthBias2(VkCommandBuffer c, const VkDepthBiasInfoEXT* info) {
  const float constant = info->depthBiasConstantFactor, clamp = info->depthBiasClamp,
              slope = info->depthBiasSlopeFactor;
  const raster::DepthBiasUnit unit = depthBiasUnit(info->pNext);
  recordState(c, [=](DrawState& s) {
    s.depthBiasConstant = constant;
    s.depthBiasClamp = clamp;
    s.depthBiasSlope = slope;
    s.depthBiasUnit = unit;
  });
}

void CmdSetDepthBias(VkCommandBuffer c, float constant, float clamp, float slope) {
  const VkDepthBiasInfoEXT info{VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT, nullptr, constant, clamp, slope};
  CmdSetDepthBias2(c, &info);
}

void CmdSetDepthClampRange(VkCommandBuffer c, VkDepthClampModeEXT mode, const VkDepthClampRangeEXT* range) {
  const VkDepthClampRangeEXT kept = range ? *range : VkDepthClampRangeEXT{0, 1};
  recordState(c, [=](DrawState& s) { setDepthClampRange(s, mode, &kept); });
}

void CmdSetDiscardRectangle(VkCommandBuffer c, uint32_t first, uint32_t count, const VkRect2D* rectangles) {
  const VkRect2D* kept = keep(c, rectangles, count);
  recordState(c, [=](DrawState& s) { place(s.discardRectangle, kept, first, count); });
}

void CmdSetDepthBounds(VkCommandBuffer c, float min, float max) {
  recordState(c, [=](DrawState& s) {
    s.depthBoundsMin = min;
    s.depthBoundsMax = max;
  });
}

void CmdSetBlendConstants(VkCommandBuffer c, const float constants[4]) {
  const float* kept = keep(c, constants, 4);
  recordState(c, [=](DrawState& s) { place(s.blendConstants, kept, 0, 4); });
}

void CmdSetViewport(VkCommandBuffer c, uint32_t first, uint32_t count, const VkViewport* viewports) {
  const VkViewport* kept = keep(c, viewports, count);
  recordState(c, [=](DrawState& s) { place(s.viewport, kept, first, count); });
}

void CmdSetScissor(VkCommandBuffer c, uint32_t first, uint32_t count, const VkRect2D* scissors) {
  const VkRect2D* kept = keep(c, scissors, count);
  recordState(c, [=](DrawState& s) { place(s.scissor, kept, first, count); });
}

void CmdSetViewportWithCount(VkCommandBuffer c, uint32_t count, const VkViewport* viewports) {
  CmdSetViewport(c, 0, count, viewports);
  recordState(c, [=](DrawState& s) { s.viewportCount = std::min(count, raster::kMaxViewports); });
}

void CmdSetScissorWithCount(VkCommandBuffer c, uint32_t count, const VkRect2D* scissors) {
  CmdSetScissor(c, 0, count, scissors);
  recordState(c, [=](DrawState& s) { s.scissorCount = std::min(count, raster::kMaxViewports); });
}

void CmdSetStencilCompareMask(VkCommandBuffer c, VkStencilFaceFlags faces, uint32_t mask) {
  recordState(c, [=](DrawState& s) { forFaces(s, faces, [=](raster::StencilFace& f) { f.compareMask = mask; }); });
}

void CmdSetStencilWriteMask(VkCommandBuffer c, VkStencilFaceFlags faces, uint32_t mask) {
  recordState(c, [=](DrawState& s) { forFaces(s, faces, [=](raster::StencilFace& f) { f.writeMask = mask; }); });
}

void CmdSetStencilReference(VkCommandBuffer c, VkStencilFaceFlags faces, uint32_t reference) {
  recordState(c, [=](DrawState& s) { forFaces(s, faces, [=](raster::StencilFace& f) { f.reference = reference; }); });
}

void CmdSetStencilOp(VkCommandBuffer c, VkStencilFaceFlags faces, VkStencilOp fail, VkStencilOp pass,
                     VkStencilOp depthFail, VkCompareOp compare) {
  recordState(c, [=](DrawState& s) {
    forFaces(s, faces, [=](raster::StencilFace& f) {
      f.fail = fail;
      f.pass = pass;
      f.depthFail = depthFail;
      f.compare = compare;
    });
  });
}

void CmdSetLineStipple(VkCommandBuffer c, uint32_t factor, uint16_t pattern) {
  recordState(c, [=](DrawState& s) {
    s.lineStippleFactor = factor;
    s.lineStipplePattern = pattern;
  });
}

void CmdSetSampleMask(VkCommandBuffer c, VkSampleCountFlagBits, const VkSampleMask* mask) {
  const VkSampleMask first = *mask;  // at most 16 samples: one word
  recordState(c, [=](DrawState& s) { s.sampleMask = first; });
}

void CmdSetCoverageModulationTable(VkCommandBuffer c, uint32_t count, const float* table) {
  const float* kept = keep(c, table, count);
  recordState(c, [=](DrawState& s) { setCoverageTable(s, kept, count); });
}

void CmdSetSampleLocations(VkCommandBuffer c, const VkSampleLocationsInfoEXT* info) {
  const uint32_t count = std::min(info->sampleLocationsCount, 16u);
  const VkSampleLocationEXT* kept = keep(c, info->pSampleLocations, count);
  recordState(c, [=](DrawState& s) { place(s.sampleLocation, kept, 0, count); });
}

void CmdSetColorBlendEnable(VkCommandBuffer c, uint32_t first, uint32_t count, const VkBool32* enables) {
  recordBlend(c, first, count, enables, [](raster::BlendAttachment& b, VkBool32 on) { b.enable = on; });
}

void CmdSetColorBlendEquation(VkCommandBuffer c, uint32_t first, uint32_t count,
                              const VkColorBlendEquationEXT* equations) {
  recordBlend(c, first, count, equations, [](raster::BlendAttachment& b, const VkColorBlendEquationEXT& e) {
    b.srcColor = e.srcColorBlendFactor;
    b.dstColor = e.dstColorBlendFactor;
    b.colorOp = e.colorBlendOp;
    b.srcAlpha = e.srcAlphaBlendFactor;
    b.dstAlpha = e.dstAlphaBlendFactor;
    b.alphaOp = e.alphaBlendOp;
  });
}

void CmdSetColorWriteMask(VkCommandBuffer c, uint32_t first, uint32_t count, const VkColorComponentFlags* masks) {
  recordBlend(c, first, count, masks, [](raster::BlendAttachment& b, VkColorComponentFlags m) { b.writeMask = m; });
}

void CmdSetColorWriteEnable(VkCommandBuffer c, uint32_t count, const VkBool32* enables) {
  recordBlend(c, 0, count, enables, [](raster::BlendAttachment& b, VkBool32 on) { b.writeEnable = on; });
}

void CmdSetVertexInput(VkCommandBuffer c, uint32_t bindingCount, const VkVertexInputBindingDescription2EXT* bindings,
                       uint32_t attributeCount, const VkVertexInputAttributeDescription2EXT* attributes) {
  const auto* b = keep(c, bindings, bindingCount);
  const auto* a = keep(c, attributes, attributeCount);
  record(c, [=](Replay& r) {
    DrawState& s = r.state();
    for (raster::VertexAttribute& t : s.attribute) t.enabled = false;
    for (uint32_t i = 0; i < bindingCount; ++i) {
      if (b[i].binding >= raster::kMaxVertexBindings) continue;
      raster::VertexBinding& t = s.binding[b[i].binding];
      r.setVertexStride(b[i].binding, b[i].stride);
      t.perInstance = b[i].inputRate == VK_VERTEX_INPUT_RATE_INSTANCE;
      t.divisor = t.perInstance ? b[i].divisor : 1;
    }
    for (uint32_t i = 0; i < attributeCount; ++i) {
      if (a[i].location >= raster::kMaxVertexAttributes) continue;
      s.attribute[a[i].location] = {true, uint8_t(a[i].binding), a[i].format, a[i].offset};
    }
  });
}

// Commands of VK_EXT_extended_dynamic_state3 whose features are not offered: valid applications never call them.
void CmdSetColorBlendAdvanced(VkCommandBuffer, uint32_t, uint32_t, const VkColorBlendAdvancedEXT*) {}
void CmdSetExtraPrimitiveOverestimationSize(VkCommandBuffer, float) {}
void CmdSetRepresentativeFragmentTestEnable(VkCommandBuffer, VkBool32) {}
void CmdSetShadingRateImageEnable(VkCommandBuffer, VkBool32) {}
void CmdSetViewportSwizzle(VkCommandBuffer, uint32_t, uint32_t, const VkViewportSwizzleNV*) {}
void CmdSetViewportWScalingEnable(VkCommandBuffer, VkBool32) {}

// Attachments can always be sampled: nothing is compressed or cached between draws.
void CmdSetAttachmentFeedbackLoopEnable(VkCommandBuffer, VkImageAspectFlags) {}

}  // namespace etzel::icd
