// Formats: exact packing in clears, copies, sampling, rendering, storage and vertex fetch, against a table of bits.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/format/table.h"
#include "cts-subset/cases/groups.h"

namespace etzel::cts {
namespace {

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
  for (auto& f : formatTable()) {
    add(text("format.sampled.%s", f.name), [&f](Gpu& gpu) { fetch(gpu, f, 0); });
    add(text("format.storage_load.%s", f.name), [&f](Gpu& gpu) { fetch(gpu, f, 1); });
    add(text("format.texel_buffer.%s", f.name), [&f](Gpu& gpu) { fetch(gpu, f, 2); });
    add(text("format.storage_store.%s", f.name), [&f](Gpu& gpu) { imageStore(gpu, f); });
    add(text("format.render.%s", f.name), [&f](Gpu& gpu) { render(gpu, f); });
    add(text("format.vertex.%s", f.name), [&f](Gpu& gpu) { vertexFetch(gpu, f); });
  }
}

void registerFormatCopy() {
  for (auto& f : formatTable()) {
    add(text("format.clear.%s", f.name), [&f](Gpu& gpu) { clearImage(gpu, f); });
    add(text("format.copy.%s", f.name), [&f](Gpu& gpu) { copy(gpu, f, 0); });
    add(text("format.blit_mirrored.%s", f.name), [&f](Gpu& gpu) {
      requireFeature(gpu, f, VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT);
      copy(gpu, f, 1);
    });
  }
}

}  // namespace etzel::cts
