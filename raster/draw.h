// What a draw is, once the command buffer's state has been folded into it: attachments, fixed-function state, kernels,
// parameters. icd/cmd/replay/ fills these structures; nothing here knows Vulkan objects, only enums. Who takes them is
// raster/pass/render_pass.h.
#pragma once

#include "raster/density_map.h"
#include "raster/shading_rate.h"
#include "runtime/abi/kernel.h"
#include "runtime/abi/limits.h"
#include "runtime/tex/view.h"

namespace etzel::raster {

inline constexpr uint32_t kMaxColorAttachments = 16;
inline constexpr uint32_t kMaxViewports = 16;
inline constexpr uint32_t kMaxDiscardRectangles = 16;
inline constexpr uint32_t kMaxVertexBindings = 32;
inline constexpr uint32_t kMaxVertexAttributes = 32;
inline constexpr uint32_t kMaxXfbBuffers = 4;

class PixelProbe;  ///< raster/pixel_probe.h

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
  /// Texels say how large fragments are in so many pixels of the framebuffer, powers of two of at least 8; null: none.
  const tex::ImageView* shadingRate = nullptr;
  VkExtent2D shadingRateTexel{};
  DensityAttachment density;  ///< in place of shading rates
  /// Attachments that nobody else looks at while the pass lasts: tile memory may stand for them. A bit each, by number.
  uint32_t alone = 0;
  uint32_t discarded = 0;       ///< of those: nothing is kept after finish()
  uint32_t undefined = 0;       ///< of those: nothing is kept of what the render area had before begin()
  PixelProbe* probe = nullptr;  ///< looks at one pixel; null: nobody does
  /// Which of the fragment shader's locations each colour takes; kNoLocation: none.
  uint8_t location[kMaxColorAttachments] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  static constexpr uint8_t kNoLocation = 255;

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
#define STATE(piece, dynamicState, setter, ...) __VA_ARGS__
#define BINDING(type, name, initial) type name = initial;
#include "raster/draw_state.def"
};

struct StencilFace {
#define STATE(piece, dynamicState, setter, ...) __VA_ARGS__
#define FACE(type, name, initial) type name = initial;
#include "raster/draw_state.def"
};
struct BlendAttachment {
#define STATE(piece, dynamicState, setter, ...) __VA_ARGS__
#define BLEND(type, name, initial) type name = initial;
#include "raster/draw_state.def"
  bool writes() const { return writeEnable && declared; }
};
/// Whether an operation is one of "Advanced Blend Operations", of colour and alpha together and without factors.
constexpr bool isAdvanced(VkBlendOp op) { return op >= VK_BLEND_OP_ZERO_EXT; }

/// Counters that draws feed while a query is active. Written by the rasterizer, read at query end.
struct Statistics {
  uint64_t inputVertices = 0, inputPrimitives = 0, vertexInvocations = 0, geometryInvocations = 0,
           geometryPrimitives = 0, clippingInvocations = 0, clippingPrimitives = 0, fragmentInvocations = 0,
           controlPatches = 0, evaluationInvocations = 0;
  uint64_t samplesPassed = 0;  ///< occlusion, exact
  uint64_t xfbPrimitivesWritten[abi::kMaxStreams] = {}, xfbPrimitivesNeeded[abi::kMaxStreams] = {};
  uint64_t primitivesGenerated[abi::kMaxStreams] = {};
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
#define STATE(piece, dynamicState, setter, ...) __VA_ARGS__
#define COVERAGE(type, name, initial) type name = initial;
#define COVERAGE_ARRAY(type, name, count) type name[count] = {};
#include "raster/draw_state.def"
};

/// All state of a draw, everything dynamic already folded in: what is bound, and the members that draw_state.def names.
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

  VertexBinding binding[kMaxVertexBindings];
  StencilFace front, back;
  BlendAttachment blend[kMaxColorAttachments];
  CoverageState coverage;
#define STATE(piece, dynamicState, setter, ...) __VA_ARGS__
#define FIELD(type, name, initial) type name = initial;
#define ARRAY(type, name, count) type name[count] = {};
#define LIST(type, name, count) type name[count];
#include "raster/draw_state.def"

  XfbBuffer* xfb = nullptr;        ///< [kMaxXfbBuffers], non-null while transform feedback is active
  bool clampsDepthToUnit = false;  ///< without depthClamp: to [0, 1] ("Depth Clamping and Range Adjustment")
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
  uint64_t restartIndex = kGreatestIndex;                   ///< the index that restarts primitives
  static constexpr uint64_t kGreatestIndex = ~uint64_t{0};  ///< of the index type
};

struct ClearRect {
  VkRect2D rect;
  uint32_t baseLayer = 0, layerCount = 1;
  bool isLoad = false;  ///< a load operation
};

/// A resolve at the end of a subpass ("Render Pass Multisample Resolve Operations").
struct AttachmentResolve {
  const tex::ImageView* from;
  const tex::ImageView* to;
  VkImageAspectFlagBits aspect;
  VkResolveModeFlagBits mode;
  bool skipTransferFunction = false;  ///< sRGB colours are averaged as they are stored
};

}  // namespace etzel::raster
