#include "raster/tile/draw/tile_draw.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/abi/fragment_groups.h"
#include "runtime/base/debug_flags.h"
#include "runtime/msaa/traffic.h"
#include "runtime/mutant/mutant.h"

namespace etzel::raster {
namespace {

using abi::SysValue;

bool reads(const abi::ProgramInfo& info, SysValue v) { return info.sysValues >> static_cast<uint32_t>(v) & 1; }

DepthStencilState depthStencilOf(const DrawState& s) {
  DepthStencilState d;
  d.depth = surfaceOf(s.attachments.depth);
  d.stencil = surfaceOf(s.attachments.stencil);
  d.format = d.depth ? d.depth.depthFormat : DepthFormat::None;
  bool hasDepth = d.format != DepthFormat::None;
  // Without an attachment the tests pass and nothing is written ("Depth Test", "Stencil Test").
  d.depthTest = s.depthTest && hasDepth;
  d.depthWrite = d.depthTest && s.depthWrite;
  d.boundsTest = s.depthBoundsTest && hasDepth;
  d.stencilTest = s.stencilTest && d.stencil;
  d.depthClamp = s.depthClamp || s.clampsDepthToUnit;
  d.compare = s.depthCompare;
  d.boundsMin = s.depthBoundsMin, d.boundsMax = s.depthBoundsMax;
  d.front = s.front, d.back = s.back;
  if (d.depthTest && d.compare == VK_COMPARE_OP_ALWAYS && !d.depthWrite) d.depthTest = false;
  return d;
}

/// What testBlock() may do; the shader restricts it further.
void prepareDepth(const DrawState& s, TileDraw& d) {
  const DepthStencilState& ds = d.depthStencil;
  auto fits = [&](const Surface& surface) { return !surface || surface.samples == d.samples; };
  d.testsBlocks = d.tests && !ds.boundsTest && fits(ds.depth) && fits(ds.stencil) && !debug(DebugFlag::NoHiz);
  d.trimsCoverage = true;
  d.expandsTiles = debug(DebugFlag::ExpandDepth);
  // Planes are evaluated at the standard positions.
  d.makesPlanes =
      ds.depth.depthTiles && ds.depth.depthTiles->planeOffset && !s.customSampleLocations && !d.expandsTiles;
}

SampleBounds boundsOf(const SamplePositions& p) {
  const auto [x0, x1] = std::minmax_element(p.x, p.x + p.count);
  const auto [y0, y1] = std::minmax_element(p.y, p.y + p.count);
  return {*x0, *y0, *x1, *y1};
}

/// Fills d.coverage and what follows from it, once the targets are known.
void prepareCoverage(const DrawState& s, TileDraw& d) {
  d.coverage = s.coverage;
  CoverageState& c = d.coverage;
  if (c.reduction == CoverageReduction::Default) c.reduction = CoverageReduction::Merge;
  // "As if": each colour sample is associated with a single coverage sample.
  if (c.reduction == CoverageReduction::Truncate) c.modulation = VK_COVERAGE_MODULATION_MODE_NONE_NV;
  d.reducesCoverage = c.modulation != VK_COVERAGE_MODULATION_MODE_NONE_NV && c.modulationTable;
  for (uint32_t i = 0; i < d.colorCount; ++i) {
    ColorTarget& t = d.color[i];
    const tex::ImageView* view = s.attachments.color[t.attachment];
    if (c.toColor && c.toColorLocation == t.location && t.integer && view->info) {
      t.coverageColor.bits = view->info->channel[0].bits;
      t.coverageColor.isSigned = view->info->numeric == format::Numeric::Sint;
    }
    d.reducesCoverage |= t.coverageColor.bits != 0 || t.surface.samples < d.samples;
  }
}

/// Groups inside of all attachments: d.safeWidth and d.safeHeight.
void boundBy(const Surface& surface, TileDraw& d) {
  if (!surface) return;
  d.safeWidth = std::min(d.safeWidth, surface.width), d.safeHeight = std::min(d.safeHeight, surface.height);
}

/// Samples, and the tests that do without a kernel.
void prepareSamples(const DrawState& s, TileDraw& d) {
  d.positions = samplePositions(s);
  d.samples = d.positions.count;
  for (uint32_t i = 0; i < d.samples; ++i) {
    d.locations[2 * i] = d.positions.x[i];
    d.locations[2 * i + 1] = d.positions.y[i];
  }
  d.firstX = static_cast<float>(d.positions.x[0]) / 16, d.firstY = static_cast<float>(d.positions.y[0]) / 16;
  d.sampleMask = s.sampleMask;
  d.discardsRectangles = s.discardRectangleEnable;
  d.depthStencil = depthStencilOf(s);
  // No valid draw tests samples that an attachment does not have.
  DepthStencilState& ds = d.depthStencil;
  if (ds.depth && ds.depth.samples < d.samples) ds.depthTest = ds.depthWrite = ds.boundsTest = false;
  if (ds.stencil && ds.stencil.samples < d.samples) ds.stencilTest = false;
  d.tests = d.depthStencil.any();
  prepareDepth(s, d);
  d.countSamples = s.statistics && s.countSamples;
  d.safeWidth = d.safeHeight = ~0u;
  boundBy(d.depthStencil.depth, d), boundBy(d.depthStencil.stencil, d);
  d.bounds = boundsOf(d.positions);
  d.pixels = pixelRule(s);
  if (d.pixels.conservative()) {
    d.covers.count = 1;
    d.covers.x[0] = d.covers.y[0] = 0;
  } else {
    d.covers = d.positions;
  }
  d.coverBounds = boundsOf(d.covers);
  d.masksSamples = (~d.sampleMask & msaa::allSamples(d.samples)) != 0;
  d.specialBlocks = d.countsTraffic = d.samples > 1 && msaa::countsTraffic();
}

/// The targets that are written.
void prepareTargets(const DrawState& s, const abi::ProgramInfo& info, TileDraw& d) {
  d.colorOutputs = static_cast<uint32_t>(info.outputLocations & ((uint64_t{1} << kMaxColorAttachments) - 1));
  // "Multisample Coverage": not of integers.
  d.alphaToCoverage = s.alphaToCoverage && !(info.integerOutputs & 1);
  d.alphaToOne = s.alphaToOne;
  d.smoothLines = s.lineMode == VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT && !mutated(Mutant::SmoothAlpha) &&
                  info.outputLocations & ~info.integerOutputs & 1;
  if (s.coverage.toColor && s.coverage.toColorLocation < kMaxColorAttachments)
    d.colorOutputs |= 1u << s.coverage.toColorLocation;
  for (uint32_t i = 0; i < s.attachments.colorCount && i < kMaxColorAttachments; ++i) {
    // A location that the shader does not write leaves undefined values: nothing is written.
    const uint32_t location = s.attachments.location[i];
    if (location == Attachments::kNoLocation || !(d.colorOutputs >> location & 1)) continue;
    if (makeTarget(s, i, info.integerOutputs >> location & 1, d.color[d.colorCount])) {
      ColorTarget& t = d.color[d.colorCount++];
      d.targets |= 1u << i;
      boundBy(t.surface, d);
      d.dualSource |= t.usesSecondSource();
    }
  }
}

/// What the kernel may read of the attachments.
void prepareReads(const DrawState& s, const abi::ProgramInfo& info, TileDraw& d) {
  d.readsTile = info.readsTile;
  if (!d.readsTile) return;
  std::fill(std::begin(d.attachmentAt), std::end(d.attachmentAt), Attachments::kNoLocation);
  for (uint32_t i = 0; i < s.attachments.colorCount; ++i)
    if (const uint32_t at = s.attachments.location[i]; at < kMaxColorAttachments)
      d.attachmentAt[at] = static_cast<uint8_t>(i);
}

/// Whether the kernel may read what the draw writes. Blocks must not change their tiles' states before it has: clear
/// ones become colours, pixels with several fragments have one.
bool readsTargets(const DrawState& s, const abi::ProgramInfo& info, const TileDraw& d) {
  if (mutated(Mutant::OwnAttachment)) return false;
  return d.readsTile || (info.readsAttachments && (d.targets & ~s.attachments.alone));
}

/// Whether the kernel may change which samples are covered.
bool trimsCoverage(const DrawState& s, const abi::ProgramInfo& info) {
  return info.discards || info.writesSampleMask || s.alphaToCoverage;
}
bool readsMask(const abi::ProgramInfo& info) {
  return reads(info, SysValue::SampleMaskIn) || reads(info, SysValue::FullyCovered);
}

/// In which order tests and shading happen.
void prepareOrder(const DrawState& s, const abi::ProgramInfo& info, TileDraw& d) {
  // "Early Fragment Tests": the order may change where nobody can see it.
  bool explicitEarly = info.earlyFragmentTests || info.postDepthCoverage;
  d.writesDepth = info.writesDepth && !explicitEarly;
  d.writesSampleDepth = d.writesDepth && info.writesSampleDepth;
  d.writesStencilRef = info.writesStencilRef && !explicitEarly;
  d.writesSampleMask = info.writesSampleMask;
  // An input attachment may be the depth attachment itself, and shows what was there before this fragment.
  d.earlyTests = explicitEarly || !(d.writesDepth || d.writesStencilRef || trimsCoverage(s, info) ||
                                    info.hasSideEffects || info.readsAttachments);
  // Without colour, stores or late tests nobody sees what the shader computes.
  d.skipShading = d.earlyTests && d.colorCount == 0 && !info.hasSideEffects;
  d.testsBlocks = d.testsBlocks && !d.writesDepth && !d.writesStencilRef;
  d.cullBeforeShading = !d.earlyTests && !d.writesDepth && !info.hasSideEffects && !d.depthStencil.stencilTest &&
                        (d.depthStencil.depthTest || d.depthStencil.boundsTest);
  d.testsLate = d.tests && !d.earlyTests && !d.cullBeforeShading;
  // Where the tests come first shaders see what they leave, but not in SampleMaskIn. Nor may tests take invocations
  // away whose stores somebody sees.
  d.trimsCoverage = (!readsMask(info) || info.postDepthCoverage) && (d.earlyTests || d.cullBeforeShading);
}

/// What is covered by later primitives. Kernels that somebody watches ask for masks, and so are not alikeOnce.
void prepareHiding(const abi::ProgramInfo& info, bool reading, TileDraw& d) {
  const bool isPlain = d.alikeOnce && d.samples == 1 && !d.tests && d.colorCount && !info.readsAttachments;
  const bool coversAll = isPlain && !d.masksSamples && !d.discardsRectangles && !d.specialBlocks && !d.expandsColors;
  const bool blendsSrgb = d.color[0].srgb && d.color[0].bytes == ByteWrite::Blend;  // blocks are quicker
  d.leavesOneTexel = d.oneColor && coversAll && !d.countSamples && d.color[0].surface.samples == 1;
  d.fillsRects = d.leavesOneTexel && !blendsSrgb;
  d.hides = coversAll && d.plainColors && !reading && !info.discards && !d.pixels.conservative();
  d.hideable = isPlain && !info.hasSideEffects;
}

/// Whether shadeWhole() does for a draw. After the other ways. \param compressed all targets, with as many samples
bool takesWholeBlocks(const abi::ProgramInfo& info, bool compressed, const TileDraw& d) {
  const bool readsValues = d.samples == 1 ? abi::readsGroupValues(info) : abi::readsCoveredValues(info);
  const bool testsApart = d.earlyTests || !d.tests || d.testsLate || d.testsBlocks;
  return !d.alikeOnce && d.together && readsValues && testsApart && !d.sharesSamples && !d.reducesCoverage &&
         !d.skipShading && d.lateSampleMask == ~0u && (d.samples == 1 || compressed) && !info.readsAttachments &&
         !d.readsTile && !d.expandsColors && !d.specialBlocks && !d.smoothLines;
}

/// The short ways that the draw may take. After prepareOrder().
void prepareWays(const DrawState& s, const abi::ProgramInfo& info, TileDraw& d) {
  bool compressed = true, reading = false;
  for (uint32_t i = 0; i < d.colorCount; ++i) {
    compressed &= d.color[i].surface.meta && d.color[i].surface.samples == d.samples;
    reading |= d.color[i].reads;
  }
  const bool testsFirst = d.earlyTests || (!d.tests && !d.countSamples);
  d.sharesSamples = d.perSample && info.sharesSamples && !d.reducesCoverage;
  d.alikeOnce = !d.perSample && !d.reducesCoverage && !d.skipShading && !s.alphaToCoverage && !d.smoothLines &&
                !info.writesSampleMask && !readsMask(info) && d.lateSampleMask == ~0u && testsFirst &&
                (d.samples == 1 || compressed) &&
                !(d.countsTraffic && info.discards) &&  // which pixels survive is known of single groups only
                !(d.samples > 1 && readsTargets(s, info, d));
  d.expandsColors = debug(DebugFlag::ExpandColor);
  d.replacesAll = d.alikeOnce && d.samples > 1 && !d.masksSamples && !reading && !info.discards && !d.expandsColors &&
                  !d.rates.vary;
  d.replacesShared = d.sharesSamples && compressed && d.colorCount && d.colorCount <= kMaxBlockTargets &&
                     !d.masksSamples && d.lateSampleMask == ~0u && !trimsCoverage(s, info) && !s.alphaToOne &&
                     !d.smoothLines && !reading && testsFirst && !d.expandsColors;
  d.plainValues = abi::readsGroupValues(info);
  d.plainColors = !d.alphaToOne && !d.dualSource;
  const bool notGroups = info.writesSampleDepth || info.writesStencilRef || info.writesSampleMask;
  d.otherOutputs = d.dualSource || info.writesColorIndex1 || info.writesDepth || notGroups;
  d.colorsOnly = d.plainColors && d.colorCount && !d.otherOutputs;
  uint64_t locations = 0;
  for (uint32_t i = 0; i < d.colorCount; ++i) locations |= uint64_t{1} << d.color[i].location;
  const bool fits = !(locations & ~info.outputLocations) && abi::groupLocations(info) <= abi::kMaxGroupLocations;
  d.together = d.plainColors && !info.writesColorIndex1 && !notGroups && fits;
  d.twoSources = d.dualSource && info.writesColorIndex1 && !d.alphaToOne && !info.writesDepth && !notGroups && fits &&
                 d.colorCount == 1;
  d.bytesOnly = d.colorsOnly && d.colorCount == 1 && d.color[0].bytes != ByteWrite::None;
  d.placesFirst = d.bytesOnly && !info.discards && s.attachments.alone >> d.color[0].attachment & 1;
  d.writesTarget = d.bytesOnly && info.outputLocations == uint64_t{1} << d.color[0].location;
  d.oneColor = d.writesTarget && d.kernel->oneColor && !d.color[0].readsDestination() && !debug(DebugFlag::NoShare);
  d.wholeBlocks = takesWholeBlocks(info, compressed, d);
  d.replacesSubsets =
      d.wholeBlocks && d.perSample && d.samples / d.samplesEach <= kMaxSubsets && d.colorCount && !reading;
  prepareHiding(info, reading, d);
}

}  // namespace

void prepareDraw(DrawRecord& record, Arena& arena) {
  const DrawState& s = record.state;
  TileDraw& d = *arena.make<TileDraw>();
  record.tile = &d;
  d.kernel = s.fragment;
  prepareSamples(s, d);
  record.state.context.sampleCount = d.samples;
  record.state.context.sampleLocations = d.locations;
  if (!d.kernel) return;

  const abi::ProgramInfo& info = d.kernel->info;
  // "Fragment Operations": PostDepthCoverage moves the sample mask test behind the depth test.
  if (info.postDepthCoverage) std::swap(d.sampleMask, d.lateSampleMask);
  d.masksSamples = (~d.sampleMask & msaa::allSamples(d.samples)) != 0;
  prepareTargets(s, info, d);
  // "Sample Shading": at least max(ceil(minSampleShading * samples), 1) invocations. A power of two of them, so that
  // each has as many samples, at the first of which it is. Shaders that ask for their sample have one of each.
  const float wanted = s.sampleShading ? std::ceil(s.minSampleShading * static_cast<float>(d.samples)) : 1.0f;
  d.perSample = d.samples > 1 && (info.sampleRate || wanted > 1.0f);
  if (d.perSample && !info.sampleRate && !info.sharesSamples && wanted < static_cast<float>(d.samples))
    d.samplesEach = d.samples / std::bit_ceil(static_cast<uint32_t>(wanted));
  if (mutated(Mutant::MinSampleShading) && d.samplesEach > 1) d.samplesEach = d.samples;
  record.state.context.perSample = d.perSample && d.samplesEach == 1;
  d.rates = fragmentRates(s, d.samples);
  d.specialBlocks |= d.rates.vary;
  prepareCoverage(s, d);
  prepareReads(s, info, d);
  prepareOrder(s, info, d);
  prepareWays(s, info, d);
}

}  // namespace etzel::raster
