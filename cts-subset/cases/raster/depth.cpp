// Depth bias, depth clipping and clamping, depth ranges of viewports.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/raster/shot.h"

namespace etzel::cts {
namespace {

using namespace raster_cases;

/// A depth image of the target's size that holds `value`.
Image depthTarget(Gpu& gpu, VkFormat format, float value) {
  Image image = gpu.image(
      {.format = format, .width = size, .height = size, .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
  VkClearValue clear;
  clear.depthStencil = {value, 0};
  gpu.clear(image, clear);
  return image;
}

void addDepth() {
  struct Bias {
    float constant, slope, clamp;
  };
  static const Bias biases[] = {{4, 0, 0},   {-4, 0, 0},    {0, 1, 0},      {0, -2, 0},
                                {100, 1, 0}, {0, 8, 0.01f}, {0, -8, -0.01f}};
  for (VkFormat format : {VK_FORMAT_D32_SFLOAT, VK_FORMAT_D16_UNORM})
    for (auto& b : biases)
      add(text("raster.depth_bias.%s.c%s_s%s_m%s", format == VK_FORMAT_D16_UNORM ? "d16" : "d32",
               named(b.constant).c_str(), named(b.slope).c_str(), named(b.clamp).c_str()),
          [&b, format](Gpu& gpu) {
            if (b.clamp != 0) gpu.require(gpu.features.features.depthBiasClamp, "depthBiasClamp");
            Image depth = depthTarget(gpu, format, 1);
            Shot shot(gpu);
            shot.s.depth = &depth;
            shot.s.depthStencil.depthTestEnable = shot.s.depthStencil.depthWriteEnable = VK_TRUE;
            shot.s.depthStencil.depthCompareOp = VK_COMPARE_OP_ALWAYS;
            shot.s.raster.depthBiasEnable = VK_TRUE;
            shot.s.raster.depthBiasConstantFactor = b.constant;
            shot.s.raster.depthBiasSlopeFactor = b.slope;
            shot.s.raster.depthBiasClamp = b.clamp;
            // Depth from 0.25 at x=0 to 0.75 at x=64: slope 1/128 per pixel.
            shot.s.vert =
                "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 "
                ": -1, gl_VertexIndex == 1 ? 0.75 : 0.25, 1); }\n";
            draw(gpu, shot.s);
            auto bytes = gpu.download(depth, format == VK_FORMAT_D16_UNORM ? 2 : 4);
            for (int x = 0; x < 32; ++x) {
              double z = 0.25 + (x + 0.5) / 128, slope = 1.0 / 128;
              // r: for D16 a constant of at most 2^-15 ("2 x 2^-n"), for floats 2^(e - 23) of the primitive's greatest
              // depth.
              double r = format == VK_FORMAT_D16_UNORM ? 1.0 / 65536 : std::ldexp(1.0, -1 - 23);
              double bias = slope * b.slope + r * b.constant;
              if (b.clamp > 0) bias = std::min(bias, double(b.clamp));
              if (b.clamp < 0) bias = std::max(bias, double(b.clamp));
              double got = format == VK_FORMAT_D16_UNORM ? reinterpret_cast<uint16_t*>(bytes.data())[x] / 65535.0
                                                         : double(reinterpret_cast<float*>(bytes.data())[x]);
              double tolerance = format == VK_FORMAT_D16_UNORM ? (std::fabs(b.constant) + 2) / 65535
                                                               : std::fabs(r * b.constant) * 0.01 + 2e-7;
              ASSERT_NEAR(got, z + bias, tolerance) << "at x " << x;
              if (b.constant && !b.slope) {
                EXPECT_EQ(got > z, b.constant > 0) << "direction";
              }
            }
          });
  for (bool clamp : {false, true})
    for (float z : {-0.5f, 0.0f, 0.5f, 1.0f, 1.5f})
      add(text("raster.depth_clip.%s.z%s", clamp ? "clamp" : "clip", named(z).c_str()), [=](Gpu& gpu) {
        if (clamp) gpu.require(gpu.features.features.depthClamp, "depthClamp");
        Image depth = depthTarget(gpu, VK_FORMAT_D32_SFLOAT, 0.375f);
        Shot shot(gpu);
        shot.s.depth = &depth;
        shot.s.depthStencil.depthTestEnable = shot.s.depthStencil.depthWriteEnable = VK_TRUE;
        shot.s.depthStencil.depthCompareOp = VK_COMPARE_OP_ALWAYS;
        shot.s.raster.depthClampEnable = clamp;
        shot.s.vert = coverAll(text("%f", z));
        bool visible = clamp || (z >= 0 && z <= 1);
        shot.expect([&](int, int) { return visible; });
        auto bytes = gpu.download(depth, 4);
        EXPECT_FLOAT_EQ(reinterpret_cast<float*>(bytes.data())[100],
                        visible ? std::min(1.0f, std::max(0.0f, z)) : 0.375f);
      });
  static const float ranges[][2] = {{0, 1}, {1, 0}, {0.25f, 0.75f}, {0.9f, 0.1f}, {0.5f, 0.5f}};
  for (auto& r : ranges)
    add(text("raster.depth_range.%s_%s", named(r[0]).c_str(), named(r[1]).c_str()), [&r](Gpu& gpu) {
      Image depth = depthTarget(gpu, VK_FORMAT_D32_SFLOAT, 0);
      Shot shot(gpu);
      shot.s.depth = &depth;
      shot.s.viewports = {{0, 0, 32, 32, r[0], r[1]}};
      shot.s.depthStencil.depthTestEnable = shot.s.depthStencil.depthWriteEnable = VK_TRUE;
      shot.s.depthStencil.depthCompareOp = VK_COMPARE_OP_ALWAYS;
      shot.s.vert = coverAll("0.25");
      shot.expect([](int, int) { return true; });
      auto bytes = gpu.download(depth, 4);
      EXPECT_NEAR(reinterpret_cast<float*>(bytes.data())[77], r[0] + 0.25f * (r[1] - r[0]), 1e-6);
    });
}

}  // namespace

void registerRasterDepth() { addDepth(); }

}  // namespace etzel::cts
