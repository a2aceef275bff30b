// A scene for tests of pixel histories, whose numbers can be computed by hand (check_history.py has them): 16x16, RGBA8
// and D32S8 with 4 or 8 samples, where each draw does something else to pixel (5, 5); or commands outside of passes.
// usage: etzel-history-scene 4|8|transfers|instances. The first two print a hash of the picture.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cts-subset/support/draw.h"
#include "tests/scene.h"

namespace {

using namespace etzel::cts;
using namespace etzel::tests;

const char* const kDiscards = R"(#version 450
layout(location = 0) out vec4 color;
void main() {
  color = vec4(1);
  if (gl_FragCoord.x < 8.0) discard;
})";

class Scene {
 public:
  Scene(Gpu& gpu, VkSampleCountFlagBits samples) : gpu_(gpu), samples_(samples) {
    const VkImageUsageFlags target = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    color_ = image(VK_FORMAT_R8G8B8A8_UNORM, samples, target);
    depth_ = image(VK_FORMAT_D32_SFLOAT_S8_UINT, samples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    resolved_ = image(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, target);
    copy_ = image(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, target);
    layout_ = gpu.set({}, 0).pipeline;
  }

  void run() {
    add("red", coverAll("0.5"), writes("vec4(1, 0, 0, 1)"), [](DrawState& s) { testDepth(s); });
    add("behind", coverAll("0.75"), writes("vec4(1)"), [](DrawState& s) { testDepth(s); });
    add("edge", kLeftOfLine, writes("vec4(0, 1, 0, 1)"), [](DrawState& s) { testDepth(s); });
    add("holes", coverAll("0.125"), kDiscards, [](DrawState& s) { testDepth(s); });
    add("half", coverAll(), writes("vec4(1, 1, 1, 133.0 / 255.0)"),
        [](DrawState& s) { s.multisample.alphaToCoverageEnable = VK_TRUE; });
    add("glow", coverAll(), writes("vec4(0, 0, 0.2, 0)"), [](DrawState& s) {
      s.attachment.blendEnable = VK_TRUE;
      s.attachment.srcColorBlendFactor = s.attachment.dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
      s.attachment.srcAlphaBlendFactor = s.attachment.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    });
    add("corner", coverAll(), writes("vec4(1)"), [](DrawState& s) { s.scissors = {{{0, 0}, {4, 4}}}; });
    static const VkSampleMask kThird = 0b0100;
    add("third", coverAll(), writes("vec4(0.2, 0.2, 0.2, 1)"),
        [](DrawState& s) { s.multisample.pSampleMask = &kThird; });
    add("nothing", coverAll(), writes("vec4(1)"), [](DrawState& s) { s.attachment.colorWriteMask = 0; });
    add("stencil", coverAll(), writes("vec4(1)"), [](DrawState& s) {
      s.depthStencil.stencilTestEnable = VK_TRUE;
      s.depthStencil.front.compareOp = VK_COMPARE_OP_EQUAL;
      s.depthStencil.front.reference = 1;
      s.depthStencil.front.compareMask = s.depthStencil.front.writeMask = 255;
      s.depthStencil.front.failOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP;
      s.depthStencil.back = s.depthStencil.front;
    });
    drawAll();
    std::printf("picture %u\n", hashOf(gpu_.download(copy_, 4)));
  }

 private:
  Image image(VkFormat format, VkSampleCountFlagBits samples, VkImageUsageFlags usage) {
    return gpu_.image({.format = format, .width = kSize, .height = kSize, .samples = samples, .usage = usage});
  }
  static void testDepth(DrawState& s) {
    s.depthStencil.depthTestEnable = s.depthStencil.depthWriteEnable = VK_TRUE;
    s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS;
  }
  DrawState base() const {
    DrawState s;
    s.colors = {color_};
    s.depth = &depth_;
    s.multisample.rasterizationSamples = samples_;
    return s;
  }

  template <class F>
  void add(const char* name, const std::string& vert, const std::string& frag, F change) {
    DrawState s = base();
    s.vert = vert, s.frag = frag;
    change(s);
    const VkPipeline pipeline = makePipeline(gpu_, s, layout_, {kSize, kSize});
    if (const auto setName = gpu_.proc<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")) {
      VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
      info.objectType = VK_OBJECT_TYPE_PIPELINE;
      info.objectHandle = reinterpret_cast<uint64_t>(pipeline);
      info.pObjectName = name;
      setName(gpu_.device, &info);
    }
    pipelines_.push_back(pipeline);
  }

  void drawAll() {
    DrawState s = base();
    s.vert = coverAll(), s.frag = writes("vec4(1)");  // of a pipeline that is bound and not used
    s.resolves = {resolved_};
    s.clearColors = VkClearValue{.color = {{0, 0, 1, 1}}};
    s.clearDepth = VkClearValue{.depthStencil = {1, 0}};
    s.commands = [&](VkCommandBuffer cmd) {
      const auto begin = gpu_.proc<PFN_vkCmdBeginDebugUtilsLabelEXT>("vkCmdBeginDebugUtilsLabelEXT");
      const auto end = gpu_.proc<PFN_vkCmdEndDebugUtilsLabelEXT>("vkCmdEndDebugUtilsLabelEXT");
      const auto label = [&](const char* name) {
        VkDebugUtilsLabelEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
        info.pLabelName = name;
        if (begin) begin(cmd, &info);
      };
      label("scene");
      for (const VkPipeline pipeline : pipelines_) {
        const bool last = pipeline == pipelines_.back();
        if (last) label("end");
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        vkCmdDraw(cmd, 3, 1, 0, 0);
        if (last && end) end(cmd);
      }
      if (end) end(cmd);
    };
    s.after = [&](VkCommandBuffer cmd) {
      fullBarrier(cmd);
      const VkImageSubresourceLayers whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
      const VkImageCopy region{whole, {1, 0, 0}, whole, {0, 0, 0}, {kSize - 1, kSize, 1}};
      vkCmdCopyImage(cmd, resolved_.handle, VK_IMAGE_LAYOUT_GENERAL, copy_.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
      fullBarrier(cmd);
    };
    draw(gpu_, s);
  }

  Gpu& gpu_;
  const VkSampleCountFlagBits samples_;
  Image color_, depth_, resolved_, copy_;
  VkPipelineLayout layout_;
  std::vector<VkPipeline> pipelines_;
};

const char* const kStores = R"(#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform image2D target;
void main() { imageStore(target, ivec2(gl_GlobalInvocationID.xy), vec4(0, 1, 0, 1)); }
)";

/// A clear, an upload, a dispatch, a fragment shader's store, a blit; and an upload to what is only a texture.
void transfers(Gpu& gpu) {
  const auto image = [&](VkImageUsageFlags usage) {
    return gpu.image({.width = kSize, .height = kSize, .usage = usage | VK_IMAGE_USAGE_STORAGE_BIT});
  };
  const Image first = image(VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT), second = image(VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  const Image texture = image(VK_IMAGE_USAGE_SAMPLED_BIT);
  if (const auto setName = gpu.proc<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")) {
    VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    info.objectType = VK_OBJECT_TYPE_IMAGE;
    info.objectHandle = reinterpret_cast<uint64_t>(texture.handle);
    info.pObjectName = "bricks";
    setName(gpu.device, &info);
  }
  gpu.clear(first, {.color = {{0.2f, 0, 0, 1}}});
  const std::vector<uint8_t> white(size_t{4} * kSize * kSize, 255);
  gpu.upload(texture, white.data(), white.size());
  gpu.upload(first, white.data(), white.size());
  gpu.dispatch({.glsl = kStores, .bindings = {storageImage(first.view)}, .x = 2, .y = 2});
  DrawState s;
  s.vert = coverAll();
  s.frag = R"(#version 450
layout(binding = 0, rgba8) uniform image2D target;
layout(location = 0) out vec4 color;
void main() { imageStore(target, ivec2(gl_FragCoord.xy), vec4(0, 0, 0.2, 1)); color = vec4(1); })";
  s.colors = {second};
  s.bindings = {storageImage(first.view)};
  draw(gpu, s);
  gpu.submit([&](VkCommandBuffer cmd) {
    const VkImageSubresourceLayers whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const auto end = int32_t{kSize};
    VkImageBlit region{whole, {{0, 0, 0}, {end, end, 1}}, whole, {{0, 0, 0}, {end, end, 1}}};
    vkCmdBlitImage(cmd, first.handle, VK_IMAGE_LAYOUT_GENERAL, second.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region,
                   VK_FILTER_NEAREST);
    region.dstOffsets[1] = {4, 4, 1};  // not the pixel
    vkCmdBlitImage(cmd, second.handle, VK_IMAGE_LAYOUT_GENERAL, first.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region,
                   VK_FILTER_NEAREST);
  });
  gpu.clear(first, {.color = {{0, 0, 0, 0}}});
}

/// Two triangles over everything, or a point; `own` is the instance, whatever stages are between this and the
/// fragments.
std::string instanced(const std::string& z) {
  return R"(#version 450
layout(location = 0) flat out int own;
void main() {
  int corner = gl_VertexIndex % 3;
  gl_Position = vec4(corner == 1 ? 3 : -1, corner == 2 ? 3 : -1, )" +
         z + R"(, 1);
  gl_PointSize = 40;
  own = gl_InstanceIndex;
})";
}
const char* const kOwn = R"(#version 450
layout(location = 0) flat in int own;
layout(location = 0) out vec4 color;
void main() { color = vec4(own / 16.0, 0, 0, 1); })";
const char* const kOwnControl = R"(#version 450
layout(vertices = 3) out;
layout(location = 0) in int own[];
layout(location = 0) out int passed[];
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  passed[gl_InvocationID] = own[gl_InvocationID];
  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1.0;
})";
const char* const kOwnEvaluation = R"(#version 450
layout(triangles) in;
layout(location = 0) in int passed[];
layout(location = 0) flat out int own;
void main() {
  vec3 at = gl_TessCoord;
  gl_Position = gl_in[0].gl_Position * at.x + gl_in[1].gl_Position * at.y + gl_in[2].gl_Position * at.z;
  own = passed[0];
})";
const char* const kOwnGeometry = R"(#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in int own[];
layout(location = 0) flat out int passed;
void main() {
  for (int i = 0; i < 3; ++i) {
    gl_Position = gl_in[i].gl_Position;
    passed = own[i];
    EmitVertex();
  }
})";

/// Three instances from 7 on over all of the picture: triangles, triangles that are clipped, points, triangles behind a
/// geometry shader, patches, patches with a geometry shader.
void instances(Gpu& gpu) {
  DrawState s;
  s.colors = {gpu.image({.width = kSize, .height = kSize, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT})};
  s.frag = kOwn;
  s.instanceCount = 3, s.firstInstance = 7;
  s.vert = instanced("0"), s.vertexCount = 6;
  DrawState cut = s, points = s, geometry = s, patches = s;
  cut.vert = instanced("corner == 0 ? -0.1 : 0.9");
  points.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST, points.vertexCount = 1;
  geometry.geom = kOwnGeometry;
  patches.tesc = kOwnControl, patches.tese = kOwnEvaluation;
  patches.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, patches.patchPoints = 3;
  DrawState both = patches;
  both.geom = kOwnGeometry;
  for (const DrawState* one : {&s, &cut, &points, &geometry, &patches, &both}) draw(gpu, *one);
}

}  // namespace

int main(int argc, char** argv) {
  const int samples = argc == 2 ? std::atoi(argv[1]) : 0;
  const bool transfersOnly = argc == 2 && !std::strcmp(argv[1], "transfers");
  const bool instancesOnly = argc == 2 && !std::strcmp(argv[1], "instances");
  if (samples != 4 && samples != 8 && !transfersOnly && !instancesOnly) {
    std::fprintf(stderr, "usage: etzel-history-scene 4|8|transfers|instances\n");
    return 2;
  }
  try {
    Gpu gpu;
    if (transfersOnly) return transfers(gpu), 0;
    if (instancesOnly) return instances(gpu), 0;
    Scene(gpu, VkSampleCountFlagBits(samples)).run();
  } catch (const std::exception& reason) {
    std::fprintf(stderr, "etzel-history-scene: %s\n", reason.what());
    return 1;
  }
}
