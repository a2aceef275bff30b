// What spirv-val is asked: everything, always. No text in a module has a say in it, what it refuses too widely is
// accepted, and nothing beside that is.
#include <gtest/gtest.h>

#include <cstring>
#include <spirv-tools/libspirv.hpp>
#include <string>

#include "compiler/compiler.h"
#include "compiler/spirv/module.h"
#include "compiler/spirv/sized_uniforms.h"
#include "compiler/spirv/understate.h"

namespace etzel::spirv {
namespace {

std::vector<uint32_t> assemble(const std::string& text) {
  std::vector<uint32_t> words;
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_3);
  tools.SetMessageConsumer([](spv_message_level_t, const char*, const spv_position_t& p, const char* message) {
    ADD_FAILURE() << p.line << ": " << message;
  });
  EXPECT_TRUE(tools.Assemble(text, &words)) << text;
  return words;
}

/// A compute shader: `head` before the memory model, `annotations`, `types`, and the entry point's `body`.
std::string compute(const std::string& body, const std::string& types = "", const std::string& head = "",
                    const std::string& annotations = "") {
  return "OpCapability Shader\n" + head +
         "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
         "OpExecutionMode %main LocalSize 1 1 1\n" +
         annotations + "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n" + types +
         "%main = OpFunction %void None %fn\n%entry = OpLabel\n" + body + "OpReturn\nOpFunctionEnd\n";
}

bool valid(const std::vector<uint32_t>& words) { return validate(words).ok(); }

/// A struct in itself: what crashes a compiler that nobody validated for.
const char* const kEndless = "%u32 = OpTypeInt 32 0\n%endless = OpTypeStruct %u32 %endless\n";

TEST(Validate, NamesInAModuleExcuseNothing) {
  for (const char* name : {"VUID-StandaloneSpirv-Component-04924", "VUID-StandaloneSpirv-Offset-04663",
                           "VUID-StandaloneSpirv-Base-04781"}) {
    std::vector<uint32_t> words = assemble(compute("", kEndless));
    std::vector<uint32_t> import = {0, words[3]++};  // OpExtInstImport behind the capability
    import.resize(2 + std::strlen(name) / 4 + 1);
    std::memcpy(&import[2], name, std::strlen(name));
    import[0] = uint32_t(import.size()) << 16 | 11;
    words.insert(words.begin() + 7, import.begin(), import.end());
    EXPECT_FALSE(valid(words)) << name;
    compiler::ShaderSource source;
    source.spirv = words;
    EXPECT_FALSE(compiler::compileProgram(source).ok()) << name;
  }
}

TEST(Validate, NewerCapabilitiesExcuseNothing) {
  for (const char* number : {"5425", "6022", "6024", "6030"}) {
    const std::string head = std::string("OpCapability !") + number + "\n";
    EXPECT_TRUE(valid(assemble(compute("", "", head)))) << number;
    EXPECT_FALSE(valid(assemble(compute("", kEndless, head)))) << number;
    EXPECT_FALSE(valid(assemble(compute("%sum = OpFAdd %f32 %one %two\n",
                                        "%f32 = OpTypeFloat 32\n%u32 = OpTypeInt 32 0\n"
                                        "%one = OpConstant %f32 1\n%two = OpConstant %u32 2\n",
                                        head))))
        << number;
  }
}

TEST(Validate, QuadsVote) {
  const std::string types =
      "%bool = OpTypeBool\n%true = OpConstantTrue %bool\n%u32 = OpTypeInt 32 0\n%c = OpConstant %u32 1\n";
  const std::string head = "OpCapability !5087\n";
  const auto withMode = [&](const std::string& body, const char* mode) {
    std::string text = compute(body, types, head);
    return assemble(text.insert(text.find("%void"), std::string("OpExecutionMode %main !") + mode + "\n"));
  };
  EXPECT_TRUE(valid(withMode("OpNop\n!0x000413F6 %bool %all %true\n!0x000413F7 %bool %any %true\n", "5088")));
  EXPECT_FALSE(valid(withMode("OpNop\n!0x000413F6 %bool %all %c\n", "5088")));
  EXPECT_FALSE(valid(withMode("OpNop\n!0x000413F6 %u32 %all %true\n", "5088")));
  EXPECT_FALSE(valid(withMode("", "5089")));  // RequireFullQuadsKHR of a compute shader
}

TEST(Validate, Bfloat16IsConvertedAndMultiplied) {
  const std::string head = "OpCapability Int16\nOpCapability !5116\n", dots = head + "OpCapability !5117\n";
  const std::string types =
      "%f32 = OpTypeFloat 32\n%one = OpConstant %f32 1\n%u16 = OpTypeInt 16 0\n%s = OpConstant %u16 3\n"
      "!0x00040016 %bf 16 0\n%v2 = OpTypeVector %bf 2\n";
  const std::string make = "%b = OpFConvert %bf %one\n", pair = make + "%v = OpCompositeConstruct %v2 %b %b\n";
  EXPECT_TRUE(valid(assemble(compute(make + "%f = OpFConvert %f32 %b\n%i = OpConvertFToU %u16 %b\n", types, head))));
  EXPECT_TRUE(valid(assemble(compute(pair + "%d = OpDot %bf %v %v\n", types, dots))));
  EXPECT_TRUE(valid(assemble(compute(make + "%h = OpFConvert %f16 %b\n", types + "%f16 = OpTypeFloat 16\n",
                                     "OpCapability StorageBuffer16BitAccess\n" + head))));
  EXPECT_FALSE(valid(assemble(compute(pair + "%d = OpDot %bf %v %v\n", types, head))));
  EXPECT_FALSE(valid(assemble(compute(pair + "%d = OpDot %bf %b %b\n", types, dots))));
  EXPECT_FALSE(valid(assemble(compute(make + "%d = OpFAdd %bf %b %b\n", types, head))));
  EXPECT_FALSE(valid(assemble(compute(make + "%d = OpIAdd %bf %b %b\n", types, head))));
  EXPECT_FALSE(valid(assemble(compute(make + "%d = OpUConvert %bf %s\n", types, head))));
  EXPECT_FALSE(valid(assemble(compute(pair + "%d = OpFConvert %f32 %v\n", types, head))));
  EXPECT_FALSE(valid(assemble(compute("", types + "!0x00040016 %other 16 7\n", head))));
  EXPECT_FALSE(
      valid(assemble(compute("", types + "%in = OpTypePointer Input %v2\n%variable = OpVariable %in Input\n", head))));
}

TEST(Validate, MatricesOfBfloat16AreConvertedOnly) {
  const std::string head = "OpCapability !5118\n";
  const std::string types =
      "%f32 = OpTypeFloat 32\n%u32 = OpTypeInt 32 0\n%one = OpConstant %f32 1\n%c2 = OpConstant %u32 2\n"
      "%c3 = OpConstant %u32 3\n%c8 = OpConstant %u32 8\n!0x00040016 %bf 16 0\n"
      "!0x00071168 %brains %bf %c3 %c8 %c8 %c2\n!0x00071168 %floats %f32 %c3 %c8 %c8 %c2\n"
      "!0x00071168 %words %u32 %c3 %c8 %c8 %c2\n";
  const std::string make = "%m = OpCompositeConstruct %floats %one\n%b = OpFConvert %brains %m\n";
  EXPECT_TRUE(
      valid(assemble(compute(make + "%f = OpFConvert %floats %b\n%i = OpConvertFToU %words %b\n", types, head))));
  EXPECT_TRUE(valid(assemble(compute(make + "OpNop\n!0x0006116B %floats %r %b %b %m\n", types, head))));
  for (const char* wrong : {"%r = OpFAdd %brains %b %b\n", "%r = OpFNegate %brains %b\n", "%r = OpIAdd %brains %b %b\n",
                            "%r = OpFConvert %f32 %b\n", "%r = OpFConvert %brains %one\n", "%r = OpDot %bf %b %b\n",
                            "%r = OpConvertFToU %floats %b\n"})
    EXPECT_FALSE(valid(assemble(compute(make + wrong, types, head)))) << wrong;
  EXPECT_FALSE(valid(assemble(compute(make + "%r = OpDot %bf %b %b\n", types, head + "OpCapability !5117\n"))));
  EXPECT_FALSE(valid(assemble(compute("", types, "OpCapability !5116\nOpCapability !6022\n"))));
}

TEST(Validate, FloatsOf8BitsAreConvertedOnly) {
  const std::string head = "OpCapability !4212\n";
  const std::string types =
      "%f32 = OpTypeFloat 32\n%one = OpConstant %f32 1\n%u32 = OpTypeInt 32 0\n%u8 = OpTypeInt 8 0\n"
      "!0x00040016 %e4m3 8 4214\n!0x00040016 %e5m2 8 4215\n%v4 = OpTypeVector %e4m3 4\n"
      "!0x0004002B %e5m2 %half 0x38\n%three = OpConstant %u32 3\n";
  const std::string make = "%b = OpFConvert %e4m3 %one\n%v = OpCompositeConstruct %v4 %b %b %b %b\n";
  for (const char* right :
       {"%f = OpFConvert %f32 %b\n%i = OpConvertFToU %u8 %b\n", "%o = OpFConvert %e5m2 %b\n",
        "%w = OpBitcast %u32 %v\n", "%x = OpCompositeExtract %e4m3 %v 2\n", "%o = OpConvertUToF %e4m3 %three\n"})
    EXPECT_TRUE(valid(assemble(compute(make + right, types, head)))) << right;
  for (const char* wrong : {"%r = OpFAdd %e4m3 %b %b\n", "%r = OpIAdd %e4m3 %b %b\n", "%r = OpFNegate %e4m3 %b\n",
                            "%r = OpUConvert %e4m3 %half\n", "%r = OpFConvert %f32 %v\n", "%r = OpDot %e4m3 %v %v\n",
                            "%r = OpFConvert %e4m3 %b\n", "%r = OpCopyObject %e4m3 %half\n"})
    EXPECT_FALSE(valid(assemble(compute(make + wrong, types, head)))) << wrong;
  EXPECT_FALSE(valid(assemble(compute(make + "%d = OpDot %e4m3 %v %v\n", types, head + "OpCapability !5117\n"))));
  EXPECT_FALSE(valid(assemble(compute("", types, "OpCapability !5116\n"))));  // another encoding's
  EXPECT_FALSE(valid(assemble(compute("", types + "!0x00040016 %other 16 4214\n", head))));
  EXPECT_FALSE(
      valid(assemble(compute("", types + "%in = OpTypePointer Input %v4\n%variable = OpVariable %in Input\n", head))));
}

TEST(Validate, OnlyConversionsToFloatsOf8BitsSaturate) {
  const std::string types =
      "%f32 = OpTypeFloat 32\n%one = OpConstant %f32 1\n%u32 = OpTypeInt 32 0\n%three = OpConstant %u32 3\n"
      "!0x00040016 %e5m2 8 4215\n";
  const std::string body =
      "%a = OpFConvert %e5m2 %one\n%b = OpConvertUToF %e5m2 %three\n%c = OpFConvert %f32 %a\n"
      "%d = OpCopyObject %e5m2 %a\n";
  const auto saturates = [&](const std::string& decorations) {
    return valid(assemble(compute(body, types, "OpCapability !4212\n", decorations)));
  };
  EXPECT_TRUE(saturates("OpDecorate %a !4216\nOpDecorate %b !4216\n"));
  EXPECT_TRUE(saturates("OpDecorate %group !4216\n%group = OpDecorationGroup\nOpGroupDecorate %group %a %b\n"));
  for (const char* wrong : {"%c", "%d", "%one", "%main"})
    EXPECT_FALSE(saturates("OpDecorate " + std::string(wrong) + " !4216\n")) << wrong;
  EXPECT_FALSE(saturates("OpDecorate %a !4216 !1\n"));
}

TEST(Validate, MatricesOfFloatsOf8BitsNeedTheirCapability) {
  const std::string types =
      "%f32 = OpTypeFloat 32\n%u32 = OpTypeInt 32 0\n%one = OpConstant %f32 1\n%c2 = OpConstant %u32 2\n"
      "%c3 = OpConstant %u32 3\n%c8 = OpConstant %u32 8\n!0x00040016 %e4m3 8 4214\n"
      "!0x00071168 %smalls %e4m3 %c3 %c8 %c8 %c2\n!0x00071168 %floats %f32 %c3 %c8 %c8 %c2\n";
  const std::string make = "%m = OpCompositeConstruct %floats %one\n%b = OpFConvert %smalls %m\n";
  const std::string head = "OpCapability !4213\n";
  EXPECT_TRUE(valid(assemble(compute(make + "%f = OpFConvert %floats %b\n", types, head))));
  EXPECT_TRUE(valid(assemble(compute(make, types, head, "OpDecorate %b !4216\n"))));
  EXPECT_FALSE(valid(assemble(compute(make + "%r = OpFAdd %smalls %b %b\n", types, head))));
  EXPECT_FALSE(valid(assemble(compute("", types, "OpCapability !4212\nOpCapability !6022\n"))));
}

TEST(Validate, NewerInstructionsAreReadAsOlderOnes) {
  const std::string types =
      "%f32 = OpTypeFloat 32\n%u32 = OpTypeInt 32 0\n%c9 = OpConstant %u32 9\n%one = OpConstant %f32 1\n"
      "!0x000414A8 %v9 %f32 %c9\n%v4 = OpTypeVector %f32 4\n!0x0004116D %v9 %ones %one\n"
      "%a4 = OpConstantComposite %v4 %one %one %one %one\n%pair = OpTypeStruct %v9 %v4\n";
  const std::string head = "OpCapability !5425\nOpCapability !6024\nOpCapability !6030\n";
  const std::string good =
      "%sum = OpFAdd %v9 %ones %ones\n!0x0006114B %v9 %product %sum %ones %ones\n"
      "%p = OpCompositeConstruct %pair %product %a4\n%last = OpCompositeExtract %f32 %p 0 8\n"
      "%short = OpVectorShuffle %v4 %product %a4 8 7 9 10\n%t = OpFAdd %v4 %short %a4\n"
      "!0x0004116F %v4 %four %last\n";
  EXPECT_TRUE(valid(assemble(compute(good, types, head))));
  for (const char* wrong :
       {"!0x0006114B %v9 %product %ones %ones %c9\n", "!0x0006114B %v9 %product %ones %ones %nothing\n",
        "!0x0004116F %v4 %four %c9\n", "%sum = OpIAdd %v9 %ones %ones\n", "%sum = OpFAdd %f32 %ones %ones\n"})
    EXPECT_FALSE(valid(assemble(compute(wrong, types, head)))) << wrong;
}

TEST(Validate, OrdinaryVectorsMayBeLongWhereLongOnesAre) {
  const std::string types = "%f32 = OpTypeFloat 32\n%one = OpConstant %f32 1\n%v1 = OpTypeVector %f32 1\n";
  const std::string body = "%a = OpCompositeConstruct %v1 %one\n%b = OpFAdd %v1 %a %a\n";
  EXPECT_TRUE(valid(assemble(compute(body, types, "OpCapability !5425\n"))));
  EXPECT_FALSE(valid(assemble(compute(body, types))));
}

TEST(Validate, ComputeDerivativesHaveTwoNames) {
  const std::string types = "%f32 = OpTypeFloat 32\n%one = OpConstant %f32 1\n";
  for (const char* author : {"KHR", "NV"}) {
    const std::string head =
        std::string("OpCapability !5350\nOpExtension \"SPV_") + author + "_compute_shader_derivatives\"\n";
    EXPECT_TRUE(valid(assemble(compute("", types, head)))) << author;
    EXPECT_FALSE(valid(assemble(compute("", kEndless, head)))) << author;
  }
}

TEST(Validate, PartitionsHaveTwoNames) {
  const std::string types = "%f32 = OpTypeFloat 32\n%one = OpConstant %f32 1\n";
  for (const char* author : {"EXT", "NV", "ARM"}) {
    const std::string head = std::string("OpCapability GroupNonUniformPartitionedNV\nOpExtension \"SPV_") + author +
                             "_shader_subgroup_partitioned\"\n";
    EXPECT_EQ(valid(assemble(compute("", types, head))), std::string_view(author) != "ARM") << author;
  }
}

TEST(Validate, TypesThatContainThemselvesAreRefusedByTheParserToo) {
  for (const char* types :
       {kEndless, "%u32 = OpTypeInt 32 0\n%c2 = OpConstant %u32 2\n%endless = OpTypeArray %endless %c2\n",
        "%endless = OpTypeRuntimeArray %endless\n"}) {
    const std::vector<uint32_t> words = assemble(compute("", types));
    compiler::ShaderSource source;
    source.spirv = words;
    source.validate = false;
    const auto program = compiler::compileProgram(source);
    ASSERT_FALSE(program.ok()) << types;
    EXPECT_NE(program.error().message.find("does not come before it"), std::string::npos) << program.error().message;
  }
}

const char* const kWide =
    "%u32 = OpTypeInt 32 0\n%u64 = OpTypeInt 64 0\n%c3 = OpConstant %u32 3\n%wide = OpConstant %u64 77\n";
const char* const kWideHead = "OpCapability Int64\n";

TEST(Validate, BitFieldsOfAnyWidthAreValid) {
  for (const char* body :
       {"%r = OpBitFieldInsert %u64 %wide %wide %c3 %c3\n", "%r = OpBitFieldUExtract %u64 %wide %c3 %c3\n",
        "%r = OpBitFieldSExtract %u64 %wide %c3 %c3\n", "%r = OpBitReverse %u64 %wide\n",
        "%r = OpBitCount %u64 %wide\n", "%r = OpBitCount %u32 %wide\n"}) {
    const std::vector<uint32_t> words = assemble(compute(body, kWide, kWideHead));
    const auto result = validate(words);
    EXPECT_TRUE(result.ok()) << body << result.error().message;
    // The rest of the module is looked at as well.
    EXPECT_FALSE(valid(assemble(compute(body, std::string(kWide) + "%endless = OpTypeStruct %endless\n", kWideHead))));
    EXPECT_FALSE(valid(assemble(compute(std::string(body) + "%x = OpIAdd %u32 %wide %c3\n", kWide, kWideHead))));
  }
}

TEST(Validate, BitFieldsStillNeedIntegersThatExist) {
  const std::string types = std::string(kWide) + "%f32 = OpTypeFloat 32\n%f = OpConstant %f32 1\n";
  EXPECT_FALSE(valid(assemble(compute("%r = OpBitFieldUExtract %u64 %wide %f %c3\n", types, kWideHead))));
  EXPECT_FALSE(valid(assemble(
      compute("%r = OpBitFieldUExtract %u64 %wide %later %c3\n%later = OpIAdd %u32 %c3 %c3\n", types, kWideHead))));
  EXPECT_FALSE(valid(assemble(compute("%r = OpBitFieldInsert %u64 %wide %c3 %c3 %c3\n", types, kWideHead))));
  EXPECT_FALSE(valid(assemble(compute("%r = OpBitReverse %u32 %wide\n", types, kWideHead))));
}

/// Samples a 2D texture with an offset that is `offset`.
std::string sampling(const std::string& offsetType, const std::string& more = "") {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
         "OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %texture DescriptorSet 0\nOpDecorate %texture Binding 0\n"
         "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%f32 = OpTypeFloat 32\n%i32 = OpTypeInt 32 1\n"
         "%v2f = OpTypeVector %f32 2\n%v4f = OpTypeVector %f32 4\n%v2i = OpTypeVector %i32 2\n"
         "%v3i = OpTypeVector %i32 3\n%zero = OpConstant %f32 0\n%at = OpConstantComposite %v2f %zero %zero\n"
         "%v2 = OpConstantNull %v2i\n%v3 = OpConstantNull %v3i\n%f2 = OpConstantNull %v2f\n"
         "%image = OpTypeImage %f32 2D 0 0 0 1 Unknown\n%sampled = OpTypeSampledImage %image\n"
         "%pointer = OpTypePointer UniformConstant %sampled\n%texture = OpVariable %pointer UniformConstant\n" +
         more +
         "%main = OpFunction %void None %fn\n%entry = OpLabel\n%t = OpLoad %sampled %texture\n"
         "%offset = OpCopyObject %" +
         offsetType +
         "\n%texel = OpImageSampleExplicitLod %v4f %t %at Lod|Offset %zero %offset\nOpReturn\nOpFunctionEnd\n";
}

TEST(Validate, OffsetsMayVary) {
  const auto result = validate(assemble(sampling("v2i %v2")));
  EXPECT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(valid(assemble(sampling("v2i %v2", "%endless = OpTypeStruct %endless\n"))));
  EXPECT_FALSE(valid(assemble(sampling("v3i %v3"))));
  EXPECT_FALSE(valid(assemble(sampling("v2f %f2"))));
}

/// A control shader whose input `value` has a Component decoration.
std::string control(const std::string& type, uint32_t component, const std::string& more = "") {
  return "OpCapability Tessellation\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint TessellationControl %main \"main\" %value\nOpExecutionMode %main OutputVertices 3\n"
         "OpDecorate %value Location 0\nOpDecorate %value Component " +
         std::to_string(component) +
         "\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n%f32 = OpTypeFloat 32\n"
         "%v2f = OpTypeVector %f32 2\n%c2 = OpConstant %u32 2\n%c32 = OpConstant %u32 32\n"
         "%inner = OpTypeArray %v2f %c2\n%vertices = OpTypeArray %inner %c32\n%third = OpTypeArray %vertices %c2\n" +
         more + "%pointer = OpTypePointer Input %" + type +
         "\n%value = OpVariable %pointer Input\n%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\n"
         "OpFunctionEnd\n";
}

TEST(Validate, ArraysOfEachVertexHaveComponents) {
  const auto result = validate(assemble(control("vertices", 2)));
  EXPECT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(valid(assemble(control("vertices", 3))));
  EXPECT_FALSE(valid(assemble(control("third", 2))));
  EXPECT_FALSE(valid(assemble(control("vertices", 2, "%endless = OpTypeStruct %endless\n"))));
}

TEST(Validate, ArraysOfEachVertexShareLocationsByComponent) {
  const auto two = [](uint32_t component) {
    std::string text = control("vertices", 0, "%also = OpTypePointer Input %vertices\n");
    const auto insert = [&](const std::string& before, const std::string& what) {
      text.insert(text.find(before), what);
    };
    insert("\nOpExecutionMode", " %other");
    insert("%void", "OpDecorate %other Component " + std::to_string(component) + "\nOpDecorate %other Location 0\n");
    insert("%main = OpFunction", "%other = OpVariable %also Input\n");
    return assemble(text);
  };
  const auto result = validate(two(2));
  EXPECT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(valid(two(0)));
}

/// Stores a word of a uniform buffer that ends in an array without a size, which a storage buffer has as well.
std::string uniformTail(const std::string& body, const std::string& decoration = "Block") {
  const std::string types =
      "%f32 = OpTypeFloat 32\n%tail = OpTypeRuntimeArray %f32\n%block = OpTypeStruct %tail\n"
      "%other = OpTypeStruct %tail\n%pointer = OpTypePointer Uniform %block\n"
      "%pointer2 = OpTypePointer StorageBuffer %other\n%float = OpTypePointer Uniform %f32\n"
      "%float2 = OpTypePointer StorageBuffer %f32\n%in = OpVariable %pointer Uniform\n"
      "%out = OpVariable %pointer2 StorageBuffer\n%i32 = OpTypeInt 32 1\n%u32 = OpTypeInt 32 0\n"
      "%c0 = OpConstant %i32 0\n%c9 = OpConstant %i32 9\n";
  return compute(
      "%from = OpAccessChain %float %in %c0 %c9\n%value = OpLoad %f32 %from\n"
      "%to = OpAccessChain %float2 %out %c0 %c9\nOpStore %to %value\n" +
          body,
      types, "OpExtension \"SPV_KHR_storage_buffer_storage_class\"\n",
      "OpDecorate %tail ArrayStride 16\nOpDecorate %block " + decoration +
          "\nOpDecorate %other Block\nOpMemberDecorate %block 0 Offset 0\n"
          "OpMemberDecorate %other 0 Offset 0\nOpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 0\n"
          "OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 1\n");
}

TEST(Validate, UniformBuffersMayEndInArraysWithoutASize) {
  const auto result = validate(assemble(uniformTail("")));
  EXPECT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(valid(assemble(uniformTail("%n = OpArrayLength %u32 %out 0\n"))));
}

TEST(Validate, ArraysOfUniformBuffersHaveNoLength) {
  EXPECT_FALSE(valid(assemble(uniformTail("%n = OpArrayLength %u32 %in 0\n"))));
  EXPECT_FALSE(valid(assemble(uniformTail("%bad = OpFAdd %f32 %c9 %c9\n"))));
}

TEST(Validate, ArraysWithoutASizeInStorageBuffersStayWhatTheyAre) {
  EXPECT_TRUE(withSizedUniforms(assemble(uniformTail("", "BufferBlock")))->empty());
}

TEST(Validate, SizingTakesAnyWords) {
  const std::vector<uint32_t> words = assemble(uniformTail(""));
  for (size_t n = 0; n < words.size(); ++n) {
    std::vector<uint32_t> bent = words;
    bent[n] ^= 0xffff0000u;
    (void)withSizedUniforms(bent);
    bent[n] = words[n] ^ 1;
    (void)withSizedUniforms(bent);
    (void)withSizedUniforms(std::span(words).first(n));
  }
}

TEST(Validate, OtherModulesAreTakenAsTheyAre) {
  const std::vector<uint32_t> words = assemble(compute("%x = OpIAdd %u32 %c3 %c3\n", kWide, kWideHead));
  EXPECT_TRUE(valid(words));
  EXPECT_TRUE(understate(words)->empty());
  for (size_t n = 0; n < words.size(); ++n) {
    std::vector<uint32_t> bent = words;
    bent[n] ^= 0xffff0000u;
    (void)understate(bent);
    (void)understate(std::span(words).first(n));
  }
}

}  // namespace
}  // namespace etzel::spirv
