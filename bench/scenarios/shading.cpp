// Fragment shaders that compute: multiply-adds, transcendental functions, divergent loops.
#include "../scenario.h"
#include "alu.frag.h"
#include "divergent.frag.h"
#include "draws.h"
#include "full.vert.h"
#include "transcendental.frag.h"

namespace vkbench {
namespace {

Outcome shade(Gpu& gpu, Spirv fragment, uint32_t count, double workPerPixel, VkExtent2D size = {1, 1}) {
  constexpr uint32_t kW = 960, kH = 540;
  const Target target = gpu.makeTarget({.width = kW, .height = kH});
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, fragment}},
                        .target = &target,
                        .fragment = size},
                       gpu.layout);
  const FullPush constants{.color = {0.9f, 0.6f, 0.3f, 0.7f}, .count = count, .seed = 12345};
  return drawOutcome(gpu, target, workPerPixel * kW * kH, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    push(gpu, c, constants);
    vkCmdDraw(c, 3, 1, 0, 0);
  });
}

}  // namespace

std::vector<Scenario> shadingScenarios() {
  // A round of alu.frag is 8 multiply-adds of vec4: 64 operations.
  return {
      {"shading.alu", "GFLOP/s", true, Bound::Fma, 1, 0.01,
       [](Gpu& g) { return shade(g, alu_frag, 16, 16 * 64 / 1e9); }},
      // The same with four times the rounds, for every pixel and for fragments of four: the aim is 3.3 times the speed.
      {"shading.rate_1x1", "Mpix/s", true, Bound::None, 0, 0.01,
       [](Gpu& g) { return shade(g, alu_frag, 64, 1 / 1e6); }},
      {"shading.rate_2x2", "Mpix/s", true, Bound::None, 0, 0.01,
       [](Gpu& g) {
         g.require(g.shadingRates, "VK_KHR_fragment_shading_rate");
         return shade(g, alu_frag, 64, 1 / 1e6, {2, 2});
       }},
      {"shading.transcendental", "Gop/s", true, Bound::Fma, 20, 0.02,
       [](Gpu& g) { return shade(g, transcendental_frag, 4, 4 * 20 / 1e9); }},
      {"shading.divergent", "Mpix/s", true, Bound::None, 0, 0.001,
       [](Gpu& g) { return shade(g, divergent_frag, 64, 1 / 1e6); }},
  };
}

}  // namespace vkbench
