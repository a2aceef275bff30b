// Gathers of eight lanes: one component of the four texels of a bilinear footprint. Compiled per target.
#pragma once

#include "runtime/tex/lanes/sample_ways.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Of layers, with offsets and comparisons, where all texels have neighbours. \param component  of the image; 4 or
/// more: a constant \returns false: nothing happened
ETZEL_INLINE_LOOP bool gatherSquareOf(const LanesCall& call, const abi::TexInst& inst, const Coordinates& co,
                                      const Plane& p, uint8_t component) {
  const SquareKernels& k = squareKernels(*call.view);
  Square q;
  if ((inst.dref ? !k.compareGather : component > 3 || !k.gather) || !squareOf(*call.sampler, co, p, q)) return false;
  const Target to{*call.view, call.result, call.lanes};
  if (inst.dref)
    k.compareGather(to, q, call.sampler->compareOp, referenceOf(call, inst));
  else
    k.gather(to, q, component);
  return true;
}

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
  const uint8_t component = view.identitySwizzle ? inst.component : view.swizzle[inst.component];
  if (!plain && !inst.offsets4 && gatherSquareOf(call, inst, co, p, component)) return true;
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

/// The same of four-byte codes on a level whose place is known.
template <Q f>
__attribute__((noinline)) bool gatherLevel(const LanesCall& call) {
  const ImageView& view = *call.view;
  Square q;
  if (!squareOf(levelRule(view, *call.sampler, 0), texelBytes(f), floats(call.args[0]), floats(call.args[1]), q))
    return false;
  gatherSquare<f>({view, call.result, call.lanes}, q, call.inst >> kComponentShift & 3);
  return true;
}
/// Where level_squares.h knows the view. \returns false: it doesn't, or gatherLevel() does not; nothing happened
ETZEL_INLINE_LOOP bool gatherEight(const LanesCall& call) {
  const ImageView& view = *call.view;
  if (!hasEightLevels(view) || !view.identitySwizzle || call.sampler->unnormalized || call.sampler->ycbcr.enabled)
    return false;
  switch (view.lanes.layout) {
    case Q::Rgba8: return gatherLevel<Q::Rgba8>(call);
    case Q::Bgra8: return gatherLevel<Q::Bgra8>(call);
    default: return false;
  }
}

/// Whether all that the instruction says is which component of a 2D image.
ETZEL_INLINE_LOOP bool isPlainGather(uint32_t texInst) {
  constexpr abi::TexInst like = [] {
    abi::TexInst inst;
    inst.kind = abi::TexKind::Gather, inst.lod = abi::LodMode::Zero;
    return inst;
  }();
  constexpr uint32_t component = 3u << kComponentShift, type = 7u << 19;
  return (texInst & ~(component | type)) == like.pack();
}

ETZEL_INLINE_LOOP bool gather(const LanesCall& call) {
  if (!isPlainGather(call.inst)) return gatherAs<false>(call);
  return gatherEight(call) || gatherSquares(call) || gatherAs<true>(call);
}

/// abi::SampleLevels of gathers.
__attribute__((noinline)) bool gatherLevels(const ImageView* view, const Sampler* sampler, uint32_t inst,
                                            const LaneWords* args, LaneMask lanes, LaneWords* result) {
  return gather({nullptr, inst, lanes, view, sampler, args, result});
}

#ifdef ETZEL_SIMD_V3
/// Which byte of eight pairs of texels' words is `byte` of the left ones, and then of the right ones, or with
/// `rightFirst` the other way round.
constexpr simd::BytePattern bytesOfPairs(bool rightFirst, uint32_t byte) {
  simd::BytePattern p{};
  for (uint32_t lane = 0; lane < 16; ++lane)
    p.byte[4 * lane] = static_cast<uint8_t>(8 * (lane & 7) + ((lane < 8) == rightFirst ? 4 : 0) + byte);
  return p;
}

/// Of texels of four bytes that are no sRGB, on hosts whose registers hold sixteen numbers: a row's texels are
/// converted at once. Its arguments are a kernel's (abi::SampleLevels), which stay in registers all the way.
ETZEL_WIDE_BYTES __attribute__((noinline)) bool gatherWide(const ImageView* view, const Sampler* sampler, uint32_t inst,
                                                           const LaneWords* args, LaneMask lanes, LaneWords* result) {
  static constexpr simd::BytePattern kLower[4] = {bytesOfPairs(false, 0), bytesOfPairs(false, 1),
                                                  bytesOfPairs(false, 2), bytesOfPairs(false, 3)};
  static constexpr simd::BytePattern kUpper[4] = {bytesOfPairs(true, 0), bytesOfPairs(true, 1), bytesOfPairs(true, 2),
                                                  bytesOfPairs(true, 3)};
  const abi::LevelPlace& level = view->direct.level[0];
  const uint32_t component = inst >> kComponentShift & 3;
  const uint32_t byte = isBlueFirst(view->lanes.layout) && component < 3 ? 2 - component : component;
  alignas(32) int32_t offset[8];
  WideAxis both;
  if (!neighboursWide(level, *sampler, floats(args[0]), floats(args[1]), both, offset))
    return gatherLevels(view, sampler, inst, args, lanes, result);
  const std::byte* const upper = view->lanes.base + level.start;
  prefetchWide({upper, offset});
  const auto numbers = [](U32x16 texels, const simd::BytePattern& order) ETZEL_WIDE_BYTES {
    const F32x16 code = numbersWide(simd::bytesWide(texels, order));
    return code * splatWide(kFixed8Power) + code * splatWide(kFixed8Rest);
  };
  // Results are the texels (i0, j1), (i1, j1), (i1, j0), (i0, j0).
  const F32x16 first = numbers(simd::gatherPairsWide(upper + level.pitch, offset), kLower[byte]);
  const F32x16 second = numbers(simd::gatherPairsWide(upper, offset), kUpper[byte]);
  if (lanes == kAllLanes) {
    simd::storeWide(&result[0], first), simd::storeWide(&result[2], second);
    return true;
  }
  store(result[0], lowerHalf(first), lanes), store(result[1], upperHalf(first), lanes);
  store(result[2], lowerHalf(second), lanes), store(result[3], upperHalf(second), lanes);
  return true;
}
/// Whether gatherWide() does for it.
ETZEL_INLINE_LOOP bool gathersWidely(const ImageView& view, const Sampler& s, uint32_t inst) {
  return isPlainGather(inst) && isWideView(view) && !isSrgb(view.lanes.layout) && view.identitySwizzle &&
         !s.unnormalized && !s.ycbcr.enabled;
}
#endif

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
