#include "raster/front/primitive_stage.h"

#include <emmintrin.h>
#include <xmmintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace etzel::raster {
namespace {

/// Barycentric coordinates of a primitive's own vertices, with and without perspective.
constexpr float kCorner[3][abi::kBarycentricWords] = {{1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 1, 0}, {0, 0, 1, 0, 0, 1}};

/// Positions beyond the guard band are clipped before anyone uses the snapped value.
constexpr float kSnapLimit = 40000.0f;

int32_t snap(float v) { return std::fabs(v) < kSnapLimit ? int32_t(std::lrint(v * kSubPixels)) : 0; }

}  // namespace

// "Coordinate Transformations", Controlling the Viewport.
ScreenVertex PrimitiveStage::project(const float* position, const uint32_t* record, uint32_t viewport) const {
  const RasterViewport& vp = state_.viewport[viewport];
  const float w = position[3];
  ScreenVertex v;
  v.x = position[0] / w * vp.scaleX + vp.offsetX;
  v.y = position[1] / w * vp.scaleY + vp.offsetY;
  v.z = position[2] / w * vp.scaleZ + vp.offsetZ;
  v.invW = 1.0f / w;
  v.fx = snap(v.x);
  v.fy = snap(v.y);
  v.record = record;
  return v;
}

bool PrimitiveStage::beyondGuardBand(const ScreenVertex& v) {
  return !(std::fabs(v.x) <= kGuardBand && std::fabs(v.y) <= kGuardBand);
}

bool PrimitiveStage::cullDistanceRejects(const ScreenVertex* v, uint32_t count) const {
  for (uint32_t i = 0; i < state_.cullDistances; ++i) {
    const uint32_t word = abi::kWordClipDistance + state_.clipDistances + i;
    uint32_t negative = 0;
    for (uint32_t k = 0; k < count; ++k) negative += !(std::bit_cast<float>(v[k].record[word]) >= 0);
    if (negative == count) return true;
  }
  return false;
}

// The same operations as outcode(), project() and beyondGuardBand() on one vertex, so that results are equal bit for
// bit.
void PrimitiveStage::transform(const VertexBlock& block) {
  const uint32_t padded = (block.count + 3) & ~3u;
  if (screen_.size() < padded) {
    screen_.resize(padded);
    codes_.resize(padded);
  }
  const RasterViewport& vp = state_.viewport[0];
  const __m128 scaleX = _mm_set1_ps(vp.scaleX), offsetX = _mm_set1_ps(vp.offsetX), scaleY = _mm_set1_ps(vp.scaleY),
               offsetY = _mm_set1_ps(vp.offsetY), scaleZ = _mm_set1_ps(vp.scaleZ), offsetZ = _mm_set1_ps(vp.offsetZ);
  const __m128 sign = _mm_set1_ps(-0.0f), minW = _mm_set1_ps(kMinW), guard = _mm_set1_ps(kGuardBand);
  const __m128 snapLimit = _mm_set1_ps(kSnapLimit), subPixels = _mm_set1_ps(float(kSubPixels));
  auto bit = [](__m128 mask, uint32_t code) {
    return _mm_and_si128(_mm_castps_si128(mask), _mm_set1_epi32(int(code)));
  };
  auto snap4 = [&](__m128 v) {
    const __m128 fits = _mm_cmplt_ps(_mm_andnot_ps(sign, v), snapLimit);
    return _mm_and_si128(_mm_castps_si128(fits), _mm_cvtps_epi32(_mm_and_ps(fits, _mm_mul_ps(v, subPixels))));
  };
  const bool depthClip = state_.draw->depthClip, symmetricDepth = state_.draw->negativeOneToOne;
  for (uint32_t first = 0; first < block.count; first += 4) {
    const uint32_t* record[4];
    for (uint32_t i = 0; i < 4; ++i) record[i] = block.record(std::min(first + i, block.count - 1));
    auto load = [&](uint32_t i) { return _mm_loadu_ps(reinterpret_cast<const float*>(record[i])); };
    __m128 x = load(0), y = load(1), z = load(2), w = load(3);
    _MM_TRANSPOSE4_PS(x, y, z, w);
    const __m128 negativeW = _mm_xor_ps(w, sign);
    const __m128 smallW = _mm_cmplt_ps(w, minW);
    __m128i code = bit(_mm_cmplt_ps(x, negativeW), kClipLeft);
    code = _mm_or_si128(code, bit(_mm_cmpgt_ps(x, w), kClipRight));
    code = _mm_or_si128(code, bit(_mm_cmplt_ps(y, negativeW), kClipTop));
    code = _mm_or_si128(code, bit(_mm_cmpgt_ps(y, w), kClipBottom));
    if (depthClip) {
      code = _mm_or_si128(code, bit(_mm_cmplt_ps(z, symmetricDepth ? negativeW : _mm_setzero_ps()), kClipNear));
      code = _mm_or_si128(code, bit(_mm_cmpgt_ps(z, w), kClipFar));
    }
    code = _mm_or_si128(code, bit(smallW, kClipW));
    // Inf and NaN minus themselves are NaN.
    const __m128 zero =
        _mm_add_ps(_mm_add_ps(_mm_sub_ps(x, x), _mm_sub_ps(y, y)), _mm_add_ps(_mm_sub_ps(z, z), _mm_sub_ps(w, w)));
    code = _mm_or_si128(code, bit(_mm_cmpunord_ps(zero, zero), kClipInvalid));

    __m128 sx = _mm_add_ps(_mm_mul_ps(_mm_div_ps(x, w), scaleX), offsetX);
    __m128 sy = _mm_add_ps(_mm_mul_ps(_mm_div_ps(y, w), scaleY), offsetY);
    __m128 sz = _mm_add_ps(_mm_mul_ps(_mm_div_ps(z, w), scaleZ), offsetZ);
    __m128 invW = _mm_div_ps(_mm_set1_ps(1), w);
    const __m128 within =
        _mm_and_ps(_mm_cmple_ps(_mm_andnot_ps(sign, sx), guard), _mm_cmple_ps(_mm_andnot_ps(sign, sy), guard));
    const __m128 beyond = _mm_andnot_ps(_mm_or_ps(within, smallW), _mm_castsi128_ps(_mm_set1_epi32(-1)));
    code = _mm_or_si128(code, bit(beyond, kClipGuard));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(codes_.data() + first), code);

    alignas(16) int32_t fx[4], fy[4];
    _mm_store_si128(reinterpret_cast<__m128i*>(fx), snap4(sx));
    _mm_store_si128(reinterpret_cast<__m128i*>(fy), snap4(sy));
    _MM_TRANSPOSE4_PS(sx, sy, sz, invW);
    const __m128 row[4] = {sx, sy, sz, invW};
    for (uint32_t i = 0; i < 4; ++i) {
      ScreenVertex& v = screen_[first + i];
      _mm_storeu_ps(&v.x, row[i]);
      v.fx = fx[i];
      v.fy = fy[i];
      v.record = record[i];
    }
  }
  if (state_.clipDistances == 0) return;
  for (uint32_t i = 0; i < block.count; ++i) codes_[i] |= Clipper::distanceCodes(state_, block.record(i));
}

void PrimitiveStage::run(const VertexBlock& block, const PrimitiveList& list, uint32_t viewIndex,
                         Statistics& statistics) {
  transform(block);
  const uint32_t verts = list.verticesPerPrimitive;
  const uint32_t provoking = state_.draw->provokingVertexLast ? verts - 1 : 0;
  const bool idFromRecord = state_.last->writesPrimitiveId;
  const bool plainTriangles = verts == 3 && state_.cullDistances == 0 && !state_.perPrimitiveLayer &&
                              !state_.perPrimitiveViewport && !state_.readsVertices &&
                              state_.draw->polygonMode == VK_POLYGON_MODE_FILL;
  PrimitiveAttributes plain;
  plain.viewIndex = viewIndex;
  plain.layer = state_.draw->attachments.viewMask ? viewIndex : 0;
  for (uint32_t i = 0; i < list.count; ++i) {
    const uint32_t* index = list.vertex + size_t(i) * verts;
    if (list.continuesStrip && !list.continuesStrip[i]) stipple_.counter = 0;
    ++statistics.clippingInvocations;
    uint32_t code[3], all = ~0u, any = 0;
    for (uint32_t k = 0; k < verts; ++k) {
      code[k] = codes_[index[k]];
      all &= code[k];
      any |= code[k];
    }
    if ((all & kClipReject) || (any & kClipInvalid)) continue;
    if (plainTriangles && !(any & kClipCut)) {
      ++statistics.clippingPrimitives;
      const ScreenVertex &a = screen_[index[0]], &b = screen_[index[1]], &c = screen_[index[2]];
      const int64_t area = SetupStage::doubleArea(a, b, c);
      if (area == 0 || setup_.isCulled(setup_.isFront(area))) continue;
      plain.flatRecord = block.record(index[provoking]);
      plain.primitiveId = idFromRecord ? plain.flatRecord[abi::kWordPrimitiveId] : list.primitiveId[i];
      setup_.triangle(a, b, c, plain);
      continue;
    }
    ScreenVertex v[3];
    for (uint32_t k = 0; k < verts; ++k) v[k] = screen_[index[k]];
    if (state_.cullDistances && cullDistanceRejects(v, verts)) continue;

    PrimitiveAttributes common;
    common.flatRecord = block.record(index[provoking]);
    common.primitiveId = idFromRecord ? common.flatRecord[abi::kWordPrimitiveId] : list.primitiveId[i];
    common.viewIndex = viewIndex;
    common.layer = state_.draw->attachments.viewMask ? viewIndex : 0;
    if (state_.perPrimitiveLayer) common.layer = common.flatRecord[abi::kWordLayer];
    if (state_.perPrimitiveViewport) {
      const uint32_t viewport = common.flatRecord[abi::kWordViewportIndex];
      if (viewport >= state_.viewportCount) continue;
      common.viewportIndex = viewport;
      if (viewport != 0) {
        any &= ~uint32_t(kClipGuard);
        for (uint32_t k = 0; k < verts; ++k) {
          float position[4];
          std::memcpy(position, v[k].record, sizeof position);
          v[k] = project(position, v[k].record, viewport);
          if (!(code[k] & kClipW) && beyondGuardBand(v[k])) any |= kClipGuard;
        }
      }
    }
    if (common.layer >= state_.grid.layers) continue;
    // "Barycentric Interpolation": missing vertices are the last one that exists.
    for (uint32_t k = 0; k < 3; ++k) original_[k] = v[std::min(k, verts - 1)].record;

    switch (verts) {
      case 1:
        if (any & kClipReject) break;
        ++statistics.clippingPrimitives;
        pointPrimitive(v[0], 0, any, common, true, 0);
        break;
      case 2:
        ++statistics.clippingPrimitives;
        linePrimitive(v, 0, 1, any, common, true, 0, list.continuesStrip ? &stipple_ : nullptr);
        break;
      case 3:
        statistics.clippingPrimitives += trianglePrimitive(v, code, any, common);
        break;
      default:
        break;
    }
  }
}

PrimitiveAttributes PrimitiveStage::piece(const PrimitiveAttributes& common, const float* corner0,
                                          const float* corner1, const float* corner2) {
  PrimitiveAttributes own = common;
  if (!state_.readsVertices) return own;
  auto* vertices = sink_.make<abi::PrimitiveVertices>();
  std::copy(original_, original_ + 3, vertices->record);
  const float* const corner[3] = {corner0, corner1, corner2};
  for (uint32_t k = 0; k < 3; ++k) std::copy(corner[k], corner[k] + abi::kBarycentricWords, vertices->barycentric[k]);
  own.vertices = vertices;
  return own;
}

void PrimitiveStage::pointPrimitive(const ScreenVertex& v, uint32_t corner, uint32_t codes,
                                    const PrimitiveAttributes& common, bool front, float depthOffset) {
  if (codes & (kClipReject | kClipGuard)) return;
  const float* at = kCorner[corner];
  setup_.point(v, piece(common, at, at, at), front, depthOffset);
}

void PrimitiveStage::linePrimitive(const ScreenVertex* v, uint32_t corner0, uint32_t corner1, uint32_t codes,
                                   const PrimitiveAttributes& common, bool front, float depthOffset,
                                   StippleState* stipple) {
  if (!(codes & (kClipReject | kClipGuard))) {
    setup_.line(v[corner0], v[corner1], piece(common, kCorner[corner0], kCorner[corner1], kCorner[corner0]), front,
                depthOffset, stipple);
    return;
  }
  ClipVertex c[2] = {clipper_.vertex(v[corner0].record, corner0), clipper_.vertex(v[corner1].record, corner1)};
  if (!clipper_.line(c, codes)) return;
  const ScreenVertex a = project(c[0].position, c[0].record, common.viewportIndex);
  const ScreenVertex b = project(c[1].position, c[1].record, common.viewportIndex);
  if (beyondGuardBand(a) || beyondGuardBand(b)) return;
  setup_.line(a, b, piece(common, c[0].barycentric, c[1].barycentric, c[0].barycentric), front, depthOffset, stipple);
}

/// \returns whether anything was left after clipping.
bool PrimitiveStage::trianglePrimitive(const ScreenVertex* v, const uint32_t* code, uint32_t codes,
                                       const PrimitiveAttributes& common) {
  ScreenVertex polygon[kMaxClipVertices];
  ClipVertex clip[kMaxClipVertices];
  const bool cut = codes & kClipCut;
  const ScreenVertex* corner = v;
  uint32_t count = 3;
  if (cut) {
    for (uint32_t i = 0; i < 3; ++i) clip[i] = clipper_.vertex(v[i].record, i);
    count = clipper_.polygon(clip, 3, codes);
    if (count < 3) return false;
    for (uint32_t i = 0; i < count; ++i) {
      polygon[i] = project(clip[i].position, clip[i].record, common.viewportIndex);
      if (beyondGuardBand(polygon[i])) return false;
    }
    corner = polygon;
  }
  int64_t area = 0;
  for (uint32_t i = 2; i < count; ++i) area += SetupStage::doubleArea(corner[0], corner[i - 1], corner[i]);
  const bool front = setup_.isFront(area);
  if (setup_.isCulled(front)) return true;
  if (state_.draw->polygonMode == VK_POLYGON_MODE_FILL) {
    auto at = [&](uint32_t i) { return cut ? clip[i].barycentric : kCorner[i]; };
    for (uint32_t i = 2; i < count; ++i)
      setup_.triangle(corner[0], corner[i - 1], corner[i], piece(common, at(0), at(i - 1), at(i)));
    return true;
  }
  // "Polygon Mode": the edges or vertices of the polygon itself, not of what clipping made of it.
  const float offset = setup_.depthOffset(corner[0], corner[1], corner[2]);
  for (uint32_t k = 0; k < 3; ++k) {
    const uint32_t next = (k + 1) % 3;
    if (state_.draw->polygonMode == VK_POLYGON_MODE_POINT) {
      pointPrimitive(v[k], k, code[k], common, front, offset);
    } else if (!(code[k] & code[next] & kClipReject)) {
      linePrimitive(v, k, next, code[k] | code[next] | (codes & kClipGuard), common, front, offset, nullptr);
    }
  }
  return true;
}

}  // namespace etzel::raster
