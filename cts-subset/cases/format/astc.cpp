// ASTC beyond flat blocks of unsigned numbers, in modes whose texels are one weight each, so that a decoder is a line:
// volumes of 3x3x3 blocks with weights of one bit, and 4x4 blocks between two luminances of a high dynamic range.
// "ASTC Compressed Texture Image Formats" of the Khronos Data Format Specification.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

// VK_EXT_texture_compression_astc_3d, which not all headers have.
constexpr auto kVolumeUnorm = VkFormat(1000288000), kVolumeSrgb = VkFormat(1000288001);
constexpr uint32_t kVolumeMode = 0xA5;  // a grid of 3x3x3 weights of one bit
constexpr uint32_t kHdrMode = 0x42;     // a grid of 4x4 weights of two bits

/// A block of 128 bits; weights are its last bits, the first weight's lowest bit the very last.
struct BlockBits {
  uint8_t byte[16] = {};
  void set(uint32_t first, uint32_t count, uint32_t value) {
    for (uint32_t i = 0; i < count; ++i)
      if (value >> i & 1) byte[(first + i) / 8] |= uint8_t(1u << (first + i) % 8);
  }
  void setWeight(uint32_t index, uint32_t bits, uint32_t value) {
    for (uint32_t i = 0; i < bits; ++i) set(127 - index * bits - i, 1, value >> i);
  }
};

double linearOf(double srgb) { return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4); }

/// Fetches every texel of a level. \returns the red components
Buffer fetchRed(Gpu& gpu, const Image& image, uint32_t w, uint32_t h, uint32_t d, uint32_t level) {
  const bool volume = image.desc.type == VK_IMAGE_TYPE_3D;
  Buffer out = gpu.buffer(size_t(w) * h * d * 4);
  Dispatch dispatch{
      text("#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform %s t;\nlayout(binding=1) buffer R { "
           "float r[]; };\nvoid main() { uint i = gl_GlobalInvocationID.x; if (i >= %uu) return; ivec3 p = ivec3(i %% "
           "%uu, i / %uu %% %uu, i / %uu); r[i] = texelFetch(t, p%s, %u).r; }\n",
           volume ? "sampler3D" : "sampler2D", w * h * d, w, w, h, w * h, volume ? "" : ".xy", level)};
  dispatch.bindings = {sampled(image.view, gpu.sampler()), storage(out)};
  dispatch.x = (w * h * d + 63) / 64;
  gpu.dispatch(dispatch);
  return out;
}

void volume(Gpu& gpu, VkFormat format, bool srgb, uint32_t level) {
  gpu.requireExtension("VK_EXT_texture_compression_astc_3d");
  constexpr uint32_t kSize = 3, width = 13, height = 8, depth = 11;
  Image image = gpu.image({.format = format,
                           .width = width,
                           .height = height,
                           .depth = depth,
                           .levels = 2,
                           .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
                           .type = VK_IMAGE_TYPE_3D});
  const uint32_t w = width >> level, h = height >> level, d = depth >> level;
  const uint32_t across = (w + 2) / kSize, down = (h + 2) / kSize, inward = (d + 2) / kSize;
  Random random(uint64_t(format) + level);
  std::vector<BlockBits> blocks(size_t(across) * down * inward);
  std::vector<uint32_t> weights(blocks.size()), low(blocks.size()), high(blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    weights[i] = random.next(), low[i] = random.next() >> 8 & 255, high[i] = random.next() >> 8 & 255;
    blocks[i].set(0, 11, kVolumeMode);  // one partition, endpoint mode 0 (luminance): all further fields are zero
    blocks[i].set(17, 8, low[i]);
    blocks[i].set(25, 8, high[i]);
    for (uint32_t k = 0; k < 27; ++k) blocks[i].setWeight(k, 1, weights[i] >> k & 1);
  }
  gpu.upload(image, blocks.data(), blocks.size() * sizeof(BlockBits), level);
  Buffer out = fetchRed(gpu, image, w, h, d, level);
  for (uint32_t i = 0; i < w * h * d; ++i) {
    const uint32_t x = i % w, y = i / w % h, z = i / w / h;
    const uint32_t block = (z / kSize * down + y / kSize) * across + x / kSize;
    const uint32_t texel = z % kSize * 9 + y % kSize * 3 + x % kSize;
    const double code = (weights[block] >> texel & 1 ? high[block] : low[block]) / 255.0;
    ASSERT_NEAR(out.as<float>()[i], srgb ? linearOf(code) : code, srgb ? 0.01 : 0.004) << x << "," << y << "," << z;
  }
}

/// "HDR Endpoint Decoding": 16 bits whose upper five are a half float's exponent.
double logarithmic(uint32_t v) {
  const uint32_t m = v & 0x7FF, mantissa = m < 512 ? 3 * m : m >= 1536 ? 5 * m - 2048 : 4 * m - 512;
  const uint32_t half = std::min((v >> 11 << 10) + (mantissa >> 3), 0x7BFFu), exponent = half >> 10;
  return exponent ? std::ldexp(1024 + (half & 1023), int(exponent) - 25) : std::ldexp(half & 1023, -24);
}

void hdr(Gpu& gpu, uint32_t level) {
  gpu.require(gpu.features13.textureCompressionASTC_HDR, "textureCompressionASTC_HDR");
  constexpr uint32_t width = 22, height = 13;
  Image image = gpu.image({.format = VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK,
                           .width = width,
                           .height = height,
                           .levels = 2,
                           .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  const uint32_t w = width >> level, h = height >> level, across = (w + 3) / 4, down = (h + 3) / 4;
  Random random(level);
  std::vector<BlockBits> blocks(size_t(across) * down);
  std::vector<uint32_t> weights(blocks.size()), first(blocks.size()), second(blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    weights[i] = random.next(), first[i] = random.next() >> 8 & 255, second[i] = random.next() >> 8 & 255;
    blocks[i].set(0, 11, kHdrMode);
    blocks[i].set(13, 4, 2);  // endpoint mode 2: luminance of a high dynamic range
    blocks[i].set(17, 8, first[i]);
    blocks[i].set(25, 8, second[i]);
    for (uint32_t k = 0; k < 16; ++k) blocks[i].setWeight(k, 2, weights[i] >> 2 * k & 3);
  }
  gpu.upload(image, blocks.data(), blocks.size() * sizeof(BlockBits), level);
  Buffer out = fetchRed(gpu, image, w, h, 1, level);
  for (uint32_t i = 0; i < w * h; ++i) {
    const uint32_t x = i % w, y = i / w, block = y / 4 * across + x / 4;
    constexpr uint32_t kWeight[4] = {0, 21, 43, 64};
    const uint32_t weight = kWeight[weights[block] >> 2 * (y % 4 * 4 + x % 4) & 3];
    const uint32_t a = first[block], b = second[block];
    const uint32_t e0 = b >= a ? a << 4 : (b << 4) + 8, e1 = b >= a ? b << 4 : (a << 4) - 8;
    const double want = logarithmic(((e0 << 4) * (64 - weight) + (e1 << 4) * weight + 32) >> 6);
    ASSERT_NEAR(out.as<float>()[i], want, want * 0.002 + 1e-7) << x << "," << y;
  }
}

}  // namespace

void registerFormatAstc() {
  for (uint32_t level : {0u, 1u}) {
    add(text("format.astc.volume.unorm.level%u", level), [=](Gpu& gpu) { volume(gpu, kVolumeUnorm, false, level); });
    add(text("format.astc.volume.srgb.level%u", level), [=](Gpu& gpu) { volume(gpu, kVolumeSrgb, true, level); });
    add(text("format.astc.hdr.level%u", level), [=](Gpu& gpu) { hdr(gpu, level); });
  }
}

}  // namespace etzel::cts
