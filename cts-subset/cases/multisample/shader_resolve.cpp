// Resolves that shaders write: all samples of a pixel are fetched and put together. The pictures are of rectangles that
// cover whole pixels in some of their samples, so that what every sample shows is known; they leave parts cleared,
// parts with one colour a pixel, and parts with several.
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/samples.h"

namespace etzel::cts {
namespace {

constexpr uint32_t wide = 52, high = 36;
constexpr uint32_t steps = 200;  ///< colours are numbers of these

struct Kind {
  const char* name;
  VkFormat format;
  std::string read;  ///< the number that a fetched `v` shows, in GLSL
};
const Kind kinds[] = {
    {"unorm", VK_FORMAT_R8G8B8A8_UNORM, "uint(v.r * 255.0 + 0.5) + 3u * uint(v.b * 255.0 + 0.5)"},
    {"blue_first", VK_FORMAT_B8G8R8A8_UNORM, "uint(v.r * 255.0 + 0.5) + 3u * uint(v.b * 255.0 + 0.5)"},
    {"halves", VK_FORMAT_R16G16B16A16_SFLOAT, "uint(v.r * 256.0) + 3u * uint(v.b * 256.0)"},
    {"float", VK_FORMAT_R32_SFLOAT, "uint(v.r * 256.0)"},
    {"byte", VK_FORMAT_R8_UNORM, "uint(v.r * 255.0 + 0.5)"},
};
bool isFixed(VkFormat f) { return f != VK_FORMAT_R16G16B16A16_SFLOAT && f != VK_FORMAT_R32_SFLOAT; }
bool hasBlue(VkFormat f) { return f != VK_FORMAT_R32_SFLOAT && f != VK_FORMAT_R8_UNORM; }

/// A picture and the number of the colour that each sample shows.
struct Picture {
  Image image;
  std::vector<uint32_t> shown;  ///< [(y * wide + x) * samples + sample]

  uint32_t hash(VkFormat format, uint32_t samples, uint32_t x, uint32_t y, const std::vector<uint32_t>& order) const {
    uint32_t all = 0;
    for (uint32_t s : order) {
      const uint32_t color = x < wide && y < high ? shown[(y * wide + x) * samples + s] : 0;
      all = all * 31 + color + (hasBlue(format) ? 3 * (color / 2) : 0);
    }
    return all;
  }
};

Picture paint(Gpu& gpu, VkFormat format, uint32_t samples, uint64_t seed) {
  Picture p;
  p.image = gpu.image({.format = format,
                       .width = wide,
                       .height = high,
                       .samples = VkSampleCountFlagBits(samples),
                       .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
  const double unit = isFixed(format) ? 255 : 256;
  constexpr uint32_t background = 40;
  p.shown.assign(wide * high * samples, background);
  gpu.clear(p.image, {{{float(background / unit), 0, float(background / 2 / unit), 1}}});
  DrawState s;
  s.vert = coverAll();
  s.frag =
      "#version 450\nlayout(push_constant) uniform P { vec4 color; }; layout(location=0) out vec4 c;\n"
      "void main() { c = color; }\n";
  s.colors = {p.image};
  s.multisample.rasterizationSamples = VkSampleCountFlagBits(samples);
  Random random(seed);
  for (uint32_t i = 0; i < 40; ++i) {
    // Whole tiles at first, then anything left of what stays clear.
    const uint32_t grid = i < 6 ? 8 : 1, x = random.below(36 / grid) * grid, y = random.below(high / grid) * grid;
    const uint32_t w = grid * (1 + random.below(i < 6 ? 3 : 14)), h = grid * (1 + random.below(i < 6 ? 3 : 6));
    const uint32_t right = std::min(x + w, wide), bottom = std::min(y + h, high), color = random.below(steps);
    const uint32_t every = (1u << samples) - 1, covered = i < 6 ? every : 1 + random.below(every);
    const VkSampleMask mask = covered;
    s.multisample.pSampleMask = &mask;
    s.scissors = {{{int32_t(x), int32_t(y)}, {right - x, bottom - y}}};
    const float push[4] = {float(color / unit), 0, float(color / 2 / unit), 1};
    s.push.assign(reinterpret_cast<const uint8_t*>(push), reinterpret_cast<const uint8_t*>(push + 4));
    draw(gpu, s);
    for (uint32_t py = y; py < bottom; ++py)
      for (uint32_t px = x; px < right; ++px)
        for (uint32_t k = 0; k < samples; ++k)
          if (covered >> k & 1) p.shown[(py * wide + px) * samples + k] = color;
  }
  return p;
}

/// The samples in some order.
std::vector<uint32_t> orderOf(uint32_t samples, bool backward) {
  std::vector<uint32_t> order;
  for (uint32_t k = 0; k < samples; ++k) order.push_back(backward ? samples - 1 - k : k);
  return order;
}
/// Statements that make `all` of the samples of the pixel `p`, which moves by `x`: fetch by fetch, or in a loop whose
/// rounds nobody knows before.
std::string hashing(const Kind& kind, const std::vector<uint32_t>& order, bool loop, uint32_t x) {
  const std::string place = text("p + ivec2(%u, 0)", x);
  const std::string add = "all = all * 31u + " + kind.read + ";";
  if (loop)
    return text("for (int s = 0; s < textureSamples(t); ++s) { vec4 v = texelFetch(t, %s, s); %s }\n", place.c_str(),
                add.c_str());
  std::string all;
  for (uint32_t s : order) all += text("{ vec4 v = texelFetch(t, %s, %u); %s }\n", place.c_str(), s, add.c_str());
  return all;
}

struct How {
  bool fragment, backward = false, loop = false;
  uint32_t moved = 0;          ///< pixels to the right
  uint32_t group[2] = {8, 8};  ///< compute
};

void resolves(Gpu& gpu, const Kind& kind, uint32_t samples, const How& how) {
  requireSamples(gpu, samples);
  const Picture picture = paint(gpu, kind.format, samples, samples * 7 + kind.format);
  const std::vector<uint32_t> order = orderOf(samples, how.backward);
  const std::string body = "uint all = 0u;\n" + hashing(kind, order, how.loop, how.moved);
  const std::string head = "#version 450\nlayout(binding=0) uniform sampler2DMS t;\n";
  std::vector<uint32_t> got;
  if (how.fragment) {
    Image target = gpu.image({.format = VK_FORMAT_R32_UINT,
                              .width = wide,
                              .height = high,
                              .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    gpu.clear(target, {});
    DrawState s;
    s.vert = coverAll();
    s.frag = head + "layout(location=0) out uint r;\nvoid main() { ivec2 p = ivec2(gl_FragCoord.xy);\n" + body +
             "r = all; }\n";
    s.colors = {target};
    s.bindings = {sampled(picture.image.view, gpu.sampler())};
    draw(gpu, s);
    const auto bytes = gpu.download(target, 4);
    got.resize(bytes.size() / 4);
    memcpy(got.data(), bytes.data(), bytes.size());
  } else {
    Buffer out = gpu.buffer(wide * high * 4);
    Dispatch d{head +
               text("layout(local_size_x=%u, local_size_y=%u) in;\nlayout(binding=1) buffer R { uint r[]; };\n"
                    "void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); if (p.x >= %u || p.y >= %u) return;\n",
                    how.group[0], how.group[1], wide, high) +
               body + text("r[p.y * %u + p.x] = all; }\n", wide)};
    d.bindings = {sampled(picture.image.view, gpu.sampler()), storage(out)};
    d.x = (wide + how.group[0] - 1) / how.group[0], d.y = (high + how.group[1] - 1) / how.group[1];
    gpu.dispatch(d);
    got.assign(out.as<uint32_t>(), out.as<uint32_t>() + wide * high);
  }
  for (uint32_t y = 0; y < high; ++y)
    for (uint32_t x = 0; x + how.moved < wide; ++x)  // beyond the picture fetches give anything
      ASSERT_EQ(got[y * wide + x], picture.hash(kind.format, samples, x + how.moved, y, order))
          << "samples of pixel " << x + how.moved << ", " << y;
}

}  // namespace

void registerShaderResolve() {
  for (const uint32_t n : {2u, 4u, 8u, 16u})
    for (const Kind& kind : kinds) {
      const auto cases = [&](const char* name, const How& how) {
        add(text("multisample.shader_resolve.%s.%s.x%u", kind.name, name, n),
            [=, &kind](Gpu& gpu) { resolves(gpu, kind, n, how); });
      };
      cases("fragment", {.fragment = true});
      cases("fragment_loop", {.fragment = true, .loop = true});
      cases("compute", {.fragment = false});
      if (&kind != kinds) continue;
      cases("fragment_backward", {.fragment = true, .backward = true});
      cases("fragment_moved", {.fragment = true, .moved = 3});
      cases("compute_loop", {.fragment = false, .loop = true});
      cases("compute_moved", {.fragment = false, .moved = 5});
      cases("compute_4x4", {.fragment = false, .group = {4, 4}});
      cases("compute_64x1", {.fragment = false, .group = {64, 1}});
    }
}

}  // namespace etzel::cts
