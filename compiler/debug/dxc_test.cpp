// A module as DXC writes them (-fspv-debug=vulkan-with-source), where that is other than what glslang writes: the entry
// point is a wrapper without a source, parameters are pointers, bodies are lexical blocks of their own, the source
// comes in pieces, blocks end in no scope, and structures are known by their debug type alone.
#include <bit>
#include <spirv-tools/libspirv.hpp>

#include "compiler/debug/expression.h"
#include "compiler/debug/scope.h"
#include "compiler/debug/test_group.h"

namespace etzel::debugger::test {
namespace {

const char kLamp[] = R"spirv(OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
OpExtension "SPV_KHR_storage_buffer_storage_class"
%dbg = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 8 1 1
%file = OpString "lamp.hlsl"
%text1 = OpString "struct Lamp { float3 color; float power; };
RWStructuredBuffer<float> result : register(u1);
float twice(float x) {
  float y = x + x;
  return y + y;
}
"
%text2 = OpString "[numthreads(8, 1, 1)]
void main(uint id : SV_GroupIndex) {
  Lamp lamp;
  lamp.color = float3(id, 0.5, 1.0);
  lamp.power = twice(lamp.color.x);
  if (id > 3) {
    float more = lamp.power + 1.0;
    lamp.power = more;
  }
  result[id] = lamp.power;
}
"
%sFloat = OpString "float"
%sUint = OpString "uint"
%sLamp = OpString "Lamp"
%sColor = OpString "color"
%sPower = OpString "power"
%sTwice = OpString "twice"
%sMain = OpString "main"
%sX = OpString "x"
%sY = OpString "y"
%sId = OpString "id"
%sLampV = OpString "lamp"
%sMore = OpString "more"
%sResult = OpString "result"
%sBuffer = OpString "@type.RWStructuredBuffer.float"
%sNone = OpString ""
OpName %main "main"
OpName %srcMain "src.main"
OpName %twice "twice"
OpName %paramId "param.var.id"
OpName %paramX "param.var.x"
OpName %type_RWStructuredBuffer_float "type.RWStructuredBuffer.float"
OpName %result "result"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %result DescriptorSet 0
OpDecorate %result Binding 1
OpDecorate %floats ArrayStride 4
OpMemberDecorate %type_RWStructuredBuffer_float 0 Offset 0
OpDecorate %type_RWStructuredBuffer_float Block
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%u5 = OpConstant %uint 5
%u6 = OpConstant %uint 6
%u8 = OpConstant %uint 8
%u9 = OpConstant %uint 9
%u10 = OpConstant %uint 10
%u11 = OpConstant %uint 11
%u12 = OpConstant %uint 12
%u13 = OpConstant %uint 13
%u14 = OpConstant %uint 14
%u16 = OpConstant %uint 16
%u32 = OpConstant %uint 32
%u96 = OpConstant %uint 96
%u128 = OpConstant %uint 128
%half = OpConstant %float 0.5
%one = OpConstant %float 1
%float3 = OpTypeVector %float 3
%Lamp = OpTypeStruct %float3 %float
%floats = OpTypeRuntimeArray %float
%type_RWStructuredBuffer_float = OpTypeStruct %floats
%bufferPtr = OpTypePointer StorageBuffer %type_RWStructuredBuffer_float
%elementPtr = OpTypePointer StorageBuffer %float
%inputPtr = OpTypePointer Input %uint
%uintPtr = OpTypePointer Function %uint
%floatPtr = OpTypePointer Function %float
%float3Ptr = OpTypePointer Function %float3
%lampPtr = OpTypePointer Function %Lamp
%fnVoid = OpTypeFunction %void
%fnMain = OpTypeFunction %void %uintPtr
%fnTwice = OpTypeFunction %float %floatPtr
%result = OpVariable %bufferPtr StorageBuffer
%index = OpVariable %inputPtr Input
%source = OpExtInst %void %dbg DebugSource %file %text1
%more1 = OpExtInst %void %dbg DebugSourceContinued %text2
%unit = OpExtInst %void %dbg DebugCompilationUnit %u1 %u4 %source %u5
%dFloat = OpExtInst %void %dbg DebugTypeBasic %sFloat %u32 %u3 %u0
%dUint = OpExtInst %void %dbg DebugTypeBasic %sUint %u32 %u6 %u0
%dFloat3 = OpExtInst %void %dbg DebugTypeVector %dFloat %u3
%mColor = OpExtInst %void %dbg DebugTypeMember %sColor %dFloat3 %source %u1 %u1 %u0 %u96 %u3
%mPower = OpExtInst %void %dbg DebugTypeMember %sPower %dFloat %source %u1 %u1 %u96 %u32 %u3
%dLamp = OpExtInst %void %dbg DebugTypeComposite %sLamp %u1 %source %u1 %u8 %unit %sLamp %u128 %u3 %mColor %mPower
%dBuffer = OpExtInst %void %dbg DebugTypeComposite %sBuffer %u0 %source %u0 %u0 %unit %sBuffer %u32 %u3
%dfTwice = OpExtInst %void %dbg DebugTypeFunction %u3 %dFloat %dFloat
%dfMain = OpExtInst %void %dbg DebugTypeFunction %u3 %void %dUint
%gResult = OpExtInst %void %dbg DebugGlobalVariable %sResult %dBuffer %source %u2 %u10 %unit %sResult %result %u8
%fTwice = OpExtInst %void %dbg DebugFunction %sTwice %dfTwice %source %u3 %u1 %unit %sNone %u3 %u3
%bTwice = OpExtInst %void %dbg DebugLexicalBlock %source %u3 %u16 %fTwice
%fMain = OpExtInst %void %dbg DebugFunction %sMain %dfMain %source %u8 %u1 %unit %sNone %u3 %u8
%bMain = OpExtInst %void %dbg DebugLexicalBlock %source %u8 %u16 %fMain
%bIf = OpExtInst %void %dbg DebugLexicalBlock %source %u12 %u16 %bMain
%vX = OpExtInst %void %dbg DebugLocalVariable %sX %dFloat %source %u3 %u13 %fTwice %u4 %u1
%vY = OpExtInst %void %dbg DebugLocalVariable %sY %dFloat %source %u4 %u9 %bTwice %u4
%vId = OpExtInst %void %dbg DebugLocalVariable %sId %dUint %source %u8 %u11 %fMain %u4 %u1
%vLamp = OpExtInst %void %dbg DebugLocalVariable %sLampV %dLamp %source %u9 %u8 %bMain %u4
%vMore = OpExtInst %void %dbg DebugLocalVariable %sMore %dFloat %source %u13 %u11 %bIf %u4
%expression = OpExtInst %void %dbg DebugExpression
%main = OpFunction %void None %fnVoid
%e0 = OpLabel
%paramId = OpVariable %uintPtr Function
%n0 = OpLoad %uint %index
OpStore %paramId %n0
%r0 = OpFunctionCall %void %srcMain %paramId
OpReturn
OpFunctionEnd
%srcMain = OpFunction %void None %fnMain
%id = OpFunctionParameter %uintPtr
%e1 = OpLabel
%lamp = OpVariable %lampPtr Function
%paramX = OpVariable %floatPtr Function
%more = OpVariable %floatPtr Function
%d1 = OpExtInst %void %dbg DebugFunctionDefinition %fMain %srcMain
%s1 = OpExtInst %void %dbg DebugScope %fMain
%l1 = OpExtInst %void %dbg DebugLine %source %u8 %u8 %u11 %u16
%d2 = OpExtInst %void %dbg DebugDeclare %vId %id %expression
%s2 = OpExtInst %void %dbg DebugScope %bMain
%l2 = OpExtInst %void %dbg DebugLine %source %u9 %u9 %u8 %u8
%d3 = OpExtInst %void %dbg DebugDeclare %vLamp %lamp %expression
%l3 = OpExtInst %void %dbg DebugLine %source %u10 %u10 %u3 %u32
%n1 = OpLoad %uint %id
%n2 = OpConvertUToF %float %n1
%n3 = OpCompositeConstruct %float3 %n2 %half %one
%p1 = OpAccessChain %float3Ptr %lamp %i0
OpStore %p1 %n3
%l4 = OpExtInst %void %dbg DebugLine %source %u11 %u11 %u3 %u32
%p2 = OpAccessChain %floatPtr %lamp %i0 %i0
%n4 = OpLoad %float %p2
OpStore %paramX %n4
%n5 = OpFunctionCall %float %twice %paramX
%p3 = OpAccessChain %floatPtr %lamp %i1
OpStore %p3 %n5
%l5 = OpExtInst %void %dbg DebugLine %source %u12 %u12 %u3 %u14
%n6 = OpLoad %uint %id
%n7 = OpUGreaterThan %bool %n6 %u3
OpSelectionMerge %behind None
OpBranchConditional %n7 %then %behind
%then = OpLabel
%s3 = OpExtInst %void %dbg DebugScope %bIf
%l6 = OpExtInst %void %dbg DebugLine %source %u13 %u13 %u5 %u32
%d4 = OpExtInst %void %dbg DebugDeclare %vMore %more %expression
%p4 = OpAccessChain %floatPtr %lamp %i1
%n8 = OpLoad %float %p4
%n9 = OpFAdd %float %n8 %one
OpStore %more %n9
%l7 = OpExtInst %void %dbg DebugLine %source %u14 %u14 %u5 %u16
%n10 = OpLoad %float %more
%p5 = OpAccessChain %floatPtr %lamp %i1
OpStore %p5 %n10
%x1 = OpExtInst %void %dbg DebugNoLine
%x2 = OpExtInst %void %dbg DebugNoScope
OpBranch %behind
%behind = OpLabel
%s4 = OpExtInst %void %dbg DebugScope %bMain
%l8 = OpExtInst %void %dbg DebugLine %source %u16 %u16 %u3 %u16
%n11 = OpLoad %uint %id
%p6 = OpAccessChain %floatPtr %lamp %i1
%n12 = OpLoad %float %p6
%p7 = OpAccessChain %elementPtr %result %i0 %n11
OpStore %p7 %n12
OpReturn
OpFunctionEnd
%twice = OpFunction %float None %fnTwice
%x = OpFunctionParameter %floatPtr
%e2 = OpLabel
%y = OpVariable %floatPtr Function
%d5 = OpExtInst %void %dbg DebugFunctionDefinition %fTwice %twice
%s5 = OpExtInst %void %dbg DebugScope %fTwice
%l9 = OpExtInst %void %dbg DebugLine %source %u3 %u3 %u13 %u13
%d6 = OpExtInst %void %dbg DebugDeclare %vX %x %expression
%s6 = OpExtInst %void %dbg DebugScope %bTwice
%l10 = OpExtInst %void %dbg DebugLine %source %u4 %u4 %u3 %u16
%d7 = OpExtInst %void %dbg DebugDeclare %vY %y %expression
%n13 = OpLoad %float %x
%n14 = OpLoad %float %x
%n15 = OpFAdd %float %n13 %n14
OpStore %y %n15
%l11 = OpExtInst %void %dbg DebugLine %source %u5 %u5 %u3 %u10
%n16 = OpLoad %float %y
%n17 = OpLoad %float %y
%n18 = OpFAdd %float %n16 %n17
OpReturnValue %n18
OpFunctionEnd
)spirv";

class Dxc : public testing::Test {
 protected:
  Dxc() : group_(assembled(), 1) {}

  static std::vector<uint32_t> assembled() {
    std::vector<uint32_t> words;
    EXPECT_TRUE(spvtools::SpirvTools(SPV_ENV_VULKAN_1_1).Assemble(kLamp, &words));
    return words;
  }
  /// Goes on to where a lane begins a line.
  static bool to(GroupRun& run, uint32_t line, uint32_t lane) {
    return run.forward(Go::On, 0, [=](GroupRun& r, uint32_t w) {
      const SourcePlace& at = r.places()[r.places().of(r.instruction(w))];
      return (r.began(w) >> lane & 1) && at.position.line == line;
    }) == Halt::Watch;
  }
  static std::string show(const GroupRun& run, Thread t, const std::string& expression, size_t frame = 0) {
    const auto value = evaluate(run.program(), expression, namesIn(run, t, frame));
    return value ? toText(run.program(), *value) : value.error().message;
  }

  Group group_;
};

TEST_F(Dxc, SourcesComeInPieces) {
  ASSERT_TRUE(group_.what);
  const auto& files = group_.what->program->info.files;
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].name, "lamp.hlsl");
  EXPECT_NE(files[0].text.find("float y = x + x;"), std::string::npos);
  EXPECT_NE(files[0].text.find("result[id] = lamp.power;"), std::string::npos);
}

TEST_F(Dxc, CallsAndParameters) {
  ASSERT_TRUE(group_.what);
  GroupRun run(group_.what, group_.list(), 1 << 20);
  ASSERT_TRUE(to(run, 4, 5));
  const std::vector<StackFrame> stack = run.callStack(0);
  ASSERT_GE(stack.size(), 2u);
  EXPECT_EQ(stack[0].function, "twice");
  EXPECT_EQ(stack[1].function, "main");
  EXPECT_EQ(stack[1].position.line, 11u);
  EXPECT_EQ(show(run, 5, "x"), "5");
  EXPECT_EQ(show(run, 5, "y"), "unset");
  EXPECT_EQ(show(run, 5, "id", 1), "5");
  EXPECT_EQ(show(run, 5, "lamp.color", 1), "(5, 0.5, 1)");
  EXPECT_EQ(show(run, 5, "lamp.power", 1), "unset");
  run.forward(Go::Into, 5, {});
  EXPECT_EQ(run.callStack(0)[0].position.line, 5u);
  EXPECT_EQ(show(run, 5, "y"), "10");
  run.forward(Go::Out, 5, {});
  EXPECT_EQ(run.callStack(0)[0].function, "main");
}

TEST_F(Dxc, BlocksHaveVariablesOfTheirOwn) {
  ASSERT_TRUE(group_.what);
  GroupRun run(group_.what, group_.list(), 1 << 20);
  ASSERT_TRUE(to(run, 12, 5));
  EXPECT_EQ(show(run, 5, "lamp.power"), "20");
  EXPECT_EQ(show(run, 5, "more"), "there is no more here");
  ASSERT_TRUE(to(run, 14, 5));
  EXPECT_EQ(show(run, 5, "more"), "21");
  ASSERT_TRUE(to(run, 16, 5));
  EXPECT_EQ(show(run, 5, "more"), "there is no more here");
  EXPECT_EQ(show(run, 5, "lamp"), "{color = (5, 0.5, 1), power = 21}");
  EXPECT_EQ(show(run, 2, "lamp"), "{color = (2, 0.5, 1), power = 8}");
  EXPECT_EQ(show(run, 2, "lamp.power + id"), "10");
  run.finish();
  EXPECT_EQ(std::bit_cast<float>(group_.out[5]), 21);
  EXPECT_EQ(std::bit_cast<float>(group_.out[2]), 8);
}

TEST_F(Dxc, GlobalsHaveTheirNames) {
  ASSERT_TRUE(group_.what);
  GroupRun run(group_.what, group_.list(), 1 << 20);
  ASSERT_TRUE(to(run, 16, 5));
  std::vector<std::string> names;
  for (const uint32_t v : variablesOf(run, 5, 0, ScopeKind::Globals)) names.push_back(run.program().variables[v].name);
  EXPECT_EQ(names, std::vector<std::string>{"result"});
}

}  // namespace
}  // namespace etzel::debugger::test
