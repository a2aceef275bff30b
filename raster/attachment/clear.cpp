#include "raster/attachment/clear.h"

#include <algorithm>
#include <cstring>

#include "raster/attachment/surface.h"
#include "runtime/transfer/pattern.h"

namespace etzel::raster {
namespace {

/// A clear colour in the view's format.
struct ClearTexel {
  alignas(16) std::byte bytes[32] = {};
  ClearTexel(const tex::ImageView& view, const VkClearColorValue& value) {
    const format::Texel texel = format::clearTexel(*view.info, value.uint32);
    view.encode(&texel, bytes, 1);
  }
};

struct Clip : msaa::Rect {
  bool empty() const { return x0 >= x1 || y0 >= y1; }
};

Clip clip(const VkRect2D& rect, const Surface& s) {
  auto bound = [](int64_t v, uint32_t limit) { return static_cast<uint32_t>(std::clamp<int64_t>(v, 0, limit)); };
  return {bound(rect.offset.x, s.width), bound(rect.offset.y, s.height),
          bound(int64_t(rect.offset.x) + rect.extent.width, s.width),
          bound(int64_t(rect.offset.y) + rect.extent.height, s.height)};
}

/// Whose traffic it is where a part of the view is cleared.
const std::byte* trafficOf(const tex::ImageView& view, uint32_t layer) { return surfaceOf(&view).at(0, 0, layer, 0); }

/// In all samples.
void fillTexels(const Surface& s, const msaa::Rect& rect, uint32_t layer, const std::byte* texel) {
  const size_t rowBytes = size_t(rect.x1 - rect.x0) * s.texelBytes, rows = rect.y1 - rect.y0;
  const bool together = rowBytes == s.rowPitch;  // without gaps
  const transfer::Pattern pattern(texel, s.texelBytes, rowBytes);
  for (uint32_t sample = 0; sample < s.samples; ++sample) {
    std::byte* row = s.at(rect.x0, rect.y0, layer, sample);
    if (together) {
      pattern.fill(row, rowBytes * rows);
      continue;
    }
    for (size_t y = 0; y < rows; ++y, row += s.rowPitch) pattern.fill(row, rowBytes);
  }
}

void fill(const tex::ImageView& view, const Surface& s, const VkRect2D& rect, uint32_t layer, const std::byte* texel) {
  if (!s || layer >= s.layers) return;
  Clip c = clip(rect, s);
  if (c.empty()) return;
  const bool counts = s.samples > 1 && msaa::countsTraffic();
  if (s.depthTiles) {
    uint32_t word = 0;
    std::memcpy(&word, texel, s.texelBytes);
    if (counts)
      msaa::addTraffic(trafficOf(view, layer), msaa::Work::Clear, msaa::clearTraffic(s.depth(layer), c, word));
    return s.depth(layer).clear(c.x0, c.y0, c.x1, c.y1, word);
  }
  if (counts)
    msaa::addTraffic(trafficOf(view, layer), msaa::Work::Clear, msaa::clearTraffic(s.fragments(layer), c, false));
  fillTexels(s, c, layer, texel);
}

}  // namespace

uint32_t clearedTexel(const tex::ImageView& view, const VkClearColorValue& value) {
  uint32_t word = 0;
  if (view.encode) std::memcpy(&word, ClearTexel(view, value).bytes, sizeof word);
  return word;
}

void fillWithTexel(const Surface& surface, const msaa::Rect& rect, uint32_t layer, uint32_t texel) {
  std::byte bytes[4];
  std::memcpy(bytes, &texel, sizeof texel);
  fillTexels(surface, rect, layer, bytes);
}

void clearColorRect(const tex::ImageView& view, const VkClearColorValue& value, const VkRect2D& rect, uint32_t layer,
                    int32_t color) {
  clearColorIn(view, surfaceOf(&view), value, rect, layer, color);
}

void clearColorIn(const tex::ImageView& view, const Surface& surface, const VkClearColorValue& value,
                  const VkRect2D& rect, uint32_t layer, int32_t color) {
  if (!view.encode) return;
  const ClearTexel texel(view, value);
  if (surface.meta && layer < surface.layers) {
    const Clip c = clip(rect, surface);
    if (c.empty()) return;
    const msaa::FragmentSurface fragments = surface.fragments(layer);
    if (msaa::countsTraffic())
      msaa::addTraffic(trafficOf(view, layer), msaa::Work::Clear, msaa::clearTraffic(fragments, c, color >= 0));
    fragments.clear(c.x0, c.y0, c.x1, c.y1, texel.bytes, color);
    return;
  }
  fill(view, surface, rect, layer, texel.bytes);
}

int32_t reserveClearColor(const tex::ImageView& view, const VkClearColorValue& value, const VkRect2D& rect,
                          uint32_t layer, bool replace) {
  const Surface surface = surfaceOf(&view);
  if (!view.encode || !surface.meta || layer >= surface.layers) return -1;
  const Clip c = clip(rect, surface);
  const bool everything = c.x0 == 0 && c.y0 == 0 && c.x1 == surface.width && c.y1 == surface.height;
  return surface.fragments(layer).reserveClearColor(ClearTexel(view, value).bytes, replace, everything);
}

uint32_t clearDepthRect(const tex::ImageView& view, float depth, const VkRect2D& rect, uint32_t layer) {
  return clearDepthIn(view, surfaceOf(&view), depth, rect, layer);
}

uint32_t clearDepthIn(const tex::ImageView& view, const Surface& surface, float depth, const VkRect2D& rect,
                      uint32_t layer) {
  format::EncodeFn encode = view.plane ? format::encoder(view.plane->format) : nullptr;
  if (!encode) return 0;
  format::Texel texel{};
  std::memcpy(&texel.word[0], &depth, 4);
  alignas(16) std::byte bytes[32] = {};
  encode(&texel, bytes, 1);
  fill(view, surface, rect, layer, bytes);
  uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

void clearStencilRect(const tex::ImageView& view, uint32_t stencil, const VkRect2D& rect, uint32_t layer) {
  clearStencilIn(view, surfaceOf(&view), stencil, rect, layer);
}

void clearStencilIn(const tex::ImageView& view, const Surface& surface, uint32_t stencil, const VkRect2D& rect,
                    uint32_t layer) {
  // "Clear Values": the stencil value is reduced to the attachment's bits.
  std::byte bytes[1] = {static_cast<std::byte>(stencil & 0xFF)};
  fill(view, surface, rect, layer, bytes);
}

}  // namespace etzel::raster
