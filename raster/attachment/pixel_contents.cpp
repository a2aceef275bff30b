#include "raster/attachment/pixel_contents.h"

#include <algorithm>
#include <cstring>

namespace etzel::raster {

bool PixelContents::operator==(const PixelContents& o) const {
  return samples == o.samples && texelBytes == o.texelBytes && !std::memcmp(texel, o.texel, sizeof texel);
}

PixelContents readPixel(const Surface& surface, int32_t x, int32_t y, uint32_t layer) {
  PixelContents p;
  const auto px = static_cast<uint32_t>(x), py = static_cast<uint32_t>(y);
  if (!surface || px >= surface.width || py >= surface.height || layer >= surface.layers) return p;
  if (surface.texelBytes > kMaxTexelBytes) return p;
  p.samples = surface.samples, p.texelBytes = surface.texelBytes;
  if (const msaa::DepthSurface depth = surface.depth(layer); depth) {
    switch (depth.kindOf(depth.state(depth.tileOf(px, py)))) {
      case msaa::DepthKind::Clear: p.store = PixelContents::Store::Clear; break;
      case msaa::DepthKind::Planes: p.store = PixelContents::Store::Planes; break;
      default: p.store = PixelContents::Store::Expanded; break;
    }
    for (uint32_t s = 0; s < p.samples; ++s) {
      const uint32_t word = depth.sampleWord(px, py, s);
      std::memcpy(p.texel[s], &word, std::min<size_t>(sizeof word, p.texelBytes));
    }
    return p;
  }
  const msaa::FragmentSurface color = surface.fragments(layer);
  if (color) {
    constexpr PixelContents::Store kStores[] = {PixelContents::Store::One, PixelContents::Store::Clear,
                                                PixelContents::Store::General, PixelContents::Store::Expanded};
    p.store = kStores[static_cast<uint32_t>(msaa::kindOf(color.state(color.tileOf(px, py))))];
    p.mask = color.maskAt(px, py);
  }
  for (uint32_t s = 0; s < p.samples; ++s)
    std::memcpy(p.texel[s], color ? color.sampleTexel(px, py, s) : surface.at(px, py, layer, s), p.texelBytes);
  return p;
}

}  // namespace etzel::raster
