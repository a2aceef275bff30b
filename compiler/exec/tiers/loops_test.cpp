// SPIR-V through the interpreter and through native code: values that lanes take out of a loop at different times,
// loops and branches inside of divergent ones, and what is fused.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "compiler/compiler.h"
#include "compiler/exec/test/machine_codes.h"
#include "compiler/lower/test_kernel.h"
#include "runtime/task/dispatch.h"

namespace etzel::tiers {
namespace {

using lower::test::Words;

/// Runs a body of test_kernel.h on eight lanes in the interpreter and as machine code: they must agree.
Words run(const std::string& body, const Words& in, const std::string& decorations = "") {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
  std::vector<uint32_t> words;
  if (!tools.Assemble(lower::test::moduleText(body, "", "", decorations), &words)) {
    ADD_FAILURE() << "does not assemble";
    return {};
  }
  compiler::ShaderSource source;
  source.spirv = words;
  source.bindings[{0, 0}] = {0, 0};
  source.bindings[{0, 1}] = {0, 32};
  auto kernel = compiler::compileKernel(source);
  if (!kernel.ok()) {
    ADD_FAILURE() << kernel.error().message;
    return {};
  }
  const auto codes = exec::test::machineCodes(compiler::programOf(**kernel));
  std::vector<Words> results(codes.size() + 1);
  for (size_t way = 0; way <= codes.size(); ++way) {
    if (way) (*kernel)->executable.store(codes[way - 1].code->executable());
    Words input = in;
    abi::BufferDescriptor table[2] = {{reinterpret_cast<uint64_t>(input.data()), sizeof input, {}},
                                      {reinterpret_cast<uint64_t>(results[way].data()), sizeof(Words), {}}};
    const std::byte zeros[abi::kNullBytes] = {};
    abi::DispatchContext context;
    context.table[0] = reinterpret_cast<const std::byte*>(table), context.tableBytes[0] = sizeof table;
    context.table[abi::kNullTable] = zeros, context.tableBytes[abi::kNullTable] = 32;
    context.pushConstants = zeros;
    task::Pool pool(1);
    EXPECT_TRUE(task::dispatch(pool, **kernel, context, {}));
    EXPECT_EQ(results[0], results[way]) << (way ? codes[way - 1].name : "");
  }
  return results[0];
}

TEST(Loops, ValuesKeepTheirLanesWhenLanesLeaveALoopOneByOne) {
  // for (n = 0;; ++n) { v = n * n + u0; if (n == lane) break; }
  const Words out = run(R"(
    OpBranch %head
    %head = OpLabel
    %n = OpPhi %u32 %c0 %entry %n1 %next
    OpLoopMerge %merge %next None
    OpBranch %body
    %body = OpLabel
    %square = OpIMul %u32 %n %n
    %v = OpIAdd %u32 %square %u0
    %last = OpIEqual %bool %n %lane
    OpBranchConditional %last %merge %next
    %next = OpLabel
    %n1 = OpIAdd %u32 %n %c1
    OpBranch %head
    %merge = OpLabel
    OUT(0, %v)
    OUT(1, %n)
  )",
                        [] {
                          Words in{};
                          for (uint32_t i = 0; i < kWarpLanes; ++i) in[i][0] = 100 * i;
                          return in;
                        }());
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    EXPECT_EQ(out[i][0], i * i + 100 * i) << "lane " << i;
    EXPECT_EQ(out[i][1], i) << "lane " << i;
  }
}

TEST(Loops, LoopsOfKnownLengthInsideDivergentBranches) {
  // sum = 1; if (lane < 5) for (n = 0; n < 7; ++n) sum += sum + lane;
  const Words out = run(R"(
    %some = OpULessThan %bool %lane %c5
    OpSelectionMerge %end None
    OpBranchConditional %some %pre %end
    %pre = OpLabel
    OpBranch %head
    %head = OpLabel
    %n = OpPhi %u32 %c0 %pre %n1 %next
    %sum = OpPhi %u32 %c1 %pre %sum1 %next
    OpLoopMerge %merge %next None
    OpBranch %test
    %test = OpLabel
    %more = OpULessThan %bool %n %c7
    OpBranchConditional %more %next %merge
    %next = OpLabel
    %twice = OpIAdd %u32 %sum %sum
    %sum1 = OpIAdd %u32 %twice %lane
    %n1 = OpIAdd %u32 %n %c1
    OpBranch %head
    %merge = OpLabel
    OpBranch %end
    %end = OpLabel
    %r = OpPhi %u32 %c1 %entry %sum %merge
    OUT(0, %r)
  )",
                        {});
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    uint32_t sum = 1;
    for (int n = 0; i < 5 && n < 7; ++n) sum += sum + i;
    EXPECT_EQ(out[i][0], sum) << "lane " << i;
  }
}

TEST(Loops, ProductsAndSumsAreFusedUnlessTheShaderForbidsIt) {
  Words in{};
  const float a = 1.0f + 0x1p-12f, c = -(1.0f + 0x1p-11f);  // a * a + c is 2^-24, or 0 when the product is rounded
  for (auto& lane : in) lane[0] = std::bit_cast<uint32_t>(a), lane[1] = std::bit_cast<uint32_t>(c);
  const std::string body = R"(
    %product = OpFMul %f32 %f0 %f0
    %total = OpFAdd %f32 %product %f1
    %r = OpBitcast %u32 %total
    OUT(0, %r)
  )";
  EXPECT_EQ(std::bit_cast<float>(run(body, in)[0][0]), 0x1p-24f);
  EXPECT_EQ(std::bit_cast<float>(run(body, in, "OpDecorate %total NoContraction\n")[0][0]), 0.0f);
  EXPECT_EQ(std::bit_cast<float>(run(body, in, "OpDecorate %product NoContraction\n")[0][0]), 0.0f);
}

TEST(Loops, SinesOfHugeNumbersAreThoseOfTheInterpreter) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float x[] = {0x1.f37c8ap+95f, -3.4e38f, 1e10f, 0x1p22f, 4194303.0f, -0.0f, kInf, 1.0f};
  Words in{};
  for (uint32_t i = 0; i < kWarpLanes; ++i) in[i][0] = in[(i + 1) % kWarpLanes][1] = std::bit_cast<uint32_t>(x[i]);
  const Words out = run(R"(
    %s = OpExtInst %f32 %glsl Sin %f0
    %c = OpExtInst %f32 %glsl Cos %f1
    %si = OpBitcast %u32 %s
    %ci = OpBitcast %u32 %c
    OUT(0, %si)
    OUT(1, %ci)
  )",
                        in);
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const float sine = std::bit_cast<float>(out[i][0]), cosine = std::bit_cast<float>(out[(i + 1) % kWarpLanes][1]);
    if (x[i] == kInf) {
      EXPECT_TRUE(std::isnan(sine) && std::isnan(cosine));
      continue;
    }
    EXPECT_NEAR(sine, std::sin((long double)x[i]), 1e-7) << x[i];
    EXPECT_NEAR(cosine, std::cos((long double)x[i]), 1e-7) << x[i];
  }
}

}  // namespace
}  // namespace etzel::tiers
