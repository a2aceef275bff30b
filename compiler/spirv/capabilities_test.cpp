#include "compiler/spirv/capabilities.h"

#include <gtest/gtest.h>

namespace etzel::spirv {
namespace {

const char* lacksSparse(uint32_t capability) {
  return capability == static_cast<uint32_t>(spv::Capability::SparseResidency) ? "shaderResourceResidency" : nullptr;
}

TEST(Capabilities, WithoutADeviceWhatLowersIsAllowed) {
  EXPECT_TRUE(checkCapability(spv::Capability::SparseResidency, {}).ok());
  EXPECT_TRUE(checkCapability(spv::Capability::Geometry, {}).ok());
}

TEST(Capabilities, WhatTheDeviceLacksIsRefusedByNameAndReason) {
  compiler::ShaderSource source;
  source.missingFor = lacksSparse;
  EXPECT_TRUE(checkCapability(spv::Capability::Geometry, source).ok());
  const auto refused = checkCapability(spv::Capability::SparseResidency, source);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
  EXPECT_EQ(refused.error().message,
            "SPIR-V capability SparseResidency needs shaderResourceResidency, which the device does not offer");
}

TEST(Capabilities, WhatDoesNotLowerIsRefused) {
  const auto refused = checkCapability(spv::Capability::Kernel, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "SPIR-V capability 6 is not supported");
}

TEST(Capabilities, FamiliarNamesOfOneNumberAreOneCapability) {
  EXPECT_TRUE(checkCapability(spv::Capability::FragmentBarycentricNV, {}).ok());
  EXPECT_TRUE(checkCapability(spv::Capability::StorageUniform16, {}).ok());
}

}  // namespace
}  // namespace etzel::spirv
