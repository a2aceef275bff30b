// A shader object that requires a subgroup size has it, made of SPIR-V and of its own binary.
#include "gpu.h"
#include "icd/vulkan_newer.h"

#include "subgroup.comp.h"

namespace etzel::driver_test {
namespace {

using CreateShaders = VkResult(VKAPI_PTR*)(VkDevice, uint32_t, const VkShaderCreateInfoEXT*,
                                           const VkAllocationCallbacks*, VkShaderEXT*);
using DestroyShader = void(VKAPI_PTR*)(VkDevice, VkShaderEXT, const VkAllocationCallbacks*);
using GetShaderBinaryData = VkResult(VKAPI_PTR*)(VkDevice, VkShaderEXT, size_t*, void*);
using BindShaders = void(VKAPI_PTR*)(VkCommandBuffer, uint32_t, const VkShaderStageFlagBits*, const VkShaderEXT*);

class SubgroupSize : public testing::Test {
 protected:
  template <class F>
  F proc(const char* name) {
    return reinterpret_cast<F>(vkGetDeviceProcAddr(gpu_.device, name));
  }
  /// What `code` stores when it requires subgroups of `size`; takes the shader's binary, if `binary` wants it.
  void expectSize(uint32_t size, VkShaderCodeTypeEXT type, const void* code, size_t bytes,
                  std::vector<uint8_t>* binary) {
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, size};
    VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT, &required};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = type;
    info.codeSize = bytes, info.pCode = code;
    info.pName = "main";
    info.setLayoutCount = 1, info.pSetLayouts = &gpu_.setLayout;
    const VkPushConstantRange push{VK_SHADER_STAGE_ALL, 0, 12};
    info.pushConstantRangeCount = 1, info.pPushConstantRanges = &push;
    VkShaderEXT shader = VK_NULL_HANDLE;
    VK_OK(proc<CreateShaders>("vkCreateShadersEXT")(gpu_.device, 1, &info, nullptr, &shader));
    if (binary) {
      const auto get = proc<GetShaderBinaryData>("vkGetShaderBinaryDataEXT");
      size_t count = 0;
      VK_OK(get(gpu_.device, shader, &count, nullptr));
      binary->resize(count);
      VK_OK(get(gpu_.device, shader, &count, binary->data()));
    }
    const Buffer out = gpu_.makeBuffer(64 * 4);
    gpu_.bindBuffers(&out, &out, out);
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    VK_OK(gpu_.submit([&](VkCommandBuffer commands) {
      proc<BindShaders>("vkCmdBindShadersEXT")(commands, 1, &stage, &shader);
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, gpu_.layout, 0, 1, &gpu_.set, 0, nullptr);
      vkCmdDispatch(commands, 1, 1, 1);
    }));
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out.words[i], size + 100 * (i % size)) << i;
    proc<DestroyShader>("vkDestroyShaderEXT")(gpu_.device, shader, nullptr);
  }

 private:
  VkPhysicalDeviceSubgroupSizeControlFeatures sizes_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
                                                     nullptr, VK_TRUE, VK_FALSE};
  VkPhysicalDeviceShaderObjectFeaturesEXT objects_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
                                                   &sizes_, VK_TRUE};
  Gpu gpu_{&objects_, {"VK_EXT_shader_object"}};
};

TEST_F(SubgroupSize, OfShaderObjectsIsWhatTheyRequire) {
  for (const uint32_t size : {4u, 8u}) {
    std::vector<uint8_t> binary;
    expectSize(size, VK_SHADER_CODE_TYPE_SPIRV_EXT, subgroup_comp, sizeof subgroup_comp, &binary);
    expectSize(size, VK_SHADER_CODE_TYPE_BINARY_EXT, binary.data(), binary.size(), nullptr);
  }
}

}  // namespace
}  // namespace etzel::driver_test
