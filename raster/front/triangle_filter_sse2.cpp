// The triangle filter for every x86-64 machine.
#include <immintrin.h>

#include "raster/front/clipper.h"
#include "raster/front/triangle_filter.h"

namespace etzel::raster::front_sse2 {
#include "raster/front/triangle_filter.inl.h"

extern const TriangleFilter kTriangleFilter = {transformVertices, filterTriangles};
}  // namespace etzel::raster::front_sse2
