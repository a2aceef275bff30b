// What every new kernel gets besides its code.
#include <gtest/gtest.h>

#include "icd/pipeline/shader_stage.h"

namespace etzel::icd {
namespace {

// void main() {} of a compute shader.
constexpr uint32_t kEmptyCompute[] = {0x07230203, 0x00010000, 0,       5,          0,  // header
                                      0x00020011, 1,                                   // OpCapability Shader
                                      0x0003000E, 0,          1,                       // OpMemoryModel Logical GLSL450
                                      0x0005000F, 5,          3,       0x6E69616D, 0,  // OpEntryPoint "main"
                                      0x00060010, 3,          17,      1,          1, 1,  // OpExecutionMode LocalSize
                                      0x00020013, 1,                                      // OpTypeVoid
                                      0x00030021, 2,          1,                          // OpTypeFunction
                                      0x00050036, 1,          3,       0,          2,     // OpFunction
                                      0x000200F8, 4,          0x100FD, 0x10038};  // OpLabel, OpReturn, OpFunctionEnd

TEST(ShaderStageTest, NewKernelsAreWatchedForTheNativeTier) {
  compiler::ShaderSource source;
  source.spirv = kEmptyCompute;
  source.entryPoint = "main";
  source.stage = abi::Stage::Compute;
  StageResult result;
  ASSERT_EQ(makeKernel(source, nullptr, false, result), VK_SUCCESS);
  ASSERT_NE(result.kernel, nullptr);
  EXPECT_NE(result.kernel->onHot, nullptr);
  EXPECT_GT(result.kernel->hotWarps, 0u);
}

TEST(ShaderStageTest, TheRequiredSubgroupSizeIsPartOfAKernel) {
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, &required, 0, sizeof kEmptyCompute,
                                      kEmptyCompute};
  stage.stage = VK_SHADER_STAGE_COMPUTE_BIT, stage.pName = "main", stage.pNext = &code;
  KernelKey keys[2];
  for (const uint32_t size : {4u, 8u}) {
    required.requiredSubgroupSize = size;
    StageResult result;
    ASSERT_EQ(makeStage(stage, 0, nullptr, nullptr, result), VK_SUCCESS);
    EXPECT_EQ(result.kernel->info.subgroupSize, size);
    EXPECT_EQ(keyOfStage(stage, 0, nullptr), result.key);
    keys[size / 8] = result.key;
  }
  EXPECT_NE(keys[0], keys[1]);
  EXPECT_EQ(requiredSubgroupSizeOf(nullptr), kWarpLanes);
}

}  // namespace
}  // namespace etzel::icd
