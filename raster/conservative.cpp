#include "raster/conservative.h"

#include <algorithm>
#include <cmath>

#include "runtime/mutant/mutant.h"

namespace etzel::raster {

PixelRule pixelRule(const DrawState& s) {
  switch (s.conservativeMode) {
    case VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT: {
      // NaN is no valid size; it counts as 0.
      const float extra = s.extraOverestimation > 0 ? std::min(s.extraOverestimation, kMaxExtraOverestimation) : 0.0f;
      return {PixelRule::Covers::Touched, static_cast<int32_t>(std::lrint(extra * kSubPixels))};
    }
    case VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT: return {PixelRule::Covers::Inside, 0};
    default: return {};
  }
}

Edge pixelEdge(const PixelRule& rule, int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
  Edge e;
  e.a = y0 - y1;
  e.b = x1 - x0;
  e.c = -(int64_t{e.a} * x0 + int64_t{e.b} * y0);
  // The tie-breaking rule of polygons does not apply. The value is greatest, and least, at a corner of the square.
  const int64_t right = int64_t{e.a} * kSubPixels, down = int64_t{e.b} * kSubPixels;
  if (mutated(Mutant::ConservativeCorner)) {
    e.c += (right + down) / 2;
  } else if (rule.touched()) {
    e.c += std::max<int64_t>(right, 0) + std::max<int64_t>(down, 0);
    e.c += rule.extra * (std::abs(int64_t{e.a}) + std::abs(int64_t{e.b}));
  } else {
    e.c += std::min<int64_t>(right, 0) + std::min<int64_t>(down, 0) - 1;
  }
  return e;
}

}  // namespace etzel::raster
