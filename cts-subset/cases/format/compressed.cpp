// Block-compressed formats against decoders written from the Khronos Data Format Specification: random blocks of BC1 to
// BC5 and of ETC2 and EAC, blocks of one colour (void extent) of ASTC, and blocks of BC7 in its simplest mode.
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/format/block_decoders.h"
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

struct Compressed {
  VkFormat format;
  const char* name;
  uint32_t bytes, width, height;  ///< of a block
  bool srgb;
  double tolerance;
  Block (*decode)(const uint8_t*);
  void (*prepare)(uint8_t*, Random&);  ///< turns random bytes into a block of the mode that the decoder knows
};

void any(uint8_t*, Random&) {}
/// Void extent: the magic bits, no extent, four UNORM16 numbers.
void voidExtent(uint8_t* b, Random&) { b[0] = 0xfc, b[1] = 0xfd, b[2] = b[3] = b[4] = b[5] = b[6] = b[7] = 0xff; }
void bc7Mode6(uint8_t* b, Random&) { b[0] = uint8_t((b[0] & 0x80) | 0x40); }

const Compressed list[] = {
    {VK_FORMAT_BC1_RGB_UNORM_BLOCK, "BC1_RGB_UNORM", 8, 4, 4, false, 0.016, decodeBc1Rgb, any},
    {VK_FORMAT_BC1_RGB_SRGB_BLOCK, "BC1_RGB_SRGB", 8, 4, 4, true, 0.025, decodeBc1Rgb, any},
    {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, "BC1_RGBA_UNORM", 8, 4, 4, false, 0.016, decodeBc1Rgba, any},
    {VK_FORMAT_BC1_RGBA_SRGB_BLOCK, "BC1_RGBA_SRGB", 8, 4, 4, true, 0.025, decodeBc1Rgba, any},
    {VK_FORMAT_BC2_UNORM_BLOCK, "BC2_UNORM", 16, 4, 4, false, 0.016, decodeBc2, any},
    {VK_FORMAT_BC2_SRGB_BLOCK, "BC2_SRGB", 16, 4, 4, true, 0.025, decodeBc2, any},
    {VK_FORMAT_BC3_UNORM_BLOCK, "BC3_UNORM", 16, 4, 4, false, 0.016, decodeBc3, any},
    {VK_FORMAT_BC3_SRGB_BLOCK, "BC3_SRGB", 16, 4, 4, true, 0.025, decodeBc3, any},
    {VK_FORMAT_BC4_UNORM_BLOCK, "BC4_UNORM", 8, 4, 4, false, 0.016, decodeBc4, any},
    {VK_FORMAT_BC4_SNORM_BLOCK, "BC4_SNORM", 8, 4, 4, false, 0.025, decodeBc4Snorm, any},
    {VK_FORMAT_BC5_UNORM_BLOCK, "BC5_UNORM", 16, 4, 4, false, 0.016, decodeBc5, any},
    {VK_FORMAT_BC5_SNORM_BLOCK, "BC5_SNORM", 16, 4, 4, false, 0.025, decodeBc5Snorm, any},
    {VK_FORMAT_BC7_UNORM_BLOCK, "BC7_UNORM", 16, 4, 4, false, 1e-5, decodeBc7Mode6, bc7Mode6},
    {VK_FORMAT_BC7_SRGB_BLOCK, "BC7_SRGB", 16, 4, 4, true, 4e-3, decodeBc7Mode6, bc7Mode6},
    {VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, "ETC2_R8G8B8_UNORM", 8, 4, 4, false, 1e-5, decodeEtc2Rgb, any},
    {VK_FORMAT_ETC2_R8G8B8_SRGB_BLOCK, "ETC2_R8G8B8_SRGB", 8, 4, 4, true, 2e-3, decodeEtc2Rgb, any},
    {VK_FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK, "ETC2_R8G8B8A1_UNORM", 8, 4, 4, false, 1e-5, decodeEtc2Rgba1, any},
    {VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, "ETC2_R8G8B8A8_UNORM", 16, 4, 4, false, 1e-5, decodeEtc2Rgba, any},
    {VK_FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK, "ETC2_R8G8B8A8_SRGB", 16, 4, 4, true, 2e-3, decodeEtc2Rgba, any},
    {VK_FORMAT_EAC_R11_UNORM_BLOCK, "EAC_R11_UNORM", 8, 4, 4, false, 1e-5, decodeEacR11, any},
    {VK_FORMAT_EAC_R11_SNORM_BLOCK, "EAC_R11_SNORM", 8, 4, 4, false, 1e-5, decodeEacR11Snorm, any},
    {VK_FORMAT_EAC_R11G11_UNORM_BLOCK, "EAC_R11G11_UNORM", 16, 4, 4, false, 1e-5, decodeEacRg11, any},
    {VK_FORMAT_EAC_R11G11_SNORM_BLOCK, "EAC_R11G11_SNORM", 16, 4, 4, false, 1e-5, decodeEacRg11Snorm, any},
#define ASTC(w, h)                                                                                                     \
  {VK_FORMAT_ASTC_##w##x##h##_UNORM_BLOCK,                                                                             \
   "ASTC_" #w "x" #h "_UNORM",                                                                                         \
   16,                                                                                                                 \
   w,                                                                                                                  \
   h,                                                                                                                  \
   false,                                                                                                              \
   0.004,                                                                                                              \
   decodeAstcVoid,                                                                                                     \
   voidExtent},                                                                                                        \
  {                                                                                                                    \
    VK_FORMAT_ASTC_##w##x##h##_SRGB_BLOCK, "ASTC_" #w "x" #h "_SRGB", 16, w, h, true, 0.01, decodeAstcVoid, voidExtent \
  }
    ASTC(4, 4),
    ASTC(5, 4),
    ASTC(5, 5),
    ASTC(6, 5),
    ASTC(6, 6),
    ASTC(8, 5),
    ASTC(8, 6),
    ASTC(8, 8),
    ASTC(10, 5),
    ASTC(10, 6),
    ASTC(10, 8),
    ASTC(10, 10),
    ASTC(12, 10),
    ASTC(12, 12),
#undef ASTC
};

void run(Gpu& gpu, const Compressed& f, uint32_t level, bool linear) {
  if (!(gpu.formatFeatures(f.format) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)) throw NotSupported("format");
  if (linear && !(gpu.formatFeatures(f.format) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT))
    throw NotSupported("linear");
  // 9 x 7 blocks and a bit, so that the last ones are cut; the level below has another number of them.
  uint32_t width = f.width * 9 + 1, height = f.height * 7 + 2;
  Image image = gpu.image(
      {.format = f.format, .width = width, .height = height, .levels = 2, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  uint32_t w = width >> level, h = height >> level, across = (w + f.width - 1) / f.width,
           down = (h + f.height - 1) / f.height;
  std::vector<uint8_t> bytes(size_t(across) * down * f.bytes);
  Random random(uint64_t(f.format) * 3 + level);
  for (auto& b : bytes) b = uint8_t(random.next() >> 7);
  for (size_t i = 0; i < bytes.size(); i += f.bytes) f.prepare(&bytes[i], random);
  gpu.upload(image, bytes.data(), bytes.size(), level);
  std::vector<Block> blocks;
  for (size_t i = 0; i < bytes.size(); i += f.bytes) blocks.push_back(f.decode(&bytes[i]));
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  info.addressModeU = info.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.maxLod = 8;
  Buffer out = gpu.buffer(w * h * 16);
  Dispatch d{
      text("#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform sampler2D t;\nlayout(binding=1) "
           "buffer R { vec4 r[]; };\n"
           "void main() { uint i = gl_GlobalInvocationID.x; if (i >= %uu) return; ivec2 p = ivec2(i %% %uu, i / %uu); "
           "r[i] = %s; }\n",
           w * h, w, w,
           linear ? text("textureLod(t, vec2(p + 1) / vec2(%u.0, %u.0), %u.0)", w, h, level).c_str()
                  : text("texelFetch(t, p, %u)", level).c_str())};
  d.bindings = {sampled(image.view, gpu.sampler(info)), storage(out)};
  d.x = (w * h + 63) / 64;
  gpu.dispatch(d);
  auto texel = [&](uint32_t x, uint32_t y) {
    x = std::min(x, w - 1), y = std::min(y, h - 1);
    std::array<double, 4> v = blocks[y / f.height * across + x / f.width].at(x % f.width, y % f.height);
    for (size_t c = 0; f.srgb && c < 3; ++c)
      v[c] = v[c] <= 0.04045 ? v[c] / 12.92 : std::pow((v[c] + 0.055) / 1.055, 2.4);
    return v;
  };
  for (uint32_t i = 0; i < w * h; ++i) {
    uint32_t x = i % w, y = i / w;
    auto want = texel(x, y);
    if (linear) {
      auto b = texel(x + 1, y), c = texel(x, y + 1), e = texel(x + 1, y + 1);
      for (size_t k = 0; k < 4; ++k) want[k] = (want[k] + b[k] + c[k] + e[k]) / 4;
    }
    for (size_t c = 0; c < 4; ++c)
      ASSERT_NEAR(out.as<float>()[i * 4 + c], want[c], f.tolerance + (linear ? 0.012 : 0))
          << "texel " << x << "," << y << " channel " << c;
  }
}

}  // namespace

void registerFormatCompressed() {
  for (auto& f : list)
    for (uint32_t level : {0u, 1u}) {
      add(text("format.compressed.fetch.%s.level%u", f.name, level),
          [&f, level](Gpu& gpu) { run(gpu, f, level, false); });
      if (!f.srgb || level == 0)
        add(text("format.compressed.linear.%s.level%u", f.name, level),
            [&f, level](Gpu& gpu) { run(gpu, f, level, true); });
    }
}

}  // namespace etzel::cts
