// Format and image capabilities ("Formats", "Additional Image Capabilities"). format::imageFeatures says what a format
// can; this file turns that into the many questions of the API.
#include <algorithm>
#include <bit>
#include <span>

#include "icd/entry_points.h"
#include "icd/object/enumerate.h"
#include "icd/object/error.h"
#include "icd/object/extended_flags.h"
#include "icd/object/object.h"
#include "icd/object/shared_memory.h"
#include "icd/physical_device/formats.h"
#include "icd/physical_device/limits.h"
#include "icd/physical_device/sparse_images.h"
#include "runtime/format/format.h"
#include "runtime/mem/image_layout.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

#include "icd/formats.inc"

using Features = VkFormatFeatureFlags2;

/// Bits that VkFormatProperties (32 bits) can say.
constexpr Features kLegacyFeatures = 0x01FFFFFFull | VK_FORMAT_FEATURE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;

/// Any of these features allows the usage.
struct UsageRule {
  VkImageUsageFlags usage;
  Features features;
};
constexpr UsageRule kUsageRules[] = {
    {VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT},
    {VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT},
    {VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
    {VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT},
    {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
     VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
     VK_FORMAT_FEATURE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR},
    {VK_IMAGE_USAGE_FRAGMENT_DENSITY_MAP_BIT_EXT, VK_FORMAT_FEATURE_2_FRAGMENT_DENSITY_MAP_BIT_EXT},
    {VK_IMAGE_USAGE_HOST_TRANSFER_BIT, VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT},
    {VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT,
     VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
     VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
};

bool usageAllowed(VkImageUsageFlags usage, Features features) {
  for (const UsageRule& r : kUsageRules) {
    if (!(usage & r.usage)) continue;
    if (!(features & r.features)) return false;
    usage &= ~r.usage;
  }
  return usage == 0;  // a usage of an extension that is not offered
}

/// Of images that say how large fragments are.
constexpr VkImageUsageFlags kRateUsages =
    VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR | VK_IMAGE_USAGE_FRAGMENT_DENSITY_MAP_BIT_EXT;

VkSampleCountFlags sampleCounts(const VkPhysicalDeviceImageFormatInfo2& info, Features features) {
  if (info.type != VK_IMAGE_TYPE_2D || info.tiling != VK_IMAGE_TILING_OPTIMAL ||
      info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT || info.usage & kRateUsages)
    return VK_SAMPLE_COUNT_1_BIT;
  // "Supported Sample Counts": formats without attachment features are single-sampled.
  if (!(features & (VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT)))
    return VK_SAMPLE_COUNT_1_BIT;
  const format::FormatInfo* f = format::find(info.format);
  if (f->isYcbcr() || f->compression != format::Compression::None) return VK_SAMPLE_COUNT_1_BIT;
  return kSampleCounts;
}

/// Volumes of depth and stencil are sampled and copied; their slices are no attachments.
bool volumeOfDepthAllowed(VkImageCreateFlags flags, VkImageUsageFlags usage) {
  constexpr VkImageUsageFlags kAttachment =
      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT |
      VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT;
  constexpr VkImageCreateFlags kOther = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT |
                                        VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT |
                                        VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
  return !(usage & kAttachment) && !(flags & kOther);
}

/// Imported host pointers may be of pages that cannot be mapped again.
bool canBeSparse(VkExternalMemoryHandleTypeFlagBits handle) {
  return handle == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
}

}  // namespace

Features featuresOf(VkFormat format, VkImageTiling tiling) {
  if (tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT) {
    const format::FormatInfo* f = format::find(format);
    const bool known = f && f->isColor() && f->compression == format::Compression::None;
    return known ? featuresOf(format, VK_IMAGE_TILING_LINEAR) : 0;
  }
  Features features = format::imageFeatures(format, tiling);
  if (features & VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT)
    features |= VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT | VK_FORMAT_FEATURE_2_COPY_IMAGE_INDIRECT_DST_BIT_KHR;
  // All queues copy alike.
  if (const format::FormatInfo* f = features ? format::find(format) : nullptr) {
    if (f->isDepth())
      features |= VK_FORMAT_FEATURE_2_DEPTH_COPY_ON_COMPUTE_QUEUE_BIT_KHR |
                  VK_FORMAT_FEATURE_2_DEPTH_COPY_ON_TRANSFER_QUEUE_BIT_KHR;
    if (f->isStencil())
      features |= VK_FORMAT_FEATURE_2_STENCIL_COPY_ON_COMPUTE_QUEUE_BIT_KHR |
                  VK_FORMAT_FEATURE_2_STENCIL_COPY_ON_TRANSFER_QUEUE_BIT_KHR;
  }
  return features;
}

std::vector<VkFormat> compatibleFormats(VkFormat format) {
  std::vector<VkFormat> all;
  const format::FormatInfo* f = format::find(format);
  if (!f || !f->isColor() || f->isYcbcr()) return {format};
  const auto sameClass = [&](const format::FormatInfo& g) {
    if (!g.isColor() || g.isYcbcr() || g.compression != f->compression || g.blockBytes != f->blockBytes) return false;
    if ((g.channel[0].bits == 0) != (f->channel[0].bits == 0)) return false;  // "8-bit alpha" is a class of its own
    if (f->compression == format::Compression::None) return true;
    return g.blockWidth == f->blockWidth && g.blockHeight == f->blockHeight && g.blockDepth == f->blockDepth &&
           g.components() == f->components();
  };
  for (VkFormat other : kOfferedFormat)
    if (const auto* g = format::find(other); g && sameClass(*g)) all.push_back(other);
  return all;
}

/// What the formats can whose texels may stand for blocks of another one.
static Features featuresOfTexels(const format::FormatInfo& blocks, VkImageTiling tiling) {
  Features features = 0;
  for (VkFormat other : kOfferedFormat) {
    const format::FormatInfo* f = format::find(other);
    if (f && f->isColor() && !f->isYcbcr() && f->compression == format::Compression::None &&
        f->blockBytes == blocks.blockBytes)
      features |= featuresOf(other, tiling);
  }
  return features;
}

VkResult imageFormatProperties(const VkPhysicalDeviceImageFormatInfo2& asked, VkImageFormatProperties& out) {
  out = {};
  const VkPhysicalDeviceImageFormatInfo2 info = mutated(Mutant::ExtendedUsage) ? asked : withExtendedFlags(asked);
  const format::FormatInfo* f = format::find(info.format);
  Features features = f ? featuresOf(info.format, info.tiling) : 0;
  const bool protectedAndSparse =
      info.flags & VK_IMAGE_CREATE_PROTECTED_BIT && info.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT;
  if (!features || protectedAndSparse || !sparseImageAllowed(info.flags, info.format, info.type, info.tiling))
    return VK_ERROR_FORMAT_NOT_SUPPORTED;  // an answer, not a failure
  const auto* drm = findNext<VkPhysicalDeviceImageDrmFormatModifierInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT);
  if (drm && drm->drmFormatModifier != kLinearModifier) return VK_ERROR_FORMAT_NOT_SUPPORTED;

  // Extended usage: any format of the class may bring the feature, or one of a list (of texels in place of blocks). A
  // list without such a format leaves the usage idle, which harms nobody, and Khronos' suite asks for it.
  Features usable = features;
  if (info.flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT) {
    for (VkFormat other : compatibleFormats(info.format)) usable |= featuresOf(other, info.tiling);
    if (info.flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT && !mutated(Mutant::TexelUsage))
      usable |= featuresOfTexels(*f, info.tiling);
    const auto* list =
        findNext<VkImageFormatListCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
    for (uint32_t i = 0; list && i < list->viewFormatCount; ++i)
      usable |= featuresOf(list->pViewFormats[i], info.tiling);
  }
  const VkImageUsageFlags usage = info.usage | stencilUsageOf(info.pNext, 0);
  if (!usageAllowed(usage, usable)) return VK_ERROR_FORMAT_NOT_SUPPORTED;

  const bool blocks = f->compression != format::Compression::None;
  if (info.flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT && !blocks) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  if (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT && !(features & VK_FORMAT_FEATURE_2_DISJOINT_BIT))
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
  // A subsampled image is stored whole: where fragments are large their pixels are alike.
  if (info.flags & VK_IMAGE_CREATE_SUBSAMPLED_BIT_EXT &&
      (info.tiling != VK_IMAGE_TILING_OPTIMAL || info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT))
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
  const bool needs2D = info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT ||
                       info.flags & VK_IMAGE_CREATE_SUBSAMPLED_BIT_EXT || usage & kRateUsages;
  if (needs2D && info.type != VK_IMAGE_TYPE_2D) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  if (info.flags & (VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT) &&
      info.type != VK_IMAGE_TYPE_3D)
    return VK_ERROR_FORMAT_NOT_SUPPORTED;

  if (info.type != VK_IMAGE_TYPE_2D && f->isYcbcr()) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  if (info.type == VK_IMAGE_TYPE_3D && !f->isColor() && !volumeOfDepthAllowed(info.flags, usage))
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
  // Blocks that have depth are of volumes, and no slice of those is an image.
  constexpr VkImageCreateFlags kSlices =
      VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
  if (f->blockDepth > 1 && (info.type != VK_IMAGE_TYPE_3D || info.flags & kSlices))
    return VK_ERROR_FORMAT_NOT_SUPPORTED;

  switch (info.type) {
    case VK_IMAGE_TYPE_1D: out.maxExtent = {mem::kMaxImageExtent, 1, 1}; break;
    case VK_IMAGE_TYPE_2D: out.maxExtent = {mem::kMaxImageExtent, mem::kMaxImageExtent, 1}; break;
    case VK_IMAGE_TYPE_3D: out.maxExtent = {2048, 2048, 2048}; break;
    default: return VK_ERROR_FORMAT_NOT_SUPPORTED;
  }
  const uint32_t longest = std::max({out.maxExtent.width, out.maxExtent.height, out.maxExtent.depth});
  const bool single = f->isYcbcr();
  out.maxMipLevels = single ? 1 : std::bit_width(longest);
  out.maxArrayLayers = info.type == VK_IMAGE_TYPE_3D ? 1 : 2048;
  out.sampleCounts = sampleCounts(info, usable);
  out.maxResourceSize = uint64_t(1) << 40;
  return VK_SUCCESS;
}

namespace {

/// The modifiers of a format with `features`: the linear one, or none.
template <class List, class Flags>
void fillModifiers(List& list, const format::FormatInfo* f, Flags features) {
  (void)enumerate(std::span(&features, features ? 1 : 0), &list.drmFormatModifierCount,
                  list.pDrmFormatModifierProperties, [&](Flags offered, auto& to) {
                    to = {kLinearModifier, f->planes, offered};
                  });
}

void fillModifiers(VkBaseOutStructure& s, VkFormat format) {
  const Features features = featuresOf(format, VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT);
  if (s.sType == VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT)
    fillModifiers(reinterpret_cast<VkDrmFormatModifierPropertiesListEXT&>(s), format::find(format),
                  VkFormatFeatureFlags(features & kLegacyFeatures));
  if (s.sType == VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_2_EXT)
    fillModifiers(reinterpret_cast<VkDrmFormatModifierPropertiesList2EXT&>(s), format::find(format), features);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties2(VkPhysicalDevice, VkFormat format,
                                                              VkFormatProperties2* p) {
  const Features linear = featuresOf(format, VK_IMAGE_TILING_LINEAR);
  const Features optimal = featuresOf(format, VK_IMAGE_TILING_OPTIMAL);
  const Features buffer = format::bufferFeatures(format);
  p->formatProperties = {VkFormatFeatureFlags(linear & kLegacyFeatures),
                         VkFormatFeatureFlags(optimal & kLegacyFeatures),
                         VkFormatFeatureFlags(buffer & kLegacyFeatures)};
  for (auto* s = static_cast<VkBaseOutStructure*>(p->pNext); s; s = s->pNext) {
    // Resolves of subpasses are passes over memory of their own.
    if (s->sType == VK_STRUCTURE_TYPE_SUBPASS_RESOLVE_PERFORMANCE_QUERY_EXT)
      reinterpret_cast<VkSubpassResolvePerformanceQueryEXT*>(s)->optimal = VK_FALSE;
    fillModifiers(*s, format);
    if (s->sType == VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_4_KHR) {  // of features that are in no other structure
      auto* p4 = reinterpret_cast<VkFormatProperties4KHR*>(s);
      p4->linearTilingFeatures = p4->optimalTilingFeatures = p4->bufferFeatures = 0;
    }
    if (s->sType != VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3) continue;
    auto* p3 = reinterpret_cast<VkFormatProperties3*>(s);
    p3->linearTilingFeatures = linear;
    p3->optimalTilingFeatures = optimal;
    p3->bufferFeatures = buffer;
  }
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice,
                                                                       const VkPhysicalDeviceImageFormatInfo2* pInfo,
                                                                       VkImageFormatProperties2* pProperties) {
  VkResult result = imageFormatProperties(*pInfo, pProperties->imageFormatProperties);
  const auto* external = findNext<VkPhysicalDeviceExternalImageFormatInfo>(
      pInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
  const VkExternalMemoryHandleTypeFlagBits handle =
      external ? external->handleType : VkExternalMemoryHandleTypeFlagBits(0);
  const VkExternalMemoryProperties memory = externalMemoryProperties(handle);
  const bool sparse = pInfo->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT;
  if (handle && (!memory.externalMemoryFeatures || (sparse && !canBeSparse(handle)))) {
    pProperties->imageFormatProperties = {};
    result = VK_ERROR_FORMAT_NOT_SUPPORTED;
  }
  for (auto* s = static_cast<VkBaseOutStructure*>(pProperties->pNext); s; s = s->pNext) {
    switch (int(s->sType)) {
      case VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES:
        reinterpret_cast<VkExternalImageFormatProperties*>(s)->externalMemoryProperties = memory;
        break;
      case VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES:
        // One slot, however many planes its view has: who lays out descriptor buffers counts on it.
        reinterpret_cast<VkSamplerYcbcrConversionImageFormatProperties*>(s)->combinedImageSamplerDescriptorCount = 1;
        break;
      case VK_STRUCTURE_TYPE_FILTER_CUBIC_IMAGE_VIEW_IMAGE_FORMAT_PROPERTIES_EXT: {
        const auto* view = findNext<VkPhysicalDeviceImageViewImageFormatInfoEXT>(
            pInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_VIEW_IMAGE_FORMAT_INFO_EXT);
        auto* cubic = reinterpret_cast<VkFilterCubicImageViewImageFormatPropertiesEXT*>(s);
        cubic->filterCubic =
            featuresOf(pInfo->format, pInfo->tiling) & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_CUBIC_BIT_EXT && view &&
            (view->imageViewType == VK_IMAGE_VIEW_TYPE_2D || view->imageViewType == VK_IMAGE_VIEW_TYPE_2D_ARRAY);
        cubic->filterCubicMinmax = VK_FALSE;
        break;
      }
      case int(VK_STRUCTURE_TYPE_SUBSAMPLED_IMAGE_FORMAT_PROPERTIES_EXT):
        reinterpret_cast<VkSubsampledImageFormatPropertiesEXT*>(s)->subsampledImageDescriptorCount = 1;
        break;
      case VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT: {
        const auto* control =
            findNext<VkImageCompressionControlEXT>(pInfo->pNext, VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT);
        fillCompression(!control || !(control->flags & VK_IMAGE_COMPRESSION_DISABLED_EXT),
                        *reinterpret_cast<VkImageCompressionPropertiesEXT*>(s));
        break;
      }
      case int(VK_STRUCTURE_TYPE_HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY): {
        auto* query = reinterpret_cast<VkHostImageCopyDevicePerformanceQuery*>(s);
        query->optimalDeviceAccess = VK_TRUE;
        query->identicalMemoryLayout = VK_TRUE;
        break;
      }
      default: break;
    }
  }
  return result;
}

void fillCompression(bool possible, VkImageCompressionPropertiesEXT& p) {
  p.imageCompressionFlags = possible ? VK_IMAGE_COMPRESSION_DEFAULT_EXT : VK_IMAGE_COMPRESSION_DISABLED_EXT;
  p.imageCompressionFixedRateFlags = VK_IMAGE_COMPRESSION_FIXED_RATE_NONE_EXT;
}

// Host pointers can be imported; memory can be shared as an opaque file descriptor where the system lets us.
VkExternalMemoryProperties externalMemoryProperties(VkExternalMemoryHandleTypeFlagBits handle) {
  VkExternalMemoryProperties p{};
  if (handle == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT ||
      handle == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_MAPPED_FOREIGN_MEMORY_BIT_EXT) {
    p.externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    p.compatibleHandleTypes = handle;
  } else if (handle == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT && systemSharesMemory()) {
    p.externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    p.exportFromImportedHandleTypes = handle;
    p.compatibleHandleTypes = handle;
  } else {
    p.compatibleHandleTypes = handle;  // "a handle type is always compatible with itself"
  }
  return p;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice,
                                                                     const VkPhysicalDeviceExternalBufferInfo* pInfo,
                                                                     VkExternalBufferProperties* pProperties) {
  pProperties->externalMemoryProperties = externalMemoryProperties(pInfo->handleType);
  if (pInfo->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT && !canBeSparse(pInfo->handleType))
    pProperties->externalMemoryProperties.externalMemoryFeatures = 0;
}

}  // namespace etzel::icd
