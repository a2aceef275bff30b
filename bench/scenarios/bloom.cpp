// Bloom: a bright picture of small floats goes down through its levels, up again with blending, and out tone-mapped.
#include <cmath>

#include "../scenario.h"
#include "bloom_down.frag.h"
#include "bloom_final.frag.h"
#include "bloom_up.frag.h"
#include "resources.h"

namespace vkbench {
namespace {

constexpr uint32_t kLevels = 6;

/// Dim waves with bright spots.
std::vector<uint32_t> brightHalves() {
  std::vector<uint32_t> words;
  words.reserve(size_t{kWidth} * kHeight * 2);
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) {
      const float u = float(x) * 0.021f, v = float(y) * 0.023f;
      const float spot = std::pow(0.5f + 0.5f * std::sin(u) * std::sin(v), 24.0f) * 16;
      const auto half = [&](float base) { return uint32_t{halfOf(0.02f + base + spot)}; };
      words.push_back(half(0.2f + 0.1f * std::sin(u * 0.3f)) | half(0.2f + 0.1f * std::cos(v * 0.4f)) << 16);
      words.push_back(half(0.3f) | half(0.5f) << 16);
    }
  return words;
}

Outcome bloom(Gpu& gpu, VkFormat format) {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(gpu.physical, format, &properties);
  gpu.require((properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) != 0, "blending");
  const Image bright = gpu.makeImage({kWidth, kHeight, VK_FORMAT_R16G16B16A16_SFLOAT, kTexture});
  gpu.upload(bright, brightHalves());
  // Level 0 has half the size of the picture.
  const Image chain = gpu.makeImage(
      {kWidth / 2, kHeight / 2, format, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, kLevels});
  gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, chain); }));
  const VkSampler sampler = gpu.makeSampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 0, false,
                                            VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
  std::vector<Image> levels;
  for (uint32_t l = 0; l < kLevels; ++l) levels.push_back(gpu.levelOf(chain, l));
  std::vector<Target> targets;  // kLevels going down, the rest coming up
  for (const bool up : {false, true})
    for (uint32_t l = 0; l + up < kLevels; ++l)
      targets.push_back(gpu.makeTarget(
          {.width = levels[l].desc.width, .height = levels[l].desc.height, .onto = &levels[l], .loads = up}));
  std::vector<FullPass> passes;
  for (uint32_t l = 0; l < kLevels; ++l)
    passes.emplace_back(gpu, targets[l], bloom_down_frag,
                        std::initializer_list{sampled(l ? levels[l - 1] : bright, sampler)});
  for (uint32_t l = kLevels - 1; l-- > 0;)
    passes.emplace_back(gpu, targets[kLevels + l], bloom_up_frag,
                        std::initializer_list{sampled(levels[l + 1], sampler)}, true);
  const Target screen = gpu.makeTarget({.width = kWidth, .height = kHeight});
  passes.emplace_back(gpu, screen, bloom_final_frag,
                      std::initializer_list{sampled(bright, sampler), sampled(levels[0], sampler)});
  return pictureOutcome(gpu, kPixels / 1e6, screen.picture(), [&](VkCommandBuffer c) {
    for (const FullPass& pass : passes) pass.record(c);
  });
}

}  // namespace

std::vector<Scenario> bloomScenarios() {
  return {
      {"bloom.half_floats", "Mpix/s", true, Bound::CacheCopy, 0.0224, 0.02,
       [](Gpu& g) { return bloom(g, VK_FORMAT_R16G16B16A16_SFLOAT); }},
      {"bloom.small_floats", "Mpix/s", true, Bound::CacheCopy, 0.018, 0.02,
       [](Gpu& g) { return bloom(g, VK_FORMAT_B10G11R11_UFLOAT_PACK32); }},
  };
}

}  // namespace vkbench
