#include "icd/physical_device/sparse_images.h"

#include <algorithm>
#include <bit>

#include "icd/entry_points.h"
#include "icd/object/aliased_memory.h"
#include "icd/object/enumerate.h"
#include "icd/object/extended_flags.h"
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

namespace {

std::vector<VkSparseImageMemoryRequirements> aspectsOf(const VkPhysicalDeviceSparseImageFormatInfo2& info) {
  VkPhysicalDeviceImageFormatInfo2 asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2};
  const VkImageUsageFlags usage = extendedUsage(info.pNext, info.usage);
  asked.format = info.format, asked.type = info.type, asked.tiling = info.tiling, asked.usage = usage;
  asked.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
  VkImageFormatProperties can;
  if (imageFormatProperties(asked, can) != VK_SUCCESS || !(can.sampleCounts & info.samples)) return {};
  return sparseRequirements(mem::layoutImage(
      {info.type, info.format, {1, 1, 1}, 1, 1, uint32_t(info.samples), info.tiling, usage, hostPageBytes()}));
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice, VkFormat format,
                                                                        VkImageType type, VkSampleCountFlagBits samples,
                                                                        VkImageUsageFlags usage, VkImageTiling tiling,
                                                                        uint32_t* pPropertyCount,
                                                                        VkSparseImageFormatProperties* pProperties) {
  const VkPhysicalDeviceSparseImageFormatInfo2 info{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_INFO_2, nullptr, format, type, samples, usage, tiling};
  (void)enumerate(aspectsOf(info), pPropertyCount, pProperties,
                  [](const auto& from, VkSparseImageFormatProperties& to) { to = from.formatProperties; });
}

VKAPI_ATTR void VKAPI_CALL
GetPhysicalDeviceSparseImageFormatProperties2(VkPhysicalDevice, const VkPhysicalDeviceSparseImageFormatInfo2* info,
                                              uint32_t* pPropertyCount, VkSparseImageFormatProperties2* pProperties) {
  (void)enumerate(aspectsOf(*info), pPropertyCount, pProperties,
                  [](const auto& from, VkSparseImageFormatProperties2& to) { to.properties = from.formatProperties; });
}

}  // namespace etzel::icd
