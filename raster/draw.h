// What a draw is, once the command buffer's state has been folded into it: attachments, fixed-function state, kernels,
// parameters. icd/cmd/replay/ fills these structures; nothing here knows Vulkan objects, only enums. Who takes them is
// raster/pass/render_pass.h.
#pragma once

#include "runtime/abi/kernel.h"
#include "runtime/tex/view.h"

namespace etzel::raster {

inline constexpr uint32_t kMaxColorAttachments = 16;
inline constexpr uint32_t kMaxViewports = 16;
inline constexpr uint32_t kMaxDiscardRectangles = 16;
inline constexpr uint32_t kMaxVertexBindings = 32;
inline constexpr uint32_t kMaxVertexAttributes = 32;
inline constexpr uint32_t kMaxXfbBuffers = 4;

/// Attachments of one subpass (or dynamic rendering instance). Null views are unused attachments.
struct Attachments {
  const tex::ImageView* color[kMaxColorAttachments] = {};
  uint32_t colorCount = 0;
  const tex::ImageView* depth = nullptr;    ///< plane = depth plane
  const tex::ImageView* stencil = nullptr;  ///< plane = stencil plane (view of the stencil aspect)
  VkRect2D renderArea{};
  uint32_t layers = 1;
  uint32_t viewMask = 0;  ///< multiview: draws are repeated per bit, into that layer
  uint32_t samples = 1;   ///< of the attachments
  /// Attachments that nobody else looks at while the pass lasts: tile memory may stand for them. A bit each, by number.
  uint32_t alone = 0;
  uint32_t discarded = 0;  ///< of those: nothing is kept after finish()
  uint32_t undefined = 0;  ///< of those: nothing is kept of what the render area had before begin()

  /// Numbers of attachments: colours, then depth, then stencil.
  static constexpr uint32_t count = kMaxColorAttachments + 2;
  static constexpr uint32_t depthIndex = kMaxColorAttachments, stencilIndex = depthIndex + 1;
  static constexpr uint32_t depthBit = 1u << depthIndex, stencilBit = 1u << stencilIndex;
  const tex::ImageView* view(uint32_t index) const {
    if (index == depthIndex) return depth;
    if (index == stencilIndex) return stencil;
    return index < colorCount ? color[index] : nullptr;
  }
};

struct VertexAttribute {
  bool enabled = false;
  uint8_t binding = 0;
  VkFormat format = VK_FORMAT_UNDEFINED;
  uint32_t offset = 0;
};
struct VertexBinding {
  const std::byte* data = nullptr;  ///< null: reads give 0
  uint64_t size = 0;                ///< bytes from `data` that may be read; beyond reads give 0 (robustBufferAccess2)
  uint32_t stride = 0;
  bool perInstance = false;
  uint32_t divisor = 1;  ///< 0: the same for all instances
};

struct StencilFace {
  VkStencilOp fail = VK_STENCIL_OP_KEEP, pass = VK_STENCIL_OP_KEEP, depthFail = VK_STENCIL_OP_KEEP;
  VkCompareOp compare = VK_COMPARE_OP_ALWAYS;
  uint32_t compareMask = ~0u, writeMask = ~0u, reference = 0;
};
struct BlendAttachment {
  bool enable = false;
  VkBlendFactor srcColor = VK_BLEND_FACTOR_ONE, dstColor = VK_BLEND_FACTOR_ZERO;
  VkBlendFactor srcAlpha = VK_BLEND_FACTOR_ONE, dstAlpha = VK_BLEND_FACTOR_ZERO;
  VkBlendOp colorOp = VK_BLEND_OP_ADD, alphaOp = VK_BLEND_OP_ADD;
  VkColorComponentFlags writeMask = 0xF;
  bool writeEnable = true;  ///< VK_EXT_color_write_enable; icd folds it into writeMask before a draw reaches raster
  bool declared = true;     ///< the pipeline gives this attachment a format; icd folds it in likewise
  bool writes() const { return writeEnable && declared; }
};

/// Counters that draws feed while a query is active. Written by the rasterizer, read at query end.
struct Statistics {
  uint64_t inputVertices = 0, inputPrimitives = 0, vertexInvocations = 0, geometryInvocations = 0,
           geometryPrimitives = 0, clippingInvocations = 0, clippingPrimitives = 0, fragmentInvocations = 0,
           controlPatches = 0, evaluationInvocations = 0;
  uint64_t samplesPassed = 0;  ///< occlusion, exact
  uint64_t xfbPrimitivesWritten[4] = {}, xfbPrimitivesNeeded[4] = {};
  uint64_t primitivesGenerated[4] = {};
};

struct XfbBuffer {
  std::byte* data = nullptr;
  uint64_t size = 0;
  uint64_t written = 0;  ///< bytes; in: where to append, out: where it ended
};

/// What depthBiasConstant counts (VK_EXT_depth_bias_control's representations, in its order).
enum class DepthBiasUnit : uint8_t {
  Format,      ///< least representable value of the depth format
  ForceUnorm,  ///< as if a floating-point format were a 24-bit fixed-point one
  Float,       ///< depth itself
};

/// How colour samples are covered where there are fewer of them than of rasterization ("Coverage Reduction").
enum class CoverageReduction : uint8_t {
  Default,   ///< no structure said it: the replay decides by the device's extensions; Merge in the rasterizer
  Merge,     ///< any of the samples that belong to it is covered
  Truncate,  ///< the sample with the same number is covered
};

/// "Coverage Reduction" and "Fragment Coverage to Color" (VK_NV_framebuffer_mixed_samples and its relatives).
struct CoverageState {
  CoverageReduction reduction = CoverageReduction::Default;
  VkCoverageModulationModeNV modulation = VK_COVERAGE_MODULATION_MODE_NONE_NV;
  bool modulationTable = false;
  float table[16] = {};  ///< [covered samples - 1], in [0, 1]
  bool toColor = false;
  uint32_t toColorLocation = 0;
};

/// All state of a draw, everything dynamic already folded in.
struct DrawState {
  /// Draws of a pass with the same version, if it is not 0, differ in nothing but context, vertex buffers, statistics
  /// and feedback, and name the attachments of the pass.
  uint64_t version = 0;
  Statistics* statistics = nullptr;  ///< non-null while any query needs it
  bool countSamples = false;         ///< an occlusion query is active
  const abi::Kernel* vertex = nullptr;
  const abi::Kernel* control = nullptr;
  const abi::Kernel* evaluation = nullptr;
  const abi::Kernel* geometry = nullptr;
  const abi::Kernel* fragment = nullptr;  ///< null: depth and stencil only
  abi::DispatchContext context;           ///< descriptor tables and push constants; memory outlives flush()
  Attachments attachments;

  VertexAttribute attribute[kMaxVertexAttributes];
  VertexBinding binding[kMaxVertexBindings];
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  bool primitiveRestart = false;
  uint32_t patchControlPoints = 3;
  bool tessDomainOriginLowerLeft = false;

  bool rasterizerDiscard = false, depthClamp = false, depthClip = true, depthBias = false;
  float depthBiasConstant = 0, depthBiasClamp = 0, depthBiasSlope = 0;
  DepthBiasUnit depthBiasUnit = DepthBiasUnit::Format;
  VkPolygonMode polygonMode = VK_POLYGON_MODE_FILL;
  VkCullModeFlags cullMode = 0;
  VkFrontFace frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
  float lineWidth = 1;
  VkLineRasterizationModeEXT lineMode = VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT;
  bool lineStipple = false;
  uint32_t lineStippleFactor = 1;
  uint16_t lineStipplePattern = 0xFFFF;
  bool provokingVertexLast = false;
  bool negativeOneToOne = false;    ///< VK_EXT_depth_clip_control
  bool depthClampRangeSet = false;  ///< VK_EXT_depth_clamp_control: clamp to these, not the viewports' ranges
  float depthClampMin = 0, depthClampMax = 1;
  bool conservative = false;
  uint32_t rasterizationStream = 0;
  uint32_t viewportCount = 1, scissorCount = 1;
  VkViewport viewport[kMaxViewports] = {};
  VkRect2D scissor[kMaxViewports] = {};
  bool discardRectangleEnable = false;  ///< "Discard Rectangles Test"
  VkDiscardRectangleModeEXT discardRectangleMode = VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT;
  uint32_t discardRectangleCount = kMaxDiscardRectangles;
  VkRect2D discardRectangle[kMaxDiscardRectangles] = {};  ///< those without extent hold no sample

  uint32_t samples = 1;  ///< rasterization samples
  bool sampleShading = false;
  float minSampleShading = 0;
  uint32_t sampleMask = ~0u;
  bool alphaToCoverage = false, alphaToOne = false;
  CoverageState coverage;
  bool customSampleLocations = false;
  VkSampleLocationEXT sampleLocation[16] = {};

  bool depthTest = false, depthWrite = false, depthBoundsTest = false, stencilTest = false;
  VkCompareOp depthCompare = VK_COMPARE_OP_ALWAYS;
  float depthBoundsMin = 0, depthBoundsMax = 1;
  StencilFace front, back;
  bool depthDeclared = true, stencilDeclared = true;  ///< as BlendAttachment::declared; icd folds it into the tests

  bool logicOpEnable = false;
  VkLogicOp logicOp = VK_LOGIC_OP_COPY;
  BlendAttachment blend[kMaxColorAttachments];
  float blendConstants[4] = {};

  XfbBuffer* xfb = nullptr;  ///< [kMaxXfbBuffers], non-null while transform feedback is active
};

struct DrawParams {
  uint32_t count = 0;  ///< vertices or indices
  uint32_t instanceCount = 1;
  uint32_t first = 0;  ///< firstVertex or firstIndex
  int32_t vertexOffset = 0;
  uint32_t firstInstance = 0;
  uint32_t drawIndex = 0;
  const std::byte* indices = nullptr;  ///< null: not indexed
  uint64_t indexBytes = 0;             ///< readable bytes; an index past them reads as 0
  VkIndexType indexType = VK_INDEX_TYPE_UINT32;
};

struct ClearRect {
  VkRect2D rect;
  uint32_t baseLayer = 0, layerCount = 1;
};

/// A resolve at the end of a subpass ("Render Pass Multisample Resolve Operations").
struct AttachmentResolve {
  const tex::ImageView* from;
  const tex::ImageView* to;
  VkImageAspectFlagBits aspect;
  VkResolveModeFlagBits mode;
};

}  // namespace etzel::raster
