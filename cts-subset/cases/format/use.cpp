// What formats can be used for: the features that every device must have ("Required Format Support"), and each feature
// at work: linear filtering, blending, storage texel buffers, atomics, blits between formats.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/format/table.h"
#include "cts-subset/cases/groups.h"

namespace etzel::cts {
namespace {

// The columns of the tables "Mandatory Format Support", lowest bit first: sampled, blit source, linear filter, storage,
// storage atomic, colour attachment, blit destination, blend, depth/stencil, vertex, uniform texels, storage texels,
// their atomics. Only what is required without a condition.
struct Required {
  VkFormat format;
  const char* name;
  uint32_t columns;
};
#define REQUIRED(name, columns) \
  { VK_FORMAT_##name, #name, columns }
const Required required[] = {
    REQUIRED(B4G4R4A4_UNORM_PACK16, 0x0007),
    REQUIRED(R5G6B5_UNORM_PACK16, 0x00e7),
    REQUIRED(A1R5G5B5_UNORM_PACK16, 0x00e7),
    REQUIRED(R8_UNORM, 0x06e7),
    REQUIRED(R8_SNORM, 0x0607),
    REQUIRED(R8_UINT, 0x0663),
    REQUIRED(R8_SINT, 0x0663),
    REQUIRED(R8G8_UNORM, 0x06e7),
    REQUIRED(R8G8_SNORM, 0x0607),
    REQUIRED(R8G8_UINT, 0x0663),
    REQUIRED(R8G8_SINT, 0x0663),
    REQUIRED(R8G8B8A8_UNORM, 0x0eef),
    REQUIRED(R8G8B8A8_SNORM, 0x0e0f),
    REQUIRED(R8G8B8A8_UINT, 0x0e6b),
    REQUIRED(R8G8B8A8_SINT, 0x0e6b),
    REQUIRED(R8G8B8A8_SRGB, 0x00e7),
    REQUIRED(B8G8R8A8_UNORM, 0x06e7),
    REQUIRED(B8G8R8A8_SRGB, 0x00e7),
    REQUIRED(A8B8G8R8_UNORM_PACK32, 0x0ee7),
    REQUIRED(A8B8G8R8_SNORM_PACK32, 0x0e07),
    REQUIRED(A8B8G8R8_UINT_PACK32, 0x0e63),
    REQUIRED(A8B8G8R8_SINT_PACK32, 0x0e63),
    REQUIRED(A8B8G8R8_SRGB_PACK32, 0x00e7),
    REQUIRED(A2B10G10R10_UNORM_PACK32, 0x06e7),
    REQUIRED(A2B10G10R10_UINT_PACK32, 0x0463),
    REQUIRED(R16_UNORM, 0x0200),
    REQUIRED(R16_SNORM, 0x0200),
    REQUIRED(R16_UINT, 0x0663),
    REQUIRED(R16_SINT, 0x0663),
    REQUIRED(R16_SFLOAT, 0x06e7),
    REQUIRED(R16G16_UNORM, 0x0200),
    REQUIRED(R16G16_SNORM, 0x0200),
    REQUIRED(R16G16_UINT, 0x0663),
    REQUIRED(R16G16_SINT, 0x0663),
    REQUIRED(R16G16_SFLOAT, 0x06e7),
    REQUIRED(R16G16B16A16_UNORM, 0x0200),
    REQUIRED(R16G16B16A16_SNORM, 0x0200),
    REQUIRED(R16G16B16A16_UINT, 0x0e6b),
    REQUIRED(R16G16B16A16_SINT, 0x0e6b),
    REQUIRED(R16G16B16A16_SFLOAT, 0x0eef),
    REQUIRED(R32_UINT, 0x0e7b),
    REQUIRED(R32_SINT, 0x0e7b),
    REQUIRED(R32_SFLOAT, 0x000b),
    REQUIRED(R32G32_UINT, 0x0e6b),
    REQUIRED(R32G32_SINT, 0x0e6b),
    REQUIRED(R32G32_SFLOAT, 0x0e6b),
    REQUIRED(R32G32B32_UINT, 0x0200),
    REQUIRED(R32G32B32_SINT, 0x0200),
    REQUIRED(R32G32B32_SFLOAT, 0x0200),
    REQUIRED(R32G32B32A32_UINT, 0x0e6b),
    REQUIRED(R32G32B32A32_SINT, 0x0e6b),
    REQUIRED(R32G32B32A32_SFLOAT, 0x0e6b),
    REQUIRED(B10G11R11_UFLOAT_PACK32, 0x0407),
    REQUIRED(E5B9G9R9_UFLOAT_PACK32, 0x0007),
    REQUIRED(D16_UNORM, 0x0103),
    REQUIRED(D32_SFLOAT, 0x0003),
};
#undef REQUIRED

void features(Gpu& gpu, const Required& r) {
  static const VkFormatFeatureFlags columns[13] = {VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT,
                                                   VK_FORMAT_FEATURE_BLIT_SRC_BIT,
                                                   VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
                                                   VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT,
                                                   VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT,
                                                   VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT,
                                                   VK_FORMAT_FEATURE_BLIT_DST_BIT,
                                                   VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT,
                                                   VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT,
                                                   VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT,
                                                   VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT,
                                                   VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT,
                                                   VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT};
  for (int c = 0; c < 13; ++c) {
    if (!(r.columns >> c & 1)) continue;
    EXPECT_TRUE(gpu.formatFeatures(r.format, c >= 9) & columns[c]) << "column " << c;
  }
  // "If sampled, then also a source and a destination of transfers", and images of the least size exist.
  VkFormatFeatureFlags optimal = gpu.formatFeatures(r.format);
  if (optimal & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) {
    EXPECT_TRUE(optimal & VK_FORMAT_FEATURE_TRANSFER_SRC_BIT);
    EXPECT_TRUE(optimal & VK_FORMAT_FEATURE_TRANSFER_DST_BIT);
    VkImageFormatProperties limits;
    CTS_VK(vkGetPhysicalDeviceImageFormatProperties(gpu.physical, r.format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                    VK_IMAGE_USAGE_SAMPLED_BIT, 0, &limits));
    EXPECT_GE(limits.maxExtent.width, gpu.limits().maxImageDimension2D);
    EXPECT_GE(limits.maxArrayLayers, gpu.limits().maxImageArrayLayers);
    EXPECT_GE(limits.maxMipLevels, 1 + uint32_t(std::floor(std::log2(limits.maxExtent.width))));
  }
}

/// Half way between two texels is their mean: after decoding, also of sRGB.
void linear(Gpu& gpu, const Format& f) {
  requireFeature(gpu, f, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
  auto bytes = randomTexels(f, 64);
  Image image = gpu.image({.format = f.format, .width = 8, .height = 8, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  gpu.upload(image, bytes.data(), bytes.size());
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = VK_FILTER_LINEAR;
  Buffer out = gpu.buffer(64 * 16);
  Dispatch d{
      "#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform sampler2D t;\nlayout(binding=1) buffer R { "
      "vec4 r[]; };\n"
      "void main() { uint i = gl_LocalInvocationIndex; r[i] = textureLod(t, (vec2(i & 7u, i >> 3) + vec2(1.0, 0.75)) / "
      "8.0, 0.0); }\n"};
  d.bindings = {sampled(image.view, gpu.sampler(info)), storage(out)};
  gpu.dispatch(d);
  auto texel = [&](size_t x, size_t y) { return decode(f, &bytes[(y % 8 * 8 + x % 8) * texelBytes(f)]); };
  for (size_t i = 0; i < 64; ++i) {
    size_t x = i % 8, y = i / 8;
    auto a = texel(x, y), b = texel(x + 1, y), c = texel(x, y + 1), e = texel(x + 1, y + 1);
    for (size_t k = 0; k < 4; ++k) {
      double want = (a[k] + b[k]) * 0.375 + (c[k] + e[k]) * 0.125;
      double span = std::max({std::fabs(a[k]), std::fabs(b[k]), std::fabs(c[k]), std::fabs(e[k]), 1.0});
      ASSERT_NEAR(out.as<float>()[i * 4 + k], want, span * 0.012) << "point " << i << " channel " << k;
    }
  }
}

/// new = source * 1/2 + destination * 1/4, channel by channel.
void blend(Gpu& gpu, const Format& f) {
  requireFeature(gpu, f, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT);
  auto bytes = randomTexels(f, 64);
  Image image = gpu.image({.format = f.format, .width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  gpu.upload(image, bytes.data(), bytes.size());
  DrawState s;
  s.vert = coverAll();
  s.frag =
      "#version 450\nlayout(location=0) out vec4 color;\nvoid main() { uint i = uint(gl_FragCoord.y) * 8u + "
      "uint(gl_FragCoord.x); color = " +
      patternExpression(f) + "; }\n";
  s.colors = {image};
  s.attachment = {VK_TRUE,
                  VK_BLEND_FACTOR_CONSTANT_COLOR,
                  VK_BLEND_FACTOR_CONSTANT_ALPHA,
                  VK_BLEND_OP_ADD,
                  VK_BLEND_FACTOR_CONSTANT_COLOR,
                  VK_BLEND_FACTOR_CONSTANT_ALPHA,
                  VK_BLEND_OP_ADD,
                  15};
  // Alpha's factors are both the constant's alpha.
  for (int c = 0; c < 4; ++c) s.blend.blendConstants[c] = c == 3 ? 0.25f : 0.5f;
  draw(gpu, s);
  auto got = gpu.download(image, texelBytes(f));
  for (size_t i = 0; i < 64; ++i) {
    auto old = decode(f, &bytes[i * texelBytes(f)]), now = decode(f, &got[i * texelBytes(f)]),
         source = patternValue(f, int(i));
    for (auto& c : channels(f)) {
      size_t k = size_t(c.index);
      double from = source[k], low = f.numeric == Snorm ? -1 : 0, step = 0;
      // "clamped before blending": fixed-point attachments.
      if (f.numeric != Sfloat && !isScaled(f)) from = std::clamp(from, low, 1.0);
      double want = from * (k == 3 ? 0.25 : 0.5) + old[k] * 0.25;
      double top = std::ldexp(1.0, int(c.bits)) - 1;
      if (f.numeric == Uscaled) want = std::clamp(want, 0.0, top), step = 1;
      if (f.numeric == Sscaled) want = std::clamp(want, -(top + 1) / 2, (top - 1) / 2), step = 1;
      if (f.numeric == Unorm) step = 1.5 / (std::ldexp(1.0, int(c.bits)) - 1) + 1e-3;
      if (f.numeric == Snorm) step = 1.5 / (std::ldexp(1.0, int(c.bits) - 1) - 1) + 1e-3;
      if (f.numeric == Srgb) step = 0.014;
      if (f.numeric == Sfloat) step = std::fabs(want) * 2e-3 + 1e-3;
      ASSERT_NEAR(now[k], want, step) << "pixel " << i << " channel " << k;
    }
  }
}

void storeTexels(Gpu& gpu, const Format& f) {
  requireFeature(gpu, f, VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT, true);
  gpu.require(gpu.features.features.shaderStorageImageWriteWithoutFormat, "write without format");
  Buffer b = gpu.buffer(64 * texelBytes(f), nullptr, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
  Binding binding{};
  binding.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
  binding.texels = gpu.texels(b, f.format);
  Dispatch d{"#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform writeonly " +
             std::string(prefix(f)) +
             "imageBuffer t;\nvoid main() { uint i = gl_LocalInvocationIndex; imageStore(t, int(i), " +
             patternExpression(f) + "); }\n"};
  d.bindings = {binding};
  gpu.dispatch(d);
  std::vector<uint8_t> bytes(b.as<uint8_t>(), b.as<uint8_t>() + b.size);
  expectTexels(
      gpu, f, bytes, [&](int i) { return patternValue(f, i); }, 64);
}

/// Blits from a format to another of the same kind: values are converted.
void convert(Gpu& gpu, const Format& from, const Format& to) {
  requireFeature(gpu, from, VK_FORMAT_FEATURE_BLIT_SRC_BIT);
  requireFeature(gpu, to, VK_FORMAT_FEATURE_BLIT_DST_BIT);
  auto bytes = randomTexels(from, 64);
  Image a = gpu.image({.format = from.format, .width = 8, .height = 8}),
        b = gpu.image({.format = to.format, .width = 8, .height = 8});
  gpu.upload(a, bytes.data(), bytes.size());
  gpu.submit([&](VkCommandBuffer cmd) {
    VkImageBlit c{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                  {{0, 0, 0}, {8, 8, 1}},
                  {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                  {{0, 0, 0}, {8, 8, 1}}};
    vkCmdBlitImage(cmd, a.handle, VK_IMAGE_LAYOUT_GENERAL, b.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &c, VK_FILTER_NEAREST);
  });
  expectTexels(
      gpu, to, gpu.download(b, texelBytes(to)),
      [&](int i) {
        auto v = decode(from, &bytes[size_t(i) * texelBytes(from)]);
        // Integers that do not fit are clamped.
        for (auto& c : channels(to)) {
          double& x = v[size_t(c.index)];
          if (to.numeric == Uint) x = std::clamp(x, 0.0, std::ldexp(1.0, int(c.bits)) - 1);
          if (to.numeric == Sint)
            x = std::clamp(x, -std::ldexp(1.0, int(c.bits) - 1), std::ldexp(1.0, int(c.bits) - 1) - 1);
        }
        return v;
      },
      64, from.numeric == Srgb ? 2e-3 : 0);
}

/// Atomics on texels of a storage image or storage texel buffer, from 64 invocations each.
void atomics(Gpu& gpu, VkFormat format, bool texels, const char* op) {
  bool isSint = format == VK_FORMAT_R32_SINT;
  auto need = texels ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT : VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT;
  if (!(gpu.formatFeatures(format, texels) & need)) throw NotSupported("atomics of the format");
  std::vector<int32_t> start = {5, -100, 7, 0x0ff0, 0, 40, -1, 12};
  std::vector<uint8_t> after;
  std::string type = isSint ? "int" : "uint", p = isSint ? "i" : "u", layout = isSint ? "r32i" : "r32ui";
  Dispatch d{"#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0, " + layout + ") uniform " + p +
             (texels ? "imageBuffer" : "image2D") + " t;\nvoid main() { uint i = gl_LocalInvocationIndex; imageAtomic" +
             op + "(t, " + (texels ? "int(i & 7u)" : "ivec2(i & 7u, 0)") + ", " + type + "(i * 3u)); }\n"};
  if (texels) {
    Buffer b = gpu.buffer(32, start.data(), VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
    Binding binding{};
    binding.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    binding.texels = gpu.texels(b, format);
    d.bindings = {binding};
    gpu.dispatch(d);
    after.assign(b.as<uint8_t>(), b.as<uint8_t>() + 32);
  } else {
    Image image = gpu.image({.format = format, .width = 8, .height = 1, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    gpu.upload(image, start.data(), 32);
    d.bindings = {storageImage(image.view)};
    gpu.dispatch(d);
    after = gpu.download(image, 4);
  }
  for (uint32_t k = 0; k < 8; ++k) {
    uint32_t want = uint32_t(start[k]), got;
    std::string o = op;
    for (uint32_t i = k; i < 64; i += 8) {
      uint32_t v = i * 3;
      if (o == "Add") want += v;
      if (o == "And") want &= v;
      if (o == "Or") want |= v;
      if (o == "Xor") want ^= v;
      if (o == "Min") want = isSint ? uint32_t(std::min(int32_t(want), int32_t(v))) : std::min(want, v);
      if (o == "Max") want = isSint ? uint32_t(std::max(int32_t(want), int32_t(v))) : std::max(want, v);
    }
    memcpy(&got, &after[k * 4], 4);
    ASSERT_EQ(got, want) << "texel " << k;
  }
}

/// A volume of depth that is filled by a copy: fetched, sampled between two slices, and copied back.
void depthVolume(Gpu& gpu, VkFormat format, uint32_t bytes) {
  constexpr uint32_t kSize = 4, kDepth = 3, kTexels = kSize * kSize * kDepth;
  gpu.require(gpu.formatFeatures(format) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT, "linear depth");
  const Image image = gpu.image({.format = format,
                                 .width = kSize,
                                 .height = kSize,
                                 .depth = kDepth,
                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
                                 .type = VK_IMAGE_TYPE_3D});
  Random random(bytes);
  std::vector<uint8_t> texels(kTexels * bytes);
  std::vector<double> depths;
  for (uint32_t i = 0; i < kTexels; ++i) {
    const uint16_t code = uint16_t(random.below(65536));
    const float depth = float(code) / 65535.0f;
    memcpy(&texels[i * bytes], bytes == 2 ? static_cast<const void*>(&code) : &depth, bytes);
    depths.push_back(double(depth));
  }
  gpu.upload(image, texels.data(), texels.size());
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = VK_FILTER_LINEAR;
  const Buffer out = gpu.buffer(kTexels * 8);
  Dispatch d{
      "#version 450\nlayout(local_size_x=4, local_size_y=4, local_size_z=3) in;\n"
      "layout(binding=0) uniform sampler3D t;\nlayout(binding=1) buffer R { vec2 r[]; };\n"
      "void main() { ivec3 p = ivec3(gl_LocalInvocationID); vec3 half_deeper = vec3(p) + vec3(0.5, 0.5, 1.0);\n"
      "r[gl_LocalInvocationIndex] = vec2(texelFetch(t, p, 0).r, textureLod(t, half_deeper / vec3(4, 4, 3), 0.0).r); "
      "}\n"};
  d.bindings = {sampled(image.view, gpu.sampler(info)), storage(out)};
  gpu.dispatch(d);
  for (uint32_t i = 0; i < kTexels; ++i) {
    const uint32_t next = (i + kSize * kSize) % kTexels;  // samplers repeat
    ASSERT_NEAR(double(out.as<float>()[2 * i]), depths[i], 1e-5) << "texel " << i;
    ASSERT_NEAR(double(out.as<float>()[2 * i + 1]), (depths[i] + depths[next]) / 2, 6e-3) << "between " << i;
  }
  EXPECT_EQ(gpu.download(image, bytes), texels);
}

/// VK_IMAGE_CREATE_EXTENDED_USAGE_BIT: a usage that only another format of the class has; lists of views do not matter.
void extendedUsage(Gpu& gpu) {
  const VkFormat srgb = VK_FORMAT_R8G8B8A8_SRGB;
  const auto answer = [&](VkImageCreateFlags flags, const void* list) {
    VkPhysicalDeviceImageFormatInfo2 info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2, list};
    info.format = srgb, info.type = VK_IMAGE_TYPE_2D, info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = VK_IMAGE_USAGE_STORAGE_BIT, info.flags = flags;
    VkImageFormatProperties2 properties{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    return vkGetPhysicalDeviceImageFormatProperties2(gpu.physical, &info, &properties);
  };
  gpu.require(!(gpu.formatFeatures(srgb) & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT), "sRGB without stores");
  constexpr VkImageCreateFlags kFlags = VK_IMAGE_CREATE_EXTENDED_USAGE_BIT | VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
  const VkImageFormatListCreateInfo list{VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, nullptr, 1, &srgb};
  EXPECT_EQ(answer(VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, nullptr), VK_ERROR_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(answer(kFlags, nullptr), VK_SUCCESS);
  EXPECT_EQ(answer(kFlags, &list), VK_SUCCESS);
}

}  // namespace

void registerFormatUse() {
  add("format.extended_usage", extendedUsage);
  add("format.volume.d16", [](Gpu& gpu) { depthVolume(gpu, VK_FORMAT_D16_UNORM, 2); });
  add("format.volume.d32", [](Gpu& gpu) { depthVolume(gpu, VK_FORMAT_D32_SFLOAT, 4); });
  for (auto& r : required) add(text("format.required.%s", r.name), [&r](Gpu& gpu) { features(gpu, r); });
  add("format.required.depth_stencil", [](Gpu& gpu) {
    auto has = [&](VkFormat f) { return gpu.formatFeatures(f) & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT; };
    EXPECT_TRUE(has(VK_FORMAT_X8_D24_UNORM_PACK32) || has(VK_FORMAT_D32_SFLOAT));
    EXPECT_TRUE(has(VK_FORMAT_D24_UNORM_S8_UINT) || has(VK_FORMAT_D32_SFLOAT_S8_UINT));
  });
  for (auto& f : formatTable()) {
    if (f.numeric != Uint && f.numeric != Sint) {
      add(text("format.linear.%s", f.name), [&f](Gpu& gpu) { linear(gpu, f); });
      add(text("format.blend.%s", f.name), [&f](Gpu& gpu) { blend(gpu, f); });
    }
    add(text("format.storage_texels.%s", f.name), [&f](Gpu& gpu) { storeTexels(gpu, f); });
  }
  for (auto& from : formatTable())
    for (auto& to : formatTable()) {
      // Integers convert among integers of the same signedness, scaled ones likewise; the rest among itself. A third of
      // all pairs.
      auto kind = [](const Format& f) { return f.numeric < Uscaled || f.numeric > Sint ? 0 : int(f.numeric); };
      if (kind(from) != kind(to) || from.format == to.format || (from.format * 7 + to.format * 5) % 3) continue;
      if (from.numeric == Sfloat && to.numeric == Sfloat && texelBytes(from) > texelBytes(to)) continue;
      add(text("format.blit.%s.to_%s", from.name, to.name), [&from, &to](Gpu& gpu) { convert(gpu, from, to); });
    }
  for (VkFormat format : {VK_FORMAT_R32_UINT, VK_FORMAT_R32_SINT})
    for (bool texels : {false, true})
      for (const char* op : {"Add", "And", "Or", "Xor", "Min", "Max"})
        add(text("format.atomic.%s.%s.%s", texels ? "texel_buffer" : "image",
                 format == VK_FORMAT_R32_UINT ? "r32ui" : "r32i", op),
            [=](Gpu& gpu) { atomics(gpu, format, texels, op); });
}

}  // namespace etzel::cts
