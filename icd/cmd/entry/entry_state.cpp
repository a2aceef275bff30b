// vkCmdSet*: every piece of raster::DrawState that can be dynamic (raster/draw_state.def). One short function each; a
// pipeline that has the same piece as static state overwrites it when bound, which is what the specification asks for.
#include <algorithm>
#include <type_traits>

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

// The commands that store one value.
#define STATE(piece, dynamicState, setter, ...) setter
#define VALUE(command, parameter, assignment)            \
  void command(VkCommandBuffer c, parameter v) {         \
    recordState(c, [=](DrawState& s) { s.assignment; }); \
  }
#include "raster/draw_state.def"

void CmdSetPrimitiveRestartIndex(VkCommandBuffer c, uint32_t index) {
  record(c, [=](Replay& r) { r.setRestartIndex(index); });
}

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
  const VkSampleMask first = mask ? *mask : ~0u;  // at most 16 samples: one word
  recordState(c, [=](DrawState& s) { s.sampleMask = first; });
}

void CmdSetCoverageModulationTable(VkCommandBuffer c, uint32_t count, const float* table) {
  const float* kept = keep(c, table, count);
  recordState(c, [=](DrawState& s) { setCoverageTable(s, kept, count); });
}

void CmdSetFragmentShadingRate(VkCommandBuffer c, const VkExtent2D* size,
                               const VkFragmentShadingRateCombinerOpKHR combiners[2]) {
  const VkExtent2D fragment = *size;
  const VkFragmentShadingRateCombinerOpKHR first = combiners[0], second = combiners[1];
  recordState(c, [=](DrawState& s) { setFragmentShadingRate(s, fragment, first, second); });
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

void CmdSetColorBlendAdvanced(VkCommandBuffer c, uint32_t first, uint32_t count, const VkColorBlendAdvancedEXT* all) {
  recordBlend(c, first, count, all, [](raster::BlendAttachment& b, const VkColorBlendAdvancedEXT& a) {
    b.colorOp = b.alphaOp = a.advancedBlendOp;
    b.srcPremultiplied = a.srcPremultiplied, b.dstPremultiplied = a.dstPremultiplied;
    b.overlap = a.blendOverlap;
    b.clampResults = a.clampResults;
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

// What has no effect.
void CmdSetAttachmentFeedbackLoopEnable(VkCommandBuffer, VkImageAspectFlags) {}
void CmdSetRepresentativeFragmentTestEnable(VkCommandBuffer, VkBool32) {}
void CmdSetShadingRateImageEnable(VkCommandBuffer, VkBool32) {}
void CmdSetViewportSwizzle(VkCommandBuffer, uint32_t, uint32_t, const VkViewportSwizzleNV*) {}
void CmdSetViewportWScalingEnable(VkCommandBuffer, VkBool32) {}

// Every row that names a command has one.
#define STATE(piece, dynamicState, setter, ...) setter
#define OWN(command) static_assert(std::is_function_v<decltype(command)>);
#define WITHOUT_EFFECT(dynamicState, command) static_assert(std::is_function_v<decltype(command)>);
#include "raster/draw_state.def"

}  // namespace etzel::icd
