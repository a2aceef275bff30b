#include "raster/tile/draw/density_rates.h"

#include "raster/attachment/surface.h"
#include "runtime/mutant/mutant.h"

namespace etzel::raster {
namespace {

/// A component of R8G8 by the number that a view's swizzle gives it: blue is 0 there, alpha 1.
uint8_t componentOf(uint8_t swizzle) {
  if (swizzle == 2) return DensityRates::kNone;
  return swizzle == 3 ? DensityRates::kWhole : swizzle;
}

}  // namespace

DensityRates densityRates(const Attachments& a) {
  DensityRates r;
  const DensityAttachment& d = a.density;
  const Surface map = surfaceOf(d.view);
  if (!map || map.texelBytes != 2) return r;
  r.texels = map.base, r.layerPitch = map.layerPitch, r.rowPitch = map.rowPitch;
  r.width = map.width, r.height = map.height, r.layers = map.layers;
  r.endX = d.framebuffer.width, r.endY = d.framebuffer.height;
  r.logTexel[0] = logDensityTexel(d.framebuffer.width, map.width);
  r.logTexel[1] = logDensityTexel(d.framebuffer.height, map.height);
  r.logLargest[0] = logDensityRatio(d.framebuffer.width, map.width);
  r.logLargest[1] = logDensityRatio(d.framebuffer.height, map.height);
  for (uint32_t i = 0; i < 2; ++i) r.component[i] = componentOf(d.view->swizzle[i]);
  r.byLayer = (a.viewMask || d.perLayer) && map.layers > 1;
  if (d.offsets && !mutated(Mutant::DensityOffset)) r.offsets = d.offsets->of, r.offsetCount = d.offsets->count;
  if (mutated(Mutant::DensityTexel)) r.width = r.height = 1;
  return r;
}

}  // namespace etzel::raster
