#include "matrices.h"

#include <cstring>

#include "gpu.h"

namespace vkbench {

MatrixFeatures::MatrixFeatures(VkPhysicalDevice physical, const std::vector<VkExtensionProperties>& extensions,
                               void* next)
    : chain_(next) {
  const auto use = [&](const char* name, auto& features) {
    for (const VkExtensionProperties& e : extensions) {
      if (std::strcmp(e.extensionName, name) != 0) continue;
      VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features, {}};
      vkGetPhysicalDeviceFeatures2(physical, &all);
      features.pNext = chain_;
      chain_ = &features;
      extensions_.push_back(name);
      return;
    }
  };
  use("VK_KHR_cooperative_matrix", matrices_);
  if (!matrices_.isOn) return;
  matrices_.isRobust = VK_FALSE;
  use(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, half_);
  use("VK_KHR_shader_bfloat16", brain_);
}

std::vector<CooperativeProduct> cooperativeProducts(const Gpu& gpu) {
  struct Properties {  // VkCooperativeMatrixPropertiesKHR
    VkStructureType sType;
    void* pNext;
    uint32_t rows, columns, inner, a, b, c, result;
    VkBool32 saturates;
    uint32_t scope;
  };
  using Query = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*, Properties*);
  const auto query =
      reinterpret_cast<Query>(vkGetInstanceProcAddr(gpu.instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  if (!query) return {};
  uint32_t count = 0;
  VK_CHECK(query(gpu.physical, &count, nullptr));
  std::vector<Properties> all(count, {VkStructureType(1000506001), nullptr, 0, 0, 0, 0, 0, 0, 0, VK_FALSE, 0});
  VK_CHECK(query(gpu.physical, &count, all.data()));
  constexpr uint32_t kSubgroup = 3;
  std::vector<CooperativeProduct> products;
  for (const Properties& p : all)
    if (p.scope == kSubgroup && p.a == p.b && p.c == p.result && !p.saturates)
      products.push_back({p.rows, p.columns, p.inner, p.a, p.c});
  return products;
}

uint32_t subgroupSize(const Gpu& gpu) {
  VkPhysicalDeviceSubgroupProperties sub{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sub, {}};
  vkGetPhysicalDeviceProperties2(gpu.physical, &all);
  return sub.subgroupSize;
}

}  // namespace vkbench
