// The shortest way to attachments of four unsigned normalized bytes: eight colours at once, stored or blended. Gives
// what the general path (color_write.inl.h) gives. Part of the tile code: included once per instruction set.

/// v / 255 for bytes, to the bit: the first product is exact, so that only the sum's rounding matters. A test tries all
/// values.
ETZEL_INLINE F8 fromByte(U8 v) {
  const F8 x = __builtin_convertvector((I8)v, F8);
  return x * splat(0x1.01p-8f) + x * splat(0x1.010102p-24f);
}

/// Eight texels in a group's rows: the upper four pixels, then the lower four.
struct RowTexels {
  U4 upper, lower;
};

/// Packs channels c0 (lowest byte) to c3, each rounded to 0-255 and cut to that range. Beyond the range of 32-bit
/// integers and for NaN the result is 0.
ETZEL_INLINE RowTexels packBytes(F8 c0, F8 c1, F8 c2, F8 c3) {
  const F8 scale = splat(255.0f);
#ifdef __AVX2__
  auto whole = [&](F8 v) __attribute__((always_inline)) { return _mm256_cvtps_epi32((__m256)(v * scale)); };
  const __m256i low = _mm256_packs_epi32(whole(c0), whole(c1)), high = _mm256_packs_epi32(whole(c2), whole(c3));
  // In each half: four bytes of every channel, channel after channel.
  const __m256i planes = _mm256_packus_epi16(low, high);
  const __m128i texels = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m256i order = _mm256_broadcastsi128_si256(texels);
  const __m256i rows = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(planes, order), 0xD8);
  return {(U4)_mm256_castsi256_si128(rows), (U4)_mm256_extracti128_si256(rows, 1)};
#else
  auto rows = [&](F8 v) __attribute__((always_inline)) {
    const I8 i = roundI(v * scale);
    const __m128i left = (__m128i)__builtin_shufflevector(i, i, 0, 1, 2, 3);
    const __m128i right = (__m128i)__builtin_shufflevector(i, i, 4, 5, 6, 7);
    // Upper row in the lower half.
    return _mm_packs_epi32(_mm_unpacklo_epi64(left, right), _mm_unpackhi_epi64(left, right));
  };
  const __m128i zero = _mm_setzero_si128();
  const __m128i b0 = _mm_packus_epi16(rows(c0), zero), b1 = _mm_packus_epi16(rows(c1), zero);
  const __m128i b2 = _mm_packus_epi16(rows(c2), zero), b3 = _mm_packus_epi16(rows(c3), zero);
  const __m128i low = _mm_unpacklo_epi8(b0, b1), high = _mm_unpacklo_epi8(b2, b3);
  return {(U4)_mm_unpacklo_epi16(low, high), (U4)_mm_unpackhi_epi16(low, high)};
#endif
}

/// All bits of the lanes of `m`, in rows.
ETZEL_INLINE RowTexels rowMask(LaneMask m) {
  const U4 bits = {1, 2, 16, 32};
  const U4 v = {m, m, m, m};
  return {(U4)((v & bits) != 0), (U4)((v & (bits << 2)) != 0)};
}
ETZEL_INLINE U4 mergeRow(U4 mask, U4 now, U4 old) { return (now & mask) | (old & ~mask); }

/// Stores the texels of `lanes`, which may be any.
ETZEL_INLINE void mergeRows(std::byte* texels, uint32_t rowPitch, LaneMask lanes, RowTexels v) {
  std::byte* const below = texels + rowPitch;
#ifdef __AVX2__
  const U8 bits = {1, 2, 16, 32, 4, 8, 64, 128};
  const __m256i old = _mm256_loadu2_m128i((const __m128i*)below, (const __m128i*)texels);
  const __m256i now = _mm256_set_m128i((__m128i)v.lower, (__m128i)v.upper);
  const __m256i merged = _mm256_blendv_epi8(old, now, (__m256i)((splatU(lanes) & bits) == bits));
  _mm256_storeu2_m128i((__m128i*)below, (__m128i*)texels, merged);
#else
  const RowTexels m = rowMask(lanes);
  storeAs(texels, mergeRow(m.upper, v.upper, loadAs<U4>(texels)));
  storeAs(below, mergeRow(m.lower, v.lower, loadAs<U4>(below)));
#endif
}
/// mergeRows() that reads nothing where all lanes are stored.
ETZEL_INLINE void storeRows(std::byte* texels, uint32_t rowPitch, LaneMask lanes, RowTexels v) {
  if (lanes != kAllLanes) return mergeRows(texels, rowPitch, lanes, v);
  storeAs(texels, v.upper), storeAs(texels + rowPitch, v.lower);
}

/// The colours at `source` as texels. \pre t.bytes == ByteWrite::Store
ETZEL_INLINE RowTexels packSource(const ColorTarget& t, const LaneWords* source) {
  const F8 one = splat(1.0f);
  // Only the upper end needs a clamp: what is below 0 or NaN packs to 0.
  auto channel = [&](uint32_t c) __attribute__((always_inline)) { return min8(one, wordsF(source[c])); };
  return packBytes(channel(t.bgra ? 2 : 0), channel(1), channel(t.bgra ? 0 : 2), channel(3));
}

/// Blends the colours at `source` into the texels of `lanes`. \pre t.bytes == ByteWrite::Blend
ETZEL_INLINE void blendBytes4(const ColorTarget& t, std::byte* texels, LaneMask lanes, const LaneWords* source) {
  std::byte* const below = texels + t.surface.rowPitch;
  const U4 upper = loadAs<U4>(texels), lower = loadAs<U4>(below);
  const U8 old = __builtin_shufflevector(upper, lower, 0, 1, 4, 5, 2, 3, 6, 7);
  const F8 one = splat(1.0f);
  auto channel = [&](uint32_t c) __attribute__((always_inline)) { return clampF(wordsF(source[c]), 0.0f, 1.0f); };
  const F8 alpha = channel(3);
  // Indexed by ByteFactor: no branches, whatever the equation.
  alignas(32) F8 factor[4] = {splat(0.0f), one, alpha, one - alpha};
  auto blend = [&](F8 s, U8 d, uint32_t part) __attribute__((always_inline)) {
    return s * factor[t.byteFactor[2 * part]] + fromByte(d) * factor[t.byteFactor[2 * part + 1]];
  };
  const F8 c0 = blend(channel(t.bgra ? 2 : 0), old & 255u, 0);
  const F8 c1 = blend(channel(1), old >> 8 & 255u, 0);
  const F8 c2 = blend(channel(t.bgra ? 0 : 2), old >> 16 & 255u, 0);
  const F8 c3 = blend(alpha, old >> 24, 1);
  // Both terms lie in [0, 1]: nothing the packing would not clamp as well.
  RowTexels v = packBytes(c0, c1, c2, c3);
  if (lanes != kAllLanes) {
    const RowTexels m = rowMask(lanes);
    v.upper = mergeRow(m.upper, v.upper, upper), v.lower = mergeRow(m.lower, v.lower, lower);
  }
  storeAs(texels, v.upper), storeAs(below, v.lower);
}
