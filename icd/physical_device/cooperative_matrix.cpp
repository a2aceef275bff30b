// Which cooperative matrices may be multiplied: floats or integers, whose sums are made in 32 bits. Of 8 by 8
// (VK_KHR_cooperative_matrix), or of any multiples of 8, a workgroup's too (VK_NV_cooperative_matrix2).
#include <vector>

#include "icd/entry_points.h"
#include "icd/object/enumerate.h"
#include "runtime/abi/limits.h"
#include "runtime/base/types.h"

namespace etzel::icd {
namespace {

struct Product {
  VkComponentTypeKHR a, b, sum;
  bool saturates = false;
};

std::vector<Product> products() {
  constexpr auto kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR, kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR,
                 kBrain = VK_COMPONENT_TYPE_BFLOAT16_KHR;
  std::vector<Product> all = {
      {kF32, kF32, kF32}, {kF16, kF16, kF32}, {kF16, kF16, kF16}, {kBrain, kBrain, kF32}, {kBrain, kBrain, kBrain}};
  constexpr VkComponentTypeKHR kSmall[] = {VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT, VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT};
  for (VkComponentTypeKHR a : kSmall) {
    for (VkComponentTypeKHR b : kSmall)
      for (VkComponentTypeKHR sum : {kF32, kF16}) all.push_back({a, b, sum});
    all.push_back({a, a, a});
  }
  constexpr VkComponentTypeKHR kIntegers[] = {VK_COMPONENT_TYPE_SINT8_KHR,  VK_COMPONENT_TYPE_UINT8_KHR,
                                              VK_COMPONENT_TYPE_SINT16_KHR, VK_COMPONENT_TYPE_UINT16_KHR,
                                              VK_COMPONENT_TYPE_SINT32_KHR, VK_COMPONENT_TYPE_UINT32_KHR};
  for (VkComponentTypeKHR factor : kIntegers)
    for (VkComponentTypeKHR sum : kIntegers) {
      // Khronos' suite compares the bits of narrow sums with sums that have a sign, so it could not tell whether
      // negative ones are right; of factors of 16 bits it has no products.
      const bool isNarrow = sum == VK_COMPONENT_TYPE_SINT8_KHR || sum == VK_COMPONENT_TYPE_SINT16_KHR;
      if (isNarrow && factor != VK_COMPONENT_TYPE_SINT16_KHR) continue;
      all.push_back({factor, factor, sum});
      all.push_back({factor, factor, sum, true});
    }
  return all;
}

/// Products of multiples of 8; of a subgroup where there are no invocations.
struct FlexibleProduct {
  Product product;
  uint32_t invocations;
};

std::vector<FlexibleProduct> flexibleProducts() {
  std::vector<FlexibleProduct> all;
  for (uint32_t invocations : {0u, 64u, 128u, abi::kMaxCooperativeWorkgroup})
    for (const Product& product : products()) all.push_back({product, invocations});
  return all;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceCooperativeMatrixProperties(
    VkPhysicalDevice, uint32_t* pPropertyCount, VkCooperativeMatrixPropertiesKHR* pProperties) {
  return enumerate(products(), pPropertyCount, pProperties,
                   [](const Product& product, VkCooperativeMatrixPropertiesKHR& p) {
                     p.MSize = p.NSize = p.KSize = abi::kCooperativeMatrixSize;
                     p.AType = product.a, p.BType = product.b;
                     p.CType = p.ResultType = product.sum;
                     p.saturatingAccumulation = product.saturates;
                     p.scope = VK_SCOPE_SUBGROUP_KHR;
                   });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsProperties(
    VkPhysicalDevice, uint32_t* pPropertyCount, VkCooperativeMatrixFlexibleDimensionsPropertiesNV* pProperties) {
  return enumerate(flexibleProducts(), pPropertyCount, pProperties,
                   [](const FlexibleProduct& f, VkCooperativeMatrixFlexibleDimensionsPropertiesNV& p) {
                     p.MGranularity = p.NGranularity = p.KGranularity = abi::kCooperativeMatrixSize;
                     p.AType = f.product.a, p.BType = f.product.b;
                     p.CType = p.ResultType = f.product.sum;
                     p.saturatingAccumulation = f.product.saturates;
                     p.scope = f.invocations ? VK_SCOPE_WORKGROUP_KHR : VK_SCOPE_SUBGROUP_KHR;
                     p.workgroupInvocations = f.invocations;
                   });
}

}  // namespace etzel::icd
