#include "compiler/spirv/valid_modules.h"

#include <gtest/gtest.h>

#include <spirv-tools/libspirv.hpp>
#include <string>

#include "compiler/spirv/module.h"

namespace etzel::spirv {
namespace {

TEST(ValidModules, AreKnownByEveryWord) {
  ValidModules known;
  const std::vector<uint32_t> module = {1, 2, 3, 4, 5, 6};
  EXPECT_FALSE(known.knows(module));
  known.add(module);
  EXPECT_TRUE(known.knows(module));
  for (size_t i = 0; i < module.size(); ++i) {
    std::vector<uint32_t> other = module;
    other[i] ^= 1u << (i * 5);
    EXPECT_FALSE(known.knows(other)) << i;
  }
  EXPECT_FALSE(known.knows(std::span(module).first(5)));
  EXPECT_FALSE(known.knows({}));
}

TEST(ValidModules, TheOldestGoesAndLargeOnesNeverCome) {
  ValidModules known;
  const auto numbered = [](uint32_t n) { return std::vector<uint32_t>{7, n, 9}; };
  for (uint32_t n = 0; n <= ValidModules::kModules; ++n) known.add(numbered(n));
  EXPECT_FALSE(known.knows(numbered(0)));
  for (uint32_t n = 1; n <= ValidModules::kModules; ++n) EXPECT_TRUE(known.knows(numbered(n))) << n;
  const std::vector<uint32_t> largest(ValidModules::kMostWords), larger(ValidModules::kMostWords + 1);
  known.add(largest), known.add(larger);
  EXPECT_TRUE(known.knows(largest));
  EXPECT_FALSE(known.knows(larger));
}

TEST(ValidModules, HaveWhatWasFoundValidAndNothingElse) {
  static int repetition = 0;  // the memory is the process's
  const std::string name = "valid_modules_test" + std::to_string(repetition++);
  const auto words = [&](const char* last) {
    std::vector<uint32_t> binary;
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_3);
    EXPECT_TRUE(tools.Assemble(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
        "OpEntryPoint GLCompute %main \"" +
            name +
            "\"\nOpExecutionMode %main LocalSize 1 1 1\n"
            "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n" +
            std::string(last) + "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n",
        &binary));
    return binary;
  };
  const std::vector<uint32_t> good = words(""), bad = words("%u32 = OpTypeInt 32 0\n%s = OpTypeStruct %u32 %s\n");
  EXPECT_FALSE(validModules().knows(good));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(validate(good).ok());
    EXPECT_TRUE(validModules().knows(good));
    EXPECT_FALSE(validate(bad).ok());
    EXPECT_FALSE(validModules().knows(bad));
  }
}

}  // namespace
}  // namespace etzel::spirv
