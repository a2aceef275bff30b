// A program for tests of the debugger: every stage, shared memory and barriers, sample shading, two queues. Its shaders
// have their source; places that tests name have a comment "@name". What it computes goes to standard output.
// usage: etzel-debug-scene compute|draw|queues|faults
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cts-subset/support/compute.h"

namespace {

using namespace etzel::cts;

const char* const kSums = R"(#version 450
layout(local_size_x = 16) in;
layout(binding = 0) buffer Result { uint b[]; } result;
layout(push_constant) uniform Push { uint base; };
shared uint all[16];
shared uint counter;
struct Pair { uint first; vec2 second; };
uint twice(uint x) {
  uint y = x + 7u;  // @inside
  y = y * 2u - 14u;  // @leaving
  return y;
}
void main() {
  uint id = gl_LocalInvocationIndex;  // @begin
  Pair pair = Pair(id, vec2(id, 0.5));
  if (id == 0u) counter = 0u;
  barrier();
  uint mine = twice(id + base);  // @call
  all[id] = mine;  // @behind
  atomicAdd(counter, mine);
  barrier();
  uint next = all[(id + 9u) % 16u];  // @barrier
  float grid[100];
  for (uint i = 0u; i < 100u; ++i) grid[i] = float(i * id);
  for (uint i = 0u; i < 3u; ++i) {
    next += i;  // @loop
  }
  result.b[gl_WorkGroupID.x * 16u + id] = next + counter + uint(grid[next % 100u]) + pair.first;  // @end
}
)";

const char* const kFaults = R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Result { float b[]; } result;
layout(push_constant) uniform Push { float zero; };
void main() {
  uint id = gl_LocalInvocationIndex;
  float root = sqrt(float(id) - 2.0 + zero);  // @nan
  int quotient = 7 / int(float(id) - 3.0 + zero);  // @division
  result.b[id * 1000u] = root + float(quotient);  // @bounds
}
)";

const char* const kVertex = R"(#version 450
layout(location = 0) out vec2 corner;
void main() {
  corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);  // @vertex
  gl_Position = vec4(corner * 4.0 - 1.0, 0.0, 1.0);
}
)";
const char* const kControl = R"(#version 450
layout(vertices = 3) out;
layout(location = 0) in vec2 corner[];
layout(location = 0) out vec2 point[];
void main() {
  point[gl_InvocationID] = corner[gl_InvocationID];  // @control
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
  gl_TessLevelInner[0] = 2.0;
}
)";
const char* const kEvaluation = R"(#version 450
layout(triangles) in;
layout(location = 0) in vec2 point[];
layout(location = 0) out vec2 uv;
void main() {
  vec3 where = gl_TessCoord;  // @evaluation
  uv = point[0] * where.x + point[1] * where.y + point[2] * where.z;
  gl_Position = gl_in[0].gl_Position * where.x + gl_in[1].gl_Position * where.y + gl_in[2].gl_Position * where.z;
}
)";
const char* const kGeometry = R"(#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec2 uv[];
layout(location = 0) out vec2 place;
void main() {
  for (int i = 0; i < 3; ++i) {
    place = uv[i];  // @geometry
    gl_Position = gl_in[i].gl_Position;
    EmitVertex();
  }
}
)";
const char* const kFragment = R"(#version 450
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;
void main() {
  float shade = float(gl_SampleID) / 4.0;  // @fragment
  if (place.x + place.y > 0.7) discard;  // @discard
  color = vec4(place, shade, 1.0);  // @color
}
)";

void print(const char* name, const uint32_t* words, size_t count) {
  std::printf("%s", name);
  for (size_t i = 0; i < count; ++i) std::printf(" %u", words[i]);
  std::printf("\n");
}

void compute(Gpu& gpu) {
  const Buffer result = gpu.buffer(4 * 64);
  const uint32_t base = 5;
  Dispatch d;
  d.glsl = kSums, d.bindings = {storage(result)}, d.x = 4;
  d.push.resize(4);
  std::memcpy(d.push.data(), &base, 4);
  gpu.dispatch(d);
  print("sums", result.as<uint32_t>(), 64);
}

void faults(Gpu& gpu) {
  const Buffer result = gpu.buffer(4 * 64);
  Dispatch d;
  d.glsl = kFaults, d.bindings = {storage(result)};
  d.push.resize(4);
  gpu.dispatch(d);
  print("faults", result.as<uint32_t>(), 64);
}

/// Two dispatches on two queues at once.
void queues(Gpu& gpu) {
  const Buffer first = gpu.buffer(4 * 64), second = gpu.buffer(4 * 64);
  const Kernel a(gpu, kSums, {storage(first)}, 4), b(gpu, kSums, {storage(second)}, 4);
  const auto recordedWith = [&](const Kernel& kernel) {
    return commands(gpu, gpu.family, [&](VkCommandBuffer cmd) {
      const uint32_t base = 0;
      kernel.bind(cmd);
      vkCmdPushConstants(cmd, kernel.layout(), VK_SHADER_STAGE_ALL, 0, 4, &base);
      vkCmdDispatch(cmd, 1, 1, 1);
    });
  };
  const VkCommandBuffer one = recordedWith(a), other = recordedWith(b);
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1, submit.pCommandBuffers = &one;
  CTS_VK(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
  submit.pCommandBuffers = &other;
  CTS_VK(vkQueueSubmit(gpu.otherQueues.at(0).handle, 1, &submit, VK_NULL_HANDLE));
  CTS_VK(vkDeviceWaitIdle(gpu.device));
  print("first", first.as<uint32_t>(), 16);
  print("second", second.as<uint32_t>(), 16);
}

void drawAll(Gpu& gpu) {
  constexpr uint32_t kSize = 32;
  const auto image = [&](VkSampleCountFlagBits samples) {
    return gpu.image(
        {.width = kSize, .height = kSize, .samples = samples, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  };
  DrawState s;
  s.vert = kVertex, s.tesc = kControl, s.tese = kEvaluation, s.geom = kGeometry, s.frag = kFragment;
  s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, s.patchPoints = 3;
  s.colors = {image(VK_SAMPLE_COUNT_4_BIT)};
  const Image resolved = image(VK_SAMPLE_COUNT_1_BIT);
  s.resolves = {resolved};
  s.clearColors = VkClearValue{.color = {{0, 0, 1, 1}}};
  s.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  draw(gpu, s);
  uint32_t hash = 2166136261u;
  for (const uint8_t byte : gpu.download(resolved, 4)) hash = (hash ^ byte) * 16777619u;
  print("picture", &hash, 1);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("ETZEL_CTS_SOURCE", "1", 1);
  const std::string what = argc == 2 ? argv[1] : "";
  try {
    Gpu gpu;
    if (what == "compute") return compute(gpu), 0;
    if (what == "draw") return drawAll(gpu), 0;
    if (what == "queues") return queues(gpu), 0;
    if (what == "faults") return faults(gpu), 0;
  } catch (const std::exception& reason) {
    std::fprintf(stderr, "etzel-debug-scene: %s\n", reason.what());
    return 1;
  }
  std::fprintf(stderr, "usage: etzel-debug-scene compute|draw|queues|faults\n");
  return 2;
}
