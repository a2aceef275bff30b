// From coordinates to the offsets of texels: levels, wrapping, cube faces. Included by quick_avx2.cpp and
// quick_sse2.cpp after quick_kernels.inl.h.

/// One mip level of a view. Texel (x, y, z) of layer l: base + x * texel + y * row + z * slice + l * layer. In
/// compressed images places are not bytes: 256 a block, plus 16 a row and 1 a texel inside of it (across(), down()).
struct Plane {
  const std::byte* base;
  int32_t width, height, depth;
  int32_t texel, row, slice, layer;
  int32_t blockWidth, blockHeight;  ///< 0: not compressed
};
/// The distance between two bytes of an image as places.
ETZEL_INLINE int32_t distanceOf(const ImageView& v, const std::byte* from, const std::byte* to) {
  const auto bytes = static_cast<int32_t>(to - from);
  return v.quick.format == QuickFormat::Blocks ? bytes / v.info->blockBytes * 256 : bytes;
}
ETZEL_INLINE Plane planeOf(const ImageView& v, uint32_t level) {
  const mem::MipLayout& m = v.plane->mip[v.baseMip + level];
  Plane p;
  p.base = v.quick.base + m.offset;
  p.width = static_cast<int32_t>(m.width), p.height = static_cast<int32_t>(m.height);
  p.depth = v.type == VK_IMAGE_VIEW_TYPE_3D ? static_cast<int32_t>(m.depth) : 1;
  p.texel = v.info->blockBytes;
  p.row = static_cast<int32_t>(m.rowPitch), p.slice = static_cast<int32_t>(m.slicePitch);
  p.layer = v.quick.layerPitch;
  if (v.depthCount) p.base += v.baseDepth * m.slicePitch, p.layer = p.slice;  // slices of a 3D image as layers
  p.blockWidth = p.blockHeight = 0;
  if (v.quick.format == QuickFormat::Blocks) {
    p.blockWidth = v.info->blockWidth, p.blockHeight = v.info->blockHeight;
    for (int32_t* pitch : {&p.texel, &p.row, &p.slice, &p.layer}) *pitch = *pitch / v.info->blockBytes * 256;
  }
  return p;
}
/// i / n and the rest, for texels and sizes of blocks: 0 <= i < 2^14, n <= 12.
ETZEL_INLINE I8 inBlocks(I8 i, int32_t n, int32_t perBlock, int32_t perTexel) {
  const I8 block = times(i, (1 << 18) / n + 1) >> 18;
  return plus(times(block, perBlock), times(minus(i, times(block, n)), perTexel));
}
/// Places of columns and of rows; any number for those beyond the image.
ETZEL_INLINE I8 across(const Plane& p, I8 x) {
  return p.blockWidth ? inBlocks(x, p.blockWidth, p.texel, 1) : times(x, p.texel);
}
ETZEL_INLINE I8 down(const Plane& p, I8 y) {
  return p.blockWidth ? inBlocks(y, p.blockHeight, p.row, 16) : times(y, p.row);
}

/// i modulo `period`, in [0, period). Exact while |i| < 2^24; beyond that coordinates have no texel precision anyway.
ETZEL_INLINE I8 modulo(I8 i, int32_t period) {
  if ((period & (period - 1)) == 0) return i & all(period - 1);
  const I8 q = floorOf(toFloat(i) * all(1.0f / static_cast<float>(period)));
  I8 r = minus(i, times(q, period));
  r += (r < all(0)) & all(period);
  r -= (r >= all(period)) & all(period);
  return minimum(maximum(r, all(0)), all(period - 1));
}

/// Texel indices in [0, size) of `n` neighbours, the first is i; `valid` becomes 0 where the border is meant.
template <int n>
ETZEL_INLINE void wrap(VkSamplerAddressMode mode, I8 i, int32_t size, I8 at[n], I8 valid[n]) {
  const I8 last = all(size - 1);
  for (int k = 0; k < n; ++k) valid[k] = all(-1);
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
      at[0] = modulo(i, size);
      if constexpr (n > 1) at[1] = at[0] < last ? at[0] + all(1) : all(0);
      return;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
      for (int k = 0; k < n; ++k) {
        const I8 m = modulo(plus(i, all(k)), 2 * size);
        at[k] = m < all(size) ? m : all(2 * size - 1) - m;
      }
      return;
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER:
      for (int k = 0; k < n; ++k) valid[k] = inside(plus(i, all(k)), size), at[k] = plus(i, all(k)) & valid[k];
      return;
    case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE:
      for (int k = 0; k < n; ++k) at[k] = minimum(plus(i, all(k)) ^ (plus(i, all(k)) >> 31), last);
      return;
    default:
      for (int k = 0; k < n; ++k) at[k] = minimum(maximum(plus(i, all(k)), all(0)), last);
  }
}

/// Where the lanes of one call sample.
struct Coordinates {
  F8 c[3];        ///< s, t, r; cubes: on the face
  I8 offset[3];   ///< texels
  I8 layer;       ///< of the view, in range; cubes: 6 * cube + face
  uint32_t dims;  ///< coordinates that are filtered
  bool hasOffset, layered, seamless;
};

struct AxisTaps {
  I8 at[2], valid[2];
  F8 weight;  ///< of the second
};
ETZEL_INLINE F8 scaled(const Sampler& s, F8 c, int32_t size) {
  return s.unnormalized ? c : c * all(static_cast<float>(size));
}
ETZEL_INLINE AxisTaps linearAxis(const Sampler& s, const Coordinates& co, uint32_t axis, int32_t size) {
  const F8 u = scaled(s, co.c[axis], size) - all(0.5f);
  I8 i = floorOf(u);
  AxisTaps t;
  t.weight = u - toFloat(i);
  t.weight = (t.weight >= all(0.0f)) & (t.weight <= all(1.0f)) ? t.weight : all(0.0f);  // coordinates out of any range
  if (co.hasOffset) i = plus(i, co.offset[axis]);
  if (co.seamless) {
    t.at[0] = i, t.at[1] = plus(i, all(1));
  } else {
    wrap<2>(s.address[axis], i, size, t.at, t.valid);
  }
  return t;
}

/// "Cube Map Edge Handling" of lanes whose footprint leaves its face. The texel that a corner lacks is the average of
/// the three that meet there, which are the other three of the footprint: its weight goes to them.
__attribute__((noinline)) void crossEdges(const Plane& p, const Coordinates& co, const AxisTaps& x, const AxisTaps& y,
                                          LaneMask lanes, I8 offset[4], F8 weight[4]) {
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    uint32_t corners = 0, corner = 0;
    for (uint32_t k = 0; k < 4; ++k) {
      int32_t i = x.at[k & 1][lane], j = y.at[k >> 1][lane], layer = co.layer[lane];
      const bool outI = static_cast<uint32_t>(i) >= static_cast<uint32_t>(p.width);
      const bool outJ = static_cast<uint32_t>(j) >= static_cast<uint32_t>(p.width);
      if (outI && outJ) {
        i = i < 0 ? 0 : p.width - 1, j = j < 0 ? 0 : p.width - 1;
        ++corners, corner = k;
      } else if (outI || outJ) {
        int32_t face = layer % 6;
        layer -= face;
        crossCubeEdge(face, i, j, p.width);
        layer += face;
      }
      offset[k][lane] = across(p, all(i))[0] + down(p, all(j))[0] + layer * p.layer;
    }
    if (corners != 1) continue;
    const float third = weight[corner][lane] / 3.0f;
    for (uint32_t k = 0; k < 4; ++k) weight[k][lane] = k == corner ? 0.0f : weight[k][lane] + third;
  }
}

/// Adds the footprint of one level to the taps, its weights times `share` where `shared`.
ETZEL_INLINE void addLinear(const Sampler& s, const Coordinates& co, const Plane& p, bool shared, F8 share,
                            Taps& taps) {
  const F8 one = all(1.0f);
  const AxisTaps x = linearAxis(s, co, 0, p.width);
  F8 wx[2] = {one - x.weight, x.weight};
  if (shared) wx[0] *= share, wx[1] *= share;
  I8 ox[2] = {across(p, x.at[0]), across(p, x.at[1])};
  if (co.layered) {
    const I8 layer = co.layer * all(p.layer);
    ox[0] = plus(ox[0], layer), ox[1] = plus(ox[1], layer);
  }
  const uint32_t first = taps.count;
  if (co.dims == 1) {
    for (uint32_t k = 0; k < 2; ++k) {
      taps.offset[first + k] = ox[k], taps.weight[first + k] = wx[k];
      if (taps.border) taps.valid[first + k] = x.valid[k];
    }
    taps.count += 2;
    return;
  }
  const AxisTaps y = linearAxis(s, co, 1, p.height);
  const F8 wy[2] = {one - y.weight, y.weight};
  const I8 oy[2] = {down(p, y.at[0]), down(p, y.at[1])};
  for (uint32_t k = 0; k < 4; ++k) {
    taps.offset[first + k] = plus(ox[k & 1], oy[k >> 1]);
    taps.weight[first + k] = wx[k & 1] * wy[k >> 1];
    if (taps.border) taps.valid[first + k] = x.valid[k & 1] & y.valid[k >> 1];
  }
  taps.count += 4;
  if (co.seamless) {
    const I8 within =
        inside(x.at[0], p.width) & inside(x.at[1], p.width) & inside(y.at[0], p.width) & inside(y.at[1], p.width);
    const LaneMask out = ~bits(within) & kAllLanes;
    if (out) crossEdges(p, co, x, y, out, &taps.offset[first], &taps.weight[first]);
    return;
  }
  if (co.dims == 2) return;
  const AxisTaps z = linearAxis(s, co, 2, p.depth);
  for (uint32_t k = 0; k < 4; ++k) {
    const I8 offset = taps.offset[first + k];
    const F8 weight = taps.weight[first + k];
    taps.offset[first + 4 + k] = offset + z.at[1] * all(p.slice), taps.weight[first + 4 + k] = weight * z.weight;
    taps.offset[first + k] = offset + z.at[0] * all(p.slice), taps.weight[first + k] = weight * (one - z.weight);
    if (taps.border) {
      taps.valid[first + 4 + k] = taps.valid[first + k] & z.valid[1];
      taps.valid[first + k] &= z.valid[0];
    }
  }
  taps.count += 4;
}

/// Adds the nearest texel of a level.
ETZEL_INLINE void addNearest(const Sampler& s, const Coordinates& co, const Plane& p, F8 share, Taps& taps) {
  const int32_t size[3] = {p.width, p.height, p.depth};
  I8 offset = co.layered ? co.layer * all(p.layer) : all(0), valid = all(-1);
  for (uint32_t d = 0; d < co.dims; ++d) {
    I8 i = floorOf(scaled(s, co.c[d], size[d])), texel, in;
    if (co.hasOffset) i = plus(i, co.offset[d]);
    const VkSamplerAddressMode mode = co.seamless ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE : s.address[d];
    wrap<1>(mode, i, size[d], &texel, &in);
    offset += d == 0 ? across(p, texel) : d == 1 ? down(p, texel) : texel * all(p.slice);
    valid &= in;
  }
  taps.offset[taps.count] = offset, taps.weight[taps.count] = share;
  if (taps.border) taps.valid[taps.count] = valid;
  ++taps.count;
}

/// Cube faces of eight directions; s, t and what derivatives need.
struct Faces {
  I8 face, onZ, onY, negative;
  F8 sc, tc, ma, s, t;
};
/// sc, tc and the major axis of a vector on the faces, in the table's signs.
ETZEL_INLINE void toFaces(const Faces& f, const F8 r[3], F8& sc, F8& tc, F8& ma) {
  const I8 sign = f.negative & all(INT32_MIN);
  const auto flipped = [](F8 v, I8 bit) { return asFloat(asInt(v) ^ bit); };
  const I8 minus = all(INT32_MIN);
  //          sc                  tc            ma
  // x:  -z (neg: z)         -y                x (neg: -x)
  // y:  x                   z (neg: -z)       y (neg: -y)
  // z:  x (neg: -x)         -y                z (neg: -z)
  sc = f.onZ ? flipped(r[0], sign) : f.onY ? r[0] : flipped(r[2], sign ^ minus);
  tc = ~f.onZ & f.onY ? flipped(r[2], sign) : flipped(r[1], minus);
  ma = flipped(f.onZ ? r[2] : f.onY ? r[1] : r[0], sign);
}
ETZEL_INLINE Faces facesOf(const F8 r[3]) {
  const F8 x = absolute(r[0]), y = absolute(r[1]), z = absolute(r[2]);
  Faces f;
  f.onZ = (z >= x) & (z >= y);
  f.onY = y >= x;
  f.negative = (f.onZ ? r[2] : f.onY ? r[1] : r[0]) < all(0.0f);
  f.face = (f.onZ ? all(4) : f.onY ? all(2) : all(0)) - f.negative;
  toFaces(f, r, f.sc, f.tc, f.ma);
  const I8 somewhere = f.ma > all(0.0f);
  f.s = somewhere ? all(0.5f) * (f.sc / f.ma) + all(0.5f) : all(0.5f);
  f.t = somewhere ? all(0.5f) * (f.tc / f.ma) + all(0.5f) : all(0.5f);
  return f;
}
