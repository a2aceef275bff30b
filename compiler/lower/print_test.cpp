// NonSemantic.DebugPrintf: what becomes of it where somebody listens, and that nothing does where nobody does.
#include <gtest/gtest.h>

#include <algorithm>
#include <spirv-tools/libspirv.hpp>

#include "compiler/compiler.h"
#include "compiler/exec/interp/interp.h"
#include "compiler/isa/verify.h"

namespace etzel::lower {
namespace {

const char* const kModule = R"(
OpCapability Shader
OpCapability Int64
OpExtension "SPV_KHR_non_semantic_info"
%printf = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %laneVar
OpExecutionMode %main LocalSize 8 1 1
%many = OpString "%u %v4u %lu %d %v4u"
%none = OpString "none"
OpDecorate %laneVar BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%v4u = OpTypeVector %u32 4
%c3 = OpConstant %u32 3
%wide = OpConstant %u64 12345678901
%true = OpConstantTrue %bool
%pointer = OpTypePointer Input %u32
%laneVar = OpVariable %pointer Input
%main = OpFunction %void None %fn
%entry = OpLabel
%lane = OpLoad %u32 %laneVar
%four = OpCompositeConstruct %v4u %lane %c3 %lane %lane
%odd = OpBitwiseAnd %u32 %lane %c3
%is = OpIEqual %bool %odd %c3
OpSelectionMerge %behind None
OpBranchConditional %is %then %behind
%then = OpLabel
%p1 = OpExtInst %void %printf 1 %many %lane %four %wide %true %four
OpBranch %behind
%behind = OpLabel
%p2 = OpExtInst %void %printf 1 %none
%p3 = OpExtInst %void %printf 1 %none
OpReturn
OpFunctionEnd
)";

std::vector<uint32_t> assembled() {
  std::vector<uint32_t> words;
  EXPECT_TRUE(spvtools::SpirvTools(SPV_ENV_VULKAN_1_2).Assemble(kModule, &words));
  return words;
}

isa::Program compiled(const std::vector<uint32_t>& words, bool prints) {
  compiler::ShaderSource source;
  source.spirv = words, source.prints = prints;
  auto program = compiler::compileProgram(source);
  EXPECT_TRUE(program.ok()) << program.error().message;
  return program.ok() ? std::move(*program) : isa::Program{};
}

uint32_t printsIn(const isa::Program& p) {
  return static_cast<uint32_t>(
      std::count_if(p.code.begin(), p.code.end(), [](const isa::Inst& i) { return i.op == isa::Opcode::Print; }));
}

TEST(Print, WithoutListenersNothingIsLeft) {
  const isa::Program p = compiled(assembled(), false);
  EXPECT_EQ(printsIn(p), 0u);
  EXPECT_TRUE(p.prints.empty());
  EXPECT_FALSE(p.info.hasSideEffects);
}

TEST(Print, FormatsAreKeptOnceAndLongMessagesInPieces) {
  const isa::Program p = compiled(assembled(), true);
  using Kind = abi::PrintValue::Kind;
  ASSERT_EQ(p.prints.size(), 2u);
  EXPECT_EQ(
      p.prints[0],
      (abi::PrintFormat{
          "%u %v4u %lu %d %v4u",
          {{Kind::Uint, 32, 1}, {Kind::Uint, 32, 4}, {Kind::Uint, 64, 1}, {Kind::Bool, 32, 1}, {Kind::Uint, 32, 4}}}));
  EXPECT_EQ(p.prints[1], (abi::PrintFormat{"none", {}}));
  EXPECT_EQ(printsIn(p), 4u);  // 12 words are 8 and 4
  EXPECT_TRUE(p.info.hasSideEffects);
  EXPECT_TRUE(isa::verify(p, isa::VerifyMode::RealRegisters).ok());
}

TEST(Print, TheVerifierKnowsWhatFormatsHold) {
  const isa::Program good = compiled(assembled(), true);
  const auto bent = [&](auto change) {
    isa::Program p = good;
    for (isa::Inst& inst : p.code)
      if (inst.op == isa::Opcode::Print) change(p, inst);
    return isa::verify(p, isa::VerifyMode::RealRegisters).ok();
  };
  EXPECT_FALSE(bent([](auto&, auto& inst) { inst.imm = 2; }));
  EXPECT_FALSE(bent([](auto&, auto& inst) { inst.imm += 13 << 16; }));
  EXPECT_FALSE(bent([](auto& p, auto&) { p.prints[0].values.pop_back(); }));
  EXPECT_FALSE(bent([](auto& p, auto&) { p.prints[1].values.push_back({abi::PrintValue::Kind::Float, 24, 1}); }));
  EXPECT_FALSE(bent([](auto& p, auto&) { p.prints[1].values.resize(abi::kMaxPrintWords + 1); }));
  EXPECT_TRUE(bent([](auto&, auto&) {}));
}

struct Heard {
  std::string format;
  uint32_t first;
  LaneMask lanes;
  std::vector<uint32_t> ofLane3;
};
std::vector<Heard> heard;

void hear(const abi::Warp*, const abi::PrintFormat& format, uint32_t first, LaneMask lanes, const LaneWords* words,
          uint32_t count) {
  heard.push_back({format.text, first, lanes, {}});
  for (uint32_t i = 0; i < count; ++i) heard.back().ofLane3.push_back(words[i].lane[3]);
}

TEST(Print, ListenersHearTheLanesThatAreThere) {
  auto kernel = compiler::makeKernel(compiled(assembled(), true));
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const abi::FunctionTable functions{nullptr, hear};
  abi::DispatchContext context;
  context.functions = &functions;
  std::vector<LaneWords> sys(abi::kSysValueCount), registers((*kernel)->registerWords + 1);
  for (uint32_t i = 0; i < kWarpLanes; ++i) sys[uint32_t(abi::SysValue::LocalIndex)][i] = i;
  abi::Warp warp;
  warp.context = &context, warp.kernel = kernel->get(), warp.active = 0x7F, warp.helper = 2;
  warp.sys = sys.data(), warp.registers = registers.data();
  heard.clear();
  EXPECT_EQ((*kernel)->run(&warp), abi::WarpStatus::Done);
  ASSERT_EQ(heard.size(), 4u);
  EXPECT_EQ(heard[0].lanes, 0x08u);  // lane 7 does not run
  EXPECT_EQ(heard[0].first, 0u);
  EXPECT_EQ(heard[0].ofLane3, (std::vector<uint32_t>{3, 3, 3, 3, 3, 0xdfdc1c35, 2, ~0u}));
  EXPECT_EQ(heard[1].first, 8u);
  EXPECT_EQ(heard[1].ofLane3, (std::vector<uint32_t>{3, 3, 3, 3}));
  EXPECT_EQ(heard[2].format, "none");
  EXPECT_EQ(heard[2].lanes, 0x7Du);  // nor do helpers print
  EXPECT_TRUE(heard[2].ofLane3.empty());
}

TEST(Print, ModulesSayWhetherTheyPrint) {
  std::vector<uint32_t> words = assembled();
  EXPECT_TRUE(compiler::mayPrint(words));
  for (size_t n = 0; n < words.size(); ++n) (void)compiler::mayPrint(std::span(words).first(n));
  words.resize(8);
  EXPECT_FALSE(compiler::mayPrint(words));
  EXPECT_FALSE(compiler::mayPrint({}));
}

}  // namespace
}  // namespace etzel::lower
