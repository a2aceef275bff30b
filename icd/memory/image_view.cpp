// Image views: the API's words turned into what texture units and the rasterizer read ("Image Views").
#include <algorithm>

#include "icd/entry_points.h"
#include "icd/memory/resources.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

uint8_t swizzleOf(VkComponentSwizzle s, uint8_t identity) {
  switch (s) {
    case VK_COMPONENT_SWIZZLE_ZERO: return 4;
    case VK_COMPONENT_SWIZZLE_ONE: return 5;
    case VK_COMPONENT_SWIZZLE_R: return 0;
    case VK_COMPONENT_SWIZZLE_G: return 1;
    case VK_COMPONENT_SWIZZLE_B: return 2;
    case VK_COMPONENT_SWIZZLE_A: return 3;
    default: return identity;
  }
}

VkImageSubresourceRange resolveRange(const Image& image, const VkImageViewCreateInfo& info) {
  VkImageSubresourceRange r = info.subresourceRange;
  if (r.levelCount == VK_REMAINING_MIP_LEVELS) r.levelCount = image.layout.mipLevels - r.baseMipLevel;
  if (r.layerCount == VK_REMAINING_ARRAY_LAYERS) {
    // 2D views of 3D images count slices of the viewed level.
    const bool slices = image.layout.type == VK_IMAGE_TYPE_3D && info.viewType != VK_IMAGE_VIEW_TYPE_3D;
    const uint32_t layers =
        slices ? std::max(image.layout.extent.depth >> r.baseMipLevel, 1u) : image.layout.arrayLayers;
    r.layerCount = layers - r.baseArrayLayer;
  }
  return r;
}

void setFormat(tex::ImageView& v, VkFormat format) {
  v.format = format;
  v.info = format::find(format);
  v.decode = format::decoder(format), v.encode = format::encoder(format);
}

/// The view of one plane. `format` is the view's, replaced by the plane's own where only an aspect is seen.
tex::ImageView viewOf(const Image& image, const VkImageViewCreateInfo& info, const VkImageSubresourceRange& range,
                      const mem::PlaneLayout& plane) {
  tex::ImageView v;
  const format::FormatInfo* viewInfo = format::find(info.format);
  v.layout = &image.layout;
  v.plane = &plane;
  v.memory = image.data;
  v.residency = image.sparse ? image.sparse->residency() : nullptr;
  // Depth, stencil and multi-planar aspects are seen in their plane's format unless the view names another.
  const bool whole = viewInfo && (!viewInfo->isColor() || viewInfo->planes > 1);
  VkFormat format = whole ? plane.format : info.format;
  if (mutated(Mutant::MissingSrgb) && format::find(format)->numeric == format::Numeric::Srgb)
    format = VkFormat(format - (VK_FORMAT_R8G8B8A8_SRGB - VK_FORMAT_R8G8B8A8_UNORM));  // the same for all of 8 bits
  setFormat(v, format);
  v.type = info.viewType;
  v.baseMip = range.baseMipLevel;
  v.mipCount = range.levelCount;
  v.samples = image.layout.samples;
  if (image.layout.type == VK_IMAGE_TYPE_3D && info.viewType != VK_IMAGE_VIEW_TYPE_3D) {
    v.baseDepth = range.baseArrayLayer;
    v.depthCount = range.layerCount;
    v.baseLayer = 0;
    v.layerCount = range.layerCount;
  } else {
    v.baseLayer = range.baseArrayLayer;
    v.layerCount = range.layerCount;
  }
  if (mutated(Mutant::ViewLayer)) v.baseLayer = 0;
  if (const auto* lod =
          findNext<VkImageViewMinLodCreateInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT))
    v.minLod = lod->minLod;
  return v;
}

void applySwizzle(tex::ImageView& v, const VkComponentMapping& c) {
  if (mutated(Mutant::Swizzle)) return;
  v.swizzle[0] = swizzleOf(c.r, 0);
  v.swizzle[1] = swizzleOf(c.g, 1);
  v.swizzle[2] = swizzleOf(c.b, 2);
  v.swizzle[3] = swizzleOf(c.a, 3);
  v.identitySwizzle = v.swizzle[0] == 0 && v.swizzle[1] == 1 && v.swizzle[2] == 2 && v.swizzle[3] == 3;
}

/// "Image Views", VkImageViewSlicedCreateInfoEXT: what storage images see of a 3D view. Slices are those of the level;
/// of an image whose blocks have depth, blocks.
void applySlices(tex::ImageView& v, const VkImageViewCreateInfo& info) {
  const auto* s =
      findNext<VkImageViewSlicedCreateInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT);
  if (!s || v.type != VK_IMAGE_VIEW_TYPE_3D) return;
  const uint32_t slices = v.plane->mip[v.baseMip].slices;
  v.baseDepth = mutated(Mutant::SlicedView) ? 0 : std::min(s->sliceOffset, slices - 1);
  v.depthCount = std::min(s->sliceCount, slices - v.baseDepth);  // VK_REMAINING_3D_SLICES_EXT is the greatest number
}

/// The view of a scaled format for shaders that ask for integers.
std::unique_ptr<tex::ImageView> integersOf(const tex::ImageView& v) {
  const format::FormatInfo* info = v.info ? format::integersOf(*v.info) : nullptr;
  if (!info) return nullptr;
  auto integers = std::make_unique<tex::ImageView>(v);
  setFormat(*integers, info->format);
  tex::prepare(*integers);
  return integers;
}

}  // namespace

void makeImageView(ImageView& view, const VkImageViewCreateInfo& info) {
  Image& image = *cast<Image>(info.image);
  view.image = &image;
  view.type = info.viewType;
  view.format = info.format;
  view.components = info.components;
  const VkImageSubresourceRange range = view.range = resolveRange(image, info);

  const VkImageAspectFlags aspects = range.aspectMask;
  view.sampled = viewOf(image, info, range, image.layout.planeOf(aspects));
  view.storage = view.attachment = view.sampled;
  applySwizzle(view.sampled, info.components);
  applySlices(view.storage, info);
  view.sampledIntegers = integersOf(view.sampled), view.storageIntegers = integersOf(view.storage);
  view.sampled.integers = view.sampledIntegers.get(), view.storage.integers = view.storageIntegers.get();
  tex::prepare(view.sampled), tex::prepare(view.storage);
  if (image.decoded) view.decoding = tex::Decoding::begin(view.sampled, *image.decoded);

  // Attachments of combined formats use both planes, whatever the view's aspects say.
  const format::FormatInfo* f = format::find(image.layout.format);
  if (f->isDepth()) view.attachment = viewOf(image, info, range, image.layout.planeOf(VK_IMAGE_ASPECT_DEPTH_BIT));
  if (f->isStencil()) {
    const mem::PlaneLayout& stencil = image.layout.planeOf(VK_IMAGE_ASPECT_STENCIL_BIT);
    view.stencilAttachment = viewOf(image, info, range, stencil);
    if (f->isDepth()) view.attachment.stencilPlane = &stencil;
  }
}

VKAPI_ATTR VkResult VKAPI_CALL CreateImageView(VkDevice handle, const VkImageViewCreateInfo* pCreateInfo,
                                               const VkAllocationCallbacks* pAllocator, VkImageView* pView) {
  return createObject<ImageView>(handle, pAllocator, pView, "an image view",
                                 [&](ImageView& view) { makeImageView(view, *pCreateInfo); });
}

ETZEL_DESTROY(ImageView)

}  // namespace etzel::icd
