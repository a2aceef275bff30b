// Cost of one texture instruction (8 lanes). Neighbouring lanes sample neighbouring texels, as pixels do.
#include <benchmark/benchmark.h>

#include <bit>

#include "runtime/tex/texture_unit.h"

namespace etzel::tex {
namespace {

void sample(benchmark::State& state, VkFormat format, VkFilter filter, VkSamplerMipmapMode mipmapMode, bool mips) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {256, 256, 1};
  info.mipLevels = mips ? 9 : 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  const mem::ImageLayout layout = mem::layoutImage(info);
  std::vector<std::byte> bytes(layout.size, std::byte{0x3C});
  ImageView view;
  view.layout = &layout;
  view.plane = &layout.plane[0];
  view.memory = bytes.data();
  view.format = format;
  view.info = format::find(format);
  view.decode = format::decoder(format);
  view.mipCount = info.mipLevels;
  Sampler sampler;
  sampler.magFilter = sampler.minFilter = filter;
  sampler.mipmapMode = mipmapMode;
  sampler.maxLod = 100;
  const abi::ImageDescriptor descriptor{&view, &sampler, {}};
  abi::DispatchContext context;
  context.table[0] = reinterpret_cast<const std::byte*>(&descriptor);
  context.tableBytes[0] = sizeof(descriptor);
  abi::Warp warp;
  warp.context = &context;
  LaneWords args[2], result[4], handle{};
  abi::TexInst inst;
  float at = 0.1f;
  for (auto _ : state) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      args[0][i] = std::bit_cast<uint32_t>(at + static_cast<float>((i & 1) + (i >> 2) * 2) * 1.4f / 256);
      args[1][i] = std::bit_cast<uint32_t>(at + static_cast<float>(i >> 1 & 1) * 1.4f / 256);
    }
    at = at > 0.9f ? 0.1f : at + 0.001f;
    execute(&warp, inst.pack(), kAllLanes, &handle, &handle, args, result);
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * kWarpLanes);
}

#define ETZEL_SAMPLE(name, ...) BENCHMARK_CAPTURE(sample, name, __VA_ARGS__)
ETZEL_SAMPLE(rgba8_nearest, VK_FORMAT_R8G8B8A8_UNORM, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, false);
ETZEL_SAMPLE(rgba8_bilinear, VK_FORMAT_R8G8B8A8_UNORM, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, false);
ETZEL_SAMPLE(rgba8_trilinear, VK_FORMAT_R8G8B8A8_UNORM, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, true);
ETZEL_SAMPLE(srgb8_trilinear, VK_FORMAT_R8G8B8A8_SRGB, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, true);
ETZEL_SAMPLE(rgba16f_bilinear, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, false);
ETZEL_SAMPLE(rgba32f_bilinear, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, false);
ETZEL_SAMPLE(r16_bilinear, VK_FORMAT_R16_UNORM, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, false);
ETZEL_SAMPLE(bc7_bilinear, VK_FORMAT_BC7_UNORM_BLOCK, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, false);

}  // namespace
}  // namespace etzel::tex
