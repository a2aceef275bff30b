// The triangle filter for machines with AVX2. All headers with inline functions come before the target is set: they
// are shared with code that runs on other machines.
#include <immintrin.h>

#include "raster/front/clip/clipper.h"
#include "raster/front/primitive/triangle_filter.h"

#pragma GCC push_options
#pragma GCC target("avx2")
#ifndef __AVX2__
#define __AVX2__ 1
#endif
namespace etzel::raster::front_avx2 {
#include "raster/front/primitive/triangle_filter.inl.h"

extern const TriangleFilter kTriangleFilter = {transformVertices, filterTriangles};
}  // namespace etzel::raster::front_avx2
#pragma GCC pop_options
