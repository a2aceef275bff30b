// The triangle filter's code, once per instruction set. The including file has set the target and opened the variant's
// namespace around this. All operations are IEEE or integer: same results on all.

#include "raster/simd.inl.h"

using D4 = double __attribute__((vector_size(32)));
using I4 = int32_t __attribute__((vector_size(16)));

/// Eight rows of four words, or four columns of eight.
struct Rows8 {
  F8 a, b, c, d;
};

ETZEL_INLINE I8 minI(I8 a, I8 b) { return a < b ? a : b; }
ETZEL_INLINE I8 maxI(I8 a, I8 b) { return a > b ? a : b; }
ETZEL_INLINE F8 join(F4 low, F4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }
ETZEL_INLINE F4 lowHalf(F8 v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
ETZEL_INLINE F4 highHalf(F8 v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }
ETZEL_INLINE I4 lowHalf(I8 v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
ETZEL_INLINE I4 highHalf(I8 v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }

/// 4x4 transpositions in both halves: its own inverse. Rows of the lower halves are lanes 0 to 3, of the upper 4 to 7.
ETZEL_INLINE Rows8 transpose(const Rows8& r) {
#ifdef __AVX2__
  const F8 ab = (F8)_mm256_unpacklo_ps((__m256)r.a, (__m256)r.b), cd = (F8)_mm256_unpacklo_ps((__m256)r.c, (__m256)r.d);
  const F8 AB = (F8)_mm256_unpackhi_ps((__m256)r.a, (__m256)r.b), CD = (F8)_mm256_unpackhi_ps((__m256)r.c, (__m256)r.d);
  return {(F8)_mm256_shuffle_ps((__m256)ab, (__m256)cd, 0x44), (F8)_mm256_shuffle_ps((__m256)ab, (__m256)cd, 0xEE),
          (F8)_mm256_shuffle_ps((__m256)AB, (__m256)CD, 0x44), (F8)_mm256_shuffle_ps((__m256)AB, (__m256)CD, 0xEE)};
#else
  __m128 a = (__m128)lowHalf(r.a), b = (__m128)lowHalf(r.b), c = (__m128)lowHalf(r.c), d = (__m128)lowHalf(r.d);
  __m128 e = (__m128)highHalf(r.a), f = (__m128)highHalf(r.b), g = (__m128)highHalf(r.c), h = (__m128)highHalf(r.d);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  _MM_TRANSPOSE4_PS(e, f, g, h);
  return {join((F4)a, (F4)e), join((F4)b, (F4)f), join((F4)c, (F4)g), join((F4)d, (F4)h)};
#endif
}

/// Row i is at row(i).
template <class Row>
ETZEL_INLINE Rows8 loadRows(Row row) {
  auto two = [&](uint32_t i) __attribute__((always_inline)) {
    return join(loadAs<F4>(row(i)), loadAs<F4>(row(i + 4)));
  };
  return transpose({two(0), two(1), two(2), two(3)});
}
ETZEL_INLINE void storeRows(void* rows, const Rows8& columns) {
  const Rows8 r = transpose(columns);
  F4* to = static_cast<F4*>(rows);
  to[0] = lowHalf(r.a), to[1] = lowHalf(r.b), to[2] = lowHalf(r.c), to[3] = lowHalf(r.d);
  to[4] = highHalf(r.a), to[5] = highHalf(r.b), to[6] = highHalf(r.c), to[7] = highHalf(r.d);
}

// "Coordinate Transformations", Controlling the Viewport. The same operations as Clipper::outcode() and
// PrimitiveStage::project(), so that results are equal bit for bit.
void transformVertices(const FilterState& state, const VertexBlock& block, VertexPlace* place, SnappedVertex* snapped) {
  const RasterViewport vp = state.viewport;
  const I8 sign = splatI(INT32_MIN);
  auto absolute = [&](F8 v) __attribute__((always_inline)) { return asF(asI(v) & ~sign); };
  auto code = [](I8 mask, uint32_t bits) __attribute__((always_inline)) { return mask & splatI(int32_t(bits)); };
  auto snap = [&](F8 v) __attribute__((always_inline)) {
    const I8 fits = absolute(v) < splat(kSnapLimit);
    return fits & roundI(asF(fits & asI(v * splat(float(kSubPixels)))));
  };
  for (uint32_t first = 0; first < block.count; first += 8) {
    const uint32_t last = block.count - 1 - first;
    const Rows8 at = loadRows([&](uint32_t i) { return block.record(first + (i < last ? i : last)); });
    const F8 x = at.a, y = at.b, z = at.c, w = at.d;
    const F8 negativeW = asF(asI(w) ^ sign);
    const I8 smallW = w < splat(kMinW);
    I8 codes = code(x < negativeW, kClipLeft) | code(x > w, kClipRight) | code(y < negativeW, kClipTop) |
               code(y > w, kClipBottom) | code(smallW, kClipW);
    if (state.depthClip)
      codes |= code(z < (state.symmetricDepth ? negativeW : splat(0)), kClipNear) | code(z > w, kClipFar);
    const F8 zero = ((x - x) + (y - y)) + ((z - z) + (w - w));  // NaN where one of them is infinite or NaN
    codes |= code(zero != zero, kClipInvalid);

    const F8 sx = x / w * splat(vp.scaleX) + splat(vp.offsetX), sy = y / w * splat(vp.scaleY) + splat(vp.offsetY),
             sz = z / w * splat(vp.scaleZ) + splat(vp.offsetZ), invW = splat(1) / w;
    const I8 within = (absolute(sx) <= splat(kGuardBand)) & (absolute(sy) <= splat(kGuardBand));
    codes |= code(~(within | smallW), kClipGuard);
    storeRows(place + first, {sx, sy, sz, invW});
    storeRows(snapped + first, {asF(snap(sx)), asF(snap(sy)), asF(codes), splat(0)});
  }
}

/// Lanes of triangles that cover a sample of the pixels from (minX, minY), at most two by two. Coordinates within four
/// pixels of each other: all products and sums are whole numbers below 2^24, exact in floats.
ETZEL_INLINE LaneMask coverSamples(const FilterState& state, LaneMask lanes, const I8 (&x)[3], const I8 (&y)[3],
                                   F8 area, I8 minX, I8 minY, I8 columns, I8 rows) {
  const F8 turn = asF((asI(area) & splatI(INT32_MIN)) | asI(splat(1)));  // clockwise, so that E grows inwards
  F8 a[3], b[3], x0[3], y0[3], least[3];
  for (uint32_t k = 0; k < 3; ++k) {
    const uint32_t next = (k + 1) % 3;
    a[k] = __builtin_convertvector(y[k] - y[next], F8) * turn;
    b[k] = __builtin_convertvector(x[next] - x[k], F8) * turn;
    x0[k] = __builtin_convertvector((minX << 8) - x[k], F8);
    y0[k] = __builtin_convertvector((minY << 8) - y[k], F8);
    // Top-left rule, as in edgeOf().
    I8 owns = (a[k] > splat(0)) | ((a[k] == splat(0)) & (b[k] > splat(0)));
    if (state.swapsTies) owns = ~owns;
    least[k] = asF(~owns & asI(splat(1)));
  }
  LaneMask covers = 0;
  for (uint32_t pixel = 0; pixel < 4; ++pixel) {
    const float px = float(pixel & 1) * kSubPixels, py = float(pixel >> 1) * kSubPixels;
    const I8 exists = (columns > splatI(int32_t(pixel & 1))) & (rows > splatI(int32_t(pixel >> 1)));
    if (!(signs(exists) & lanes & ~covers)) continue;
    for (uint32_t s = 0; s < state.sampleCount; ++s) {
      const F8 sx = splat(px + state.sample[s].x), sy = splat(py + state.sample[s].y);
      I8 in = exists;
      for (uint32_t k = 0; k < 3; ++k) in &= (x0[k] + sx) * a[k] + (y0[k] + sy) * b[k] >= least[k];
      covers |= signs(in);
      if (!(lanes & ~covers)) return lanes;
    }
  }
  return covers & lanes;
}

void filterTriangles(const FilterState& state, const SnappedVertex* snapped, const uint32_t* index, uint32_t count,
                     FilteredTriangles& result) {
  I8 x[3], y[3], codes[3];
  const uint32_t last = count - 1;
  for (uint32_t k = 0; k < 3; ++k) {
    const Rows8 v = loadRows([&](uint32_t i) { return snapped + index[3 * (i < last ? i : last) + k]; });
    x[k] = asI(v.a), y[k] = asI(v.b), codes[k] = asI(v.c);
  }
  const I8 all = codes[0] & codes[1] & codes[2], any = codes[0] | codes[1] | codes[2];
  const I8 rejected = ((all & splatI(int32_t(kClipReject))) | (any & splatI(int32_t(kClipInvalid)))) != 0;
  const I8 cut = (any & splatI(int32_t(kClipCut))) != 0;
  const LaneMask some = LaneMask((2u << last) - 1);
  const LaneMask kept = some & ~signs(rejected), cuts = signs(cut);
  result.cut = kept & cuts;
  result.whole = kept & ~cuts;
  result.live = 0;
  LaneMask live = result.whole;
  if (!live) return;

  // Vertices within the guard band are less than 2^24 apart: products and their differences are exact in doubles.
  const I8 x1 = x[1] - x[0], y1 = y[1] - y[0], x2 = x[2] - x[0], y2 = y[2] - y[0];
  auto areas = [](I4 ax, I4 ay, I4 bx, I4 by) __attribute__((always_inline)) {
    return __builtin_convertvector(ax, D4) * __builtin_convertvector(by, D4) -
           __builtin_convertvector(bx, D4) * __builtin_convertvector(ay, D4);
  };
  const D4 low = areas(lowHalf(x1), lowHalf(y1), lowHalf(x2), lowHalf(y2)),
           high = areas(highHalf(x1), highHalf(y1), highHalf(x2), highHalf(y2));
  const F8 area = join(__builtin_convertvector(low, F4), __builtin_convertvector(high, F4));  // sign and zero are kept
  I8 away = area == splat(0);
  if (state.cullsPositive) away |= area > splat(0);
  if (state.cullsNegative) away |= area < splat(0);
  live &= ~signs(away);
  if (!live) return;

  const I8 left = minI(minI(x[0], x[1]), x[2]), right = maxI(maxI(x[0], x[1]), x[2]);
  const I8 top = minI(minI(y[0], y[1]), y[2]), bottom = maxI(maxI(y[0], y[1]), y[2]);
  const PixelRect& limit = state.viewport.inside;
  const PixelRounding& r = state.rounding;
  const I8 minX = maxI((left + splatI(r.lowX)) >> 8, splatI(limit.minX)),
           minY = maxI((top + splatI(r.lowY)) >> 8, splatI(limit.minY)),
           maxX = minI((right + splatI(r.highX)) >> 8, splatI(limit.maxX)),
           maxY = minI((bottom + splatI(r.highY)) >> 8, splatI(limit.maxY));
  const I8 columns = maxX - minX, rows = maxY - minY;
  live &= signs((columns > 0) & (rows > 0));
  // In meshes finer than pixels most triangles lie between the samples.
  constexpr int32_t kSmall = 4 * kSubPixels;
  const I8 small = (columns <= 2) & (rows <= 2) & (right - left < kSmall) & (bottom - top < kSmall);
  if (const LaneMask test = live & signs(small))
    live &= ~test | coverSamples(state, test, x, y, area, minX, minY, columns, rows);
  result.live = live;
  if (!live) return;
  storeAs(result.area, low);
  storeAs(result.area + 4, high);
  storeAs(result.minX, minX);
  storeAs(result.minY, minY);
  storeAs(result.maxX, maxX);
  storeAs(result.maxY, maxY);
}
