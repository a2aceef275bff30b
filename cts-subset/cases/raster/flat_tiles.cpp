// Rectangles of one colour: stored, added to what is there, cleared, one over the other, ending where tiles of 64
// pixels do and elsewhere. Colours are codes of eight bits, and sums of such are exact ("Blending").
#include <algorithm>
#include <array>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kWidth = 328, kHeight = 150;  // pixels: five tiles and a part, two and a part
constexpr VkRect2D kAll{{0, 0}, {kWidth, kHeight}};
constexpr uint32_t kTile = 64;

using Color = std::array<uint8_t, 4>;
enum class Way : uint8_t { Store, Add, Clear };
struct Layer {
  Way way;
  VkRect2D rect;
  Color color;
};
struct Pass {
  VkRect2D area = kAll;
  std::optional<Color> clear;  ///< load operation; none: what was there stays
  std::vector<Layer> layers;
};

VkClearValue clearValue(const Color& c) {
  VkClearValue value{};
  for (uint32_t i = 0; i < 4; ++i) value.color.float32[i] = float(c[i]) / 255.0f;
  return value;
}

/// The part of a rectangle that a pass may write.
VkRect2D clip(const VkRect2D& r, const VkRect2D& area) {
  const int32_t x0 = std::max(r.offset.x, area.offset.x), y0 = std::max(r.offset.y, area.offset.y);
  const int32_t x1 = std::min(r.offset.x + int32_t(r.extent.width), area.offset.x + int32_t(area.extent.width));
  const int32_t y1 = std::min(r.offset.y + int32_t(r.extent.height), area.offset.y + int32_t(area.extent.height));
  return {{x0, y0}, {uint32_t(std::max(x1 - x0, 0)), uint32_t(std::max(y1 - y0, 0))}};
}

/// What passes leave of a picture.
void model(std::vector<uint8_t>& picture, const Layer& layer) {
  for (uint32_t y = 0; y < layer.rect.extent.height; ++y)
    for (uint32_t x = 0; x < layer.rect.extent.width; ++x) {
      uint8_t* const to =
          &picture[4 * ((uint32_t(layer.rect.offset.y) + y) * kWidth + uint32_t(layer.rect.offset.x) + x)];
      for (uint32_t c = 0; c < 4; ++c)
        to[c] = uint8_t(std::min(255, layer.way == Way::Add ? to[c] + layer.color[c] : int(layer.color[c])));
    }
}

/// Runs passes over a picture, each after the other in one command buffer, and compares what they leave.
class Fills {
 public:
  explicit Fills(Gpu& gpu) : gpu_(gpu) {
    target_ = gpu.image({.width = kWidth, .height = kHeight, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    for (uint32_t i = 0; i < kWidth * kHeight * 4; ++i) picture_.push_back(uint8_t(i * 7 + i / 1000));
    gpu.upload(target_, picture_.data(), picture_.size());
    DrawState s;
    s.vert = coverAll();
    s.frag =
        "#version 450\nlayout(push_constant) uniform Push { vec4 color; };\nlayout(location=0) out vec4 result;\n"
        "void main() { result = color; }\n";
    s.colors = {target_};
    const VkDynamicState scissor = VK_DYNAMIC_STATE_SCISSOR;
    const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 1,
                                                   &scissor};
    s.dynamic = &dynamic;
    layout_ = gpu.set({}, 16).pipeline;
    pipelines_[0] = makePipeline(gpu, s, layout_, kAll.extent);
    s.attachment.blendEnable = VK_TRUE;
    s.attachment.srcColorBlendFactor = s.attachment.dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
    s.attachment.srcAlphaBlendFactor = s.attachment.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    pipelines_[1] = makePipeline(gpu, s, layout_, kAll.extent);
  }

  void expect(const std::vector<Pass>& passes) {
    gpu_.submit([&](VkCommandBuffer cmd) {
      for (const Pass& pass : passes) {
        record(cmd, pass);
        const VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                      VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                             VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
      }
    });
    for (const Pass& pass : passes) {
      if (pass.clear) model(picture_, {Way::Clear, pass.area, *pass.clear});
      for (const Layer& layer : pass.layers) model(picture_, {layer.way, clip(layer.rect, pass.area), layer.color});
    }
    expectPicture(gpu_.download(target_, 4), picture_, kWidth, kHeight);
  }

 private:
  void record(VkCommandBuffer cmd, const Pass& pass) {
    VkRenderingAttachmentInfo a{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    a.imageView = target_.view;
    a.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    a.loadOp = pass.clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    if (pass.clear) a.clearValue = clearValue(*pass.clear);
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = pass.area;
    info.layerCount = info.colorAttachmentCount = 1;
    info.pColorAttachments = &a;
    vkCmdBeginRendering(cmd, &info);
    for (const Layer& layer : pass.layers) {
      const VkClearRect rect{clip(layer.rect, pass.area), 0, 1};
      if (rect.rect.extent.width == 0 || rect.rect.extent.height == 0) continue;
      const VkClearValue color = clearValue(layer.color);
      if (layer.way == Way::Clear) {
        const VkClearAttachment clear{VK_IMAGE_ASPECT_COLOR_BIT, 0, color};
        vkCmdClearAttachments(cmd, 1, &clear, 1, &rect);
        continue;
      }
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_[layer.way == Way::Add]);
      vkCmdSetScissor(cmd, 0, 1, &rect.rect);
      vkCmdPushConstants(cmd, layout_, VK_SHADER_STAGE_ALL, 0, 16, &color);
      vkCmdDraw(cmd, 3, 1, 0, 0);
    }
    vkCmdEndRendering(cmd);
  }

  Gpu& gpu_;
  Image target_;
  std::vector<uint8_t> picture_;
  VkPipelineLayout layout_;
  VkPipeline pipelines_[2];  ///< for Way::Store and Way::Add
};

/// A rectangle for each tile, stored or added, in colours of their own.
Pass eachTile(Way way) {
  Pass pass;
  for (uint32_t y = 0; y < kHeight; y += kTile)
    for (uint32_t x = 0; x < kWidth; x += kTile)
      pass.layers.push_back({way,
                             {{int32_t(x), int32_t(y)}, {std::min(kTile, kWidth - x), std::min(kTile, kHeight - y)}},
                             {uint8_t(10 + x / 2), uint8_t(20 + y), uint8_t(x ^ y), 40}});
  return pass;
}

/// Any layers: half of the rectangles end where tiles do.
Pass anyPass(Random& random) {
  const auto span = [&](uint32_t size, int32_t& from, uint32_t& extent) {
    const bool whole = random.below(3) == 0, tiles = random.below(2);
    uint32_t a = random.below(size), b = random.below(size);
    if (a > b) std::swap(a, b);
    if (tiles) a = a / kTile * kTile, b = std::min(size - 1, b / kTile * kTile + kTile - 1);
    from = whole ? 0 : int32_t(a), extent = whole ? size : b - a + 1;
  };
  const auto rect = [&] {
    VkRect2D r;
    span(kWidth, r.offset.x, r.extent.width), span(kHeight, r.offset.y, r.extent.height);
    return r;
  };
  const auto color = [&] {
    Color c;
    for (uint8_t& code : c) code = uint8_t(random.below(100));
    return c;
  };
  Pass pass;
  if (random.below(3) == 0) pass.area = rect();
  if (random.below(2)) pass.clear = color();
  for (uint32_t i = random.below(6); i-- > 0;) pass.layers.push_back({Way(random.below(3)), rect(), color()});
  return pass;
}

constexpr Color kRed{200, 10, 20, 255}, kGreen{5, 180, 30, 60}, kBlue{7, 9, 210, 100};

}  // namespace

void registerFlatTiles() {
  add("raster.flat_tiles.neighbours", [](Gpu& gpu) { Fills(gpu).expect({eachTile(Way::Store)}); });
  add("raster.flat_tiles.neighbours.add", [](Gpu& gpu) {
    Pass pass = eachTile(Way::Add);
    pass.clear = kGreen;
    Fills(gpu).expect({pass});
  });
  add("raster.flat_tiles.parts", [](Gpu& gpu) {
    Fills(gpu).expect({{.clear = kRed,
                        .layers = {{Way::Store, {{0, 0}, {200, 100}}, kGreen},
                                   {Way::Store, {{130, 30}, {kWidth - 130, 75}}, kBlue}}}});
  });
  add("raster.flat_tiles.layers", [](Gpu& gpu) {
    Fills(gpu).expect({{.clear = kRed, .layers = {{Way::Add, kAll, kGreen}, {Way::Add, kAll, kBlue}}},
                       {.layers = {{Way::Add, kAll, kGreen}, {Way::Store, kAll, kBlue}, {Way::Add, kAll, kGreen}}}});
  });
  add("raster.flat_tiles.loaded", [](Gpu& gpu) { Fills(gpu).expect({{.layers = {{Way::Add, kAll, kGreen}}}}); });
  add("raster.flat_tiles.later", [](Gpu& gpu) {
    Fills(gpu).expect({{.layers = {{Way::Store, kAll, kRed},
                                   {Way::Clear, {{64, 0}, {128, 128}}, kGreen},
                                   {Way::Store, {{128, 64}, {100, 64}}, kBlue}}}});
  });
  for (const bool clears : {false, true})
    add(text("raster.flat_tiles.area.%s", clears ? "clear" : "load"), [=](Gpu& gpu) {
      Pass pass{.area = {{20, 30}, {275, 71}}, .layers = {{Way::Store, kAll, kBlue}, {Way::Add, kAll, kGreen}}};
      if (clears) pass.clear = kRed;
      Fills(gpu).expect({pass});
    });
  for (uint64_t seed = 0; seed < 8; ++seed)
    add(text("raster.flat_tiles.any%u", uint32_t(seed)), [=](Gpu& gpu) {
      Random random(seed);
      std::vector<Pass> passes;
      for (int i = 0; i < 6; ++i) passes.push_back(anyPass(random));
      Fills(gpu).expect(passes);
    });
}

}  // namespace etzel::cts
