// Fragments as programs shade them: what a shader reads, writes, asks for and throws away, one at a time. Four
// full-screen layers.
#include <bit>

#include "resources.h"

#include "fragment.frag.h"
#include "fragment_centroid.frag.h"
#include "fragment_depth.frag.h"
#include "fragment_early.frag.h"
#include "fragment_mask.frag.h"
#include "fragment_sample.frag.h"
#include "full.vert.h"
#include "gradient.frag.h"
#include "varyings.frag.h"
#include "varyings.vert.h"

namespace vkbench {
namespace {

constexpr uint32_t kLayers = 4;

struct Shading {
  Spirv vertex = full_vert, fragment;
  int32_t operation = 0;
  bool depth = false, behind = false;
  GraphicsDesc state = {};  ///< beside what is told here
};

Outcome draw(Gpu& gpu, const Shading& s, uint32_t samples) {
  gpu.require(gpu.features.fragmentStoresAndAtomics, "fragmentStoresAndAtomics");
  const Target target = gpu.makeTarget(
      {.width = kWidth, .height = kHeight, .samples = samples, .depth = s.depth, .resolve = samples > 1});
  const Buffer values = gpu.makeBuffer(uint64_t{kWidth} * kHeight * 4), table = gpu.makeBuffer(256 * 16);
  Random random(71);
  for (float& v : table.as<float>()) v = random.unit();
  const auto image = [&](VkFormat format) {
    const Image i = gpu.makeImage({.width = kWidth, .height = kHeight, .format = format, .usage = kOutput});
    gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, i); }));
    return i;
  };
  const Image picture = image(VK_FORMAT_R8G8B8A8_UNORM), words = image(VK_FORMAT_R32_UINT);
  const VkBufferView texels =
      gpu.makeTexels(bufferOf<uint32_t>(gpu, noiseTexels(256, 256, 72)), VK_FORMAT_R8G8B8A8_UNORM);
  const Resources resources(gpu, {storage(values), uniform(table), stored(picture), stored(words), read(texels)});
  const float operation = std::bit_cast<float>(s.operation);
  GraphicsDesc desc = s.state;
  desc.stages = {{VK_SHADER_STAGE_VERTEX_BIT, s.vertex}, {VK_SHADER_STAGE_FRAGMENT_BIT, s.fragment}};
  desc.target = &target, desc.variant = &operation, desc.depthTest = s.depth;
  const VkPipeline pipeline = gpu.makePipeline(desc, resources.layout);
  const FullPush constants{.color = {0.9f, 0.6f, 0.3f, 0.4f}, .depthStep = s.behind ? 0.1f : -0.1f};
  return drawOutcome(gpu, target, kPixels * kLayers / 1e9, [&](VkCommandBuffer c) {
    resources.bind(c, pipeline);
    resources.push(c, constants);
    vkCmdDraw(c, 3, kLayers, 0, 0);
  });
}

}  // namespace

std::vector<Scenario> fragmentScenarios() {
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, const Shading& s, bool multisampled = true) {
    all.push_back({"fragment." + name, "Gpix/s", true, Bound::None, 0, 0.02, [s](Gpu& g) { return draw(g, s, 1); }});
    if (!multisampled) return;
    all.push_back(
        {"fragment." + name + "_4x", "Gpix/s", true, Bound::None, 0, 0.02, [s](Gpu& g) { return draw(g, s, 4); }});
  };
  // As the shaders number them.
  const char* operations[] = {"discard",     "discard_slopes", "slopes",       "slopes_fine",   "place",
                              "facing",      "load",           "store",        "atomic_random", "atomic_one",
                              "image_load",  "image_store",    "image_atomic", "texel_buffer",  "table_random",
                              "table_steps", "loop",           "branch",       "branch_steady", "matrix",
                              "private",     "hash",           "lighting",     "store_discard"};
  int32_t operation = 0;
  for (const char* name : operations) add(name, {.fragment = fragment_frag, .operation = operation++}, false);
  const char* varyings[] = {"smooth", "flat", "lines", "at_offset", "at_centroid", "mixed"};
  operation = 0;
  for (const char* name : varyings)
    add(std::string("varyings_") + name,
        {.vertex = varyings_vert, .fragment = varyings_frag, .operation = operation++});
  add("depth", {.fragment = fragment_depth_frag, .depth = true});
  add("discard_depth", {.fragment = fragment_frag, .operation = 0, .depth = true});
  add("store_depth", {.fragment = fragment_frag, .operation = 7, .depth = true});
  add("early", {.fragment = fragment_early_frag, .depth = true});
  add("early_hidden", {.fragment = fragment_early_frag, .depth = true, .behind = true});
  for (const bool blend : {false, true}) {
    const std::string n = blend ? "_blend" : "";
    add("discard_again" + n, {.fragment = fragment_frag, .operation = 0, .state = {.blend = blend}});
    add("centroid" + n, {.fragment = fragment_centroid_frag, .state = {.blend = blend}});
    add("mask" + n, {.fragment = fragment_mask_frag, .state = {.blend = blend}});
    add("coverage" + n, {.fragment = gradient_frag, .state = {.blend = blend, .alphaToCoverage = true}});
    add("samples_two" + n, {.fragment = gradient_frag, .state = {.blend = blend, .sampleMask = 5}});
  }
  add("sample", {.fragment = fragment_sample_frag});
  add("sample_shading", {.fragment = gradient_frag, .state = {.sampleShading = true}});
  return all;
}

}  // namespace vkbench
