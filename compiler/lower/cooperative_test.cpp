// What modules with cooperative matrices and tensors are refused for. What they compute is tested where the driver is:
// cts-subset/cases/shader/cooperative_matrix.cpp.
#include "compiler/lower/test_kernel.h"

namespace etzel::lower {
namespace {

const char* const kCapabilities =
    "OpCapability !6022\nOpCapability !5430\nOpCapability !5431\nOpCapability !5432\nOpCapability !5433\n"
    "OpCapability !5434\nOpCapability !5439\n";
/// A matrix of 16 by 8 and one that is transposed, a value of the first, and a function of two numbers.
const char* const kTypes =
    "!0x00071168 %tall %f32 %c3 %c16 %c8 %c2\n!0x00071168 %wide %f32 %c3 %c8 %c16 %c2\n%one = OpConstant %f32 1\n";
const char* const kValue = "%m = OpCompositeConstruct %tall %one\nOpNop\n";

/// Whether a module compiles; `instruction` follows kValue.
bool compiles(const std::string& instruction, const std::string& types = "") {
  return test::compiles(test::moduleText(kValue + instruction + "\n", kCapabilities, kTypes + types, ""));
}

TEST(CooperativeMatrixSizes, AreMultiplesOf8UpTo256) {
  const auto isGood = [](const char* rows, const char* columns, const char* scope) {
    return compiles("", std::string("%c256 = OpConstant %u32 256\n%c264 = OpConstant %u32 264\n!0x00071168 %x %f32 ") +
                            scope + " " + rows + " " + columns + " %c2\n");
  };
  EXPECT_TRUE(isGood("%c24", "%c256", "%c3"));
  EXPECT_TRUE(isGood("%c8", "%c16", "%c2"));  // a workgroup's
  EXPECT_FALSE(isGood("%c12", "%c8", "%c3"));
  EXPECT_FALSE(isGood("%c8", "%c264", "%c3"));
  EXPECT_FALSE(isGood("%c8", "%c0", "%c3"));
  EXPECT_FALSE(isGood("%c8", "%c8", "%c1"));  // the device's
}

/// spirv-val sees the same type instead of both.
TEST(CooperativeMatrixSizes, TellFunctionsApart) {
  EXPECT_TRUE(compiles("", "%fnTall = OpTypeFunction %tall %tall\n%fnWide = OpTypeFunction %wide %wide\n"));
}

TEST(TensorViewTypes, NeedAPermutation) {
  EXPECT_TRUE(compiles("", "!0x000614FB %v %c2 %false %c1 %c0\n"));
  EXPECT_FALSE(compiles("", "!0x000614FB %v %c2 %false %c1 %c1\n"));
  EXPECT_FALSE(compiles("", "!0x000614FB %v %c2 %false %c1 %c2\n"));
  EXPECT_FALSE(compiles("", "!0x000514FB %v %c2 %false %c1\n"));
}

TEST(TensorLayoutTypes, HaveOneToFiveDimensionsAndAKnownClampMode) {
  EXPECT_TRUE(compiles("", "!0x000414FA %t %c5 %c4\n"));
  EXPECT_FALSE(compiles("", "!0x000414FA %t %c6 %c0\n"));
  EXPECT_FALSE(compiles("", "!0x000414FA %t %c0 %c0\n"));
  EXPECT_FALSE(compiles("", "!0x000414FA %t %c2 %c5\n"));
}

TEST(CooperativeMatrixTranspositions, SwapRowsAndColumns) {
  EXPECT_TRUE(compiles("!0x0004150E %wide %r %m"));
  EXPECT_FALSE(compiles("!0x0004150E %tall %r %m"));
  EXPECT_FALSE(compiles("!0x0004150E %wide %r %one"));
}

TEST(CooperativeMatrixFunctions, MustFit) {
  // The entry point takes no elements, and cannot be called besides.
  EXPECT_FALSE(compiles("!0x000614F6 %tall %r %m 1 %main"));   // reduced
  EXPECT_FALSE(compiles("!0x000514F9 %tall %r %m %main"));     // element by element
  EXPECT_FALSE(compiles("!0x000514F9 %tall %r %m %missing"));  // no function at all
}

TEST(TensorAccesses, NeedALayoutAndAllOperands) {
  const std::string types = "!0x000414FA %t %c2 %c0\n";
  const std::string layout = "!0x000314FC %t %l\n%p = OpAccessChain %outPtr %in %c0 %c0\nOpNop\n";
  EXPECT_TRUE(compiles(layout + "!0x000814F7 %tall %r %p %m %l 0 0", types));
  EXPECT_FALSE(compiles(layout + "!0x000814F7 %tall %r %p %m %one 0 0", types));  // no layout
  EXPECT_FALSE(compiles(layout + "!0x000814F7 %tall %r %p %m %l 0 1", types));    // no view
  EXPECT_FALSE(compiles(layout + "!0x000814F7 %tall %r %p %m %l 0 8", types));    // nobody knows
  EXPECT_FALSE(compiles(layout + "!0x000814F7 %wide %r %p %m %l 0 0", types));    // another size is kept
}

/// bfloat16 is an integer of 16 bits underneath, but multiplied with floats.
TEST(CooperativeMatrixProducts, OfBfloat16AreOfFloats) {
  const std::string head = std::string(kCapabilities) + "OpCapability !5118\n";
  const std::string types =
      "!0x00040016 %bf 16 0\n!0x00071168 %a %bf %c3 %c8 %c16 %c0\n!0x00071168 %b %bf %c3 %c16 %c8 %c1\n"
      "!0x00071168 %brains %bf %c3 %c8 %c8 %c2\n!0x00071168 %floats %f32 %c3 %c8 %c8 %c2\n"
      "!0x00071168 %integers %u32 %c3 %c8 %c8 %c2\n!0x00071168 %counts %u32 %c3 %c16 %c8 %c1\n%one = OpConstant %f32 "
      "1\n";
  const auto multiplies = [&](const std::string& sum, const std::string& right, const std::string& part) {
    const std::string body = "%x = OpFConvert %bf %one\n%ma = OpCompositeConstruct %a %x\n%mb = OpCompositeConstruct " +
                             right + (right == "%b" ? " %x" : " %c1") + "\n%mc = OpCompositeConstruct " + sum + " " +
                             part + "\nOpNop\n!0x0006116B " + sum + " %r %ma %mb %mc\n";
    return test::compiles(test::moduleText(body, head, types, ""));
  };
  EXPECT_TRUE(multiplies("%floats", "%b", "%one"));
  EXPECT_TRUE(multiplies("%brains", "%b", "%x"));
  EXPECT_FALSE(multiplies("%integers", "%b", "%c1"));
  EXPECT_FALSE(multiplies("%floats", "%counts", "%one"));
}

/// Floats of 8 bits are integers of 8 bits underneath, but their products have sums of floats; of two formats they may
/// be factors of each other.
TEST(CooperativeMatrixProducts, OfFloatsOf8BitsAreOfFloats) {
  const std::string head = std::string(kCapabilities) + "OpCapability !4213\nOpCapability Int8\n";
  const std::string types =
      "%u8 = OpTypeInt 8 0\n!0x00040016 %e4m3 8 4214\n!0x00040016 %e5m2 8 4215\n%one = OpConstant %f32 1\n"
      "%byte = OpConstant %u8 1\n!0x0004002B %e4m3 %x 0x38\n!0x0004002B %e5m2 %y 0x3c\n"
      "!0x00071168 %a %e4m3 %c3 %c8 %c16 %c0\n!0x00071168 %b %e5m2 %c3 %c16 %c8 %c1\n"
      "!0x00071168 %bytes %u8 %c3 %c16 %c8 %c1\n!0x00071168 %smalls %e4m3 %c3 %c8 %c8 %c2\n"
      "!0x00071168 %floats %f32 %c3 %c8 %c8 %c2\n!0x00071168 %integers %u32 %c3 %c8 %c8 %c2\n";
  const auto multiplies = [&](const std::string& sum, const std::string& part, const std::string& right,
                              const std::string& of) {
    const std::string body = "%ma = OpCompositeConstruct %a %x\n%mb = OpCompositeConstruct " + right + " " + of +
                             "\n%mc = OpCompositeConstruct " + sum + " " + part + "\nOpNop\n!0x0006116B " + sum +
                             " %r %ma %mb %mc\n";
    return test::compiles(test::moduleText(body, head, types, ""));
  };
  EXPECT_TRUE(multiplies("%floats", "%one", "%b", "%y"));
  EXPECT_TRUE(multiplies("%smalls", "%x", "%b", "%y"));
  EXPECT_FALSE(multiplies("%integers", "%c1", "%b", "%y"));
  EXPECT_FALSE(multiplies("%floats", "%one", "%bytes", "%byte"));
}

}  // namespace
}  // namespace etzel::lower
