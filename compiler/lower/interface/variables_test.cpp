// Variables outside of the program: what a pipeline layout has for them.
#include <gtest/gtest.h>

#include <spirv-tools/libspirv.hpp>

#include "compiler/compiler.h"

namespace etzel::lower {
namespace {

/// Stores to a storage buffer at (0, 0), whose slot in the layout is `slot`.
Result<isa::Program> storeTo(const compiler::BindingSlot& slot) {
  static constexpr char kText[] = R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "main"
    OpExecutionMode %main LocalSize 1 1 1
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %buffer DescriptorSet 0
    OpDecorate %buffer Binding 0
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %u32 = OpTypeInt 32 0
    %block = OpTypeStruct %u32
    %blockp = OpTypePointer StorageBuffer %block
    %wordp = OpTypePointer StorageBuffer %u32
    %zero = OpConstant %u32 0
    %buffer = OpVariable %blockp StorageBuffer
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %word = OpAccessChain %wordp %buffer %zero
    OpStore %word %zero
    OpReturn
    OpFunctionEnd
  )";
  std::vector<uint32_t> words;
  EXPECT_TRUE(spvtools::SpirvTools(SPV_ENV_UNIVERSAL_1_3).Assemble(kText, &words));
  compiler::ShaderSource source;
  source.spirv = words;
  source.bindings[{0, 0}] = slot;
  return compiler::compileProgram(source);
}

TEST(Variables, ASlotOfAnotherKindIsTheNullDescriptor) {
  compiler::BindingSlot slot;
  slot.byteOffset = 64;
  for (const compiler::SlotHolds holds : {compiler::SlotHolds::Anything, compiler::SlotHolds::Buffers}) {
    slot.holds = holds;
    const auto program = storeTo(slot);
    ASSERT_TRUE(program.ok());
    EXPECT_EQ(program->resources.at(0).baseHandle, abi::makeHandle(0, 64));
  }
  slot.holds = compiler::SlotHolds::Images;
  const auto program = storeTo(slot);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->resources.at(0).count, 0u);
  EXPECT_EQ(program->resources.at(0).baseHandle, abi::kNullHandle);
}

}  // namespace
}  // namespace etzel::lower
