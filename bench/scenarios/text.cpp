// A screen full of text: small quads with 16-bit indices and letters from an atlas of one byte, as user interfaces have
// it.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "../scenario.h"
#include "resources.h"
#include "text.frag.h"
#include "text.vert.h"
#include "text_distance.frag.h"

namespace vkbench {
namespace {

constexpr uint32_t kAtlas = 512, kCell = 32;  ///< 16 x 16 letters
constexpr uint32_t kGlyphs = 15000, kColumns = 200;

struct GlyphVertex {
  float x, y, u, v;
  uint32_t rgba;
};

/// Letters of rings and strokes, as distances to their outlines (half is the outline) or as coverage.
Image letters(Gpu& gpu, bool distances) {
  const Image image = gpu.makeImage({kAtlas, kAtlas, VK_FORMAT_R8_UNORM, kTexture});
  std::vector<uint32_t> words(kAtlas * kAtlas / 4);
  auto* const bytes = reinterpret_cast<uint8_t*>(words.data());
  for (uint32_t y = 0; y < kAtlas; ++y)
    for (uint32_t x = 0; x < kAtlas; ++x) {
      const uint32_t letter = y / kCell * 16 + x / kCell;
      const float px = float(x % kCell) - 15.5f, py = float(y % kCell) - 15.5f;
      const float ring = std::fabs(std::sqrt(px * px + py * py) - float(5 + letter % 7));
      const float stroke = std::fabs(px * std::cos(float(letter)) + py * std::sin(float(letter)));
      const float inside = 2 - (letter & 1 ? std::min(ring, stroke + (std::fabs(py) > 12 ? 9.0f : 0.0f)) : ring);
      const float value = distances ? 0.5f + inside / 8 : inside + 0.5f;
      bytes[y * kAtlas + x] = uint8_t(255 * std::min(std::max(value, 0.0f), 1.0f));
    }
  gpu.upload(image, words);
  return image;
}

/// `width`, `height`: of a letter, in pixels.
Outcome text(Gpu& gpu, Spirv fragment, bool distances, float width, float height) {
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight, .format = VK_FORMAT_B8G8R8A8_UNORM});
  Random random(81);
  std::vector<GlyphVertex> vertices;
  std::vector<uint16_t> indices;
  for (uint32_t i = 0; i < kGlyphs; ++i) {
    const float x = 4 + float(i % kColumns) * 9.5f, y = 4 + float(i / kColumns) * 14.25f;
    const uint32_t letter = random.word() % 256, rgba = 0xff000000u | (random.word() & 0x7f7f7fu) | 0x808080u;
    const auto first = uint32_t(vertices.size());
    for (uint32_t corner = 0; corner < 4; ++corner) {
      const float cx = float(corner & 1), cy = float(corner >> 1);
      vertices.push_back({(x + cx * width) * 2 / kWidth - 1, (y + cy * height) * 2 / kHeight - 1,
                          (float(letter % 16) + cx) * kCell / kAtlas, (float(letter / 16) + cy) * kCell / kAtlas,
                          rgba});
    }
    for (const uint32_t k : {0u, 1u, 3u, 0u, 3u, 2u}) indices.push_back(uint16_t(first + k));
  }
  const Buffer vb = bufferOf<GlyphVertex>(gpu, vertices), ib = bufferOf<uint16_t>(gpu, indices);
  const Image atlas = letters(gpu, distances);
  const Resources resources(gpu, {sampled(atlas, gpu.makeSampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 0,
                                                                 false, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE))});
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, text_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, fragment}},
                        .target = &target,
                        .blend = true,
                        .stride = sizeof(GlyphVertex),
                        .attributes = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
                                       {1, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(GlyphVertex, u)},
                                       {2, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(GlyphVertex, rgba)}}},
                       resources.layout);
  return drawOutcome(gpu, target, kGlyphs / 1e6, [&](VkCommandBuffer c) {
    const VkDeviceSize zero = 0;
    resources.bind(c, pipeline);
    vkCmdBindVertexBuffers(c, 0, 1, &vb.buffer, &zero);
    vkCmdBindIndexBuffer(c, ib.buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(c, uint32_t(indices.size()), 1, 0, 0, 0);
  });
}

}  // namespace

std::vector<Scenario> textScenarios() {
  return {
      {"text.coverage", "Mglyph/s", true, Bound::None, 0, 0.02,
       [](Gpu& g) { return text(g, text_frag, false, 9, 14); }},
      {"text.distances", "Mglyph/s", true, Bound::None, 0, 0.02,
       [](Gpu& g) { return text(g, text_distance_frag, true, 9, 14); }},
  };
}

}  // namespace vkbench
