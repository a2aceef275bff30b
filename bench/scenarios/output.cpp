// Colours as programs write them: formats of attachments and of storage images, one varied at a time.
#include "draws.h"
#include "full.vert.h"
#include "gradient.frag.h"
#include "resources.h"
#include "store.comp.h"

namespace vkbench {
namespace {

constexpr uint32_t kLayers = 4;

Outcome draw(Gpu& gpu, VkFormat format, bool blend, uint32_t samples) {
  gpu.requireFormat(format,
                    blend ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT : VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
  const Target target = gpu.makeTarget(
      {.width = kWidth, .height = kHeight, .format = format, .samples = samples, .resolve = samples > 1});
  const VkPipeline pipeline = gpu.makePipeline(
      {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, gradient_frag}},
       .target = &target,
       .blend = blend},
      gpu.layout);
  const FullPush constants{.color = {0.9f, 0.6f, 0.3f, 0.4f}};
  return commandOutcome(gpu, kPixels * kLayers / 1e9, [&](VkCommandBuffer c) {
    gpu.begin(c, target);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    push(gpu, c, constants);
    vkCmdDraw(c, 3, kLayers, 0, 0);
    vkCmdEndRenderPass(c);
  });
}

Outcome store(Gpu& gpu, VkFormat format) {
  gpu.requireFormat(format, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT);
  gpu.require(gpu.features.shaderStorageImageWriteWithoutFormat, "shaderStorageImageWriteWithoutFormat");
  const Image image =
      gpu.makeImage({.width = kWidth, .height = kHeight, .format = format, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
  gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, image); }));
  const Resources resources(gpu, {stored(image)});
  const VkPipeline pipeline = gpu.makePipeline(store_comp, resources.layout);
  return commandOutcome(gpu, kPixels / 1e9, [&](VkCommandBuffer c) {
    resources.bind(c, pipeline, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(c, kWidth / 8, kHeight / 8, 1);
  });
}

}  // namespace

std::vector<Scenario> outputScenarios() {
  const std::pair<const char*, VkFormat> formats[] = {
      {"r8", VK_FORMAT_R8_UNORM},
      {"rg8", VK_FORMAT_R8G8_UNORM},
      {"rgba8", VK_FORMAT_R8G8B8A8_UNORM},
      {"rgba8_srgb", VK_FORMAT_R8G8B8A8_SRGB},
      {"bgra8", VK_FORMAT_B8G8R8A8_UNORM},
      {"rgba8_snorm", VK_FORMAT_R8G8B8A8_SNORM},
      {"r5g6b5", VK_FORMAT_R5G6B5_UNORM_PACK16},
      {"rgb10a2", VK_FORMAT_A2B10G10R10_UNORM_PACK32},
      {"rg11b10f", VK_FORMAT_B10G11R11_UFLOAT_PACK32},
      {"r16f", VK_FORMAT_R16_SFLOAT},
      {"rg16f", VK_FORMAT_R16G16_SFLOAT},
      {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT},
      {"rgba16", VK_FORMAT_R16G16B16A16_UNORM},
      {"r32f", VK_FORMAT_R32_SFLOAT},
      {"rg32f", VK_FORMAT_R32G32_SFLOAT},
      {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT},
  };
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, std::function<Outcome(Gpu&)> run) {
    all.push_back({"output." + name, "Gpix/s", true, Bound::None, 0, 0.01, std::move(run)});
  };
  for (const auto& [name, format] : formats) {
    const std::string n = name;
    add("opaque_" + n, [format](Gpu& g) { return draw(g, format, false, 1); });
    add("blend_" + n, [format](Gpu& g) { return draw(g, format, true, 1); });
    add("blend_4x_" + n, [format](Gpu& g) { return draw(g, format, true, 4); });
    add("store_" + n, [format](Gpu& g) { return store(g, format); });
  }
  return all;
}

}  // namespace vkbench
