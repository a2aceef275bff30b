// Where shader inputs and outputs live, the same for every stage and both executors. There is no linking: a location
// has one fixed place, so stages that were compiled apart fit together (VK_EXT_shader_object, pipeline libraries).
//
// Inter-stage data are *records*: arrays of 32-bit words, one per vertex (or per patch).
//
//   words 0-3    Position            4  PointSize   5  Layer   6  ViewportIndex   7  PrimitiveId (geometry out)
//   words 8-15   ClipDistance[n] then CullDistance[m] (clip at 8.., cull right behind the clip distances; n + m <= 8)
//   words 16 + 4*L + C               location L, component C (64-bit values take two words)
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
  kWordTessLevelOuter = 0,  // patch records
  kWordTessLevelInner = 4,
};
inline constexpr uint32_t kRecordWords = kWordGeneric + 4 * kMaxLocations;  // 144

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

/// Values that the hardware side hands to an invocation, per lane (SPIR-V builtins). Floats as bits. Fragment
/// positions: PosX/PosY is where undecorated inputs are interpolated (the pixel's centre, or the sample's position
/// when invocations run per sample); FragCoord is what the shader sees, its z and w valid when the program reads them.
enum class SysValue : uint8_t {
  VertexIndex,
  InstanceIndex,
  BaseVertex,
  BaseInstance,
  DrawIndex,
  ViewIndex,
  DeviceIndex,
  PrimitiveId,
  InvocationId,
  PatchVertices,
  TessCoordX,
  TessCoordY,
  TessCoordZ,
  Layer,
  ViewportIndex,
  FragCoordX,
  FragCoordY,
  FragCoordZ,
  FragCoordW,
  FrontFacing,  ///< FrontFacing: 0 or ~0
  PointCoordX,
  PointCoordY,
  SampleId,
  SamplePosX,
  SamplePosY,
  SampleMaskIn,
  FullyCovered,
  PosX,
  PosY,
  CentroidX,
  CentroidY,
  SamplePixelX,
  SamplePixelY,  ///< pixels, absolute framebuffer coordinates
  GlobalIdX,
  GlobalIdY,
  GlobalIdZ,
  LocalIdX,
  LocalIdY,
  LocalIdZ,
  LocalIndex,
  WorkgroupIdX,
  WorkgroupIdY,
  WorkgroupIdZ,
  NumWorkgroupsX,
  NumWorkgroupsY,
  NumWorkgroupsZ,
  SubgroupId,
  NumSubgroups,
  LaneId,  ///< LaneId = gl_SubgroupInvocationID
  Count
};
inline constexpr uint32_t kSysValueCount = static_cast<uint32_t>(SysValue::Count);

constexpr uint64_t sysBit(SysValue v) { return uint64_t{1} << static_cast<uint32_t>(v); }
/// System values that may differ from fragment to fragment, beside PosX and PosY: places of the pixel, and what each
/// fragment has of its own.
inline constexpr uint64_t kPlaceSysValues = sysBit(SysValue::FragCoordX) | sysBit(SysValue::FragCoordY) |
                                            sysBit(SysValue::CentroidX) | sysBit(SysValue::CentroidY) |
                                            sysBit(SysValue::SamplePixelX) | sysBit(SysValue::SamplePixelY);
inline constexpr uint64_t kFragmentSysValues =
    sysBit(SysValue::FragCoordX) | sysBit(SysValue::FragCoordY) | sysBit(SysValue::FragCoordZ) |
    sysBit(SysValue::FragCoordW) | sysBit(SysValue::PointCoordX) | sysBit(SysValue::PointCoordY) |
    sysBit(SysValue::SampleId) | sysBit(SysValue::SamplePosX) | sysBit(SysValue::SamplePosY) |
    sysBit(SysValue::SampleMaskIn) | sysBit(SysValue::FullyCovered);

}  // namespace etzel::abi
