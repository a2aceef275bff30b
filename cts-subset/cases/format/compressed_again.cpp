// Compressed images that are written again after shaders have read them: drivers may keep what they decoded.
#include <algorithm>

#include "cts-subset/cases/format/block_decoders.h"
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

struct Format {
  VkFormat format;
  const char* name;
  uint32_t bytes;  ///< of a block
  double tolerance;
  Block (*decode)(const uint8_t*);
};
const Format list[] = {{VK_FORMAT_BC1_RGBA_UNORM_BLOCK, "BC1_RGBA_UNORM", 8, 0.016, decodeBc1Rgba},
                       {VK_FORMAT_BC3_UNORM_BLOCK, "BC3_UNORM", 16, 0.016, decodeBc3},
                       {VK_FORMAT_BC5_UNORM_BLOCK, "BC5_UNORM", 16, 0.016, decodeBc5},
                       {VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, "ETC2_R8G8B8A8_UNORM", 16, 1e-5, decodeEtc2Rgba}};

constexpr uint32_t kColumns = 9, kRows = 7, kWidth = 4 * kColumns - 1, kHeight = 4 * kRows - 2;
/// What is written again, in blocks.
constexpr uint32_t kLeft = 2, kTop = 1, kAcross = 5, kDown = 4;

enum class How { FromBuffer, FromImage };

std::vector<uint8_t> randomBlocks(const Format& f, uint32_t count, uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> bytes(size_t(count) * f.bytes);
  for (uint8_t& b : bytes) b = uint8_t(random.next() >> 7);
  return bytes;
}

/// Fetches every texel, as often as it takes to make an image that is worth to be kept decoded.
void check(Gpu& gpu, const Format& f, const Image& image, const std::vector<uint8_t>& blocks, const char* when) {
  Buffer out = gpu.buffer(kWidth * kHeight * 16);
  Dispatch d{
      text("#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform sampler2D t;\n"
           "layout(binding=1) buffer R { vec4 r[]; };\n"
           "void main() { uint i = gl_GlobalInvocationID.x; if (i >= %uu) return; ivec2 p = ivec2(i %% %uu, i / %uu);"
           " vec4 sum = vec4(0); for (int k = 0; k < 8; ++k) sum += texelFetch(t, p, 0); r[i] = sum / 8.0; }\n",
           kWidth * kHeight, kWidth, kWidth)};
  d.bindings = {sampled(image.view, gpu.sampler()), storage(out)};
  d.x = (kWidth * kHeight + 63) / 64;
  gpu.dispatch(d);
  for (uint32_t i = 0; i < kWidth * kHeight; ++i) {
    const uint32_t x = i % kWidth, y = i / kWidth;
    const auto want = f.decode(&blocks[size_t(y / 4 * kColumns + x / 4) * f.bytes]).at(x % 4, y % 4);
    for (uint32_t c = 0; c < 4; ++c)
      ASSERT_NEAR(out.as<float>()[i * 4 + c], want[c], f.tolerance)
          << when << ": texel " << x << "," << y << " channel " << c;
  }
}

void run(Gpu& gpu, const Format& f, How how) {
  if (!(gpu.formatFeatures(f.format) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)) throw NotSupported("format");
  const ImageDesc desc{.format = f.format, .width = kWidth, .height = kHeight, .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
  Image image = gpu.image(desc);
  std::vector<uint8_t> blocks = randomBlocks(f, kColumns * kRows, f.format);
  gpu.upload(image, blocks.data(), blocks.size());
  check(gpu, f, image, blocks, "at first");

  const std::vector<uint8_t> news = randomBlocks(f, kAcross * kDown, f.format + 1000);
  for (uint32_t y = 0; y < kDown; ++y)
    std::copy_n(&news[size_t(y) * kAcross * f.bytes], kAcross * f.bytes,
                &blocks[size_t((y + kTop) * kColumns + kLeft) * f.bytes]);
  const VkImageSubresourceLayers layers{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  const VkOffset3D place{4 * kLeft, 4 * kTop, 0};
  const VkExtent3D extent{4 * kAcross, 4 * kDown, 1};
  if (how == How::FromBuffer) {
    Buffer from = gpu.buffer(news.size(), news.data());
    const VkBufferImageCopy region{0, 0, 0, layers, place, extent};
    gpu.submit([&](VkCommandBuffer cmd) {
      vkCmdCopyBufferToImage(cmd, from.handle, image.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    });
  } else {
    Image from = gpu.image({.format = f.format, .width = 4 * kAcross, .height = 4 * kDown});
    gpu.upload(from, news.data(), news.size());
    const VkImageCopy region{layers, {}, layers, place, extent};
    gpu.submit([&](VkCommandBuffer cmd) {
      vkCmdCopyImage(cmd, from.handle, VK_IMAGE_LAYOUT_GENERAL, image.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    });
  }
  check(gpu, f, image, blocks, "written again");
}

}  // namespace

void registerFormatCompressedAgain() {
  for (const Format& f : list) {
    add(text("format.compressed.again.buffer.%s", f.name), [&f](Gpu& gpu) { run(gpu, f, How::FromBuffer); });
    add(text("format.compressed.again.image.%s", f.name), [&f](Gpu& gpu) { run(gpu, f, How::FromImage); });
  }
}

}  // namespace etzel::cts
