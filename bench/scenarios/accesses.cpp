// Texels that compute shaders load, store, add to, fetch and sample: formats and kinds of images and buffers, one
// varied at a time. An invocation has four texels.
#include "resources.h"

#include "access_atomic.comp.h"
#include "access_buffer.comp.h"
#include "access_buffer_fetch.comp.h"
#include "access_codes.comp.h"
#include "access_fetch.comp.h"
#include "access_layers.comp.h"
#include "access_plane.comp.h"
#include "access_sample.comp.h"
#include "access_sample_volume.comp.h"
#include "access_volume.comp.h"
#include "texels.h"

namespace vkbench {
namespace {

constexpr uint32_t kSize = 1024;

enum class Kind { Plane, Codes, Layers, Volume, Atomic, Buffer, BufferFetch, Fetch, Sample, SampleVolume };

struct Access {
  Kind kind = Kind::Plane;
  Texels texels;
  bool writes = false;
  bool isBuffer() const { return kind == Kind::Buffer || kind == Kind::BufferFetch; }
  bool isSampled() const { return kind == Kind::Fetch || kind == Kind::Sample || kind == Kind::SampleVolume; }
};

Spirv shaderOf(Kind kind) {
  switch (kind) {
    case Kind::Plane: return access_plane_comp;
    case Kind::Codes: return access_codes_comp;
    case Kind::Layers: return access_layers_comp;
    case Kind::Volume: return access_volume_comp;
    case Kind::Atomic: return access_atomic_comp;
    case Kind::Buffer: return access_buffer_comp;
    case Kind::BufferFetch: return access_buffer_fetch_comp;
    case Kind::Fetch: return access_fetch_comp;
    case Kind::Sample: return access_sample_comp;
    case Kind::SampleVolume: return access_sample_volume_comp;
  }
  return {};
}

Image imageOf(Gpu& gpu, const Access& a) {
  gpu.requireFormat(a.texels.format,
                    a.isSampled() ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT : VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT);
  if (!a.isSampled() && a.kind != Kind::Atomic) {
    gpu.require(gpu.features.shaderStorageImageReadWithoutFormat, "shaderStorageImageReadWithoutFormat");
    gpu.require(gpu.features.shaderStorageImageWriteWithoutFormat, "shaderStorageImageWriteWithoutFormat");
  }
  const bool volume = a.kind == Kind::Volume || a.kind == Kind::SampleVolume;
  const uint32_t size = volume ? 128 : kSize;
  const VkImageUsageFlags usage = a.isSampled() ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_STORAGE_BIT;
  const Image image = gpu.makeImage({.width = size,
                                     .height = size,
                                     .format = a.texels.format,
                                     .usage = usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                     .depth = volume ? size : 1u,
                                     .slices = a.kind == Kind::Layers ? 4u : 1u});
  for (uint32_t layer = 0; layer < image.desc.layers(); ++layer)
    gpu.upload(image, noiseOf(a.texels, uint64_t{size} * size * image.desc.depth, layer + 1), 0, layer);
  return image;
}

VkBufferView bufferTexels(Gpu& gpu, const Access& a) {
  gpu.requireBufferFormat(a.texels.format, a.kind == Kind::Buffer ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT
                                                                  : VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT);
  gpu.require(gpu.properties.limits.maxTexelBufferElements >= kSize * kSize, "maxTexelBufferElements");
  return gpu.makeTexels(bufferOf<uint32_t>(gpu, noiseOf(a.texels, kSize * kSize, 1)), a.texels.format);
}

Outcome run(Gpu& gpu, const Access& a) {
  const Buffer sums = gpu.makeBuffer(kSize * kSize);
  const auto time = [&](const Resource& texels) {
    const Resources resources(gpu, {texels, storage(sums)});
    const int32_t writes = a.writes;
    const VkPipeline pipeline = gpu.makePipeline(shaderOf(a.kind), resources.layout, &writes);
    return commandOutcome(gpu, double(kSize) * kSize / 1e6, [&](VkCommandBuffer c) {
      resources.bind(c, pipeline, VK_PIPELINE_BIND_POINT_COMPUTE);
      vkCmdDispatch(c, kSize / 16, kSize / 16, 1);
    });
  };
  if (a.isBuffer()) {
    const VkBufferView texels = bufferTexels(gpu, a);
    return time(a.kind == Kind::Buffer ? stored(texels) : read(texels));
  }
  const Image image = imageOf(gpu, a);
  if (!a.isSampled()) return time(stored(image));
  return time(sampled(image, gpu.makeSampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST)));
}

}  // namespace

std::vector<Scenario> accessScenarios() {
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, const Access& a) {
    all.push_back({"access." + name, "Mtexel/s", true, Bound::None, 0, 0.01, [a](Gpu& g) { return run(g, a); }});
  };
  const std::pair<const char*, Texels> floats[] = {
      {"r8", {VK_FORMAT_R8_UNORM, 1}},
      {"rg8", {VK_FORMAT_R8G8_UNORM, 2}},
      {"rgba8", {VK_FORMAT_R8G8B8A8_UNORM, 4}},
      {"rgba8_snorm", {VK_FORMAT_R8G8B8A8_SNORM, 4}},
      {"bgra8", {VK_FORMAT_B8G8R8A8_UNORM, 4}},
      {"rgb10a2", {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4}},
      {"rg11b10f", {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4}},
      {"r16", {VK_FORMAT_R16_UNORM, 2}},
      {"rgba16", {VK_FORMAT_R16G16B16A16_UNORM, 8}},
      {"r16f", {VK_FORMAT_R16_SFLOAT, 2, 1, Numbers::Halves}},
      {"rgba16f", {VK_FORMAT_R16G16B16A16_SFLOAT, 8, 1, Numbers::Halves}},
      {"r32f", {VK_FORMAT_R32_SFLOAT, 4, 1, Numbers::Floats}},
      {"rgba32f", {VK_FORMAT_R32G32B32A32_SFLOAT, 16, 1, Numbers::Floats}},
  };
  for (const auto& [name, texels] : floats) {
    const std::string n = name;
    add("load_" + n, {.texels = texels});
    add("store_" + n, {.texels = texels, .writes = true});
    add("buffer_load_" + n, {.kind = Kind::Buffer, .texels = texels});
    add("buffer_store_" + n, {.kind = Kind::Buffer, .texels = texels, .writes = true});
    add("buffer_fetch_" + n, {.kind = Kind::BufferFetch, .texels = texels});
    add("fetch_" + n, {.kind = Kind::Fetch, .texels = texels});
    add("sample_" + n, {.kind = Kind::Sample, .texels = texels});
  }
  const std::pair<const char*, Texels> codes[] = {{"r8ui", {VK_FORMAT_R8_UINT, 1}},
                                                  {"rgba8ui", {VK_FORMAT_R8G8B8A8_UINT, 4}},
                                                  {"rgba16ui", {VK_FORMAT_R16G16B16A16_UINT, 8}},
                                                  {"r32ui", {VK_FORMAT_R32_UINT, 4}}};
  for (const auto& [name, texels] : codes) {
    add(std::string("load_") + name, {.kind = Kind::Codes, .texels = texels});
    add(std::string("store_") + name, {.kind = Kind::Codes, .texels = texels, .writes = true});
  }
  const Texels word{VK_FORMAT_R32_UINT, 4}, halves{VK_FORMAT_R16G16B16A16_SFLOAT, 8, 1, Numbers::Halves};
  for (const bool writes : {false, true}) {
    const std::string n = writes ? "store_" : "load_";
    add(n + "layers", {.kind = Kind::Layers, .writes = writes});
    add(n + "layers_rgba16f", {.kind = Kind::Layers, .texels = halves, .writes = writes});
    add(n + "volume", {.kind = Kind::Volume, .writes = writes});
    add(n + "volume_rgba16f", {.kind = Kind::Volume, .texels = halves, .writes = writes});
    add(writes ? "atomic_few" : "atomic", {.kind = Kind::Atomic, .texels = word, .writes = writes});
  }
  add("sample_volume", {.kind = Kind::SampleVolume});
  add("sample_volume_rgba16f", {.kind = Kind::SampleVolume, .texels = halves});
  return all;
}

}  // namespace vkbench
