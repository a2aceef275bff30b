// Filtered reads of eight lanes: coordinates, levels of detail, then one filtered footprint for all lanes that share
// their levels. Included by quick_avx2.cpp and quick_sse2.cpp after quick_square.inl.h.

/// What lod.h decides, for eight lanes.
struct Lods {
  I8 level;   ///< the lower one
  F8 weight;  ///< of the level above it
  I8 magnify;
  F8 probes;   ///< whole numbers, 1 to 16
  F8 axis[2];  ///< in texels of the base level
};

ETZEL_INLINE F8 quadLane(F8 v, bool right, bool below) {
  if (right) return __builtin_shuffle(v, I8{1, 1, 1, 1, 5, 5, 5, 5});
  if (below) return __builtin_shuffle(v, I8{2, 2, 2, 2, 6, 6, 6, 6});
  return __builtin_shuffle(v, I8{0, 0, 0, 0, 4, 4, 4, 4});
}

/// "Scale Factor Operation": squared lengths of the footprint's sides in texels of the base level.
struct Sides {
  F8 dx[3], dy[3];
  F8 xx, yy;
};
ETZEL_INLINE Sides sidesOf(const QuickCall& call, const abi::TexInst& inst, const F8 r[3], const Faces* faces,
                           uint32_t dims) {
  const uint32_t spatial = inst.spatialDims();
  F8 dx[3], dy[3];
  for (uint32_t d = 0; d < spatial; ++d) {
    if (inst.lod == abi::LodMode::Grad) {
      dx[d] = load(call.args[inst.argGradX() + d]), dy[d] = load(call.args[inst.argGradY() + d]);
    } else {
      const F8 origin = quadLane(r[d], false, false);
      dx[d] = quadLane(r[d], true, false) - origin, dy[d] = quadLane(r[d], false, true) - origin;
    }
  }
  Sides s;
  if (faces) {
    // "Cube Map Derivative Transformation"
    const F8 square = faces->ma * faces->ma;
    const auto transform = [&](const F8 d[3], F8 out[2]) {
      F8 dsc, dtc, dma;
      toFaces(*faces, d, dsc, dtc, dma);
      out[0] = all(0.5f) * (faces->ma * dsc - faces->sc * dma) / square;
      out[1] = all(0.5f) * (faces->ma * dtc - faces->tc * dma) / square;
    };
    transform(dx, s.dx), transform(dy, s.dy);
  } else {
    for (uint32_t d = 0; d < dims; ++d) s.dx[d] = dx[d], s.dy[d] = dy[d];
  }
  const mem::MipLayout& m = call.view->plane->mip[call.view->baseMip];
  const uint32_t size[3] = {m.width, m.height, m.depth};
  for (uint32_t d = 0; d < dims; ++d) {
    const F8 texels = all(static_cast<float>(size[d]));
    s.dx[d] *= texels, s.dy[d] *= texels;
    const F8 xx = s.dx[d] * s.dx[d], yy = s.dy[d] * s.dy[d];
    s.xx = d ? s.xx + xx : xx, s.yy = d ? s.yy + yy : yy;
  }
  s.xx = maximum(all(0.0f), s.xx), s.yy = maximum(all(0.0f), s.yy);  // NaN coordinates
  return s;
}

/// selectLevels() of lod.h. \returns false where all lanes magnify, or nothing depends on it: level 0, `magnify` is set
ETZEL_INLINE bool findLods(const QuickCall& call, const abi::TexInst& inst, const F8 r[3], const Faces* faces,
                           uint32_t dims, Lods& lods) {
  using abi::LodMode;
  const ImageView& view = *call.view;
  const Sampler& sampler = *call.sampler;
  F8 base = all(0.0f), bias = all(0.0f);
  if (inst.lod == LodMode::Explicit) {
    base = load(call.args[inst.argLod()]);
  } else if (inst.lod != LodMode::Zero) {
    const Sides s = sidesOf(call, inst, r, faces, dims);
    const F8 major = maximum(s.xx, s.yy);
    // The whole footprint within a texel: no logarithm can make it more.
    if (inst.lod != LodMode::Bias && !inst.minLod && sampler.mipLodBias <= 0 && sampler.minLod <= 0 &&
        bits(major <= all(1.0f)) == kAllLanes)
      return false;
    base = log2Of(major, 0.5f);
    if (sampler.anisotropic && sampler.maxAnisotropy > 1 && dims == 2 && !view.info->isInteger()) {
      const F8 minor = minimum(s.xx, s.yy);
      const I8 uneven = (major > minor) & (major > all(1.0f)) & (major < all(1e30f));
      const F8 rhoMax = squareRoot(major), rhoMin = squareRoot(minor), most = all(sampler.maxAnisotropy);
      const F8 ratio = rhoMin > all(0.0f) ? minimum(rhoMax / rhoMin, most) : most;
      const F8 up = all(0.0f) - toFloat(floorOf(all(0.0f) - ratio));
      lods.probes = uneven ? minimum(maximum(up, all(1.0f)), all(16.0f)) : all(1.0f);
      for (int d = 0; d < 2; ++d) lods.axis[d] = s.xx > s.yy ? s.dx[d] : s.dy[d];
      base = uneven ? log2Of(rhoMax / ratio, 1.0f) : base;
    }
  }
  if (inst.lod == LodMode::Bias) bias = load(call.args[inst.argLod()]);
  F8 biased = base;
  if (inst.lod == LodMode::Bias || sampler.mipLodBias != 0)
    biased += minimum(maximum(all(sampler.mipLodBias) + bias, all(-16.0f)), all(16.0f));
  F8 least = all(sampler.minLod);
  if (inst.minLod) least = maximum(least, load(call.args[inst.argMinLod()]));
  least = maximum(least, all(view.minLod - static_cast<float>(view.baseMip)));
  F8 lambda = maximum(minimum(biased, all(sampler.maxLod)), least);
  if (inst.lod != LodMode::Implicit || inst.minLod) lambda = lambda == lambda ? lambda : all(0.0f);
  lods.magnify = lambda <= all(0.0f);
  const F8 last = all(static_cast<float>(view.mipCount - 1));
  const F8 d = minimum(maximum(lambda, all(0.0f)), last);
  if (sampler.mipmapMode == VK_SAMPLER_MIPMAP_MODE_NEAREST || view.mipCount == 1) {
    // "Image Level(s) Selection": nearest(d') = ceil(d' + 0.5) - 1 is preferred.
    const I8 nearest = all(-1) - floorOf(all(0.0f) - (d + all(0.5f)));
    lods.level = minimum(maximum(nearest, all(0)), all(static_cast<int32_t>(view.mipCount) - 1));
    lods.weight = all(0.0f);
  } else {
    lods.level = __builtin_convertvector(d, I8);
    lods.weight = d - toFloat(lods.level);
  }
  return true;
}

/// The coordinates of all lanes; `r` keeps what derivatives are taken of.
ETZEL_INLINE Coordinates coordinatesOf(const QuickCall& call, const abi::TexInst& inst, F8 r[3], Faces& faces) {
  const uint32_t spatial = inst.spatialDims();
  const bool cube = inst.dim == abi::TexDim::Cube;
  const ImageView& view = *call.view;
  Coordinates co;
  co.dims = cube ? 2 : spatial;
  co.seamless = cube && call.sampler->seamlessCube;
  co.layered = cube || inst.arrayed;
  for (uint32_t d = 0; d < spatial; ++d) co.c[d] = r[d] = load(call.args[d]);
  if (inst.arrayed) {
    // "Unnormalized Texel Coordinate Operations": the layer is rounded to nearest even, then clamped.
    uint32_t layers = view.depthCount ? view.depthCount : view.layerCount;
    if (cube) layers /= 6;
    F8 a = load(call.args[spatial]);
    a = a > all(0.0f) ? a : all(0.0f);
    co.layer = roundToInt(minimum(a, all(layers > 0 ? static_cast<float>(layers - 1) : 0.0f)));
  }
  if (cube) {
    faces = facesOf(r);
    co.c[0] = faces.s, co.c[1] = faces.t;
    co.layer = inst.arrayed ? co.layer * all(6) + faces.face : faces.face;
  }
  co.hasOffset = inst.offset;
  if (inst.offset)
    for (uint32_t d = 0; d < inst.offsetDims(); ++d) co.offset[d] = loadInt(call.args[inst.argOffset() + d]);
  return co;
}

ETZEL_INLINE bool hasBorder(const Sampler& s, const Coordinates& co) {
  if (co.seamless) return false;
  for (uint32_t d = 0; d < co.dims; ++d)
    if (s.address[d] == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER) return true;
  return false;
}

ETZEL_INLINE F8 referenceOf(const QuickCall& call, const abi::TexInst& inst) {
  F8 reference = load(call.args[inst.argDref()]);
  if (call.view->info->numeric != format::Numeric::Unorm) return reference;
  reference = reference > all(0.0f) ? reference : all(0.0f);  // fixed-point depth: D_ref is clamped
  return reference < all(1.0f) ? reference : all(1.0f);
}

ETZEL_INLINE void putCompared(const QuickCall& call, LaneMask lanes, F8 sum) {
  LaneWords* const result = call.result;
  store(result[0], sum, lanes), store(result[1], all(0.0f), lanes);
  store(result[2], all(0.0f), lanes), store(result[3], all(1.0f), lanes);
}

/// One probe of the lanes: adds its footprints on one or two levels to the taps.
ETZEL_INLINE void addProbe(const QuickCall& call, const Coordinates& co, VkFilter filter, uint32_t level, bool two,
                           bool shared, F8 share, F8 upper, Taps& taps) {
  const Sampler& s = *call.sampler;
  const Plane low = planeOf(*call.view, level);
  taps.base = low.base;
  const F8 lower = two ? share * (all(1.0f) - upper) : share;
  if (filter == VK_FILTER_NEAREST)
    addNearest(s, co, low, lower, taps);
  else
    addLinear(s, co, low, shared | two, lower, taps);
  if (!two) return;
  const Plane high = planeOf(*call.view, level + 1);
  const uint32_t first = taps.count;
  if (filter == VK_FILTER_NEAREST)
    addNearest(s, co, high, share * upper, taps);
  else
    addLinear(s, co, high, true, share * upper, taps);
  // Offsets count from the lower level's base.
  const I8 distance = all(distanceOf(*call.view, low.base, high.base));
  for (uint32_t k = first; k < taps.count; ++k) taps.offset[k] += distance;
}

/// Lanes with the same levels and the same filter.
ETZEL_INLINE void sampleGroup(const QuickCall& call, const abi::TexInst& inst, const Coordinates& co, const Lods& lods,
                              uint32_t level, VkFilter filter, LaneMask lanes, bool two, uint32_t probes, F8 reference,
                              Taps& taps) {
  const Target to{*call.view, call.result, lanes};
  const Kernels& k = kernels(*call.view);
  if (probes == 1 && !two && filter == VK_FILTER_NEAREST && !inst.dref) {
    taps.count = 0;
    addProbe(call, co, filter, level, false, false, all(1.0f), all(0.0f), taps);
    k.read(to, taps.base, taps.offset[0], taps.border ? taps.valid[0] : all(-1), taps.border);
    return;
  }
  F8 sum[4] = {all(0.0f), all(0.0f), all(0.0f), all(0.0f)};
  if (probes == 1) {
    taps.count = 0;
    addProbe(call, co, filter, level, two, false, all(1.0f), lods.weight, taps);
    if (!inst.dref) return k.filter(to, taps, sum, true);
    k.compare(to, taps, call.sampler->compareOp, reference, sum[0]);
    return putCompared(call, lanes, sum[0]);
  }
  // "Texel Anisotropic Filtering": probes i of n lie at -1/2 + i / (n + 1) along the major axis.
  const mem::MipLayout& m = call.view->plane->mip[call.view->baseMip];
  const F8 sx = lods.axis[0] / all(static_cast<float>(m.width)), sy = lods.axis[1] / all(static_cast<float>(m.height));
  const F8 spacing = lods.probes + all(1.0f);
  const bool plain =
      inst.dim == abi::TexDim::D2 && !inst.arrayed && !inst.offset && !inst.dref && squareKernels(*call.view).add;
  for (uint32_t i = 1; i <= probes; ++i) {
    const F8 number = all(static_cast<float>(i)), step = number / spacing - all(0.5f);
    Coordinates moved = co;
    moved.c[0] += sx * step, moved.c[1] += sy * step;
    const F8 share = asFloat(asInt(all(1.0f)) & I8(number <= lods.probes));
    if (plain && filter == VK_FILTER_LINEAR) {
      Square low, high;
      if (squareOf(*call.sampler, moved.c[0], moved.c[1], planeOf(*call.view, level), low) &&
          (!two || squareOf(*call.sampler, moved.c[0], moved.c[1], planeOf(*call.view, level + 1), high))) {
        const F8 lower = two ? share * (all(1.0f) - lods.weight) : share, upper = share * lods.weight;
        for (int x = 0; x < 2; ++x) low.wx[x] *= lower;
        for (int x = 0; x < 2 && two; ++x) high.wx[x] *= upper;
        squareKernels(*call.view).add(to, low, two ? &high : nullptr, sum);
        continue;
      }
    }
    taps.count = 0;
    addProbe(call, moved, filter, level, two, true, share, lods.weight, taps);
    if (inst.dref)
      k.compare(to, taps, call.sampler->compareOp, reference, sum[0]);
    else
      k.filter(to, taps, sum, false);
  }
  for (F8& c : sum) c = c / lods.probes;
  if (inst.dref) return putCompared(call, lanes, sum[0]);
  k.finish(to, sum);
}

/// The same small number, found by counting: neighbouring pixels need the same level, so branch prediction knows it
/// long before the logarithm does, and addresses can be computed meanwhile.
ETZEL_INLINE uint32_t predicted(uint32_t level) {
  uint32_t n = 0;
  while (n != level) {
    ++n;
    asm("" : "+r"(n));  // or the compiler would see what the loop computes
  }
  return n;
}

/// Whether quick paths know the view and the sampler.
ETZEL_INLINE bool filterable(const QuickCall& call) {
  const Sampler& s = *call.sampler;
  if (!call.view->plane || s.ycbcr.enabled || s.reduction != VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE) return false;
  return !call.view->info->isInteger() || (s.magFilter == VK_FILTER_NEAREST && s.minFilter == VK_FILTER_NEAREST &&
                                           s.mipmapMode == VK_SAMPLER_MIPMAP_MODE_NEAREST);
}

ETZEL_INLINE bool sampleAs(const QuickCall& call, const abi::TexInst inst) {
  const Sampler& s = *call.sampler;
  const ImageView& view = *call.view;
  if (!filterable(call) || (inst.dref && !kernels(view).compare)) return false;
  F8 r[3];
  Faces faces;
  const Coordinates co = coordinatesOf(call, inst, r, faces);
  Taps taps;
  format::Texel border;
  if (hasBorder(s, co)) border = borderTexel(view, s), taps.border = &border;

  const F8 reference = inst.dref ? referenceOf(call, inst) : all(0.0f);
  Lods lods;
  lods.weight = all(0.0f), lods.probes = all(1.0f);
  const bool lodMatters = !s.unnormalized && (view.mipCount > 1 || s.magFilter != s.minFilter || s.anisotropic);
  if (!lodMatters || !findLods(call, inst, r, inst.dim == abi::TexDim::Cube ? &faces : nullptr, co.dims, lods)) {
    sampleGroup(call, inst, co, lods, 0, lodMatters ? s.magFilter : s.minFilter, call.lanes, false, 1, reference, taps);
    return true;
  }
  const I8 key = lods.level + (lods.magnify & all(256));
  const LaneMask above = bits(lods.weight > all(0.0f)), wide = bits(lods.probes > all(1.0f));
  for (LaneMask rest = call.lanes; rest;) {
    const int32_t first = key[std::countr_zero(rest)];
    const LaneMask lanes = bits(key == all(first)) & rest;
    rest &= ~lanes;
    uint32_t probes = 1;
    for (LaneMask left = lanes & wide; left; left &= left - 1)
      probes = std::max(probes, static_cast<uint32_t>(lods.probes[std::countr_zero(left)]));
    sampleGroup(call, inst, co, lods, predicted(static_cast<uint32_t>(first & 255)),
                first & 256 ? s.magFilter : s.minFilter, lanes, above & lanes, probes, reference, taps);
  }
  return true;
}

/// The nearest texels of a plain 2D image, where the lanes share their level and all texels are inside. \returns false:
/// they don't, nothing happened
template <abi::LodMode lod>
ETZEL_INLINE bool sampleNearest(const QuickCall& call) {
  abi::TexInst inst;
  inst.lod = lod;
  const Sampler& s = *call.sampler;
  const ImageView& view = *call.view;
  const auto readWords = kernels(view).readWords;
  if (s.magFilter != VK_FILTER_NEAREST || s.minFilter != VK_FILTER_NEAREST || s.anisotropic) return false;
  if (!readWords || !filterable(call)) return false;
  const F8 r[3] = {load(call.args[0]), load(call.args[1])};
  uint32_t level = 0;
  Lods lods{};
  if (!s.unnormalized && view.mipCount > 1 && findLods(call, inst, r, nullptr, 2, lods)) {
    const int32_t first = lods.level[std::countr_zero(call.lanes)];
    if (bits((lods.level != all(first)) | (lods.weight > all(0.0f))) & call.lanes) return false;
    level = predicted(static_cast<uint32_t>(first));
  }
  I8 words;
  if (!nearestWords(s, r[0], r[1], planeOf(view, level), words)) return false;
  readWords({view, call.result, call.lanes}, words);
  return true;
}

/// Bilinear and trilinear footprints of a plain 2D image, where the lanes share their levels and all texels have
/// neighbours. \returns false: they don't, nothing happened
template <bool dref, abi::LodMode lod>
ETZEL_INLINE bool sampleSquares(const QuickCall& call) {
  abi::TexInst inst;
  inst.dref = dref, inst.lod = lod;
  const Sampler& s = *call.sampler;
  const ImageView& view = *call.view;
  const SquareKernels& k = squareKernels(view);
  if (s.magFilter != VK_FILTER_LINEAR || s.minFilter != VK_FILTER_LINEAR || s.anisotropic) return false;
  if ((dref ? !k.compare : !k.filter) || !filterable(call)) return false;
  const F8 r[3] = {load(call.args[0]), load(call.args[1])};
  uint32_t level = 0;
  bool two = false;
  Lods lods{};
  if (!s.unnormalized && view.mipCount > 1) {
    if (findLods(call, inst, r, nullptr, 2, lods)) {
      const int32_t first = lods.level[std::countr_zero(call.lanes)];
      if (~bits(lods.level == all(first)) & call.lanes) return false;
      level = predicted(static_cast<uint32_t>(first));
      two = bits(lods.weight > all(0.0f)) & call.lanes;
    }
  }
  Square low, high;
  if (!squareOf(s, r[0], r[1], planeOf(view, level), low)) return false;
  if (two) {
    if (!squareOf(s, r[0], r[1], planeOf(view, level + 1), high)) return false;
    const F8 upper = lods.weight, lower = all(1.0f) - upper;
    for (int x = 0; x < 2; ++x) low.wx[x] *= lower, high.wx[x] *= upper;
  }
  const Target to{view, call.result, call.lanes};
  if constexpr (dref) {
    F8 sum;
    k.compare(to, low, two ? &high : nullptr, s.compareOp, referenceOf(call, inst), sum);
    putCompared(call, call.lanes, sum);
  } else {
    k.filter(to, low, two ? &high : nullptr);
  }
  return true;
}

/// An instruction that is known here costs less than one that is taken apart for every call.
template <bool dref, abi::LodMode lod>
__attribute__((noinline)) bool sampleOther(const QuickCall& call) {
  abi::TexInst inst;
  inst.dref = dref, inst.lod = lod;
  return sampleAs(call, inst);
}
template <bool dref, abi::LodMode lod>
bool samplePlain(const QuickCall& call) {
  if (sampleSquares<dref, lod>(call)) return true;
  if constexpr (!dref)
    if (sampleNearest<lod>(call)) return true;
  return sampleOther<dref, lod>(call);
}
bool sampleAny(const QuickCall& call) { return sampleAs(call, abi::TexInst::unpack(call.inst)); }

ETZEL_INLINE bool sample(const QuickCall& call) {
  using abi::LodMode;
  constexpr auto plain = [](bool dref, LodMode lod) {
    abi::TexInst inst;
    inst.dref = dref, inst.lod = lod;
    return inst.pack();
  };
  switch (call.inst & ~abi::TexInst::kSameHandles) {
    case plain(false, LodMode::Implicit): return samplePlain<false, LodMode::Implicit>(call);
    case plain(false, LodMode::Explicit): return samplePlain<false, LodMode::Explicit>(call);
    case plain(true, LodMode::Implicit): return samplePlain<true, LodMode::Implicit>(call);
    case plain(true, LodMode::Explicit): return samplePlain<true, LodMode::Explicit>(call);
    default: return sampleAny(call);
  }
}
