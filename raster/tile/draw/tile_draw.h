// What tiles need of a draw, derived from its DrawState once: which attachments are really written and how, in which
// order tests and shading happen. Immutable plain data; made by prepareDraw() on the queue thread, read by workers.
#pragma once

#include "raster/attachment/surface.h"
#include "raster/bin.h"
#include "raster/sample_locations.h"
#include "runtime/base/arena.h"

namespace etzel::raster {

using msaa::DepthFormat;

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

/// Targets that byte_color.h writes: Rgba8 and Bgra8 of which nothing is read, or which are blended by adding
/// products with one of ByteFactor.
enum class ByteWrite : uint8_t { None, Store, Blend };
enum ByteFactor : uint8_t { kFactorZero, kFactorOne, kFactorAlpha, kFactorOneMinusAlpha };

/// The rectangle of a pixel's sample positions.
struct SampleBounds {
  int32_t minX = 8, minY = 8, maxX = 8, maxY = 8;
};

/// "Fragment Coverage to Color": the first component of the target is the coverage mask.
struct CoverageToColor {
  uint32_t bits = 0;  ///< of the component; 0: not this target
  bool isSigned = false;
};

struct ColorTarget {
  Surface surface;
  ColorPath path = ColorPath::Generic;
  format::DecodeFn decode = nullptr;
  format::EncodeFn encode = nullptr;
  uint32_t attachment = 0;
  bool blend = false, reads = false;  ///< reads: the old texel is needed
  bool integer = false;
  ByteWrite bytes = ByteWrite::None;
  bool bgra = false;           ///< ByteWrite: blue comes first
  uint8_t byteFactor[4] = {};  ///< ByteWrite::Blend: source and destination ByteFactor of colour, then alpha
  bool logicOp = false, partialMask = false;
  BlendClamp clamp = BlendClamp::None;
  CoverageToColor coverageColor;
  BlendAttachment equation;
  VkLogicOp op = VK_LOGIC_OP_COPY;
  float constants[4] = {};                 ///< already clamped
  alignas(16) uint8_t writeBits[16] = {};  ///< bits of a texel that the write mask lets through
  uint32_t writeWord = 0;                  ///< the first four bytes of writeBits
};

inline constexpr uint32_t kMaxBlockTargets = 4;  ///< colours of a block that wait for all its groups to be shaded

struct TileDraw {
  const abi::Kernel* kernel = nullptr;
  SamplePositions positions;
  uint8_t locations[2 * kMaxSamples] = {};  ///< the same as (x, y) pairs, for the kernels' context
  uint32_t samples = 1;
  uint32_t sampleMask = ~0u;
  uint32_t lateSampleMask = ~0u;   ///< the part of the test that comes after the depth test (PostDepthCoverage)
  bool perSample = false;          ///< one invocation per sample
  bool sharesSamples = false;      ///< with perSample: one invocation may stand for several samples (shadeShared)
  bool earlyTests = true;          ///< depth and stencil before shading, with their writes
  bool skipShading = false;        ///< shading has no effect; invocations are still counted
  bool cullBeforeShading = false;  ///< late tests, but what fails the depth test has no effect: skip its shading
  bool usesFragCoordZ = false, usesFragCoordW = false;
  bool alphaToCoverage = false, alphaToOne = false, dualSource = false;
  bool reducesCoverage = false;    ///< coverage decides about more than which samples get the colour: writeReduced()
  CoverageState coverage;          ///< with reduction chosen, and no modulation where it has no effect
  bool writesSampleDepth = false;  ///< with writesDepth: a depth for each sample
  bool writesDepth = false, writesSampleMask = false, writesStencilRef = false;
  bool countSamples = false;
  bool tests = false;           ///< depthStencil.any()
  bool testsBlocks = false;     ///< testBlock() may decide for blocks
  bool trimsCoverage = false;   ///< coverage that shaders see is that after the tests
  bool makesPlanes = false;     ///< depth tiles may become planes
  bool expandsTiles = false;    ///< depth and stencil tiles that are written lose their states (DebugFlag::ExpandDepth)
  bool alikeOnce = false;       ///< shadeAlike() may shade pixels whose samples are covered alike
  bool expandsColors = false;   ///< colour tiles that are touched lose their compression (DebugFlag::ExpandColor)
  bool replacesAll = false;     ///< alikeOnce, several samples, and what passes gets new colours whatever was there
  bool replacesShared = false;  ///< replacesAll for sharesSamples: shadeSharedBlock() may shade blocks
  bool plainColors = false;     ///< neither alphaToOne nor dualSource
  bool bytesOnly = false;       ///< plainColors, one target of ByteWrite, and the kernel writes nothing else
  bool writesTarget = false;    ///< bytesOnly, and the kernel writes the target's colour
  bool placesFirst = false;     ///< bytesOnly, all that is shaded is written, and no kernel looks at the target
  bool otherOutputs = false;    ///< the kernel writes more than colours
  uint32_t colorOutputs = 0;    ///< colour locations that the kernel writes, a bit each
  SampleBounds bounds;
  bool masksSamples = false;        ///< sampleMask leaves samples out
  bool countsTraffic = false;       ///< a capture wants to know what moves (raster/tile/block_traffic.h)
  bool discardsRectangles = false;  ///< DrawState::discardRectangle leaves pixels out
  DepthStencilState depthStencil;
  uint32_t colorCount = 0;                 ///< targets that this draw writes
  uint32_t safeWidth = 0, safeHeight = 0;  ///< groups inside may touch all attachments' pixels with whole vectors
  ColorTarget color[kMaxColorAttachments];
};

/// Derives what tiles need from record.state and stores it in record.tile. Called once per draw, before any
/// primitive of it is binned, on the queue thread.
void prepareDraw(DrawRecord& record, Arena& arena);

}  // namespace etzel::raster
