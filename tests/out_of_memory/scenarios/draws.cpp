// Draws: what the rasterizer keeps while it works, in one sample and in several, with a resolve and a look at the
// texels.
#include "tests/out_of_memory/graphics.h"
#include "tests/out_of_memory/scenario.h"

namespace oom {
namespace {

class Draws : public Scenario {
 public:
  Draws(VkSampleCountFlagBits samples, bool allStages) : samples_(samples), allStages_(allStages) {}

  VkResult prepare(Gpu& gpu) override {
    const VkExtent2D size{kPictureSize, kPictureSize};
    OOM_TRY(gpu.makeBuffer(kPictureSize * kPictureSize * 4, &result_));
    OOM_TRY(gpu.makeImage(kPictureFormat, samples_,
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, size, &color_));
    OOM_TRY(gpu.makeImage(kPictureFormat, VK_SAMPLE_COUNT_1_BIT,
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, size, &resolved_));
    OOM_TRY(gpu.makeImage(VK_FORMAT_D32_SFLOAT, samples_, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, size, &depth_));
    OOM_TRY(makeGraphics(gpu, samples_, allStages_, VK_NULL_HANDLE, &pipeline_));
    VkCommandPool pool;
    OOM_TRY(gpu.makePool(&pool));
    OOM_TRY(gpu.makeCommands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &commands_));
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateFence, gpu.vk.DestroyFence, fence, &fence_));
    return record(gpu);
  }

  VkResult act(Gpu& gpu) override {
    OOM_TRY(gpu.submitAndWait(commands_, fence_));
    // Triangles of the patches cover one half of each little square; the strips cover all.
    const uint32_t step = kPictureSize / 16, inside = allStages_ ? 4 : 15;
    for (uint32_t y = 0; y < kPictureSize; ++y)
      for (uint32_t x = 0; x < kPictureSize; ++x)
        if (x % step < inside && y % step < inside && result_.words[y * kPictureSize + x] != kPictureTexel)
          return VK_ERROR_UNKNOWN;
    return gpu.vk.DeviceWaitIdle(gpu.device);
  }

 private:
  VkResult record(Gpu& gpu) const {
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = color_.view;
    color.imageLayout = color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    if (samples_ > 1) color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT, color.resolveImageView = resolved_.view;
    VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    depth.imageView = depth_.view;
    depth.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    depth.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    depth.clearValue.depthStencil.depth = 1;
    VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
    rendering.renderArea.extent = {kPictureSize, kPictureSize};
    rendering.layerCount = 1;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachments = &color;
    rendering.pDepthAttachment = &depth;
    OOM_TRY(gpu.begin(commands_));
    gpu.vk.CmdBeginRendering(commands_, &rendering);
    gpu.vk.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
    gpu.vk.CmdDraw(commands_, allStages_ ? 3 : 4, 256, 0, 0);
    gpu.vk.CmdEndRendering(commands_);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {kPictureSize, kPictureSize, 1};
    gpu.vk.CmdCopyImageToBuffer(commands_, samples_ > 1 ? resolved_.image : color_.image, VK_IMAGE_LAYOUT_GENERAL,
                                result_.buffer, 1, &copy);
    return gpu.vk.EndCommandBuffer(commands_);
  }

  const VkSampleCountFlagBits samples_;
  const bool allStages_;
  Buffer result_;
  Image color_, resolved_, depth_;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

template <VkSampleCountFlagBits Samples, bool AllStages>
std::unique_ptr<Scenario> makeDraws() {
  return std::make_unique<Draws>(Samples, AllStages);
}

}  // namespace

std::vector<Entry> drawScenarios() {
  return {{"draw, 1 sample", makeDraws<VK_SAMPLE_COUNT_1_BIT, false>},
          {"draw, 8 samples", makeDraws<VK_SAMPLE_COUNT_8_BIT, false>},
          {"draw, all stages", makeDraws<VK_SAMPLE_COUNT_4_BIT, true>},
          {"capture", makeDraws<VK_SAMPLE_COUNT_8_BIT, false>, "ETZEL_CAPTURE="}};
}

}  // namespace oom
