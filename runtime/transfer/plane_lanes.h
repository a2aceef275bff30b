// Rows of texels as planes: eight texels at a time, the numbers of one component after those of the other. Filters meet
// no components that a format does not have, and codes are made of whole vectors. Compiled per target, with the bytes
// of format::decoder and format::encoder. Internal to transfer/.
//
// Rows of n planes have n floats for each texel, and room for a multiple of 16 texels. What lies beyond `count` has no
// meaning.
#pragma once

#include "runtime/format/format.h"
#include "runtime/simd/cpu.h"
#include "runtime/transfer/row_lanes.h"

namespace etzel::transfer {

constexpr uint32_t kPlaneTexels = 8;
/// Where the first component of a texel lies in a row.
constexpr uint32_t placeInPlanes(uint32_t texel, uint32_t planes) {
  return texel / kPlaneTexels * kPlaneTexels * planes + texel % kPlaneTexels;
}

/// A layout's codes.
struct PlaneCodec {
  /// Components that formats lack are 0, alpha 1.
  void (*decode)(const std::byte* texels, size_t count, uint32_t planes, float* out);
  /// \pre the row has the planes of all components of the layout
  void (*encode)(const float* row, size_t count, uint32_t planes, std::byte* out);
};

struct PlaneLanes {
  PlaneCodec codec[static_cast<uint32_t>(format::TexelLayout::kCount)];  ///< nulls: none
  /// RowLanes::filterColumns() of planes: taps are placeInPlanes() of texels, or texels 2i and 2i + 1 for `pairs`.
  void (*filter)(const float* row, const ColumnTaps& taps, bool pairs, size_t count, uint32_t planes, float* out);
};

ETZEL_PER_TARGET(extern const PlaneLanes kPlaneLanes;)
inline const PlaneLanes& planeLanes() { return ETZEL_CHOOSE(kPlaneLanes); }

/// Null: the format is no number, or has no layout that planes are made of.
inline const PlaneCodec* findPlaneCodec(const format::FormatInfo& info) {
  const PlaneCodec& codec = planeLanes().codec[static_cast<uint32_t>(info.layout)];
  return codec.decode && !info.isInteger() ? &codec : nullptr;
}

}  // namespace etzel::transfer
