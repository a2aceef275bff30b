// Pointers without a type as spirv-val sees them: right uses pass, and each rule that is broken is found.
#include "compiler/spirv/typed.h"

#include <gtest/gtest.h>

#include <spirv-tools/libspirv.hpp>
#include <string>

#include "compiler/spirv/module.h"

namespace etzel::spirv {
namespace {

/// A compute shader with untyped pointers: %a is an untyped variable with a block of words, %typed a typed one.
std::vector<uint32_t> module(const std::string& body, const std::string& types = "", const std::string& head = "",
                             const std::string& annotations = "") {
  const std::string text =
      "OpCapability Shader\nOpCapability !4473\nOpCapability !5414\n" + head +
      "OpExtension \"SPV_KHR_untyped_pointers\"\nOpExtension \"SPV_NV_raw_access_chains\"\n"
      "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %a %typed\n"
      "OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %words ArrayStride 4\nOpDecorate %block Block\n"
      "OpMemberDecorate %block 0 Offset 0\nOpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0\n"
      "OpDecorate %typed DescriptorSet 0\nOpDecorate %typed Binding 1\nOpDecorate %far ArrayStride 8\n" +
      annotations +
      "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%u32 = OpTypeInt 32 0\n"
      "%f32 = OpTypeFloat 32\n%v2 = OpTypeVector %u32 2\n%words = OpTypeRuntimeArray %u32\n%block = OpTypeStruct "
      "%words\n"
      "%blockPtr = OpTypePointer StorageBuffer %block\n%wordPtr = OpTypePointer StorageBuffer %u32\n"
      "%v2Ptr = OpTypePointer StorageBuffer %v2\n%c0 = OpConstant %u32 0\n%c1 = OpConstant %u32 1\n%c8 = OpConstant "
      "%u32 8\n"
      "%fc = OpConstant %f32 0\n%true = OpConstantTrue %bool\n"
      "!0x00031141 %any 12\n!0x00031141 %far 12\n!0x00051142 %any %a 12 %block\n"
      "%typed = OpVariable %blockPtr StorageBuffer\n" +
      types + "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpNop\n" + body + "OpReturn\nOpFunctionEnd\n";
  std::vector<uint32_t> words;
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_5);
  tools.SetMessageConsumer([](spv_message_level_t, const char*, const spv_position_t& p, const char* message) {
    ADD_FAILURE() << p.line << ": " << message;
  });
  EXPECT_TRUE(tools.Assemble(text, &words)) << text;
  return words;
}

void expectValid(const std::vector<uint32_t>& words) {
  const auto result = validate(words);
  EXPECT_TRUE(result.ok()) << result.error().message;
}
void expectInvalid(const std::string& body, const std::string& types = "", const std::string& head = "") {
  EXPECT_FALSE(validate(module(body, types, head)).ok()) << body << types;
}

const std::string kStep = "!0x00071143 %any %p %block %a %c0 %c8\n";  // OpUntypedAccessChainKHR
const std::string kVariable = "OpCapability VariablePointersStorageBuffer\n";

TEST(UntypedPointers, AreAccessedAsAnything) {
  expectValid(module(kStep + "%x = OpLoad %u32 %p\n%y = OpLoad %f32 %p\n%z = OpLoad %v2 %p\nOpStore %p %z\n"
                             "%o = OpAtomicIAdd %u32 %p %c1 %c0 %c8\nOpAtomicStore %p %c1 %c0 %c8\n"
                             "%t = OpAccessChain %wordPtr %typed %c0 %c0\nOpCopyMemory %t %p\nOpCopyMemory %p %t\n"
                             "OpCopyMemorySized %p %t %c8\nOpNop\n!0x00061149 %u32 %n %block %a 0\n"));
}

TEST(UntypedPointers, AreValues) {
  expectValid(module(kStep + "%q = OpCopyObject %any %p\n%v = OpCopyObject %any %a\n%s = OpSelect %any %true %p %v\n"
                             "%x = OpLoad %u32 %s\n%r = OpFunctionCall %any %same %a\n%e = OpPtrEqual %bool %p %q\n"
                             "%tp = OpAccessChain %wordPtr %typed %c0 %c8\n%te = OpPtrNotEqual %bool %p %tp\n",
                     "%toSame = OpTypeFunction %any %any\n%same = OpFunction %any None %toSame\n"
                     "%f0 = OpFunctionParameter %any\n%l = OpLabel\nOpReturnValue %f0\nOpFunctionEnd\n",
                     kVariable, "OpDecorate %f0 Restrict\n"));
  expectInvalid(kStep + "%s = OpSelect %any %true %p %p\n");  // needs variable pointers
  expectInvalid(kStep + "%s = OpSelect %any %true %p %c0\n", "", kVariable);
  expectInvalid(kStep + "%e = OpPtrEqual %bool %p %c0\n", "", kVariable);
  expectInvalid(kStep + "%s = OpIAdd %any %p %p\n");
  expectInvalid(kStep + "%s = OpBitcast %u32 %p\n");
}

/// Words of memory that is declared as halves of them need no capability for those.
TEST(UntypedPointers, ReachNarrowMemory) {
  expectValid(
      module("!0x00061143 %any %p %halfBlock %h %c0\n%x = OpLoad %u32 %p\n",
             "%u16 = OpTypeInt 16 0\n%halves = OpTypeRuntimeArray %u16\n%one = OpConstant %u32 1\n"
             "%halfBlock = OpTypeStruct %halves\n%two = OpTypeVector %u32 3\n!0x00051142 %any %h 12 %halfBlock\n",
             "OpCapability StoragePushConstant16\n",
             "OpDecorate %h DescriptorSet 0\nOpDecorate %h Binding 2\nOpDecorate %halves ArrayStride 2\n"
             "OpDecorate %halfBlock Block\nOpMemberDecorate %halfBlock 0 Offset 0\n"));
}

TEST(UntypedPointers, StepByTheTypeThatIsNamed) {
  expectValid(module("!0x00061143 %far %b %block %a %c0\n!0x00061147 %any %p %u32 %b %c8\n", "", kVariable));
  expectInvalid("!0x00071143 %any %p %block %a %c8 %c0\n");           // no such member
  expectInvalid("!0x00071143 %any %p %u32 %a %c8 %c0\n");             // a scalar
  expectInvalid("!0x00071143 %any %p %block %a %c0 %fc\n");           // an index that is a float
  expectInvalid("!0x00061143 %any %p %wordPtr %a %c0\n");             // a pointer's type
  expectInvalid("!0x00061143 %any %p %block %c0 %c0\n");              // a base that is no pointer
  expectInvalid("!0x00061143 %wordPtr %p %block %a %c0\n");           // a result that has a type
  expectInvalid("!0x00061147 %any %p %u32 %a %c8\n", "", kVariable);  // a base without ArrayStride
}

TEST(UntypedPointers, AreToMemoryThatIsLaidOut) {
  expectInvalid("", "OpNop\n!0x00031141 %no 7\n");
  expectInvalid("", "!0x00031141 %no 4\n");           // Workgroup
  expectInvalid("", "!0x00041142 %any %no 12\n");     // no data type
  expectInvalid("!0x00051142 %any %no 12 %block\n");  // in a function
  expectInvalid(kStep + "OpCopyMemory %p %p\n");
  expectInvalid(kStep + "OpCopyMemorySized %p %p %c0\n");
  expectInvalid(kStep + "OpCopyMemorySized %p %p %fc\n");
  expectInvalid(kStep + "OpNop\n!0x0003114A %p %c8\n");  // OpUntypedPrefetchKHR
}

TEST(RawAccessChains, AreChecked) {
  expectValid(module("!0x00071516 %v2Ptr %p %typed %c8 %c0 %c0\n%x = OpLoad %v2 %p Aligned 4\n", "", "",
                     "OpDecorate %p NonWritable\n"));
  expectValid(module("!0x00081516 %wordPtr %p %typed %c8 %c0 %c0 2\nOpStore %p %c8 Aligned 4\n"));
  expectInvalid("!0x00081516 %wordPtr %p %typed %c8 %c0 %c0 3\n");
  expectInvalid("!0x00081516 %wordPtr %p %typed %c0 %c0 %c0 2\n");  // elements of no bytes
  expectInvalid("!0x00071516 %blockPtr %p %typed %c8 %c0 %c0\n");
  expectInvalid("!0x00071516 %wordPtr %p %c8 %c8 %c0 %c0\n");
  expectInvalid("!0x00071516 %wordPtr %p %typed %c8 %fc %c0\n");
  expectInvalid("!0x00071516 %wordPtr %p %typed %c8 %c0 %c0\n%x = OpLoad %v2 %p\n");
}

TEST(DescriptorHeap, IsMemoryThatIsOnlyReached) {
  // A heap as a variable with a data type, of other memory, or of a typed pointer.
  const std::string head = "OpCapability !5128\n", decoration = "!0x00040047 %heap 11 5123\n";
  const std::string constant = "%c9 = OpConstant %u32 9\n!0x00031141 %anyConstant 0\n";
  const auto isValid = [&](const std::string& types) { return validate(module("", types, head, decoration)).ok(); };
  expectValid(module("", constant + "!0x00041142 %anyConstant %heap 0\n", head, decoration));
  EXPECT_FALSE(isValid(constant + "!0x00051142 %anyConstant %heap 0 %u32\n"));
  EXPECT_FALSE(isValid("%c9 = OpConstant %u32 9\n!0x00041142 %any %heap 12\n"));
  EXPECT_FALSE(isValid(constant + "!0x000313fb %buffer 9\n!0x00041142 %anyConstant %heap 0\n"));
}

TEST(UntypedPointers, BentModulesAreSurvived) {
  const std::vector<uint32_t> words = module(kStep + "%x = OpLoad %u32 %p\nOpStore %p %x\n");
  for (size_t n = 0; n < words.size(); ++n)
    for (const uint32_t bits : {0xffff0000u, 1u, 0x10000u}) {
      std::vector<uint32_t> bent = words;
      bent[n] ^= bits;
      (void)withTypedPointers(bent);
      (void)withTypedPointers(std::span(words).first(n));
    }
}

}  // namespace
}  // namespace etzel::spirv
