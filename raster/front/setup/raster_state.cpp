#include "raster/front/setup/raster_state.h"

#include <algorithm>
#include <cmath>

namespace etzel::raster {
namespace {

PixelRect intersect(const PixelRect& a, const PixelRect& b) {
  return {std::max(a.minX, b.minX), std::max(a.minY, b.minY), std::min(a.maxX, b.maxX), std::min(a.maxY, b.maxY)};
}

int32_t clampPixel(int64_t v) { return int32_t(std::clamp<int64_t>(v, -(1 << 24), 1 << 24)); }

PixelRect toRect(const VkRect2D& r) {
  return {clampPixel(r.offset.x), clampPixel(r.offset.y), clampPixel(int64_t(r.offset.x) + r.extent.width),
          clampPixel(int64_t(r.offset.y) + r.extent.height)};
}

int32_t toPixel(float v) { return int32_t(std::clamp(v, -1e7f, 1e7f)); }

/// Pixels with a sample in the box; of conservative draws those that the box touches, or has in its inside.
PixelRounding roundingFor(const SamplePositions& samples, const PixelRule& rule) {
  if (rule.conservative()) {
    const int32_t low = rule.touched() ? -1 - rule.extra : kSubPixels;
    const int32_t high = rule.touched() ? kSubPixels + rule.extra : -1;
    return {low, high, low, high};
  }
  auto bounds = [&](const uint8_t* offsets, int32_t& low, int32_t& high) {
    const auto [first, last] = std::minmax_element(offsets, offsets + samples.count);
    low = kSubPixels - 1 - *last * (kSubPixels / 16);
    high = kSubPixels - *first * (kSubPixels / 16);
  };
  PixelRounding r;
  bounds(samples.x, r.lowX, r.highX);
  bounds(samples.y, r.lowY, r.highY);
  return r;
}

/// Pixels of which a part lies in the viewport; where primitives cover what lies inside of them, all of it.
PixelRect viewportRect(const VkViewport& v, PixelRule::Covers covers) {
  const float x0 = std::min(v.x, v.x + v.width), x1 = std::max(v.x, v.x + v.width);
  const float y0 = std::min(v.y, v.y + v.height), y1 = std::max(v.y, v.y + v.height);
  if (covers == PixelRule::Covers::Inside)
    return {toPixel(std::ceil(x0)), toPixel(std::ceil(y0)), toPixel(std::floor(x1)), toPixel(std::floor(y1))};
  return {toPixel(std::floor(x0)), toPixel(std::floor(y0)), toPixel(std::ceil(x1)), toPixel(std::ceil(y1))};
}

}  // namespace

PixelRect targetRect(const Attachments& attachments) {
  PixelRect rect = intersect(toRect(attachments.renderArea), {0, 0, 1 << 20, 1 << 20});
  auto limit = [&](const tex::ImageView* view) {
    if (!view || !view->plane) return;
    const mem::MipLayout& mip = view->plane->mip[view->baseMip];
    rect.maxX = std::min(rect.maxX, int32_t(mip.width));
    rect.maxY = std::min(rect.maxY, int32_t(mip.height));
  };
  for (uint32_t i = 0; i < attachments.colorCount; ++i) limit(attachments.color[i]);
  limit(attachments.depth);
  limit(attachments.stencil);
  return rect;
}

ViewportCut viewportCut(const DrawState& d, uint32_t i) {
  constexpr PixelRect kEverything = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};
  return {d.scissorCount > 0 ? toRect(d.scissor[i]) : kEverything, viewportRect(d.viewport[i], pixelRule(d).covers)};
}

RasterState makeRasterState(const DrawRecord& record, const abi::ProgramInfo& last, const TileGrid& grid,
                            const PixelRect& target, uint32_t recordStride) {
  const DrawState& d = record.state;
  RasterState s;
  s.record = &record;
  s.draw = &d;
  s.last = &last;
  s.grid = grid;
  s.recordStride = recordStride;
  // "Controlling the Viewport" leaves indices from the count on undefined: they name what was set there last, or an
  // empty scissor. Khronos' suite draws so with counts that command buffers inherit.
  s.viewportCount = last.writesViewportIndex ? kMaxViewports : std::clamp(d.viewportCount, 1u, kMaxViewports);
  s.layers = std::max(1u, d.attachments.layers);
  s.clipDistances = std::min(last.clipDistances, 8u);
  s.cullDistances = std::min(last.cullDistances, 8u - s.clipDistances);
  s.perPrimitiveViewport = last.writesViewportIndex;
  s.perPrimitiveLayer = last.writesLayer && d.attachments.viewMask == 0;
  s.samples = samplePositions(d);
  s.pixels = pixelRule(d);
  s.rounding = roundingFor(s.samples, s.pixels);
  s.frontIsClockwise = d.frontFace == VK_FRONT_FACE_CLOCKWISE;
  if (d.fragment) {
    s.readsVertices = d.fragment->info.readsVertices;
    s.linearInputs = d.fragment->info.linearInputs;
  }
  for (uint32_t i = 0; i < s.viewportCount; ++i) {
    const VkViewport& v = d.viewport[i];
    RasterViewport& r = s.viewport[i];
    // "Controlling the Viewport"
    r.scaleX = v.width / 2;
    r.offsetX = v.x + v.width / 2;
    r.scaleY = v.height / 2;
    r.offsetY = v.y + v.height / 2;
    r.scaleZ = d.negativeOneToOne ? (v.maxDepth - v.minDepth) / 2 : v.maxDepth - v.minDepth;
    r.offsetZ = d.negativeOneToOne ? (v.maxDepth + v.minDepth) / 2 : v.minDepth;
    r.minDepth = std::min(v.minDepth, v.maxDepth);
    r.maxDepth = std::max(v.minDepth, v.maxDepth);
    if (d.clampsDepthToUnit && !d.depthClamp) {
      r.minDepth = 0, r.maxDepth = 1;
    } else if (d.depthClampRangeSet) {
      r.minDepth = d.depthClampMin;
      r.maxDepth = d.depthClampMax;
    }
    const ViewportCut cut = viewportCut(d, i);
    r.scissor = intersect(target, cut.scissor);
    r.inside = intersect(r.scissor, cut.viewport);
  }
  switch (d.attachments.depth ? d.attachments.depth->format : VK_FORMAT_UNDEFINED) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_D16_UNORM_S8_UINT: s.depthUnorm = 1.0f / 65536; break;
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D24_UNORM_S8_UINT: s.depthUnorm = 1.0f / 16777216; break;
    default:
      if (d.depthBiasUnit == DepthBiasUnit::ForceUnorm) s.depthUnorm = 1.0f / 16777216;
      break;
  }
  if (d.depthBiasUnit == DepthBiasUnit::Float) s.depthUnorm = 1;
  return s;
}

void RasterState::prepareForProbe(const PixelRect& target) {
  tellsInstances = true;
  for (uint32_t i = 0; i < viewportCount; ++i) viewport[i].scissor = viewport[i].inside = target;
}

}  // namespace etzel::raster
