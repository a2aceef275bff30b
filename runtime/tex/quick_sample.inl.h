// Body of quick_sample_sse2.cpp and quick_sample_avx2.cpp, which define ETZEL_QUICK_SAMPLE and set the target. All
// functions are local to the file that includes this: the linker must not mix the two.

namespace etzel::tex {
namespace {

#define ETZEL_INLINE inline __attribute__((always_inline))

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));
typedef uint32_t U8 __attribute__((vector_size(32)));

ETZEL_INLINE F8 all(float f) { return F8{f, f, f, f, f, f, f, f}; }
ETZEL_INLINE I8 all(int32_t i) { return I8{i, i, i, i, i, i, i, i}; }
ETZEL_INLINE F8 toFloat(I8 v) { return __builtin_convertvector(v, F8); }
ETZEL_INLINE I8 minimum(I8 a, I8 b) { return a < b ? a : b; }
ETZEL_INLINE I8 maximum(I8 a, I8 b) { return a > b ? a : b; }
ETZEL_INLINE F8 load(const LaneWords& w) {
  F8 f;
  __builtin_memcpy(&f, w.lane, 32);
  return f;
}

/// Largest integers not above f; anything out of range, NaN too, becomes an arbitrary index.
ETZEL_INLINE I8 floorOf(F8 f) {
  f = f > all(-1073741824.0f) ? f : all(-1073741824.0f);
  f = f < all(1073741824.0f) ? f : all(1073741824.0f);
  const I8 i = __builtin_convertvector(f, I8);
  return i + (toFloat(i) > f);  // true is -1
}

/// i modulo `period`, in [0, period). Exact while |i| < 2^24; beyond that coordinates have no texel precision anyway.
ETZEL_INLINE I8 modulo(I8 i, int32_t period) {
  if ((period & (period - 1)) == 0) return i & all(period - 1);
  const I8 q = floorOf(toFloat(i) * all(1.0f / static_cast<float>(period)));
  I8 r = i - q * all(period);
  r += (r < all(0)) & all(period);
  r -= (r >= all(period)) & all(period);
  return minimum(maximum(r, all(0)), all(period - 1));
}

ETZEL_INLINE I8 wrapped(VkSamplerAddressMode mode, I8 i, int32_t size) {
  const I8 last = all(size - 1);
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
      return modulo(i, size);
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT: {
      const I8 m = modulo(i, 2 * size);
      return m < all(size) ? m : all(2 * size - 1) - m;
    }
    case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE:
      return minimum(i ^ (i >> 31), last);
    default:
      return minimum(maximum(i, all(0)), last);
  }
}

/// Four components of eight texels, before the division of 8-bit codes by 255.
struct Texels {
  F8 c[4];
};

template <class Word>
ETZEL_INLINE Word at(const std::byte* p) {
  Word w;
  __builtin_memcpy(&w, p, sizeof(w));
  return w;
}

/// A word from each lane's address. Lanes nearly always share the layer, which is what a gather needs.
ETZEL_INLINE I8 loadWords(const std::byte* const base[8], I8 offset) {
#ifdef __AVX2__
  bool shared = true;
  for (int i = 1; i < 8; ++i) shared &= base[i] == base[0];
  if (shared)
    return std::bit_cast<I8>(
        _mm256_i32gather_epi32(reinterpret_cast<const int*>(base[0]), std::bit_cast<__m256i>(offset), 1));
#endif
  I8 w{};
  for (int i = 0; i < 8; ++i) w[i] = at<int32_t>(base[i] + offset[i]);
  return w;
}

ETZEL_INLINE F8 lookUp(const float* table, I8 index) {
#ifdef __AVX2__
  return std::bit_cast<F8>(_mm256_i32gather_ps(table, std::bit_cast<__m256i>(index), 4));
#else
  F8 f{};
  for (int i = 0; i < 8; ++i) f[i] = table[index[i]];
  return f;
#endif
}

constexpr bool isUnorm8(FastFormat f) {
  return f == FastFormat::Rgba8 || f == FastFormat::Bgra8 || f == FastFormat::R8;
}

template <FastFormat format>
ETZEL_INLINE Texels fetch(const std::byte* const base[8], I8 offset) {
  Texels t;
  if constexpr (format == FastFormat::Rgba8 || format == FastFormat::Bgra8 || format == FastFormat::Rgba8Srgb ||
                format == FastFormat::Bgra8Srgb) {
    const I8 w = loadWords(base, offset);
    constexpr bool bgra = format == FastFormat::Bgra8 || format == FastFormat::Bgra8Srgb;
    const I8 mask = all(255);
    const I8 code[3] = {bgra ? w >> 16 & mask : w & mask, w >> 8 & mask, bgra ? w & mask : w >> 16 & mask};
    const F8 alpha = toFloat(w >> 24 & mask);
    if constexpr (isUnorm8(format)) {
      for (int c = 0; c < 3; ++c) t.c[c] = toFloat(code[c]);
      t.c[3] = alpha;
    } else {
      for (int c = 0; c < 3; ++c) t.c[c] = lookUp(format::kSrgbToLinear, code[c]);
      t.c[3] = alpha / all(255.0f);
    }
  } else if constexpr (format == FastFormat::R8) {
    I8 w;
    for (int i = 0; i < 8; ++i) w[i] = static_cast<uint8_t>(base[i][offset[i]]);
    t.c[0] = toFloat(w), t.c[1] = all(0.0f), t.c[2] = all(0.0f), t.c[3] = all(255.0f);
  } else if constexpr (format == FastFormat::R32) {
    t.c[0] = std::bit_cast<F8>(loadWords(base, offset));
    t.c[1] = all(0.0f), t.c[2] = all(0.0f), t.c[3] = all(1.0f);
  } else if constexpr (format == FastFormat::Rgba32) {
    for (int i = 0; i < 8; ++i)
      for (int c = 0; c < 4; ++c) t.c[c][i] = at<float>(base[i] + offset[i] + 4 * c);
  } else {
    static_assert(format == FastFormat::Rgba16F);
    for (int i = 0; i < 8; ++i)
      for (int c = 0; c < 4; ++c) t.c[c][i] = format::halfToFloat(at<uint16_t>(base[i] + offset[i] + 2 * c));
  }
  return t;
}

/// Texels without weight take no part: an infinity there must not become a NaN. Fixed-point formats have none.
template <FastFormat format>
ETZEL_INLINE void add(Texels& sum, const Texels& t, F8 weight) {
  for (int c = 0; c < 4; ++c) {
    F8 product = t.c[c] * weight;
    if constexpr (format == FastFormat::Rgba32 || format == FastFormat::R32 || format == FastFormat::Rgba16F)
      product = weight != all(0.0f) ? product : all(0.0f);
    sum.c[c] += product;
  }
}

template <FastFormat format>
ETZEL_INLINE Texels sampleOne(const QuickSample& q, const Level& l, VkFilter filter) {
  const SampleState& s = *q.state;
  F8 u = load(q.args[0]), v = load(q.args[1]);
  if (!s.sampler.unnormalized) u = u * all(static_cast<float>(l.width)), v = v * all(static_cast<float>(l.height));
  I8 dx = all(0), dy = all(0);
  if (q.offset)
    for (int i = 0; i < 8; ++i) dx[i] = q.offset[2 * i], dy[i] = q.offset[2 * i + 1];
  const std::byte* base[8];
  for (int i = 0; i < 8; ++i) base[i] = l.base + static_cast<uint64_t>(q.layer[i]) * l.layerPitch;
  const I8 texel = all(static_cast<int32_t>(s.reader.blockBytes)), row = all(static_cast<int32_t>(l.rowPitch));
  const VkSamplerAddressMode mu = s.sampler.address[0], mv = s.sampler.address[1];
  if (filter == VK_FILTER_NEAREST)
    return fetch<format>(base,
                         wrapped(mu, floorOf(u) + dx, l.width) * texel + wrapped(mv, floorOf(v) + dy, l.height) * row);

  u -= all(0.5f), v -= all(0.5f);
  const I8 i = floorOf(u), j = floorOf(v);
  F8 a = u - toFloat(i), b = v - toFloat(j);
  a = (a >= all(0.0f)) & (a <= all(1.0f)) ? a : all(0.0f);  // coordinates out of any range
  b = (b >= all(0.0f)) & (b <= all(1.0f)) ? b : all(0.0f);
  const I8 x0 = wrapped(mu, i + dx, l.width) * texel, x1 = wrapped(mu, i + dx + all(1), l.width) * texel;
  const I8 y0 = wrapped(mv, j + dy, l.height) * row, y1 = wrapped(mv, j + dy + all(1), l.height) * row;
  const F8 one = all(1.0f);
  Texels sum{};
  add<format>(sum, fetch<format>(base, x0 + y0), (one - a) * (one - b));
  add<format>(sum, fetch<format>(base, x1 + y0), a * (one - b));
  add<format>(sum, fetch<format>(base, x0 + y1), (one - a) * b);
  add<format>(sum, fetch<format>(base, x1 + y1), a * b);
  return sum;
}

template <FastFormat format>
void run(const QuickSample& q, LaneWords* result) {
  const SampleState& s = *q.state;
  const VkFilter filter = q.lod.magnify ? s.sampler.magFilter : s.sampler.minFilter;
  Texels t = sampleOne<format>(q, s.reader.level(q.lod.level[0]), filter);
  if (q.lod.level[1] != q.lod.level[0]) {
    const Texels second = sampleOne<format>(q, s.reader.level(q.lod.level[1]), filter);
    const F8 weight = all(q.lod.weight);
    for (int c = 0; c < 4; ++c) t.c[c] = t.c[c] * (all(1.0f) - weight) + second.c[c] * weight;
  }
  if constexpr (isUnorm8(format))
    for (F8& c : t.c) c = c / all(255.0f);
  for (int c = 0; c < 4; ++c) {
    const uint8_t from = s.view.identitySwizzle ? static_cast<uint8_t>(c) : s.view.swizzle[c];
    const F8 value = from < 4 ? t.c[from] : from == 4 ? all(0.0f) : all(1.0f);
    if (q.lanes == kAllLanes) {
      __builtin_memcpy(result[c].lane, &value, 32);
    } else {
      for (uint32_t i = 0; i < kWarpLanes; ++i)
        if (q.lanes >> i & 1) result[c].lane[i] = format::floatToBits(value[i]);
    }
  }
}

}  // namespace

void ETZEL_QUICK_SAMPLE(const QuickSample& q, LaneWords* result) {
  switch (q.state->reader.fast) {
    case FastFormat::Rgba8:
      return run<FastFormat::Rgba8>(q, result);
    case FastFormat::Bgra8:
      return run<FastFormat::Bgra8>(q, result);
    case FastFormat::Rgba8Srgb:
      return run<FastFormat::Rgba8Srgb>(q, result);
    case FastFormat::Bgra8Srgb:
      return run<FastFormat::Bgra8Srgb>(q, result);
    case FastFormat::R8:
      return run<FastFormat::R8>(q, result);
    case FastFormat::R32:
      return run<FastFormat::R32>(q, result);
    case FastFormat::Rgba32:
      return run<FastFormat::Rgba32>(q, result);
    case FastFormat::Rgba16F:
      return run<FastFormat::Rgba16F>(q, result);
    default:
      return;
  }
}

#undef ETZEL_INLINE

}  // namespace etzel::tex
