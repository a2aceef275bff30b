// Descriptor heaps: where bindings and pointers find their descriptors, and modules that break a rule.
#include <algorithm>

#include "compiler/lower/test_kernel.h"
#include "runtime/abi/heap_tables.h"

namespace etzel::lower {
namespace {

using compiler::DescriptorMapping;

/// A shader that adds up what %reads says and stores it to the buffer of binding 0.
std::string module(const std::string& annotations, const std::string& types, const std::string& body) {
  return "OpCapability Shader\nOpCapability !5128\nOpExtension \"SPV_EXT_descriptor_heap\"\n"
         "OpExtension \"SPV_KHR_untyped_pointers\"\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint GLCompute %main \"main\" %heap %out\nOpExecutionMode %main LocalSize 1 1 1\n"
         "!0x00040047 %heap 11 5123\nOpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 3\n"
         "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n" +
         annotations +
         "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n%f32 = OpTypeFloat 32\n"
         "%block = OpTypeStruct %u32\n%blockPtr = OpTypePointer StorageBuffer %block\n"
         "%wordPtr = OpTypePointer StorageBuffer %u32\n%c0 = OpConstant %u32 0\n%c1 = OpConstant %u32 1\n"
         "%c2 = OpConstant %u32 2\n%c64 = OpConstant %u32 64\n!0x00031141 %any 0\n!0x000313fb %buffer 12\n"
         "!0x00041409 %u32 %size %buffer\n!0x00041142 %any %heap 0\n"
         "%out = OpVariable %blockPtr StorageBuffer\n" +
         types + "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpNop\n" + body + "OpReturn\nOpFunctionEnd\n";
}

Result<isa::Program> compiled(const std::string& text, const std::vector<DescriptorMapping>& mappings) {
  std::vector<uint32_t> words;
  if (!spvtools::SpirvTools(SPV_ENV_VULKAN_1_2).Assemble(text, &words)) {
    ADD_FAILURE() << text;
    return Error{ErrorCode::InvalidShader, "no module"};
  }
  compiler::ShaderSource source;
  source.spirv = words;
  source.mappings = mappings;
  return compiler::compileProgram(source);
}

/// The program's constants.
std::vector<uint32_t> constantsOf(const isa::Program& program) {
  std::vector<uint32_t> all;
  for (const auto& four : program.constants) all.insert(all.end(), four.begin(), four.end());
  return all;
}
bool has(const std::vector<uint32_t>& all, uint32_t word) { return std::count(all.begin(), all.end(), word) != 0; }

DescriptorMapping constantly(uint32_t resources = 1 << 7) {
  DescriptorMapping m;
  m.firstBinding = 1, m.bindingCount = 4, m.resources = resources;
  m.resource.offset = 96, m.resource.arrayStride = 64;
  return m;
}

const std::string kStoresOne = "%p = OpAccessChain %wordPtr %out %c0\nOpStore %p %c1\n";

TEST(DescriptorHeap, BindingsLieWhereTheyAreMappedTo) {
  const auto program = compiled(module("", "", kStoresOne), {constantly()});
  ASSERT_TRUE(program.ok()) << program.error().message;
  // Binding 3 is the third of its mapping.
  EXPECT_TRUE(has(constantsOf(*program), abi::makeHandle(abi::kResourceHeapTable, 96 + 2 * 64)));
}

TEST(DescriptorHeap, MappingsAreOfSomeKindsOfResources) {
  DescriptorMapping made = constantly(1 << 7);
  made.source = DescriptorMapping::Made, made.madeSlot = 3;
  const auto program = compiled(module("", "", kStoresOne), {constantly(0x7FFFFFFF & ~(1 << 7)), made});
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_TRUE(has(constantsOf(*program),
                  abi::makeHandle(abi::kFirstMappedTable + static_cast<uint32_t>(abi::Stage::Compute), 96)));
  const auto readOnly = compiled(module("OpDecorate %out NonWritable\n", "",
                                        "%p = OpAccessChain %wordPtr %out %c0\n"
                                        "%x = OpLoad %u32 %p\n"),
                                 {constantly(1 << 6)});
  EXPECT_TRUE(readOnly.ok()) << readOnly.error().message;
}

/// Chain into an array of a heap, and the buffer there.
const std::string kPair =
    "OpNop\n!0x00071143 %any %slot %pairs %heap %c1 %c1\n!0x000413ff %wordPtr %b %slot\n"
    "OpStore %b %c1\n";

TEST(DescriptorHeap, PointersStepByStridesThatConstantsSay) {
  const auto program = compiled(module("!0x0004014c %pairs 5124 %c64\n!0x00051407 %pair 1 5125 %size\n"
                                       "!0x00051407 %pair 0 5125 %c0\n",
                                       "%pair = OpTypeStruct %u32 %buffer\n%pairs = OpTypeRuntimeArray %pair\n", kPair),
                                {});
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_TRUE(has(constantsOf(*program), abi::makeHandle(abi::kResourceHeapTable, 64 + 32)));
}

TEST(DescriptorHeap, RulesThatAnOlderValidatorDoesNotKnowAreChecked) {
  const std::string array = "%slots = OpTypeRuntimeArray %buffer\n";
  const std::string chain = "!0x00061143 %any %slot %slots %heap %c1\n";
  const auto isValid = [&](const std::string& annotations, const std::string& body) {
    return compiled(module(annotations, array, body), {constantly()}).ok();
  };
  const std::string stride = "!0x0004014c %slots 5124 %size\n";
  EXPECT_TRUE(isValid(stride, chain + "!0x000413ff %wordPtr %b %slot\nOpStore %b %c1\n"));
  EXPECT_FALSE(isValid("!0x0004014c %slots 5124 %c0\n", chain));                         // a stride of zero
  EXPECT_FALSE(isValid("!0x0004014c %slots 5124 %f32\n", chain));                        // of no number
  EXPECT_FALSE(isValid("!0x0004014c %block 5124 %c64\n", chain));                        // of no array
  EXPECT_FALSE(isValid("!0x00051407 %slots 0 5125 %c64\n", chain));                      // an offset in no structure
  EXPECT_FALSE(isValid(stride, chain + "!0x000413ff %u32 %b %slot\n"));                  // no pointer
  EXPECT_FALSE(isValid(stride, "!0x000413ff %wordPtr %b %out\n"));                       // not out of a heap
  EXPECT_FALSE(isValid(stride, chain + "!0x00071406 %any %t %buffer %slot %c0 %c0\n"));  // no image
}

}  // namespace
}  // namespace etzel::lower
