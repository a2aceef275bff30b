// VK_AMD_shader_early_and_late_fragment_tests: shaders that replace nothing are tested before they run; those that
// replace depth or the stencil reference are tested with what they give, wherever else they may be.
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kSize = 16;
constexpr VkFormat kFormat = VK_FORMAT_D32_SFLOAT_S8_UINT;

struct Scene {
  Image color, ds;
  Buffer counter;
  DrawState s;
};

/// A target whose left half has depth 0.25 and stencil 1, the right one 0.75 and 3; a draw over it at depth 0.5, with
/// the reference 2, that counts its invocations.
void prepare(Gpu& gpu, Scene& scene, const std::string& declarations, const std::string& body) {
  gpu.requireExtension("VK_AMD_shader_early_and_late_fragment_tests");
  gpu.require(gpu.features.features.fragmentStoresAndAtomics, "fragmentStoresAndAtomics");
  gpu.require(gpu.formatFeatures(kFormat) & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT, "D32S8");
  scene.color = gpu.image({.width = kSize, .height = kSize, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  scene.ds = gpu.image(
      {.format = kFormat, .width = kSize, .height = kSize, .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
  gpu.clear(scene.color, {});
  for (bool right : {false, true}) {
    DrawState half;
    half.vert = coverAll(right ? "0.75" : "0.25");
    half.frag = writes("vec4(0)");
    half.colors = {scene.color};
    half.depth = &scene.ds;
    half.scissors = {{{right ? int32_t(kSize) / 2 : 0, 0}, {kSize / 2, kSize}}};
    half.depthStencil.depthTestEnable = half.depthStencil.depthWriteEnable = half.depthStencil.stencilTestEnable =
        VK_TRUE;
    half.depthStencil.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    half.depthStencil.front = {
        VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 255, 255, right ? 3u : 1u};
    half.depthStencil.back = half.depthStencil.front;
    draw(gpu, half);
  }
  scene.counter = gpu.buffer(std::vector<uint32_t>(4));
  scene.s.bindings = {storage(scene.counter)};
  scene.s.vert = coverAll("0.5");
  scene.s.frag = "#version 450\n#extension GL_AMD_shader_early_and_late_fragment_tests : require\n" + declarations +
                 "layout(early_and_late_fragment_tests_amd) in;\nlayout(location=0) out vec4 color;\n"
                 "layout(binding=0) buffer Counter { uint n; } counter;\n"
                 "void main() { atomicAdd(counter.n, 1u); color = vec4(1); " +
                 body + " }\n";
  scene.s.colors = {scene.color};
  scene.s.depth = &scene.ds;
}

struct Result {
  std::vector<uint8_t> color, stencil;
  std::vector<float> depth;
  uint32_t invocations;
};

Result run(Gpu& gpu, Scene& scene) {
  draw(gpu, scene.s);
  Result r;
  r.color = gpu.download(scene.color, 4);
  r.stencil = gpu.download(scene.ds, 1, 0, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
  const std::vector<uint8_t> bytes = gpu.download(scene.ds, 4, 0, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
  r.depth.resize(bytes.size() / 4);
  std::memcpy(r.depth.data(), bytes.data(), bytes.size());
  r.invocations = *scene.counter.as<uint32_t>();
  return r;
}

bool isRight(uint32_t i) { return i % kSize >= kSize / 2; }

/// Depth passes on the right only. What runs behind the tests (discarding, or leaving samples out) does not change what
/// they wrote.
void testsFirst(Gpu& gpu, const std::string& body) {
  Scene scene;
  prepare(gpu, scene, "", body);
  scene.s.depthStencil.depthTestEnable = scene.s.depthStencil.depthWriteEnable = VK_TRUE;
  scene.s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS;
  const Result r = run(gpu, scene);
  EXPECT_EQ(r.invocations, kSize * kSize / 2);
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    const bool drawn = isRight(i) && (body.empty() || i % 2 == 0);
    ASSERT_EQ(r.color[i * 4], drawn ? 255 : 0) << i;
    ASSERT_EQ(r.depth[i], isRight(i) ? 0.5f : 0.25f) << i;
  }
}

/// Stencil alone: the reference 2 is greater on the left.
void stencilFirst(Gpu& gpu) {
  Scene scene;
  prepare(gpu, scene, "", "if (int(gl_FragCoord.x) % 2 == 1) discard;");
  scene.s.depthStencil.stencilTestEnable = VK_TRUE;
  scene.s.depthStencil.front = {
      VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_GREATER, 255, 255, 2};
  scene.s.depthStencil.back = scene.s.depthStencil.front;
  const Result r = run(gpu, scene);
  EXPECT_EQ(r.invocations, kSize * kSize / 2);
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    ASSERT_EQ(r.color[i * 4], !isRight(i) && i % 2 == 0 ? 255 : 0) << i;
    ASSERT_EQ(r.stencil[i], isRight(i) ? 3 : 2) << i;
  }
}

/// Replaced depth is what is tested and written; invocations that an earlier test would end anyway may be missing.
void replacedDepth(Gpu& gpu, bool greater) {
  Scene scene;
  prepare(gpu, scene,
          greater ? "layout(depth_greater) out float gl_FragDepth;\n" : "layout(depth_less) out float gl_FragDepth;\n",
          greater ? "gl_FragDepth = int(gl_FragCoord.y) % 2 == 1 ? 0.875 : 0.5;"
                  : "gl_FragDepth = int(gl_FragCoord.y) % 2 == 1 ? 0.125 : 0.5;");
  scene.s.depthStencil.depthTestEnable = scene.s.depthStencil.depthWriteEnable = VK_TRUE;
  scene.s.depthStencil.depthCompareOp = greater ? VK_COMPARE_OP_LESS : VK_COMPARE_OP_GREATER;
  const Result r = run(gpu, scene);
  uint32_t passing = 0;
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    const bool odd = i / kSize % 2 == 1;
    const float before = isRight(i) ? 0.75f : 0.25f, z = !odd ? 0.5f : greater ? 0.875f : 0.125f;
    const bool passes = greater ? z < before : z > before;
    passing += passes;
    ASSERT_EQ(r.color[i * 4], passes ? 255 : 0) << i;
    ASSERT_EQ(r.depth[i], passes ? z : before) << i;
  }
  EXPECT_GE(r.invocations, passing);
  EXPECT_LE(r.invocations, kSize * kSize);
}

void replacedStencil(Gpu& gpu) {
  gpu.requireExtension(VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME);
  Scene scene;
  prepare(gpu, scene,
          "#extension GL_ARB_shader_stencil_export : require\n"
          "layout(stencil_ref_less_front_amd, stencil_ref_less_back_amd) out int gl_FragStencilRefARB;\n",
          "gl_FragStencilRefARB = int(gl_FragCoord.y) % 2 == 1 ? 0 : 2;");
  scene.s.depthStencil.stencilTestEnable = VK_TRUE;
  scene.s.depthStencil.front = {
      VK_STENCIL_OP_ZERO, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_GREATER, 255, 255, 2};
  scene.s.depthStencil.back = scene.s.depthStencil.front;
  const Result r = run(gpu, scene);
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    const bool passes = !isRight(i) && i / kSize % 2 == 0;
    ASSERT_EQ(r.color[i * 4], passes ? 255 : 0) << i;
    ASSERT_EQ(r.stencil[i], passes ? 2 : 0) << i;
  }
}

}  // namespace

void registerEarlyAndLate() {
  add("depth.early_and_late.tests_first.plain", [](Gpu& gpu) { testsFirst(gpu, ""); });
  add("depth.early_and_late.tests_first.discard",
      [](Gpu& gpu) { testsFirst(gpu, "if (int(gl_FragCoord.x) % 2 == 1) discard;"); });
  add("depth.early_and_late.tests_first.sample_mask",
      [](Gpu& gpu) { testsFirst(gpu, "gl_SampleMask[0] = int(gl_FragCoord.x) % 2 == 1 ? 0 : 1;"); });
  add("depth.early_and_late.tests_first.stencil", stencilFirst);
  add("depth.early_and_late.replaced.greater", [](Gpu& gpu) { replacedDepth(gpu, true); });
  add("depth.early_and_late.replaced.less", [](Gpu& gpu) { replacedDepth(gpu, false); });
  add("depth.early_and_late.replaced.stencil", replacedStencil);
}

}  // namespace etzel::cts
