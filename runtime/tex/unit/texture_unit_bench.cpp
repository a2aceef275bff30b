// Cost of one texture instruction (8 lanes). Neighbouring lanes sample neighbouring texels, as pixels do.
#include <benchmark/benchmark.h>

#include <bit>

#include "runtime/tex/unit/texture_unit.h"

namespace etzel::tex {
namespace {

using abi::TexInst;
using abi::TexKind;

/// An image of 256x256 texels, a sampler, and a warp.
struct Bench {
  mem::ImageLayout layout;
  std::vector<std::byte> bytes;
  ImageView view;
  Sampler sampler;
  abi::ImageDescriptor descriptor{.view = &view, .sampler = &sampler};
  abi::DispatchContext context;
  abi::Warp warp;
  LaneWords args[16] = {}, result[9], handle{};

  explicit Bench(VkFormat format, bool mips = false, uint32_t samples = 1) {
    mem::ImageShape shape;
    shape.type = VK_IMAGE_TYPE_2D;
    shape.format = format;
    shape.extent = {256, 256, 1};
    shape.mipLevels = mips ? 9 : 1;
    shape.arrayLayers = 1;
    shape.samples = samples;
    layout = mem::layoutImage(shape);
    bytes.assign(layout.size, std::byte{0x3C});
    view.layout = &layout;
    view.plane = &layout.plane[0];
    view.memory = bytes.data();
    view.format = format;
    view.info = format::find(format);
    view.decode = format::decoder(format);
    view.encode = format::encoder(format);
    view.mipCount = shape.mipLevels;
    view.samples = samples;
    prepare(view);
    sampler.maxLod = 100;
    context.table[0] = reinterpret_cast<const std::byte*>(&descriptor);
    context.tableBytes[0] = sizeof(descriptor);
    warp.context = &context;
  }
  void run(benchmark::State& state, const TexInst& inst, float texelsX, float texelsY) {
    prepare(sampler);
    const auto execute = functionTable().texture;
    const auto* slot = reinterpret_cast<const LaneWords*>(&descriptor);
    // Made before: vectors that have just been stored word by word make their loads wait, which kernels do not do.
    constexpr uint32_t kPlaces = 64;
    struct Place {
      LaneWords args[3] = {};
    };
    std::vector<Place> places(kPlaces);
    for (uint32_t p = 0; p < kPlaces; ++p) {
      const float at = 0.1f + 0.8f * static_cast<float>(p) / kPlaces;
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        places[p].args[0][i] = std::bit_cast<uint32_t>(at + static_cast<float>((i & 1) + (i >> 2) * 2) * texelsX / 256);
        places[p].args[1][i] = std::bit_cast<uint32_t>(at + static_cast<float>(i >> 1 & 1) * texelsY / 256);
      }
    }
    uint32_t next = 0;
    for (auto _ : state) {
      execute(&warp, inst.pack() | TexInst::kSameHandles, kAllLanes, slot, slot, places[next].args, result);
      next = (next + 1) % kPlaces;
      benchmark::DoNotOptimize(result);
    }
    finish(state);
  }
  /// Integer coordinates, the sample in the third word.
  void access(benchmark::State& state, const TexInst& inst) {
    const auto execute = functionTable().texture;
    const auto* slot = reinterpret_cast<const LaneWords*>(&descriptor);
    uint32_t at = 0;
    for (auto _ : state) {
      for (uint32_t i = 0; i < kWarpLanes; ++i)
        args[0][i] = at + (i & 1) + (i >> 2) * 2, args[1][i] = at + (i >> 1 & 1);
      at = (at + 4) & 127;
      execute(&warp, inst.pack() | TexInst::kSameHandles, kAllLanes, slot, slot, args, result);
      benchmark::DoNotOptimize(result);
    }
    finish(state);
  }
  static void finish(benchmark::State& state) {
    state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * kWarpLanes);
  }
};

void sample(benchmark::State& state, VkFormat format, VkFilter filter, VkSamplerMipmapMode mode, bool mips,
            float anisotropy = 0) {
  Bench b(format, mips);
  b.sampler.magFilter = b.sampler.minFilter = filter;
  b.sampler.mipmapMode = mode;
  b.sampler.anisotropic = anisotropy > 0, b.sampler.maxAnisotropy = anisotropy;
  b.run(state, {}, anisotropy > 0 ? anisotropy : 1.4f, anisotropy > 0 ? 1.0f : 1.4f);
}
void gather(benchmark::State& state, VkFormat format) {
  Bench b(format);
  TexInst inst;
  inst.kind = TexKind::Gather, inst.lod = abi::LodMode::Zero, inst.component = 1;
  b.run(state, inst, 1, 1);
}
void shadow(benchmark::State& state, VkFormat format, bool gathers) {
  Bench b(format);
  b.sampler.magFilter = b.sampler.minFilter = VK_FILTER_LINEAR;
  b.sampler.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  TexInst inst;
  inst.dref = true;
  if (gathers) inst.kind = TexKind::Gather, inst.lod = abi::LodMode::Zero;
  b.run(state, inst, 1, 1);
}
void fetch(benchmark::State& state, VkFormat format, uint32_t samples) {
  Bench b(format, false, samples);
  TexInst inst;
  inst.kind = TexKind::Fetch, inst.lod = abi::LodMode::Zero, inst.multisampled = samples > 1;
  if (samples > 1) b.bytes.assign(b.bytes.size(), std::byte{});
  b.access(state, inst);
}
void image(benchmark::State& state, VkFormat format, TexKind kind) {
  Bench b(format);
  TexInst inst;
  inst.kind = kind, inst.lod = abi::LodMode::Zero, inst.atomic = abi::AtomicOp::Add, inst.type = abi::TexType::Uint;
  b.access(state, inst);
}

constexpr auto kNearest = VK_FILTER_NEAREST, kLinear = VK_FILTER_LINEAR;
constexpr auto kOne = VK_SAMPLER_MIPMAP_MODE_NEAREST, kTwo = VK_SAMPLER_MIPMAP_MODE_LINEAR;
#define ETZEL_BENCH(function, name, ...) BENCHMARK_CAPTURE(function, name, __VA_ARGS__)
ETZEL_BENCH(sample, rgba8_nearest, VK_FORMAT_R8G8B8A8_UNORM, kNearest, kOne, false);
ETZEL_BENCH(sample, rgba8_bilinear, VK_FORMAT_R8G8B8A8_UNORM, kLinear, kOne, false);
ETZEL_BENCH(sample, rgba8_bilinear_mips, VK_FORMAT_R8G8B8A8_UNORM, kLinear, kOne, true);
ETZEL_BENCH(sample, rgba8_trilinear, VK_FORMAT_R8G8B8A8_UNORM, kLinear, kTwo, true);
ETZEL_BENCH(sample, rgba8_anisotropic_8, VK_FORMAT_R8G8B8A8_UNORM, kLinear, kTwo, true, 8);
ETZEL_BENCH(sample, rgba8_anisotropic_2, VK_FORMAT_R8G8B8A8_UNORM, kLinear, kTwo, true, 2.4f);
ETZEL_BENCH(sample, srgb8_trilinear, VK_FORMAT_R8G8B8A8_SRGB, kLinear, kTwo, true);
ETZEL_BENCH(sample, r8_bilinear, VK_FORMAT_R8_UNORM, kLinear, kOne, false);
ETZEL_BENCH(sample, rgba16f_bilinear, VK_FORMAT_R16G16B16A16_SFLOAT, kLinear, kOne, false);
ETZEL_BENCH(sample, rgba32f_bilinear, VK_FORMAT_R32G32B32A32_SFLOAT, kLinear, kOne, false);
ETZEL_BENCH(sample, r16_bilinear, VK_FORMAT_R16_UNORM, kLinear, kOne, false);
ETZEL_BENCH(sample, b5g6r5_bilinear, VK_FORMAT_R5G6B5_UNORM_PACK16, kLinear, kOne, false);
ETZEL_BENCH(sample, bc7_bilinear, VK_FORMAT_BC7_UNORM_BLOCK, kLinear, kOne, false);
ETZEL_BENCH(gather, rgba8, VK_FORMAT_R8G8B8A8_UNORM);
ETZEL_BENCH(gather, rgba16f, VK_FORMAT_R16G16B16A16_SFLOAT);
ETZEL_BENCH(shadow, d32, VK_FORMAT_D32_SFLOAT, false);
ETZEL_BENCH(shadow, d16, VK_FORMAT_D16_UNORM, false);
ETZEL_BENCH(shadow, d32_gather, VK_FORMAT_D32_SFLOAT, true);
ETZEL_BENCH(fetch, rgba8, VK_FORMAT_R8G8B8A8_UNORM, 1);
ETZEL_BENCH(fetch, rgba32f, VK_FORMAT_R32G32B32A32_SFLOAT, 1);
ETZEL_BENCH(fetch, rgba8_4x, VK_FORMAT_R8G8B8A8_UNORM, 4);
ETZEL_BENCH(image, r32ui_read, VK_FORMAT_R32_UINT, TexKind::ImageRead);
ETZEL_BENCH(image, r32ui_write, VK_FORMAT_R32_UINT, TexKind::ImageWrite);
ETZEL_BENCH(image, rgba8_write, VK_FORMAT_R8G8B8A8_UNORM, TexKind::ImageWrite);
ETZEL_BENCH(image, r32ui_atomic, VK_FORMAT_R32_UINT, TexKind::ImageAtomic);

}  // namespace
}  // namespace etzel::tex
