// The layout rules: planes one after another; in a plane the samples, in a sample the layers, in a layer the mip
// levels, in a level rows of blocks. Everything starts on a cache line, rows on 16 bytes. What multisampled colour
// knows of its fragments, and depth and stencil of their tiles, comes last, so that planes nobody touches take no
// memory. Images that are bound block by block have neither: what a page holds must be all there is to know of its
// texels.
#include "runtime/mem/image_layout.h"

#include <algorithm>

#include "runtime/base/debug_flags.h"

namespace etzel::mem {
namespace {

constexpr uint64_t kLine = 64;
constexpr uint32_t kRowAlignment = 16;

struct PlaneKind {
  VkImageAspectFlagBits aspect;
  VkFormat format;
  uint32_t blockBytes;
  uint32_t divisorX = 1, divisorY = 1;
};

uint32_t planesOf(const format::FormatInfo& f, PlaneKind kinds[3]) {
  if (f.planes > 1) {
    constexpr VkImageAspectFlagBits aspects[3] = {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT,
                                                  VK_IMAGE_ASPECT_PLANE_2_BIT};
    for (uint32_t p = 0; p < f.planes; ++p) {
      kinds[p] = {aspects[p], f.planeFormat[p], format::find(f.planeFormat[p])->blockBytes};
      if (p > 0) kinds[p].divisorX = f.chromaDivisorX, kinds[p].divisorY = f.chromaDivisorY;
    }
    return f.planes;
  }
  if (f.isColor()) {
    kinds[0] = {VK_IMAGE_ASPECT_COLOR_BIT, f.format, f.blockBytes};
    return 1;
  }
  uint32_t n = 0;
  if (f.isDepth()) {
    VkFormat alone = f.format;
    if (f.format == VK_FORMAT_D16_UNORM_S8_UINT) alone = VK_FORMAT_D16_UNORM;
    if (f.format == VK_FORMAT_D24_UNORM_S8_UINT) alone = VK_FORMAT_X8_D24_UNORM_PACK32;
    if (f.format == VK_FORMAT_D32_SFLOAT_S8_UINT) alone = VK_FORMAT_D32_SFLOAT;
    kinds[n++] = {VK_IMAGE_ASPECT_DEPTH_BIT, alone, f.blockBytes};
  }
  if (f.isStencil()) kinds[n++] = {VK_IMAGE_ASPECT_STENCIL_BIT, VK_FORMAT_S8_UINT, 1};
  return n;
}

/// Places the levels of a layer of `p`, whose size is known. `page`: ImageShape::blockPage. \returns the layer's bytes
uint64_t placeLevels(PlaneLayout& p, uint32_t mipLevels, bool multisampled, uint64_t page) {
  uint64_t used = 0;
  for (uint32_t m = 0; m < mipLevels; ++m) {
    MipLayout& mip = p.mip[m];
    const uint32_t columns = divideUp(mip.width, p.blockWidth);
    const uint32_t rows = divideUp(mip.height, p.blockHeight);
    const uint64_t rowBytes = uint64_t{columns} * p.blockBytes;
    if (page && !multisampled && p.tailMip == kMaxMips && 4 * rowBytes < page)
      p.tailMip = m, p.tailOffset = used = alignUp(used, page);
    const bool rowsOnPages = page && m < p.tailMip;
    mip.offset = used;
    mip.rowPitch = static_cast<uint32_t>(alignUp<uint64_t>(rowBytes, rowsOnPages ? page : kRowAlignment));
    mip.slices = divideUp(mip.depth, p.blockDepth);
    mip.slicePitch = uint64_t(mip.rowPitch) * rows;
    used = alignUp(used + mip.slicePitch * mip.slices, kLine);
  }
  if (!page) return used;
  used = alignUp(used, page);
  if (p.tailMip != kMaxMips) p.tailBytes = used - p.tailOffset;
  return used;
}

/// Room for the fragments of a plane at `offset`. \returns the end.
uint64_t addFragments(PlaneLayout& p, uint32_t layers, uint32_t samples, uint64_t offset) {
  p.fragments = fragmentLayout(p.mip[0].width, p.mip[0].height, samples);
  p.fragments.offset = offset;
  return offset + p.fragments.layerPitch * layers;
}

/// Room for the tile states of a depth or stencil plane at `offset`. \returns the end.
uint64_t addDepthTiles(PlaneLayout& p, uint32_t layers, uint32_t samples, uint64_t offset) {
  p.tiles = depthTileLayout(p.mip[0].width, p.mip[0].height, samples, p.aspect == VK_IMAGE_ASPECT_DEPTH_BIT);
  p.tiles.offset = offset;
  return offset + p.tiles.layerPitch * layers;
}

/// Depth and stencil have tile states where everyone who reads them asks there. With one sample per pixel that leaves
/// out images that shaders or the host read, who want plain texels.
bool hasDepthTiles(const ImageShape& shape, const format::FormatInfo& f) {
  if (f.isColor() || shape.plain || debug(DebugFlag::NoHiz)) return false;
  if (shape.samples > 1) return true;
  constexpr VkImageUsageFlags kHostTransfer = 1u << 22;  // VK_EXT_host_image_copy
  constexpr VkImageUsageFlags kPlainReaders =
      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | kHostTransfer;
  return shape.usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT && !(shape.usage & kPlainReaders) &&
         shape.tiling == VK_IMAGE_TILING_OPTIMAL && shape.mipLevels == 1 && shape.type == VK_IMAGE_TYPE_2D;
}

}  // namespace

FragmentLayout fragmentLayout(uint32_t width, uint32_t height, uint32_t samples) {
  FragmentLayout f;
  f.tilesX = divideUp(width, kFragmentTile), f.tilesY = divideUp(height, kFragmentTile);
  const uint64_t tiles = uint64_t(f.tilesX) * f.tilesY;
  f.edgeOffset = alignUp<uint64_t>(kTileStateOffset + tiles, kLine);
  f.maskOffset = alignUp<uint64_t>(f.edgeOffset + tiles * 8, kLine);
  f.layerPitch = alignUp<uint64_t>(f.maskOffset + tiles * fragmentMaskWords(samples) * sizeof(uint64_t), kLine);
  return f;
}

DepthTileLayout depthTileLayout(uint32_t width, uint32_t height, uint32_t samples, bool planes) {
  DepthTileLayout t;
  t.tilesX = divideUp(width, kFragmentTile), t.tilesY = divideUp(height, kFragmentTile);
  const uint64_t tiles = uint64_t(t.tilesX) * t.tilesY;
  t.wordOffset = alignUp<uint64_t>(tiles, kLine);
  uint64_t end = t.wordOffset + tiles * 4;
  if (planes) {
    t.planeOffset = alignUp<uint64_t>(end, kLine);
    t.maskOffset = t.planeOffset + tiles * depthPlanes(samples) * kDepthPlaneBytes;
    end = t.maskOffset + (samples > 1 ? tiles * depthPlanes(samples) * samples * 8 : 0);  // a bit per pixel and sample
  }
  t.layerPitch = alignUp<uint64_t>(end, kLine);
  return t;
}

VkImageAspectFlags formatPlanes(VkImageAspectFlags aspect) {
  constexpr VkImageAspectFlags kMemoryPlanes = VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT |
                                               VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT |
                                               VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT;
  static_assert(VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT == VK_IMAGE_ASPECT_PLANE_0_BIT << 3);
  return (aspect & ~kMemoryPlanes) | (aspect & kMemoryPlanes) >> 3;
}

const PlaneLayout& ImageLayout::planeOf(VkImageAspectFlags aspect) const {
  aspect = formatPlanes(aspect);
  for (uint32_t p = 0; p < planeCount; ++p)
    if (plane[p].aspect & aspect) return plane[p];
  return plane[0];  // VK_IMAGE_ASPECT_COLOR_BIT of a multi-planar image, or an aspect that the format lacks
}

ImageLayout layoutImage(const ImageShape& shape) {
  ImageLayout layout;
  layout.type = shape.type;
  layout.format = shape.format;
  layout.extent = shape.extent;
  layout.mipLevels = std::min(shape.mipLevels, kMaxMips);
  layout.arrayLayers = shape.arrayLayers;
  layout.samples = shape.samples;
  layout.storage = shape.usage & VK_IMAGE_USAGE_STORAGE_BIT;
  layout.blockPage = shape.blockPage;
  layout.alignment = shape.blockPage ? shape.blockPage * shape.samples : kLine;
  const format::FormatInfo* f = format::find(shape.format);
  if (!f) return layout;

  PlaneKind kinds[3];
  layout.planeCount = planesOf(*f, kinds);
  uint64_t offset = 0;
  for (uint32_t i = 0; i < layout.planeCount; ++i) {
    PlaneLayout& p = layout.plane[i];
    p.aspect = kinds[i].aspect;
    p.format = kinds[i].format;
    p.blockBytes = kinds[i].blockBytes;
    p.blockWidth = f->planes > 1 ? 1 : f->blockWidth;
    p.blockHeight = f->planes > 1 ? 1 : f->blockHeight;
    p.blockDepth = f->blockDepth;
    p.offset = offset;
    const uint32_t width = (shape.extent.width + kinds[i].divisorX - 1) / kinds[i].divisorX;
    const uint32_t height = (shape.extent.height + kinds[i].divisorY - 1) / kinds[i].divisorY;
    for (uint32_t m = 0; m < layout.mipLevels; ++m)
      p.mip[m].width = std::max(width >> m, 1u), p.mip[m].height = std::max(height >> m, 1u),
      p.mip[m].depth = std::max(shape.extent.depth >> m, 1u);
    p.layerPitch = placeLevels(p, layout.mipLevels, layout.samples > 1, shape.blockPage);
    p.samplePitch = p.layerPitch * layout.arrayLayers;
    // Planes a multiple of 4096 bytes apart would compete for the same cache sets.
    if (layout.samples > 1 && p.samplePitch % 4096 == 0 && !shape.blockPage) p.samplePitch += 9 * kLine;
    offset += p.samplePitch * layout.samples;
  }
  if (shape.blockPage) {
    layout.size = offset;
    return layout;
  }
  const bool compressed = layout.samples > 1 && f->isColor() && f->blockBytes <= kClearColorBytes && f->planes <= 1;
  if (compressed && !shape.plain && !debug(DebugFlag::NoFmask))
    offset = addFragments(layout.plane[0], layout.arrayLayers, layout.samples, alignUp(offset, kLine));
  if (hasDepthTiles(shape, *f))
    for (uint32_t i = 0; i < layout.planeCount; ++i)
      offset = addDepthTiles(layout.plane[i], layout.arrayLayers, layout.samples, alignUp(offset, kLine));
  layout.size = offset;
  return layout;
}

}  // namespace etzel::mem
