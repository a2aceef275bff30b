// Faults: which instructions of which invocations make one, and which look as if they did.
#include "compiler/debug/fault.h"

#include <bit>
#include <limits>

#include "compiler/debug/test_group.h"
#include "compiler/lower/test_kernel.h"

namespace etzel::debugger::test {
namespace {

constexpr size_t kEnough = 16 << 20;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Lanes of the instruction that has a fault of a kind first, or of `all` instructions: "2 5"; empty: none has.
std::string lanesOf(Group& group, FaultKind kind, bool all = false) {
  if (!group.what) return "the shader does not compile";
  GroupRun run(group.what, group.list(), kEnough);
  std::string lanes;
  run.forward(Go::On, 0, [&](GroupRun& r, uint32_t w) {
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
      if (faultAhead(r, w, bitOf(kind), static_cast<LaneMask>(1u << lane)))
        lanes += (lanes.empty() ? "" : " ") + std::to_string(lane);
    return !lanes.empty() && !all;
  });
  return lanes;
}

/// An invocation for each of the numbers x, which has a `statement` with it.
std::string faultsOf(FaultKind kind, const std::string& statement, const std::vector<float>& x) {
  Group group(R"(#version 450
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_EXT_shader_atomic_float : enable
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer In { float b[]; } source;
layout(binding = 1) buffer Result { float b[]; } result;
void main() {
  uint id = gl_LocalInvocationIndex;
  float x = source.b[id];
  float y;
  )" + statement + "\n  result.b[id] = y;\n}\n",
              1);
  for (size_t i = 0; i < x.size(); ++i) group.in[i] = std::bit_cast<uint32_t>(x[i]);
  return lanesOf(group, kind);
}
std::string numbers(const std::string& statement, const std::vector<float>& x) {
  return faultsOf(FaultKind::NotANumber, statement, x);
}

TEST(Faults, NumbersBecomeInfinite) {
  EXPECT_EQ(numbers("y = ldexp(x, 100);", {1, 1e30f, 0, -1e20f}), "1 3");
  EXPECT_EQ(numbers("y = float(double(x) * 1e300LF);", {0, 0, 1, -1e-10f}), "2 3");
  EXPECT_EQ(numbers("y = unpackHalf2x16(packHalf2x16(vec2(x, 0.0))).x;", {65504, 65519, 65520, -1e6f}), "2 3");
  EXPECT_EQ(numbers("y = exp(x);", {88, 89}), "1");
  EXPECT_EQ(numbers("y = inversesqrt(x);", {1, 2, 0, 4, 5, 6, 7, 8}), "2");
}

TEST(Faults, InfinitiesBecomeNaN) {
  EXPECT_EQ(numbers("y = x - x;", {1, kInfinity, 2, -kInfinity}), "1 3");
  EXPECT_EQ(numbers("y = x * 0.0;", {1, 2, kInfinity}), "2");
  EXPECT_EQ(numbers("y = sin(x);", {1, 2, 3, kInfinity}), "3");
  EXPECT_EQ(numbers("y = fract(x);", {1, kInfinity}), "1");
}

TEST(Faults, RemaindersAreWhatTheirFormulaMakesThem) {
  EXPECT_EQ(numbers("y = mod(1.0, x);", {2, kInfinity, 3, -kInfinity, 5, 6, 7, 8}), "1 3");
  EXPECT_EQ(numbers("y = mod(x, 1e-37);", {1, 1e38f, 0, -1e38f}), "1 3");  // the quotient is infinite
  EXPECT_EQ(numbers("y = mod(x, 3.0);", {1, 3e38f, -3e38f, kInfinity}), "3");
}

TEST(Faults, PowersOfOneAndOfNegativeNumbers) {
  EXPECT_EQ(numbers("y = pow(1.0, x);", {2, kInfinity, 3, -kInfinity}), "1 3");
  EXPECT_EQ(numbers("y = pow(x, 2.5);", {-1, 2, 1e20f, 0, kInfinity}), "0 2");
}

TEST(Faults, WhatWasThereBeforeDoesNotAppear) {
  EXPECT_EQ(numbers("y = x * 2.0 + 1.0;", {1, kInfinity, std::numeric_limits<float>::quiet_NaN(), -kInfinity}), "");
  EXPECT_EQ(numbers("y = subgroupAdd(x);", {1, kInfinity}), "");
}

TEST(Faults, SubgroupsBecomeInfiniteTogether) {
  const std::vector<float> large(8, 2e38f);
  EXPECT_EQ(numbers("y = subgroupAdd(x);", large), "0 1 2 3 4 5 6 7");
  EXPECT_EQ(numbers("y = subgroupInclusiveAdd(x);", large), "1 2 3 4 5 6 7");
  EXPECT_EQ(numbers("y = subgroupExclusiveMul(x);", large), "2 3 4 5 6 7");
  EXPECT_EQ(numbers("y = subgroupAdd(x);", {1, 2, kInfinity, -kInfinity}), "0 1 2 3 4 5 6 7");
  // Neighbours are added first, so that nothing is too large.
  EXPECT_EQ(numbers("y = subgroupAdd(x);", {2e38f, -2e38f, 2e38f, -2e38f}), "");
  EXPECT_EQ(numbers("y = subgroupMax(x);", large), "");
}

/// The square of a matrix of 8 by 8, whose rows are lanes.
TEST(Faults, ProductsOfMatricesBecomeInfiniteInTheirRows) {
  const std::string text = lower::test::moduleText(
      "%p = OpAccessChain %outPtr %in %c0 %c0\n%q = OpAccessChain %outPtr %out %c0 %c0\nOpNop\n"
      "!0x00061169 %mA %a %p %c0 %c8\n!0x00061169 %mB %b %p %c0 %c8\n!0x0006116B %mC %r %a %b %zeros\n"
      "!0x0005116A %q %r %c0 %c8\n",
      "OpCapability !6022\n",
      "!0x00071168 %mA %f32 %c3 %c8 %c8 %c0\n!0x00071168 %mB %f32 %c3 %c8 %c8 %c1\n"
      "!0x00071168 %mC %f32 %c3 %c8 %c8 %c2\n%zero = OpConstant %f32 0\n%zeros = OpConstantComposite %mC %zero\n",
      "");
  std::vector<uint32_t> words;
  ASSERT_TRUE(spvtools::SpirvTools(SPV_ENV_VULKAN_1_1).Assemble(text, &words));
  const auto infinite = [&](float large) {
    Group group(words, 1);
    const auto set = [&](uint32_t row, uint32_t column, float f) {
      group.in[row * 8 + column] = std::bit_cast<uint32_t>(f);
    };
    set(2, 0, large), set(6, 1, large), set(0, 5, 2), set(1, 7, 1);
    return lanesOf(group, FaultKind::NotANumber);
  };
  EXPECT_EQ(infinite(2e38f), "2");
  EXPECT_EQ(infinite(1e38f), "");
}

TEST(Faults, AtomicsFindWhatOthersLeft) {
  EXPECT_EQ(numbers("y = atomicAdd(result.b[9], x);", {1e38f, 1e38f, 1e38f, 1e38f, 1e38f}), "3");
  EXPECT_EQ(numbers("y = atomicAdd(result.b[9 + id], x);", {1e38f, 1e38f, 1e38f, 1e38f, 1e38f}), "");
}

TEST(Faults, IndicesLeaveVariablesOfTheInvocation) {
  const std::string arrays = R"(float before[4];
  float xs[6];
  float behind[4];
  for (uint i = 0u; i < 4u; ++i) { before[i] = float(i); behind[i] = float(i); }
  for (uint i = 0u; i < 6u; ++i) xs[i] = float(i * id);
  )";
  const std::vector<float> indices = {0, 5, 6, 1, -1, 2, 1000000, 3};
  const auto bounds = [&](const std::string& statement) {
    return faultsOf(FaultKind::OutOfBounds, arrays + statement + " y += before[id % 4u] + behind[id % 3u];", indices);
  };
  EXPECT_EQ(bounds("y = xs[int(x)];"), "2 4 6");
  EXPECT_EQ(bounds("xs[int(x)] = 1.0; y = xs[id % 6u];"), "2 4 6");
  EXPECT_EQ(bounds("y = xs[id % 6u];"), "");
  // What is constant has no variable of its own, but its table ends somewhere.
  EXPECT_EQ(bounds("y = float[](1.0, 2.0, 4.0, 8.0, 16.0, 32.0)[int(x)];"), "2 4 6");
}

TEST(Faults, WhoWasDemotedMakesNone) {
  const std::vector<uint32_t> shader = compileGlsl(R"(#version 450
#extension GL_EXT_demote_to_helper_invocation : enable
layout(binding = 0) readonly buffer In { float b[]; } source;
layout(location = 0) out vec4 color;
void main() {
  int id = int(gl_FragCoord.x);
  if (id >= 4) demote;
  float x = source.b[id];
  if (id >= 4) demote;
  color = vec4(1.0 / x, source.b[id * 1000], 0.0, 1.0);
})",
                                                   "frag");
  const auto faults = [&](FaultKind kind) {
    Group group(shader, 1, abi::Stage::Fragment);
    for (uint32_t i = 0; i < kWarpLanes; ++i) group.in[i] = std::bit_cast<uint32_t>(i % 4 == 3 ? 0.0f : 1.0f);
    return lanesOf(group, kind, true);
  };
  EXPECT_EQ(faults(FaultKind::DivisionByZero), "3");
  EXPECT_EQ(faults(FaultKind::OutOfBounds), "1 2 3");
  EXPECT_EQ(faults(FaultKind::Discard), "4 5 6 7") << "once";
}

}  // namespace
}  // namespace etzel::debugger::test
