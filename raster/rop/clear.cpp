#include "raster/rop/clear.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "raster/rop/surface.h"

namespace etzel::raster {
namespace {

struct Clip {
  uint32_t x0, y0, x1, y1;
  bool empty() const { return x0 >= x1 || y0 >= y1; }
};

Clip clip(const VkRect2D& rect, const Surface& s) {
  auto bound = [](int64_t v, uint32_t limit) { return static_cast<uint32_t>(std::clamp<int64_t>(v, 0, limit)); };
  return {bound(rect.offset.x, s.width), bound(rect.offset.y, s.height),
          bound(int64_t(rect.offset.x) + rect.extent.width, s.width),
          bound(int64_t(rect.offset.y) + rect.extent.height, s.height)};
}

void fill(const Surface& s, const VkRect2D& rect, uint32_t layer, const std::byte* texel) {
  if (!s || layer >= s.layers) return;
  Clip c = clip(rect, s);
  if (c.empty()) return;
  size_t rowBytes = size_t(c.x1 - c.x0) * s.texelBytes;
  bool oneByte = std::all_of(texel, texel + s.texelBytes, [&](std::byte b) { return b == texel[0]; });
  // The first row is filled texel by texel (doubling), the others are copies of it.
  std::byte* first = s.at(c.x0, c.y0, layer, 0);
  if (!oneByte) {
    std::memcpy(first, texel, s.texelBytes);
    for (size_t have = s.texelBytes; have < rowBytes; have *= 2)
      std::memcpy(first + have, first, std::min(have, rowBytes - have));
  }
  for (uint32_t sample = 0; sample < s.samples; ++sample) {
    for (uint32_t y = c.y0; y < c.y1; ++y) {
      std::byte* row = s.at(c.x0, y, layer, sample);
      if (oneByte)
        std::memset(row, std::to_integer<int>(texel[0]), rowBytes);
      else if (row != first)
        std::memcpy(row, first, rowBytes);
    }
  }
}

void clearOne(const Attachments& attachments, uint32_t color, VkImageAspectFlags aspects, const VkClearValue& value,
              const VkRect2D& rect, uint32_t layer) {
  if (color != ~0u) {
    if (color < attachments.colorCount && attachments.color[color])
      clearColorRect(*attachments.color[color], value.color, rect, layer);
    return;
  }
  if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) && attachments.depth)
    clearDepthRect(*attachments.depth, value.depthStencil.depth, rect, layer);
  if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) && attachments.stencil)
    clearStencilRect(*attachments.stencil, value.depthStencil.stencil, rect, layer);
}

}  // namespace

void clearColorRect(const tex::ImageView& view, const VkClearColorValue& value, const VkRect2D& rect, uint32_t layer) {
  if (!view.encode) return;
  format::Texel texel;
  std::memcpy(texel.word, &value, sizeof texel.word);
  alignas(16) std::byte bytes[32] = {};
  view.encode(&texel, bytes, 1);
  fill(surfaceOf(&view), rect, layer, bytes);
}

void clearDepthRect(const tex::ImageView& view, float depth, const VkRect2D& rect, uint32_t layer) {
  format::EncodeFn encode = view.plane ? format::encoder(view.plane->format) : nullptr;
  if (!encode) return;
  format::Texel texel{};
  std::memcpy(&texel.word[0], &depth, 4);
  alignas(16) std::byte bytes[32] = {};
  encode(&texel, bytes, 1);
  fill(surfaceOf(&view), rect, layer, bytes);
}

void clearStencilRect(const tex::ImageView& view, uint32_t stencil, const VkRect2D& rect, uint32_t layer) {
  // "Clear Values": the stencil value is reduced to the attachment's bits.
  std::byte bytes[1] = {static_cast<std::byte>(stencil & 0xFF)};
  fill(surfaceOf(&view), rect, layer, bytes);
}

void clearAttachmentPixels(task::Pool* pool, const Attachments& attachments, uint32_t color,
                           VkImageAspectFlags aspects, const VkClearValue& value, const ClearRect& rect) {
  uint32_t layers[32], count = 0;
  std::vector<uint32_t> many;
  const uint32_t* list = layers;
  if (attachments.viewMask) {
    for (uint32_t m = attachments.viewMask; m; m &= m - 1) layers[count++] = std::countr_zero(m);
  } else {
    for (uint32_t i = 0; i < rect.layerCount; ++i) many.push_back(rect.baseLayer + i);
    list = many.data(), count = static_cast<uint32_t>(many.size());
  }
  constexpr uint32_t kStripRows = 64;
  uint64_t samples = attachments.samples, pixels = uint64_t(rect.rect.extent.width) * rect.rect.extent.height;
  uint32_t strips = (rect.rect.extent.height + kStripRows - 1) / kStripRows;
  if (!pool || pool->threads() < 2 || pixels * samples * count < 256 * 1024) {
    for (uint32_t i = 0; i < count; ++i) clearOne(attachments, color, aspects, value, rect.rect, list[i]);
    return;
  }
  pool->parallelFor(count * strips, [&](uint32_t index, uint32_t) {
    uint32_t strip = index % strips;
    VkRect2D part = rect.rect;
    part.offset.y += static_cast<int32_t>(strip * kStripRows);
    part.extent.height = std::min(kStripRows, rect.rect.extent.height - strip * kStripRows);
    clearOne(attachments, color, aspects, value, part, list[index / strips]);
  });
}

}  // namespace etzel::raster
