#include "raster/tile/draw/tile_draw.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/base/debug_flags.h"
#include "runtime/msaa/traffic.h"

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
  d.depthClamp = s.depthClamp;
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

ColorPath pathOf(VkFormat f) {
  switch (f) {
    case VK_FORMAT_R8G8B8A8_UNORM:
    case VK_FORMAT_A8B8G8R8_UNORM_PACK32: return ColorPath::Rgba8;
    case VK_FORMAT_B8G8R8A8_UNORM: return ColorPath::Bgra8;
    case VK_FORMAT_R8G8B8A8_SRGB:
    case VK_FORMAT_A8B8G8R8_SRGB_PACK32: return ColorPath::Rgba8Srgb;
    case VK_FORMAT_B8G8R8A8_SRGB: return ColorPath::Bgra8Srgb;
    case VK_FORMAT_R8_UNORM: return ColorPath::R8;
    case VK_FORMAT_R16G16B16A16_SFLOAT: return ColorPath::Rgba16F;
    case VK_FORMAT_R32_SFLOAT:
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_R32_SINT: return ColorPath::R32F;
    case VK_FORMAT_R32G32B32A32_SFLOAT:
    case VK_FORMAT_R32G32B32A32_UINT:
    case VK_FORMAT_R32G32B32A32_SINT: return ColorPath::Rgba32F;
    default: return ColorPath::Generic;
  }
}

void setBits(uint8_t* bytes, uint32_t shift, uint32_t count) {
  for (uint32_t b = shift; b < shift + count && b < 128; ++b) bytes[b / 8] |= static_cast<uint8_t>(1u << b % 8);
}

SampleBounds boundsOf(const SamplePositions& p) {
  const auto [x0, x1] = std::minmax_element(p.x, p.x + p.count);
  const auto [y0, y1] = std::minmax_element(p.y, p.y + p.count);
  return {*x0, *y0, *x1, *y1};
}

/// \returns whether the equation is one of ByteWrite::Blend.
bool byteFactors(const BlendAttachment& b, uint8_t* factor) {
  const VkBlendFactor factors[4] = {b.srcColor, b.dstColor, b.srcAlpha, b.dstAlpha};
  for (uint32_t i = 0; i < 4; ++i) {
    switch (factors[i]) {
      case VK_BLEND_FACTOR_ZERO: factor[i] = kFactorZero; break;
      case VK_BLEND_FACTOR_ONE: factor[i] = kFactorOne; break;
      case VK_BLEND_FACTOR_SRC_ALPHA: factor[i] = kFactorAlpha; break;
      case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA: factor[i] = kFactorOneMinusAlpha; break;
      default: return false;
    }
  }
  return b.colorOp == VK_BLEND_OP_ADD && b.alphaOp == VK_BLEND_OP_ADD;
}

/// \returns whether `t` is written at all.
bool makeTarget(const DrawState& s, uint32_t index, ColorTarget& t) {
  const tex::ImageView* view = s.attachments.color[index];
  const BlendAttachment& b = s.blend[index];
  t = {};  // an attachment before may have left something here and not be written after all
  t.surface = surfaceOf(view);
  if (!t.surface || !view->info || !view->encode || !view->decode || b.writeMask == 0) return false;
  const format::FormatInfo& info = *view->info;
  t.attachment = index;
  t.path = pathOf(view->format);
  t.decode = view->decode, t.encode = view->encode;
  t.equation = b;
  bool srgb = info.numeric == format::Numeric::Srgb;
  bool floats = info.numeric == format::Numeric::Float || info.numeric == format::Numeric::Ufloat;
  // "Logical Operations": not for floating-point and sRGB formats, whose fragments pass unmodified; blending is off
  // for all attachments when they are enabled. Integer attachments do not blend.
  t.logicOp = s.logicOpEnable && !srgb && !floats && s.logicOp != VK_LOGIC_OP_COPY;
  t.op = s.logicOp;
  if (t.logicOp && t.op == VK_LOGIC_OP_NO_OP) return false;
  t.blend = b.enable && !s.logicOpEnable && !info.isInteger();
  if (t.blend && b.colorOp == VK_BLEND_OP_ADD && b.alphaOp == VK_BLEND_OP_ADD && b.srcColor == VK_BLEND_FACTOR_ONE &&
      b.srcAlpha == VK_BLEND_FACTOR_ONE && b.dstColor == VK_BLEND_FACTOR_ZERO && b.dstAlpha == VK_BLEND_FACTOR_ZERO)
    t.blend = false;
  if (info.numeric == format::Numeric::Unorm || srgb) t.clamp = BlendClamp::Unorm;
  if (info.numeric == format::Numeric::Snorm) t.clamp = BlendClamp::Snorm;
  for (int c = 0; c < 4; ++c) {
    float k = s.blendConstants[c];
    if (t.clamp == BlendClamp::Unorm) k = k > 0 ? (k < 1 ? k : 1.0f) : 0.0f;
    if (t.clamp == BlendClamp::Snorm) k = k > -1 ? (k < 1 ? k : 1.0f) : -1.0f;
    t.constants[c] = k;
  }
  if (view->format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32) {
    // "VUID: all or no colour channels of a shared exponent format"; the exponent belongs to all three.
    setBits(t.writeBits, 0, 32);
  } else {
    for (uint32_t c = 0; c < 4; ++c) {
      if (info.channel[c].bits == 0) continue;
      if (b.writeMask >> c & 1)
        setBits(t.writeBits, info.channel[c].shift, info.channel[c].bits);
      else
        t.partialMask = true;
    }
    if (std::all_of(t.writeBits, t.writeBits + 16, [](uint8_t v) { return v == 0; })) return false;
  }
  t.integer = info.isInteger();
  t.reads = t.blend || t.logicOp || t.partialMask;
  t.bgra = t.path == ColorPath::Bgra8;
  if (t.bgra || t.path == ColorPath::Rgba8) {
    if (!t.reads) t.bytes = ByteWrite::Store;
    if (t.blend && !t.partialMask && byteFactors(b, t.byteFactor)) t.bytes = ByteWrite::Blend;
  }
  std::memcpy(&t.writeWord, t.writeBits, 4);
  return true;
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
    if (c.toColor && c.toColorLocation == t.attachment && t.integer && view->info) {
      t.coverageColor.bits = view->info->channel[0].bits;
      t.coverageColor.isSigned = view->info->numeric == format::Numeric::Sint;
    }
    d.reducesCoverage |= t.coverageColor.bits != 0 || t.surface.samples < d.samples;
  }
}

bool usesSecondSource(const BlendAttachment& b) {
  auto second = [](VkBlendFactor f) {
    return f >= VK_BLEND_FACTOR_SRC1_COLOR && f <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
  };
  return second(b.srcColor) || second(b.dstColor) || second(b.srcAlpha) || second(b.dstAlpha);
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
  d.masksSamples = (~d.sampleMask & msaa::allSamples(d.samples)) != 0;
  d.countsTraffic = d.samples > 1 && msaa::countsTraffic();
}

/// The targets that are written.
void prepareTargets(const DrawState& s, const abi::ProgramInfo& info, TileDraw& d) {
  d.colorOutputs = static_cast<uint32_t>(info.outputLocations & ((uint64_t{1} << kMaxColorAttachments) - 1));
  d.alphaToCoverage = s.alphaToCoverage;
  d.alphaToOne = s.alphaToOne;
  if (s.coverage.toColor && s.coverage.toColorLocation < kMaxColorAttachments)
    d.colorOutputs |= 1u << s.coverage.toColorLocation;
  for (uint32_t i = 0; i < s.attachments.colorCount && i < kMaxColorAttachments; ++i) {
    // A location that the shader does not write leaves undefined values: nothing is written.
    if (!(d.colorOutputs >> i & 1)) continue;
    if (makeTarget(s, i, d.color[d.colorCount])) {
      ColorTarget& t = d.color[d.colorCount++];
      boundBy(t.surface, d);
      d.dualSource |= t.blend && usesSecondSource(t.equation);
    }
  }
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
  // Where the tests come first shaders see what they leave, but not in SampleMaskIn. Nor may tests take invocations
  // away whose stores somebody sees.
  d.trimsCoverage = (!readsMask(info) || info.postDepthCoverage) && (d.earlyTests || d.cullBeforeShading);
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
  d.alikeOnce = !d.perSample && !d.reducesCoverage && !d.skipShading && !s.alphaToCoverage && !info.writesSampleMask &&
                !readsMask(info) && d.lateSampleMask == ~0u && testsFirst && (d.samples == 1 || compressed) &&
                !(d.countsTraffic && info.discards);  // which pixels survive is known of single groups only
  d.expandsColors = debug(DebugFlag::ExpandColor);
  d.replacesAll = d.alikeOnce && d.samples > 1 && !d.masksSamples && !reading && !info.discards && !d.expandsColors;
  d.replacesShared = d.sharesSamples && compressed && d.colorCount && d.colorCount <= kMaxBlockTargets &&
                     !d.masksSamples && d.lateSampleMask == ~0u && !trimsCoverage(s, info) && !s.alphaToOne &&
                     !reading && testsFirst && !d.expandsColors;
  d.plainColors = !d.alphaToOne && !d.dualSource;
  d.otherOutputs = d.dualSource || info.writesColorIndex1 || info.writesDepth || info.writesSampleDepth ||
                   info.writesStencilRef || info.writesSampleMask;
  d.bytesOnly = d.plainColors && d.colorCount == 1 && d.color[0].bytes != ByteWrite::None && !d.otherOutputs;
  d.placesFirst = d.bytesOnly && !info.discards && s.attachments.alone >> d.color[0].attachment & 1;
  d.writesTarget = d.bytesOnly && info.outputLocations == uint64_t{1} << d.color[0].attachment;
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
  d.usesFragCoordZ = reads(info, SysValue::FragCoordZ);
  d.usesFragCoordW = reads(info, SysValue::FragCoordW);
  prepareTargets(s, info, d);
  // "Sample Shading": at least max(ceil(minSampleShading * samples), 1) invocations; more are allowed.
  float wanted = s.sampleShading ? std::ceil(s.minSampleShading * static_cast<float>(d.samples)) : 1.0f;
  d.perSample = d.samples > 1 && (info.sampleRate || wanted > 1.0f);
  record.state.context.perSample = d.perSample;
  prepareCoverage(s, d);
  prepareOrder(s, info, d);
  prepareWays(s, info, d);
}

}  // namespace etzel::raster
