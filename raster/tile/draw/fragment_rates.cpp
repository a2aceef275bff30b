#include "raster/tile/draw/fragment_rates.h"

#include <bit>

#include "raster/attachment/surface.h"

namespace etzel::raster {
namespace {

constexpr VkFragmentShadingRateCombinerOpKHR kKeep = VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR;

/// "Sample Shading", which is there for shaders that ask for it as well, and tile images.
bool fragmentsArePixels(const DrawState& s) {
  return s.sampleShading || s.fragment->info.sampleRate || s.fragment->info.readsTile;
}

const abi::Kernel& lastVertexStage(const DrawState& s) {
  if (s.geometry) return *s.geometry;
  return s.evaluation ? *s.evaluation : *s.vertex;
}

void attach(const DrawState& s, FragmentRates& r) {
  if (s.shadingRateCombiner[1] == kKeep) return;
  const Surface texels = surfaceOf(s.attachments.shadingRate);
  const VkExtent2D region = s.attachments.shadingRateTexel;
  if (!texels || !region.width || !region.height) return;
  r.texels = texels.base, r.layerPitch = texels.layerPitch, r.rowPitch = texels.rowPitch;
  r.texelBytes = texels.texelBytes;
  r.width = texels.width, r.height = texels.height, r.layers = texels.layers;
  r.logTexelWidth = static_cast<uint32_t>(std::countr_zero(region.width));
  r.logTexelHeight = static_cast<uint32_t>(std::countr_zero(region.height));
}

}  // namespace

FragmentRates fragmentRates(const DrawState& s, uint32_t samples) {
  FragmentRates r;
  if (s.attachments.density.view && !fragmentsArePixels(s)) {
    r.samples = samples, r.density = densityRates(s.attachments);
    r.vary = static_cast<bool>(r.density);
    return r;
  }
  const bool kept = s.shadingRateCombiner[0] == kKeep && s.shadingRateCombiner[1] == kKeep;
  if ((s.shadingRate == 0 && kept) || fragmentsArePixels(s)) return r;
  r.ofPipeline = s.shadingRate, r.samples = samples;
  r.combiner[0] = s.shadingRateCombiner[0], r.combiner[1] = s.shadingRateCombiner[1];
  r.perPrimitive = r.combiner[0] != kKeep && lastVertexStage(s).info.writesShadingRate;
  attach(s, r);
  r.vary = r.perPrimitive || r.texels || r.at(nullptr, 0, 0, 0) != 0;
  return r;
}

}  // namespace etzel::raster
