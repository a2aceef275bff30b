// Fills: buffers with a word, images with one texel ("Clear Commands").
#include <cstring>

#include "runtime/msaa/traffic.h"
#include "runtime/transfer/pattern.h"
#include "runtime/transfer/region.h"

namespace etzel::transfer {
namespace {

/// splitRows() for fills, four times as quick as other work of their size. Rows are pieces of about kPieceBytes.
constexpr uint64_t kPieceBytes = 64 * 1024;
void splitFill(task::Pool* pool, uint64_t pieces, const std::function<void(uint32_t, uint32_t)>& body) {
  splitRows(pool, static_cast<uint32_t>(pieces), kPieceBytes / 4, body);
}

void clearPlane(task::Pool* pool, const Image& image, const mem::PlaneLayout& p, const format::Texel& texel,
                const VkImageSubresourceRange& range) {
  const format::EncodeFn encode = format::encoder(p.format);
  if (!encode) return;  // compressed and multi-planar images cannot be cleared
  std::byte bytes[32];
  // "Clear Commands": 64-bit components are pairs of the clear value's words.
  if (p.blockBytes <= sizeof(texel) && format::find(p.format)->channel[0].bits == 64)
    std::memcpy(bytes, texel.word, sizeof(texel));
  else
    encode(&texel, bytes, 1);
  const Pattern pattern(bytes, p.blockBytes);

  const mem::ImageLayout& layout = *image.layout;
  if (range.baseMipLevel >= layout.mipLevels) return;
  const uint32_t mips = std::min(range.levelCount, layout.mipLevels - range.baseMipLevel);
  const uint32_t layers = layerCountOf(image, range.baseArrayLayer, range.layerCount);
  if (p.fragments.offset) {
    // Compressed: whole layers refer to a clear colour.
    for (uint32_t layer = range.baseArrayLayer; layer < range.baseArrayLayer + layers; ++layer) {
      const msaa::FragmentSurface surface(layout, p, image.memory, layer);
      const int32_t color = surface.reserveClearColor(bytes, true, true);
      if (msaa::countsTraffic())
        msaa::addTraffic(surface.texels, msaa::Work::Clear,
                         msaa::clearTraffic(surface, {0, 0, surface.width, surface.height}, color >= 0));
      surface.clear(0, 0, surface.width, surface.height, bytes, color);
    }
    return;
  }
  if (p.tiles.offset) {
    uint32_t word = 0;
    std::memcpy(&word, bytes, p.blockBytes);
    for (uint32_t layer = range.baseArrayLayer; layer < range.baseArrayLayer + layers; ++layer) {
      const msaa::DepthSurface surface(layout, p, image.memory, layer);
      if (surface.samples > 1 && msaa::countsTraffic())
        msaa::addTraffic(surface.texels, msaa::Work::Clear,
                         msaa::clearTraffic(surface, {0, 0, surface.width, surface.height}, word));
      surface.clear(0, 0, surface.width, surface.height, word);
    }
    return;
  }
  for (uint32_t mip = range.baseMipLevel; mip < range.baseMipLevel + mips; ++mip) {
    const mem::MipLayout& m = p.mip[mip];
    const uint64_t rowBytes = uint64_t{m.width} * p.blockBytes;
    const uint32_t slices = layers * layout.samples * m.depth;
    const auto rowOf = [&](uint32_t slice, uint32_t y) {
      const uint32_t z = slice % m.depth, i = slice / m.depth;
      return image.memory + layout.texelOffset(p, mip, range.baseArrayLayer + i % layers, i / layers, 0, y, z);
    };
    if (rowBytes == m.rowPitch) {
      // Slices whose rows have no gaps are one long row.
      const uint64_t sliceBytes = rowBytes * m.height, piece = kPieceBytes / p.blockBytes * p.blockBytes;
      const uint32_t pieces = static_cast<uint32_t>(divideUp(sliceBytes, piece));
      const simd::Streams* past = simd::streamsFor(sliceBytes * slices);
      splitFill(pool, uint64_t{pieces} * slices, [&](uint32_t first, uint32_t last) {
        while (first < last) {
          const uint32_t n = std::min(last - first, pieces - first % pieces);
          const uint64_t begin = first % pieces * piece, end = std::min(begin + n * piece, sliceBytes);
          pattern.fill(rowOf(first / pieces, 0) + begin, end - begin, past);
          first += n;
        }
      });
      continue;
    }
    splitRows(pool, slices * m.height, rowBytes / 4, [&](uint32_t first, uint32_t last) {
      for (uint32_t row = first; row < last; ++row) pattern.fill(rowOf(row / m.height, row % m.height), rowBytes);
    });
  }
}

}  // namespace

void fillBuffer(task::Pool* pool, std::byte* destination, uint64_t bytes, uint32_t value) {
  const Pattern pattern(reinterpret_cast<const std::byte*>(&value), 4, bytes);
  const simd::Streams* past = simd::streamsFor(bytes);
  splitFill(pool, divideUp(bytes, kPieceBytes), [&](uint32_t first, uint32_t last) {
    const uint64_t begin = first * kPieceBytes, end = std::min(last * kPieceBytes, bytes);
    pattern.fill(destination + begin, end - begin, past);
  });
}

void clearColor(task::Pool* pool, const Image& image, const VkClearColorValue& value,
                const VkImageSubresourceRange& range) {
  const mem::PlaneLayout& plane = image.layout->planeOf(range.aspectMask);
  const format::FormatInfo* info = format::find(plane.format);
  if (info) clearPlane(pool, image, plane, format::clearTexel(*info, value.uint32), range);
}

void clearDepthStencil(task::Pool* pool, const Image& image, const VkClearDepthStencilValue& value,
                       const VkImageSubresourceRange& range) {
  const VkImageAspectFlags present = format::find(image.layout->format)->aspects & range.aspectMask;
  format::Texel texel{};
  if (present & VK_IMAGE_ASPECT_DEPTH_BIT) {
    std::memcpy(texel.word, &value.depth, 4);
    clearPlane(pool, image, image.layout->planeOf(VK_IMAGE_ASPECT_DEPTH_BIT), texel, range);
  }
  if (present & VK_IMAGE_ASPECT_STENCIL_BIT) {
    texel.word[0] = value.stencil & 0xFF;
    clearPlane(pool, image, image.layout->planeOf(VK_IMAGE_ASPECT_STENCIL_BIT), texel, range);
  }
}

}  // namespace etzel::transfer
