// Sampling: a full-screen layer of one texture access a pixel.
#include "../scenario.h"
#include "draws.h"
#include "full.vert.h"
#include "gather.frag.h"
#include "shadow.frag.h"
#include "texture.frag.h"

namespace vkbench {
namespace {

constexpr uint32_t kSize = 1024;

struct Sampling {
  Spirv fragment;
  VkFilter filter = VK_FILTER_LINEAR;
  VkSamplerMipmapMode mips = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  float anisotropy = 0;
  bool shadow = false, sparse = false;
  float texelsX = 0.8f, texelsY = 0.8f;  ///< texels a pixel
};

Outcome sample(Gpu& gpu, const Sampling& s) {
  if (s.anisotropy > 0) gpu.require(gpu.features.samplerAnisotropy, "samplerAnisotropy");
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const Image image =
      gpu.makeImage({kSize, kSize, s.shadow ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_R8G8B8A8_UNORM,
                     VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, s.shadow ? 1u : 11u, 1, s.sparse});
  if (s.shadow) {
    Random random(7);
    std::vector<float> depths(kSize * kSize);
    for (float& d : depths) d = random.unit();
    gpu.upload(image, {reinterpret_cast<const uint32_t*>(depths.data()), depths.size()});
  } else {
    for (uint32_t m = 0; m < 11; ++m) gpu.upload(image, noiseTexels(kSize >> m, kSize >> m, m + 1), m);
  }
  const VkDescriptorType type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout({&type, 1});
  const VkPipelineLayout layout = gpu.makeLayout(setLayout);
  const VkDescriptorSet set = gpu.makeSet(setLayout);
  gpu.writeImage(set, 0, type, image, gpu.makeSampler(s.filter, s.mips, s.anisotropy, s.shadow));
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, s.fragment}},
                        .target = &target},
                       layout);
  const FullPush constants = turnedTexels(s.texelsX, s.texelsY, kSize);
  return drawOutcome(gpu, target, kPixels / 1e6, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
    push(gpu, c, constants, layout);
    vkCmdDraw(c, 3, 1, 0, 0);
  });
}

}  // namespace

std::vector<Scenario> textureScenarios() {
  // Bytes that a pixel reads at least, from the cache, plus the four it writes.
  const auto nearest = VK_SAMPLER_MIPMAP_MODE_NEAREST, linear = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  return {
      {"texture.nearest", "Mpix/s", true, Bound::CacheCopy, 0.004, 0.03,
       [=](Gpu& g) {
         return sample(g, {texture_frag, VK_FILTER_NEAREST, nearest});
       }},
      {"texture.bilinear", "Mpix/s", true, Bound::CacheCopy, 0.01, 0.02,
       [=](Gpu& g) {
         return sample(g, {texture_frag, VK_FILTER_LINEAR, nearest});
       }},
      {"texture.trilinear", "Mpix/s", true, Bound::CacheCopy, 0.018, 0.02,
       [=](Gpu& g) { return sample(g, {.fragment = texture_frag, .mips = linear, .texelsX = 1.5f, .texelsY = 1.5f}); }},
      // Beside the row above: what it costs that memory can be bound block by block.
      {"texture.trilinear_sparse", "Mpix/s", true, Bound::CacheCopy, 0.018, 0.02,
       [=](Gpu& g) {
         return sample(g, {.fragment = texture_frag, .mips = linear, .sparse = true, .texelsX = 1.5f, .texelsY = 1.5f});
       }},
      {"texture.anisotropic_8", "Mpix/s", true, Bound::CacheCopy, 0.13, 0.06,
       [=](Gpu& g) {
         return sample(g, {.fragment = texture_frag, .mips = linear, .anisotropy = 8, .texelsX = 8, .texelsY = 1});
       }},
      {"texture.gather", "Mpix/s", true, Bound::CacheCopy, 0.01, 0.03,
       [=](Gpu& g) {
         return sample(g, {gather_frag, VK_FILTER_LINEAR, nearest});
       }},
      {"texture.shadow", "Mpix/s", true, Bound::CacheCopy, 0.01, 0.02,
       [=](Gpu& g) { return sample(g, {.fragment = shadow_frag, .shadow = true}); }},
  };
}

}  // namespace vkbench
