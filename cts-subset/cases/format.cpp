// Formats: exact packing in clears, copies, sampling, rendering, storage and vertex fetch, against a table of bits.
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

enum Numeric { Unorm, Snorm, Uint, Sint, Sfloat, Srgb };
struct Format {
  VkFormat format;
  const char* name;
  const char* layout;  ///< channels and their bits from the lowest
  Numeric numeric;
};
#define T(layout, name, numeric) \
  { VK_FORMAT_##name, #name, layout, numeric }
const Format formats[] = {
    T("R8", R8_UNORM, Unorm),
    T("R8", R8_SNORM, Snorm),
    T("R8", R8_UINT, Uint),
    T("R8", R8_SINT, Sint),
    T("R8G8", R8G8_UNORM, Unorm),
    T("R8G8", R8G8_SNORM, Snorm),
    T("R8G8", R8G8_UINT, Uint),
    T("R8G8", R8G8_SINT, Sint),
    T("R8G8B8A8", R8G8B8A8_UNORM, Unorm),
    T("R8G8B8A8", R8G8B8A8_SNORM, Snorm),
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
    T("R10G10B10A2", A2B10G10R10_UINT_PACK32, Uint),
    T("B10G10R10A2", A2R10G10B10_UNORM_PACK32, Unorm),
    T("R16", R16_UNORM, Unorm),
    T("R16", R16_SNORM, Snorm),
    T("R16", R16_UINT, Uint),
    T("R16", R16_SINT, Sint),
    T("R16", R16_SFLOAT, Sfloat),
    T("R16G16", R16G16_UNORM, Unorm),
    T("R16G16", R16G16_SNORM, Snorm),
    T("R16G16", R16G16_UINT, Uint),
    T("R16G16", R16G16_SINT, Sint),
    T("R16G16", R16G16_SFLOAT, Sfloat),
    T("R16G16B16A16", R16G16B16A16_UNORM, Unorm),
    T("R16G16B16A16", R16G16B16A16_SNORM, Snorm),
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
#undef T

struct Channel {
  int index;
  uint32_t bits, shift;
};
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
uint32_t rawBits(const uint8_t* texel, const Channel& c) {
  uint64_t word = 0;
  memcpy(&word, texel + c.shift / 32 * 4, std::min<size_t>(4, 4));
  return uint32_t(word >> c.shift % 32) & (c.bits == 32 ? ~0u : (1u << c.bits) - 1);
}
/// The value of a texel's channels; missing ones are 0, 0, 0, 1.
std::array<double, 4> decode(const Format& f, const uint8_t* texel) {
  std::array<double, 4> v = {0, 0, 0, 1};
  uint8_t padded[20] = {};
  memcpy(padded, texel, texelBytes(f));
  for (auto& c : channels(f)) {
    uint32_t raw = rawBits(padded, c);
    double x = 0, top = std::ldexp(1.0, int(c.bits)) - 1, half = std::ldexp(1.0, int(c.bits) - 1) - 1;
    int32_t s = int32_t(raw << (32 - c.bits)) >> (32 - c.bits);
    switch (f.numeric) {
      case Unorm:
        x = raw / top;
        break;
      case Snorm:
        x = std::max(-1.0, s / half);
        break;
      case Uint:
        x = raw;
        break;
      case Sint:
        x = s;
        break;
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
          _Float16 y;
          uint16_t b = uint16_t(raw);
          memcpy(&y, &b, 2);
          x = double(y);
        }
    }
    v[size_t(c.index)] = x;
  }
  return v;
}
/// Texels with random bits, floats finite and small.
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
        _Float16 h = _Float16(x);
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
  return f.numeric == Srgb ? 2e-3 : f.numeric == Uint || f.numeric == Sint ? 0 : 2e-6 * std::max(1.0, std::fabs(v));
}

void requireFeature(Gpu& gpu, const Format& f, VkFormatFeatureFlags feature, bool buffer = false) {
  if ((gpu.formatFeatures(f.format, buffer) & feature) != feature) throw NotSupported("format feature");
}

/// Values that a channel can take, chosen by pixel, as the shader's expression and as numbers.
void expectTexels(Gpu& gpu, const Format& f, const std::vector<uint8_t>& bytes,
                  const std::function<std::array<double, 4>(int)>& want, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    auto got = decode(f, &bytes[i * texelBytes(f)]), w = want(int(i));
    for (auto& c : channels(f)) {
      double v = w[size_t(c.index)], top = std::ldexp(1.0, int(c.bits)) - 1, t = 0;
      // convertFloatToUint and convertFloatToInt return "one of the two" closest integers.
      if (f.numeric == Unorm) v = std::clamp(v, 0.0, 1.0), t = 1.0 / top;
      if (f.numeric == Snorm) v = std::clamp(v, -1.0, 1.0), t = 1.0 / ((top - 1) / 2);
      if (f.numeric == Srgb) v = std::clamp(v, 0.0, 1.0), t = c.index == 3 ? 0.51 / 255 : 0.012;
      if (f.numeric == Sfloat) t = std::fabs(v) * (c.bits == 16 ? 1e-3 : 1e-6) + 1e-6;
      ASSERT_NEAR(got[size_t(c.index)], v, t) << "texel " << i << " channel " << c.index;
    }
  }
}
/// Expression and value of the test pattern at texel i of an 8 x 8 image.
std::string patternExpression(const Format& f) {
  if (f.numeric == Uint) return "uvec4(i & 3u, (i >> 1) & 3u, 3u - (i & 3u), i & 1u)";
  if (f.numeric == Sint) return "ivec4(int(i) - 32, 31 - int(i), int(i & 15u) - 8, -1)";
  return "vec4(float(i) / 63.0, 1.25 - float(i) / 40.0, float(i & 7u) / 7.0 - 0.5, float(i >> 3) / 7.0)";
}
std::array<double, 4> patternValue(const Format& f, int i) {
  if (f.numeric == Uint) return {double(i & 3), double(i >> 1 & 3), double(3 - (i & 3)), double(i & 1)};
  if (f.numeric == Sint) return {double(i - 32), double(31 - i), double((i & 15) - 8), -1};
  return {i / 63.0, 1.25 - i / 40.0, (i & 7) / 7.0 - 0.5, (i >> 3) / 7.0};
}

void fetch(Gpu& gpu, const Format& f, int how) {
  const size_t n = 64;
  auto bytes = randomTexels(f, n);
  Buffer r = gpu.buffer(n * 16);
  std::string p = prefix(f), out = "layout(binding=1) buffer R { " + p + "vec4 r[]; };\n";
  Binding source{};
  std::string declaration, use;
  if (how == 2) {
    requireFeature(gpu, f, VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT, true);
    Buffer b = gpu.buffer(bytes);
    source.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    source.texels = gpu.texels(b, f.format);
    declaration = p + "samplerBuffer t", use = "texelFetch(t, int(i))";
  } else {
    bool store = how == 1;
    requireFeature(gpu, f, store ? VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT : VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT);
    if (store) gpu.require(gpu.features.features.shaderStorageImageReadWithoutFormat, "read without format");
    Image image =
        gpu.image({.format = f.format,
                   .width = 8,
                   .height = 8,
                   .usage = VkImageUsageFlags(store ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT)});
    gpu.upload(image, bytes.data(), bytes.size());
    source = store ? storageImage(image.view) : sampled(image.view, gpu.sampler());
    declaration = p + (store ? "image2D t" : "sampler2D t");
    use = store ? "imageLoad(t, ivec2(i & 7u, i >> 3))" : "texelFetch(t, ivec2(i & 7u, i >> 3), 0)";
  }
  Dispatch d{
      "#version 450\n#extension GL_EXT_shader_image_load_formatted : require\nlayout(local_size_x=64) "
      "in;\nlayout(binding=0) uniform " +
      declaration + ";\n" + out + "void main() { uint i = gl_LocalInvocationIndex; r[i] = " + use + "; }\n"};
  d.bindings = {source, storage(r)};
  gpu.dispatch(d);
  for (size_t i = 0; i < n; ++i) {
    auto want = decode(f, &bytes[i * texelBytes(f)]);
    for (size_t c = 0; c < 4; ++c)
      ASSERT_NEAR(read(f, r, i * 4 + c), want[c], tolerance(f, want[c])) << "texel " << i << " channel " << c;
  }
}

void render(Gpu& gpu, const Format& f) {
  requireFeature(gpu, f, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
  Image image = gpu.image({.format = f.format, .width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  DrawState s;
  s.vert = coverAll();
  s.frag = "#version 450\nlayout(location=0) out " + std::string(prefix(f)) +
           "vec4 color;\nvoid main() { uint i = uint(gl_FragCoord.y) * 8u + uint(gl_FragCoord.x); color = " +
           patternExpression(f) + "; }\n";
  s.colors = {image};
  draw(gpu, s);
  expectTexels(
      gpu, f, gpu.download(image, texelBytes(f)), [&](int i) { return patternValue(f, i); }, 64);
}

void imageStore(Gpu& gpu, const Format& f) {
  requireFeature(gpu, f, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT);
  gpu.require(gpu.features.features.shaderStorageImageWriteWithoutFormat, "write without format");
  Image image = gpu.image({.format = f.format, .width = 8, .height = 8, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
  Dispatch d{"#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform writeonly " +
             std::string(prefix(f)) +
             "image2D t;\nvoid main() { uint i = gl_LocalInvocationIndex; imageStore(t, ivec2(i & 7u, i >> 3), " +
             patternExpression(f) + "); }\n"};
  d.bindings = {storageImage(image.view)};
  gpu.dispatch(d);
  expectTexels(
      gpu, f, gpu.download(image, texelBytes(f)), [&](int i) { return patternValue(f, i); }, 64);
}

void clearImage(Gpu& gpu, const Format& f) {
  Image image = gpu.image({.format = f.format, .width = 8, .height = 8, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  for (int i : {1, 20, 63}) {
    auto v = patternValue(f, i);
    VkClearValue value{};
    for (size_t c = 0; c < 4; ++c) {
      if (f.numeric == Uint)
        value.color.uint32[c] = uint32_t(v[c]);
      else if (f.numeric == Sint)
        value.color.int32[c] = int32_t(v[c]);
      else
        value.color.float32[c] = float(v[c]);
    }
    gpu.clear(image, value);
    expectTexels(
        gpu, f, gpu.download(image, texelBytes(f)), [&](int) { return v; }, 64);
  }
}

void vertexFetch(Gpu& gpu, const Format& f) {
  requireFeature(gpu, f, VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT, true);
  gpu.require(gpu.features.features.vertexPipelineStoresAndAtomics, "vertexPipelineStoresAndAtomics");
  auto bytes = randomTexels(f, 64);
  Buffer r = gpu.buffer(64 * 16);
  Image target = gpu.image({.width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  DrawState s;
  s.vert = "#version 450\nlayout(location=0) in " + std::string(prefix(f)) + "vec4 v;\nlayout(binding=0) buffer R { " +
           prefix(f) +
           "vec4 r[]; };\nvoid main() { r[gl_VertexIndex] = v; gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 1.0; }\n";
  s.frag = writes("vec4(1.0)");
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.attributes = {{f.format, 0}};
  s.stride = uint32_t(texelBytes(f));
  s.vertices = gpu.buffer(bytes);
  s.vertexCount = 64;
  s.colors = {target};
  s.bindings = {storage(r)};
  draw(gpu, s);
  for (size_t i = 0; i < 64; ++i) {
    auto want = decode(f, &bytes[i * texelBytes(f)]);
    for (size_t c = 0; c < 4; ++c)
      ASSERT_NEAR(read(f, r, i * 4 + c), want[c], tolerance(f, want[c])) << "vertex " << i << " channel " << c;
  }
}

void copy(Gpu& gpu, const Format& f, int kind) {
  auto bytes = randomTexels(f, 16 * 16);
  size_t t = texelBytes(f);
  Image a = gpu.image({.format = f.format, .width = 16, .height = 16}),
        b = gpu.image({.format = f.format, .width = 16, .height = 16});
  gpu.upload(a, bytes.data(), bytes.size());
  std::vector<uint8_t> zero(bytes.size());
  gpu.upload(b, zero.data(), zero.size());
  gpu.submit([&](VkCommandBuffer cmd) {
    if (kind == 0) {
      VkImageCopy c{
          {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {3, 1, 0}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {5, 7, 0}, {9, 6, 1}};
      vkCmdCopyImage(cmd, a.handle, VK_IMAGE_LAYOUT_GENERAL, b.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &c);
    } else {
      VkImageBlit c{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                    {{12, 1, 0}, {3, 7, 1}},
                    {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                    {{5, 7, 0}, {14, 13, 1}}};
      vkCmdBlitImage(cmd, a.handle, VK_IMAGE_LAYOUT_GENERAL, b.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &c,
                     VK_FILTER_NEAREST);
    }
  });
  auto got = gpu.download(b, t);
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) {
      bool in = x >= 5 && x < 14 && y >= 7 && y < 13;
      int sx = kind ? 11 - (x - 5) : x - 2, sy = y - 6;
      const uint8_t* g = &got[size_t(y * 16 + x) * t];
      const uint8_t* w = in ? &bytes[size_t(sy * 16 + sx) * t] : &zero[0];
      auto gv = decode(f, g), wv = decode(f, w);
      // A blit converts: both encodings of -1 are equal. A copy keeps bits.
      if (kind == 0)
        ASSERT_EQ(memcmp(g, w, t), 0) << x << "," << y;
      else
        for (size_t c = 0; c < 4; ++c)
          ASSERT_NEAR(gv[c], wv[c], f.numeric == Srgb ? 0.01 : 1e-6 * std::max(1.0, std::fabs(wv[c])))
              << x << "," << y << " channel " << c;
    }
}

}  // namespace

void registerFormatShader() {
  for (auto& f : formats) {
    add(text("format.sampled.%s", f.name), [&f](Gpu& gpu) { fetch(gpu, f, 0); });
    add(text("format.storage_load.%s", f.name), [&f](Gpu& gpu) { fetch(gpu, f, 1); });
    add(text("format.texel_buffer.%s", f.name), [&f](Gpu& gpu) { fetch(gpu, f, 2); });
    add(text("format.storage_store.%s", f.name), [&f](Gpu& gpu) { imageStore(gpu, f); });
    add(text("format.render.%s", f.name), [&f](Gpu& gpu) { render(gpu, f); });
    add(text("format.vertex.%s", f.name), [&f](Gpu& gpu) { vertexFetch(gpu, f); });
  }
}

void registerFormatCopy() {
  for (auto& f : formats) {
    add(text("format.clear.%s", f.name), [&f](Gpu& gpu) { clearImage(gpu, f); });
    add(text("format.copy.%s", f.name), [&f](Gpu& gpu) { copy(gpu, f, 0); });
    add(text("format.blit_mirrored.%s", f.name), [&f](Gpu& gpu) {
      requireFeature(gpu, f, VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT);
      copy(gpu, f, 1);
    });
  }
}

}  // namespace etzel::cts
