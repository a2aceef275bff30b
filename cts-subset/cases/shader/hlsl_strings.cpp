// VK_GOOGLE_decorate_string, VK_GOOGLE_hlsl_functionality1, VK_GOOGLE_user_type: what compilers of HLSL say about
// variables and members changes nothing. Shaders of every stage, as they are and with words about each of their
// variables, draw or compute the same, which is known.
#include "cts-subset/cases/shader/hlsl_strings.h"

#include <set>
#include <spirv-tools/libspirv.hpp>
#include <sstream>

#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

/// Begins the text of modules for Gpu::shader().
constexpr const char* kAssembly = "; SPIR-V\n";

/// The module in assembly, with a semantic and a type of its user for everything between stages, types for all other
/// variables and for members of blocks, and a counter for buffers that are `counted`.
std::string described(VkShaderStageFlagBits stage, const std::string& glsl, const std::string& counted = "",
                      const std::string& counter = "") {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  std::string plain;
  if (!tools.Disassemble(compileGlsl(stage, glsl), &plain,
                         SPV_BINARY_TO_TEXT_OPTION_NO_HEADER | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES))
    throw Failure("disassembling");
  std::string words;
  std::set<std::string> seen;
  uint32_t number = 0;
  std::istringstream all(plain);
  for (std::string line; std::getline(all, line);) {
    std::istringstream in(line);
    std::string id, equals, op, type, storage;
    in >> id >> equals >> op >> type >> storage;
    if (op == "OpVariable" && storage != "Function") {
      words += "OpDecorateString " + id + " UserTypeGOOGLE \"mine<" + std::to_string(number) + ">\"\n";
      if (storage == "Input" || storage == "Output")
        words += "OpDecorateString " + id + " HlslSemanticGOOGLE \"Sem" + std::to_string(number) + "\"\n";
      ++number;
    }
    if (op == "OpTypeStruct" && !type.empty()) {
      words += "OpMemberDecorateString " + id + " 0 HlslSemanticGOOGLE \"Member\"\n";
      words += "OpMemberDecorateString " + id + " 0 UserTypeGOOGLE \"int4\"\n";
    }
  }
  if (!counted.empty()) words += "OpDecorateId %" + counted + " HlslCounterBufferGOOGLE %" + counter + "\n";
  std::string out = kAssembly;
  bool extended = false, decorated = false;
  all = std::istringstream(plain);
  for (std::string line; std::getline(all, line);) {
    const size_t at = line.find_first_not_of(' ');
    const bool starts = at != std::string::npos;
    if (!extended && starts && line.compare(at, 12, "OpCapability") != 0) {
      out +=
          "OpExtension \"SPV_GOOGLE_decorate_string\"\nOpExtension \"SPV_GOOGLE_hlsl_functionality1\"\n"
          "OpExtension \"SPV_GOOGLE_user_type\"\n";
      extended = true;
    }
    if (!decorated && line.find("= OpType") != std::string::npos) out += words, decorated = true;
    out += line + "\n";
  }
  return out;
}

void computes(Gpu& gpu) {
  gpu.requireExtension("VK_GOOGLE_hlsl_functionality1");
  gpu.requireExtension("VK_GOOGLE_user_type");
  const std::string glsl =
      "#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) buffer Data { uint data[]; } items;\n"
      "layout(binding=1) buffer Counter { uint n; } counter;\n"
      "shared uint last[64];\nvoid main() { uint i = gl_LocalInvocationIndex; last[i] = items.data[i] * 3u; "
      "barrier();\n"
      "  items.data[i] = last[63u - i] + 1u; atomicAdd(counter.n, 2u); }\n";
  std::vector<uint32_t> numbers(64);
  for (uint32_t i = 0; i < 64; ++i) numbers[i] = i * i;
  Buffer items = gpu.buffer(numbers), counter = gpu.buffer(std::vector<uint32_t>(1));
  Dispatch d{described(VK_SHADER_STAGE_COMPUTE_BIT, glsl, "items", "counter")};
  d.bindings = {storage(items), storage(counter)};
  gpu.dispatch(d);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(items.as<uint32_t>()[i], numbers[63 - i] * 3 + 1) << i;
  EXPECT_EQ(counter.as<uint32_t>()[0], 128u);
}

/// A target that is covered by what goes through stages behind the vertex shader, and has a colour of all of them.
void draws(Gpu& gpu, bool tessellates, bool amplifies) {
  gpu.requireExtension("VK_GOOGLE_hlsl_functionality1");
  gpu.requireExtension("VK_GOOGLE_user_type");
  constexpr uint32_t kSize = 8;
  Image color = gpu.image({.width = kSize, .height = kSize, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  DrawState s;
  s.colors = {color};
  s.clearColors = VkClearValue{};
  const std::string head = "#version 450\n";
  s.vert = described(VK_SHADER_STAGE_VERTEX_BIT,
                     head +
                         "layout(location=0) out vec4 color;\nvoid main() { color = vec4(0.2, 0.4, 0.6, 0.8);\n"
                         "  gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1); }\n");
  if (tessellates) {
    gpu.require(gpu.features.features.tessellationShader, "tessellationShader");
    s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, s.patchPoints = 3;
    s.tesc = described(
        VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
        head +
            "layout(vertices=3) out;\nlayout(location=0) in vec4 color[];\nlayout(location=0) out vec4 next[];\n"
            "layout(location=1) patch out float part;\nvoid main() { next[gl_InvocationID] = color[gl_InvocationID];\n"
            "  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; part = 0.2;\n"
            "  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 2; }\n");
    s.tese = described(
        VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
        head +
            "layout(triangles) in;\nlayout(location=0) in vec4 next[];\nlayout(location=1) patch in float part;\n"
            "layout(location=0) out vec4 color;\nvoid main() { color = next[0] + vec4(part, 0, 0, 0);\n"
            "  gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y +\n"
            "                gl_in[2].gl_Position * gl_TessCoord.z; }\n");
  }
  if (amplifies) {
    gpu.require(gpu.features.features.geometryShader, "geometryShader");
    s.geom = described(VK_SHADER_STAGE_GEOMETRY_BIT,
                       head +
                           "layout(triangles) in;\nlayout(triangle_strip, max_vertices=3) out;\n"
                           "layout(location=0) in vec4 color[];\nlayout(location=0) out vec4 next;\n"
                           "void main() { for (int i = 0; i < 3; ++i) { next = color[i] + vec4(0, 0.2, 0, 0);\n"
                           "  gl_Position = gl_in[i].gl_Position; EmitVertex(); } EndPrimitive(); }\n");
  }
  s.frag = described(VK_SHADER_STAGE_FRAGMENT_BIT,
                     head +
                         "layout(location=0) in vec4 color;\nlayout(location=0) out vec4 result;\n"
                         "void main() { result = color + vec4(0, 0, 0.2, 0); }\n");
  draw(gpu, s);
  const uint8_t want[4] = {uint8_t(tessellates ? 102 : 51), uint8_t(amplifies ? 153 : 102), 204, 204};
  std::vector<uint8_t> expected;
  for (uint32_t i = 0; i < kSize * kSize; ++i) expected.insert(expected.end(), want, want + 4);
  expectPicture(gpu.download(color, 4), expected, kSize, kSize, 1);
}

}  // namespace

void addHlslStrings() {
  add("spirv.hlsl_strings.compute", computes);
  add("spirv.hlsl_strings.vertex_fragment", [](Gpu& gpu) { draws(gpu, false, false); });
  add("spirv.hlsl_strings.tessellation", [](Gpu& gpu) { draws(gpu, true, false); });
  add("spirv.hlsl_strings.geometry", [](Gpu& gpu) { draws(gpu, false, true); });
  add("spirv.hlsl_strings.all", [](Gpu& gpu) { draws(gpu, true, true); });
}

}  // namespace etzel::cts
