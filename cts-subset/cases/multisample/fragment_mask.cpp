// VK_AMD_shader_fragment_mask: the fragment that a pixel's mask names for a sample is the sample itself, in every kind
// of multisampled image; and pixels that one primitive covers need one fragment only.
#include <algorithm>
#include <set>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/samples.h"

namespace etzel::cts {
namespace {

constexpr uint32_t size = 8;

struct Shape {
  uint32_t samples = 4;
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  std::vector<float> edges;  ///< primitive i covers what is left of edges[i] (pixels), in this order
  bool array = false;
};

const char* prefix(VkFormat format) {
  return format == VK_FORMAT_R8G8B8A8_UINT || format == VK_FORMAT_R32_UINT       ? "u"
         : format == VK_FORMAT_R32_SINT || format == VK_FORMAT_R16G16B16A16_SINT ? "i"
                                                                                 : "";
}

/// The colour of primitive i (0 is the clear colour) in the red channel, as GLSL reads it.
double colour(VkFormat format, uint32_t i) {
  std::string p = prefix(format);
  return p == "u" ? i * 20 : p == "i" ? -int(i) * 20 : i / 16.0;
}

void requireMask(Gpu& gpu, uint32_t samples, VkFormat format) {
  gpu.requireExtension(VK_AMD_SHADER_FRAGMENT_MASK_EXTENSION_NAME);
  // "each sample's fragment index is 4 bits": a 32-bit mask has room for eight.
  gpu.require(samples <= 8, "masks of more than 8 samples");
  std::string p = prefix(format);
  requireSamples(gpu, samples, !p.empty());
  gpu.require(gpu.limits().standardSampleLocations, "standardSampleLocations");
}

/// Draws the primitives of a shape, each with one triangle, on a cleared image.
DrawState primitives(const Shape& shape) {
  DrawState s;
  // Left of x = edge: a triangle whose one side is that vertical line.
  s.vert =
      "#version 450\nlayout(push_constant) uniform P { float edge; float color; };\nvoid main() { float e = edge / 4.0 "
      "- 1.0;\n"
      "gl_Position = vec4(gl_VertexIndex == 2 ? vec2(e - 40.0, 0.0) : vec2(e, gl_VertexIndex == 0 ? -30.0 : 30.0), "
      "0.0, 1.0); }\n";
  std::string type = std::string(prefix(shape.format)) + "vec4";
  s.frag = "#version 450\nlayout(push_constant) uniform P { float edge; float color; };\nlayout(location=0) out " +
           type + " c;\nvoid main() { c = " + type + "(color); }\n";
  s.multisample.rasterizationSamples = VkSampleCountFlagBits(shape.samples);
  s.push.resize(8);
  return s;
}

double wanted(const Shape& shape, uint32_t x, uint32_t sample) {
  double at = x + standardLocations(shape.samples)[sample][0] / 16.0;
  uint32_t last = 0;
  for (uint32_t i = 0; i < shape.edges.size(); ++i)
    if (at < double(shape.edges[i])) last = i + 1;
  return colour(shape.format, last);
}

/// `data`: for each pixel its mask, then for each sample (red through the mask, red of the plain fetch) as floats.
void expectFragments(const Shape& shape, const float* data, bool compressed) {
  for (uint32_t p = 0; p < size * size; ++p) {
    const float* pixel = data + p * (1 + 2 * shape.samples);
    uint32_t mask;
    memcpy(&mask, pixel, 4);
    std::set<uint32_t> fragments;
    std::set<double> colours;
    for (uint32_t k = 0; k < shape.samples; ++k) {
      double want = wanted(shape, p % size, k);
      uint32_t fragment = mask >> (4 * k) & 15;
      ASSERT_LT(fragment, shape.samples) << "pixel " << p << " mask " << std::hex << mask;
      ASSERT_NEAR(pixel[1 + 2 * k], want, 3e-3)
          << "through mask " << std::hex << mask << ", pixel " << std::dec << p << " sample " << k;
      ASSERT_NEAR(pixel[2 + 2 * k], want, 3e-3) << "texelFetch of pixel " << p << " sample " << k;
      fragments.insert(fragment), colours.insert(want);
    }
    // What the extension exists for: samples that one primitive wrote share a fragment.
    if (!compressed) continue;
    ASSERT_EQ(fragments.size(), colours.size()) << "pixel " << p << " mask " << std::hex << mask;
  }
}

void drawAll(Gpu& gpu, const Shape& shape, const Image& image, VkImageView layer) {
  for (uint32_t i = 0; i < shape.edges.size(); ++i) {
    DrawState s = primitives(shape);
    s.colors = {image};
    s.colors[0].view = layer;
    float push[2] = {shape.edges[i], float(colour(shape.format, i + 1))};
    memcpy(s.push.data(), push, 8);
    draw(gpu, s);
  }
}

std::string readBack(const Shape& shape, const std::string& maskFetch, const std::string& fragmentFetch,
                     const std::string& texelFetch) {
  return text(
      "uint at = uint(p.y * 8 + p.x) * %uu; uint mask = %s; r[at] = uintBitsToFloat(mask);\n"
      "for (uint k = 0u; k < %uu; ++k) { uint f = (mask >> (4u * k)) & 15u; r[at + 1u + 2u * k] = float(%s.r); "
      "r[at + 2u + 2u * k] = float(%s.r); }\n",
      1 + 2 * shape.samples, maskFetch.c_str(), shape.samples, fragmentFetch.c_str(), texelFetch.c_str());
}

void sampledCase(Gpu& gpu, const Shape& shape, bool compressed) {
  requireMask(gpu, shape.samples, shape.format);
  uint32_t layers = shape.array ? 3 : 1, layer = shape.array ? 2 : 0;
  Image image = gpu.image({.format = shape.format,
                           .width = size,
                           .height = size,
                           .layers = layers,
                           .samples = VkSampleCountFlagBits(shape.samples),
                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
  gpu.clear(image, {});
  drawAll(gpu, shape, image,
          gpu.view(image, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, layer, 1}, shape.format));
  Buffer out = gpu.buffer(size * size * (1 + 2 * shape.samples) * 4);
  std::string at = shape.array ? "ivec3(p, 2)" : "p";
  Dispatch d{
      std::string(
          "#version 450\n#extension GL_AMD_shader_fragment_mask : require\nlayout(local_size_x=8, local_size_y=8) in;\n"
          "layout(binding=0) uniform ") +
      prefix(shape.format) + "sampler2DMS" + (shape.array ? "Array" : "") +
      " t;\nlayout(binding=1) buffer R { float r[]; };\nvoid main() { ivec2 p = ivec2(gl_LocalInvocationID.xy);\n" +
      readBack(shape, "fragmentMaskFetchAMD(t, " + at + ")", "fragmentFetchAMD(t, " + at + ", f)",
               "texelFetch(t, " + at + ", int(k))") +
      "}\n"};
  d.bindings = {sampled(image.view, gpu.sampler()), storage(out)};
  gpu.dispatch(d);
  expectFragments(shape, out.as<float>(), compressed);
}

/// The same through an input attachment, in the second subpass of the render pass that draws.
void subpassCase(Gpu& gpu, const Shape& shape) {
  requireMask(gpu, shape.samples, shape.format);
  gpu.require(gpu.features.features.fragmentStoresAndAtomics, "fragmentStoresAndAtomics");
  Image image = gpu.image({.format = shape.format,
                           .width = size,
                           .height = size,
                           .samples = VkSampleCountFlagBits(shape.samples),
                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT});
  Buffer out = gpu.buffer(size * size * (1 + 2 * shape.samples) * 4);
  DrawState reader;
  reader.vert = coverAll();
  reader.frag = std::string(
                    "#version 450\n#extension GL_AMD_shader_fragment_mask : require\nlayout(input_attachment_index=0, "
                    "binding=0) uniform ") +
                prefix(shape.format) +
                "subpassInputMS t;\nlayout(binding=1) buffer R { float r[]; };\nvoid main() { ivec2 p = "
                "ivec2(gl_FragCoord.xy);\n" +
                readBack(shape, "fragmentMaskFetchAMD(t)", "fragmentFetchAMD(t, f)", "subpassLoad(t, int(k))") + "}\n";
  reader.bindings = {inputAttachment(image.view), storage(out)};
  DrawState writer = primitives(shape);
  writer.bindings.clear();
  std::vector<std::vector<uint8_t>> pushes;
  for (uint32_t i = 0; i < shape.edges.size(); ++i) {
    float push[2] = {shape.edges[i], float(colour(shape.format, i + 1))};
    pushes.emplace_back(reinterpret_cast<uint8_t*>(push), reinterpret_cast<uint8_t*>(push + 2));
  }
  twoSubpasses(gpu, image, writer, pushes, reader);
  expectFragments(shape, out.as<float>(), false);
}

}  // namespace

void registerFragmentMask() {
  const std::pair<VkFormat, const char*> formats[] = {{VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
                                                      {VK_FORMAT_R8G8B8A8_UINT, "rgba8ui"},
                                                      {VK_FORMAT_R32_SINT, "r32i"},
                                                      {VK_FORMAT_R16G16B16A16_SINT, "rgba16i"},
                                                      {VK_FORMAT_R16G16B16A16_SFLOAT, "rgba16f"},
                                                      {VK_FORMAT_R32_SFLOAT, "r32f"}};
  const std::pair<std::vector<float>, const char*> shapes[] = {
      {{}, "clear"},
      {{40}, "full"},
      {{3.53125f}, "edge"},
      {{40, 3.28125f, 3.65625f}, "hidden"},  // each covers the one before it as far as it goes
      {{40, 3.90625f, 3.59375f, 3.34375f, 3.15625f, 3.09375f}, "fan"},
      {{3.34375f, 40, 5.53125f, 1.03125f}, "cleaned"}};  // a full primitive makes one fragment of many again
  for (uint32_t samples : {2u, 4u, 8u, 16u})
    for (auto& [edges, shapeName] : shapes)
      for (auto [format, name] : formats) {
        for (bool array : {false, true}) {
          if (array && format != VK_FORMAT_R8G8B8A8_UNORM && format != VK_FORMAT_R32_SINT) continue;
          Shape shape{samples, format, edges, array};
          add(text("multisample.fragment_mask.%s.x%u.%s.%s", array ? "array" : "image", samples, name, shapeName),
              [=](Gpu& gpu) { sampledCase(gpu, shape, false); });
          if (format == VK_FORMAT_R8G8B8A8_UNORM || format == VK_FORMAT_R32_SFLOAT)
            add(text("multisample.fragment_mask.compression.%s.x%u.%s.%s", array ? "array" : "image", samples, name,
                     shapeName),
                [=](Gpu& gpu) { sampledCase(gpu, shape, true); });
        }
        Shape shape{samples, format, edges};
        add(text("multisample.fragment_mask.subpass.x%u.%s.%s", samples, name, shapeName),
            [=](Gpu& gpu) { subpassCase(gpu, shape); });
      }
}

}  // namespace etzel::cts
