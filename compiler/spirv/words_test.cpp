// What is asked of a module's words before anything is known of them.
#include "compiler/spirv/words.h"

#include <gtest/gtest.h>

#include <spirv-tools/libspirv.hpp>
#include <string>
#include <vector>

namespace etzel::spirv {
namespace {

std::vector<uint32_t> moduleThatImports(const std::string& set) {
  std::vector<uint32_t> words;
  const std::string text = "OpCapability Shader\nOpExtension \"SPV_KHR_non_semantic_info\"\n%set = OpExtInstImport \"" +
                           set +
                           "\"\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
                           "OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
                           "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
  EXPECT_TRUE(spvtools::SpirvTools(SPV_ENV_UNIVERSAL_1_3).Assemble(text, &words)) << text;
  return words;
}

TEST(SpirvWords, ImportsAreFoundByTheWholeOfTheirNames) {
  const std::vector<uint32_t> words = moduleThatImports("NonSemantic.DebugBreak");
  EXPECT_TRUE(imports(words, "NonSemantic.DebugBreak"));
  EXPECT_FALSE(imports(words, "NonSemantic.Debug"));
  EXPECT_FALSE(imports(words, "NonSemantic.DebugBreaks"));
  EXPECT_FALSE(imports(words, "NonSemantic.DebugPrintf"));
}

TEST(SpirvWords, ImportsAreFoundInTheOtherByteOrder) {
  std::vector<uint32_t> words = moduleThatImports("NonSemantic.DebugBreak");
  for (uint32_t& w : words) w = __builtin_bswap32(w);
  EXPECT_TRUE(declares(words, spv::Capability::Shader));
  EXPECT_FALSE(declares(words, spv::Capability::Kernel));
  EXPECT_TRUE(imports(words, "NonSemantic.DebugBreak"));
  EXPECT_FALSE(imports(words, "NonSemantic.DebugPrintf"));
}

TEST(SpirvWords, AnyWordsMayBeAskedForImports) {
  const std::vector<uint32_t> words = moduleThatImports("NonSemantic.DebugBreak");
  for (size_t count = 0; count < words.size(); ++count) {
    std::vector<uint32_t> part(words.begin(), words.begin() + long(count));
    imports(part, "NonSemantic.DebugBreak");
    for (uint32_t& w : part) w = __builtin_bswap32(w);
    EXPECT_FALSE(imports(part, "GLSL.std.450")) << count;
  }
}

}  // namespace
}  // namespace etzel::spirv
