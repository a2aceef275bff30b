// What "Fragment Operations" do with the samples of one fragment, one after the other as the specification lists them:
// from the primitive, what the pixel held before, and what the shader gave. It explains what the tile code does in
// blocks and vectors, with the same results; nothing is written here.
#pragma once

#include "raster/pixel_probe.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster {

/// The samples of pixel (x, y) that a primitive covers, wherever it is cut off.
msaa::SampleMask coverageOf(const BinnedPrimitive& primitive, const TileDraw& draw, int32_t x, int32_t y);

/// Depth of a primitive at a place, in pixels; the order of operations is part of the contract (bin.h).
float depthAt(const BinnedPrimitive& primitive, float x, float y);

/// The samples that come to the fragment shader: no test that is before it has taken them away. \pre `covered` and
/// `before` of the visit are there
msaa::SampleMask shadedSamples(const FragmentVisit& visit, SampleEnd cut, int32_t x, int32_t y);

/// Fills `sample` and `survivors`. \pre everything else of the visit but `after` is there
void tellStory(FragmentVisit& visit, SampleEnd cut, int32_t x, int32_t y);

}  // namespace etzel::raster
