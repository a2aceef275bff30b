// Clears, copies and blits of small and large pictures, on one thread. Items are texels of the destination.
#include <benchmark/benchmark.h>

#include "runtime/transfer/transfer.h"

namespace etzel::transfer {
namespace {

struct Picture {
  mem::ImageLayout layout;
  std::vector<std::byte> bytes;

  Picture(VkFormat format, uint32_t side) {
    mem::ImageShape shape;
    shape.type = VK_IMAGE_TYPE_2D, shape.format = format, shape.extent = {side, side, 1};
    shape.mipLevels = shape.arrayLayers = 1, shape.samples = 1;
    layout = mem::layoutImage(shape);
    bytes.resize(layout.size);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 2654435761u >> 26);  // no NaN
  }
  Image image() { return {&layout, bytes.data()}; }
};

void clear(benchmark::State& state, VkFormat format) {
  const uint32_t side = static_cast<uint32_t>(state.range(0));
  Picture picture(format, side);
  const VkClearColorValue value{{0.25f, 0.5f, 0.75f, 1}};
  for (auto _ : state) clearColor(nullptr, picture.image(), value, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
  state.SetItemsProcessed(state.iterations() * side * side);
}
BENCHMARK_CAPTURE(clear, rgba8, VK_FORMAT_R8G8B8A8_UNORM)->RangeMultiplier(4)->Range(4, 4096);
BENCHMARK_CAPTURE(clear, rgb8, VK_FORMAT_R8G8B8_UNORM)->Arg(16)->Arg(1024);
BENCHMARK_CAPTURE(clear, rgba32f, VK_FORMAT_R32G32B32A32_SFLOAT)->Arg(16)->Arg(1024);

void copy(benchmark::State& state) {
  const uint32_t side = static_cast<uint32_t>(state.range(0));
  Picture source(VK_FORMAT_R8G8B8A8_UNORM, side), destination(VK_FORMAT_R8G8B8A8_UNORM, side);
  VkImageCopy2 r{};
  r.srcSubresource = r.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  r.extent = {side, side, 1};
  for (auto _ : state) copyImage(nullptr, source.image(), destination.image(), r);
  state.SetItemsProcessed(state.iterations() * side * side);
}
BENCHMARK(copy)->RangeMultiplier(4)->Range(4, 4096);

void upload(benchmark::State& state) {
  const uint32_t side = static_cast<uint32_t>(state.range(0));
  Picture destination(VK_FORMAT_R8G8B8A8_UNORM, side);
  const std::vector<std::byte> buffer(size_t{side} * side * 4, std::byte{1});
  VkBufferImageCopy2 r{};
  r.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  r.imageExtent = {side, side, 1};
  for (auto _ : state) copyBufferToImage(nullptr, buffer.data(), destination.image(), r);
  state.SetItemsProcessed(state.iterations() * side * side);
}
BENCHMARK(upload)->RangeMultiplier(4)->Range(4, 4096);

/// \param scale destination texels per four source texels
void blit(benchmark::State& state, VkFormat from, VkFormat to, uint32_t scale, VkFilter filter) {
  const uint32_t side = static_cast<uint32_t>(state.range(0)), sourceSide = side * 4 / scale;
  Picture source(from, sourceSide), destination(to, side);
  VkImageBlit2 r{};
  r.srcSubresource = r.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  r.srcOffsets[1] = {static_cast<int32_t>(sourceSide), static_cast<int32_t>(sourceSide), 1};
  r.dstOffsets[1] = {static_cast<int32_t>(side), static_cast<int32_t>(side), 1};
  for (auto _ : state) blitImage(nullptr, source.image(), destination.image(), r, filter);
  state.SetItemsProcessed(state.iterations() * side * side);
}
#define ETZEL_BLIT(name, from, to, scale, filter) \
  BENCHMARK_CAPTURE(blit, name, VK_FORMAT_##from, VK_FORMAT_##to, scale, VK_FILTER_##filter)->Arg(8)->Arg(64)->Arg(1024)
ETZEL_BLIT(convert, R8G8B8A8_UNORM, B8G8R8A8_UNORM, 4, NEAREST);
ETZEL_BLIT(convert_to_srgb, R8G8B8A8_UNORM, B8G8R8A8_SRGB, 4, NEAREST);
ETZEL_BLIT(convert_from_r8, R8_UNORM, R8G8B8A8_UNORM, 4, NEAREST);
ETZEL_BLIT(convert_snorm, R8G8B8A8_SNORM, R8G8B8A8_UNORM, 4, NEAREST);
ETZEL_BLIT(convert_to_half, R8G8B8A8_UNORM, R16G16B16A16_SFLOAT, 4, NEAREST);
ETZEL_BLIT(convert_to_565, R8G8B8A8_UNORM, R5G6B5_UNORM_PACK16, 4, NEAREST);
ETZEL_BLIT(nearest_double, R8G8B8A8_UNORM, R8G8B8A8_UNORM, 8, NEAREST);
ETZEL_BLIT(nearest_half, R8G8B8A8_UNORM, R8G8B8A8_UNORM, 2, NEAREST);
ETZEL_BLIT(double_rgba8, R8G8B8A8_UNORM, R8G8B8A8_UNORM, 8, LINEAR);
ETZEL_BLIT(half_rgba8, R8G8B8A8_UNORM, R8G8B8A8_UNORM, 2, LINEAR);
ETZEL_BLIT(half_srgb8, R8G8B8A8_SRGB, R8G8B8A8_SRGB, 2, LINEAR);
ETZEL_BLIT(half_rgba16f, R16G16B16A16_SFLOAT, R16G16B16A16_SFLOAT, 2, LINEAR);
ETZEL_BLIT(half_r11g11b10f, B10G11R11_UFLOAT_PACK32, B10G11R11_UFLOAT_PACK32, 2, LINEAR);
ETZEL_BLIT(half_r8, R8_UNORM, R8_UNORM, 2, LINEAR);
ETZEL_BLIT(half_rgba32f, R32G32B32A32_SFLOAT, R32G32B32A32_SFLOAT, 2, LINEAR);
ETZEL_BLIT(quarter_rgba8, R8G8B8A8_UNORM, R8G8B8A8_UNORM, 1, LINEAR);
ETZEL_BLIT(double_bc1, BC1_RGBA_UNORM_BLOCK, R8G8B8A8_UNORM, 8, LINEAR);

}  // namespace
}  // namespace etzel::transfer
