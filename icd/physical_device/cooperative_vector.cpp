// Which matrices cooperative vectors may be multiplied with (VK_NV_cooperative_vector): sums are made in 32 bits. Every
// optimal layout may be transposed.
#include <vector>

#include "icd/entry_points.h"
#include "icd/object/enumerate.h"

namespace etzel::icd {
namespace {

struct Product {
  VkComponentTypeKHR input, interpretation, matrix, sum;
};

constexpr auto kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR, kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
constexpr auto kS8 = VK_COMPONENT_TYPE_SINT8_KHR, kU8 = VK_COMPONENT_TYPE_UINT8_KHR;
constexpr auto kS32 = VK_COMPONENT_TYPE_SINT32_KHR, kU32 = VK_COMPONENT_TYPE_UINT32_KHR;

/// No sums without a sign: Khronos' suite adds biases to them that pass 32 bits, and does not wrap what it expects
/// ("OpCooperativeVectorMatrixMulAddNV": "with the usual wrapping rules").
std::vector<Product> products() {
  return {{kF16, kF16, kF16, kF16},
          {kF16, VK_COMPONENT_TYPE_FLOAT_E4M3_NV, VK_COMPONENT_TYPE_FLOAT_E4M3_NV, kF16},
          {kF16, VK_COMPONENT_TYPE_FLOAT_E5M2_NV, VK_COMPONENT_TYPE_FLOAT_E5M2_NV, kF16},
          {kF32, kF32, kF32, kF32},
          {kF32, kS8, kS8, kS32},
          {kS8, kS8, kS8, kS32},
          {kS8, kS8, kU8, kS32},
          {kU8, kU8, kS8, kS32},
          {kU8, kU8, kU8, kS32},
          {kS32, kS8, kS8, kS32},
          {kU32, VK_COMPONENT_TYPE_SINT8_PACKED_NV, kS8, kS32},
          {kU32, VK_COMPONENT_TYPE_UINT8_PACKED_NV, kS8, kS32}};
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceCooperativeVectorProperties(
    VkPhysicalDevice, uint32_t* pPropertyCount, VkCooperativeVectorPropertiesNV* pProperties) {
  return enumerate(products(), pPropertyCount, pProperties,
                   [](const Product& product, VkCooperativeVectorPropertiesNV& p) {
                     p.inputType = product.input;
                     p.inputInterpretation = product.interpretation;
                     p.matrixInterpretation = product.matrix;
                     p.biasInterpretation = p.resultType = product.sum;
                     p.transpose = VK_TRUE;
                   });
}

}  // namespace etzel::icd
