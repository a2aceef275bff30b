// The tests of a primitive's samples in one 4x2 group: where its depth comes from.
#pragma once

#include "raster/bin.h"
#include "raster/lanes.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/test/sample_tests.h"
#include "runtime/msaa/depth_surface.h"

namespace etzel::raster::ETZEL_TARGET {

using msaa::DepthPlane;

/// What the tests of one primitive have in common.
struct PrimitiveTests {
  const TileDraw* draw;
  const BinnedPrimitive* primitive;
  TestInput tests;
  alignas(32) DepthPlane plane;  ///< of draws with tests
};

/// The depth plane of a primitive.
ETZEL_INLINE DepthPlane planeOf(const TileDraw& d, const BinnedPrimitive& p) {
  return {p.setup.x0, p.setup.y0, p.z0,       p.dzdx,
          p.dzdy,     p.minDepth, p.maxDepth, d.depthStencil.depthClamp ? DepthPlane::Clamped : DepthPlane::Open};
}

/// Depth of the plane at positions (x, y); the order of operations is part of the contract (bin.h).
ETZEL_INLINE F32x8 depthAt(const BinnedPrimitive& p, F32x8 x, F32x8 y) {
  return ((x - splat<F32x8>(p.setup.x0)) * splat<F32x8>(p.dzdx) + splat<F32x8>(p.z0)) +
         (y - splat<F32x8>(p.setup.y0)) * splat<F32x8>(p.dzdy);
}

ETZEL_INLINE float sampleX(const TileDraw& d, uint32_t s) { return static_cast<float>(d.positions.x[s]) * 0.0625f; }
ETZEL_INLINE float sampleY(const TileDraw& d, uint32_t s) { return static_cast<float>(d.positions.y[s]) * 0.0625f; }

/// Tests samples [first, end) and trims their coverage. `shaderDepth`: the shader's own depth, or null; one of each
/// sample where TileDraw::writesSampleDepth is set.
inline void testGroup(const PrimitiveTests& p, const PixelGroup& g, LaneMask* coverage, uint32_t first, uint32_t end,
                      const LaneWords* shaderDepth, bool write) {
  const TileDraw& d = *p.draw;
  const F32x8 x = g.px, y = g.py;
  bool depthOnly = g.whole && !d.depthStencil.boundsTest && !d.depthStencil.stencilTest;
  if (depthOnly && d.depthStencil.format == DepthFormat::D32F) {
    for (uint32_t s = first; s < end; ++s) {
      if (!coverage[s]) continue;
      F32x8 z = shaderDepth ? wordsF(shaderDepth[d.writesSampleDepth ? s : 0])
                            : depthAt(*p.primitive, x + splat<F32x8>(sampleX(d, s)), y + splat<F32x8>(sampleY(d, s)));
      coverage[s] = testFloatDepth(d.depthStencil, p.tests, g, s, coverage[s], z, write);
    }
    return;
  }
  for (uint32_t s = first; s < end; ++s) {
    if (!coverage[s]) continue;
    F32x8 z = shaderDepth ? wordsF(shaderDepth[d.writesSampleDepth ? s : 0])
                          : depthAt(*p.primitive, x + splat<F32x8>(sampleX(d, s)), y + splat<F32x8>(sampleY(d, s)));
    coverage[s] = testSample(d.depthStencil, p.tests, g, s, coverage[s], z, write);
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
