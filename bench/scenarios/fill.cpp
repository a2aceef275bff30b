// Large fills: opaque, blended, and with depth test and overdraw.
#include "../scenario.h"
#include "draws.h"
#include "flat.frag.h"
#include "full.vert.h"
#include "gradient.frag.h"

namespace vkbench {
namespace {

struct Fill {
  Spirv fragment;
  uint32_t layers = 1;
  bool blend = false, depth = false;
  float depth0 = 0.5f, depthStep = 0;
};

Outcome fill(Gpu& gpu, const Fill& f) {
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight, .depth = f.depth});
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, f.fragment}},
                        .target = &target,
                        .blend = f.blend,
                        .depthTest = f.depth},
                       gpu.layout);
  const FullPush constants{.color = {0.9f, 0.6f, 0.3f, 0.4f}, .depth0 = f.depth0, .depthStep = f.depthStep};
  return drawOutcome(gpu, target, kPixels * f.layers / 1e9, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    push(gpu, c, constants);
    vkCmdDraw(c, 3, f.layers, 0, 0);
  });
}

Outcome clear(Gpu& gpu) {
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  return drawOutcome(gpu, target, kPixels / 1e9, [](VkCommandBuffer) {});
}

}  // namespace

std::vector<Scenario> fillScenarios() {
  return {
      {"fill.clear", "Gpix/s", true, Bound::CacheWrite, 4, 0.01, [](Gpu& g) { return clear(g); }},
      {"fill.opaque", "Gpix/s", true, Bound::CacheWrite, 4, 0.01,
       [](Gpu& g) { return fill(g, {.fragment = flat_frag}); }},
      {"fill.opaque_x8", "Gpix/s", true, Bound::CacheWrite, 4, 0.01,
       [](Gpu& g) { return fill(g, {.fragment = flat_frag, .layers = 8}); }},
      {"fill.gradient", "Gpix/s", true, Bound::CacheWrite, 4, 0.01,
       [](Gpu& g) { return fill(g, {.fragment = gradient_frag}); }},
      {"fill.blend_x8", "Gpix/s", true, Bound::CacheCopy, 4, 0.02,
       [](Gpu& g) { return fill(g, {.fragment = gradient_frag, .layers = 8, .blend = true}); }},
      {"fill.blend_flat_x8", "Gpix/s", true, Bound::CacheCopy, 4, 0.02,
       [](Gpu& g) { return fill(g, {.fragment = flat_frag, .layers = 8, .blend = true}); }},
      {"fill.depth_front_to_back_x8", "Gpix/s", true, Bound::CacheCopy, 4, 0.01,
       [](Gpu& g) {
         return fill(g, {gradient_frag, 8, false, true, 0.1f, 0.1f});
       }},
      {"fill.depth_back_to_front_x8", "Gpix/s", true, Bound::CacheCopy, 8, 0.01,
       [](Gpu& g) {
         return fill(g, {gradient_frag, 8, false, true, 0.9f, -0.1f});
       }},
  };
}

}  // namespace vkbench
