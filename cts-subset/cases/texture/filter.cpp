// Nearest and linear filtering, address modes, levels of detail and shadow comparison: "Texel Filtering".
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/texture/model_texture.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr int size = 16;
double texel(int x, int y, int level, int c) { return ((x * 37 + y * 91 + level * 53 + c * 29) & 255) / 255.0; }

struct Sample {
  VkFilter filter = VK_FILTER_LINEAR;
  VkSamplerMipmapMode mip = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  VkSamplerAddressMode u = VK_SAMPLER_ADDRESS_MODE_REPEAT, v = VK_SAMPLER_ADDRESS_MODE_REPEAT;
  VkBorderColor border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
  float lod = 0, bias = 0, least = 0, most = 1000;
  bool explicitLod = true;
};

/// Weights of four texels, the second of which lies `a` before the coordinate.
std::array<double, 4> catmullRom(double a) {
  return {(-a + 2 * a * a - a * a * a) / 2, (2 - 5 * a * a + 3 * a * a * a) / 2, (a + 4 * a * a - 3 * a * a * a) / 2,
          (a * a * a - a * a) / 2};
}

double level(double s, double t, int l, int c, const Sample& k) {
  int n = std::max(1, size >> l);
  double border = k.border == VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE   ? 1
                  : k.border == VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK ? (c == 3)
                                                                   : 0;
  auto at = [&](int x, int y) {
    x = wrapped(x, n, k.u), y = wrapped(y, n, k.v);
    return x < 0 || y < 0 ? border : texel(x, y, l, c);
  };
  double x = s * n, y = t * n;
  if (k.filter == VK_FILTER_NEAREST) return at(int(std::floor(x)), int(std::floor(y)));
  int i = int(std::floor(x - 0.5)), j = int(std::floor(y - 0.5));
  double a = x - 0.5 - i, b = y - 0.5 - j;
  if (k.filter == VK_FILTER_CUBIC_IMG) {
    const auto u = catmullRom(a), v = catmullRom(b);
    double sum = 0;
    for (int m = 0; m < 16; ++m) sum += u[size_t(m % 4)] * v[size_t(m / 4)] * at(i + m % 4 - 1, j + m / 4 - 1);
    return sum;
  }
  return (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) +
         a * b * at(i + 1, j + 1);
}

void run(Gpu& gpu, const Sample& k) {
  if (k.u == VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE || k.v == VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE)
    gpu.require(gpu.features12.samplerMirrorClampToEdge, "samplerMirrorClampToEdge");
  if (k.filter == VK_FILTER_CUBIC_IMG) {
    gpu.requireExtension(VK_IMG_FILTER_CUBIC_EXTENSION_NAME);
    gpu.require(gpu.formatFeatures(VK_FORMAT_R8G8B8A8_UNORM) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_CUBIC_BIT_IMG,
                "RGBA8");
  }
  Image image = gpu.image({.width = size, .height = size, .levels = 5, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  for (uint32_t l = 0; l < 5; ++l) {
    std::vector<uint8_t> bytes;
    for (int i = 0; i < (size >> l) * (size >> l) * 4; ++i)
      bytes.push_back(uint8_t(std::lround(texel(i / 4 % (size >> l), i / 4 / (size >> l), int(l), i % 4) * 255)));
    gpu.upload(image, bytes.data(), bytes.size(), l);
  }
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = k.filter;
  info.mipmapMode = k.mip;
  info.addressModeU = k.u, info.addressModeV = k.v;
  info.borderColor = k.border;
  info.mipLodBias = k.bias;
  info.minLod = k.least, info.maxLod = k.most;
  const int n = 128;
  std::vector<float> at(n * 2);
  Random random(12);
  for (int i = 0; i < n * 2; ++i)
    at[size_t(i)] =
        (float(int(random.below(40)) - 12) + random.range(0.15f, 0.35f) + (random.below(2) ? 0.5f : 0)) / size;
  Buffer coords = gpu.buffer(at), r = gpu.buffer(n * 16);
  Dispatch d{
      text("#version 450\nlayout(local_size_x=128) in;\nlayout(binding=0) uniform sampler2D t;\nlayout(binding=1) "
           "buffer A { vec2 at[]; };\nlayout(binding=2) buffer R { vec4 r[]; };\nvoid main() { uint i = "
           "gl_LocalInvocationIndex; r[i] = %s; }\n",
           k.explicitLod ? text("textureLod(t, at[i], %g)", k.lod).c_str()
                         : text("textureGrad(t, at[i], vec2(%.9g, 0.0), vec2(0.0))", std::exp2(k.lod) / size).c_str())};
  d.bindings = {sampled(image.view, gpu.sampler(info)), storage(coords), storage(r)};
  gpu.dispatch(d);
  double lambda = std::clamp(double(k.lod) + k.bias, double(k.least), double(k.most));
  lambda = std::clamp(lambda, 0.0, 4.0);
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < 4; ++c) {
      double s = at[size_t(i) * 2], t = at[size_t(i) * 2 + 1], want;
      if (k.mip == VK_SAMPLER_MIPMAP_MODE_NEAREST)
        want = level(s, t, int(std::ceil(lambda + 0.5)) - 1, c, k);
      else {
        int l = int(std::floor(lambda)), next = std::min(4, l + 1);
        want = level(s, t, l, c, k) * (1 - (lambda - l)) + level(s, t, next, c, k) * (lambda - l);
      }
      // Weights have at least 8 bits (subTexelPrecisionBits, mipmapPrecisionBits); steps between texels reach 1.
      // Nearest is exact.
      double bits = double(std::min(gpu.limits().subTexelPrecisionBits, gpu.limits().mipmapPrecisionBits));
      double tolerance =
          k.filter == VK_FILTER_NEAREST && (k.mip == VK_SAMPLER_MIPMAP_MODE_NEAREST || lambda == std::floor(lambda))
              ? 2e-3
              : 4 * std::exp2(-bits) + 5e-3;
      ASSERT_NEAR(r.as<float>()[i * 4 + c], want, tolerance)
          << "point " << i << " (" << s * size << "," << t * size << ") channel " << c;
    }
}

}  // namespace

void registerFilter() {
  const std::pair<VkSamplerAddressMode, const char*> modes[] = {
      {VK_SAMPLER_ADDRESS_MODE_REPEAT, "repeat"},
      {VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, "mirror"},
      {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, "edge"},
      {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, "border"},
      {VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE, "mirror_edge"}};
  for (auto filter : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
    for (auto [u, uName] : modes)
      for (auto [v, vName] : modes)
        for (int border = 0;
             border <
             (u == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER || v == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER ? 3 : 1);
             ++border) {
          Sample k;
          k.filter = filter, k.u = u, k.v = v;
          k.border = border == 0   ? VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE
                     : border == 1 ? VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK
                                   : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
          add(text("texture.filter.%s.%s_%s.border%d", filter == VK_FILTER_LINEAR ? "linear" : "nearest", uName, vName,
                   border),
              [k](Gpu& gpu) { run(gpu, k); });
        }
  for (auto [mode, name] : modes)
    for (float lod : {0.0f, 1.0f, 1.5f}) {
      Sample k;
      k.filter = VK_FILTER_CUBIC_IMG, k.u = k.v = mode, k.lod = lod;
      if (lod > 1) k.mip = VK_SAMPLER_MIPMAP_MODE_LINEAR;
      add(text("texture.filter.cubic.%s.lod%s", name, named(lod).c_str()), [k](Gpu& gpu) { run(gpu, k); });
    }
  for (auto filter : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
    for (auto mip : {VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_MIPMAP_MODE_LINEAR})
      for (float lod : {0.25f, 0.75f, 1.25f, 2.0f, 3.75f, 9.0f})
        for (bool explicitLod : {false, true})
          for (int variant = 0; variant < 4; ++variant) {
            Sample k;
            k.filter = filter, k.mip = mip, k.lod = lod, k.explicitLod = explicitLod;
            if (variant == 1) k.bias = 1;
            if (variant == 2) k.least = 1.75f, k.most = 2.75f;
            if (variant == 3) k.bias = -1.25f, k.most = 1.25f;
            static const char* names[] = {"plain", "bias", "clamped", "negative_bias"};
            add(text("texture.lod.%s_%s.%s.%s.at%s", filter == VK_FILTER_LINEAR ? "linear" : "nearest",
                     mip == VK_SAMPLER_MIPMAP_MODE_LINEAR ? "linear" : "nearest", explicitLod ? "lod" : "grad",
                     names[variant], named(lod).c_str()),
                [k](Gpu& gpu) { run(gpu, k); });
          }
}

}  // namespace etzel::cts
