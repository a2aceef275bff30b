// Shader binaries (VK_EXT_shader_object) bear the id of the build that wrote them: those of another one, and damaged
// ones, are refused.
#include "gpu.h"
#include "icd/vulkan_newer.h"

#include "add.comp.h"

namespace etzel::driver_test {
namespace {

using CreateShaders = VkResult(VKAPI_PTR*)(VkDevice, uint32_t, const VkShaderCreateInfoEXT*,
                                           const VkAllocationCallbacks*, VkShaderEXT*);
using DestroyShader = void(VKAPI_PTR*)(VkDevice, VkShaderEXT, const VkAllocationCallbacks*);
using GetShaderBinaryData = VkResult(VKAPI_PTR*)(VkDevice, VkShaderEXT, size_t*, void*);

class ShaderBinary : public testing::Test {
 protected:
  /// Takes the binary of what it makes, if `binary` wants it.
  VkResult make(VkShaderCodeTypeEXT type, const void* code, size_t bytes, std::vector<uint8_t>* binary = nullptr) {
    VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = type;
    info.codeSize = bytes, info.pCode = code;
    info.pName = "main";
    info.setLayoutCount = 1, info.pSetLayouts = &gpu_.setLayout;
    const VkPushConstantRange push{VK_SHADER_STAGE_ALL, 0, 12};
    info.pushConstantRangeCount = 1, info.pPushConstantRanges = &push;
    VkShaderEXT shader = VK_NULL_HANDLE;
    const VkResult result = proc<CreateShaders>("vkCreateShadersEXT")(gpu_.device, 1, &info, nullptr, &shader);
    if (result != VK_SUCCESS) return result;
    if (binary) {
      const auto get = proc<GetShaderBinaryData>("vkGetShaderBinaryDataEXT");
      size_t size = 0;
      EXPECT_EQ(get(gpu_.device, shader, &size, nullptr), VK_SUCCESS);
      binary->resize(size);
      EXPECT_EQ(get(gpu_.device, shader, &size, binary->data()), VK_SUCCESS);
    }
    proc<DestroyShader>("vkDestroyShaderEXT")(gpu_.device, shader, nullptr);
    return result;
  }
  VkResult load(const std::vector<uint8_t>& binary) {
    return make(VK_SHADER_CODE_TYPE_BINARY_EXT, binary.data(), binary.size());
  }

 private:
  template <class F>
  F proc(const char* name) {
    return reinterpret_cast<F>(vkGetDeviceProcAddr(gpu_.device, name));
  }
  VkPhysicalDeviceShaderObjectFeaturesEXT objects_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
                                                   nullptr, VK_TRUE};
  Gpu gpu_{&objects_, {"VK_EXT_shader_object"}};
};

TEST_F(ShaderBinary, OfAnotherBuildIsRefused) {
  std::vector<uint8_t> binary;
  VK_OK(make(VK_SHADER_CODE_TYPE_SPIRV_EXT, add_comp, sizeof add_comp, &binary));
  VK_OK(load(binary));
  const VkResult incompatible = VkResult(VK_ERROR_INCOMPATIBLE_SHADER_BINARY_EXT);
  for (size_t i = 0; i < VK_UUID_SIZE; ++i) {  // the build's id comes first
    std::vector<uint8_t> other = binary;
    other[i] ^= 1;
    EXPECT_EQ(load(other), incompatible) << "byte " << i;
  }
  VK_OK(load(binary));
}

TEST_F(ShaderBinary, DamagedOrCutShortIsRefused) {
  std::vector<uint8_t> binary;
  VK_OK(make(VK_SHADER_CODE_TYPE_SPIRV_EXT, add_comp, sizeof add_comp, &binary));
  const VkResult incompatible = VkResult(VK_ERROR_INCOMPATIBLE_SHADER_BINARY_EXT);
  for (size_t i = VK_UUID_SIZE; i < binary.size(); i += 37) {
    std::vector<uint8_t> other = binary;
    other[i] ^= 0x10;
    EXPECT_EQ(load(other), incompatible) << "byte " << i;
  }
  for (const size_t bytes : {size_t{0}, size_t{7}, binary.size() / 2, binary.size() - 4})
    EXPECT_EQ(load({binary.begin(), binary.begin() + ptrdiff_t(bytes)}), incompatible) << bytes;
}

}  // namespace
}  // namespace etzel::driver_test
