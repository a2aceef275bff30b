// What modules with cooperative vectors are refused for. What they compute is tested where the driver is:
// cts-subset/cases/shader/cooperative_vector_products.cpp.
#include "compiler/lower/test_kernel.h"

namespace etzel::lower {
namespace {

const char* const kCapabilities = "OpCapability !5394\nOpCapability !5435\nOpCapability Int8\n";
/// Vectors of 4 floats, 4 words and 3 words, and pointers to an array.
const char* const kTypes =
    "!0x000414A8 %four %f32 %c4\n!0x000414A8 %fourWords %u32 %c4\n!0x000414A8 %three %u32 %c3\n"
    "%packed = OpConstant %u32 1000491000\n%unknown = OpConstant %u32 77\n"
    "%wordsPtr = OpTypePointer StorageBuffer %words\n";
const char* const kLoads =
    "%a = OpAccessChain %wordsPtr %in %c0\n%r = OpAccessChain %wordsPtr %out %c0\nOpNop\n"
    "!0x000514B6 %four %x %a %c0\n!0x000514B6 %three %w %a %c0\n";

/// Whether a module compiles; `instruction` follows the loads.
bool compiles(const std::string& instruction) {
  return test::compiles(test::moduleText(kLoads + instruction + "\n", kCapabilities, kTypes, ""));
}

TEST(CooperativeVectorAccesses, NeedAnArrayAndAnOffset) {
  EXPECT_TRUE(compiles("!0x000414B7 %r %c16 %x"));
  EXPECT_FALSE(compiles("!0x000314B7 %r %c16"));      // no vector
  EXPECT_FALSE(compiles("!0x000414B7 %r %c16 %c1"));  // a word
  EXPECT_FALSE(compiles("!0x000414B7 %c1 %c16 %x"));  // no pointer
}

TEST(CooperativeVectorProducts, MustFit) {
  // Of vector, as float of 32 bits, matrix, 0, such floats, M, K, rows, not transposed, stride.
  const auto product = [](const char* type, const char* input, const char* as, const char* matrix, const char* m,
                          const char* k) {
    return compiles(std::string("!0x000D14A9 ") + type + " %y " + input + " " + as + " %a %c0 " + matrix + " " + m +
                    " " + k + " %c0 %false %c16");
  };
  EXPECT_TRUE(product("%four", "%x", "%c1", "%c1", "%c4", "%c4"));
  EXPECT_FALSE(product("%four", "%x", "%c1", "%c1", "%c3", "%c4"));           // rows
  EXPECT_FALSE(product("%four", "%x", "%c1", "%c1", "%c4", "%c5"));           // columns
  EXPECT_FALSE(product("%four", "%x", "%c1", "%c1", "%c4", "%c0"));           // none at all
  EXPECT_FALSE(product("%four", "%x", "%c1", "%c3", "%c4", "%c4"));           // integers times floats
  EXPECT_FALSE(product("%fourWords", "%x", "%c1", "%c1", "%c4", "%c4"));      // floats are no integers
  EXPECT_FALSE(product("%four", "%x", "%unknown", "%c1", "%c4", "%c4"));      // nobody knows
  EXPECT_TRUE(product("%fourWords", "%w", "%packed", "%c3", "%c4", "%c12"));  // 3 words of 4
  EXPECT_FALSE(product("%fourWords", "%w", "%packed", "%c3", "%c4", "%c13"));
  EXPECT_FALSE(product("%fourWords", "%x", "%packed", "%c3", "%c4", "%c12"));      // packed into floats
  EXPECT_FALSE(product("%fourWords", "%w", "%packed", "%packed", "%c4", "%c12"));  // a packed matrix
}

/// Their bits are kept as integers, but no integers are to be multiplied.
TEST(CooperativeVectorProducts, AreNotOfVectorsOfOtherFloats) {
  const auto product = [](const char* component, const char* convert) {
    const std::string types =
        std::string(kTypes) +
        "!0x00040016 %e4m3 8 4214\n!0x00040016 %bf 16 0\n%u8 = OpTypeInt 8 0\n!0x000414A8 %small " + component +
        " %c4\n";
    return test::compiles(test::moduleText(kLoads + std::string(convert) +
                                               "OpNop\n!0x000D14A9 %fourWords %y %s %c3 %a %c0 %c3 %c4 %c4 %c0 %false "
                                               "%c16\n",
                                           std::string(kCapabilities) + "OpCapability !4212\nOpCapability !5116\n",
                                           types, ""));
  };
  EXPECT_FALSE(product("%e4m3", "%s = OpFConvert %small %x\n"));
  EXPECT_FALSE(product("%bf", "%s = OpFConvert %small %x\n"));
  EXPECT_TRUE(product("%u8", "%s = OpConvertFToU %small %x\n"));
}

TEST(CooperativeVectorSums, AreOfFloats) {
  EXPECT_TRUE(compiles("!0x000414AB %r %c0 %x"));
  EXPECT_FALSE(compiles("!0x000414AB %r %c0 %w"));
  EXPECT_TRUE(compiles("!0x000714AA %r %c0 %x %x %c3 %c1"));
  EXPECT_FALSE(compiles("!0x000714AA %r %c0 %x %w %c3 %c1"));
  EXPECT_FALSE(compiles("!0x000714AA %r %c0 %x %x %c3 %c9"));  // added to integers
}

}  // namespace
}  // namespace etzel::lower
