// Inputs of fragment shaders that are no system values, through the interpreter and through native code: barycentric
// coordinates and per-vertex inputs, against the formulas of runtime/abi/kernel.h, and sizes of fragments.
#include <gtest/gtest.h>

#include <bit>
#include <spirv-tools/libspirv.hpp>

#include "compiler/compiler.h"
#include "compiler/exec/test/machine_codes.h"

namespace etzel::tiers {
namespace {

// color = (BaryCoord.y, BaryCoordNoPersp.z at the offset (0.25, -0.5), value[1], value[uint(FragCoord.x)])
const char* const kShader = R"(
OpCapability Shader
OpCapability InterpolationFunction
OpCapability FragmentBarycentricKHR
OpExtension "SPV_KHR_fragment_shader_barycentric"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color %bary %linear %value %place
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
OpDecorate %bary BuiltIn BaryCoordKHR
OpDecorate %linear BuiltIn BaryCoordNoPerspKHR
OpDecorate %value Location 2
OpDecorate %value PerVertexKHR
OpDecorate %place BuiltIn FragCoord
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%u32 = OpTypeInt 32 0
%v2f = OpTypeVector %f32 2
%v3f = OpTypeVector %f32 3
%v4f = OpTypeVector %f32 4
%c1 = OpConstant %u32 1
%c3 = OpConstant %u32 3
%quarter = OpConstant %f32 0.25
%half = OpConstant %f32 -0.5
%offset = OpConstantComposite %v2f %quarter %half
%array = OpTypeArray %f32 %c3
%arrayIn = OpTypePointer Input %array
%f32In = OpTypePointer Input %f32
%v3fIn = OpTypePointer Input %v3f
%v4fIn = OpTypePointer Input %v4f
%v4fOut = OpTypePointer Output %v4f
%color = OpVariable %v4fOut Output
%bary = OpVariable %v3fIn Input
%linear = OpVariable %v3fIn Input
%value = OpVariable %arrayIn Input
%place = OpVariable %v4fIn Input
%main = OpFunction %void None %fn
%entry = OpLabel
%b = OpLoad %v3f %bary
%x = OpCompositeExtract %f32 %b 1
%l = OpExtInst %v3f %glsl InterpolateAtOffset %linear %offset
%y = OpCompositeExtract %f32 %l 2
%p1 = OpAccessChain %f32In %value %c1
%z = OpLoad %f32 %p1
%at = OpLoad %v4f %place
%ax = OpCompositeExtract %f32 %at 0
%index = OpConvertFToU %u32 %ax
%p2 = OpAccessChain %f32In %value %index
%w = OpLoad %f32 %p2
%result = OpCompositeConstruct %v4f %x %y %z %w
OpStore %color %result
OpReturn
OpFunctionEnd
)";

TEST(FragmentInput, BarycentricsAndVerticesAreTheSameOnEveryWay) {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
  std::vector<uint32_t> words;
  ASSERT_TRUE(tools.Assemble(kShader, &words));
  compiler::ShaderSource source;
  source.spirv = words;
  source.stage = abi::Stage::Fragment;
  auto kernel = compiler::compileKernel(source);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_TRUE((*kernel)->info.readsVertices);
  EXPECT_EQ((*kernel)->info.inputLocations, 1u << 2);

  // A piece that clipping left: its corners lie inside of the primitive.
  constexpr uint32_t kStride = abi::kRecordWords;
  std::vector<uint32_t> records(6 * kStride, 0x7FC00000);
  abi::PrimitiveVertices vertices;
  abi::PrimitiveSetup setup{};
  setup.l1dx = 0.125f, setup.l1dy = -0.03125f, setup.l2dx = 0.0625f, setup.l2dy = 0.25f;
  const float corner[3][6] = {
      {1, 0, 0, 1, 0, 0}, {0.5f, 0.5f, 0, 0.25f, 0.75f, 0}, {0.25f, 0, 0.75f, 0.125f, 0, 0.875f}};
  const float value[3] = {10, 20, 30};
  for (uint32_t v = 0; v < 3; ++v) {
    setup.record[v] = records.data() + v * kStride;
    vertices.record[v] = records.data() + (3 + v) * kStride;
    records[(3 + v) * kStride + abi::locationWord(2, 0)] = std::bit_cast<uint32_t>(value[v]);
    std::copy(corner[v], corner[v] + 6, vertices.barycentric[v]);
    setup.w[v] = 1.0f / float(v + 1);
  }
  setup.flatRecord = setup.record[0];
  setup.vertices = &vertices;

  alignas(32) LaneWords sys[abi::kSysValueCount] = {}, out[abi::kFragmentOutWords] = {};
  auto set = [&](abi::SysValue s, uint32_t lane, float f) { sys[uint32_t(s)][lane] = std::bit_cast<uint32_t>(f); };
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const float x = float(i % 4) + 0.5f, y = float(i / 4) + 0.5f;
    set(abi::SysValue::PosX, i, x), set(abi::SysValue::PosY, i, y);
    set(abi::SysValue::FragCoordX, i, x), set(abi::SysValue::FragCoordY, i, y);
  }
  const auto codes = exec::test::machineCodes(compiler::programOf(**kernel));
  for (size_t way = 0; way <= codes.size(); ++way) {
    SCOPED_TRACE(way ? codes[way - 1].name : "interpreted");
    if (way) (*kernel)->executable.store(codes[way - 1].code->executable());
    const abi::Kernel& k = **kernel;
    std::vector<LaneWords> registers(k.registerWords + 1), state(k.stateBytes / 32 + 1), scratch(k.scratchBytes + 1);
    abi::DispatchContext context;
    abi::Warp warp;
    warp.context = &context, warp.kernel = &k, warp.active = kAllLanes;
    warp.sys = sys, warp.out = out, warp.registers = registers.data(), warp.executorState = state.data();
    warp.scratch = reinterpret_cast<std::byte*>(scratch.data());
    warp.primitive = &setup;
    ASSERT_EQ(k.run(&warp), abi::WarpStatus::Done);
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      const float x = float(i % 4) + 0.5f, y = float(i / 4) + 0.5f;
      float l1 = x * setup.l1dx + y * setup.l1dy, l2 = x * setup.l2dx + y * setup.l2dy;
      const float w = setup.w[0] + l1 * (setup.w[1] - setup.w[0]) + l2 * (setup.w[2] - setup.w[0]);
      const float wi = l1 * setup.w[1] / w, wj = l2 * setup.w[2] / w;
      l1 = (x + 0.25f) * setup.l1dx + (y - 0.5f) * setup.l1dy, l2 = (x + 0.25f) * setup.l2dx + (y - 0.5f) * setup.l2dy;
      auto at = [&](uint32_t word, float a, float b) {
        return corner[0][word] + a * (corner[1][word] - corner[0][word]) + b * (corner[2][word] - corner[0][word]);
      };
      const float want[4] = {at(1, wi, wj), at(5, l1, l2), value[1], i % 4 < 3 ? value[i % 4] : 0};
      for (uint32_t c = 0; c < 4; ++c)
        EXPECT_EQ(std::bit_cast<float>(out[abi::kFragOutColor + c][i]), want[c]) << "lane " << i << " word " << c;
    }
  }
}

// color = (FragSizeEXT, FragInvocationCountEXT, 0), as integers
const char* const kDensity = R"(
OpCapability Shader
OpCapability FragmentDensityEXT
OpExtension "SPV_EXT_fragment_invocation_density"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color %size %count
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
OpDecorate %size BuiltIn FragSizeEXT
OpDecorate %size Flat
OpDecorate %count BuiltIn FragInvocationCountEXT
OpDecorate %count Flat
%void = OpTypeVoid
%fn = OpTypeFunction %void
%i32 = OpTypeInt 32 1
%v2i = OpTypeVector %i32 2
%v4i = OpTypeVector %i32 4
%c0 = OpConstant %i32 0
%v2iIn = OpTypePointer Input %v2i
%i32In = OpTypePointer Input %i32
%v4iOut = OpTypePointer Output %v4i
%color = OpVariable %v4iOut Output
%size = OpVariable %v2iIn Input
%count = OpVariable %i32In Input
%main = OpFunction %void None %fn
%entry = OpLabel
%s = OpLoad %v2i %size
%n = OpLoad %i32 %count
%result = OpCompositeConstruct %v4i %s %n %c0
OpStore %color %result
OpReturn
OpFunctionEnd
)";

TEST(FragmentInput, SizesAreThoseOfTheRate) {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
  std::vector<uint32_t> words;
  ASSERT_TRUE(tools.Assemble(kDensity, &words));
  compiler::ShaderSource source;
  source.spirv = words;
  source.stage = abi::Stage::Fragment;
  auto kernel = compiler::compileKernel(source);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  alignas(32) LaneWords sys[abi::kSysValueCount] = {}, out[abi::kFragmentOutWords] = {};
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    sys[uint32_t(abi::SysValue::ShadingRate)][i] = (i % 3) << 2 | i / 3;
    sys[uint32_t(abi::SysValue::InvocationCount)][i] = i + 1;
  }
  const auto codes = exec::test::machineCodes(compiler::programOf(**kernel));
  abi::PrimitiveSetup setup{};
  for (size_t way = 0; way <= codes.size(); ++way) {
    SCOPED_TRACE(way ? codes[way - 1].name : "interpreted");
    if (way) (*kernel)->executable.store(codes[way - 1].code->executable());
    const abi::Kernel& k = **kernel;
    std::vector<LaneWords> registers(k.registerWords + 1), state(k.stateBytes / 32 + 1);
    abi::DispatchContext context;
    abi::Warp warp;
    warp.context = &context, warp.kernel = &k, warp.active = kAllLanes;
    warp.sys = sys, warp.out = out, warp.registers = registers.data(), warp.executorState = state.data();
    warp.primitive = &setup;
    ASSERT_EQ(k.run(&warp), abi::WarpStatus::Done);
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      EXPECT_EQ(out[abi::kFragOutColor][i], 1u << i % 3) << "lane " << i;
      EXPECT_EQ(out[abi::kFragOutColor + 1][i], 1u << i / 3) << "lane " << i;
      EXPECT_EQ(out[abi::kFragOutColor + 2][i], i + 1) << "lane " << i;
    }
  }
}

}  // namespace
}  // namespace etzel::tiers
