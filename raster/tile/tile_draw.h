// What tiles need of a draw, derived from its DrawState once: which attachments are really written and how, in which
// order tests and shading happen. Immutable plain data; made by prepareDraw() on the queue thread, read by workers.
#pragma once

#include "raster/bin.h"
#include "raster/msaa/sample_positions.h"
#include "raster/rop/surface.h"

namespace etzel::raster {

/// How the stored depth is compared: as codes for fixed point, as floats otherwise.
enum class DepthFormat : uint8_t { None, D16, D24, D32F };

struct DepthStencilState {
  Surface depth, stencil;
  DepthFormat format = DepthFormat::None;
  bool depthTest = false, depthWrite = false, boundsTest = false, stencilTest = false;
  bool depthClamp = false;
  VkCompareOp compare = VK_COMPARE_OP_ALWAYS;
  float boundsMin = 0, boundsMax = 1;
  StencilFace front, back;
  bool any() const { return depthTest || boundsTest || stencilTest; }
};

/// The way texels are converted. Generic goes through the format table's functions.
enum class ColorPath : uint8_t { Generic, Rgba8, Bgra8, Rgba8Srgb, Bgra8Srgb, R8, Rgba16F, R32F, Rgba32F };
/// How blending treats numbers ("Blending": fixed-point attachments clamp their operands).
enum class BlendClamp : uint8_t { None, Unorm, Snorm };

struct ColorTarget {
  Surface surface;
  ColorPath path = ColorPath::Generic;
  format::DecodeFn decode = nullptr;
  format::EncodeFn encode = nullptr;
  uint32_t attachment = 0;
  bool blend = false, reads = false;      ///< reads: the old texel is needed
  bool integer = false;
  bool opaque8888 = false;                ///< Rgba8 or Bgra8 and nothing is read
  bool logicOp = false, partialMask = false;
  BlendClamp clamp = BlendClamp::None;
  BlendAttachment equation;
  VkLogicOp op = VK_LOGIC_OP_COPY;
  float constants[4] = {};                ///< already clamped
  alignas(16) uint8_t writeBits[16] = {}; ///< bits of a texel that the write mask lets through
  uint32_t writeWord = 0;                 ///< the first four bytes of writeBits
};

struct TileDraw {
  const abi::Kernel* kernel = nullptr;
  SamplePositions positions;
  uint8_t locations[2 * kMaxSamples] = {};  ///< the same as (x, y) pairs, for the kernels' context
  uint32_t samples = 1;
  uint32_t sampleMask = ~0u;
  uint32_t lateSampleMask = ~0u;  ///< the part of the test that comes after the depth test (PostDepthCoverage)
  bool perSample = false;        ///< one invocation per sample
  bool earlyTests = true;        ///< depth and stencil before shading, with their writes
  bool skipShading = false;      ///< shading has no effect; invocations are still counted
  bool cullBeforeShading = false;  ///< late tests, but what fails the depth test has no effect: skip its shading
  bool usesFragCoordZ = false, usesFragCoordW = false, needsCentroid = false;
  bool alphaToCoverage = false, alphaToOne = false, dualSource = false;
  bool writesDepth = false, writesSampleMask = false, writesStencilRef = false;
  bool countSamples = false;
  bool tests = false;            ///< depthStencil.any()
  bool interiorOnce = false;     ///< samples that are covered alike stay so until they are written, all compressed
  bool replacesAll = false;      ///< interiorOnce, and every covered pixel gets its new colours whatever was there
  DepthStencilState depthStencil;
  ColorTarget color[kMaxColorAttachments];
  uint32_t colorCount = 0;       ///< targets that this draw writes
  uint32_t safeWidth = 0, safeHeight = 0;  ///< groups inside may touch all attachments' pixels with whole vectors
};

}  // namespace etzel::raster
