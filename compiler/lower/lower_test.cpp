// Control flow, memory and phis from SPIR-V text to results on one warp.
#include <gmock/gmock.h>

#include <algorithm>

#include "compiler/lower/test_kernel.h"

namespace etzel::lower::test {
namespace {

Words lanes(uint32_t (*f)(uint32_t lane, uint32_t n)) {
  Words w{};
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
    for (uint32_t n = 0; n < 16; ++n) w[lane][n] = f(lane, n);
  return w;
}
const Words kInput = lanes([](uint32_t lane, uint32_t n) { return n == 0 ? lane : lane * 3 + n; });

std::vector<uint32_t> column(const Words& w, uint32_t n) {
  std::vector<uint32_t> out;
  for (const auto& lane : w) out.push_back(lane[n]);
  return out;
}
using List = std::vector<uint32_t>;

TEST(LowerControlFlow, PhisOfAnIfTakeTheSideOfEachLane) {
  const Words out = run(R"(
    %c = OpULessThan %bool %u0 %c4
    OpSelectionMerge %m None
    OpBranchConditional %c %t %f
    %t = OpLabel
    %a = OpIAdd %u32 %u0 %c10
    OpBranch %m
    %f = OpLabel
    %b = OpIMul %u32 %u0 %c2
    OpBranch %m
    %m = OpLabel
    %p = OpPhi %u32 %a %t %b %f
    OUT(0, %p))",
                        kInput);
  EXPECT_EQ(column(out, 0), (List{10, 11, 12, 13, 8, 10, 12, 14}));
}

TEST(LowerControlFlow, ALoopRunsAsOftenAsEachLaneWantsAndItsPhisSwap) {
  // (a, b) = (b, a + b), lane times: the two phis exchange values. The sum computed inside is used outside.
  const Words out = run(R"(
    OpBranch %h
    %h = OpLabel
    %i = OpPhi %u32 %c0 %entry %inc %k
    %a = OpPhi %u32 %c0 %entry %b %k
    %b = OpPhi %u32 %c1 %entry %s %k
    %twice = OpIMul %u32 %a %c2
    OpLoopMerge %m %k None
    OpBranch %t
    %t = OpLabel
    %c = OpULessThan %bool %i %u0
    OpBranchConditional %c %body %m
    %body = OpLabel
    %s = OpIAdd %u32 %a %b
    OpBranch %k
    %k = OpLabel
    %inc = OpIAdd %u32 %i %c1
    OpBranch %h
    %m = OpLabel
    OUT(0, %a)
    OUT(1, %twice))",
                        kInput);
  EXPECT_EQ(column(out, 0), (List{0, 1, 1, 2, 3, 5, 8, 13}));
  EXPECT_EQ(column(out, 1), (List{0, 2, 2, 4, 6, 10, 16, 26}))
      << "a value that leaves its loop keeps its lane's iteration";
}

TEST(LowerControlFlow, ASingleBlockLoop) {
  const Words out = run(R"(
    OpBranch %h
    %h = OpLabel
    %i = OpPhi %u32 %c0 %entry %inc %h
    %inc = OpIAdd %u32 %i %c3
    %c = OpULessThan %bool %inc %u0
    OpLoopMerge %m %h None
    OpBranchConditional %c %h %m
    %m = OpLabel
    OUT(0, %inc))",
                        kInput);
  EXPECT_EQ(column(out, 0), (List{3, 3, 3, 3, 6, 6, 6, 9}));
}

TEST(LowerControlFlow, SwitchFallsThroughBreaksAndDefaults) {
  // 0: +1 and falls into 1; 1: +10; 2, 3: break at once when odd, else +100; default (4...): +5 and falls into 5's
  // case.
  const Words out = run(R"(
    OpSelectionMerge %m None
    OpSwitch %u0 %d 0 %s0 1 %s1 2 %s2 3 %s2 5 %s5
    %s0 = OpLabel
    %v0 = OpIAdd %u32 %u0 %c1
    OpBranch %s1
    %s1 = OpLabel
    %p1 = OpPhi %u32 %c20 %entry %v0 %s0
    %v1 = OpIAdd %u32 %p1 %c10
    OpBranch %m
    %s2 = OpLabel
    %odd = OpBitwiseAnd %u32 %u0 %c1
    %isOdd = OpINotEqual %bool %odd %c0
    OpSelectionMerge %n None
    OpBranchConditional %isOdd %break %n
    %break = OpLabel
    OpBranch %m
    %n = OpLabel
    %v2 = OpIAdd %u32 %u0 %c31
    OpBranch %m
    %d = OpLabel
    OpBranch %s5
    %s5 = OpLabel
    %p5 = OpPhi %u32 %c30 %entry %c7 %d
    OpBranch %m
    %m = OpLabel
    %p = OpPhi %u32 %v1 %s1 %c9 %break %v2 %n %p5 %s5
    OUT(0, %p))",
                        kInput);
  EXPECT_EQ(column(out, 0), (List{11, 30, 33, 9, 7, 30, 7, 7}));
}

TEST(LowerControlFlow, BreakAndContinueInsideASwitchInALoop) {
  const std::string body = R"(
    OpBranch %h
    %h = OpLabel
    %i = OpPhi %u32 %c0 %entry %inc %k
    %sum = OpPhi %u32 %c0 %entry %next %k
    OpLoopMerge %m %k None
    OpBranch %t
    %t = OpLabel
    %c = OpULessThan %bool %i %c8
    OpBranchConditional %c %body %m
    %body = OpLabel
    OpSelectionMerge %sm None
    OpSwitch %i %d 1 %skip 6 %stop
    %skip = OpLabel
    OpBranch %k
    %stop = OpLabel
    OpBranch %leave
    %leave = OpLabel
    %far = OpULessThan %bool %u0 %c4
    OpBranchConditional %far %m %sm
    %d = OpLabel
    OpBranch %sm
    %sm = OpLabel
    %more = OpIAdd %u32 %sum %i
    OpBranch %k
    %k = OpLabel
    %next = OpPhi %u32 %sum %skip %more %sm
    %inc = OpIAdd %u32 %i %c1
    OpBranch %h
    %m = OpLabel
    %p = OpPhi %u32 %sum %t %sum %leave
    OUT(0, %p))";
  // 0 + 2 + 3 + 4 + 5 = 14, and 6 + 7 more for lanes that do not stop.
  EXPECT_EQ(column(run(body, kInput), 0), (List{14, 14, 14, 14, 27, 27, 27, 27}));
}

TEST(LowerControlFlow, FunctionsReturnEarlyAndWriteThroughPointers) {
  const std::string text = R"(
    OpStore %var %c1
    %r = OpFunctionCall %u32 %f %u0 %var
    %r2 = OpFunctionCall %u32 %f %r %var
    %v = OpLoad %u32 %var
    OUT(0, %r)
    OUT(1, %r2)
    OUT(2, %v)
    OpReturn
    OpFunctionEnd
    %f = OpFunction %u32 None %fnType
    %x = OpFunctionParameter %u32
    %p = OpFunctionParameter %ptrF
    %fl = OpLabel
    %small = OpULessThan %bool %x %c4
    OpSelectionMerge %fm None
    OpBranchConditional %small %early %fm
    %early = OpLabel
    %x10 = OpIAdd %u32 %x %c10
    OpReturnValue %x10
    %fm = OpLabel
    OpStore %p %x
    OpReturnValue %c2
    OpFunctionEnd
    %unused = OpFunction %void None %fn
    %ul = OpLabel)";
  const Words out = run(text, kInput, "",
                        "%ptrF = OpTypePointer Private %u32\n%fnType = OpTypeFunction %u32 %u32 %ptrF\n"
                        "%var = OpVariable %ptrF Private\n");
  EXPECT_EQ(column(out, 0), (List{10, 11, 12, 13, 2, 2, 2, 2}));
  EXPECT_EQ(column(out, 1), (List{2, 2, 2, 2, 12, 12, 12, 12}));
  EXPECT_EQ(column(out, 2), (List{10, 11, 12, 13, 4, 5, 6, 7}));
}

TEST(LowerMemory, PrivateArraysTakeDynamicIndices) {
  const Words out =
      run(R"(
    %i = OpBitwiseAnd %u32 %u0 %c3
    %at = OpAccessChain %ptrP %array %i
    OpStore %at %u0
    %first = OpAccessChain %ptrP %array %c1
    %a = OpLoad %u32 %first
    %b = OpLoad %u32 %at
    OUT(0, %a)
    OUT(1, %b))",
          kInput, "",
          "%four = OpTypeArray %u32 %c4\n%ptrA = OpTypePointer Private %four\n%ptrP = OpTypePointer Private %u32\n"
          "%init = OpConstantComposite %four %c20 %c21 %c22 %c23\n%array = OpVariable %ptrA Private %init\n");
  EXPECT_EQ(column(out, 0), (List{21, 1, 21, 21, 21, 5, 21, 21}));
  EXPECT_EQ(column(out, 1), (List{0, 1, 2, 3, 4, 5, 6, 7}));
}

/// A local array that code fills with `values` and indexes by lane; `more` may follow the store.
std::string localArray(const std::string& more) {
  return R"(
    OpStore %array %values
)" + more +
         R"(
    %i = OpBitwiseAnd %u32 %u0 %c3
    %at = OpAccessChain %ptrP %array %i
    %a = OpLoad %u32 %at
    OUT(0, %a))";
}
constexpr char kArrayTypes[] =
    "%four = OpTypeArray %u32 %c4\n%ptrA = OpTypePointer Private %four\n%ptrP = OpTypePointer Private %u32\n"
    "%array = OpVariable %ptrA Private\n%values = OpConstantComposite %four %c20 %c21 %c22 %c23\n"
    "%others = OpConstantComposite %four %c1 %c2 %c3 %c4\n";

TEST(LowerMemory, ConstantArraysThatAreIndexedStayInTheProgram) {
  EXPECT_EQ(column(run(localArray(""), kInput, "", kArrayTypes), 0), (List{20, 21, 22, 23, 20, 21, 22, 23}));
  isa::Program program = compiled(localArray("OpStore %array %values"), kArrayTypes);
  EXPECT_EQ(program.table, (List{20, 21, 22, 23}));
  EXPECT_EQ(program.scratchBytes, 0u);
}

TEST(LowerMemory, ArraysThatChangeAreMemory) {
  const std::string whole = "OpStore %array %others";
  const std::string one = "%second = OpAccessChain %ptrP %array %c1\nOpStore %second %u0";
  EXPECT_EQ(column(run(localArray(whole), kInput, "", kArrayTypes), 0), (List{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(column(run(localArray(one), kInput, "", kArrayTypes), 0), (List{20, 1, 22, 23, 20, 5, 22, 23}));
  for (const std::string& change : {whole, one}) {
    const isa::Program program = compiled(localArray(change), kArrayTypes);
    EXPECT_TRUE(program.table.empty());
    EXPECT_EQ(program.scratchBytes, 16u);
  }
}

/// sum of values[i] for i in [first, last), and what %u0 says with each of them.
std::string filterLoop(const std::string& first, const std::string& last) {
  return R"(
    OpStore %array %values
    OpBranch %h
    %h = OpLabel
    %i = OpPhi %u32 %)" +
         first + R"( %entry %inc %k
    %sum = OpPhi %u32 %c0 %entry %next %k
    OpLoopMerge %m %k None
    OpBranch %t
    %t = OpLabel
    %c = OpULessThan %bool %i %)" +
         last + R"(
    OpBranchConditional %c %body %m
    %body = OpLabel
    %at = OpAccessChain %ptrP %array %i
    %a = OpLoad %u32 %at
    %early = OpIEqual %bool %i %u0
    OpSelectionMerge %go None
    OpBranchConditional %early %m %go
    %go = OpLabel
    %next = OpIAdd %u32 %sum %a
    OpBranch %k
    %k = OpLabel
    %inc = OpIAdd %u32 %i %c1
    OpBranch %h
    %m = OpLabel
    OUT(0, %sum)
    OUT(1, %i))";
}

TEST(LowerControlFlow, LoopsOverConstantsAreUnrolled) {
  const auto loops = [](const isa::Program& p) {
    return std::count_if(p.code.begin(), p.code.end(), [](const isa::Inst& i) { return i.op == isa::Opcode::Loop; });
  };
  EXPECT_EQ(loops(compiled(filterLoop("c0", "c4"), kArrayTypes)), 0);
  const isa::Program unrolled = compiled(filterLoop("c0", "c4"), kArrayTypes);
  for (const isa::Inst& inst : unrolled.code)
    EXPECT_FALSE(inst.op == isa::Opcode::Ld && inst.sub == static_cast<uint8_t>(isa::Space::Table));
  EXPECT_EQ(loops(compiled(filterLoop("c0", "u1"), kArrayTypes)), 1);
  // Lanes 0 to 3 leave early, in the round of their number.
  const Words out = run(filterLoop("c0", "c4"), kInput, "", kArrayTypes);
  EXPECT_EQ(column(out, 0), (List{0, 20, 41, 63, 86, 86, 86, 86}));
  EXPECT_EQ(column(out, 1), (List{0, 1, 2, 3, 4, 4, 4, 4}));
  EXPECT_EQ(column(run(filterLoop("c4", "c4"), kInput, "", kArrayTypes), 0), (List{0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(LowerMemory, WorkgroupMemoryIsSharedByTheLanes) {
  const Words out = run(
      R"(
    %at = OpAccessChain %ptrW %shared %lane
    OpStore %at %u1
    OpControlBarrier %c2 %c2 %sem
    %other = OpBitwiseXor %u32 %lane %c7
    %from = OpAccessChain %ptrW %shared %other
    %v = OpLoad %u32 %from
    OUT(0, %v))",
      kInput, "",
      "%eight = OpTypeArray %u32 %c8\n%ptrS = OpTypePointer Workgroup %eight\n%ptrW = OpTypePointer Workgroup %u32\n"
      "%shared = OpVariable %ptrS Workgroup\n%sem = OpConstant %u32 264\n");
  EXPECT_EQ(column(out, 0), (List{22, 19, 16, 13, 10, 7, 4, 1}));
}

TEST(LowerConstants, SpecializationOperationsFold) {
  const Words out =
      run("OUT(0, %sum)\nOUT(1, %sel)", kInput, "",
          "%spec = OpSpecConstant %u32 5\n%sum = OpSpecConstantOp %u32 IAdd %spec %c3\n"
          "%big = OpSpecConstantOp %bool UGreaterThan %sum %c7\n%sel = OpSpecConstantOp %u32 Select %big %c11 %c12\n",
          kAllLanes, nullptr, "OpDecorate %spec SpecId 3\n");
  EXPECT_EQ(out[0][0], 8u);
  EXPECT_EQ(out[0][1], 11u);
}

TEST(LowerErrors, ModulesThatAreNotSpirvAreErrorsNotCrashes) {
  compiler::ShaderSource source;
  EXPECT_EQ(compiler::compileProgram(source).error().code, ErrorCode::InvalidShader);
  // Without validation, every truncation of a module must still end in an error or a program.
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
  std::vector<uint32_t> words;
  ASSERT_TRUE(tools.Assemble(moduleText("OpBranch %l\n%l = OpLabel\nOUT(0, %u3)", "", "", ""), &words));
  source.validate = false;
  for (size_t n = 0; n < words.size(); ++n) {
    source.spirv = std::span(words).first(n);
    EXPECT_FALSE(compiler::compileProgram(source).ok()) << n;
  }
  // Any single word may be wrong: no crash.
  for (size_t n = 5; n < words.size(); ++n)
    for (uint32_t bad : {0u, 1u, words[n] + 1, 0xffffffffu}) {
      std::vector<uint32_t> broken = words;
      broken[n] = bad;
      source.spirv = broken;
      (void)compiler::compileProgram(source).ok();
    }
}

// SPV_GOOGLE_decorate_string, SPV_GOOGLE_hlsl_functionality1, SPV_GOOGLE_user_type.
TEST(LowerDecorations, WhatThingsAreCalledInHlslMeansNothing) {
  const std::string head =
      "OpExtension \"SPV_GOOGLE_decorate_string\"\nOpExtension \"SPV_GOOGLE_hlsl_functionality1\"\n"
      "OpExtension \"SPV_GOOGLE_user_type\"\n";
  const std::string decorations =
      "OpDecorateString %in UserTypeGOOGLE \"structuredbuffer:<uint>\"\nOpDecorateId %in HlslCounterBufferGOOGLE %out\n"
      "OpDecorateString %laneVar HlslSemanticGOOGLE \"SV_GroupIndex\"\n"
      "OpMemberDecorateString %block 0 UserTypeGOOGLE \"uint\"\n";
  Words in{};
  for (uint32_t l = 0; l < kWarpLanes; ++l) in[l][0] = 5 * l;
  const Words out = run("%r = OpIAdd %u32 %u0 %lane\nOUT(0, %r)", in, head, "", kAllLanes, nullptr, decorations);
  for (uint32_t l = 0; l < kWarpLanes; ++l) EXPECT_EQ(out[l][0], 6 * l);
}

}  // namespace
}  // namespace etzel::lower::test
