// Transfers of formats that programs have, one varied at a time: clears, copies, blits to the same size and to half of
// it.
#include "draws.h"
#include "testing/vk/commands.h"

namespace vkbench {
namespace {

constexpr VkImageUsageFlags kBoth = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

enum class Kind { Clear, Copy, FromBuffer, ToBuffer, Blit, Half };

struct Texels {
  const char* name;
  VkFormat format;
  uint32_t bytes;      ///< of a block
  uint32_t block = 1;  ///< texels of a block along each axis
};

Outcome transfer(Gpu& gpu, Kind kind, const Texels& texels, VkFormat toFormat) {
  const bool blits = kind == Kind::Blit || kind == Kind::Half;
  gpu.requireFormat(texels.format, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT);
  if (blits) {
    gpu.requireFormat(texels.format, VK_FORMAT_FEATURE_BLIT_SRC_BIT);
    gpu.requireFormat(toFormat, VK_FORMAT_FEATURE_BLIT_DST_BIT);
  }
  const uint32_t divide = kind == Kind::Half ? 2 : 1, width = kWidth / divide, height = kHeight / divide;
  const Image from = gpu.makeImage({kWidth, kHeight, texels.format, kBoth});
  const Image to = gpu.makeImage({width, height, toFormat, kBoth});
  const Buffer buffer = gpu.makeBuffer(VkDeviceSize(kWidth / texels.block) * (kHeight / texels.block) * texels.bytes);
  Random random(71);
  for (uint32_t& w : buffer.as<uint32_t>()) w = random.word() & 0x3bff3bffu;  // no number that halves or floats lack
  const VkImageSubresourceLayers layers{from.aspect, 0, 0, 1};
  const VkBufferImageCopy whole = vktest::wholeLevel({kWidth, kHeight, 1}, from.aspect, 0, 0);
  gpu.submit(gpu.record([&](VkCommandBuffer c) {
    gpu.toGeneral(c, from), gpu.toGeneral(c, to);
    vkCmdCopyBufferToImage(c, buffer.buffer, from.image, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
    gpu.barrier(c);
  }));
  const auto general = VK_IMAGE_LAYOUT_GENERAL;
  return commandOutcome(gpu, double(width) * height / 1e9, [&](VkCommandBuffer c) {
    switch (kind) {
      case Kind::Clear: {
        const VkImageSubresourceRange range{to.aspect, 0, 1, 0, 1};
        const VkClearColorValue color{{0.25f, 0.5f, 0.75f, 1}};
        const VkClearDepthStencilValue depth{0.5f, 3};
        if (to.aspect == VK_IMAGE_ASPECT_COLOR_BIT)
          vkCmdClearColorImage(c, to.image, general, &color, 1, &range);
        else
          vkCmdClearDepthStencilImage(c, to.image, general, &depth, 1, &range);
        break;
      }
      case Kind::Copy: {
        const VkImageCopy region{layers, {}, layers, {}, {kWidth, kHeight, 1}};
        vkCmdCopyImage(c, from.image, general, to.image, general, 1, &region);
        break;
      }
      case Kind::FromBuffer: vkCmdCopyBufferToImage(c, buffer.buffer, to.image, general, 1, &whole); break;
      case Kind::ToBuffer: vkCmdCopyImageToBuffer(c, from.image, general, buffer.buffer, 1, &whole); break;
      case Kind::Blit:
      case Kind::Half: {
        const VkImageBlit region{
            layers, {{}, {int32_t(kWidth), int32_t(kHeight), 1}}, layers, {{}, {int32_t(width), int32_t(height), 1}}};
        const bool linear = kind == Kind::Half && from.aspect == VK_IMAGE_ASPECT_COLOR_BIT;
        vkCmdBlitImage(c, from.image, general, to.image, general, 1, &region,
                       linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST);
        break;
      }
    }
  });
}

}  // namespace

std::vector<Scenario> copyScenarios() {
  static constexpr Texels kFormats[] = {{"r8", VK_FORMAT_R8_UNORM, 1},
                                        {"rg8", VK_FORMAT_R8G8_UNORM, 2},
                                        {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, 4},
                                        {"rgba8_srgb", VK_FORMAT_R8G8B8A8_SRGB, 4},
                                        {"r5g6b5", VK_FORMAT_R5G6B5_UNORM_PACK16, 2},
                                        {"rgb10a2", VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4},
                                        {"rg11b10f", VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4},
                                        {"r16f", VK_FORMAT_R16_SFLOAT, 2},
                                        {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT, 8},
                                        {"r32f", VK_FORMAT_R32_SFLOAT, 4},
                                        {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT, 16},
                                        {"d16", VK_FORMAT_D16_UNORM, 2},
                                        {"d32", VK_FORMAT_D32_SFLOAT, 4},
                                        {"bc1", VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 8, 4}};
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, Kind kind, const Texels& texels, VkFormat to) {
    all.push_back({"copies." + name, "Gpix/s", true, Bound::None, 0, 0.01,
                   [=](Gpu& g) { return transfer(g, kind, texels, to); }});
  };
  for (const Texels& t : kFormats) {
    const std::string n = std::string("_") + t.name;
    add("image" + n, Kind::Copy, t, t.format);
    add("from_buffer" + n, Kind::FromBuffer, t, t.format);
    add("to_buffer" + n, Kind::ToBuffer, t, t.format);
    if (t.block > 1) continue;
    add("clear" + n, Kind::Clear, t, t.format);
    add("half" + n, Kind::Half, t, t.format);
    if (t.format != VK_FORMAT_D16_UNORM && t.format != VK_FORMAT_D32_SFLOAT)
      add("convert" + n, Kind::Blit, t,
          t.format == VK_FORMAT_R8G8B8A8_UNORM ? VK_FORMAT_R16G16B16A16_SFLOAT : VK_FORMAT_R8G8B8A8_UNORM);
  }
  return all;
}

}  // namespace vkbench
