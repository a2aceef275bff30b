// Tile images: the program of a shader that reads them, and modules that break a rule.
#include <algorithm>

#include "compiler/lower/test_kernel.h"

namespace etzel::lower {
namespace {

/// What a module may have otherwise.
struct Variant {
  std::string capability = "OpCapability !4166\nOpCapability !4167\nOpCapability !4168\n";
  std::string model = "Fragment", modes = "OpExecutionMode %main OriginUpperLeft\n";
  std::string decoration = "OpDecorate %tile Location 3\n", image = "%f32 !4173 !0 !0 !0 !2 !0", pointee = "%pair";
  std::string interface = "%out %tile";
  std::string body =
      "%p = OpAccessChain %imagePtr %tile %c1\n%i = OpLoad %image %p\nOpNop\n!0x00051040 %v4 %c %i %c2\n"
      "!0x00041041 %f32 %z %c2\n!0x00031042 %u32 %s\n%r = OpVectorTimesScalar %v4 %c %z\nOpStore %out %r\n";
};

std::string textOf(const Variant& v) {
  return "OpCapability Shader\n" + v.capability +
         "OpExtension \"SPV_EXT_shader_tile_image\"\nOpMemoryModel Logical GLSL450\nOpEntryPoint " + v.model +
         " %main \"main\" " + v.interface + "\n" + v.modes + "OpDecorate %out Location 0\n" + v.decoration +
         "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n%f32 = OpTypeFloat 32\n"
         "%v4 = OpTypeVector %f32 4\n%u4 = OpTypeVector %u32 4\n%c1 = OpConstant %u32 1\n%c2 = OpConstant %u32 2\n"
         "%image = OpTypeImage " +
         v.image +
         "\n%ordinary = OpTypeImage %f32 2D 0 0 0 1 Unknown\n%pair = OpTypeArray %image %c2\n"
         "%imagePtr = OpTypePointer !4172 %image\n%tilePtr = OpTypePointer !4172 " +
         v.pointee +
         "\n%tile = OpVariable %tilePtr !4172\n%outPtr = OpTypePointer Output %v4\n%out = OpVariable %outPtr Output\n"
         "%main = OpFunction %void None %fn\n%entry = OpLabel\n" +
         v.body + "OpReturn\nOpFunctionEnd\n";
}

Result<isa::Program> compiledAs(const Variant& v, spv_target_env version) {
  std::vector<uint32_t> words;
  if (!spvtools::SpirvTools(version).Assemble(textOf(v), &words)) {
    ADD_FAILURE() << textOf(v);
    return Error{ErrorCode::InvalidShader, "no module"};
  }
  compiler::ShaderSource source;
  source.spirv = words;
  source.stage = v.model == "Fragment" ? abi::Stage::Fragment : abi::Stage::Vertex;
  return compiler::compileProgram(source);
}

TEST(TileImages, AreReadByLocationAndSample) {
  // Of newer modules the interface names all variables, of older ones inputs and outputs, and tile images.
  for (const spv_target_env version : {SPV_ENV_VULKAN_1_1, SPV_ENV_VULKAN_1_2}) {
    const auto program = compiledAs({}, version);
    ASSERT_TRUE(program.ok()) << program.error().message;
    EXPECT_TRUE(program->info.readsAttachments && program->info.readsTile);
    for (const auto v : {abi::SysValue::PosX, abi::SysValue::PosY, abi::SysValue::Layer})
      EXPECT_TRUE(program->info.sysValues >> static_cast<uint32_t>(v) & 1);
    std::vector<uint32_t> aspects;
    for (const isa::Inst& inst : program->code)
      if (inst.op == isa::Opcode::AttRd) aspects.push_back(inst.imm);
    // The stencil is not used.
    EXPECT_EQ(aspects, (std::vector<uint32_t>{0, 1}));
    const auto& read = *std::find_if(program->code.begin(), program->code.end(),
                                     [](const isa::Inst& inst) { return inst.op == isa::Opcode::AttRd; });
    ASSERT_EQ(read.src[0].bank, isa::Bank::Param);
    EXPECT_EQ(program->constants[read.src[0].word / 4][read.src[0].word % 4], 4u) << "location 3, element 1";
    EXPECT_EQ(program->constants[read.src[1].word / 4][read.src[1].word % 4], 2u);
  }
}

TEST(TileImages, AskForLessCoherenceThanThereIs) {
  Variant v;
  v.modes += "OpExecutionMode %main !4169\nOpExecutionMode %main !4170\nOpExecutionMode %main !4171\n";
  EXPECT_TRUE(compiledAs(v, SPV_ENV_VULKAN_1_1).ok());
}

TEST(TileImages, CapabilitiesAloneMakeFragmentsPixels) {
  Variant v;
  v.capability = "OpCapability !4167\n", v.interface = "%out", v.decoration = "";
  std::string text = textOf(v);
  v.body = "OpReturn\nOpFunctionEnd\n";
  const size_t types = text.find("%image = "), out = text.find("%outPtr = "), body = text.find("%p = ");
  text = text.substr(0, types) + text.substr(out, body - out) + v.body;
  std::vector<uint32_t> words;
  ASSERT_TRUE(spvtools::SpirvTools(SPV_ENV_VULKAN_1_1).Assemble(text, &words)) << text;
  compiler::ShaderSource source;
  source.spirv = words, source.stage = abi::Stage::Fragment;
  const auto program = compiler::compileProgram(source);
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_TRUE(program->info.readsTile && !program->info.readsAttachments);
}

TEST(TileImages, ThatBreakARuleAreRefused) {
  const auto refused = [](const char* what, auto change) {
    for (const spv_target_env version : {SPV_ENV_VULKAN_1_1, SPV_ENV_VULKAN_1_2}) {
      Variant v;
      change(v);
      EXPECT_FALSE(compiledAs(v, version).ok()) << what;
    }
  };
  const auto body = [](const char* text) { return [=](Variant& v) { v.body = text; }; };
  refused("a capability is missing", [](Variant& v) { v.capability = "OpCapability !4166\nOpCapability !4168\n"; });
  refused("no capability", [](Variant& v) { v.capability = ""; });
  refused("multisampled", [](Variant& v) { v.image = "%f32 !4173 !0 !0 !1 !2 !0"; });
  refused("sampled", [](Variant& v) { v.image = "%f32 !4173 !0 !0 !0 !1 !0"; });
  refused("a format", [](Variant& v) { v.image = "%f32 !4173 !0 !0 !0 !2 !4"; });
  refused("a variable of an ordinary image", [](Variant& v) { v.pointee = "%ordinary"; });
  refused("a component", [](Variant& v) { v.decoration += "OpDecorate %tile Component 0\n"; });
  refused("integers of an image of floats",
          body("%p = OpAccessChain %imagePtr %tile %c1\n%i = OpLoad %image %p\nOpNop\n!0x00041040 %u4 %c %i\n"));
  refused("depth of integers", body("OpNop\n!0x00031041 %u32 %z\n"));
  refused("stencil of floats", body("OpNop\n!0x00031042 %f32 %s\n"));
  refused("a sample that is a float",
          body("OpNop\n!0x00031041 %f32 %z\n%w = OpFAdd %f32 %z %z\nOpNop\n!0x00041041 %f32 %y %w\n"));
  refused("an operand that is nothing", body("OpNop\n!0x00041041 %f32 %z %entry\n"));
  refused("a texture's instruction",
          body("%p = OpAccessChain %imagePtr %tile %c1\n%i = OpLoad %image %p\n%t = OpImageRead %v4 %i %c1\n"));
  refused("a vertex shader", [](Variant& v) { v.model = "Vertex", v.modes = ""; });
}

}  // namespace
}  // namespace etzel::lower
