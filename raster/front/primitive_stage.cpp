#include "raster/front/primitive_stage.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace etzel::raster {
namespace {

ClipVertex clipVertex(const uint32_t* record) {
  ClipVertex v;
  v.record = record;
  std::memcpy(v.position, record, sizeof v.position);
  return v;
}

int32_t snap(float v) {
  // Positions beyond the guard band are clipped before anyone uses the snapped value.
  return v > -40000.0f && v < 40000.0f ? int32_t(std::lrint(v * kSubPixels)) : 0;
}

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

void PrimitiveStage::run(const VertexBlock& block, const PrimitiveList& list, uint32_t viewIndex,
                         Statistics& statistics) {
  screen_.resize(block.count);
  codes_.resize(block.count);
  for (uint32_t i = 0; i < block.count; ++i) {
    const uint32_t* record = block.record(i);
    const ClipVertex c = clipVertex(record);
    uint32_t code = Clipper::outcode(state_, record);
    screen_[i] = project(c.position, record, 0);
    if (!(code & kClipW) && beyondGuardBand(screen_[i])) code |= kClipGuard;
    codes_[i] = code;
  }
  const uint32_t verts = list.verticesPerPrimitive;
  const uint32_t provoking = state_.draw->provokingVertexLast ? verts - 1 : 0;
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
    ScreenVertex v[3];
    for (uint32_t k = 0; k < verts; ++k) v[k] = screen_[index[k]];
    if (state_.cullDistances && cullDistanceRejects(v, verts)) continue;

    PrimitiveAttributes common;
    common.flatRecord = block.record(index[provoking]);
    common.primitiveId =
        state_.last->writesPrimitiveId ? common.flatRecord[abi::kWordPrimitiveId] : list.primitiveId[i];
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
          v[k] = project(clipVertex(v[k].record).position, v[k].record, viewport);
          if (!(code[k] & kClipW) && beyondGuardBand(v[k])) any |= kClipGuard;
        }
      }
    }
    if (common.layer >= state_.grid.layers) continue;

    switch (verts) {
      case 1:
        if (any & kClipReject) break;
        ++statistics.clippingPrimitives;
        pointPrimitive(v[0], any, common);
        break;
      case 2:
        ++statistics.clippingPrimitives;
        linePrimitive(v, any, common, true, 0, list.continuesStrip ? &stipple_ : nullptr);
        break;
      case 3: statistics.clippingPrimitives += trianglePrimitive(v, code, any, common); break;
      default: break;
    }
  }
}

void PrimitiveStage::pointPrimitive(const ScreenVertex& v, uint32_t codes, const PrimitiveAttributes& common) {
  if (codes & kClipGuard) return;
  setup_.point(v, common, true, 0);
}

void PrimitiveStage::linePrimitive(const ScreenVertex* v, uint32_t codes, const PrimitiveAttributes& common,
                                   bool front, float depthOffset, StippleState* stipple) {
  if (!(codes & (kClipReject | kClipGuard))) {
    setup_.line(v[0], v[1], common, front, depthOffset, stipple);
    return;
  }
  ClipVertex c[2] = {clipVertex(v[0].record), clipVertex(v[1].record)};
  if (!clipper_.line(c, codes)) return;
  const ScreenVertex a = project(c[0].position, c[0].record, common.viewportIndex);
  const ScreenVertex b = project(c[1].position, c[1].record, common.viewportIndex);
  if (beyondGuardBand(a) || beyondGuardBand(b)) return;
  setup_.line(a, b, common, front, depthOffset, stipple);
}

/// \returns whether anything was left after clipping.
bool PrimitiveStage::trianglePrimitive(const ScreenVertex* v, const uint32_t* code, uint32_t codes,
                                       const PrimitiveAttributes& common) {
  ScreenVertex polygon[kMaxClipVertices];
  const ScreenVertex* corner = v;
  uint32_t count = 3;
  if (codes & kClipCut) {
    ClipVertex clip[kMaxClipVertices] = {clipVertex(v[0].record), clipVertex(v[1].record), clipVertex(v[2].record)};
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
    for (uint32_t i = 2; i < count; ++i) setup_.triangle(corner[0], corner[i - 1], corner[i], common);
    return true;
  }
  // "Polygon Mode": the edges or vertices of the polygon itself, not of what clipping made of it.
  const float offset = setup_.depthOffset(corner[0], corner[1], corner[2]);
  for (uint32_t k = 0; k < 3; ++k) {
    const uint32_t next = (k + 1) % 3;
    if (state_.draw->polygonMode == VK_POLYGON_MODE_POINT) {
      if (!(code[k] & (kClipReject | kClipGuard))) setup_.point(v[k], common, front, offset);
    } else if (!(code[k] & code[next] & kClipReject)) {
      const ScreenVertex edge[2] = {v[k], v[next]};
      linePrimitive(edge, code[k] | code[next] | (codes & kClipGuard), common, front, offset, nullptr);
    }
  }
  return true;
}

}  // namespace etzel::raster
