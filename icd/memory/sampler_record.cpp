#include "icd/memory/sampler_record.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "icd/object/device.h"

namespace etzel::icd {

static_assert(offsetof(VkSamplerCreateInfo, unnormalizedCoordinates) - offsetof(VkSamplerCreateInfo, flags) ==
              sizeof SamplerRecord::state - sizeof(uint32_t));

SamplerRecord recordOf(const VkSamplerCreateInfo& info) {
  SamplerRecord record;
  std::memcpy(record.state, &info.flags, sizeof record.state);
  if (const auto* r =
          findNext<VkSamplerReductionModeCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO))
    record.reduction = r->reductionMode;
  if (const auto* color = findNext<VkSamplerCustomBorderColorCreateInfoEXT>(
          info.pNext, VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT))
    std::memcpy(record.border, &color->customBorderColor, sizeof record.border);
  if (const auto* c =
          findNext<VkSamplerYcbcrConversionInfo>(info.pNext, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO)) {
    const VkSamplerYcbcrConversionCreateInfo& from = cast<SamplerYcbcrConversion>(c->conversion)->info;
    const uint32_t words[] = {VK_TRUE,
                              uint32_t(from.ycbcrModel),
                              uint32_t(from.ycbcrRange),
                              uint32_t(from.xChromaOffset),
                              uint32_t(from.yChromaOffset),
                              uint32_t(from.chromaFilter),
                              uint32_t(from.components.r),
                              uint32_t(from.components.g),
                              uint32_t(from.components.b),
                              uint32_t(from.components.a)};
    static_assert(sizeof words == sizeof record.conversion);
    std::memcpy(record.conversion, words, sizeof words);
  }
  return record;
}

bool isWhole(const SamplerRecord& record) {
  VkSamplerCreateInfo info{};
  std::memcpy(&info.flags, record.state, sizeof record.state);
  const auto isFilter = [](uint32_t f) { return f <= VK_FILTER_LINEAR || f == VK_FILTER_CUBIC_EXT; };
  bool whole = isFilter(info.magFilter) && isFilter(info.minFilter) &&
               uint32_t(info.mipmapMode) <= VK_SAMPLER_MIPMAP_MODE_LINEAR &&
               uint32_t(info.compareOp) <= VK_COMPARE_OP_ALWAYS;
  for (const VkSamplerAddressMode mode : {info.addressModeU, info.addressModeV, info.addressModeW})
    whole &= uint32_t(mode) <= VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
  whole &= uint32_t(info.borderColor) <= VK_BORDER_COLOR_INT_OPAQUE_WHITE ||
           info.borderColor == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT || info.borderColor == VK_BORDER_COLOR_INT_CUSTOM_EXT;
  whole &= record.reduction <= VK_SAMPLER_REDUCTION_MODE_MAX;
  const uint32_t* c = record.conversion;
  whole &= c[1] <= VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020 && c[2] <= VK_SAMPLER_YCBCR_RANGE_ITU_NARROW &&
           c[3] <= VK_CHROMA_LOCATION_MIDPOINT && c[4] <= VK_CHROMA_LOCATION_MIDPOINT && isFilter(c[5]);
  return whole && std::all_of(c + 6, c + 10, [](uint32_t swizzle) { return swizzle <= VK_COMPONENT_SWIZZLE_A; });
}

void makeSampler(tex::Sampler& sampler, const SamplerRecord& record) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  std::memcpy(&info.flags, record.state, sizeof record.state);
  VkSamplerReductionModeCreateInfo reduction{VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, nullptr,
                                             VkSamplerReductionMode(record.reduction)};
  VkSamplerCustomBorderColorCreateInfoEXT color{VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
                                                &reduction};
  std::memcpy(&color.customBorderColor, record.border, sizeof record.border);
  info.pNext = &color;
  SamplerYcbcrConversion conversion;
  VkSamplerYcbcrConversionInfo named{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, &color, handleOf(&conversion)};
  if (const uint32_t* c = record.conversion; c[0]) {
    conversion.info.ycbcrModel = VkSamplerYcbcrModelConversion(c[1]);
    conversion.info.ycbcrRange = VkSamplerYcbcrRange(c[2]);
    conversion.info.xChromaOffset = VkChromaLocation(c[3]);
    conversion.info.yChromaOffset = VkChromaLocation(c[4]);
    conversion.info.chromaFilter = VkFilter(c[5]);
    conversion.info.components = {VkComponentSwizzle(c[6]), VkComponentSwizzle(c[7]), VkComponentSwizzle(c[8]),
                                  VkComponentSwizzle(c[9])};
    info.pNext = &named;
  }
  makeSampler(sampler, info);
}

}  // namespace etzel::icd
