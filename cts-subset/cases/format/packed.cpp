// B10G11R11 and E5B9G9R9, whose numbers are smaller than any type: decoding every bit pattern of a channel, and
// encoding with rounding; "Floating-Point Format Conversions" and the packed formats' definitions.
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

/// An unsigned float with 5 bits of exponent and `mantissa` bits.
double smallFloat(uint32_t bits, int mantissa) {
  int exponent = int(bits >> mantissa), fraction = int(bits & ((1u << mantissa) - 1));
  if (exponent == 31) return fraction ? NAN : INFINITY;
  if (exponent == 0) return std::ldexp(fraction, -14 - mantissa);
  return std::ldexp(fraction + (1 << mantissa), exponent - 15 - mantissa);
}

std::array<double, 3> unpack(VkFormat format, uint32_t word) {
  if (format == VK_FORMAT_B10G11R11_UFLOAT_PACK32)
    return {smallFloat(word & 0x7ff, 6), smallFloat(word >> 11 & 0x7ff, 6), smallFloat(word >> 22, 5)};
  double scale = std::ldexp(1.0, int(word >> 27) - 15 - 9);
  return {(word & 0x1ff) * scale, (word >> 9 & 0x1ff) * scale, (word >> 18 & 0x1ff) * scale};
}

std::vector<uint32_t> words(VkFormat format, uint32_t n) {
  std::vector<uint32_t> list(n);
  Random random(uint64_t(format) + 1);
  for (uint32_t i = 0; i < n; ++i) {
    list[i] = random.next();
    if (format != VK_FORMAT_B10G11R11_UFLOAT_PACK32) continue;
    // Every pattern of the red and green channels, once each; half of blue's.
    list[i] = (i & 0x7ff) | ((i * 7 + 3) & 0x7ff) << 11 | ((i * 3) & 0x3ff) << 22;
  }
  return list;
}

void decode(Gpu& gpu, VkFormat format, int how) {
  const uint32_t side = 64, n = side * side;
  auto data = words(format, n);
  Buffer out = gpu.buffer(n * 16);
  Binding source{};
  std::string declaration, use;
  bool texels = how == 1;
  auto need = texels ? VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT : VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
  if (!(gpu.formatFeatures(format, texels) & need)) throw NotSupported("format feature");
  if (texels) {
    Buffer b = gpu.buffer(data);
    source.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    source.texels = gpu.texels(b, format);
    declaration = "samplerBuffer t", use = "texelFetch(t, int(i))";
  } else {
    Image image = gpu.image({.format = format, .width = side, .height = side, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    gpu.upload(image, data.data(), data.size() * 4);
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    source = sampled(image.view, gpu.sampler(info));
    declaration = "sampler2D t";
    use = how == 2 ? "textureLod(t, (vec2(i & 63u, i >> 6) + 0.5) / 64.0, 0.0)"
                   : "texelFetch(t, ivec2(i & 63u, i >> 6), 0)";
  }
  Dispatch d{"#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform " + declaration +
             ";\nlayout(binding=1) buffer R { vec4 r[]; };\nvoid main() { uint i = gl_GlobalInvocationID.x; r[i] = " +
             use + "; }\n"};
  d.bindings = {source, storage(out)};
  d.x = n / 64;
  gpu.dispatch(d);
  for (uint32_t i = 0; i < n; ++i) {
    auto want = unpack(format, data[i]);
    for (size_t c = 0; c < 3; ++c) {
      float got = out.as<float>()[i * 4 + c];
      if (std::isnan(want[c]))
        ASSERT_TRUE(std::isnan(got)) << text("%08x", data[i]) << " channel " << c;
      else
        ASSERT_EQ(double(got), want[c]) << text("%08x", data[i]) << " channel " << c;
    }
    ASSERT_EQ(out.as<float>()[i * 4 + 3], 1.0f);
  }
}

const char* const values =
    "vec3 value(uint i) { float x = float(i); return vec3(exp2(x / 4.0 - 20.0) * 1.3, x * 17.25 + 0.001, i == 5u ? "
    "-3.0 : i == 6u ? 1e9 : x / 64.0); }\n";
std::array<double, 3> value(uint32_t i) {
  double x = i;
  return {std::exp2(x / 4 - 20) * 1.3, x * 17.25 + 0.001, i == 5 ? -3.0 : i == 6 ? 1e9 : x / 64};
}

/// What is stored lies within a step of the value, the largest finite number above it, 0 below 0.
void expectEncoded(VkFormat format, const std::vector<uint8_t>& bytes, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t word;
    memcpy(&word, &bytes[i * 4], 4);
    auto got = unpack(format, word);
    auto want = value(i);
    double top = 0;
    for (double& v : want) top = std::max(top, v);
    for (size_t c = 0; c < 3; ++c) {
      bool shared = format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32;
      int mantissa = c == 2 ? 5 : 6;
      double largest = shared ? 65408 : c == 2 ? 64512 : 65024;
      double v = std::clamp(want[c], 0.0, largest);
      int exponent;
      std::frexp(shared ? std::clamp(top, 1e-9, largest) : std::max(v, 1e-9), &exponent);
      double step = shared ? std::ldexp(1.0, std::max(exponent, -15) - 9)
                           : std::ldexp(1.0, std::max(exponent - 1, -14) - mantissa);
      // A value above the largest may become that or infinity.
      if (want[c] > largest && std::isinf(got[c])) continue;
      ASSERT_NEAR(got[c], v, step * 1.001) << "pixel " << i << " channel " << c << text(" word %08x", word);
    }
  }
}

void encode(Gpu& gpu, VkFormat format, int how) {
  std::vector<uint8_t> bytes;
  if (how == 0) {
    if (!(gpu.formatFeatures(format) & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT)) throw NotSupported("format feature");
    Image image = gpu.image({.format = format, .width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    DrawState s;
    s.vert = coverAll();
    s.frag = std::string("#version 450\nlayout(location=0) out vec4 c;\n") + values +
             "void main() { c = vec4(value(uint(gl_FragCoord.y) * 8u + uint(gl_FragCoord.x)), 1.0); }\n";
    s.colors = {image};
    draw(gpu, s);
    bytes = gpu.download(image, 4);
  } else {
    if (!(gpu.formatFeatures(format) & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT)) throw NotSupported("format feature");
    gpu.require(gpu.features.features.shaderStorageImageWriteWithoutFormat, "write without format");
    Image image = gpu.image({.format = format, .width = 8, .height = 8, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    Dispatch d{
        std::string("#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform writeonly image2D t;\n") +
        values +
        "void main() { uint i = gl_LocalInvocationIndex; imageStore(t, ivec2(i & 7u, i >> 3), vec4(value(i), 1.0)); "
        "}\n"};
    d.bindings = {storageImage(image.view)};
    gpu.dispatch(d);
    bytes = gpu.download(image, 4);
  }
  expectEncoded(format, bytes, 64);
}

}  // namespace

void registerFormatPacked() {
  for (auto [format, name] : {std::pair{VK_FORMAT_B10G11R11_UFLOAT_PACK32, "B10G11R11_UFLOAT_PACK32"},
                              {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, "E5B9G9R9_UFLOAT_PACK32"}}) {
    static const char* decoders[] = {"sampled", "texel_buffer", "sampled_nearest"};
    for (int how = 0; how < 3; ++how)
      add(text("format.%s.%s", decoders[how], name), [=, format = format](Gpu& gpu) { decode(gpu, format, how); });
    add(text("format.render.%s", name), [=, format = format](Gpu& gpu) { encode(gpu, format, 0); });
    add(text("format.storage_store.%s", name), [=, format = format](Gpu& gpu) { encode(gpu, format, 1); });
    add(text("format.clear.%s", name), [=, format = format](Gpu& gpu) {
      Image image = gpu.image({.format = format, .width = 4, .height = 4, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
      for (uint32_t i : {2u, 5u, 9u, 40u, 63u}) {
        auto v = value(i);
        VkClearValue clear{};
        for (size_t c = 0; c < 3; ++c) clear.color.float32[c] = float(v[c]);
        gpu.clear(image, clear);
        auto bytes = gpu.download(image, 4);

        uint32_t word;
        memcpy(&word, bytes.data(), 4);
        auto got = unpack(format, word);
        for (size_t c = 0; c < 3; ++c) {
          double want = std::clamp(v[c], 0.0, 64512.0), top = std::max({v[0], v[1], v[2], 1e-9});
          bool shared = format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32;
          ASSERT_NEAR(got[c], want, (shared ? std::min(top, 65408.0) / 255 : want / 31) + 6.2e-5)
              << "clear " << i << " channel " << c;
        }
        for (uint32_t k = 1; k < 16; ++k) ASSERT_EQ(memcmp(&bytes[k * 4], bytes.data(), 4), 0) << "texel " << k;
      }
    });
  }
}

}  // namespace etzel::cts
