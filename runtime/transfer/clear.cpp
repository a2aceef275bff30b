// Fills: buffers with a word, images with one texel ("Clear Commands").
#include <cstring>

#include "runtime/msaa/traffic.h"
#include "runtime/transfer/region.h"

namespace etzel::transfer {
namespace {

/// One texel repeated, ready to be copied in large pieces.
class Pattern {
 public:
  Pattern(const std::byte* texel, uint32_t bytes) : period_(kCapacity / bytes * bytes) {
    for (uint32_t at = 0; at < period_; at += bytes) std::memcpy(data_ + at, texel, bytes);
    for (uint32_t i = 1; i < bytes; ++i) uniform_ &= texel[i] == texel[0];
  }
  /// \pre `to` lies at a texel's start
  void fill(std::byte* to, uint64_t bytes) const {
    if (uniform_) {
      std::memset(to, static_cast<int>(data_[0]), bytes);
      return;
    }
    for (; bytes >= period_; to += period_, bytes -= period_) std::memcpy(to, data_, period_);
    std::memcpy(to, data_, bytes);
  }

 private:
  static constexpr uint32_t kCapacity = 3072;
  uint32_t period_;
  bool uniform_ = true;
  alignas(64) std::byte data_[kCapacity];
};

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
    // Slices whose rows have no gaps are one long row.
    const bool dense = rowBytes == m.rowPitch;
    const uint32_t rowsPerSlice = dense ? 1 : m.height;
    const uint64_t runBytes = dense ? rowBytes * m.height : rowBytes;
    const uint32_t slices = layers * layout.samples * m.depth;
    splitRows(pool, slices * rowsPerSlice, runBytes, [&](uint32_t first, uint32_t last) {
      for (uint32_t row = first; row < last; ++row) {
        uint32_t slice = row / rowsPerSlice;
        const uint32_t y = row % rowsPerSlice, z = slice % m.depth;
        slice /= m.depth;
        const uint32_t layer = range.baseArrayLayer + slice % layers, sample = slice / layers;
        pattern.fill(image.memory + layout.texelOffset(p, mip, layer, sample, 0, y, z), runBytes);
      }
    });
  }
}

}  // namespace

void fillBuffer(task::Pool* pool, std::byte* destination, uint64_t bytes, uint32_t value) {
  constexpr uint64_t kPiece = 64 * 1024;
  const Pattern pattern(reinterpret_cast<const std::byte*>(&value), 4);
  splitRows(pool, static_cast<uint32_t>((bytes + kPiece - 1) / kPiece), kPiece, [&](uint32_t first, uint32_t last) {
    const uint64_t begin = first * kPiece, end = std::min(last * kPiece, bytes);
    pattern.fill(destination + begin, end - begin);
  });
}

void clearColor(task::Pool* pool, const Image& image, const VkClearColorValue& value,
                const VkImageSubresourceRange& range) {
  format::Texel texel;
  std::memcpy(texel.word, value.uint32, sizeof(texel.word));
  clearPlane(pool, image, image.layout->planeOf(range.aspectMask), texel, range);
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
