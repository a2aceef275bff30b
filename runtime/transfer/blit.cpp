// Scaled copies with format conversion ("Image Copies With Scaling"): what a region asks for, and the way that does it.
#include "runtime/transfer/blit_plan.h"

namespace etzel::transfer {

const format::Texel* BlockRows::row(const std::byte* blocks, uint32_t y, uint32_t z, uint32_t first, uint32_t count) {
  if (blocks != blocks_ || first != first_ || count != count_) {
    blocks_ = blocks, first_ = first, count_ = count;
    decode();
  }
  const uint32_t line = z % plane_.blockDepth * plane_.blockHeight + y % plane_.blockHeight;
  return texels_.data() + size_t{line} * count_;
}

void BlockRows::decode() {
  const format::FormatInfo& info = *format::find(plane_.format);
  const uint32_t width = plane_.blockWidth, end = first_ + count_;
  const uint32_t lines = plane_.blockHeight * plane_.blockDepth;
  texels_.resize(size_t{count_} * lines);
  format::Texel block[6 * 6 * 6];
  for (uint32_t x = first_; x < end;) {
    const uint32_t within = x % width, n = std::min(width - within, end - x);
    format::decodeBlock(info, blocks_ + size_t{x / width} * plane_.blockBytes, block);
    for (uint32_t line = 0; line < lines; ++line)
      std::copy_n(block + line * width + within, n, texels_.data() + size_t{line} * count_ + (x - first_));
    x += n;
  }
}

/// A blit between equal formats that neither scales nor mirrors nor leaves an image is a copy, and much faster as one.
static bool copyInstead(task::Pool* pool, const Image& source, const Image& destination, const VkImageBlit2& r) {
  if (source.layout->format != destination.layout->format || source.layout->type != destination.layout->type)
    return false;
  const mem::MipLayout& sm = source.layout->plane[0].mip[r.srcSubresource.mipLevel];
  const mem::MipLayout& dm = destination.layout->plane[0].mip[r.dstSubresource.mipLevel];
  const auto fits = [](int32_t s0, int32_t s1, int32_t d0, int32_t d1, uint32_t sourceSize, uint32_t destinationSize) {
    return s1 > s0 && s1 - s0 == d1 - d0 && s0 >= 0 && d0 >= 0 && static_cast<uint32_t>(s1) <= sourceSize &&
           static_cast<uint32_t>(d1) <= destinationSize;
  };
  const VkOffset3D *s = r.srcOffsets, *d = r.dstOffsets;
  if (!fits(s[0].x, s[1].x, d[0].x, d[1].x, sm.width, dm.width) ||
      !fits(s[0].y, s[1].y, d[0].y, d[1].y, sm.height, dm.height) ||
      !fits(s[0].z, s[1].z, d[0].z, d[1].z, sm.depth, dm.depth))
    return false;
  VkImageCopy2 copy{VK_STRUCTURE_TYPE_IMAGE_COPY_2};
  copy.srcSubresource = r.srcSubresource;
  copy.srcOffset = s[0];
  copy.dstSubresource = r.dstSubresource;
  copy.dstOffset = d[0];
  copy.extent = {static_cast<uint32_t>(s[1].x - s[0].x), static_cast<uint32_t>(s[1].y - s[0].y),
                 static_cast<uint32_t>(s[1].z - s[0].z)};
  copyImage(pool, source, destination, copy);
  return true;
}

void blitImage(task::Pool* pool, const Image& source, const Image& destination, const VkImageBlit2& r,
               VkFilter filter) {
  const VkImageSubresourceLayers &s = r.srcSubresource, &d = r.dstSubresource;
  if (s.mipLevel >= source.layout->mipLevels || d.mipLevel >= destination.layout->mipLevels) return;
  if (copyInstead(pool, source, destination, r)) return;
  const uint32_t layers = std::min(layerCountOf(source, s.baseArrayLayer, s.layerCount),
                                   layerCountOf(destination, d.baseArrayLayer, d.layerCount));
  for (uint32_t bit = 0; bit < 8; ++bit) {
    const VkImageAspectFlags aspect = s.aspectMask & 1u << bit;
    if (!aspect) continue;
    const mem::PlaneLayout &sp = source.layout->planeOf(aspect), &dp = destination.layout->planeOf(aspect);
    const mem::MipLayout &sm = sp.mip[s.mipLevel], &dm = dp.mip[d.mipLevel];
    const format::FormatInfo& info = *format::find(sp.format);
    if (!format::encoder(dp.format)) continue;
    const Blit blit{
        source,
        sp,
        s.mipLevel,
        s.baseArrayLayer,
        destination,
        dp,
        d.mipLevel,
        d.baseArrayLayer,
        Axis(r.srcOffsets[0].x, r.srcOffsets[1].x, r.dstOffsets[0].x, r.dstOffsets[1].x, sm.width, dm.width),
        Axis(r.srcOffsets[0].y, r.srcOffsets[1].y, r.dstOffsets[0].y, r.dstOffsets[1].y, sm.height, dm.height),
        Axis(r.srcOffsets[0].z, r.srcOffsets[1].z, r.dstOffsets[0].z, r.dstOffsets[1].z, sm.depth, dm.depth),
        layers};
    if (blit.texels() == 0) continue;
    expandTiles(source, sp, s.baseArrayLayer, layers, 0, 0, sm.width, sm.height);
    expandTiles(destination, dp, d.baseArrayLayer, layers, 0, 0, dm.width, dm.height);
    const bool filters = filter != VK_FILTER_NEAREST && info.isColor() && !info.isInteger();
    const auto alone = [&] {  // every texel, without its neighbours
      return blit.x.meetsCentres() && blit.y.meetsCentres() && (sm.depth == 1 || blit.z.meetsCentres());
    };
    if (!filters || alone())
      blitNearest(pool, blit);
    else if (filter == VK_FILTER_CUBIC_EXT && sm.depth == 1)
      blitCubic(pool, blit);
    else
      blitLinear(pool, blit);
  }
}

}  // namespace etzel::transfer
