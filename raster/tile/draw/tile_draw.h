// What tiles need of a draw, derived from its DrawState once: which attachments are really written and how, in which
// order tests and shading happen. Immutable plain data; made by prepareDraw() on the queue thread, read by workers.
#pragma once

#include "raster/attachment/surface.h"
#include "raster/bin.h"
#include "raster/conservative.h"
#include "raster/sample_locations.h"
#include "raster/tile/draw/color_target.h"
#include "raster/tile/draw/fragment_rates.h"
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

/// The rectangle of a pixel's sample positions.
struct SampleBounds {
  int32_t minX = 8, minY = 8, maxX = 8, maxY = 8;
};

inline constexpr uint32_t kMaxSubsets = 4;       ///< invocations of a pixel whose colours wait for each other
inline constexpr uint32_t kMaxBlockTargets = 4;  ///< colours of a block that wait for all its groups to be shaded

struct TileDraw {
  const abi::Kernel* kernel = nullptr;
  SamplePositions positions;
  float firstX = 0, firstY = 0;  ///< sample 0's, in pixels
  /// Where edges are evaluated: the samples, or, for all of them, each pixel's upper left corner
  /// (raster/conservative.h).
  SamplePositions covers;
  SampleBounds coverBounds;
  PixelRule pixels;
  uint8_t locations[2 * kMaxSamples] = {};  ///< the same as (x, y) pairs, for the kernels' context
  uint32_t samples = 1;
  uint32_t sampleMask = ~0u;
  uint32_t lateSampleMask = ~0u;   ///< the part of the test that comes after the depth test (PostDepthCoverage)
  bool perSample = false;          ///< one invocation per sample, or for a few neighbouring ones:
  uint32_t samplesEach = 1;        ///< with perSample: samples that an invocation stands for, whatever they show
  bool sharesSamples = false;      ///< with perSample: one invocation may stand for several samples (shadeShared)
  bool earlyTests = true;          ///< depth and stencil before shading, with their writes
  bool skipShading = false;        ///< shading has no effect; invocations are still counted
  bool cullBeforeShading = false;  ///< late tests, but what fails the depth test has no effect: skip its shading
  bool alphaToCoverage = false, alphaToOne = false, dualSource = false;
  bool smoothLines = false;        ///< alpha is multiplied by the part of the pixel that a line covers
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
  bool plainValues = false;     ///< PlainKernel has all that the kernel reads for those
  bool expandsColors = false;   ///< colour tiles that are touched lose their compression (DebugFlag::ExpandColor)
  bool replacesAll = false;     ///< alikeOnce, several samples, and what passes gets new colours whatever was there
  bool replacesShared = false;  ///< replacesAll for sharesSamples: shadeSharedBlock() may shade blocks
  bool testsLate = false;       ///< all tests come after shading: they are groups'
  bool wholeBlocks = false;     ///< shadeWhole() shades blocks, which are tested before whatever the order
  bool replacesSubsets =
      false;                 ///< wholeBlocks, a few invocations a pixel, and samples get new colours whatever was there
  bool plainColors = false;  ///< neither alphaToOne nor dualSource
  bool twoSources = false;  ///< dualSource, and the kernel writes both of one target and nothing else (secondColorOf())
  bool colorsOnly = false;  ///< plainColors, some targets, and the kernel writes nothing but colours
  bool together = false;    ///< colorsOnly or no targets, and abi::FragmentGroups has the colours of all
  bool bytesOnly = false;   ///< colorsOnly and one target of ByteWrite
  bool writesTarget = false;    ///< bytesOnly, and the kernel writes the target's colour
  bool readsTile = false;       ///< the kernel may read the attachments (abi::Warp::readAttachment)
  bool oneColor = false;        ///< writesTarget, and the kernel gives a primitive one colour (abi::Kernel)
  bool leavesOneTexel = false;  ///< oneColor, and where a primitive covers one texel everywhere it leaves another one
  bool fillsRects = false;      ///< leavesOneTexel, and fillRect() does for what a primitive covers of a tile
  bool hides = false;           ///< single-sampled, and all that is covered gets new colours whatever was there
  bool hideable = false;        ///< nobody can tell that it was drawn where it is covered by another draw
  bool placesFirst = false;     ///< bytesOnly, all that is shaded is written, and no kernel looks at the target
  bool otherOutputs = false;    ///< the kernel writes more than colours
  uint32_t colorOutputs = 0;    ///< colour locations that the kernel writes, a bit each
  SampleBounds bounds;
  bool masksSamples = false;        ///< sampleMask leaves samples out
  bool countsTraffic = false;       ///< a capture wants to know what moves (raster/tile/block_traffic.h)
  bool discardsRectangles = false;  ///< DrawState::discardRectangle leaves pixels out
  bool specialBlocks = false;       ///< countsTraffic or rates.vary
  /// With readsTile: which colour has a location, 0 to 15; kNoLocation: none.
  uint8_t attachmentAt[kMaxColorAttachments] = {};
  FragmentRates rates;
  DepthStencilState depthStencil;
  uint32_t targets = 0;                    ///< attachments that this draw writes, a bit each
  uint32_t colorCount = 0;                 ///< their number
  uint32_t safeWidth = 0, safeHeight = 0;  ///< groups inside may touch all attachments' pixels with whole vectors
  ColorTarget color[kMaxColorAttachments];
};

/// Derives what tiles need from record.state and stores it in record.tile. Called once per draw, before any
/// primitive of it is binned, on the queue thread.
void prepareDraw(DrawRecord& record, Arena& arena);

}  // namespace etzel::raster
