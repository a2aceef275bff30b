// See lookup.h.
#include "cts-subset/cases/texture/lookup.h"

#include <cmath>

namespace etzel::cts {

std::string coordinate(const ModelTexture& t) {
  static const char* names[] = {"", "p.x", "p.xy", "p.xyz", "p"};
  return names[t.dimensions() + t.isArray()];
}

VkSamplerCreateInfo samplerInfo(const Look& look) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = look.filter;
  info.mipmapMode = look.mip;
  info.addressModeU = look.address[0];
  info.addressModeV = look.address[1];
  info.addressModeW = look.address[2];
  info.maxLod = VK_LOD_CLAMP_NONE;
  info.compareEnable = look.compare >= 0;
  if (look.compare >= 0) info.compareOp = VkCompareOp(look.compare);
  info.borderColor = look.border[0] != 0   ? VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE
                     : look.border[3] != 0 ? VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK
                                           : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
  return info;
}

double filterTolerance(const Gpu& gpu, double span, int dimensions) {
  return span * (dimensions * std::exp2(-double(gpu.limits().subTexelPrecisionBits)) + 2e-3);
}

std::vector<std::array<double, 4>> spread(const ModelTexture& t, int n, uint64_t seed) {
  Random random(seed);
  std::vector<std::array<double, 4>> list;
  int cubes = t.layers / (t.isCube() ? 6 : 1);
  auto inside = [&](int texels) {
    // A texel's index, and a place in it away from its edges and its middle.
    float in = random.below(2) ? random.range(0.15f, 0.4f) : random.range(0.6f, 0.85f);
    return (double(random.below(uint32_t(texels))) + double(in)) / texels;
  };
  for (int i = 0; i < n; ++i) {
    std::array<double, 4> at{};
    if (t.isCube()) {
      // One after the other: arguments are evaluated in whatever order the compiler likes.
      const double down = inside(t.width) * 2 - 1, across = inside(t.width) * 2 - 1;
      auto d = cubeDirection(i % 6, across, down);
      float length = random.range(0.25f, 4.0f);
      for (size_t k = 0; k < 3; ++k) at[k] = double(float(d[k] * double(length)));
    } else {
      for (int k = 0; k < t.dimensions(); ++k)
        at[size_t(k)] = double(float(inside(t.extent(k, 0)) + double(int(random.below(5)) - 2) * 0.5));
    }
    if (t.isArray())
      at[size_t(t.dimensions())] = double(int(random.below(uint32_t(cubes) + 2)) - 1) + (i & 1 ? 0.25 : -0.25);
    list.push_back(at);
  }
  return list;
}

std::vector<Texel> lookUp(Gpu& gpu, const ModelTexture& t, VkImageView view, const VkSamplerCreateInfo& sampler,
                          const std::vector<std::array<double, 4>>& at, const std::string& expression,
                          const std::string& head) {
  bool isUint = t.format == VK_FORMAT_R8G8B8A8_UINT, isSint = t.format == VK_FORMAT_R8G8B8A8_SINT;
  std::string prefix = isUint ? "u" : isSint ? "i" : "";
  std::vector<float> coordinates;
  for (auto& a : at)
    for (double c : a) coordinates.push_back(float(c));
  Buffer in = gpu.buffer(coordinates), out = gpu.buffer(at.size() * 16);
  Dispatch d{"#version 450\n" + head + "layout(local_size_x=64) in;\nlayout(binding=0) uniform " + prefix + "sampler" +
             t.glslType() + (sampler.compareEnable ? "Shadow" : "") +
             " t;\nlayout(binding=1) buffer A { vec4 at[]; };\nlayout(binding=2) buffer R { " + prefix +
             "vec4 r[]; };\nvoid main() { uint i = gl_GlobalInvocationID.x; if (i >= uint(at.length())) return; "
             "vec4 p = at[i]; r[i] = " +
             expression + "; }\n"};
  d.bindings = {sampled(view, gpu.sampler(sampler)), storage(in), storage(out)};
  d.x = uint32_t(at.size() + 63) / 64;
  gpu.dispatch(d);
  std::vector<Texel> results(at.size());
  for (size_t i = 0; i < at.size() * 4; ++i)
    results[i / 4][i % 4] = isUint ? out.as<uint32_t>()[i] : isSint ? out.as<int32_t>()[i] : double(out.as<float>()[i]);
  return results;
}

}  // namespace etzel::cts
