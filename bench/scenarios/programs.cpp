// Pieces of other people's programs: filters that loop over a kernel, composed windows, planar video.
#include "../scenario.h"
#include "edge.frag.h"
#include "full.vert.h"
#include "panel.frag.h"
#include "panel.vert.h"
#include "resources.h"
#include "video_lines.comp.h"
#include "video_overlay.comp.h"
#include "video_rgb.comp.h"

namespace vkbench {
namespace {

constexpr VkDescriptorType kSampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;

/// Smooth enough that filters with other roundings agree.
std::vector<uint32_t> wavyBytes(uint32_t count) {
  std::vector<uint32_t> words((count + 3) / 4);
  auto* bytes = reinterpret_cast<uint8_t*>(words.data());
  for (uint32_t i = 0; i < count; ++i) bytes[i] = uint8_t(40 + (i * 7 + i / 1920 * 13) % 170);
  return words;
}

/// Draws with one texture.
struct Textured {
  Spirv vertex, fragment;
  uint32_t size;       ///< of the texture, both ways
  uint32_t instances;  ///< 0: a triangle that covers the target
  double pixels;
  bool srgb = true;  ///< colours of the texture and of the target
};
Outcome drawTextured(Gpu& gpu, const Textured& t) {
  const Target target = gpu.makeTarget(
      {.width = kWidth, .height = kHeight, .format = t.srgb ? VK_FORMAT_B8G8R8A8_SRGB : VK_FORMAT_B8G8R8A8_UNORM});
  const Image image =
      gpu.makeImage({t.size, t.size, t.srgb ? VK_FORMAT_R8G8B8A8_SRGB : VK_FORMAT_R8G8B8A8_UNORM, kTexture});
  gpu.upload(image, noiseTexels(t.size, t.size, 31));
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout({&kSampled, 1});
  const VkPipelineLayout layout = gpu.makeLayout(setLayout);
  const VkDescriptorSet set = gpu.makeSet(setLayout);
  gpu.writeImage(set, 0, kSampled, image, gpu.makeSampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST));
  const bool panels = t.instances > 0;
  const VkPipeline pipeline = gpu.makePipeline(
      {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, t.vertex}, {VK_SHADER_STAGE_FRAGMENT_BIT, t.fragment}},
       .target = &target,
       .blend = panels,
       .topology = panels ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
      layout);
  return drawOutcome(gpu, target, t.pixels / 1e6, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
    push(gpu, c, FullPush{}, layout);
    vkCmdDraw(c, panels ? 4 : 3, panels ? t.instances : 1, 0, 0);
  });
}

/// One dispatch over all pixels of a picture: `textures`, then the image that it writes.
Outcome filter(Gpu& gpu, Spirv code, std::span<const Image> textures, const Image& to) {
  const VkDescriptorType types[3] = {kSampled, textures.size() == 2 ? kSampled : kStorage, kStorage};
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout({types, textures.size() + 1});
  const VkPipelineLayout layout = gpu.makeLayout(setLayout);
  const VkDescriptorSet set = gpu.makeSet(setLayout);
  const VkSampler sampler = gpu.makeSampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST);
  for (uint32_t i = 0; i < textures.size(); ++i) gpu.writeImage(set, i, kSampled, textures[i], sampler);
  gpu.writeImage(set, uint32_t(textures.size()), kStorage, to, VK_NULL_HANDLE);
  const VkPipeline pipeline = gpu.makePipeline(code, layout);
  gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, to); }));
  return commandOutcome(gpu, kPixels / 1e6, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, kWidth / 32, kHeight / 8, 1);
  });
}

Outcome videoToColors(Gpu& gpu) {
  const Image planes[2] = {gpu.makeImage({kWidth, kHeight, VK_FORMAT_R8_UNORM, kTexture}),
                           gpu.makeImage({kWidth / 2, kHeight / 2, VK_FORMAT_R8G8_UNORM, kTexture})};
  gpu.upload(planes[0], wavyBytes(kWidth * kHeight)), gpu.upload(planes[1], wavyBytes(kWidth * kHeight / 2));
  const Image to = gpu.makeImage({kWidth, kHeight, VK_FORMAT_R8G8B8A8_UNORM, kOutput});
  Outcome out = filter(gpu, video_rgb_comp, planes, to);
  digestImage(out, gpu.read(to), kWidth, kHeight);
  return out;
}

Outcome videoLines(Gpu& gpu) {
  gpu.require(gpu.features.shaderStorageImageExtendedFormats, "shaderStorageImageExtendedFormats");
  const Image from = gpu.makeImage({kWidth, kHeight, VK_FORMAT_R16_UNORM, kTexture});
  gpu.upload(from, wavyBytes(kWidth * kHeight * 2));
  const Image to = gpu.makeImage({kWidth, kHeight, VK_FORMAT_R16_UNORM, kOutput});
  Outcome out = filter(gpu, video_lines_comp, {&from, 1}, to);
  const std::vector<uint8_t> bytes = gpu.read(to);
  digestImage(out, {bytes.data(), size_t{kWidth} * kHeight * 2}, kWidth / 2, kHeight);
  return out;
}

Outcome videoOverlay(Gpu& gpu) {
  gpu.require(gpu.features.shaderStorageImageExtendedFormats, "shaderStorageImageExtendedFormats");
  const VkSampler sampler = gpu.makeSampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST);
  std::vector<Image> planes;  // luma and two of chroma: below, above, the result
  for (const VkImageUsageFlags usage : {kTexture, kTexture, kOutput})
    for (const uint32_t part : {1u, 2u, 2u}) {
      planes.push_back(gpu.makeImage({kWidth / part, kHeight / part, VK_FORMAT_R8_UNORM, usage}));
      if (usage == kOutput)
        gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, planes.back()); }));
      else
        gpu.upload(planes.back(), wavyBytes(kWidth / part * kHeight / part));
    }
  const Resources resources(gpu, {sampled(planes[0], sampler), sampled(planes[1], sampler), sampled(planes[2], sampler),
                                  sampled(planes[3], sampler), sampled(planes[4], sampler), sampled(planes[5], sampler),
                                  stored(planes[6]), stored(planes[7]), stored(planes[8])});
  const VkPipeline pipeline = gpu.makePipeline(video_overlay_comp, resources.layout);
  Outcome out = commandOutcome(gpu, kPixels / 1e6, [&](VkCommandBuffer c) {
    resources.bind(c, pipeline, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(c, kWidth / 32, kHeight / 8, 1);
  });
  const std::vector<uint8_t> bytes = gpu.read(planes[6]);
  digestImage(out, {bytes.data(), size_t{kWidth} * kHeight}, kWidth / 4, kHeight);
  return out;
}

}  // namespace

std::vector<Scenario> programScenarios() {
  return {
      {"programs.filter_srgb", "Mpix/s", true, Bound::CacheCopy, 0.008, 0.02,
       [](Gpu& g) {
         return drawTextured(g, {full_vert, edge_frag, 1024, 0, kPixels});
       }},
      {"programs.panels_srgb", "Mpix/s", true, Bound::CacheCopy, 0.008, 0.02,
       [](Gpu& g) {
         return drawTextured(g, {panel_vert, panel_frag, 128, 300, 300.0 * 192 * 135});
       }},
      {"programs.filter_unorm", "Mpix/s", true, Bound::CacheCopy, 0.008, 0.02,
       [](Gpu& g) {
         return drawTextured(g, {full_vert, edge_frag, 1024, 0, kPixels, false});
       }},
      {"programs.panels_unorm", "Mpix/s", true, Bound::CacheCopy, 0.008, 0.02,
       [](Gpu& g) {
         return drawTextured(g, {panel_vert, panel_frag, 128, 300, 300.0 * 192 * 135, false});
       }},
      {"programs.video_rgb", "Mpix/s", true, Bound::CacheCopy, 0.0055, 0.02, videoToColors},
      {"programs.video_lines", "Mpix/s", true, Bound::CacheCopy, 0.004, 0.02, videoLines},
      {"programs.video_overlay", "Mpix/s", true, Bound::CacheCopy, 0.003, 0.02, videoOverlay},
  };
}

}  // namespace vkbench
