#include "icd/physical_device/features.h"

#include <cstring>

#include "icd/entry_points.h"
#include "icd/object/aliased_memory.h"
#include "icd/object/device.h"

namespace etzel::icd {
namespace {

// All feature structures are sType, pNext, then VkBool32 members only, so one loop serves them all.
struct FeatureStruct {
  VkStructureType type;
  uint32_t count;
  const VkBool32* values;
  const char* name;
};
#include "icd/features.inc"

const FeatureStruct* find(VkStructureType type) {
  for (const FeatureStruct& s : kFeatureStructs)
    if (s.type == type) return &s;
  return nullptr;
}

template <class S>
auto* membersOf(S* s) {
  using Byte = std::conditional_t<std::is_const_v<S>, const std::byte, std::byte>;
  using Bool = std::conditional_t<std::is_const_v<S>, const VkBool32, VkBool32>;
  return reinterpret_cast<Bool*>(reinterpret_cast<Byte*>(s) + sizeof(VkBaseOutStructure));
}

bool covers(const VkBool32* asked, const VkBool32* have, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (asked[i] && !have[i]) return false;
  return true;
}

bool coreCovers(const VkPhysicalDeviceFeatures& asked) {
  return covers(reinterpret_cast<const VkBool32*>(&asked), reinterpret_cast<const VkBool32*>(&coreFeatures()),
                sizeof asked / sizeof(VkBool32));
}

/// What this system lets the driver do.
VkPhysicalDeviceFeatures offeredFeatures() {
  VkPhysicalDeviceFeatures f = kCoreFeatures;
  if (systemAliasesMemory()) return f;
  for (VkBool32* sparse : {&f.sparseBinding, &f.sparseResidencyBuffer, &f.sparseResidencyImage2D,
                           &f.sparseResidencyImage3D, &f.sparseResidency2Samples, &f.sparseResidency4Samples,
                           &f.sparseResidency8Samples, &f.sparseResidency16Samples, &f.sparseResidencyAliased})
    *sparse = VK_FALSE;
  return f;
}

}  // namespace

const VkPhysicalDeviceFeatures& coreFeatures() {
  static const VkPhysicalDeviceFeatures offered = offeredFeatures();
  return offered;
}

const char* findUnsupportedFeature(const VkDeviceCreateInfo& info) {
  if (info.pEnabledFeatures && !coreCovers(*info.pEnabledFeatures)) return "VkPhysicalDeviceFeatures";
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s; s = s->pNext) {
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
      if (!coreCovers(reinterpret_cast<const VkPhysicalDeviceFeatures2*>(s)->features))
        return "VkPhysicalDeviceFeatures2";
    } else if (const FeatureStruct* known = find(s->sType)) {
      if (!covers(membersOf(s), known->values, known->count)) return known->name;
    }
  }
  return nullptr;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice, VkPhysicalDeviceFeatures2* pFeatures) {
  pFeatures->features = coreFeatures();
  for (auto* s = static_cast<VkBaseOutStructure*>(pFeatures->pNext); s; s = s->pNext)
    if (const FeatureStruct* known = find(s->sType))
      std::memcpy(membersOf(s), known->values, known->count * sizeof(VkBool32));
}

}  // namespace etzel::icd
