// The triangle filter for every x86-64 machine.
#include <immintrin.h>

#include "raster/front/clip/clipper.h"
#include "raster/front/primitive/triangle_filter.h"

namespace etzel::raster::front_sse2 {
#include "raster/front/primitive/triangle_filter.inl.h"

extern const TriangleFilter kTriangleFilter = {transformVertices, filterTriangles};
}  // namespace etzel::raster::front_sse2
