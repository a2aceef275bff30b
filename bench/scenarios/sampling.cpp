// Sampling as programs ask for it: formats, dimensions, address modes and kinds of access, one varied at a time. A
// full-screen layer of one access a pixel, turned as in texture.cpp.
#include <algorithm>
#include <bit>

#include "draws.h"
#include "full.vert.h"
#include "resources.h"
#include "sampling_cube.frag.h"
#include "sampling_layers.frag.h"
#include "sampling_plane.frag.h"
#include "sampling_shadow_cube.frag.h"
#include "sampling_shadow_layers.frag.h"
#include "sampling_shadow_plane.frag.h"
#include "sampling_volume.frag.h"
#include "texels.h"

namespace vkbench {
namespace {

enum class Shape { Plane, Layers, Cube, Volume };
enum class Access : int32_t { Plain, Bias, Level, Gradient, Gather, Fetch, Offsets };

const std::pair<const char*, Texels> kFormats[] = {
    {"r8", {VK_FORMAT_R8_UNORM, 1}},
    {"rg8", {VK_FORMAT_R8G8_UNORM, 2}},
    {"rgba8", {VK_FORMAT_R8G8B8A8_UNORM, 4}},
    {"rgba8_snorm", {VK_FORMAT_R8G8B8A8_SNORM, 4}},
    {"rgba8_srgb", {VK_FORMAT_R8G8B8A8_SRGB, 4}},
    {"bgra8", {VK_FORMAT_B8G8R8A8_UNORM, 4}},
    {"bgra8_srgb", {VK_FORMAT_B8G8R8A8_SRGB, 4}},
    {"r5g6b5", {VK_FORMAT_R5G6B5_UNORM_PACK16, 2}},
    {"rgb10a2", {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4}},
    {"r16", {VK_FORMAT_R16_UNORM, 2}},
    {"rgba16", {VK_FORMAT_R16G16B16A16_UNORM, 8}},
    {"r16f", {VK_FORMAT_R16_SFLOAT, 2, 1, Numbers::Halves}},
    {"rg16f", {VK_FORMAT_R16G16_SFLOAT, 4, 1, Numbers::Halves}},
    {"rgba16f", {VK_FORMAT_R16G16B16A16_SFLOAT, 8, 1, Numbers::Halves}},
    {"r32f", {VK_FORMAT_R32_SFLOAT, 4, 1, Numbers::Floats}},
    {"rgba32f", {VK_FORMAT_R32G32B32A32_SFLOAT, 16, 1, Numbers::Floats}},
    {"rg11b10f", {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4}},
    {"rgb9e5", {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4}},
    {"bc1", {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 8, 4}},
    {"bc1_srgb", {VK_FORMAT_BC1_RGBA_SRGB_BLOCK, 8, 4}},
    {"bc3", {VK_FORMAT_BC3_UNORM_BLOCK, 16, 4}},
    {"bc4", {VK_FORMAT_BC4_UNORM_BLOCK, 8, 4}},
    {"bc5", {VK_FORMAT_BC5_UNORM_BLOCK, 16, 4}},
    {"bc7", {VK_FORMAT_BC7_UNORM_BLOCK, 16, 4}},
    {"bc7_srgb", {VK_FORMAT_BC7_SRGB_BLOCK, 16, 4}},
    {"etc2", {VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, 8, 4}},
};

struct Sampling {
  Shape shape = Shape::Plane;
  Texels texels;
  Access access = Access::Plain;
  bool levels = true;  ///< 1.5 texels of the first level a pixel, trilinear; else 0.8, of one level
  VkSamplerAddressMode address = VK_SAMPLER_ADDRESS_MODE_REPEAT;
  VkFilter filter = VK_FILTER_LINEAR;
  float anisotropy = 0;
  VkSamplerMipmapMode mips = VK_SAMPLER_MIPMAP_MODE_LINEAR;  ///< with `levels`
};

Spirv shaderOf(Shape shape, bool compared) {
  switch (shape) {
    case Shape::Plane: return compared ? Spirv(sampling_shadow_plane_frag) : Spirv(sampling_plane_frag);
    case Shape::Layers: return compared ? Spirv(sampling_shadow_layers_frag) : Spirv(sampling_layers_frag);
    case Shape::Cube: return compared ? Spirv(sampling_shadow_cube_frag) : Spirv(sampling_cube_frag);
    case Shape::Volume: return sampling_volume_frag;
  }
  return {};
}

Image imageOf(Gpu& gpu, const Sampling& s) {
  const uint32_t size = s.shape == Shape::Volume ? 128 : s.shape == Shape::Plane ? 1024 : 512;
  gpu.requireFormat(s.texels.format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
  const Image image = gpu.makeImage({.width = size,
                                     .height = size,
                                     .format = s.texels.format,
                                     .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                     .mips = s.levels ? uint32_t(std::bit_width(size)) : 1u,
                                     .depth = s.shape == Shape::Volume ? size : 1u,
                                     .cube = s.shape == Shape::Cube,
                                     .slices = s.shape == Shape::Layers ? 4u : 1u});
  for (uint32_t layer = 0; layer < image.desc.layers(); ++layer)
    for (uint32_t level = 0; level < image.desc.mips; ++level) {
      const uint64_t blocks = std::max(1u, (size >> level) / s.texels.block);
      gpu.upload(image,
                 noiseOf(s.texels, blocks * blocks * std::max(1u, image.desc.depth >> level), level * 8 + layer + 1),
                 level, layer);
    }
  return image;
}

Outcome sample(Gpu& gpu, const Sampling& s) {
  if (s.anisotropy > 0) gpu.require(gpu.features.samplerAnisotropy, "samplerAnisotropy");
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const Image image = imageOf(gpu, s);
  const bool compared = s.texels.numbers == Numbers::Depths;
  const VkSampler sampler =
      gpu.makeSampler(s.filter, s.levels ? s.mips : VK_SAMPLER_MIPMAP_MODE_NEAREST, s.anisotropy, compared, s.address);
  const Resources resources(gpu, {sampled(image, sampler)});
  const float access = std::bit_cast<float>(s.access);
  const VkPipeline pipeline = gpu.makePipeline(
      {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, shaderOf(s.shape, compared)}},
       .target = &target,
       .variant = &access},
      resources.layout);
  const float texels = s.levels ? 1.5f : 0.8f;
  const FullPush constants = turnedTexels(texels, texels, 1024);
  return drawOutcome(gpu, target, kPixels / 1e6, [&](VkCommandBuffer c) {
    resources.bind(c, pipeline);
    resources.push(c, constants);
    vkCmdDraw(c, 3, 1, 0, 0);
  });
}

}  // namespace

std::vector<Scenario> samplingScenarios() {
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, const Sampling& s) {
    all.push_back({"sampling." + name, "Mpix/s", true, Bound::None, 0, 0.03, [s](Gpu& g) { return sample(g, s); }});
  };
  for (const auto& [name, texels] : kFormats) {
    add(std::string("levels_") + name, {.texels = texels});
    add(std::string("one_") + name, {.texels = texels, .levels = false});
  }
  const std::pair<const char*, Shape> shapes[] = {
      {"layers", Shape::Layers}, {"cube", Shape::Cube}, {"volume", Shape::Volume}};
  const Texels srgb{VK_FORMAT_R8G8B8A8_SRGB, 4}, halves{VK_FORMAT_R16G16B16A16_SFLOAT, 8, 1, Numbers::Halves},
      depths{VK_FORMAT_D32_SFLOAT, 4, 1, Numbers::Depths};
  for (const auto& [name, shape] : shapes) {
    const std::string n = name;
    add("levels_" + n, {.shape = shape});
    add("one_" + n, {.shape = shape, .levels = false});
    add("levels_" + n + "_srgb", {.shape = shape, .texels = srgb});
    add("levels_" + n + "_rgba16f", {.shape = shape, .texels = halves});
    add("bias_" + n, {.shape = shape, .access = Access::Bias});
    add("level_" + n, {.shape = shape, .access = Access::Level});
    add("gradient_" + n, {.shape = shape, .access = Access::Gradient});
    if (shape != Shape::Volume) add("shadow_" + n, {.shape = shape, .texels = depths, .levels = false});
  }
  const std::pair<const char*, Access> accesses[] = {{"bias", Access::Bias},         {"level", Access::Level},
                                                     {"gradient", Access::Gradient}, {"gather", Access::Gather},
                                                     {"fetch", Access::Fetch},       {"offsets", Access::Offsets}};
  for (const auto& [name, access] : accesses) {
    add(name, {.access = access});
    add(std::string(name) + "_rgba16f", {.texels = halves, .access = access});
    if (access == Access::Gather || access == Access::Fetch)
      add(std::string(name) + "_layers", {.shape = Shape::Layers, .access = access});
  }
  const std::pair<const char*, VkSamplerAddressMode> addresses[] = {
      {"clamped", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
      {"mirrored", VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
      {"bordered", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER}};
  for (const auto& [name, address] : addresses) {
    add(std::string("levels_") + name, {.address = address});
    add(std::string("one_") + name, {.levels = false, .address = address});
  }
  for (const auto& [name, texels] : {std::pair{"rgba8", Texels{}},
                                     {"rgba8_srgb", srgb},
                                     {"rgba16f", halves},
                                     {"bc7", {VK_FORMAT_BC7_UNORM_BLOCK, 16, 4}}})
    add(std::string("anisotropic_") + name, {.texels = texels, .anisotropy = 16});
  add("gather_shadow", {.texels = depths, .access = Access::Gather, .levels = false});
  add("gather_shadow_layers", {.shape = Shape::Layers, .texels = depths, .access = Access::Gather, .levels = false});
  add("nearest_levels", {.filter = VK_FILTER_NEAREST});
  add("nearest_level", {.filter = VK_FILTER_NEAREST, .mips = VK_SAMPLER_MIPMAP_MODE_NEAREST});
  add("bilinear_level", {.mips = VK_SAMPLER_MIPMAP_MODE_NEAREST});
  return all;
}

}  // namespace vkbench
