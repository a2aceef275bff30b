// The triangle filter, compiled per target.
#include "raster/front/clip/clipper.h"
#include "raster/front/primitive/triangle_filter.h"
#include "raster/lanes.h"

namespace etzel::raster::ETZEL_TARGET {
namespace {

// "Coordinate Transformations", Controlling the Viewport. The same operations as Clipper::outcode() and
// PrimitiveStage::project(), so that results are equal bit for bit.
ETZEL_INLINE void transformEight(const FilterState& state, const Rows8& at, VertexPlace* place,
                                 SnappedVertex* snapped) {
  const RasterViewport& vp = state.viewport;
  const I32x8 sign = splat<I32x8>(INT32_MIN);
  auto absolute = [&](F32x8 v) __attribute__((always_inline)) { return bitCast<F32x8>(bitCast<I32x8>(v) & ~sign); };
  auto code = [](I32x8 mask, uint32_t bits) __attribute__((always_inline)) {
    return mask & splat<I32x8>(int32_t(bits));
  };
  auto snap = [&](F32x8 v) __attribute__((always_inline)) {
    const I32x8 fits = absolute(v) < splat<F32x8>(kSnapLimit);
    return fits & roundToInt(bitCast<F32x8>(fits & bitCast<I32x8>(v * splat<F32x8>(float(kSubPixels)))));
  };
  const F32x8 x = at.a, y = at.b, z = at.c, w = at.d;
  const F32x8 negativeW = bitCast<F32x8>(bitCast<I32x8>(w) ^ sign);
  const I32x8 smallW = w < splat<F32x8>(kMinW);
  I32x8 codes = code(x < negativeW, kClipLeft) | code(x > w, kClipRight) | code(y < negativeW, kClipTop) |
                code(y > w, kClipBottom) | code(smallW, kClipW);
  if (state.depthClip)
    codes |= code(z < (state.symmetricDepth ? negativeW : splat<F32x8>(0)), kClipNear) | code(z > w, kClipFar);
  const F32x8 zero = ((x - x) + (y - y)) + ((z - z) + (w - w));  // NaN where one of them is infinite or NaN
  codes |= code(zero != zero, kClipInvalid);

  const F32x8 sx = x / w * splat<F32x8>(vp.scaleX) + splat<F32x8>(vp.offsetX),
              sy = y / w * splat<F32x8>(vp.scaleY) + splat<F32x8>(vp.offsetY),
              sz = z / w * splat<F32x8>(vp.scaleZ) + splat<F32x8>(vp.offsetZ), invW = splat<F32x8>(1) / w;
  const I32x8 within = (absolute(sx) <= splat<F32x8>(kGuardBand)) & (absolute(sy) <= splat<F32x8>(kGuardBand));
  codes |= code(~(within | smallW), kClipGuard);
  storeRows(reinterpret_cast<float*>(place), 4, {sx, sy, sz, invW});
  storeRows(reinterpret_cast<float*>(snapped), 4,
            {bitCast<F32x8>(snap(sx)), bitCast<F32x8>(snap(sy)), bitCast<F32x8>(codes), splat<F32x8>(0)});
}

void transformVertices(const FilterState& state, const VertexBlock& block, VertexPlace* place, SnappedVertex* snapped) {
  for (uint32_t first = 0; first < block.count; first += 8) {
    const uint32_t last = block.count - 1 - first;
    const Rows8 at = loadRows([&](uint32_t i) { return block.record(first + (i < last ? i : last)); });
    transformEight(state, at, place + first, snapped + first);
  }
}

void transformLanes(const FilterState& state, const LaneWords* position, VertexPlace* place, SnappedVertex* snapped) {
  transformEight(state, {floats(position[0]), floats(position[1]), floats(position[2]), floats(position[3])}, place,
                 snapped);
}

/// Eight triangles' rectangles of pixels.
struct Boxes8 {
  I32x8 minX, minY, columns, rows;
};

/// Lanes of triangles that cover a sample of the pixels of their boxes, at most two by two. Coordinates within four
/// pixels of each other: all products and sums are whole numbers below 2^24, exact in floats.
ETZEL_INLINE LaneMask coverSamples(const FilterState& state, LaneMask lanes, const I32x8 (&x)[3], const I32x8 (&y)[3],
                                   F32x8 area, const Boxes8& box) {
  const F32x8 turn = bitCast<F32x8>((bitCast<I32x8>(area) & splat<I32x8>(INT32_MIN)) |
                                    bitCast<I32x8>(splat<F32x8>(1)));  // clockwise, so that E grows inwards
  F32x8 a[3], b[3], x0[3], y0[3], least[3];
  for (uint32_t k = 0; k < 3; ++k) {
    const uint32_t next = (k + 1) % 3;
    a[k] = convert<F32x8>(y[k] - y[next]) * turn;
    b[k] = convert<F32x8>(x[next] - x[k]) * turn;
    x0[k] = convert<F32x8>((box.minX << 8) - x[k]);
    y0[k] = convert<F32x8>((box.minY << 8) - y[k]);
    // Top-left rule, as in edgeOf().
    I32x8 owns = (a[k] > splat<F32x8>(0)) | ((a[k] == splat<F32x8>(0)) & (b[k] > splat<F32x8>(0)));
    if (state.swapsTies) owns = ~owns;
    least[k] = bitCast<F32x8>(~owns & bitCast<I32x8>(splat<F32x8>(1)));
  }
  LaneMask covers = 0;
  for (uint32_t pixel = 0; pixel < 4; ++pixel) {
    const float px = float(pixel & 1) * kSubPixels, py = float(pixel >> 1) * kSubPixels;
    const I32x8 exists =
        (box.columns > splat<I32x8>(int32_t(pixel & 1))) & (box.rows > splat<I32x8>(int32_t(pixel >> 1)));
    if (!(laneMask(exists) & lanes & ~covers)) continue;
    for (uint32_t s = 0; s < state.sampleCount; ++s) {
      const F32x8 sx = splat<F32x8>(px + state.sample[s].x), sy = splat<F32x8>(py + state.sample[s].y);
      I32x8 in = exists;
      for (uint32_t k = 0; k < 3; ++k) in &= (x0[k] + sx) * a[k] + (y0[k] + sy) * b[k] >= least[k];
      covers |= laneMask(in);
      if (!(lanes & ~covers)) return lanes;
    }
  }
  return covers & lanes;
}

void filterTriangles(const FilterState& state, const SnappedVertex* snapped, const uint32_t* index, uint32_t count,
                     FilteredTriangles& result) {
  I32x8 x[3], y[3], codes[3];
  const uint32_t last = count - 1;
  for (uint32_t k = 0; k < 3; ++k) {
    const Rows8 v = loadRows([&](uint32_t i) { return snapped + index[3 * (i < last ? i : last) + k]; });
    x[k] = bitCast<I32x8>(v.a), y[k] = bitCast<I32x8>(v.b), codes[k] = bitCast<I32x8>(v.c);
  }
  const I32x8 all = codes[0] & codes[1] & codes[2], any = codes[0] | codes[1] | codes[2];
  const I32x8 rejected =
      ((all & splat<I32x8>(int32_t(kClipReject))) | (any & splat<I32x8>(int32_t(kClipInvalid)))) != 0;
  const I32x8 cut = (any & splat<I32x8>(int32_t(kClipCut))) != 0;
  const LaneMask some = LaneMask((2u << last) - 1);
  const LaneMask kept = some & ~laneMask(rejected), cuts = laneMask(cut);
  result.cut = kept & cuts;
  result.whole = kept & ~cuts;
  result.live = 0;
  LaneMask live = result.whole;
  if (!live) return;

  // Vertices within the guard band are less than 2^24 apart: products and their differences are exact in doubles.
  const I32x8 x1 = x[1] - x[0], y1 = y[1] - y[0], x2 = x[2] - x[0], y2 = y[2] - y[0];
  auto areas = [](I32x4 ax, I32x4 ay, I32x4 bx, I32x4 by) __attribute__((always_inline)) {
    return convert<F64x4>(ax) * convert<F64x4>(by) - convert<F64x4>(bx) * convert<F64x4>(ay);
  };
  const F64x4 low = areas(lowHalf(x1), lowHalf(y1), lowHalf(x2), lowHalf(y2)),
              high = areas(highHalf(x1), highHalf(y1), highHalf(x2), highHalf(y2));
  const F32x8 area = join(convert<F32x4>(low), convert<F32x4>(high));  // sign and zero are kept
  I32x8 away = area == splat<F32x8>(0);
  if (state.cullsPositive) away |= area > splat<F32x8>(0);
  if (state.cullsNegative) away |= area < splat<F32x8>(0);
  live &= ~laneMask(away);
  if (!live) return;

  const I32x8 left = minimum(minimum(x[0], x[1]), x[2]), right = maximum(maximum(x[0], x[1]), x[2]);
  const I32x8 top = minimum(minimum(y[0], y[1]), y[2]), bottom = maximum(maximum(y[0], y[1]), y[2]);
  const PixelRect& limit = state.viewport.inside;
  const PixelRounding& r = state.rounding;
  const I32x8 minX = maximum((left + splat<I32x8>(r.lowX)) >> 8, splat<I32x8>(limit.minX)),
              minY = maximum((top + splat<I32x8>(r.lowY)) >> 8, splat<I32x8>(limit.minY)),
              maxX = minimum((right + splat<I32x8>(r.highX)) >> 8, splat<I32x8>(limit.maxX)),
              maxY = minimum((bottom + splat<I32x8>(r.highY)) >> 8, splat<I32x8>(limit.maxY));
  const I32x8 columns = maxX - minX, rows = maxY - minY;
  live &= laneMask((columns > 0) & (rows > 0));
  // In meshes finer than pixels most triangles lie between the samples.
  constexpr int32_t kSmall = 4 * kSubPixels;
  const I32x8 small = (columns <= 2) & (rows <= 2) & (right - left < kSmall) & (bottom - top < kSmall);
  if (const LaneMask test = live & laneMask(small))
    live &= ~test | coverSamples(state, test, x, y, area, {minX, minY, columns, rows});
  result.live = live;
  if (!live) return;
  store(result.area, low);
  store(result.area + 4, high);
  store(result.minX, minX);
  store(result.minY, minY);
  store(result.maxX, maxX);
  store(result.maxY, maxY);
}

}  // namespace

extern const TriangleFilter kTriangleFilter = {transformVertices, transformLanes, filterTriangles};

}  // namespace etzel::raster::ETZEL_TARGET
