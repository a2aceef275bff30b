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

}  // namespace
}  // namespace etzel::icd
