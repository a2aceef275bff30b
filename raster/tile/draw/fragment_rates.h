// The fragment shading rates of a draw: where they come from, and which a primitive has where.
#pragma once

#include "raster/draw.h"
#include "raster/tile/draw/density_rates.h"

namespace etzel::raster {

/// Immutable plain data. "Fragment Shading Rates".
struct FragmentRates {
  bool vary = false;          ///< some fragments may be larger than a pixel; else nothing else here is valid
  bool perPrimitive = false;  ///< the last stage before rasterization gives each primitive a rate
  ShadingRate ofPipeline = 0;
  VkFragmentShadingRateCombinerOpKHR combiner[2] = {};
  uint32_t samples = 1;
  // The attachment; the first byte of a texel is its rate.
  const std::byte* texels = nullptr;  ///< null: there is none, or it does not matter
  uint64_t layerPitch = 0;
  uint32_t rowPitch = 0, texelBytes = 1, width = 0, height = 0, layers = 0;
  uint32_t logTexelWidth = 0, logTexelHeight = 0;  ///< pixels that one of its texels stands for
  DensityRates density;                            ///< where it is there, nothing else counts

  /// The rate in the block at (x, y) of a primitive whose provoking vertex has `record`.
  ShadingRate at(const uint32_t* record, int32_t x, int32_t y, uint32_t layer) const {
    if (density) return density.at(x, y, layer, samples);
    const uint32_t ofPrimitive = perPrimitive ? record[abi::kWordShadingRate] % kShadingRates : 0;
    const ShadingRate rate = combineRates(ofPipeline, static_cast<ShadingRate>(ofPrimitive), combiner[0], samples);
    return combineRates(rate, texels ? attachedAt(x, y, layer) : ShadingRate{0}, combiner[1], samples);
  }

 private:
  /// A pixel's rate outside of the attachment. Its only layer is that of all.
  ShadingRate attachedAt(int32_t x, int32_t y, uint32_t layer) const {
    const uint32_t column = static_cast<uint32_t>(x) >> logTexelWidth, row = static_cast<uint32_t>(y) >> logTexelHeight;
    const uint32_t slice = layers > 1 ? layer : 0;
    if (column >= width || row >= height || slice >= layers) return 0;
    const uint64_t offset = slice * layerPitch + uint64_t{row} * rowPitch + uint64_t{column} * texelBytes;
    return static_cast<ShadingRate>(texels[offset]) % kShadingRates;
  }
};

/// The rates of a draw with a fragment shader, at so many samples a pixel.
FragmentRates fragmentRates(const DrawState& state, uint32_t samples);

}  // namespace etzel::raster
