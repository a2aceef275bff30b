// Filtered reads of eight lanes: coordinates, levels of detail, then one filtered footprint for all lanes that share
// their levels. Compiled per target.
#pragma once

#include <algorithm>
#include <bit>

#include "runtime/tex/lanes/square.h"
#include "runtime/tex/single/lod.h"
#ifdef ETZEL_SIMD_V3
#include "runtime/tex/lanes/wide_cube.h"
#include "runtime/tex/lanes/wide_floats.h"
#include "runtime/tex/lanes/wide_pairs.h"
#endif

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// What lod.h decides, for eight lanes.
struct Lods {
  I32x8 level;   ///< the lower one
  F32x8 weight;  ///< of the level above it
  I32x8 magnify;
  F32x8 probes;   ///< whole numbers, 1 to 16
  F32x8 axis[2];  ///< in texels of the base level
};

ETZEL_INLINE_LOOP F32x8 quadLane(F32x8 v, bool right, bool below) {
  if (right) return shuffleHalves<1, 1, 1, 1>(v);
  if (below) return shuffleHalves<2, 2, 2, 2>(v);
  return shuffleHalves<0, 0, 0, 0>(v);
}

/// "Scale Factor Operation": squared lengths of the footprint's sides in texels of the base level.
struct Sides {
  F32x8 dx[3], dy[3];
  F32x8 xx, yy;
};
ETZEL_INLINE_LOOP Sides sidesOf(const LanesCall& call, const abi::TexInst& inst, const F32x8 r[3], const Faces* faces,
                                uint32_t dims) {
  const uint32_t spatial = inst.spatialDims();
  F32x8 dx[3], dy[3];
  for (uint32_t d = 0; d < spatial; ++d) {
    if (inst.lod == abi::LodMode::Grad) {
      dx[d] = floats(call.args[inst.argGradX() + d]), dy[d] = floats(call.args[inst.argGradY() + d]);
    } else {
      const F32x8 origin = quadLane(r[d], false, false);
      dx[d] = quadLane(r[d], true, false) - origin, dy[d] = quadLane(r[d], false, true) - origin;
    }
  }
  Sides s;
  if (faces) {
    // "Cube Map Derivative Transformation"
    const F32x8 square = faces->ma * faces->ma;
    const auto transform = [&](const F32x8 d[3], F32x8 out[2]) {
      F32x8 dsc, dtc, dma;
      toFaces(*faces, d, dsc, dtc, dma);
      out[0] = splat(0.5f) * (faces->ma * dsc - faces->sc * dma) / square;
      out[1] = splat(0.5f) * (faces->ma * dtc - faces->tc * dma) / square;
    };
    transform(dx, s.dx), transform(dy, s.dy);
  } else {
    for (uint32_t d = 0; d < dims; ++d) s.dx[d] = dx[d], s.dy[d] = dy[d];
  }
  const mem::MipLayout& m = call.view->plane->mip[call.view->baseMip];
  const uint32_t size[3] = {m.width, m.height, m.depth};
  for (uint32_t d = 0; d < dims; ++d) {
    const F32x8 texels = splat(static_cast<float>(size[d]));
    s.dx[d] *= texels, s.dy[d] *= texels;
    const F32x8 xx = s.dx[d] * s.dx[d], yy = s.dy[d] * s.dy[d];
    s.xx = d ? s.xx + xx : xx, s.yy = d ? s.yy + yy : yy;
  }
  s.xx = maximum(s.xx, splat(0.0f)), s.yy = maximum(s.yy, splat(0.0f));  // NaN coordinates
  return s;
}

/// Whether footprints whose longer sides are `major` texels, squared, all lie within a texel: no logarithm can make
/// that more than level 0.
ETZEL_INLINE_LOOP bool isWithinTexel(const Sampler& s, F32x8 major) {
  return s.mipLodBias <= 0 && s.minLod <= 0 && laneMask(atMost(major, splat(1.0f))) == kAllLanes;
}

/// "Texel Anisotropic Filtering" of footprints with those sides, of which `major` is the longer one, squared. \returns
/// their levels
ETZEL_INLINE_LOOP F32x8 findProbes(const Sampler& sampler, const Sides& s, F32x8 major, Lods& lods) {
  const F32x8 minor = minimum(s.yy, s.xx);
  const I32x8 uneven = greater(major, maximum(minor, splat(1.0f))) & less(major, splat(1e30f));
  const F32x8 rhoMax = simd::sqrt(major), rhoMin = simd::sqrt(minor), most = splat(sampler.maxAnisotropy);
  const F32x8 ratio = select(greater(rhoMin, splat(0.0f)), minimum(most, rhoMax / rhoMin), most);
  const F32x8 up = splat(0.0f) - convert<F32x8>(floorOf(splat(0.0f) - ratio));
  lods.probes = select(uneven, minimum(splat(16.0f), maximum(splat(1.0f), up)), splat(1.0f));
  // The one probe of other footprints lies in their middle, also where their sides are no numbers.
  for (int d = 0; d < 2; ++d) lods.axis[d] = select(uneven, select(greater(s.xx, s.yy), s.dx[d], s.dy[d]), splat(0.0f));
  // Of isotropic ones half the logarithm of a square.
  return log2Of(select(uneven, rhoMax / ratio, major), select(uneven, splat(1.0f), splat(0.5f)));
}

/// What becomes of a level of detail: bias, limits, and the image's levels.
ETZEL_INLINE_LOOP void selectLevels(const LanesCall& call, const abi::TexInst& inst, F32x8 base, Lods& lods) {
  using abi::LodMode;
  const ImageView& view = *call.view;
  const Sampler& sampler = *call.sampler;
  const F32x8 bias = inst.lod == LodMode::Bias ? floats(call.args[inst.argLod()]) : splat(0.0f);
  F32x8 biased = base;
  if (inst.lod == LodMode::Bias || sampler.mipLodBias != 0)
    biased += minimum(splat(kMaxLodBias), maximum(splat(-kMaxLodBias), splat(sampler.mipLodBias) + bias));
  F32x8 least = splat(sampler.minLod);
  if (inst.minLod) least = maximum(floats(call.args[inst.argMinLod()]), least);
  least = maximum(splat(view.minLod - static_cast<float>(view.baseMip)), least);
  F32x8 lambda = maximum(least, minimum(splat(sampler.maxLod), biased));
  if (inst.lod != LodMode::Implicit || inst.minLod) lambda = select(equal(lambda, lambda), lambda, splat(0.0f));
  lods.magnify = atMost(lambda, splat(0.0f));
  const F32x8 last = splat(static_cast<float>(view.mipCount - 1));
  const F32x8 d = minimum(last, maximum(splat(0.0f), lambda));
  if (sampler.mipmapMode == VK_SAMPLER_MIPMAP_MODE_NEAREST || view.mipCount == 1) {
    // "Image Level(s) Selection": nearest(d') = ceil(d' + 0.5) - 1 is preferred.
    const I32x8 nearest = splat(-1) - floorOf(splat(0.0f) - (d + splat(0.5f)));
    lods.level = minimum(maximum(nearest, splat(0)), splat(static_cast<int32_t>(view.mipCount) - 1));
    lods.weight = splat(0.0f);
  } else {
    const I32x8 fixed = floorOf(d * splat(float{kLodSteps}) + splat(0.5f));
    lods.level = fixed >> std::countr_zero(kLodSteps);
    lods.weight = convert<F32x8>(fixed & splat(int32_t{kLodSteps - 1})) * splat(1.0f / kLodSteps);
  }
}

/// selectLevels() of lod.h. \returns false where all lanes magnify, or nothing depends on it: level 0, `magnify` is set
ETZEL_INLINE_LOOP bool findLods(const LanesCall& call, const abi::TexInst& inst, const F32x8 r[3], const Faces* faces,
                                uint32_t dims, Lods& lods) {
  using abi::LodMode;
  const Sampler& sampler = *call.sampler;
  F32x8 base = splat(0.0f);
  if (inst.lod == LodMode::Explicit) {
    base = floats(call.args[inst.argLod()]);
  } else if (inst.lod != LodMode::Zero) {
    const Sides s = sidesOf(call, inst, r, faces, dims);
    const F32x8 major = maximum(s.yy, s.xx);
    if (inst.lod != LodMode::Bias && !inst.minLod && isWithinTexel(sampler, major)) return false;
    const bool anisotropic = sampler.anisotropic && sampler.maxAnisotropy > 1 && dims == 2;
    base = anisotropic && !call.view->info->isInteger() ? findProbes(sampler, s, major, lods) : log2Of(major, 0.5f);
  }
  selectLevels(call, inst, base, lods);
  return true;
}

/// The same small number, found by counting: neighbouring pixels need the same level and as many probes, so branch
/// prediction knows it long before the logarithm does, and addresses can be computed meanwhile.
ETZEL_INLINE_LOOP uint32_t predicted(uint32_t number) {
  uint32_t n = 0;
  while (n != number) {
    ++n;
    asm("" : "+r"(n));  // or the compiler would see what the loop computes
  }
  return n;
}

/// Levels that lanes have in common.
struct SharedLevels {
  uint32_t low = 0;
  bool two = false;
  F32x8 upper = splat(0.0f);  ///< the weight of the one above
};
/// Those of a 2D or 3D image. \returns false: lanes differ
ETZEL_INLINE_LOOP bool findSharedLevels(const LanesCall& call, const abi::TexInst& inst, const F32x8 r[3],
                                        uint32_t dims, SharedLevels& levels) {
  Lods lods{};
  if (call.sampler->unnormalized || call.view->mipCount == 1 || !findLods(call, inst, r, nullptr, dims, lods))
    return true;
  const int32_t first = lods.level[std::countr_zero(call.lanes)];
  if (~laneMask(lods.level == splat(first)) & call.lanes) return false;
  levels.low = predicted(static_cast<uint32_t>(first));
  levels.two = laneMask(lods.weight > splat(0.0f)) & call.lanes;
  levels.upper = lods.weight;
  return true;
}

/// "Unnormalized Texel Coordinate Operations": layers, or cubes, are rounded to nearest even, then clamped.
ETZEL_INLINE_LOOP I32x8 layersOf(const LanesCall& call, uint32_t argument, bool cube) {
  const ImageView& view = *call.view;
  uint32_t layers = view.depthCount ? view.depthCount : view.layerCount;
  if (cube) layers /= 6;
  const F32x8 a = maximum(floats(call.args[argument]), splat(0.0f));
  return roundToInt(minimum(splat(layers > 0 ? static_cast<float>(layers - 1) : 0.0f), a));
}

/// The coordinates of all lanes; `r` keeps what derivatives are taken of.
ETZEL_INLINE_LOOP Coordinates coordinatesOf(const LanesCall& call, const abi::TexInst& inst, F32x8 r[3], Faces& faces) {
  const uint32_t spatial = inst.spatialDims();
  const bool cube = inst.dim == abi::TexDim::Cube;
  Coordinates co;
  co.dims = cube ? 2 : spatial;
  co.seamless = cube && call.sampler->seamlessCube;
  co.layered = cube || inst.arrayed;
  for (uint32_t d = 0; d < spatial; ++d) co.c[d] = r[d] = floats(call.args[d]);
  if (inst.arrayed) co.layer = layersOf(call, spatial, cube);
  if (cube) {
    faces = facesOf(r);
    co.c[0] = faces.s, co.c[1] = faces.t;
    co.face = faces.face;
    co.layer = inst.arrayed ? co.layer * splat(6) + faces.face : faces.face;
  }
  co.hasOffset = inst.offset;
  if (inst.offset)
    for (uint32_t d = 0; d < inst.offsetDims(); ++d) co.offset[d] = ints(call.args[inst.argOffset() + d]);
  return co;
}

ETZEL_INLINE_LOOP bool hasBorder(const Sampler& s, const Coordinates& co) {
  if (co.seamless) return false;
  for (uint32_t d = 0; d < co.dims; ++d)
    if (s.address[d] == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER) return true;
  return false;
}

ETZEL_INLINE_LOOP F32x8 referenceOf(const LanesCall& call, const abi::TexInst& inst) {
  return referenceOf(*call.view, floats(call.args[inst.argDref()]));
}

ETZEL_INLINE_LOOP void putCompared(const LanesCall& call, LaneMask lanes, F32x8 sum) {
  LaneWords* const result = call.result;
  store(result[0], sum, lanes), store(result[1], splat(0.0f), lanes);
  store(result[2], splat(0.0f), lanes), store(result[3], splat(1.0f), lanes);
}

/// What lanes have in common that are filtered together.
struct SampleGroup {
  LaneMask lanes;
  uint32_t level;  ///< the lower one
  bool two;        ///< and the level above it
  VkFilter filter;
  uint32_t probes;  ///< of the lane that has most
};

/// One probe of the lanes: adds its footprints on one or two levels to the taps. `shared`: `share` is not 1
ETZEL_INLINE_LOOP void addProbe(const LanesCall& call, const Coordinates& co, const SampleGroup& g, bool shared,
                                F32x8 share, F32x8 upper, Taps& taps) {
  const Sampler& s = *call.sampler;
  const bool two = g.two;
  const Plane low = planeOf(*call.view, g.level);
  taps.base = low.base;
  const F32x8 lower = two ? share * (splat(1.0f) - upper) : share;
  if (g.filter == VK_FILTER_NEAREST)
    addNearest(s, co, low, lower, taps);
  else
    addLinear(s, co, low, shared | two, lower, taps);
  if (!two) return;
  const Plane high = planeOf(*call.view, g.level + 1);
  const uint32_t first = taps.count;
  if (g.filter == VK_FILTER_NEAREST)
    addNearest(s, co, high, share * upper, taps);
  else
    addLinear(s, co, high, true, share * upper, taps);
  // Offsets count from the lower level's base.
  const I32x8 distance = splat(distanceOf(*call.view, low.base, high.base));
  for (uint32_t k = first; k < taps.count; ++k) taps.offset[k] += distance;
}

/// The squares of a level, as they lie or copied. \returns false: they cannot be copied either
ETZEL_INLINE_LOOP bool squaresOfLevel(const LanesCall& call, const Coordinates& co, uint32_t level, bool copies,
                                      CopiedSquares& copied, Square& q) {
  const Plane p = planeOf(*call.view, level);
  if (squareOf(*call.sampler, co, p, q)) return true;
  if (copies) copiedSquareOf(*call.sampler, co, p, copied, q);
  return copies;
}
/// Lanes whose texels are squares on all their levels. \returns false: some are not, nothing happened
/// \param reference  what texels are compared with; null: they are filtered
ETZEL_INLINE_LOOP bool sampleGroupOfSquares(const LanesCall& call, const Coordinates& co, const SampleGroup& g,
                                            F32x8 upper, bool border, const F32x8* reference) {
  const SquareKernels& k = squareKernels(*call.view);
  if (co.dims != 2 || (reference ? !k.compare : !k.filter)) return false;
  const bool copies = !border && !co.seamless;
  CopiedSquares copied[2];
  Square low, high;
  if (!squaresOfLevel(call, co, g.level, copies, copied[0], low)) return false;
  if (g.two) {
    if (!squaresOfLevel(call, co, g.level + 1, copies, copied[1], high)) return false;
    const F32x8 lower = splat(1.0f) - upper;
    for (int x = 0; x < 2; ++x) low.wx[x] *= lower, high.wx[x] *= upper;
  }
  const Target to{*call.view, call.result, g.lanes};
  if (!reference) {
    k.filter(to, low, g.two ? &high : nullptr);
    return true;
  }
  F32x8 sum;
  k.compare(to, low, g.two ? &high : nullptr, call.sampler->compareOp, *reference, sum);
  putCompared(call, g.lanes, sum);
  return true;
}

/// addProbes() for hosts and views that have something better; null: these have not.
using WideProbes = uint32_t (*)(const Target&, const Sampler&, uint32_t level, const ProbeLine&, uint32_t, F32x8*);
ETZEL_INLINE_LOOP WideProbes wideProbes(const ImageView& view, const Sampler& sampler) {
#ifdef ETZEL_SIMD_V3
  if (isWideView(view) && !sampler.unnormalized)
    return isSrgb(view.lanes.layout) ? probesWide<true> : probesWide<false>;
#endif
  return nullptr;
}

/// Where the probes of lanes on one level lie; the lane that has most has `most`.
ETZEL_INLINE_LOOP ProbeLine probeLine(const ImageView& view, const F32x8 c[2], const Lods& lods, LaneMask lanes,
                                      uint32_t most, bool two) {
  const mem::MipLayout& m = view.plane->mip[view.baseMip];
  const bool same = !(laneMask(lods.probes != splat(static_cast<float>(most))) & lanes);
  ProbeLine line{{c[0], c[1]}, {lods.axis[0], lods.axis[1]}, lods.probes, lods.weight, most, two};
  line.along[0] = line.along[0] / splat(static_cast<float>(m.width));
  line.along[1] = line.along[1] / splat(static_cast<float>(m.height));
  if (same) line.probes = splat(static_cast<float>(most));  // known earlier
  return line;
}

/// "Texel Anisotropic Filtering": all probes of lanes with the same levels and the same filter.
__attribute__((noinline)) void sampleProbes(const LanesCall& call, const abi::TexInst& inst, const Coordinates& co,
                                            const Lods& lods, const SampleGroup& g, F32x8 reference, Taps& taps) {
  const Target to{*call.view, call.result, g.lanes};
  const Kernels& k = kernels(*call.view);
  const uint32_t most = predicted(g.probes);
  const ProbeLine line = probeLine(*call.view, co.c, lods, g.lanes, most, g.two);
  const bool squares = co.dims == 2 && !inst.dref && g.filter == VK_FILTER_LINEAR;
  const bool plain = !co.layered && !co.hasOffset;
  const WideProbes wide = squares && plain ? wideProbes(*call.view, *call.sampler) : nullptr;
  const auto probes = squares && !wide ? squareKernels(*call.view).probes : nullptr;
  const uint32_t upper = g.two ? 1 : 0;
  ProbeLevels levels{.move = co.hasOffset ? co.offset : nullptr};
  for (uint32_t n = 0; n < 2; ++n) {
    const Plane p = planeOf(*call.view, n ? g.level + upper : g.level);
    levels.rule[n] = squareRule(*call.sampler, p, co.seamless);
    levels.layer[n] = co.layered ? co.layer * splat(p.layer) : splat(0);
  }
  F32x8 sum[4] = {splat(0.0f), splat(0.0f), splat(0.0f), splat(0.0f)};
  for (uint32_t i = 1; i <= most; ++i) {
    if (wide && (i = wide(to, *call.sampler, g.level, line, i, sum)) > most) break;
    if (probes && (i = probes(to, levels, line, i, sum)) > most) break;
    const Probe probe = probeOf(line, i);
    Coordinates moved = co;
    moved.c[0] = probe.c[0], moved.c[1] = probe.c[1];
    taps.count = 0;
    addProbe(call, moved, g, true, probe.share, lods.weight, taps);
    if (inst.dref)
      k.compare(to, taps, call.sampler->compareOp, reference, sum[0]);
    else
      k.filter(to, taps, sum, false);
  }
  for (F32x8& c : sum) c = c / lods.probes;
  if (inst.dref) return putCompared(call, g.lanes, sum[0]);
  k.finish(to, sum);
}

/// Lanes with the same levels and the same filter.
ETZEL_INLINE_LOOP void sampleGroup(const LanesCall& call, const abi::TexInst& inst, const Coordinates& co,
                                   const Lods& lods, const SampleGroup& g, F32x8 reference, Taps& taps) {
  if (g.probes > 1) return sampleProbes(call, inst, co, lods, g, reference, taps);
  if (g.filter == VK_FILTER_LINEAR &&
      sampleGroupOfSquares(call, co, g, lods.weight, taps.border, inst.dref ? &reference : nullptr))
    return;
  const Target to{*call.view, call.result, g.lanes};
  const Kernels& k = kernels(*call.view);
  taps.count = 0;
  if (!g.two && g.filter == VK_FILTER_NEAREST && !inst.dref) {
    addProbe(call, co, g, false, splat(1.0f), splat(0.0f), taps);
    k.read(to, taps.base, taps.offset[0], taps.border ? taps.valid[0] : splat(-1), taps.border);
    return;
  }
  F32x8 sum[4] = {splat(0.0f), splat(0.0f), splat(0.0f), splat(0.0f)};
  addProbe(call, co, g, false, splat(1.0f), lods.weight, taps);
  if (!inst.dref) return k.filter(to, taps, sum, true);
  k.compare(to, taps, call.sampler->compareOp, reference, sum[0]);
  putCompared(call, g.lanes, sum[0]);
}

/// Whether these paths know the view and the sampler.
ETZEL_INLINE_LOOP bool filterable(const LanesCall& call) {
  const Sampler& s = *call.sampler;
  if (!call.view->plane || s.ycbcr.enabled || s.reduction != VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE) return false;
  if (s.magFilter == VK_FILTER_CUBIC_EXT || s.minFilter == VK_FILTER_CUBIC_EXT) return false;
  return !call.view->info->isInteger() || (s.magFilter == VK_FILTER_NEAREST && s.minFilter == VK_FILTER_NEAREST &&
                                           s.mipmapMode == VK_SAMPLER_MIPMAP_MODE_NEAREST);
}

ETZEL_INLINE_LOOP bool sampleAs(const LanesCall& call, const abi::TexInst inst) {
  const Sampler& s = *call.sampler;
  const ImageView& view = *call.view;
  if (!filterable(call) || (inst.dref && !kernels(view).compare)) return false;
  F32x8 r[3];
  Faces faces;
  const Coordinates co = coordinatesOf(call, inst, r, faces);
  Taps taps;
  format::Texel border;
  if (hasBorder(s, co)) border = borderTexel(view, s), taps.border = &border;

  const F32x8 reference = inst.dref ? referenceOf(call, inst) : splat(0.0f);
  Lods lods;
  lods.weight = splat(0.0f), lods.probes = splat(1.0f);
  const bool lodMatters = !s.unnormalized && (view.mipCount > 1 || s.magFilter != s.minFilter || s.anisotropic);
  if (!lodMatters || !findLods(call, inst, r, inst.dim == abi::TexDim::Cube ? &faces : nullptr, co.dims, lods)) {
    const VkFilter filter = lodMatters ? s.magFilter : s.minFilter;
    sampleGroup(call, inst, co, lods, {call.lanes, 0, false, filter, 1}, reference, taps);
    return true;
  }
  const I32x8 key = lods.level + (lods.magnify & splat(256));
  const LaneMask above = laneMask(lods.weight > splat(0.0f)), wide = laneMask(lods.probes > splat(1.0f));
  for (LaneMask rest = call.lanes; rest;) {
    const int32_t first = key[std::countr_zero(rest)];
    const LaneMask lanes = laneMask(key == splat(first)) & rest;
    rest &= ~lanes;
    uint32_t probes = 1;
    for (LaneMask left = lanes & wide; left; left &= left - 1)
      probes = std::max(probes, static_cast<uint32_t>(lods.probes[std::countr_zero(left)]));
    const uint32_t level = predicted(static_cast<uint32_t>(first & 255));
    const VkFilter filter = first & 256 ? s.magFilter : s.minFilter;
    sampleGroup(call, inst, co, lods, {lanes, level, (above & lanes) != 0, filter, probes}, reference, taps);
  }
  return true;
}

/// The nearest texels of a plain 2D image, where the lanes share their levels and all texels are inside. \returns
/// false: they don't, nothing happened
template <abi::LodMode lod>
ETZEL_INLINE_LOOP bool sampleNearest(const LanesCall& call) {
  abi::TexInst inst;
  inst.lod = lod;
  const Sampler& s = *call.sampler;
  const ImageView& view = *call.view;
  if (s.magFilter != VK_FILTER_NEAREST || s.minFilter != VK_FILTER_NEAREST || s.anisotropic) return false;
  if (view.lanes.layout == format::TexelLayout::Blocks || !filterable(call)) return false;
  const F32x8 r[3] = {floats(call.args[0]), floats(call.args[1])};
  SharedLevels levels;
  if (!findSharedLevels(call, inst, r, 2, levels)) return false;
  const Plane p = planeOf(view, levels.low);
  const Target to{view, call.result, call.lanes};
  Taps taps;
  if (!nearestOf(squareRule(s, p), p.texel, r[0], r[1], taps.offset[0])) return false;
  prefetchRight(p.base, taps.offset[0]);
  if (!levels.two) {
    kernels(view).read(to, p.base, taps.offset[0], splat(-1), nullptr);
    return true;
  }
  const Plane high = planeOf(view, levels.low + 1);
  if (!nearestOf(squareRule(s, high), high.texel, r[0], r[1], taps.offset[1])) return false;
  taps.offset[1] += splat(distanceOf(view, p.base, high.base));
  taps.count = 2, taps.base = p.base;
  taps.weight[0] = splat(1.0f) - levels.upper, taps.weight[1] = levels.upper;
  F32x8 sum[4] = {splat(0.0f), splat(0.0f), splat(0.0f), splat(0.0f)};
  kernels(view).filter(to, taps, sum, true);
  return true;
}

/// copiedSquareOf() of a plain 2D image. \returns false: the sampler has border colours, nothing happened
__attribute__((noinline)) bool copiedPlainSquareOf(const Sampler& s, F32x8 u, F32x8 v, const Plane& p,
                                                   CopiedSquares& copied, Square& q) {
  Coordinates co{};
  co.c[0] = u, co.c[1] = v, co.dims = 2;
  if (hasBorder(s, co)) return false;
  copiedSquareOf(s, co, p, copied, q);
  return true;
}

/// Bilinear and trilinear footprints of a plain 2D image, where the lanes share their levels. \returns false: they
/// don't, or texels without neighbours may be those of the border, nothing happened
template <bool dref, abi::LodMode lod>
ETZEL_INLINE_LOOP bool sampleSquares(const LanesCall& call) {
  abi::TexInst inst;
  inst.dref = dref, inst.lod = lod;
  const Sampler& s = *call.sampler;
  const ImageView& view = *call.view;
  const SquareKernels& k = squareKernels(view);
  if (s.magFilter != VK_FILTER_LINEAR || s.minFilter != VK_FILTER_LINEAR || s.anisotropic) return false;
  if ((dref ? !k.compare : !k.filter) || !filterable(call)) return false;
  const F32x8 r[3] = {floats(call.args[0]), floats(call.args[1])};
  SharedLevels levels;
  if (!findSharedLevels(call, inst, r, 2, levels)) return false;
  CopiedSquares copied[2];
  const auto find = [&](uint32_t number, Square & q) __attribute__((always_inline)) {
    const Plane p = planeOf(view, levels.low + number);
    return squareOf(s, r[0], r[1], p, q) || copiedPlainSquareOf(s, r[0], r[1], p, copied[number], q);
  };
  Square low, high;
  if (!find(0, low)) return false;
  if (levels.two) {
    if (!find(1, high)) return false;
    const F32x8 upper = levels.upper, lower = splat(1.0f) - upper;
    for (int x = 0; x < 2; ++x) low.wx[x] *= lower, high.wx[x] *= upper;
  }
  const Target to{view, call.result, call.lanes};
  if constexpr (dref) {
    F32x8 sum;
    k.compare(to, low, levels.two ? &high : nullptr, s.compareOp, referenceOf(call, inst), sum);
    putCompared(call, call.lanes, sum);
  } else {
    k.filter(to, low, levels.two ? &high : nullptr);
  }
  return true;
}

/// Where the lanes of a quad do not run, they take the place of the other quad's: nothing is to be found out about
/// them.
ETZEL_INLINE_LOOP F32x8 ofRunningQuads(F32x8 v, LaneMask lanes) {
  if (!(lanes & 0x0F)) return __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7);
  if (!(lanes & 0xF0)) return __builtin_shufflevector(v, v, 0, 1, 2, 3, 0, 1, 2, 3);
  return v;
}

/// Probes of the lane of `lanes` that has most.
ETZEL_INLINE_LOOP uint32_t mostProbes(F32x8 probes, LaneMask lanes) {
  uint32_t most = 1;
  while (laneMask(probes > splat(static_cast<float>(most))) & lanes) ++most;
  return most;
}

/// Anisotropic, and otherwise like DirectSampler::Filter::Bilinear.
ETZEL_INLINE_LOOP bool isPlainAnisotropic(const Sampler& s) {
  return s.anisotropic && s.magFilter == VK_FILTER_LINEAR && s.minFilter == VK_FILTER_LINEAR && !s.ycbcr.enabled &&
         s.reduction == VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE;
}

/// A 2D sample without offsets and the like.
constexpr uint32_t plainSample(bool dref, abi::LodMode lod) {
  abi::TexInst inst;
  inst.dref = dref, inst.lod = lod;
  return inst.pack();
}

/// The same of a 3D image.
constexpr uint32_t plainVolume(abi::LodMode lod) {
  abi::TexInst inst;
  inst.dim = abi::TexDim::D3, inst.lod = lod;
  return inst.pack();
}

/// The same of a cube, or of an array of cubes or 2D images.
constexpr uint32_t plainCube(abi::LodMode lod, bool arrayed = false) {
  abi::TexInst inst;
  inst.dim = abi::TexDim::Cube, inst.lod = lod, inst.arrayed = arrayed;
  return inst.pack();
}
constexpr uint32_t plainArray(abi::LodMode lod) {
  abi::TexInst inst;
  inst.lod = lod, inst.arrayed = true;
  return inst.pack();
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
