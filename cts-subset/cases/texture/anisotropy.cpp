// Anisotropic filtering: which level of detail it takes, and that it averages along the footprint's long axis;
// "Scale Factor Operation, Level-of-Detail Operation and Image Level(s) Selection". N samples along the axis let the
// level follow the length divided by N, and N is at most maxAnisotropy.
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/texture/lookup.h"

namespace etzel::cts {
namespace {

ModelTexture ramp(Gpu& gpu, int size, int levels, const std::function<Texel(int, int, int)>& value) {
  ModelTexture t;
  t.width = t.height = size;
  t.levels = levels;
  t.format = VK_FORMAT_R32G32B32A32_SFLOAT;
  gpu.require(gpu.features.features.samplerAnisotropy, "samplerAnisotropy");
  gpu.require(gpu.formatFeatures(t.format) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT, "linear rgba32f");
  t.create(gpu, 3);
  for (int level = 0; level < levels; ++level) {
    std::vector<float> data;
    int n = size >> level;
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        for (double c : value(x, y, level)) data.push_back(float(c));
    gpu.upload(t.image, data.data(), data.size() * 4, uint32_t(level));
  }
  return t;
}

VkSamplerCreateInfo anisotropic(float most) {
  Look look;
  look.mip = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  auto info = samplerInfo(look);
  info.anisotropyEnable = most > 0;
  info.maxAnisotropy = most;
  return info;
}

std::string gradients(double angle, double major, double minor, int size) {
  double c = std::cos(angle) / size, s = std::sin(angle) / size;
  return text("textureGrad(t, p.xy, vec2(%.9g, %.9g), vec2(%.9g, %.9g))", c * major, s * major, -s * minor, c * minor);
}

/// Every level holds its own number, so a lookup gives the level of detail itself.
void level(Gpu& gpu, float most, double ratio, double minor, int turn) {
  gpu.require(most <= gpu.limits().maxSamplerAnisotropy, "maxSamplerAnisotropy");
  const int size = 64;
  ModelTexture t = ramp(gpu, size, 7, [](int, int, int l) { return Texel{double(l), 0, 0, 0}; });
  double angle = turn * M_PI / 4;
  std::vector<std::array<double, 4>> at;
  for (int i = 0; i < 64; ++i) at.push_back({0.3 + i % 8 * 0.05, 0.25 + i * 0.0078125, 0, 0});
  auto got = lookUp(gpu, t, t.image.view, anisotropic(most), at, gradients(angle, ratio * minor, minor, size));
  // The number of samples along the axis is an integer near min(ratio, maxAnisotropy); implementations may take up to
  // twice as many, or a power of two. Lengths along diagonals may be taken for up to sqrt(2) of what they are.
  double n = std::min(ratio, double(std::max(1.0f, most)));
  // "The particular scheme for anisotropic texture filtering is implementation-dependent": up to a level more or less.
  double longest = std::log2(ratio * minor / n), slack = most > 1 ? 1.05 : 0.15 + (turn % 2 ? 0.5 : 0);
  // More samples than the formula's would make the level that of the footprint's short axis.
  double least = most > 1 ? std::min(longest, std::log2(minor)) : longest;
  double low = std::max(0.0, least - slack), high = std::max(0.0, longest + slack);
  if (n != std::floor(n)) high += 0.6;
  for (auto& g : got) {
    ASSERT_GE(g[0], low) << "expected " << longest;
    ASSERT_LE(g[0], high) << "expected " << longest;
  }
}

/// Stripes across the footprint's long axis are averaged, stripes along it stay sharp.
void stripes(Gpu& gpu, float most, bool across, bool vertical) {
  gpu.require(most <= gpu.limits().maxSamplerAnisotropy, "maxSamplerAnisotropy");
  const int size = 64;
  ModelTexture t = ramp(gpu, size, 7, [&](int x, int y, int l) {
    double phase = 2 * M_PI * ((across != vertical ? x : y) + 0.5) / 16;
    return Texel{l == 0 ? 0.5 + 0.5 * std::cos(phase) : 9.0, 0, 0, 0};  // 9: another level was looked at
  });
  std::vector<std::array<double, 4>> at;
  for (int i = 0; i < 16; ++i) at.push_back({(24 + i) / 64.0, (20 + i) / 64.0, 0, 0});
  auto got =
      lookUp(gpu, t, t.image.view, anisotropic(most), at, gradients(vertical ? M_PI / 2 : 0, double(most), 1, size));
  for (size_t i = 0; i < at.size(); ++i) {
    double position = (across != vertical ? at[i][0] : at[i][1]) * size, phase = 2 * M_PI * position / 16;
    double width = M_PI * double(most) / 16, kept = across ? std::sin(width) / width : 1;  // mean over the footprint
    // "The particular scheme for anisotropic texture filtering is implementation-dependent": samples may have weights.
    ASSERT_NEAR(got[i][0], 0.5 + 0.5 * kept * std::cos(phase), across ? 0.05 + 0.02 * double(most) : 0.05) << i;
  }
}

}  // namespace

void registerAnisotropy() {
  for (float most : {0.0f, 1.0f, 2.0f, 4.0f, 8.0f, 16.0f})
    for (double ratio : {1.0, 2.0, 4.0, 7.0, 16.0})
      for (double minor : {1.0, 2.0})
        for (int turn : {0, 1, 2})
          add(text("texture.anisotropy.level.max%s.ratio%s.minor%s.turn%d", named(double(most)).c_str(),
                   named(ratio).c_str(), named(minor).c_str(), turn),
              [=](Gpu& gpu) { level(gpu, most, ratio, minor, turn); });
  for (float most : {2.0f, 4.0f, 8.0f})
    for (bool across : {false, true})
      for (bool vertical : {false, true})
        add(text("texture.anisotropy.stripes.max%s.%s.%s", named(double(most)).c_str(), across ? "across" : "along",
                 vertical ? "vertical" : "horizontal"),
            [=](Gpu& gpu) { stripes(gpu, most, across, vertical); });
}

}  // namespace etzel::cts
