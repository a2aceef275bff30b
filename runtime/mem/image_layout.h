// Where the texels of an image lie in its memory. One layout per image, computed once; everyone who touches texels
// asks it, so that the arrangement can change in one place. Rows are linear, samples are separate planes.
#pragma once

#include <vulkan/vulkan_core.h>

#include <bit>

#include "runtime/base/types.h"
#include "runtime/format/format.h"

namespace etzel::mem {

inline constexpr uint32_t kMaxMips = 15;
inline constexpr uint32_t kMaxImageExtent = 16384;

struct MipLayout {
  uint64_t offset = 0;                        ///< bytes from the layer's start
  uint32_t rowPitch = 0;                      ///< bytes from a row of blocks to the next
  uint64_t slicePitch = 0;                    ///< bytes from a slice of blocks to the next
  uint32_t width = 1, height = 1, depth = 1;  ///< texels
  uint32_t slices = 1;                        ///< of blocks; where those are flat, depth
};

/// Where a multisampled colour plane keeps what it knows of its samples (runtime/msaa/fragment_surface.h). Per layer:
/// clear colours, a state byte per tile of 8x8 pixels, an edge word per tile, the fragment masks.
struct FragmentLayout {
  uint64_t offset = 0;      ///< bytes from the image's start to layer 0; 0: every sample has its texel in its plane
  uint64_t layerPitch = 0;  ///< bytes from a layer's to the next
  uint64_t edgeOffset = 0, maskOffset = 0;  ///< bytes from the layer's start
  uint32_t tilesX = 0, tilesY = 0;
};
/// That of one layer of so many pixels, at offset 0.
FragmentLayout fragmentLayout(uint32_t width, uint32_t height, uint32_t samples);
inline constexpr uint32_t kFragmentTile = 8;  ///< pixels, both ways
inline constexpr uint32_t kClearColors = 4;   ///< per layer
inline constexpr uint32_t kClearColorBytes = 16;
inline constexpr uint32_t kTileStateOffset = kClearColors * kClearColorBytes;
/// Words of a tile's fragment masks: for each bit of a fragment index one per sample, a bit per pixel.
constexpr uint32_t fragmentMaskWords(uint32_t samples) {
  return static_cast<uint32_t>(std::countr_zero(samples)) * samples;
}

/// Where a plane of depth or stencil keeps its tile states (runtime/msaa/depth_surface.h). Per layer: a state byte and
/// a word per tile of 8x8 pixels; depth has planes too, and where there are several samples the planes' coverage.
struct DepthTileLayout {
  uint64_t offset = 0;      ///< bytes from the image's start to layer 0; 0: every sample has its texel in its plane
  uint64_t layerPitch = 0;  ///< bytes from a layer's to the next
  uint64_t wordOffset = 0, planeOffset = 0, maskOffset = 0;  ///< bytes from the layer's start; planeOffset 0: none
  uint32_t tilesX = 0, tilesY = 0;
};
/// That of one layer of so many pixels, at offset 0. `planes`: of depth, not stencil
DepthTileLayout depthTileLayout(uint32_t width, uint32_t height, uint32_t samples, bool planes);
/// Planes that a tile has room for. With one sample per pixel only tiles that show a single one are worth it.
constexpr uint32_t depthPlanes(uint32_t samples) { return samples > 1 ? 8 : 1; }
inline constexpr uint32_t kDepthPlaneBytes = 32;

/// One plane: colour, depth, stencil, or a plane of a multi-planar format.
struct PlaneLayout {
  VkImageAspectFlagBits aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  VkFormat format = VK_FORMAT_UNDEFINED;  ///< of this plane alone: D32_SFLOAT, S8_UINT, R8_UNORM, ...
  uint32_t blockBytes = 0, blockWidth = 1, blockHeight = 1, blockDepth = 1;
  uint64_t offset = 0;       ///< bytes from the image's start
  uint64_t layerPitch = 0;   ///< bytes from an array layer to the next
  uint64_t samplePitch = 0;  ///< bytes from a sample's plane to the next (of the whole plane, all layers and mips)
  FragmentLayout fragments;  ///< planes of samples are planes of fragments where this exists
  DepthTileLayout tiles;     ///< samples may have no texel where this exists
  MipLayout mip[kMaxMips];
  uint32_t tailMip = kMaxMips;  ///< images that are bound by blocks: the first level that shares pages with others
  uint64_t tailOffset = 0, tailBytes = 0;  ///< where those levels lie in a layer
};

struct ImageLayout {
  VkImageType type = VK_IMAGE_TYPE_2D;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{1, 1, 1};
  uint32_t mipLevels = 1, arrayLayers = 1, samples = 1;
  uint32_t planeCount = 1;
  PlaneLayout plane[3];
  uint64_t size = 0;  ///< bytes of memory the image needs
  uint64_t alignment = 64;
  uint64_t blockPage = 0;  ///< ImageShape::blockPage
  bool storage = false;    ///< shaders may store to it, and so change how tiles are stored while others read them

  /// The plane that holds `aspect`; depth-stencil formats have depth in plane 0 (if any) and stencil last.
  const PlaneLayout& planeOf(VkImageAspectFlags aspect) const;
  /// Byte offset of texel (block) x, y, z of a subresource, all in blocks.
  uint64_t texelOffset(const PlaneLayout& p, uint32_t mip, uint32_t layer, uint32_t sample, uint32_t x, uint32_t y,
                       uint32_t z) const {
    const MipLayout& m = p.mip[mip];
    return p.offset + sample * p.samplePitch + layer * p.layerPitch + m.offset + z * m.slicePitch +
           uint64_t(y) * m.rowPitch + uint64_t(x) * p.blockBytes;
  }
};

/// What of an image decides where its texels lie.
struct ImageShape {
  VkImageType type = VK_IMAGE_TYPE_2D;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{1, 1, 1};
  uint32_t mipLevels = 1, arrayLayers = 1, samples = 1;
  VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL;
  VkImageUsageFlags usage = 0;  ///< of all aspects together: who will read it
  /// Bytes of a page of memory, for images that get memory block by block ("Sparse Resources"); else 0. A block is a
  /// page of one row of texels, or of as many pages as there are samples: rows begin on pages of their own. Levels
  /// whose rows fill less than a quarter of a page follow the others of their layer, close together: the mip tail.
  uint64_t blockPage = 0;
  bool plain = false;  ///< every sample has its texel: no FragmentLayout, no DepthTileLayout
};

/// Planes of memory (VK_EXT_image_drm_format_modifier) are those of the format: names the latter instead of the former.
VkImageAspectFlags formatPlanes(VkImageAspectFlags aspect);

/// Lays out an image. The shape has been validated by the caller.
ImageLayout layoutImage(const ImageShape& shape);

}  // namespace etzel::mem
