// Where shader inputs and outputs live, the same for every stage and both executors. There is no linking: a location
// has one fixed place, so stages that were compiled apart fit together (VK_EXT_shader_object, pipeline libraries).
//
// Inter-stage data are *records*: arrays of 32-bit words, one per vertex (or per patch).
//
//   words 0-3    Position            4  PointSize   5  Layer   6  ViewportIndex   7  PrimitiveId (geometry out)
//   words 8-15   ClipDistance[n] then CullDistance[m] (clip at 8.., cull right behind the clip distances; n + m <= 8)
//   words 16 + 4*L + C               location L, component C (64-bit values take two words)
//   word 144                         PrimitiveShadingRate
//
// A patch record holds TessLevelOuter in words 0-3, TessLevelInner in 4-5 and patch locations from word 16.
// The register o<n> / i<n> of the ISA is words 4n..4n+3 of that layout. For fragment outputs see below.
#pragma once

#include "runtime/base/types.h"

namespace etzel::abi {

inline constexpr uint32_t kMaxLocations = 32;
enum RecordWord : uint32_t {
  kWordPosition = 0,
  kWordPointSize = 4,
  kWordLayer = 5,
  kWordViewportIndex = 6,
  kWordPrimitiveId = 7,
  kWordClipDistance = 8,
  kWordGeneric = 16,
  kWordShadingRate = 144,
  kWordTessLevelOuter = 0,  // patch records
  kWordTessLevelInner = 4,
};
inline constexpr uint32_t kRecordWords = kWordShadingRate + 4;  ///< 148, a multiple of 4
static_assert(kWordShadingRate == kWordGeneric + 4 * kMaxLocations);

/// Behind the record, for Intrp and InRecord of fragment programs: BaryCoord (3 words), then BaryCoordNoPersp.
inline constexpr uint32_t kWordBarycentric = kRecordWords;
inline constexpr uint32_t kBarycentricWords = 6;

constexpr uint32_t locationWord(uint32_t location, uint32_t component) {
  return kWordGeneric + 4 * location + component;
}

/// Vertex shader inputs: attribute location L, component C is in-word 4*L + C. Formats are already converted (float
/// formats to float, integer formats to 32-bit integers, 64-bit attributes take two words per component and may run
/// into the next location's words).
constexpr uint32_t attributeWord(uint32_t location, uint32_t component) { return 4 * location + component; }
inline constexpr uint32_t kAttributeWords = 4 * kMaxLocations;

/// Fragment outputs: o0 = (SampleMask, StencilRef, -, FragDepth); o(1+L) = colour of location L, index 0;
/// o17 = location 0, index 1 (dual source blending). 16 colour attachments. o18 - o21 = a depth for each sample, which
/// replace FragDepth in programs that say so (ProgramInfo::writesSampleDepth).
enum FragmentOutWord : uint32_t {
  kFragOutSampleMask = 0,
  kFragOutStencilRef = 1,
  kFragOutDepth = 3,
  kFragOutColor = 4,
  kFragOutColorIndex1 = 68,
  kFragOutSampleDepth = 72,
};
inline constexpr uint32_t kFragmentOutWords = 88;

/// Values that the fixed-function side hands to an invocation: sys_values.def.
enum class SysValue : uint8_t {
#define ETZEL_SYS_VALUE(Name, lanes, fragments) Name,
#include "runtime/abi/sys_values.def"
#undef ETZEL_SYS_VALUE
  Count
};
inline constexpr uint32_t kSysValueCount = static_cast<uint32_t>(SysValue::Count);
constexpr uint64_t sysBit(SysValue v) { return uint64_t{1} << static_cast<uint32_t>(v); }

/// How the lanes of a warp relate (sys_values.def).
enum class SysLanes : uint8_t { Any, Group, Uniform, Lane, Row, Column };
/// What a fragment's value belongs to (sys_values.def).
enum class SysFragments : uint8_t { None, Primitive, Pixel, Place, Corner, Sample, Fragment };
struct SysValueInfo {
  const char* name;
  SysLanes lanes;
  SysFragments fragments;
};
inline constexpr SysValueInfo kSysValues[] = {
#define ETZEL_SYS_VALUE(Name, lanes, fragments) {#Name, SysLanes::lanes, SysFragments::fragments},
#include "runtime/abi/sys_values.def"
#undef ETZEL_SYS_VALUE
};
constexpr const SysValueInfo& sysValueInfo(SysValue v) { return kSysValues[static_cast<uint32_t>(v)]; }

constexpr uint64_t sysValuesOf(SysFragments f) {
  uint64_t bits = 0;
  for (uint32_t v = 0; v < kSysValueCount; ++v) bits |= uint64_t{kSysValues[v].fragments == f} << v;
  return bits;
}
/// System values that may differ from fragment to fragment, beside PosX and PosY: places of the pixel, and what
/// fragments see of their own. FragCoord's x and y are both.
inline constexpr uint64_t kPlaceSysValues = sysValuesOf(SysFragments::Pixel) | sysValuesOf(SysFragments::Place);
inline constexpr uint64_t kFragmentSysValues =
    sysValuesOf(SysFragments::Pixel) | sysValuesOf(SysFragments::Sample) | sysValuesOf(SysFragments::Fragment);

}  // namespace etzel::abi
