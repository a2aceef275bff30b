// Cooperative matrices (VK_KHR_cooperative_matrix) and bfloat16 (VK_KHR_shader_bfloat16), which Debian 12's headers do
// not know.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

namespace vkbench {

inline constexpr uint32_t kComponentHalf = 0, kComponentFloat = 1, kComponentBrain = 1000141000;  // VkComponentTypeKHR

/// A product of matrices, A of rows x inner and B of inner x columns, that subgroups can make.
struct CooperativeProduct {
  uint32_t rows, columns, inner;
  uint32_t factor, sum;  ///< VkComponentTypeKHR
};

class Gpu;
/// What the device offers of subgroups' products whose factors are of one type and whose sums are of one.
std::vector<CooperativeProduct> cooperativeProducts(const Gpu& gpu);
/// Invocations of a subgroup.
uint32_t subgroupSize(const Gpu& gpu);

/// Finds out which features of cooperative matrices a device has, and enables them.
class MatrixFeatures {
 public:
  /// `extensions`: the device's. Wants what is to be chained behind it.
  MatrixFeatures(VkPhysicalDevice physical, const std::vector<VkExtensionProperties>& extensions, void* next);

  bool floats() const { return matrices_.isOn; }
  bool halves() const { return matrices_.isOn && half_.shaderFloat16; }
  bool brains() const { return matrices_.isOn && brain_.type && brain_.matrices; }
  const std::vector<const char*>& extensions() const { return extensions_; }
  /// The chain for device creation.
  void* chain() const { return chain_; }

 private:
  struct Matrices {  // VkPhysicalDeviceCooperativeMatrixFeaturesKHR
    VkStructureType sType;
    void* pNext;
    VkBool32 isOn, isRobust;
  };
  struct Brain {  // VkPhysicalDeviceShaderBfloat16FeaturesKHR
    VkStructureType sType;
    void* pNext;
    VkBool32 type, dot, matrices;
  };
  Matrices matrices_{VkStructureType(1000506000), nullptr, VK_FALSE, VK_FALSE};
  Brain brain_{VkStructureType(1000141000), nullptr, VK_FALSE, VK_FALSE, VK_FALSE};
  VkPhysicalDeviceShaderFloat16Int8Features half_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
  std::vector<const char*> extensions_;
  void* chain_;
};

}  // namespace vkbench
