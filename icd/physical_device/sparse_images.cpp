#include "icd/physical_device/sparse_images.h"

#include <algorithm>
#include <bit>

#include "icd/entry_points.h"
#include "icd/object/aliased_memory.h"
#include "icd/object/enumerate.h"
#include "icd/physical_device/formats.h"

namespace etzel::icd {

uint64_t blockPageOf(VkImageCreateFlags flags) {
  return flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT ? hostPageBytes() : 0;
}

VkExtent3D granularityOf(const mem::ImageLayout& layout, const mem::PlaneLayout& plane) {
  return {static_cast<uint32_t>(layout.blockPage / plane.blockBytes) * plane.blockWidth, plane.blockHeight, 1};
}

bool sparseImageAllowed(VkImageCreateFlags flags, VkFormat format, VkImageType type, VkImageTiling tiling) {
  constexpr VkImageCreateFlags kSparse =
      VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
  if (!(flags & kSparse)) return true;
  if (!systemAliasesMemory() || flags & VK_IMAGE_CREATE_DISJOINT_BIT) return false;
  if (!(flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT)) return true;
  if (type == VK_IMAGE_TYPE_1D || tiling != VK_IMAGE_TILING_OPTIMAL) return false;
  // Whole blocks of one slice fill a page; the planes of several have formats of their own, which all do.
  const format::FormatInfo* f = format::find(format);
  return f && f->blockDepth == 1 && (f->planes > 1 || std::has_single_bit(f->blockBytes));
}

std::vector<VkSparseImageMemoryRequirements> sparseRequirements(const mem::ImageLayout& layout) {
  std::vector<VkSparseImageMemoryRequirements> all;
  if (!layout.blockPage) return all;
  for (uint32_t i = 0; i < layout.planeCount; ++i) {
    const mem::PlaneLayout& p = layout.plane[i];
    VkSparseImageMemoryRequirements r{};
    r.formatProperties = {VkImageAspectFlags(p.aspect), granularityOf(layout, p), 0};
    r.imageMipTailFirstLod = std::min(p.tailMip, layout.mipLevels);
    r.imageMipTailSize = p.tailBytes;
    r.imageMipTailOffset = p.tailBytes ? p.offset + p.tailOffset : 0;
    r.imageMipTailStride = p.tailBytes ? p.layerPitch : 0;
    all.push_back(r);
  }
  return all;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice, const VkPhysicalDeviceSparseImageFormatInfo2* pFormatInfo, uint32_t* pPropertyCount,
    VkSparseImageFormatProperties2* pProperties) {
  const VkImageCreateFlags flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
  const VkPhysicalDeviceSparseImageFormatInfo2& info = *pFormatInfo;
  const VkPhysicalDeviceImageFormatInfo2 asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                               nullptr,
                                               info.format,
                                               info.type,
                                               info.tiling,
                                               info.usage,
                                               flags};
  VkImageFormatProperties can;
  std::vector<VkSparseImageMemoryRequirements> aspects;
  if (imageFormatProperties(asked, can) == VK_SUCCESS && can.sampleCounts & info.samples)
    aspects = sparseRequirements(mem::layoutImage(
        {info.type, info.format, {1, 1, 1}, 1, 1, uint32_t(info.samples), info.tiling, info.usage, hostPageBytes()}));
  (void)enumerate(aspects, pPropertyCount, pProperties,
                  [](const VkSparseImageMemoryRequirements& from, VkSparseImageFormatProperties2& to) {
                    to.properties = from.formatProperties;
                  });
}

}  // namespace etzel::icd
