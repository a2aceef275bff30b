// A program whose shaders print (debugPrintfEXT), for tests of where that goes.
//   values     every conversion and type, several times in workgroups of more than a warp
//   draw       every stage, with an invocation for each of four samples
//   many       more messages than are kept
//   kill       fragments that are discarded, demoted, or helpers
//   messenger  a debug messenger that wants information; what it hears goes to standard output
//   late       the same, made behind the pipeline
#include <cstdio>
#include <optional>

#include "cts-subset/support/compute.h"
#include "tests/debug/scene_main.h"

namespace {

using namespace etzel::cts;

const char* const kValues = R"(#version 450
#extension GL_EXT_debug_printf : enable
#extension GL_EXT_shader_explicit_arithmetic_types : enable
layout(local_size_x = 5, local_size_y = 3) in;
layout(binding = 0) buffer Result { uint b[]; } result;
void main() {
  uint id = gl_LocalInvocationIndex;
  for (uint i = 0u; i < id % 3u; ++i) debugPrintfEXT("round %u", i);
  if (id == 7u) {
    float f = float(id) * 0.5;
    debugPrintfEXT("%d %i %u %x %X %o|%5d|%-5d|%05d|%+d", -3, -4, 5u, 0xbeef, 0xbeef, 8, -3, -3, -3, 3);
    debugPrintfEXT("%f %.2f %8.3f %e %g %a 100%%", f, f, f, f, f, f);
    debugPrintfEXT("%v2f|%1.2v3f|%v4d|%v3u|%v4x", vec2(f, -f), vec3(f), ivec4(-1, 2, -3, 4), uvec3(id), uvec4(id));
    debugPrintfEXT("%ul %lu %lx %ld", uint64_t(1) << 40, ~uint64_t(0), uint64_t(0xabcdef0123456789ul), int64_t(-5));
    debugPrintfEXT("%v2ul|%v3lx", u64vec2(uint64_t(1) << 35, 2), u64vec3(17));
    debugPrintfEXT("%d %u %d %u", int16_t(-2), uint16_t(65535), int8_t(-1), uint8_t(200));
    debugPrintfEXT("%f %v2f %lf", float16_t(0.25), f16vec2(1.5, -2.0), double(1.0) / 3.0);
    debugPrintfEXT("%d %s", id == 7u, id != 7u);
    debugPrintfEXT("%d %f %x|%s %s", 2.75, 3u, 1.0, 4u, -0.5);
    debugPrintfEXT("no values\n");
    debugPrintfEXT("%d and %d, %q", 1);
    debugPrintfEXT("%v4f %v4f %v4f", vec4(1, 2, 3, 4), vec4(5, 6, 7, 8), vec4(9, 10, 11, 12));
  }
  result.b[id] = id;
}
)";

const char* const kVertex = R"(#version 450
#extension GL_EXT_debug_printf : enable
layout(location = 0) out vec2 corner;
void main() {
  corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  gl_Position = vec4(corner * 4.0 - 1.0, 0.0, 1.0);
  debugPrintfEXT("corner %v2f", corner);
}
)";
const char* const kControl = R"(#version 450
#extension GL_EXT_debug_printf : enable
layout(vertices = 3) out;
layout(location = 0) in vec2 corner[];
layout(location = 0) out vec2 point[];
void main() {
  point[gl_InvocationID] = corner[gl_InvocationID];
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
  gl_TessLevelInner[0] = 2.0;
  debugPrintfEXT("before");
  barrier();
  debugPrintfEXT("behind, %f", point[(gl_InvocationID + 1) % 3].x);
}
)";
const char* const kEvaluation = R"(#version 450
#extension GL_EXT_debug_printf : enable
layout(triangles) in;
layout(location = 0) in vec2 point[];
layout(location = 0) out vec2 uv;
void main() {
  vec3 where = gl_TessCoord;
  uv = point[0] * where.x + point[1] * where.y + point[2] * where.z;
  gl_Position = gl_in[0].gl_Position * where.x + gl_in[1].gl_Position * where.y + gl_in[2].gl_Position * where.z;
  debugPrintfEXT("uv %v2g", uv);
}
)";
const char* const kGeometry = R"(#version 450
#extension GL_EXT_debug_printf : enable
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec2 uv[];
layout(location = 0) out vec2 place;
void main() {
  for (int i = 0; i < 3; ++i) {
    place = uv[i];
    gl_Position = gl_in[i].gl_Position;
    EmitVertex();
    debugPrintfEXT("vertex %d at %v2g", i, place);
  }
}
)";
const char* const kFragment = R"(#version 450
#extension GL_EXT_debug_printf : enable
layout(location = 0) sample in vec2 place;
layout(location = 0) out vec4 color;
void main() {
  color = vec4(place, float(gl_SampleID) / 4.0, 1.0);
  debugPrintfEXT("place %v2.3f of primitive %d", place, gl_PrimitiveID);
  if (gl_FragCoord.x < 62.0) debugPrintfEXT("left");
}
)";
const char* const kCover = R"(#version 450
void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0); }
)";
const char* const kKill = R"(#version 450
#extension GL_EXT_debug_printf : enable
#extension GL_EXT_demote_to_helper_invocation : enable
layout(location = 0) out vec4 color;
void main() {
  if (gl_FragCoord.x < 1.0) demote;
  debugPrintfEXT("demoted ones don't");
  if (gl_FragCoord.y < 1.0) discard;
  debugPrintfEXT("left, %.1f", dFdx(gl_FragCoord.x));
  color = vec4(1.0);
}
)";
const char* const kMany = R"(#version 450
#extension GL_EXT_debug_printf : enable
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { uint b[]; } result;
void main() {
  for (uint i = 0u; i < 4u; ++i) debugPrintfEXT("%u, %v4u, %v4u", i, uvec4(i), uvec4(gl_GlobalInvocationID.x));
  result.b[0] = 1u;
}
)";

void compute(Gpu& gpu, const char* shader, uint32_t groups) {
  const Buffer result = gpu.buffer(4 * 64);
  Dispatch d;
  d.glsl = shader, d.bindings = {storage(result)}, d.x = groups;
  gpu.dispatch(d);
}

Image target(Gpu& gpu, uint32_t size, VkSampleCountFlagBits samples) {
  return gpu.image({.width = size, .height = size, .samples = samples, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
}

void drawAll(Gpu& gpu) {
  constexpr uint32_t kSize = 72;  // more than a tile
  DrawState s;
  s.vert = kVertex, s.tesc = kControl, s.tese = kEvaluation, s.geom = kGeometry, s.frag = kFragment;
  s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, s.patchPoints = 3, s.vertexCount = 6, s.instanceCount = 2;
  s.colors = {target(gpu, kSize, VK_SAMPLE_COUNT_4_BIT)};
  s.clearColors = VkClearValue{.color = {{0, 0, 1, 1}}};
  s.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  // A window of a few pixels on four tiles: each instance prints 4 x 8 x 8 times, and two columns once more.
  s.scissors = {{{60, 60}, {8, 8}}};
  draw(gpu, s);
}

void kills(Gpu& gpu) {
  DrawState s;
  s.vert = kCover, s.frag = kKill;
  s.colors = {target(gpu, 3, VK_SAMPLE_COUNT_1_BIT)};
  draw(gpu, s);
}

VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT,
                                    const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  const bool isInformation = severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
  std::printf("%s %s: %s\n", isInformation ? "information" : "other", data->pMessageIdName, data->pMessage);
  return VK_FALSE;
}

/// A messenger that prints what it hears.
class Listener {
 public:
  explicit Listener(VkInstance instance) : instance_(instance) {
    VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    info.pfnUserCallback = hear;
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
    CTS_VK(create(instance_, &info, nullptr, &messenger_));
  }
  ~Listener() {
    reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"))(instance_, messenger_, nullptr);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  const VkInstance instance_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

void listen(Gpu& gpu, bool late) {
  const Buffer result = gpu.buffer(4 * 64);
  std::optional<Listener> listener;
  if (!late) listener.emplace(gpu.instance);
  const Kernel kernel(gpu, kValues, {storage(result)}, 0);
  if (late) listener.emplace(gpu.instance);
  gpu.submit([&](VkCommandBuffer cmd) {
    kernel.bind(cmd);
    vkCmdDispatch(cmd, 1, 1, 1);
  });
  gpu.endCase();
}

}  // namespace

int main(int argc, char** argv) {
  return etzel::tests::runScene("etzel-print-scene", argc, argv,
                                {{"values", [](Gpu& gpu) { compute(gpu, kValues, 3); }},
                                 {"draw", drawAll},
                                 {"many", [](Gpu& gpu) { compute(gpu, kMany, 1000); }},
                                 {"kill", kills},
                                 {"messenger", [](Gpu& gpu) { listen(gpu, false); }},
                                 {"late", [](Gpu& gpu) { listen(gpu, true); }}});
}
