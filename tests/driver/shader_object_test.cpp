// What shader objects ask for they have, made of SPIR-V and of their own binaries: the size of subgroups, 64-bit
// indexing.
#include <functional>

#include "gpu.h"
#include "icd/vulkan_newer.h"

#include "far_word.comp.h"
#include "subgroup.comp.h"

namespace etzel::driver_test {
namespace {

using CreateShaders = VkResult(VKAPI_PTR*)(VkDevice, uint32_t, const VkShaderCreateInfoEXT*,
                                           const VkAllocationCallbacks*, VkShaderEXT*);
using DestroyShader = void(VKAPI_PTR*)(VkDevice, VkShaderEXT, const VkAllocationCallbacks*);
using GetShaderBinaryData = VkResult(VKAPI_PTR*)(VkDevice, VkShaderEXT, size_t*, void*);
using BindShaders = void(VKAPI_PTR*)(VkCommandBuffer, uint32_t, const VkShaderStageFlagBits*, const VkShaderEXT*);

/// What a shader is made of.
struct Code {
  VkShaderCodeTypeEXT type;
  const void* data;
  size_t bytes;
};

class ShaderObject : public testing::Test {
 protected:
  template <class F>
  F proc(const char* name) {
    return reinterpret_cast<F>(vkGetDeviceProcAddr(gpu_.device, name));
  }
  using Check = std::function<void(const std::vector<uint32_t>&)>;
  /// `check` gets the 64 words that a compute shader stores, and `binary`, if it is not null, the shader's.
  void run(VkShaderCreateInfoEXT info, const Code& code, std::vector<uint8_t>* binary, const Check& check) {
    info.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT;
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = code.type;
    info.codeSize = code.bytes, info.pCode = code.data;
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
    proc<DestroyShader>("vkDestroyShaderEXT")(gpu_.device, shader, nullptr);
    check({out.words, out.words + 64});
  }
  /// `check` gets what the shader stores, made of SPIR-V and of its binary.
  void runBoth(const VkShaderCreateInfoEXT& info, const void* spirv, size_t bytes, const Check& check) {
    std::vector<uint8_t> binary;
    run(info, {VK_SHADER_CODE_TYPE_SPIRV_EXT, spirv, bytes}, &binary, check);
    run(info, {VK_SHADER_CODE_TYPE_BINARY_EXT, binary.data(), binary.size()}, nullptr, check);
  }

 private:
  VkPhysicalDeviceSubgroupSizeControlFeatures sizes_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
                                                     nullptr, VK_TRUE, VK_FALSE};
  VkPhysicalDeviceShaderObjectFeaturesEXT objects_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
                                                   &sizes_, VK_TRUE};
  VkPhysicalDeviceShader64BitIndexingFeaturesEXT indexing_{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_64_BIT_INDEXING_FEATURES_EXT, &objects_, VK_TRUE};
  Gpu gpu_{&indexing_, {"VK_EXT_shader_object", "VK_EXT_shader_64bit_indexing"}};
};

TEST_F(ShaderObject, HasTheSubgroupSizeThatItRequires) {
  for (const uint32_t size : {4u, 8u}) {
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, size};
    VkShaderCreateInfoEXT info{};
    info.pNext = &required;
    runBoth(info, subgroup_comp, sizeof subgroup_comp, [&](const std::vector<uint32_t>& words) {
      for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(words[i], size + 100 * (i % size)) << i;
    });
  }
}

TEST_F(ShaderObject, HasIndicesOf64BitsWhereItAsksForThem) {
  VkShaderCreateInfoEXT info{};
  info.flags = VK_SHADER_CREATE_64_BIT_INDEXING_BIT_EXT;
  runBoth(info, far_word_comp, sizeof far_word_comp,
          [](const std::vector<uint32_t>& words) { EXPECT_EQ(words, std::vector<uint32_t>(64, 5)); });
}

}  // namespace
}  // namespace etzel::driver_test
