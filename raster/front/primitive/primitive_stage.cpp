#include "raster/front/primitive/primitive_stage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace etzel::raster {
namespace {

/// Barycentric coordinates of a primitive's own vertices, with and without perspective.
constexpr float kCorner[3][abi::kBarycentricWords] = {{1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 1, 0}, {0, 0, 1, 0, 0, 1}};

static_assert(kMaxClipVertices <= kMaxCorners);

/// Of the triangles that fan out from corner 0: the last corner of the largest; 0 if none has area.
uint32_t largestPiece(const ScreenVertex* corner, uint32_t count) {
  uint32_t largest = 0;
  int64_t most = 0;
  for (uint32_t i = 2; i < count; ++i) {
    const int64_t area = std::abs(SetupStage::doubleArea(corner[0], corner[i - 1], corner[i]));
    if (area > most) most = area, largest = i;
  }
  return largest;
}

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

void PrimitiveStage::beginPlaces(uint32_t count) {
  const size_t padded = alignUp<size_t>(count, 8);
  if (place_.size() < padded) {
    place_.resize(padded);
    snapped_.resize(padded);
  }
}

void PrimitiveStage::transform(const VertexBlock& block) {
  vertices_ = &block;
  if (!block.placed) {
    beginPlaces(block.count);
    filter_.transform(filterState_, block, place_.data(), snapped_.data());
  }
  if (state_.clipDistances == 0) return;
  for (uint32_t i = 0; i < block.count; ++i) snapped_[i].codes |= Clipper::distanceCodes(state_, block.record(i));
}

void PrimitiveStage::run(const VertexBlock& block, const PrimitiveList& list, uint32_t viewIndex,
                         Statistics& statistics) {
  transform(block);
  statistics.clippingInvocations += list.count;
  const bool plainTriangles = list.verticesPerPrimitive == 3 && state_.cullDistances == 0 &&
                              !state_.perPrimitiveLayer && !state_.perPrimitiveViewport && !state_.readsVertices &&
                              state_.draw->polygonMode == VK_POLYGON_MODE_FILL && !state_.pixels.conservative();
  if (plainTriangles) return runTriangles(list, viewIndex, statistics);
  for (uint32_t i = 0; i < list.count; ++i) runOne(list, i, viewIndex, statistics);
}

void PrimitiveStage::runTriangles(const PrimitiveList& list, uint32_t viewIndex, Statistics& statistics) {
  const uint32_t provoking = state_.draw->provokingVertexLast ? 2 : 0;
  const bool idFromRecord = state_.last->writesPrimitiveId;
  PrimitiveAttributes plain;
  plain.viewIndex = viewIndex;
  plain.layer = state_.draw->attachments.viewMask ? viewIndex : 0;
  FilteredTriangles f;
  for (uint32_t first = 0; first < list.count; first += 8) {
    const uint32_t* index = list.vertex + size_t(first) * 3;
    filter_.filter(filterState_, snapped_.data(), index, std::min(list.count - first, 8u), f);
    statistics.clippingPrimitives += uint32_t(std::popcount(f.whole));
    for (uint32_t left = f.live | f.cut; left; left &= left - 1) {
      const uint32_t i = uint32_t(std::countr_zero(left));
      if (f.cut >> i & 1) {
        runOne(list, first + i, viewIndex, statistics);
        continue;
      }
      const uint32_t* corner = index + size_t(i) * 3;
      plain.flatRecord = vertices_->record(corner[provoking]);
      plain.primitiveId = idFromRecord ? plain.flatRecord[abi::kWordPrimitiveId] : list.primitiveId[first + i];
      if (list.instance) plain.instance = list.instance[first + i];
      setup_.triangle(screenVertex(corner[0]), screenVertex(corner[1]), screenVertex(corner[2]), plain, f.area[i],
                      {f.minX[i], f.minY[i], f.maxX[i], f.maxY[i]});
    }
  }
}

void PrimitiveStage::runOne(const PrimitiveList& list, uint32_t i, uint32_t viewIndex, Statistics& statistics) {
  const uint32_t verts = list.verticesPerPrimitive;
  const uint32_t* index = list.vertex + size_t(i) * verts;
  if (list.continuesStrip && !list.continuesStrip[i]) stipple_.counter = 0;
  uint32_t code[3], all = ~0u, any = 0;
  ScreenVertex v[3];
  for (uint32_t k = 0; k < verts; ++k) {
    code[k] = snapped_[index[k]].codes;
    all &= code[k];
    any |= code[k];
    v[k] = screenVertex(index[k]);
  }
  if ((all & kClipReject) || (any & kClipInvalid)) return;
  if (state_.cullDistances && cullDistanceRejects(v, verts)) return;

  PrimitiveAttributes common;
  common.flatRecord = v[state_.draw->provokingVertexLast ? verts - 1 : 0].record;
  common.primitiveId = state_.last->writesPrimitiveId ? common.flatRecord[abi::kWordPrimitiveId] : list.primitiveId[i];
  if (list.instance) common.instance = list.instance[i];
  common.viewIndex = viewIndex;
  common.layer = state_.draw->attachments.viewMask ? viewIndex : 0;
  if (state_.perPrimitiveLayer) common.layer = common.flatRecord[abi::kWordLayer];
  if (state_.perPrimitiveViewport) {
    const uint32_t viewport = common.flatRecord[abi::kWordViewportIndex];
    if (viewport >= state_.viewportCount) return;
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
  if (common.layer >= state_.grid.layers) return;
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
    case 3: statistics.clippingPrimitives += trianglePrimitive(v, code, any, common); break;
    default: break;
  }
}

PrimitiveAttributes PrimitiveStage::piece(const PrimitiveAttributes& common, const float* corner0, const float* corner1,
                                          const float* corner2) {
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
    if (state_.pixels.conservative()) {
      if (const uint32_t last = largestPiece(corner, count))
        setup_.conservativePolygon(corner, count, last, piece(common, at(0), at(last - 1), at(last)));
      return true;
    }
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
