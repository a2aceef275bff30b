// A program for tests of the debugger: every stage, shared memory and barriers, sample shading, fragment masks,
// interlocks, two queues and two devices. Places that tests name have a comment "@name". What it computes goes to
// standard output.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "cts-subset/support/compute.h"
#include "tests/debug/scene_main.h"
#include "tests/scene.h"

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
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_non_semantic_info"], set = "NonSemantic.DebugBreak", id = 1) void debugBreak();
layout(local_size_x = 8) in;
layout(binding = 0) buffer Result { float b[]; } result;
layout(push_constant) uniform Push { float zero; };
void main() {
  uint id = gl_LocalInvocationIndex;
  float root = sqrt(float(id) - 2.0 + zero);  // @nan
  int quotient = 7 / int(float(id) - 3.0 + zero);  // @division
  if (id == 5u) debugBreak();  // @break
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

/// What only fragment shaders have, on an image of which the left four and a half columns were drawn to.
const char* const kPixels = R"(#version 450
#extension GL_AMD_shader_fragment_mask : require
#extension GL_ARB_fragment_shader_interlock : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(pixel_interlock_ordered) in;
layout(binding = 0) uniform sampler2DMS drawn;
layout(binding = 1) uniform sampler2D picture;
layout(binding = 2) buffer Sums { uint sums[]; };
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  uint mask = fragmentMaskFetchAMD(drawn, at);  // @mask
  vec4 first = fragmentFetchAMD(drawn, at, mask & 15u);
  vec4 second = fragmentFetchAMD(drawn, at, mask >> 4 & 15u);
  vec2 centroid_ = interpolateAtCentroid(place);
  vec2 third = interpolateAtSample(place, 2);
  vec2 aside = interpolateAtOffset(place, vec2(0.25, -0.25));
  vec4 four = textureGather(picture, vec2(0.5, 0.5));
  float sum = subgroupAdd(first.x + 1.0);
  uint ballot = subgroupBallot(first.x == 1.0).x;
  beginInvocationInterlockARB();
  uint was = sums[at.y * 16 + at.x];  // @interlock
  sums[at.y * 16 + at.x] = was * 2u + mask;
  endInvocationInterlockARB();
  uint before = atomicAdd(sums[256], 1u);
  color = vec4(first.x, second.x, centroid_.x + third.x + aside.x, four.x + sum + float(before & ballot));  // @last
}
)";

const char* const kLarge = R"(#version 450
layout(local_size_x = 1024) in;
layout(binding = 0) buffer Result { uint b[]; } result;
shared uint all[1024];
void main() {
  uint id = gl_LocalInvocationIndex;
  all[id] = id * 3u;  // @large
  barrier();
  uint other = all[1023u - id];  // @other
  result.b[id] = other + id;  // @stored
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

/// The sums of one workgroup, submitted and not waited for.
void submitSums(Gpu& gpu, VkQueue queue, const Buffer& result) {
  const Kernel kernel(gpu, kSums, {storage(result)}, 4);
  const VkCommandBuffer sums = commands(gpu, gpu.family, [&](VkCommandBuffer cmd) {
    const uint32_t base = 0;
    kernel.bind(cmd);
    vkCmdPushConstants(cmd, kernel.layout(), VK_SHADER_STAGE_ALL, 0, 4, &base);
    vkCmdDispatch(cmd, 1, 1, 1);
  });
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1, submit.pCommandBuffers = &sums;
  CTS_VK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
}

/// Two dispatches at once, on two queues or on two devices.
void twoAtOnce(Gpu& gpu, Gpu& other, VkQueue queue) {
  const Buffer first = gpu.buffer(4 * 64), second = other.buffer(4 * 64);
  submitSums(gpu, gpu.queue, first);
  submitSums(other, queue, second);
  CTS_VK(vkDeviceWaitIdle(gpu.device));
  CTS_VK(vkDeviceWaitIdle(other.device));
  print("first", first.as<uint32_t>(), 16);
  print("second", second.as<uint32_t>(), 16);
}

void large(Gpu& gpu) {
  const Buffer result = gpu.buffer(4 * 1024);
  Dispatch d;
  d.glsl = kLarge, d.bindings = {storage(result)};
  gpu.dispatch(d);
  print("large", result.as<uint32_t>(), 1024);
}

/// The sums over and over, until somebody ends the program; says now and then that it runs.
void rounds(Gpu& gpu) {
  const Buffer result = gpu.buffer(4 * 64);
  const Kernel kernel(gpu, kSums, {storage(result)}, 4);
  const auto begin = std::chrono::steady_clock::now();
  const auto took = [&] { return std::chrono::steady_clock::now() - begin; };
  for (std::chrono::milliseconds next(0); took() < std::chrono::minutes(10);) {
    gpu.submit([&](VkCommandBuffer cmd) {
      const uint32_t base = 0;
      kernel.bind(cmd);
      vkCmdPushConstants(cmd, kernel.layout(), VK_SHADER_STAGE_ALL, 0, 4, &base);
      vkCmdDispatch(cmd, 1, 1, 1);
    });
    if (took() < next) continue;
    std::puts("it runs"), std::fflush(stdout);
    next = std::chrono::duration_cast<std::chrono::milliseconds>(took()) + std::chrono::milliseconds(200);
  }
}

void pixels(Gpu& gpu) {
  constexpr uint32_t kSize = 16;
  gpu.requireExtension(VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME);
  const auto image = [&](VkSampleCountFlagBits samples, VkFormat format = VK_FORMAT_R8G8B8A8_UNORM) {
    return gpu.image({.format = format,
                      .width = kSize,
                      .height = kSize,
                      .samples = samples,
                      .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
  };
  DrawState left;
  left.vert =
      "#version 450\nvoid main() { gl_Position = vec4(vec2[](vec2(-0.4375, -40.0), vec2(-0.4375, 40.0), "
      "vec2(-40.0, 0.0))[gl_VertexIndex], 0.0, 1.0); }\n";
  left.frag = writes("vec4(1.0)");
  left.colors = {image(VK_SAMPLE_COUNT_4_BIT)};
  left.clearColors = VkClearValue{};
  left.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  draw(gpu, left);
  const Image picture = image(VK_SAMPLE_COUNT_1_BIT);
  std::vector<uint8_t> texels(kSize * kSize * 4);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<uint8_t>(i / 4);
  gpu.upload(picture, texels.data(), texels.size());
  const Buffer sums = gpu.buffer(4 * 257);
  DrawState s;
  s.vert =
      "#version 450\nlayout(location = 0) out vec2 place;\nvoid main() {\n"
      "  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0;\n"
      "  place = corner * 16.0;\n  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);\n}\n";
  s.frag = kPixels;
  s.bindings = {sampled(left.colors[0].view, gpu.sampler()), sampled(picture.view, gpu.sampler()), storage(sums)};
  s.colors = {image(VK_SAMPLE_COUNT_4_BIT, VK_FORMAT_R32G32B32A32_SFLOAT)};
  s.clearColors = VkClearValue{};
  s.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  draw(gpu, s);
  print("sums", sums.as<uint32_t>(), 257);
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
  const uint32_t hash = etzel::tests::hashOf(gpu.download(resolved, 4));
  print("picture", &hash, 1);
}

/// A fragment shader of some thousand instructions; its lines count from 6.
std::string longShader() {
  std::string glsl =
      "#version 450\nlayout(location = 0) in vec2 place;\nlayout(location = 0) out vec4 color;\nvoid main() {\n"
      "  vec4 v = vec4(place, 1.0, 0.5);\n";
  for (int i = 0; i < 120; ++i)
    glsl += "  v = v.yzwx * " + std::to_string(0.9 + i * 0.001) + " + fract(v + " + std::to_string(i * 0.25) + ");\n";
  return glsl + "  color = v;\n}\n";
}

/// Begins to draw to an image, cleared to black, and perhaps to a depth buffer.
void beginFrame(VkCommandBuffer cmd, const Image& color, const Image* depth) {
  VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  attachment.imageView = color.view, attachment.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingAttachmentInfo depthAttachment = attachment;
  if (depth) depthAttachment.imageView = depth->view, depthAttachment.clearValue.depthStencil.depth = 1;
  VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
  rendering.renderArea.extent = {color.desc.width, color.desc.height}, rendering.layerCount = 1;
  rendering.colorAttachmentCount = 1, rendering.pColorAttachments = &attachment;
  if (depth) rendering.pDepthAttachment = &depthAttachment;
  vkCmdBeginRendering(cmd, &rendering);
}

/// What the fastest of some frames took goes to standard error.
void timeFrames(Gpu& gpu, const std::function<void(VkCommandBuffer)>& frame) {
  double best = 1e9;
  for (uint32_t i = 0; i < 40; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    gpu.submit(frame);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  std::fprintf(stderr, "frame %.1f us\n", best);
}

/// Draws two pictures a frame, one with a long shader, which the other one hides.
void frames(Gpu& gpu) {
  constexpr uint32_t kSize = 256;
  DrawState s;
  s.vert =
      "#version 450\nlayout(location = 0) out vec2 place;\nvoid main() {\n"
      "  place = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0;\n"
      "  gl_Position = vec4(place * 2.0 - 1.0, 0.0, 1.0);\n}\n";
  s.colors = {gpu.image({.width = kSize, .height = kSize, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT})};
  DrawState other = s;
  s.frag = longShader();
  other.frag = writes("vec4(0.5)");
  const VkExtent2D extent{kSize, kSize};
  const Gpu::Set set = gpu.set({}, 0);
  const VkPipeline pipelines[] = {makePipeline(gpu, s, set.pipeline, extent),
                                  makePipeline(gpu, other, set.pipeline, extent)};
  timeFrames(gpu, [&](VkCommandBuffer cmd) {
    beginFrame(cmd, s.colors[0], nullptr);
    for (const VkPipeline pipeline : pipelines) {
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(cmd, 3, 1, 0, 0);
    }
    vkCmdEndRendering(cmd);
  });
}

const char* const kGrid = R"(#version 450
layout(location = 0) out vec2 place;
void main() {
  uint quad = gl_VertexIndex / 6u, corner = uint[](0u, 1u, 2u, 2u, 1u, 3u)[gl_VertexIndex % 6u];
  vec2 at = vec2(quad % 24u, quad / 24u) + vec2(corner & 1u, corner >> 1);
  place = at * 0.4;
  gl_Position = vec4(at / 12.0 - 1.0, 0.75 - 0.25 * sin(at.x + float(gl_InstanceIndex)), 1.0);
})";
const char* const kTextured = R"(#version 450
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;
layout(binding = 0) uniform sampler2D picture;
void main() {
  vec4 texel = texture(picture, place);
  vec3 normal = normalize(vec3(fract(place) - 0.5, 1.0));  // @lit
  color = vec4(texel.rgb * max(dot(normal, vec3(0.48, 0.6, 0.64)), 0.0), 0.75);
})";

/// Draws some thousand textured triangles a frame: three layers that intersect, with a depth test, and a blended one.
void triangles(Gpu& gpu) {
  constexpr uint32_t kSize = 512, kTexels = 64, kVertices = 24 * 24 * 6;
  const Image color = gpu.image({.width = kSize, .height = kSize, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  const Image depth = gpu.image({.format = VK_FORMAT_D32_SFLOAT,
                                 .width = kSize,
                                 .height = kSize,
                                 .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
  const Image picture = gpu.image({.width = kTexels, .height = kTexels, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  std::vector<uint8_t> texels(kTexels * kTexels * 4);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<uint8_t>(i * i >> 7);
  gpu.upload(picture, texels.data(), texels.size());
  VkSamplerCreateInfo linear{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  linear.magFilter = linear.minFilter = VK_FILTER_LINEAR;
  DrawState s;
  s.vert = kGrid, s.frag = kTextured;
  s.colors = {color}, s.depth = &depth;
  s.depthStencil.depthTestEnable = s.depthStencil.depthWriteEnable = VK_TRUE;
  s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  DrawState blended = s;
  blended.depthStencil.depthTestEnable = VK_FALSE;
  blended.attachment.blendEnable = VK_TRUE;
  blended.attachment.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  blended.attachment.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  const VkExtent2D extent{kSize, kSize};
  const Gpu::Set set = gpu.set({sampled(picture.view, gpu.sampler(linear))}, 0);
  const VkPipeline opaque = makePipeline(gpu, s, set.pipeline, extent);
  const VkPipeline over = makePipeline(gpu, blended, set.pipeline, extent);
  timeFrames(gpu, [&](VkCommandBuffer cmd) {
    beginFrame(cmd, color, &depth);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, set.pipeline, 0, 1, &set.set, 0, nullptr);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, opaque);
    vkCmdDraw(cmd, kVertices, 3, 0, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, over);
    vkCmdDraw(cmd, kVertices, 1, 0, 3);
    vkCmdEndRendering(cmd);
  });
}

void twoDevices(Gpu& gpu) {
  Gpu other;
  twoAtOnce(gpu, other, other.queue);
}

}  // namespace

int main(int argc, char** argv) {
  return etzel::tests::runScene("etzel-debug-scene", argc, argv,
                                {{"compute", compute},
                                 {"draw", drawAll},
                                 {"queues", [](Gpu& gpu) { twoAtOnce(gpu, gpu, gpu.otherQueues.at(0).handle); }},
                                 {"devices", twoDevices},
                                 {"faults", faults},
                                 {"frames", frames},
                                 {"large", large},
                                 {"pixels", pixels},
                                 {"rounds", rounds},
                                 {"triangles", triangles}});
}
