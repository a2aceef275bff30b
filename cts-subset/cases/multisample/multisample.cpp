// Sample positions, coverage in and out, centroid, sample shading, resolves, alpha to coverage: "Multisampling".
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/samples.h"

namespace etzel::cts {
namespace {

constexpr uint32_t size = 8;

Image target(Gpu& gpu, uint32_t n, VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT) {
  Image image = gpu.image({.format = format,
                           .width = size,
                           .height = size,
                           .samples = VkSampleCountFlagBits(n),
                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
  gpu.clear(image, {});
  return image;
}

/// An edge x * a + y * b < c (in sixteenths) through a big triangle pair; returns coverage of a sample.
std::string halfPlane(float x, bool vertical) {
  // A quad from -inf to `x` pixels.
  float edge = x / float(size) * 2 - 1;
  std::string e = text("%.9g", edge);
  return std::string(
             "#version 450\nlayout(location=0) out float v;\nvoid main() { float a = (gl_VertexIndex & 1) != 0 ? ") +
         e + " : -1.0, b = (gl_VertexIndex & 2) != 0 ? 1.0 : -1.0; gl_Position = vec4(" + (vertical ? "b, a" : "a, b") +
         ", 0, 1); v = (gl_VertexIndex & 1) != 0 ? " + text("%.9g", x) + " : 0.0; }\n";
}

void coverage(Gpu& gpu, uint32_t n, int sixteenth, bool vertical) {
  requireSamples(gpu, n);
  gpu.require(gpu.limits().standardSampleLocations, "standardSampleLocations");
  gpu.require(gpu.limits().subPixelPrecisionBits >= 5, "edges between the lines of the sample grid");
  Image image = target(gpu, n);
  float x = 3 + float(sixteenth) / 16 + 1.0f / 32;  // between the lines of the sample grid
  DrawState s;
  s.vert = halfPlane(x, vertical);
  s.frag =
      "#version 450\nlayout(location=0) out vec4 color;\nvoid main() { color = vec4(gl_SampleMaskIn[0], 1, 0, 1); }\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  s.vertexCount = 4;
  s.colors = {image};
  s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
  draw(gpu, s);
  auto got = samplesOf(gpu, image);
  auto places = standardLocations(n);
  for (uint32_t p = 0; p < size * size; ++p) {
    uint32_t along = vertical ? p / size : p % size, mask = 0;
    for (uint32_t k = 0; k < n; ++k)
      if (float(along) + float(places[k][vertical ? 1 : 0]) / 16 < x) mask |= 1u << k;
    for (uint32_t k = 0; k < n; ++k) {
      ASSERT_EQ(got[(k * size * size + p) * 4 + 1] != 0, bool(mask >> k & 1)) << "pixel " << p << " sample " << k;
      // A pixel on the diagonal of the strip may be two fragments, whose masks make up the whole.
      if (mask >> k & 1) {
        uint32_t in = uint32_t(got[(k * size * size + p) * 4]);
        ASSERT_TRUE((in & ~mask) == 0 && (in >> k & 1))
            << "gl_SampleMaskIn of pixel " << p << ": " << in << " of " << mask;
      }
    }
  }
}

/// Lights every sample of a picture of edges by itself: texels of the fragment's sample, of its neighbours, of a fixed
/// sample, and with decisions that depend on them.
void lightSamples(Gpu& gpu, uint32_t n, VkFormat format, bool enable) {
  requireSamples(gpu, n);
  gpu.require(gpu.features.features.sampleRateShading, "sampleRateShading");
  constexpr uint32_t wide = 40;
  Image picture = gpu.image({.format = format,
                             .width = wide,
                             .height = wide,
                             .samples = VkSampleCountFlagBits(n),
                             .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
  gpu.clear(picture, {{{0.25f, 0.5f, 0.75f, 1}}});
  DrawState scene;
  scene.vert =
      "#version 450\nlayout(push_constant) uniform P { vec4 at[3]; vec4 color; };\nlayout(location=0) out vec4 c;\n"
      "void main() { gl_Position = vec4(at[gl_VertexIndex].xy, 0, 1); c = color; }\n";
  scene.frag =
      "#version 450\nlayout(location=0) in vec4 c; layout(location=0) out vec4 color;\nvoid main() { color = c; }\n";
  scene.colors = {picture};
  scene.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
  Random random(n);
  for (int i = 0; i < 12; ++i) {
    float push[16];
    for (float& f : push) f = float(random.below(512)) / 256 - 1;
    for (int c = 12; c < 16; ++c) push[c] = float(random.below(256)) / 255;
    scene.push.assign(reinterpret_cast<uint8_t*>(push), reinterpret_cast<uint8_t*>(push + 16));
    draw(gpu, scene);
  }
  Image lit = floatTarget(gpu, n, wide, wide);
  DrawState light;
  light.vert = coverAll();
  light.frag = text(
      "#version 450\nlayout(binding=0) uniform sampler2DMS t;\nlayout(location=0) out vec4 color;\n"
      "void main() { ivec2 p = ivec2(gl_FragCoord.xy); vec4 v = texelFetch(t, p, gl_SampleID);\n"
      "  vec4 w = texelFetch(t, p, %u);\n"
      "  if (v.r > 0.5) v += texelFetch(t, ivec2(min(p.x + 3, %u), p.y / 2), gl_SampleID);\n"
      "  for (int i = 0; i < int(v.b * 3.0); ++i) v.g += 1.0;\n  color = vec4(v.rgb, w.r); }\n",
      n - 1, wide - 1);
  light.colors = {lit};
  light.bindings = {sampled(picture.view, gpu.sampler())};
  light.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
  light.multisample.sampleShadingEnable = enable;
  light.multisample.minSampleShading = 1;
  draw(gpu, light);
  const auto in = samplesOf(gpu, picture), got = samplesOf(gpu, lit);
  for (uint32_t k = 0; k < n; ++k)
    for (uint32_t y = 0; y < wide; ++y)
      for (uint32_t x = 0; x < wide; ++x) {
        const auto texel = [&](uint32_t px, uint32_t py, uint32_t s) { return &in[((s * wide + py) * wide + px) * 4]; };
        float v[3];
        std::copy_n(texel(x, y, k), 3, v);
        if (v[0] > 0.5f)
          for (int c = 0; c < 3; ++c) v[c] += texel(std::min(x + 3, wide - 1), y / 2, k)[c];
        for (int i = 0; i < int(v[2] * 3.0f); ++i) v[1] += 1;
        const float* out = &got[((k * wide + y) * wide + x) * 4];
        for (int c = 0; c < 3; ++c)
          ASSERT_EQ(out[c], v[c]) << "channel " << c << " of sample " << k << " at " << x << ", " << y;
        ASSERT_EQ(out[3], texel(x, y, n - 1)[0]) << "sample " << k << " at " << x << ", " << y;
      }
}

void addPlaces(uint32_t n) {
  for (int sixteenth = 0; sixteenth < 16; sixteenth += n == 16 ? 1 : 2)
    for (bool vertical : {false, true})
      add(text("multisample.coverage.x%u.%s.at%d", n, vertical ? "y" : "x", sixteenth),
          [=](Gpu& gpu) { coverage(gpu, n, sixteenth, vertical); });
  add(text("multisample.position.x%u", n), [=](Gpu& gpu) {
    requireSamples(gpu, n);
    gpu.require(gpu.features.features.sampleRateShading && gpu.limits().standardSampleLocations, "sampleRateShading");
    Image image = target(gpu, n);
    DrawState s;
    s.vert = coverAll();
    s.frag = writes("vec4(gl_SamplePosition, gl_SampleID, 1)");
    s.colors = {image};
    s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
    draw(gpu, s);
    auto got = samplesOf(gpu, image);
    auto places = standardLocations(n);
    for (uint32_t k = 0; k < n; ++k)
      for (uint32_t p = 0; p < size * size; ++p) {
        const float* v = &got[(k * size * size + p) * 4];
        ASSERT_FLOAT_EQ(v[0], float(places[k][0]) / 16) << "x of sample " << k;
        ASSERT_FLOAT_EQ(v[1], float(places[k][1]) / 16) << "y of sample " << k;
        ASSERT_EQ(v[2], float(k));
        ASSERT_EQ(v[3], 1.0f);
      }
  });
}

void addInterpolation(uint32_t n) {
  for (const char* how : {"sample", "centroid", "center"})
    add(text("multisample.interpolation.%s.x%u", how, n), [=](Gpu& gpu) {
      requireSamples(gpu, n);
      gpu.require(gpu.features.features.sampleRateShading && gpu.limits().standardSampleLocations, "sampleRateShading");
      gpu.require(gpu.limits().subPixelPrecisionBits >= 5, "edges between the lines of the sample grid");
      Image image = target(gpu, n);
      float edge = 3 + 7.5f / 16;
      DrawState s;
      s.vert = halfPlane(edge, false);
      std::string word = !strcmp(how, "center") ? "" : how;

      s.frag = "#version 450\nlayout(location=0) in " + word +
               " float v; layout(location=0) out vec4 color;\nvoid main() { color = vec4(v, 1, 1, 1); }\n";
      s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
      s.vertexCount = 4;
      s.colors = {image};
      s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
      draw(gpu, s);
      auto got = samplesOf(gpu, image);
      auto places = standardLocations(n);
      for (uint32_t p = 0; p < size * size; ++p)
        for (uint32_t k = 0; k < n; ++k) {
          float x = float(p % size), at = x + float(places[k][0]) / 16, v = got[(k * size * size + p) * 4];
          if (at >= edge) continue;
          if (word == "sample") {
            ASSERT_NEAR(v, at, 1e-3) << "pixel " << p << " sample " << k;
          } else if (word == "centroid") {
            // Inside the primitive: never beyond the edge, and at the centre of a fully covered pixel off the
            // diagonal.
            ASSERT_LE(v, edge + 1e-3f) << "pixel " << p << " sample " << k;
            ASSERT_GE(v, x - 1e-3f);
          } else {
            ASSERT_NEAR(v, x + 0.5f, 1e-3) << "pixel " << p << " sample " << k;
          }
        }
    });
}

void addMasks(uint32_t n) {
  for (uint32_t mask : {0x1u, 0x2u, 0x5555u, 0xaaaau, 0xfffcu, 0u})
    for (bool shader : {false, true})
      add(text("multisample.mask.%s.x%u.%04x", shader ? "shader" : "pipeline", n, mask), [=](Gpu& gpu) {
        requireSamples(gpu, n);
        Image image = target(gpu, n);
        DrawState s;
        s.vert = coverAll();
        s.frag = "#version 450\nlayout(location=0) out vec4 color;\nvoid main() { color = vec4(1); " +
                 (shader ? text("gl_SampleMask[0] = %d;", int(mask)) : std::string()) + " }\n";
        s.colors = {image};
        s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
        VkSampleMask word = mask;
        if (!shader) s.multisample.pSampleMask = &word;
        draw(gpu, s);
        auto got = samplesOf(gpu, image);
        for (uint32_t k = 0; k < n; ++k)
          for (uint32_t p = 0; p < 64; ++p)
            ASSERT_EQ(got[(k * 64 + p) * 4] != 0, bool(mask >> k & 1)) << "sample " << k;
      });
}

void addResolves(uint32_t n) {
  for (const char* format : {"rgba32f", "rgba8", "rgba8ui", "srgb"})
    add(text("multisample.resolve.%s.x%u", format, n), [=](Gpu& gpu) {
      requireSamples(gpu, n);
      gpu.require(gpu.features.features.sampleRateShading, "sampleRateShading");
      std::string f = format;
      VkFormat vk = f == "rgba32f"   ? VK_FORMAT_R32G32B32A32_SFLOAT
                    : f == "rgba8"   ? VK_FORMAT_R8G8B8A8_UNORM
                    : f == "rgba8ui" ? VK_FORMAT_R8G8B8A8_UINT
                                     : VK_FORMAT_R8G8B8A8_SRGB;
      bool isUint = f == "rgba8ui";
      Image image = gpu.image({.format = vk,
                               .width = size,
                               .height = size,
                               .samples = VkSampleCountFlagBits(n),
                               .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
      Image one =
          gpu.image({.format = vk, .width = size, .height = size, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
      gpu.clear(image, {});
      gpu.clear(one, {});
      DrawState s;
      s.vert = coverAll();
      // Sample k of pixel x gets (k + x) / 32 (or k + x + 1 as an integer).
      s.frag = isUint ? writes("uvec4(uint(gl_SampleID) + uint(gl_FragCoord.x) + 1u)", "uvec4")
                      : writes("vec4((float(gl_SampleID) + floor(gl_FragCoord.x)) / 32.0)");
      s.colors = {image};
      s.resolves = {one};
      s.resolveMode = isUint ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT;
      s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
      draw(gpu, s);
      auto bytes = gpu.download(one, vk == VK_FORMAT_R32G32B32A32_SFLOAT ? 16 : 4);
      for (uint32_t x = 0; x < size; ++x) {
        double average = (double(n - 1) / 2 + x) / 32;
        if (vk == VK_FORMAT_R32G32B32A32_SFLOAT)
          ASSERT_NEAR(reinterpret_cast<float*>(bytes.data())[x * 4], average, 1e-5);
        else if (isUint)
          ASSERT_EQ(bytes[x * 4], x + 1);
        else if (f == "srgb")
          ASSERT_NEAR(bytes[x * 4],
                      average <= 0.0031308 ? average * 12.92 * 255 : (1.055 * std::pow(average, 1 / 2.4) - 0.055) * 255,
                      2.5);
        else
          ASSERT_NEAR(bytes[x * 4], average * 255, 1.01);
      }
    });
}

void addShading(uint32_t n) {
  add(text("multisample.sample_shading.x%u", n), [=](Gpu& gpu) {
    requireSamples(gpu, n);
    gpu.require(gpu.features.features.sampleRateShading && gpu.features.features.fragmentStoresAndAtomics,
                "sampleRateShading");
    for (float rate : {0.0f, 0.5f, 1.0f}) {
      Image image = target(gpu, n);
      Buffer counter = gpu.buffer(4);
      DrawState s;
      s.vert = coverAll();
      s.frag =
          "#version 450\nlayout(location=0) out vec4 color;\nlayout(binding=0) buffer C { uint n; };\nvoid main() { "
          "atomicAdd(n, 1u); color = vec4(1); }\n";
      s.colors = {image};
      s.bindings = {storage(counter)};
      s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
      s.multisample.sampleShadingEnable = rate > 0;
      s.multisample.minSampleShading = rate;
      draw(gpu, s);
      // "at least max(ceil(minSampleShadingFactor x totalSamples), 1)" invocations a pixel.
      uint32_t least = uint32_t(std::max(1.0f, std::ceil(rate * float(n)))) * size * size;
      EXPECT_GE(*counter.as<uint32_t>(), least) << "rate " << rate;
      EXPECT_LE(*counter.as<uint32_t>(), n * size * size) << "rate " << rate;
    }
  });
}

/// "SampleMask": "the bit corresponding to each covered sample will be set in exactly one fragment shader invocation".
void addShadingMasks(uint32_t n) {
  add(text("multisample.sample_shading.masks.x%u", n), [=](Gpu& gpu) {
    requireSamples(gpu, n);
    gpu.require(gpu.features.features.sampleRateShading && gpu.features.features.fragmentStoresAndAtomics,
                "sampleRateShading");
    for (float rate : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
      Image image = target(gpu, n);
      Buffer seen = gpu.buffer(8 * size * size);
      DrawState s;
      s.vert = coverAll();
      s.frag =
          "#version 450\nlayout(location=0) out vec4 color;\nlayout(binding=0) buffer C { uvec2 seen[]; };\n"
          "void main() { uint at = uint(gl_FragCoord.y) * " +
          std::to_string(size) +
          " + uint(gl_FragCoord.x); uint mask = gl_SampleMaskIn[0];\n"
          "atomicOr(seen[at].x, mask); atomicAdd(seen[at].y, bitCount(mask)); color = vec4(1); }\n";
      s.colors = {image};
      s.bindings = {storage(seen)};
      s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
      s.multisample.sampleShadingEnable = rate > 0;
      s.multisample.minSampleShading = rate;
      draw(gpu, s);
      for (uint32_t i = 0; i < size * size; ++i) {
        ASSERT_EQ(seen.as<uint32_t>()[2 * i], (1u << n) - 1) << "rate " << rate << ", pixel " << i;
        ASSERT_EQ(seen.as<uint32_t>()[2 * i + 1], n) << "rate " << rate << ", pixel " << i;
      }
    }
  });
}

void addAlpha(uint32_t n) {
  for (float alpha : {0.0f, 0.5f, 1.0f})
    add(text("multisample.alpha_to_coverage.x%u.a%s", n, named(alpha).c_str()), [=](Gpu& gpu) {
      requireSamples(gpu, n);
      Image image = target(gpu, n);
      DrawState s;
      s.vert = coverAll();
      s.frag = writes(text("vec4(1, 1, 1, %g)", alpha));
      s.colors = {image};
      s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
      s.multisample.alphaToCoverageEnable = VK_TRUE;
      draw(gpu, s);
      auto got = samplesOf(gpu, image);
      uint32_t lit = 0;
      for (uint32_t i = 0; i < 64 * n; ++i) lit += got[i * 4] != 0;
      // "0 if alpha is 0, all ones if it is 1", in between proportional.
      if (alpha == 0 || alpha == 1)
        EXPECT_EQ(lit, alpha == 0 ? 0 : 64 * n);
      else
        EXPECT_NEAR(lit, 32 * n, 32 * n * 0.51);
    });
}

void addDepth(uint32_t n) {
  add(text("multisample.depth.x%u", n), [=](Gpu& gpu) {
    // Depth is evaluated at each sample: a slanted plane against a constant one splits pixels by sample.
    requireSamples(gpu, n);
    gpu.require(gpu.limits().framebufferDepthSampleCounts & n && gpu.limits().standardSampleLocations, "depth samples");
    Image image = target(gpu, n);
    Image depth = gpu.image({.format = VK_FORMAT_D32_SFLOAT,
                             .width = size,
                             .height = size,
                             .samples = VkSampleCountFlagBits(n),
                             .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
    VkClearValue clear;
    clear.depthStencil = {3.46875f / 16 + 0.25f, 0};
    gpu.clear(depth, clear);
    DrawState s;
    s.vert =
        "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, "
        "gl_VertexIndex == 1 ? 1.25 : 0.25, 1); }\n";
    s.frag = writes("vec4(1.0)");
    s.colors = {image};
    s.depth = &depth;
    s.depthStencil.depthTestEnable = VK_TRUE;
    s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS;
    s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
    draw(gpu, s);
    auto got = samplesOf(gpu, image);
    auto places = standardLocations(n);
    for (uint32_t k = 0; k < n; ++k)
      for (uint32_t p = 0; p < 64; ++p)
        ASSERT_EQ(got[(k * 64 + p) * 4] != 0, float(p % 8) + float(places[k][0]) / 16 < 3.46875f)
            << "pixel " << p << " sample " << k;
  });
}

}  // namespace

void registerMultisample() {
  for (uint32_t n : {2u, 4u, 8u, 16u})
    for (bool enable : {false, true}) {
      const char* how = enable ? "enabled" : "implied";
      add(text("multisample.lighting.rgba8.%s.x%u", how, n),
          [=](Gpu& gpu) { lightSamples(gpu, n, VK_FORMAT_R8G8B8A8_UNORM, enable); });
      add(text("multisample.lighting.rgba16f.%s.x%u", how, n),
          [=](Gpu& gpu) { lightSamples(gpu, n, VK_FORMAT_R16G16B16A16_SFLOAT, enable); });
    }
  for (uint32_t n : {2u, 4u, 8u, 16u}) {
    addPlaces(n);
    addInterpolation(n);
    addMasks(n);
    addResolves(n);
    addShading(n);
    addShadingMasks(n);
    addAlpha(n);
    addDepth(n);
  }
}

}  // namespace etzel::cts
