// The fixed-function tessellator ("Tessellation" chapter): tessellation levels in, domain points and primitives out.
// Pure: the same levels give the same points on any thread. Coordinates are computed on an exact integer grid, so that
// the chapter's invariance rules (mirrored edges, shared edges, u + v + w = 1) hold bit for bit.
#pragma once

#include <vector>

#include "runtime/base/types.h"

namespace etzel::raster {

enum class TessMode : uint8_t { Triangles, Quads, Isolines };
enum class TessSpacing : uint8_t { Equal, FractionalEven, FractionalOdd };

inline constexpr uint32_t kMaxTessLevel = 64;

struct TessParams {
  TessMode mode = TessMode::Triangles;
  TessSpacing spacing = TessSpacing::Equal;
  bool pointMode = false;
  /// Whether triangles are clockwise in (u, v) with v pointing up.
  bool clockwise = false;
  float outer[4] = {}, inner[2] = {};
};

struct DomainPoint {
  float u, v, w;
};

/// What a patch became. Reused from patch to patch to keep its memory.
struct TessOutput {
  std::vector<DomainPoint> points;
  std::vector<uint32_t> indices;      ///< verticesPerPrimitive each
  uint32_t verticesPerPrimitive = 3;  ///< 1, 2 or 3
};

/// Empties `output` and fills it. A patch whose relevant outer levels are not all positive gives nothing.
void tessellate(const TessParams& params, TessOutput& output);

}  // namespace etzel::raster
