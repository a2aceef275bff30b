// Images ("Resource Creation", Images). mem::layoutImage decides where texels lie.
#include <algorithm>
#include <bit>

#include "icd/entry_points.h"
#include "icd/memory/heap_views.h"
#include "icd/memory/image_list.h"
#include "icd/memory/memory_pages.h"
#include "icd/memory/requirements.h"
#include "icd/memory/resources.h"
#include "icd/memory/swapchain_images.h"
#include "icd/object/device.h"
#include "icd/object/enumerate.h"
#include "icd/object/error.h"
#include "icd/object/extended_flags.h"
#include "icd/physical_device/formats.h"
#include "icd/physical_device/host.h"
#include "icd/physical_device/memory_types.h"
#include "icd/physical_device/sparse_images.h"
#include "runtime/base/debug_flags.h"
#include "runtime/mutant/mutant.h"
#include "runtime/simd/memory_order.h"

namespace etzel::icd {
namespace {

/// Bytes and alignment of the whole image, or of one plane of a disjoint one.
VkMemoryRequirements requirementsOf(const mem::ImageLayout& layout, VkImageCreateFlags flags, VkImageUsageFlags usage,
                                    VkImageAspectFlags planeAspect) {
  const bool disjoint = flags & VK_IMAGE_CREATE_DISJOINT_BIT;
  VkMemoryRequirements r{};
  const bool isProtected = flags & VK_IMAGE_CREATE_PROTECTED_BIT && !mutated(Mutant::ProtectedTypes);
  r.memoryTypeBits = isProtected ? 1u << kProtectedMemoryType : kMemoryTypeBits;
  if (!isProtected && (usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT || mutated(Mutant::LazyTypes)))
    r.memoryTypeBits |= 1u << kLazyMemoryType;
  if (flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) {
    r.alignment = layout.blockPage ? layout.alignment : kSparseBlockBytes;
    r.size = alignUp<uint64_t>(layout.size ? layout.size : 1, r.alignment);
    r.memoryTypeBits = 1u << kSparseMemoryType;
    return r;
  }
  r.size = alignUp<uint64_t>(layout.size ? layout.size : 1, layout.alignment);
  if (disjoint && planeAspect) {
    const mem::PlaneLayout& p = layout.planeOf(planeAspect);
    r.size = alignUp<uint64_t>(p.samplePitch * layout.samples, layout.alignment);
  }
  r.alignment = layout.alignment;
  return r;
}

VkImageAspectFlags planeAspectOf(const void* chain) {
  const auto* p =
      findNext<VkImagePlaneMemoryRequirementsInfo>(chain, VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO);
  return p ? mem::formatPlanes(p->planeAspect) : 0;
}

/// "Image Creation", VkImageCompressionControlEXT. There is no compression at a fixed rate.
bool forbidsCompression(const void* chain) {
  const auto* control = findNext<VkImageCompressionControlEXT>(chain, VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT);
  return control && control->flags & VK_IMAGE_COMPRESSION_DISABLED_EXT && !mutated(Mutant::CompressionControl);
}

/// Stencil's own usage counts too: it says who will read the image. `info` has its extended flags.
mem::ImageLayout layoutOf(const VkImageCreateInfo& info) {
  mem::ImageShape shape{info.imageType, info.format, info.extent, info.mipLevels,         info.arrayLayers,
                        info.samples,   info.tiling, info.usage,  blockPageOf(info.flags)};
  shape.usage |= stencilUsageOf(info.pNext, 0);
  shape.plain = forbidsCompression(info.pNext);
  return mem::layoutImage(shape);
}

/// Disjoint planes are bound one by one; their layout offsets are moved so that one base pointer reaches all of them.
void bindPlane(Image& image, std::byte* at, VkImageAspectFlags aspect) {
  for (uint32_t i = 0; i < image.layout.planeCount; ++i) {
    mem::PlaneLayout& p = image.layout.plane[i];
    if (!(p.aspect & aspect)) continue;
    if (i == 0) {
      // Planes bound before this one keep their place.
      const std::byte* old = image.data;
      image.data = at;
      for (uint32_t j = 1; j < image.layout.planeCount; ++j)
        if (old) image.layout.plane[j].offset += uint64_t(old - at);
    } else {
      if (!image.data) image.data = at;
      p.offset = uint64_t(at - image.data);
    }
  }
}

/// Whether somebody's idea of where the planes of an image with a DRM format modifier lie is ours.
VkResult checkExplicitLayout(const mem::ImageLayout& layout, const VkImageCreateInfo& info) {
  const auto* s = findNext<VkImageDrmFormatModifierExplicitCreateInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT);
  if (!s || mutated(Mutant::ModifierLayout)) return VK_SUCCESS;
  bool same = s->drmFormatModifier == kLinearModifier && s->drmFormatModifierPlaneCount == layout.planeCount;
  for (uint32_t i = 0; same && i < layout.planeCount; ++i) {
    const VkSubresourceLayout& wanted = s->pPlaneLayouts[i];
    const mem::PlaneLayout& p = layout.plane[i];
    same = wanted.offset == (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT ? 0 : p.offset) &&
           wanted.rowPitch == p.mip[0].rowPitch && (info.arrayLayers == 1 || wanted.arrayPitch == p.layerPitch) &&
           (info.extent.depth == 1 || wanted.depthPitch == p.mip[0].slicePitch);
  }
  return same ? VK_SUCCESS
              : ETZEL_FAIL(VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT,
                           "planes lie where vkGetImageSubresourceLayout says, nowhere else");
}

/// Whether copies are all that can write to an image of blocks: neither shaders by way of another format, nor other
/// images and processes that have the same memory.
bool onlyCopiesWrite(const Image& image) {
  constexpr VkImageUsageFlags kWritten =
      VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  return image.tiling == VK_IMAGE_TILING_OPTIMAL && !image.sparse && !image.externalTypes &&
         !(image.flags & VK_IMAGE_CREATE_ALIAS_BIT) && !(image.usage & kWritten);
}

void bind(Image& image, const VkBindImageMemoryInfo& info) {
  auto* memory = cast<DeviceMemory>(info.memory);
  image.memory = memory;
  std::byte* at = memory->data + info.memoryOffset;
  const auto* plane = findNext<VkBindImagePlaneMemoryInfo>(info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
  // An alias of one plane is a single-plane image with the same flag.
  const bool disjoint = plane && image.flags & VK_IMAGE_CREATE_DISJOINT_BIT && image.layout.planeCount > 1;
  const VkImageAspectFlags aspect = disjoint ? mem::formatPlanes(plane->planeAspect) : 0;
  if (disjoint)
    bindPlane(image, at, aspect);
  else
    image.data = at;
  // Multisampled ones keep one colour for most pixels: most of their memory is never written.
  if (!disjoint && image.layout.samples == 1) expectWrites(*memory, info.memoryOffset, image.layout.size);
  if (image.bindings) image.bindings->bind(at, requirementsOf(image.layout, image.flags, image.usage, aspect).size);
  if (image.usage & VK_IMAGE_USAGE_SAMPLED_BIT && onlyCopiesWrite(image) && simd::kLoadsInOrder &&
      !debug(DebugFlag::NoDecoded))
    image.decoded = mem::DecodedImage::create(image.layout, image.data);
}

/// Whether the image is to have the memory of a swapchain's image, which it has then.
bool bindToSwapchain(Image& image, const VkBindImageMemoryInfo& info) {
  const auto* s =
      findNext<VkBindImageMemorySwapchainInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
  if (!s || !s->swapchain) return false;
  const uint32_t index = mutated(Mutant::SwapchainMemory) ? 0 : s->imageIndex;
  const Image& shown = *cast<Image>(cast<SwapchainImages>(s->swapchain)->images[index]);
  image.memory = shown.memory;
  image.data = shown.data;
  if (image.bindings) image.bindings->bind(image.data, requirementsOf(image.layout, image.flags, image.usage, 0).size);
  return true;
}

VkResult reserveAddresses(Image& image) {
  image.sparse =
      SparseRange::reserve(requirementsOf(image.layout, image.flags, image.usage, 0).size, image.layout.blockPage != 0);
  if (!image.sparse)
    return ETZEL_FAIL(VK_ERROR_OUT_OF_DEVICE_MEMORY, "no %llu bytes of addresses",
                      (unsigned long long)image.layout.size);
  image.sparse->reportTo(image.bindings.get());
  image.data = image.sparse->data();
  return VK_SUCCESS;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateImage(VkDevice handle, const VkImageCreateInfo* pCreateInfo,
                                           const VkAllocationCallbacks* pAllocator, VkImage* pImage) {
  const VkImageCreateInfo info = withExtendedFlags(*pCreateInfo);
  if (!format::find(pCreateInfo->format) ||
      !sparseImageAllowed(info.flags, pCreateInfo->format, pCreateInfo->imageType, pCreateInfo->tiling))
    return ETZEL_FAIL(VK_ERROR_FORMAT_NOT_SUPPORTED, "format %d is not supported", pCreateInfo->format);
  return createObject<Image>(handle, pAllocator, pImage, "an image object", [&](Image& image) {
    image.layout = layoutOf(info);
    const bool sparse = info.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT;
    if (!sparse && image.layout.size > host().heapBytes[kDeviceHeap])
      return ETZEL_FAIL(VK_ERROR_OUT_OF_DEVICE_MEMORY, "an image of %llu bytes does not fit into the heap",
                        (unsigned long long)image.layout.size);
    if (VkResult r = checkExplicitLayout(image.layout, info); r != VK_SUCCESS) return r;
    image.tiling = pCreateInfo->tiling;
    image.usage = info.usage, image.stencilUsage = stencilUsageOf(info.pNext, info.usage);
    image.flags = info.flags;
    if (const auto* e = findNext<VkExternalMemoryImageCreateInfo>(pCreateInfo->pNext,
                                                                  VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO))
      image.externalTypes = e->handleTypes;
    image.bindings = AddressBindings::of(*cast<Device>(handle), VK_OBJECT_TYPE_IMAGE, image);
    if (sparse)
      if (const VkResult r = reserveAddresses(image); r != VK_SUCCESS) return r;
    if (listsImages()) listImage(image);
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroyImage(VkDevice device, VkImage handle, const VkAllocationCallbacks* pAllocator) {
  if (handle && listsImages()) unlistImage(*cast<Image>(handle));
  if (handle) cast<Device>(device)->heapViews->forget(cast<Image>(handle));
  destroy(pick(cast<Device>(device), pAllocator), cast<Image>(handle));
}

VKAPI_ATTR void VKAPI_CALL GetImageMemoryRequirements2(VkDevice, const VkImageMemoryRequirementsInfo2* pInfo,
                                                       VkMemoryRequirements2* p) {
  const Image& image = *cast<Image>(pInfo->image);
  p->memoryRequirements = requirementsOf(image.layout, image.flags, image.usage, planeAspectOf(pInfo->pNext));
  fillDedicatedRequirements(p->pNext);
}
VKAPI_ATTR void VKAPI_CALL GetDeviceImageMemoryRequirements(VkDevice, const VkDeviceImageMemoryRequirements* pInfo,
                                                            VkMemoryRequirements2* p) {
  const VkImageCreateInfo info = withExtendedFlags(*pInfo->pCreateInfo);
  p->memoryRequirements = requirementsOf(layoutOf(info), info.flags, info.usage, mem::formatPlanes(pInfo->planeAspect));
  fillDedicatedRequirements(p->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL GetImageDrmFormatModifierProperties(VkDevice, VkImage,
                                                                   VkImageDrmFormatModifierPropertiesEXT* p) {
  p->drmFormatModifier = kLinearModifier;
  return VK_SUCCESS;
}

namespace {

void giveRequirements(const mem::ImageLayout& layout, uint32_t* pCount, VkSparseImageMemoryRequirements2* p) {
  (void)enumerate(sparseRequirements(layout), pCount, p,
                  [](const VkSparseImageMemoryRequirements& from, VkSparseImageMemoryRequirements2& to) {
                    to.memoryRequirements = from;
                  });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL GetImageSparseMemoryRequirements(VkDevice, VkImage image, uint32_t* pCount,
                                                            VkSparseImageMemoryRequirements* p) {
  (void)enumerate(sparseRequirements(cast<Image>(image)->layout), pCount, p);
}
VKAPI_ATTR void VKAPI_CALL GetImageSparseMemoryRequirements2(VkDevice, const VkImageSparseMemoryRequirementsInfo2* info,
                                                             uint32_t* pCount, VkSparseImageMemoryRequirements2* p) {
  giveRequirements(cast<Image>(info->image)->layout, pCount, p);
}
VKAPI_ATTR void VKAPI_CALL GetDeviceImageSparseMemoryRequirements(VkDevice, const VkDeviceImageMemoryRequirements* info,
                                                                  uint32_t* pCount,
                                                                  VkSparseImageMemoryRequirements2* p) {
  giveRequirements(layoutOf(withExtendedFlags(*info->pCreateInfo)), pCount, p);
}

VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory2(VkDevice, uint32_t count, const VkBindImageMemoryInfo* pBindInfos) {
  for (uint32_t i = 0; i < count; ++i) {
    Image& image = *cast<Image>(pBindInfos[i].image);
    if (!bindToSwapchain(image, pBindInfos[i])) {
      if (!pBindInfos[i].memory) continue;
      bind(image, pBindInfos[i]);
    }
    reportBound(pBindInfos[i].pNext);
  }
  return VK_SUCCESS;
}

namespace {

/// Disjoint planes have their offset in their own memory.
VkSubresourceLayout subresourceLayout(const mem::ImageLayout& layout, bool disjoint, const VkImageSubresource& s) {
  const mem::PlaneLayout& p = layout.planeOf(s.aspectMask);
  const mem::MipLayout& mip = p.mip[s.mipLevel];
  VkSubresourceLayout out{};
  out.offset = (disjoint ? 0 : p.offset) + s.arrayLayer * p.layerPitch + mip.offset;
  out.size = mip.slicePitch * mip.slices;
  out.rowPitch = mip.rowPitch;
  out.arrayPitch = p.layerPitch;
  out.depthPitch = mip.slicePitch;
  return out;
}

bool isCompressed(const mem::ImageLayout& layout) {
  return std::any_of(layout.plane, layout.plane + layout.planeCount,
                     [](const mem::PlaneLayout& p) { return p.fragments.offset || p.tiles.offset; });
}

void fillSubresourceLayout2(const mem::ImageLayout& layout, bool disjoint, const VkImageSubresource2EXT& s,
                            VkSubresourceLayout2EXT& out) {
  out.subresourceLayout = subresourceLayout(layout, disjoint, s.imageSubresource);
  for (auto* n = static_cast<VkBaseOutStructure*>(out.pNext); n; n = n->pNext) {
    if (n->sType == VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE)
      reinterpret_cast<VkSubresourceHostMemcpySize*>(n)->size = out.subresourceLayout.size;
    if (n->sType == VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)
      fillCompression(isCompressed(layout), *reinterpret_cast<VkImageCompressionPropertiesEXT*>(n));
  }
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL GetImageSubresourceLayout2(VkDevice, VkImage handle, const VkImageSubresource2EXT* s,
                                                      VkSubresourceLayout2EXT* pLayout) {
  const Image& image = *cast<Image>(handle);
  fillSubresourceLayout2(image.layout, image.flags & VK_IMAGE_CREATE_DISJOINT_BIT, *s, *pLayout);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceImageSubresourceLayout(VkDevice, const VkDeviceImageSubresourceInfo* pInfo,
                                                           VkSubresourceLayout2EXT* pLayout) {
  const VkImageCreateInfo info = withExtendedFlags(*pInfo->pCreateInfo);
  fillSubresourceLayout2(layoutOf(info), info.flags & VK_IMAGE_CREATE_DISJOINT_BIT, *pInfo->pSubresource, *pLayout);
}

}  // namespace etzel::icd
