// Gathers of eight lanes: one component of the four texels of a bilinear footprint. Compiled per target.
#pragma once

#include "runtime/tex/lanes/sample.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

template <bool plain>
bool gatherAs(const LanesCall& call) {
  abi::TexInst inst = abi::TexInst::unpack(call.inst);
  if (plain) inst.dim = abi::TexDim::D2, inst.arrayed = inst.offset = inst.offsets4 = inst.dref = false;
  const ImageView& view = *call.view;
  const Sampler& s = *call.sampler;
  // Gathers of integers are fine: nothing is averaged. Corners of cubes are left to the general path.
  if (!view.plane || s.ycbcr.enabled || (inst.dim == abi::TexDim::Cube && s.seamlessCube)) return false;
  F32x8 r[3];
  Faces faces;
  Coordinates co = coordinatesOf(call, inst, r, faces);
  if (co.dims != 2 || (inst.dref && !kernels(view).compare)) return false;
  const Plane p = planeOf(view, 0);
  Taps taps;
  format::Texel border;
  if (hasBorder(s, co)) border = borderTexel(view, s), taps.border = &border;
  taps.base = p.base, taps.count = 4;
  // Results are the texels (i0, j1), (i1, j1), (i1, j0), (i0, j0).
  constexpr uint32_t right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
  const I32x8 layer = co.layered ? co.layer * splat(p.layer) : splat(0);
  if (inst.offsets4) {
    // With four offsets each texel is the (i0, j0) of its own footprint.
    for (uint32_t k = 0; k < 4; ++k) {
      co.hasOffset = true;
      for (uint32_t d = 0; d < 2; ++d) co.offset[d] = ints(call.args[inst.argOffsets4() + 2 * k + d]);
      const AxisTaps x = linearAxis(s, co, 0, p.width), y = linearAxis(s, co, 1, p.height);
      taps.offset[k] = layer + across(p, x.at[0]) + down(p, y.at[0]);
      if (taps.border) taps.valid[k] = x.valid[0] & y.valid[0];
    }
  } else {
    const AxisTaps x = linearAxis(s, co, 0, p.width), y = linearAxis(s, co, 1, p.height);
    const I32x8 ox[2] = {across(p, x.at[0]) + layer, across(p, x.at[1]) + layer};
    const I32x8 oy[2] = {down(p, y.at[0]), down(p, y.at[1])};
    for (uint32_t k = 0; k < 4; ++k) {
      taps.offset[k] = ox[right[k]] + oy[below[k]];
      if (taps.border) taps.valid[k] = x.valid[right[k]] & y.valid[below[k]];
    }
  }
  const Target to{view, call.result, call.lanes};
  const Kernels& k = kernels(view);
  if (inst.dref) {
    k.compareGather(to, taps, s.compareOp, referenceOf(call, inst));
    return true;
  }
  const uint8_t component = view.identitySwizzle ? inst.component : view.swizzle[inst.component];
  if (component < 4) {
    k.gather(to, taps, component);
  } else {
    const F32x8 value = asFloat(splat(component == 4 ? 0 : static_cast<int32_t>(view.lanes.unity)));
    for (uint32_t i = 0; i < 4; ++i) store(call.result[i], value, call.lanes);
  }
  return true;
}

inline constexpr uint32_t kComponentShift = 17;
static_assert(abi::TexInst::unpack(2u << kComponentShift).component == 2);

/// Of a plain 2D image, where all texels have neighbours. \returns false: nothing happened
ETZEL_INLINE_LOOP bool gatherSquares(const LanesCall& call) {
  const ImageView& view = *call.view;
  const SquareKernels& k = squareKernels(view);
  if (!k.gather || !view.plane || !view.identitySwizzle || call.sampler->ycbcr.enabled) return false;
  Square q;
  if (!squareOf(*call.sampler, floats(call.args[0]), floats(call.args[1]), planeOf(view, 0), q)) return false;
  k.gather({view, call.result, call.lanes}, q, call.inst >> kComponentShift & 3);
  return true;
}

ETZEL_INLINE_LOOP bool gather(const LanesCall& call) {
  constexpr abi::TexInst like = [] {
    abi::TexInst inst;
    inst.kind = abi::TexKind::Gather, inst.lod = abi::LodMode::Zero;
    return inst;
  }();
  constexpr uint32_t component = 3u << kComponentShift, type = 7u << 19;
  const bool plain = (call.inst & ~(component | type)) == like.pack();
  return plain ? gatherSquares(call) || gatherAs<true>(call) : gatherAs<false>(call);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
