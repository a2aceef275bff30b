// Runs a few SPIR-V instructions, written as assembly, on one warp: what the tests of compiler/lower share.
//
// The body sees 16 input words per invocation as %u0..%u15 (uint), %i0.. (int) and %f0.. (float), and gives results
// with OUT(k, %id): %id is a uint. Further names: types %void %bool %u32 %i32 %f32 %v2f %v3f %v4f %v2u %v4u, the
// constants %c0..%c31 (uint), %lane (gl_LocalInvocationIndex), %glsl (GLSL.std.450), %out (the buffer), %outPtr
// (pointer type).
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <spirv-tools/libspirv.hpp>
#include <string>

#include "compiler/compiler.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::lower::test {

using Words = std::array<std::array<uint32_t, 16>, kWarpLanes>;  ///< [lane][n]

inline uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }
inline float number(uint32_t u) { return std::bit_cast<float>(u); }

/// The module around `body`: `head` has further capabilities and extensions, `decorations` annotations, `types` types,
/// constants and variables.
inline std::string moduleText(const std::string& body, const std::string& head, const std::string& types,
                              const std::string& decorations) {
  std::string text = "OpCapability Shader\n" + head +
                     "%glsl = OpExtInstImport \"GLSL.std.450\"\n"
                     "OpMemoryModel Logical GLSL450\n"
                     "OpEntryPoint GLCompute %main \"main\" %laneVar\n"
                     "OpExecutionMode %main LocalSize 8 1 1\n"
                     "OpDecorate %laneVar BuiltIn LocalInvocationIndex\n"
                     "OpDecorate %words ArrayStride 4\n"
                     "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
                     "OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 0\n"
                     "OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 1\n" +
                     decorations +
                     "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n"
                     "%u32 = OpTypeInt 32 0\n%i32 = OpTypeInt 32 1\n%f32 = OpTypeFloat 32\n"
                     "%v2f = OpTypeVector %f32 2\n%v3f = OpTypeVector %f32 3\n%v4f = OpTypeVector %f32 4\n"
                     "%v2u = OpTypeVector %u32 2\n%v4u = OpTypeVector %u32 4\n%v3u = OpTypeVector %u32 3\n"
                     "%words = OpTypeRuntimeArray %u32\n%block = OpTypeStruct %words\n"
                     "%blockPtr = OpTypePointer StorageBuffer %block\n%outPtr = OpTypePointer StorageBuffer %u32\n"
                     "%in = OpVariable %blockPtr StorageBuffer\n%out = OpVariable %blockPtr StorageBuffer\n"
                     "%lanePtr = OpTypePointer Input %u32\n%laneVar = OpVariable %lanePtr Input\n";
  for (int i = 0; i < 32; ++i) text += "%c" + std::to_string(i) + " = OpConstant %u32 " + std::to_string(i) + "\n";
  text += "%true = OpConstantTrue %bool\n%false = OpConstantFalse %bool\n";
  text += types;
  text +=
      "%main = OpFunction %void None %fn\n%entry = OpLabel\n%lane = OpLoad %u32 %laneVar\n"
      "%base = OpIMul %u32 %lane %c16\n";
  for (int i = 0; i < 16; ++i) {
    const std::string n = std::to_string(i);
    if (body.find(n) == std::string::npos) continue;
    text += "%at" + n + " = OpIAdd %u32 %base %c" + n + "\n%ip" + n + " = OpAccessChain %outPtr %in %c0 %at" + n +
            "\n%u" + n + " = OpLoad %u32 %ip" + n + "\n%i" + n + " = OpBitcast %i32 %u" + n + "\n%f" + n +
            " = OpBitcast %f32 %u" + n + "\n";
  }
  // OUT(k, %id)
  size_t at = 0;
  for (size_t next; (next = body.find("OUT(", at)) != std::string::npos;) {
    text += body.substr(at, next - at);
    const size_t comma = body.find(',', next), close = body.find(')', next);
    const std::string k = body.substr(next + 4, comma - next - 4), id = body.substr(comma + 1, close - comma - 1);
    text += "%oat" + k + " = OpIAdd %u32 %base %c" + k + "\n%op" + k + " = OpAccessChain %outPtr %out %c0 %oat" + k +
            "\nOpStore %op" + k + " " + id + "\n";
    at = close + 1;
  }
  return text + body.substr(at) + "\nOpReturn\nOpFunctionEnd\n";
}

/// A module as the compiler is given it: %in and %out are bindings 0 and 1.
inline compiler::ShaderSource sourceOf(const std::vector<uint32_t>& words) {
  compiler::ShaderSource source;
  source.spirv = words;
  source.bindings[{0, 0}] = {0, 0};
  source.bindings[{0, 1}] = {0, 32};
  return source;
}

/// Whether the module of a text (moduleText) compiles. Fails the test when it does not assemble.
inline bool compiles(const std::string& text) {
  std::vector<uint32_t> words;
  if (!spvtools::SpirvTools(SPV_ENV_VULKAN_1_1).Assemble(text, &words)) {
    ADD_FAILURE() << text;
    return false;
  }
  return compiler::compileProgram(sourceOf(words)).ok();
}

/// The body's program.
inline isa::Program compiled(const std::string& body, const std::string& types) {
  std::vector<uint32_t> words;
  if (!spvtools::SpirvTools(SPV_ENV_VULKAN_1_1).Assemble(moduleText(body, "", types, ""), &words)) {
    ADD_FAILURE() << moduleText(body, "", types, "");
    return {};
  }
  auto program = compiler::compileProgram(sourceOf(words));
  if (!program.ok()) {
    ADD_FAILURE() << program.error().message;
    return {};
  }
  return std::move(*program);
}

/// Runs the body once on eight lanes. Fails the test and gives zeros when the text does not assemble or compile.
inline Words run(const std::string& body, const Words& in, const std::string& head = "", const std::string& types = "",
                 LaneMask active = kAllLanes, Words* inAfter = nullptr, const std::string& decorations = "",
                 const abi::FunctionTable* functions = nullptr) {
  Words out{};
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
  std::string message;
  tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& p, const char* m) {
    message += std::to_string(p.line) + ": " + m + "\n";
  });
  std::vector<uint32_t> words;
  const std::string text = moduleText(body, head, types, decorations);
  if (!tools.Assemble(text, &words)) {
    ADD_FAILURE() << "assembler: " << message << text;
    return out;
  }
  compiler::ShaderSource source;
  source.spirv = words;
  source.bindings[{0, 0}] = {0, 0};
  source.bindings[{0, 1}] = {0, 32};
  for (uint32_t i = 2; i < 6; ++i) source.bindings[{0, i}] = {0, 32 * i};  // null descriptors, for images
  auto kernel = compiler::compileKernel(source);
  if (!kernel.ok()) {
    ADD_FAILURE() << kernel.error().message;
    return out;
  }
  Words input = in;
  abi::BufferDescriptor table[6] = {{reinterpret_cast<uint64_t>(input.data()), sizeof input, {}},
                                    {reinterpret_cast<uint64_t>(out.data()), sizeof out, {}}};
  abi::DispatchContext context;
  static const std::byte zeros[abi::kNullBytes] = {};
  context.table[0] = reinterpret_cast<const std::byte*>(table);
  context.tableBytes[0] = sizeof table;
  context.table[abi::kNullTable] = zeros;
  context.tableBytes[abi::kNullTable] = 64;
  context.pushConstants = zeros;
  context.functions = functions ? functions : &tex::functionTable();
  const abi::Kernel& k = **kernel;
  std::vector<LaneWords> sys(abi::kSysValueCount), registers(k.registerWords + 1), state(k.stateBytes / 32 + 1),
      scratch(k.scratchBytes * kWarpLanes / 32 + 1), shared(k.sharedBytes / 32 + 1);
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    sys[uint32_t(abi::SysValue::LocalIndex)][i] = i;
    sys[uint32_t(abi::SysValue::LaneId)][i] = i;
  }
  abi::Warp warp;
  warp.context = &context, warp.kernel = &k, warp.active = active;
  warp.sys = sys.data(), warp.registers = registers.data();
  warp.scratch = reinterpret_cast<std::byte*>(scratch.data());
  warp.shared = reinterpret_cast<std::byte*>(shared.data());
  warp.executorState = state.data();
  abi::WarpStatus status = k.run(&warp);
  while (status == abi::WarpStatus::AtBarrier) status = k.run(&warp);  // the only warp of its workgroup
  EXPECT_EQ(status, abi::WarpStatus::Done);
  if (inAfter) *inAfter = input;
  return out;
}

}  // namespace etzel::lower::test
