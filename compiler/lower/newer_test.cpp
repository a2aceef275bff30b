// Instructions that the assembler of Debian 12 does not know, written as numbers.
#include <cmath>

#include "compiler/lower/test_kernel.h"

namespace etzel::lower {
namespace {

using test::Words;

Words values() {
  Words in{};
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    for (uint32_t n = 0; n < 16; ++n) in[l][n] = (l * 37 + n * 11) & 15;
  return in;
}

TEST(LongVectors, AreMovedBetweenLanesInParts) {
  const std::string head = "OpCapability !5425\nOpCapability GroupNonUniformShuffle\n";
  std::string body = "%v = OpCompositeConstruct %v11";
  for (int i = 0; i < 11; ++i) body += " %u" + std::to_string(i);
  body += "\n%s = OpGroupNonUniformShuffleXor %v11 %c3 %v %c1\n%w = OpIAdd %v11 %s %v\n";
  for (int i = 0; i < 11; ++i) {
    const std::string n = std::to_string(i);
    body += "%e" + n + " = OpCompositeExtract %u32 %w " + n + "\nOUT(" + n + ", %e" + n + ")\n";
  }
  const Words in = values(), out = test::run(body, in, head, "!0x000414A8 %v11 %u32 %c11\n");
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    for (uint32_t n = 0; n < 11; ++n) EXPECT_EQ(out[l][n], in[l][n] + in[l ^ 1][n]) << l << " " << n;
}

TEST(LongVectors, OfNoComponentsAreRefused) {
  for (const char* count : {"%c0", "%u32"}) {
    std::vector<uint32_t> words;
    const std::string text =
        test::moduleText("", "OpCapability !5425\n", std::string("!0x000414A8 %v %u32 ") + count + "\n", "");
    ASSERT_TRUE(spvtools::SpirvTools(SPV_ENV_VULKAN_1_1).Assemble(text, &words));
    compiler::ShaderSource source;
    source.spirv = words;
    EXPECT_FALSE(compiler::compileProgram(source).ok());
  }
}

TEST(ReplicatedComposites, RepeatTheirPart) {
  const Words in = values();
  const Words out =
      test::run("!0x0004116F %v3u %v %u1\n%s = OpIAdd %v3u %v %fives\n%e = OpCompositeExtract %u32 %s 2\nOUT(0, %e)",
                in, "OpCapability !6024\n", "!0x0004116D %v3u %fives %c5\n");
  for (uint32_t l = 0; l < kWarpLanes; ++l) EXPECT_EQ(out[l][0], in[l][1] + 5);
}

TEST(ReplicatedComposites, OfTooManyComponentsAreRefused) {
  std::vector<uint32_t> words;
  const std::string text =
      test::moduleText("OpNop\n!0x0004116F %many %v %c1\n", "OpCapability !6024\n",
                       "%million = OpConstant %u32 1000000\n%many = OpTypeArray %u32 %million\n", "");
  ASSERT_TRUE(spvtools::SpirvTools(SPV_ENV_VULKAN_1_1).Assemble(text, &words));
  compiler::ShaderSource source;
  source.spirv = words;
  EXPECT_FALSE(compiler::compileProgram(source).ok());
}

TEST(FusedMultiplyAdd, RoundsOnce) {
  Words in{};
  for (uint32_t l = 0; l < kWarpLanes; ++l) in[l][0] = test::bits(1 + std::ldexp(float(l + 1), -14));
  const Words out = test::run("!0x0006114B %f32 %r %f0 %f0 %minus\n%b = OpBitcast %u32 %r\nOUT(0, %b)", in,
                              "OpCapability !6030\n", "%minus = OpConstant %f32 -1\n");
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float x = test::number(in[l][0]);
    EXPECT_EQ(test::number(out[l][0]), std::fma(x, x, -1.0f));
  }
}

/// Rows are lanes: integers of 8 bits with their signs, sums of 32.
TEST(CooperativeMatrices, MultiplyRowsOfLanes) {
  const std::string types =
      "%i8 = OpTypeInt 8 1\n!0x00071168 %matA %i8 %c3 %c8 %c8 %c0\n!0x00071168 %matB %i8 %c3 %c8 %c8 %c1\n"
      "!0x00071168 %matC %i32 %c3 %c8 %c8 %c2\n%minus = OpConstant %i8 -3\n%two = OpConstant %i8 2\n";
  const std::string body =
      "%a = OpCompositeConstruct %matA %minus\n%b = OpCompositeConstruct %matB %two\n%c = OpCompositeConstruct %matC "
      "%i0\n"
      "OpNop\n!0x0007116B %matC %r %a %b %c 7\n%e = OpCompositeExtract %i32 %r 5\n%u = OpBitcast %u32 %e\nOUT(0, %u)\n"
      "OpNop\n!0x0004116C %u32 %n %matA\nOUT(1, %n)";
  const Words in = values(), out = test::run(body, in, "OpCapability !6022\nOpCapability Int8\n", types);
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    EXPECT_EQ(static_cast<int32_t>(out[l][0]), 8 * -6 + static_cast<int32_t>(in[l][0]));
    EXPECT_EQ(out[l][1], 8u);
  }
}

}  // namespace
}  // namespace etzel::lower
