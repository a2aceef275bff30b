// Samplers and Y'CbCr conversions ("Samplers").
#include <bit>
#include <cstring>

#include "icd/entry_points.h"
#include "icd/memory/resources.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

void setBorder(tex::Sampler& s, VkBorderColor color, const void* chain) {
  const uint32_t one = std::bit_cast<uint32_t>(1.0f);
  const auto set = [&](uint32_t rgb, uint32_t a, bool integer) {
    s.border = {{rgb, rgb, rgb, a}};
    s.borderInteger = integer;
  };
  switch (color) {
    case VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK: set(0, 0, false); break;
    case VK_BORDER_COLOR_INT_TRANSPARENT_BLACK: set(0, 0, true); break;
    case VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK: set(0, mutated(Mutant::BorderColor) ? 0 : one, false); break;
    case VK_BORDER_COLOR_INT_OPAQUE_BLACK: set(0, mutated(Mutant::BorderColor) ? 0 : 1, true); break;
    case VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE: set(one, one, false); break;
    case VK_BORDER_COLOR_INT_OPAQUE_WHITE: set(1, 1, true); break;
    default: {
      s.borderInteger = color == VK_BORDER_COLOR_INT_CUSTOM_EXT;
      const auto* custom = findNext<VkSamplerCustomBorderColorCreateInfoEXT>(
          chain, VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT);
      if (custom) std::memcpy(s.border.word, &custom->customBorderColor, sizeof s.border.word);
      break;
    }
  }
}

void setConversion(tex::Sampler& s, const SamplerYcbcrConversion* conversion) {
  const VkSamplerYcbcrConversionCreateInfo& c = conversion->info;
  s.ycbcr.enabled = true;
  s.ycbcr.model = c.ycbcrModel;
  s.ycbcr.range = c.ycbcrRange;
  s.ycbcr.xChromaOffset = c.xChromaOffset;
  s.ycbcr.yChromaOffset = c.yChromaOffset;
  s.ycbcr.chromaFilter = c.chromaFilter;
  const VkComponentSwizzle mapping[4] = {c.components.r, c.components.g, c.components.b, c.components.a};
  for (uint8_t i = 0; i < 4; ++i) {
    switch (mapping[i]) {
      case VK_COMPONENT_SWIZZLE_ZERO: s.ycbcr.swizzle[i] = 4; break;
      case VK_COMPONENT_SWIZZLE_ONE: s.ycbcr.swizzle[i] = 5; break;
      case VK_COMPONENT_SWIZZLE_R:
      case VK_COMPONENT_SWIZZLE_G:
      case VK_COMPONENT_SWIZZLE_B:
      case VK_COMPONENT_SWIZZLE_A:
        s.ycbcr.swizzle[i] = static_cast<uint8_t>(mapping[i] - VK_COMPONENT_SWIZZLE_R);
        break;
      default: s.ycbcr.swizzle[i] = i; break;
    }
  }
}

VkCompareOp exchanged(VkCompareOp op) {
  switch (op) {
    case VK_COMPARE_OP_LESS: return VK_COMPARE_OP_GREATER;
    case VK_COMPARE_OP_LESS_OR_EQUAL: return VK_COMPARE_OP_GREATER_OR_EQUAL;
    case VK_COMPARE_OP_GREATER: return VK_COMPARE_OP_LESS;
    case VK_COMPARE_OP_GREATER_OR_EQUAL: return VK_COMPARE_OP_LESS_OR_EQUAL;
    default: return op;
  }
}

void mutateSampler(tex::Sampler& s) {
  if (mutated(Mutant::LodBias)) s.mipLodBias = 0;
  if (mutated(Mutant::MinLod)) s.minLod = 0;
  if (mutated(Mutant::MirrorRepeat))
    for (VkSamplerAddressMode& mode : s.address)
      if (mode == VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT) mode = VK_SAMPLER_ADDRESS_MODE_REPEAT;
  if (mutated(Mutant::CompareSampler)) s.compareOp = exchanged(s.compareOp);
  if (mutated(Mutant::Anisotropy)) s.anisotropic = false, s.maxAnisotropy = 1;
  if (mutated(Mutant::CubeSeams)) s.seamlessCube = false;
}

}  // namespace

void makeSampler(tex::Sampler& s, const VkSamplerCreateInfo& info) {
  s.magFilter = info.magFilter;
  s.minFilter = info.minFilter;
  s.mipmapMode = info.mipmapMode;
  s.address[0] = info.addressModeU;
  s.address[1] = info.addressModeV;
  s.address[2] = info.addressModeW;
  s.mipLodBias = info.mipLodBias;
  s.minLod = info.minLod;
  s.maxLod = info.maxLod;
  s.anisotropic = info.anisotropyEnable;
  s.maxAnisotropy = info.anisotropyEnable ? info.maxAnisotropy : 1.0f;
  s.compare = info.compareEnable;
  s.compareOp = info.compareOp;
  s.unnormalized = info.unnormalizedCoordinates;
  s.seamlessCube = !(info.flags & VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT);
  if (const auto* r =
          findNext<VkSamplerReductionModeCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO))
    s.reduction = r->reductionMode;
  setBorder(s, info.borderColor, info.pNext);
  if (const auto* c =
          findNext<VkSamplerYcbcrConversionInfo>(info.pNext, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO))
    setConversion(s, cast<SamplerYcbcrConversion>(c->conversion));
  mutateSampler(s);
  tex::prepare(s);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateSampler(VkDevice handle, const VkSamplerCreateInfo* p,
                                             const VkAllocationCallbacks* pAllocator, VkSampler* pSampler) {
  return createObject<Sampler>(handle, pAllocator, pSampler, "a sampler", [&](Sampler& sampler) {
    if (const auto* c =
            findNext<VkSamplerYcbcrConversionInfo>(p->pNext, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO))
      sampler.conversion = cast<SamplerYcbcrConversion>(c->conversion);
    makeSampler(sampler.sampler, *p);
  });
}

ETZEL_DESTROY(Sampler)

VKAPI_ATTR VkResult VKAPI_CALL CreateSamplerYcbcrConversion(VkDevice handle,
                                                            const VkSamplerYcbcrConversionCreateInfo* pCreateInfo,
                                                            const VkAllocationCallbacks* pAllocator,
                                                            VkSamplerYcbcrConversion* pConversion) {
  return createObject<SamplerYcbcrConversion>(handle, pAllocator, pConversion, "a Y'CbCr conversion",
                                              [&](SamplerYcbcrConversion& conversion) {
                                                conversion.info = *pCreateInfo;
                                                conversion.info.pNext = nullptr;
                                              });
}

ETZEL_DESTROY(SamplerYcbcrConversion)

}  // namespace etzel::icd
