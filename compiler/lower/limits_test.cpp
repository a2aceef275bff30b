// Limits: what a module may ask for, by what the driver reports and by what compiling may cost.
#include <gtest/gtest.h>
#include <time.h>

#include <cstring>
#include <spirv-tools/libspirv.hpp>

#include "compiler/compiler.h"
#include "runtime/abi/limits.h"

namespace etzel::lower {
namespace {

Result<isa::Program> compile(const std::string& text, const compiler::ShaderSource& like = {}, bool swapped = false) {
  std::vector<uint32_t> words;
  EXPECT_TRUE(spvtools::SpirvTools(SPV_ENV_UNIVERSAL_1_3).Assemble(text, &words)) << text;
  if (swapped)
    for (uint32_t& w : words) w = __builtin_bswap32(w);
  compiler::ShaderSource source = like;
  source.spirv = words;
  return compiler::compileProgram(source);
}

/// What this thread has computed so far: machines are busy.
double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::string module(const std::string& annotations, const std::string& types, const std::string& body,
                   const std::string& functions = "", const std::string& mode = "LocalSize 1 1 1") {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
         "OpExecutionMode %main " +
         mode + "\n" + annotations + "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n" + types +
         "%main = OpFunction %void None %fn\n%entry = OpLabel\n" + body + "OpReturn\nOpFunctionEnd\n" + functions;
}

/// A workgroup of x * y * z invocations, said by the WorkgroupSize built-in; x is specialization constant 0.
std::string sized(uint32_t x, uint32_t y, uint32_t z) {
  return module("OpDecorate %size BuiltIn WorkgroupSize\nOpDecorate %x SpecId 0\n",
                "%v3 = OpTypeVector %u32 3\n%x = OpSpecConstant %u32 " + std::to_string(x) + "\n%y = OpConstant %u32 " +
                    std::to_string(y) + "\n%z = OpConstant %u32 " + std::to_string(z) +
                    "\n%size = OpSpecConstantComposite %v3 %x %y %z\n",
                "");
}

TEST(Limits, WorkgroupsHaveNoMoreInvocationsThanTheDeviceSays) {
  EXPECT_TRUE(compile(sized(1024, 1, 1)).ok());
  EXPECT_TRUE(compile(sized(8, 8, 16)).ok());
  EXPECT_FALSE(compile(sized(8, 8, 17)).ok());
  EXPECT_FALSE(compile(sized(1025, 1, 1)).ok());
  EXPECT_FALSE(compile(sized(64, 1478472051, 1478472051)).ok());
  EXPECT_FALSE(compile(sized(65536, 65536, 1)).ok());  // 0 in 32 bits
  EXPECT_FALSE(compile(module("", "", "", "", "LocalSize 2048 1 1")).ok());
  EXPECT_FALSE(compile(sized(0, 1, 1)).ok());
  EXPECT_FALSE(compile(module("", "", "", "", "LocalSize 8 0 1")).ok());
}

TEST(Limits, SpecializationIsCountedIn) {
  const uint32_t many = 1478472051;
  compiler::ShaderSource source;
  source.specialization[0].resize(4);
  std::memcpy(source.specialization[0].data(), &many, 4);
  EXPECT_TRUE(compile(sized(64, 1, 1)).ok());
  EXPECT_FALSE(compile(sized(64, 1, 1), source).ok());
}

/// Two arrays of workgroup memory, `words` each.
std::string shared(uint32_t words) {
  return module("",
                "%n = OpConstant %u32 " + std::to_string(words) +
                    "\n%c0 = OpConstant %u32 0\n%array = OpTypeArray %u32 %n\n%all = OpTypePointer Workgroup %array\n"
                    "%one = OpTypePointer Workgroup %u32\n%a = OpVariable %all Workgroup\n"
                    "%b = OpVariable %all Workgroup\n",
                "%pa = OpAccessChain %one %a %c0\n%pb = OpAccessChain %one %b %c0\nOpStore %pa %c0\nOpStore %pb %c0\n");
}

TEST(Limits, WorkgroupMemoryIsLimitedInTotal) {
  const auto most = compile(shared(abi::kMaxSharedBytes / 8));
  EXPECT_TRUE(most.ok()) << most.error().message;
  EXPECT_FALSE(compile(shared(abi::kMaxSharedBytes / 8 + 1)).ok());
}

TEST(Limits, InlinedCallsAreLimitedByWhatTheyEmit) {
  // Function n calls function n - 1 twice: 2^30 additions, in 4 KB.
  std::string functions;
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i), callee = "%f" + std::to_string(i - 1);
    functions +=
        "%f" + n + " = OpFunction %u32 None %fu\n%p" + n + " = OpFunctionParameter %u32\n%l" + n + " = OpLabel\n";
    if (i == 0)
      functions += "%x0 = OpIAdd %u32 %p0 %p0\n%y0 = OpIMul %u32 %x0 %x0\n";
    else
      functions += "%x" + n + " = OpFunctionCall %u32 " + callee + " %p" + n + "\n%y" + n + " = OpFunctionCall %u32 " +
                   callee + " %x" + n + "\n";
    functions += "OpReturnValue %y" + n + "\nOpFunctionEnd\n";
  }
  const double begin = processorSeconds();
  const auto program = compile(module("", "%fu = OpTypeFunction %u32 %u32\n%c7 = OpConstant %u32 7\n",
                                      "%r = OpFunctionCall %u32 %f29 %c7\n", functions));
  ASSERT_FALSE(program.ok());
  EXPECT_NE(program.error().message.find("when all calls are inlined"), std::string::npos) << program.error().message;
  EXPECT_LT(processorSeconds() - begin, 10);
}

TEST(Limits, ConstantsAreLimitedInTotal) {
  std::string types = "%n = OpConstant %u32 4000000\n%big = OpTypeArray %u32 %n\n";
  for (int i = 0; i < 64; ++i) types += "%z" + std::to_string(i) + " = OpConstantNull %big\n";
  EXPECT_FALSE(compile(module("", types, "")).ok());
}

/// `depth` selections, each inside of the one before.
std::string nested(uint32_t depth) {
  std::string open, close;
  for (uint32_t i = 0; i < depth; ++i) {
    const std::string n = std::to_string(i);
    open += "OpSelectionMerge %merge" + n + " None\nOpBranchConditional %yes %inner" + n + " %merge" + n + "\n%inner" +
            n + " = OpLabel\n";
    close = "OpBranch %merge" + n + "\n%merge" + n + " = OpLabel\n" + close;
  }
  return module("", "%bool = OpTypeBool\n%yes = OpSpecConstantTrue %bool\n", open + close);
}

TEST(Limits, ConstructsMayLieDeepInOneAnother) { EXPECT_TRUE(compile(nested(300)).ok()); }

/// `depth` loops, each inside of the one before.
std::string loops(uint32_t depth) {
  std::string open, close;
  for (uint32_t i = 0; i < depth; ++i) {
    const std::string n = std::to_string(i);
    open += "OpBranch %head" + n + "\n%head" + n + " = OpLabel\nOpLoopMerge %merge" + n + " %again" + n +
            " None\nOpBranchConditional %yes %inner" + n + " %merge" + n + "\n%inner" + n + " = OpLabel\n";
    close = "OpBranch %again" + n + "\n%again" + n + " = OpLabel\nOpBranch %head" + n + "\n%merge" + n +
            " = OpLabel\n" + close;
  }
  return module("", "%bool = OpTypeBool\n%yes = OpSpecConstantTrue %bool\n", open + close);
}

TEST(Limits, ValidationThatTakesTooLongDoesNotBegin) {
  EXPECT_TRUE(compile(loops(100)).ok());
  const double begin = processorSeconds();
  for (const bool swapped : {false, true}) {
    const auto program = compile(loops(1000), {}, swapped);  // spirv-val would take minutes
    ASSERT_FALSE(program.ok());
    EXPECT_NE(program.error().message.find("ETZEL_VALIDATION_LIMIT_MS"), std::string::npos) << program.error().message;
  }
  EXPECT_LT(processorSeconds() - begin, 10);
}

/// A switch with `count` cases, each with a construct of its own.
std::string switchOf(uint32_t count) {
  std::string cases, bodies;
  for (uint32_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    cases += " " + n + " %case" + n;
    bodies += "%case" + n + " = OpLabel\nOpStore %r %u" + std::to_string(i % 2) + "\nOpBranch %merge\n";
  }
  return module("",
                "%u0 = OpConstant %u32 0\n%u1 = OpConstant %u32 1\n%pu = OpTypePointer Private %u32\n"
                "%r = OpVariable %pu Private\n",
                "%x = OpLoad %u32 %r\nOpSelectionMerge %merge None\n"
                "OpSwitch %x %merge" +
                    cases + "\n" + bodies + "%merge = OpLabel\n");
}

/// Seconds, the least of three.
double timeOf(const std::string& text) {
  double least = 1e9;
  for (int round = 0; round < 3; ++round) {
    const double start = processorSeconds();
    const auto program = compile(text);
    EXPECT_TRUE(program.ok()) << program.error().message;
    least = std::min(least, processorSeconds() - start);
  }
  return least;
}

TEST(Limits, CasesOfASwitchTakeNoPowerOfTheirNumber) {
  // Four times as many: 4 where the time follows the number, 64 for its third power. Between 1,500 and 2,000 cases the
  // time triples once, so neither is shorter.
  EXPECT_LT(timeOf(switchOf(8000)), 20 * timeOf(switchOf(2000)));
}

}  // namespace
}  // namespace etzel::lower
