// Addresses of an attachment's samples. Everything in raster/ that touches attachment memory goes through a Surface,
// so that another arrangement of pixels and samples changes this file and those that use its strides only.
#pragma once

#include "runtime/tex/view.h"

namespace etzel::raster {

/// One aspect of an attachment view: strides of its memory. Layers of a sliced 3D view are depth slices.
struct Surface {
  std::byte* base = nullptr;  ///< pixel (0, 0), sample 0, layer 0 of the view; null: no attachment
  uint64_t layerPitch = 0, samplePitch = 0;
  uint32_t rowPitch = 0, texelBytes = 0;
  uint32_t width = 0, height = 0, layers = 1, samples = 1;

  explicit operator bool() const { return base != nullptr; }
  std::byte* at(uint32_t x, uint32_t y, uint32_t layer, uint32_t sample) const {
    return base + layer * layerPitch + sample * samplePitch + uint64_t(y) * rowPitch + uint64_t(x) * texelBytes;
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
  return s;
}

}  // namespace etzel::raster
