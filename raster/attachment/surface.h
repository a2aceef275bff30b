// Addresses of an attachment's samples. Everything in raster/ that touches attachment memory goes through a Surface,
// so that another arrangement of pixels and samples changes this file and those that use its strides only. Colour of
// multisampled images is compressed (runtime/msaa/fragment_surface.h): planes of samples are planes of fragments.
// Depth and stencil have tile states (runtime/msaa/depth_surface.h).
#pragma once

#include "runtime/msaa/depth_surface.h"
#include "runtime/msaa/fragment_surface.h"
#include "runtime/tex/view.h"

namespace etzel::raster {

/// One aspect of an attachment view: strides of its memory. Layers of a sliced 3D view are depth slices.
struct Surface {
  std::byte* base = nullptr;  ///< pixel (0, 0), sample 0, layer 0 of the view; null: no attachment
  uint64_t layerPitch = 0, samplePitch = 0;
  uint32_t rowPitch = 0, texelBytes = 0;
  uint32_t width = 0, height = 0, layers = 1, samples = 1;
  uint32_t originX = 0, originY = 0;  ///< pixel at which memory begins: that of tile memory holds one tile
  // Compressed surfaces only:
  std::byte* meta = nullptr;  ///< of the view's layer 0; null: sample s lies in plane s
  uint64_t metaPitch = 0, edgeOffset = 0, maskOffset = 0;
  uint32_t tilesX = 0, tilesY = 0;
  // Depth and stencil with tile states only:
  const mem::DepthTileLayout* depthTiles = nullptr;  ///< null: all texels are where at() says
  std::byte* depthMeta = nullptr;                    ///< of the view's layer 0
  msaa::DepthFormat depthFormat = msaa::DepthFormat::None;

  explicit operator bool() const { return base != nullptr; }
  std::byte* at(uint32_t x, uint32_t y, uint32_t layer, uint32_t sample) const {
    return base + layer * layerPitch + sample * samplePitch + uint64_t(y - originY) * rowPitch +
           uint64_t(x - originX) * texelBytes;
  }
  /// One layer; false where it is not compressed.
  msaa::FragmentSurface fragments(uint32_t layer) const {
    msaa::FragmentSurface f;
    f.texels = base + layer * layerPitch, f.meta = meta ? meta + layer * metaPitch : nullptr;
    f.planePitch = samplePitch, f.edgeOffset = edgeOffset, f.maskOffset = maskOffset;
    f.rowPitch = rowPitch, f.texelBytes = texelBytes, f.width = width, f.height = height, f.samples = samples;
    f.tilesX = tilesX, f.tilesY = tilesY;
    f.originX = originX, f.originY = originY;
    return f;
  }
  /// One layer of depth or stencil; false where it has no tile states.
  msaa::DepthSurface depth(uint32_t layer) const {
    msaa::DepthSurface d;
    d.texels = base + layer * layerPitch;
    d.samplePitch = samplePitch;
    d.rowPitch = rowPitch, d.texelBytes = texelBytes, d.width = width, d.height = height, d.samples = samples;
    d.format = depthFormat;
    d.originX = originX, d.originY = originY;
    if (depthTiles) {
      d.meta = depthMeta + layer * depthTiles->layerPitch;
      d.wordOffset = depthTiles->wordOffset, d.planeOffset = depthTiles->planeOffset;
      d.maskOffset = depthTiles->maskOffset;
      d.tilesX = depthTiles->tilesX, d.tilesY = depthTiles->tilesY;
    }
    return d;
  }
};

/// The surface of a view's first mip level. A null view gives a null surface.
inline Surface surfaceOf(const tex::ImageView* view) {
  Surface s;
  if (!view || !view->layout || !view->plane || !view->memory) return s;
  const mem::PlaneLayout& plane = *view->plane;
  const mem::MipLayout& mip = plane.mip[view->baseMip];
  bool sliced = view->depthCount > 0;
  s.base = view->memory + view->layout->texelOffset(plane, view->baseMip, sliced ? 0 : view->baseLayer, 0, 0, 0,
                                                    sliced ? view->baseDepth : 0);
  s.layerPitch = sliced ? mip.slicePitch : plane.layerPitch;
  s.samplePitch = plane.samplePitch;
  s.rowPitch = mip.rowPitch;
  s.texelBytes = plane.blockBytes;
  s.width = mip.width, s.height = mip.height;
  s.layers = sliced ? view->depthCount : view->layerCount;
  s.samples = view->samples;
  if (const mem::FragmentLayout& f = plane.fragments; f.offset) {
    s.meta = view->memory + f.offset + view->baseLayer * f.layerPitch;
    s.metaPitch = f.layerPitch, s.edgeOffset = f.edgeOffset, s.maskOffset = f.maskOffset;
    s.tilesX = f.tilesX, s.tilesY = f.tilesY;
  }
  if (plane.aspect & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) {
    s.depthFormat = msaa::depthFormatOf(plane.format);
    if (plane.tiles.offset) {
      s.depthTiles = &plane.tiles;
      s.depthMeta = view->memory + plane.tiles.offset + view->baseLayer * plane.tiles.layerPitch;
    }
  }
  return s;
}

}  // namespace etzel::raster
