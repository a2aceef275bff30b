// See format_table.h.
#include "cts-subset/cases/format/table.h"
#include "cts-subset/support/half.h"

#include <algorithm>
#include <cmath>

namespace etzel::cts {

#define T(layout, name, numeric) \
  { VK_FORMAT_##name, #name, layout, numeric }
const std::vector<Format>& formatTable() {
  static const std::vector<Format> formats = {
      T("R8", R8_UNORM, Unorm),
      T("R8", R8_SNORM, Snorm),
      T("R8", R8_USCALED, Uscaled),
      T("R8", R8_UINT, Uint),
      T("R8", R8_SINT, Sint),
      T("R8G8", R8G8_UNORM, Unorm),
      T("R8G8", R8G8_SNORM, Snorm),
      T("R8G8", R8G8_UINT, Uint),
      T("R8G8", R8G8_SINT, Sint),
      T("R8G8B8A8", R8G8B8A8_UNORM, Unorm),
      T("R8G8B8A8", R8G8B8A8_SNORM, Snorm),
      T("R8G8B8A8", R8G8B8A8_USCALED, Uscaled),
      T("R8G8B8A8", R8G8B8A8_SSCALED, Sscaled),
      T("R8G8B8A8", R8G8B8A8_UINT, Uint),
      T("R8G8B8A8", R8G8B8A8_SINT, Sint),
      T("R8G8B8A8", R8G8B8A8_SRGB, Srgb),
      T("B8G8R8A8", B8G8R8A8_UNORM, Unorm),
      T("B8G8R8A8", B8G8R8A8_SRGB, Srgb),
      T("R8G8B8A8", A8B8G8R8_UNORM_PACK32, Unorm),
      T("R8G8B8A8", A8B8G8R8_SNORM_PACK32, Snorm),
      T("R8G8B8A8", A8B8G8R8_UINT_PACK32, Uint),
      T("R8G8B8A8", A8B8G8R8_SINT_PACK32, Sint),
      T("R8G8B8A8", A8B8G8R8_SRGB_PACK32, Srgb),
      T("A4B4G4R4", R4G4B4A4_UNORM_PACK16, Unorm),
      T("A4R4G4B4", B4G4R4A4_UNORM_PACK16, Unorm),
      T("B5G6R5", R5G6B5_UNORM_PACK16, Unorm),
      T("R5G6B5", B5G6R5_UNORM_PACK16, Unorm),
      T("B5G5R5A1", A1R5G5B5_UNORM_PACK16, Unorm),
      T("R10G10B10A2", A2B10G10R10_UNORM_PACK32, Unorm),
      T("R10G10B10A2", A2B10G10R10_USCALED_PACK32, Uscaled),
      T("R10G10B10A2", A2B10G10R10_UINT_PACK32, Uint),
      T("B10G10R10A2", A2R10G10B10_UNORM_PACK32, Unorm),
      T("R16", R16_UNORM, Unorm),
      T("R16", R16_SNORM, Snorm),
      T("R16", R16_UINT, Uint),
      T("R16", R16_SINT, Sint),
      T("R16", R16_SFLOAT, Sfloat),
      T("R16G16", R16G16_UNORM, Unorm),
      T("R16G16", R16G16_SNORM, Snorm),
      T("R16G16", R16G16_SSCALED, Sscaled),
      T("R16G16", R16G16_UINT, Uint),
      T("R16G16", R16G16_SINT, Sint),
      T("R16G16", R16G16_SFLOAT, Sfloat),
      T("R16G16B16A16", R16G16B16A16_UNORM, Unorm),
      T("R16G16B16A16", R16G16B16A16_SNORM, Snorm),
      T("R16G16B16A16", R16G16B16A16_USCALED, Uscaled),
      T("R16G16B16A16", R16G16B16A16_SSCALED, Sscaled),
      T("R16G16B16A16", R16G16B16A16_UINT, Uint),
      T("R16G16B16A16", R16G16B16A16_SINT, Sint),
      T("R16G16B16A16", R16G16B16A16_SFLOAT, Sfloat),
      T("R32", R32_UINT, Uint),
      T("R32", R32_SINT, Sint),
      T("R32", R32_SFLOAT, Sfloat),
      T("R32G32", R32G32_UINT, Uint),
      T("R32G32", R32G32_SINT, Sint),
      T("R32G32", R32G32_SFLOAT, Sfloat),
      T("R32G32B32A32", R32G32B32A32_UINT, Uint),
      T("R32G32B32A32", R32G32B32A32_SINT, Sint),
      T("R32G32B32A32", R32G32B32A32_SFLOAT, Sfloat),
  };
  return formats;
}
#undef T

std::vector<Channel> channels(const Format& f) {
  std::vector<Channel> list;
  uint32_t shift = 0;
  for (const char* p = f.layout; *p;) {
    int index = int(std::string("RGBA").find(*p++));
    uint32_t bits = uint32_t(strtoul(p, const_cast<char**>(&p), 10));
    list.push_back({index, bits, shift});
    shift += bits;
  }
  return list;
}
size_t texelBytes(const Format& f) {
  auto list = channels(f);
  return (list.back().shift + list.back().bits) / 8;
}
static uint32_t rawBits(const uint8_t* texel, const Channel& c) {
  uint64_t word = 0;
  memcpy(&word, texel + c.shift / 32 * 4, std::min<size_t>(4, 4));
  return uint32_t(word >> c.shift % 32) & (c.bits == 32 ? ~0u : (1u << c.bits) - 1);
}
std::array<double, 4> decode(const Format& f, const uint8_t* texel) {
  std::array<double, 4> v = {0, 0, 0, 1};
  uint8_t padded[20] = {};
  memcpy(padded, texel, texelBytes(f));
  for (auto& c : channels(f)) {
    uint32_t raw = rawBits(padded, c);
    double x = 0, top = std::ldexp(1.0, int(c.bits)) - 1, half = std::ldexp(1.0, int(c.bits) - 1) - 1;
    int32_t s = int32_t(raw << (32 - c.bits)) >> (32 - c.bits);
    switch (f.numeric) {
      case Unorm: x = raw / top; break;
      case Snorm: x = std::max(-1.0, s / half); break;
      case Uscaled:
      case Uint: x = raw; break;
      case Sscaled:
      case Sint: x = s; break;
      case Srgb:
        x = raw / top;
        if (c.index < 3) x = x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
        break;
      case Sfloat:
        if (c.bits == 32) {
          float y;
          memcpy(&y, &raw, 4);
          x = double(y);
        } else {
          x = double(std::bit_cast<Half>(uint16_t(raw)));
        }
    }
    v[size_t(c.index)] = x;
  }
  return v;
}
std::vector<uint8_t> randomTexels(const Format& f, size_t n) {
  std::vector<uint8_t> bytes(n * texelBytes(f));
  Random random(uint64_t(f.format));
  for (auto& b : bytes) b = uint8_t(random.next());
  if (f.numeric == Sfloat)
    for (size_t i = 0; i < bytes.size(); i += channels(f)[0].bits / 8) {
      float x = random.range(-100, 100);
      if (channels(f)[0].bits == 32)
        memcpy(&bytes[i], &x, 4);
      else {
        Half h = double(x);
        memcpy(&bytes[i], &h, 2);
      }
    }
  return bytes;
}
const char* prefix(const Format& f) { return f.numeric == Uint ? "u" : f.numeric == Sint ? "i" : ""; }
double read(const Format& f, const Buffer& b, size_t i) {
  return f.numeric == Uint ? b.as<uint32_t>()[i] : f.numeric == Sint ? b.as<int32_t>()[i] : double(b.as<float>()[i]);
}
double tolerance(const Format& f, double v) {
  return f.numeric == Srgb ? 4e-3 : f.numeric == Uint || f.numeric == Sint ? 0 : 2e-6 * std::max(1.0, std::fabs(v));
}

void requireFeature(Gpu& gpu, const Format& f, VkFormatFeatureFlags feature, bool buffer) {
  if ((gpu.formatFeatures(f.format, buffer) & feature) != feature) throw NotSupported("format feature");
}

void expectTexels(Gpu& gpu, const Format& f, const std::vector<uint8_t>& bytes,
                  const std::function<std::array<double, 4>(int)>& want, size_t n, double slack) {
  for (size_t i = 0; i < n; ++i) {
    auto got = decode(f, &bytes[i * texelBytes(f)]), w = want(int(i));
    for (auto& c : channels(f)) {
      double v = w[size_t(c.index)], top = std::ldexp(1.0, int(c.bits)) - 1, t = 0;
      // convertFloatToUint and convertFloatToInt return "one of the two" closest integers.
      if (f.numeric == Unorm) v = std::clamp(v, 0.0, 1.0), t = 1.0 / top;
      if (f.numeric == Snorm) v = std::clamp(v, -1.0, 1.0), t = 1.0 / ((top - 1) / 2);
      if (f.numeric == Uscaled) v = std::clamp(v, 0.0, top), t = 1;
      if (f.numeric == Sscaled) v = std::clamp(v, -(top + 1) / 2, (top - 1) / 2), t = 1;
      if (f.numeric == Srgb) v = std::clamp(v, 0.0, 1.0), t = c.index == 3 ? 0.51 / 255 : 0.012;
      if (f.numeric == Sfloat) t = std::fabs(v) * (c.bits == 16 ? 1e-3 : 1e-6) + 1e-6;
      ASSERT_NEAR(got[size_t(c.index)], v, t + slack) << "texel " << i << " channel " << c.index;
    }
  }
}
std::string patternExpression(const Format& f) {
  if (f.numeric == Uint) return "uvec4(i & 3u, (i >> 1) & 3u, 3u - (i & 3u), i & 1u)";
  if (f.numeric == Sint) return "ivec4(int(i) - 32, 31 - int(i), int(i & 15u) - 8, -1)";
  if (isScaled(f)) return "vec4(float(i) * 7.0, 31.0 - float(i), float(i & 7u) * 1.75 - 4.5, float(i >> 3) / 7.0)";
  return "vec4(float(i) / 63.0, 1.25 - float(i) / 40.0, float(i & 7u) / 7.0 - 0.5, float(i >> 3) / 7.0)";
}
std::array<double, 4> patternValue(const Format& f, int i) {
  if (f.numeric == Uint) return {double(i & 3), double(i >> 1 & 3), double(3 - (i & 3)), double(i & 1)};
  if (f.numeric == Sint) return {double(i - 32), double(31 - i), double((i & 15) - 8), -1};
  if (isScaled(f)) return {i * 7.0, 31.0 - i, (i & 7) * 1.75 - 4.5, (i >> 3) / 7.0};
  return {i / 63.0, 1.25 - i / 40.0, (i & 7) / 7.0 - 0.5, (i >> 3) / 7.0};
}

}  // namespace etzel::cts
