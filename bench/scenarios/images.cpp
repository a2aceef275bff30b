// Image filters: a compute shader that makes its own levels and blurs by them, and a colour table of three dimensions.
#include <cmath>

#include "../scenario.h"
#include "levels_blur.comp.h"
#include "levels_down.comp.h"
#include "lut3d.comp.h"
#include "resources.h"

namespace vkbench {
namespace {

/// A picture without hard edges, so that filters with other roundings agree.
std::vector<uint32_t> smoothTexels(uint32_t width, uint32_t height) {
  std::vector<uint32_t> texels(size_t{width} * height);
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) {
      const float u = float(x) / float(width), v = float(y) / float(height);
      const auto wave = [](float t) { return uint32_t(127.5f + 120 * std::sin(t)); };
      texels[size_t{y} * width + x] =
          wave(40 * u + 7 * v) | wave(9 * u - 31 * v) << 8 | wave(17 * (u + v)) << 16 | 0xff000000u;
    }
  return texels;
}

constexpr uint32_t kLevels = 6;

/// Each level from the one before, then a blur whose radius, and so its level, grows from the picture's centre.
Outcome levelsBlur(Gpu& gpu) {
  const Image chain = gpu.makeImage({kWidth, kHeight, VK_FORMAT_R8G8B8A8_UNORM, kTexture | kOutput, kLevels});
  gpu.upload(chain, smoothTexels(kWidth, kHeight));
  const Image to = gpu.makeImage({kWidth, kHeight, VK_FORMAT_R8G8B8A8_UNORM, kOutput});
  gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, to); }));
  const VkSampler sampler =
      gpu.makeSampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, 0, false, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
  std::vector<Image> levels;
  for (uint32_t l = 0; l < kLevels; ++l) levels.push_back(gpu.levelOf(chain, l));
  std::vector<Resources> steps;
  for (uint32_t l = 1; l < kLevels; ++l)
    steps.push_back(Resources(gpu, {sampled(levels[l - 1], sampler), stored(levels[l])}));
  const Resources last(gpu, {sampled(chain, sampler), stored(to)});
  const VkPipeline down = gpu.makePipeline(levels_down_comp, steps[0].layout);
  const VkPipeline blur = gpu.makePipeline(levels_blur_comp, last.layout);
  return pictureOutcome(gpu, kPixels / 1e6, to, [&](VkCommandBuffer c) {
    for (uint32_t l = 1; l < kLevels; ++l) {
      steps[l - 1].bind(c, down, VK_PIPELINE_BIND_POINT_COMPUTE);
      vkCmdDispatch(c, (levels[l].desc.width + 15) / 16, (levels[l].desc.height + 15) / 16, 1);
      gpu.barrier(c);
    }
    last.bind(c, blur, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(c, kWidth / 16, (kHeight + 15) / 16, 1);
  });
}

Outcome lut3d(Gpu& gpu) {
  constexpr uint32_t kSize = 33;
  const Image from = gpu.makeImage({kWidth, kHeight, VK_FORMAT_R8G8B8A8_UNORM, kTexture});
  gpu.upload(from, smoothTexels(kWidth, kHeight));
  const Image table = gpu.makeImage(
      {.width = kSize, .height = kSize, .format = VK_FORMAT_R8G8B8A8_UNORM, .usage = kTexture, .depth = kSize});
  std::vector<uint32_t> colors;
  for (uint32_t b = 0; b < kSize; ++b)
    for (uint32_t g = 0; g < kSize; ++g)
      for (uint32_t r = 0; r < kSize; ++r) {
        const auto curve = [](uint32_t v, float power) {
          return uint32_t(255 * std::pow(float(v) / (kSize - 1), power) + 0.5f);
        };
        colors.push_back(curve(r, 0.8f) | curve((g + r) / 2, 1.1f) << 8 | curve(b, 1.3f) << 16 | 0xff000000u);
      }
  gpu.upload(table, colors);
  const Image to = gpu.makeImage({kWidth, kHeight, VK_FORMAT_R8G8B8A8_UNORM, kOutput});
  gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, to); }));
  const auto samplerOf = [&](VkFilter filter) {
    return gpu.makeSampler(filter, VK_SAMPLER_MIPMAP_MODE_NEAREST, 0, false, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
  };
  const Resources resources(
      gpu, {sampled(from, samplerOf(VK_FILTER_NEAREST)), sampled(table, samplerOf(VK_FILTER_LINEAR)), stored(to)});
  const VkPipeline pipeline = gpu.makePipeline(lut3d_comp, resources.layout);
  return pictureOutcome(gpu, kPixels / 1e6, to, [&](VkCommandBuffer c) {
    resources.bind(c, pipeline, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(c, kWidth / 16, (kHeight + 15) / 16, 1);
  });
}

}  // namespace

std::vector<Scenario> imageScenarios() {
  return {
      {"images.levels_blur", "Mpix/s", true, Bound::CacheCopy, 0.007, 0.02, levelsBlur},
      {"images.lut3d", "Mpix/s", true, Bound::CacheCopy, 0.004, 0.02, lut3d},
  };
}

}  // namespace vkbench
