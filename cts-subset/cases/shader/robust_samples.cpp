// Fetches beyond the sides and layers of multisampled images read zero, sample by sample ("Texel Input Validation
// Operations" with robustImageAccess2).
#include "cts-subset/cases/shader/robust_samples.h"

#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr int kWidth = 11, kHeight = 6, kLayers = 3, kSide = 12;
/// Coordinates on each axis, some beyond its end.
constexpr int kAt[kSide] = {INT32_MIN, -65536, -9, -1, 0, 2, 5, 6, 10, 11, 64, INT32_MAX};

struct Shape {
  VkFormat format;
  const char *name, *prefix;
  uint32_t components;
};
const Shape shapes[] = {{VK_FORMAT_R32_SINT, "r32i", "i", 1},
                        {VK_FORMAT_R32G32B32A32_UINT, "rgba32ui", "u", 4},
                        {VK_FORMAT_R32_SFLOAT, "r32f", "", 1}};

/// A number as the shape's shaders write it.
uint32_t wordOf(const Shape& shape, int number) {
  if (*shape.prefix) return uint32_t(number);
  const float f = float(number);
  uint32_t word;
  memcpy(&word, &f, sizeof word);
  return word;
}

/// Each sample of each pixel another number: 100 x + 10 y + sample.
Image numbered(Gpu& gpu, const Shape& shape, uint32_t samples, bool array) {
  Image image = gpu.image({.format = shape.format,
                           .width = kWidth,
                           .height = kHeight,
                           .layers = array ? uint32_t(kLayers) : 1,
                           .samples = VkSampleCountFlagBits(samples),
                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                           .view = array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D});
  gpu.clear(image, {});
  DrawState s;
  s.vert = coverAll();
  const std::string type = std::string(shape.prefix) + "vec4";
  s.frag = writes(type + "(int(gl_FragCoord.x) * 100 + int(gl_FragCoord.y) * 10 + gl_SampleID)", type);
  s.colors = {image};
  s.layers = array ? kLayers : 1;
  s.viewMask = array ? (1u << kLayers) - 1 : 0;
  s.multisample.rasterizationSamples = VkSampleCountFlagBits(samples);
  draw(gpu, s);
  return image;
}

void fetch(Gpu& gpu, const Shape& shape, uint32_t samples, bool array) {
  gpu.requireExtension(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
  gpu.require(gpu.robustness2.robustImageAccess2, "robustImageAccess2");
  gpu.require(gpu.features.features.sampleRateShading, "sampleRateShading");
  if (array) gpu.require(gpu.features11.multiview, "multiview");
  const Image image = numbered(gpu, shape, samples, array);
  const std::vector<int> at(kAt, kAt + kSide);
  const Buffer coordinates = gpu.buffer(at), out = gpu.buffer(kSide * kSide * samples * 16);
  const std::string type = std::string(shape.prefix) + "vec4";
  Dispatch d{"#version 450\nlayout(local_size_x=" + std::to_string(kSide) + ") in;\nlayout(binding=0) uniform " +
             shape.prefix + "sampler2DMS" + (array ? "Array" : "") +
             " t;\nlayout(binding=1) buffer C { int at[]; };\nlayout(binding=2) buffer R { " + type +
             " r[]; };\nvoid main() { uvec3 i = gl_GlobalInvocationID;\nr[(i.z * gl_NumWorkGroups.y + i.y) * " +
             std::to_string(kSide) + "u + i.x] = texelFetch(t, " +
             (array ? "ivec3(at[i.x], 1, at[i.y])" : "ivec2(at[i.x], at[i.y])") + ", int(i.z)); }\n"};
  d.bindings = {sampled(image.view, gpu.sampler()), storage(coordinates), storage(out)};
  d.y = kSide, d.z = samples;
  gpu.dispatch(d);
  const auto inside = [](int at, int size) { return at >= 0 && at < size; };
  for (uint32_t k = 0, n = 0; k < samples; ++k)
    for (int q : kAt)
      for (int x : kAt)
        for (uint32_t c = 0; c < 4; ++c, ++n) {
          const bool isTexel = inside(x, kWidth) && inside(q, array ? kLayers : kHeight);
          const bool isLacking = c >= shape.components;  // components that a format lacks are (0, 0, 1)
          const int number = isTexel ? 100 * x + 10 * (array ? 1 : q) + int(k) : 0;
          const uint32_t got = out.as<uint32_t>()[n], want = wordOf(shape, isLacking ? c == 3 && isTexel : number);
          // Outside, alpha may be 0 or 1 then.
          if (!isTexel && isLacking && c == 3 && got == wordOf(shape, 1)) continue;
          ASSERT_EQ(got, want) << "component " << c << " of sample " << k << " at " << x << ", " << q;
        }
}

}  // namespace

void addRobustSamples() {
  for (const Shape& shape : shapes)
    for (uint32_t samples : {2u, 4u, 8u})
      for (bool array : {false, true})
        add(text("robustness.image.fetch_sample.%s.%s.x%u", array ? "2d_array" : "2d", shape.name, samples),
            [&shape, samples, array](Gpu& gpu) { fetch(gpu, shape, samples, array); });
}

}  // namespace etzel::cts
