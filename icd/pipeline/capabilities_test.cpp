// Which capabilities the compiler knows and the device does not offer, and what applications are told.
#include "icd/pipeline/capabilities.h"

#include <gtest/gtest.h>

#include <spirv/unified1/spirv.hpp11>
#include <string>

#include "icd/pipeline/shader_stage.h"

namespace etzel::icd {
namespace {

using C = spv::Capability;

const char* missing(C c) { return missingFor(static_cast<uint32_t>(c)); }

TEST(CapabilitiesTest, VersionsExtensionsFeaturesAndPropertiesAllowThem) {
  for (C c : {C::Shader,
              C::Geometry,
              C::StorageImageReadWithoutFormat,
              C::DrawParameters,
              C::FragmentMaskAMD,
              C::FragmentBarycentricKHR,
              C::AtomicFloat32AddEXT,
              C::GroupNonUniformQuad,
              C::DenormPreserve,
              C::RoundingModeRTE,
              C::StencilExportEXT,
              C::TransformFeedback,
              C::DemoteToHelperInvocation,
              C::DotProductInput4x8BitPacked,
              C::StorageUniform16,
              C::SubgroupBallotKHR,
              C::SubgroupVoteKHR,
              C::GroupNonUniformPartitionedNV,
              C::GroupNonUniformRotateKHR,
              C::SparseResidency,
              C::ImageReadWriteLodAMD,
              C::FragmentShadingRateKHR,
              C::FragmentFullyCoveredEXT,
              static_cast<C>(6029)})  // FloatControls2
    EXPECT_EQ(missing(c), nullptr) << static_cast<uint32_t>(c);
}

TEST(CapabilitiesTest, WhatIsNotOfferedNamesWhatIsMissing) {
  EXPECT_STREQ(missing(C::AtomicFloat16AddEXT), "shaderBufferFloat16AtomicAdd or shaderSharedFloat16AtomicAdd");
  EXPECT_STREQ(missing(C::AtomicFloat16MinMaxEXT),
               "shaderBufferFloat16AtomicMinMax or shaderSharedFloat16AtomicMinMax");
  EXPECT_NE(missing(C::DenormFlushToZero), nullptr);  // properties say no
  EXPECT_NE(missing(C::RoundingModeRTZ), nullptr);
}

// void main() {} of a compute shader that declares one more capability.
std::vector<uint32_t> emptyCompute(C capability) {
  return {0x07230203, 0x00010000, 0,
          5,          0,          0x00020011,
          1,          0x00020011, static_cast<uint32_t>(capability),  // Shader, it
          0x0003000E, 0,          1,                                  // OpMemoryModel Logical GLSL450
          0x0005000F, 5,          3,
          0x6E69616D, 0,  // OpEntryPoint "main"
          0x00060010, 3,          17,
          1,          1,          1,  // OpExecutionMode LocalSize
          0x00020013, 1,          0x00030021,
          2,          1,          0x00050036,
          1,          3,          0,
          2,  // OpTypeVoid, OpTypeFunction, OpFunction
          0x000200F8, 4,          0x100FD,
          0x10038};  // OpLabel, OpReturn, OpFunctionEnd
}

VkResult compiled(C capability) {
  const std::vector<uint32_t> words = emptyCompute(capability);
  compiler::ShaderSource source;
  source.spirv = words;
  StageResult result;
  return makeKernel(source, nullptr, false, result);
}

TEST(CapabilitiesTest, ModulesThatDeclareWhatIsNotOfferedAreRefused) {
  EXPECT_EQ(compiled(C::Float64), VK_SUCCESS);
  EXPECT_NE(compiled(C::ImageReadWriteLodAMD), VK_SUCCESS);
}

}  // namespace
}  // namespace etzel::icd
