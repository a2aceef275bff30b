// What all transfers share: subresources as lists of 2D slices, and splitting of large work over the pool. Internal to
// transfer/.
#pragma once

#include <algorithm>
#include <functional>

#include "runtime/msaa/depth_surface.h"
#include "runtime/transfer/transfer.h"

namespace etzel::transfer {

inline bool is3D(const Image& image) { return image.layout->type == VK_IMAGE_TYPE_3D; }

inline uint32_t layerCountOf(const Image& image, uint32_t base, uint32_t count) {
  const uint32_t layers = image.layout->arrayLayers;
  if (base >= layers) return 0;
  return std::min(count, layers - base);  // VK_REMAINING_ARRAY_LAYERS is the greatest number
}

/// The first byte of slice `i` of a region: layer base + i, or for 3D images depth slice z + i.
inline std::byte* slicePointer(const Image& image, const mem::PlaneLayout& plane, uint32_t mip, uint32_t baseLayer,
                               uint32_t z, uint32_t i, uint32_t sample = 0) {
  const bool deep = is3D(image);
  return image.memory +
         image.layout->texelOffset(plane, mip, deep ? baseLayer : baseLayer + i, sample, 0, 0, deep ? z + i : 0);
}

/// Runs body(first, last) over ranges that cover [0, rows). One range where all rows together are small.
inline void splitRows(task::Pool* pool, uint32_t rows, uint64_t bytesPerRow,
                      const std::function<void(uint32_t, uint32_t)>& body) {
  constexpr uint64_t kChunkBytes = 512 * 1024;
  if (rows == 0) return;
  const uint64_t total = rows * bytesPerRow;
  if (!pool || pool->threads() < 2 || total < 2 * kChunkBytes) return body(0, rows);
  const uint32_t chunks =
      static_cast<uint32_t>(std::min<uint64_t>({total / kChunkBytes, rows, uint64_t{pool->threads()} * 4}));
  pool->parallelFor(chunks, [&](uint32_t i, uint32_t) {
    body(static_cast<uint32_t>(uint64_t{rows} * i / chunks), static_cast<uint32_t>(uint64_t{rows} * (i + 1) / chunks));
  });
}

/// Clips [offset, offset + extent) to [0, limit); returns what is left of extent. Negative offsets are invalid usage.
inline uint32_t clipExtent(int32_t offset, uint32_t extent, uint32_t limit) {
  if (offset < 0 || static_cast<uint32_t>(offset) >= limit) return 0;
  return std::min(extent, limit - static_cast<uint32_t>(offset));
}

/// Depth and stencil planes with tile states: gives pixels [x, x + width) x [y, y + height) of the layers their texels,
/// for code that reads and writes those.
inline void expandTiles(const Image& image, const mem::PlaneLayout& p, uint32_t baseLayer, uint32_t layers, uint32_t x,
                        uint32_t y, uint32_t width, uint32_t height) {
  if (!p.tiles.offset) return;
  for (uint32_t layer = baseLayer; layer < baseLayer + layers && layer < image.layout->arrayLayers; ++layer)
    msaa::DepthSurface(*image.layout, p, image.memory, layer).expandShared(x, y, x + width, y + height);
}

}  // namespace etzel::transfer
