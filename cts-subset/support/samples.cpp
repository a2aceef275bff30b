// See samples.h.
#include "cts-subset/support/samples.h"

namespace etzel::cts {

void requireSamples(Gpu& gpu, uint32_t n, bool integer) {
  VkSampleCountFlags counts =
      integer ? gpu.properties12.framebufferIntegerColorSampleCounts : gpu.limits().framebufferColorSampleCounts;
  if (!(counts & n)) throw NotSupported("sample count");
}

std::vector<std::array<int, 2>> standardLocations(uint32_t n) {
  switch (n) {
    case 1: return {{8, 8}};
    case 2: return {{12, 12}, {4, 4}};
    case 4: return {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
    case 8: return {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}};
    default:
      return {{9, 9},  {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
              {6, 14}, {8, 1}, {4, 2},  {2, 12}, {0, 8}, {15, 4},  {14, 15}, {1, 0}};
  }
}

std::vector<float> samplesOf(Gpu& gpu, const Image& image) {
  uint32_t n = image.desc.samples, w = image.desc.width, h = image.desc.height;
  Buffer out = gpu.buffer(n * w * h * 16);
  Dispatch d{
      text("#version 450\nlayout(local_size_x=8, local_size_y=8) in;\nlayout(binding=0) uniform sampler2D%s t;\n"
           "layout(binding=1) buffer R { vec4 r[]; };\n"
           "void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); if (p.x >= %u || p.y >= %u) return;\n"
           "for (int s = 0; s < %u; ++s) r[(s * %u + p.y) * %u + p.x] = texelFetch(t, p, s); }\n",
           n > 1 ? "MS" : "", w, h, n, h, w)};  // the last argument of texelFetch() is a sample, or level 0
  d.bindings = {sampled(image.view, gpu.sampler()), storage(out)};
  d.x = (w + 7) / 8, d.y = (h + 7) / 8;
  gpu.dispatch(d);
  return {out.as<float>(), out.as<float>() + n * w * h * 4};
}

Image floatTarget(Gpu& gpu, uint32_t samples, uint32_t width, uint32_t height) {
  requireSamples(gpu, samples);
  Image image = gpu.image({.format = VK_FORMAT_R32G32B32A32_SFLOAT,
                           .width = width,
                           .height = height,
                           .samples = VkSampleCountFlagBits(samples),
                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
  gpu.clear(image, {});
  return image;
}

void twoSubpasses(Gpu& gpu, const Image& image, const DrawState& writer,
                  const std::vector<std::vector<uint8_t>>& pushes, const DrawState& reader) {
  VkAttachmentDescription attachment{};
  attachment.format = image.desc.format;
  attachment.samples = image.desc.samples;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachment.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  VkAttachmentReference zero{0, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpasses[2]{};
  subpasses[0].colorAttachmentCount = 1;
  subpasses[0].pColorAttachments = &zero;
  subpasses[1].inputAttachmentCount = 1;
  subpasses[1].pInputAttachments = &zero;
  VkSubpassDependency dependency{0,
                                 1,
                                 VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                 VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                 VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                 VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
                                 VK_DEPENDENCY_BY_REGION_BIT};
  VkRenderPassCreateInfo info{
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, 1, &attachment, 2, subpasses, 1, &dependency};
  VkRenderPass pass;
  CTS_VK(vkCreateRenderPass(gpu.device, &info, nullptr, &pass));
  gpu.later([&gpu, pass] { vkDestroyRenderPass(gpu.device, pass, nullptr); });
  VkExtent2D extent{image.desc.width, image.desc.height};
  VkFramebufferCreateInfo frame{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 1, &image.view, extent.width, extent.height, 1};
  VkFramebuffer framebuffer;
  CTS_VK(vkCreateFramebuffer(gpu.device, &frame, nullptr, &framebuffer));
  gpu.later([&gpu, framebuffer] { vkDestroyFramebuffer(gpu.device, framebuffer, nullptr); });
  uint32_t pushBytes = pushes.empty() ? 0 : uint32_t(pushes[0].size());
  Gpu::Set sets[2] = {gpu.set(writer.bindings, std::max(4u, pushBytes)), gpu.set(reader.bindings, 0)};
  const Subpass first{pass, 0, 1}, second{pass, 1, 0};
  VkPipeline pipelines[2] = {
      pushes.empty() ? VK_NULL_HANDLE : makePipeline(gpu, writer, sets[0].pipeline, extent, &first),
      makePipeline(gpu, reader, sets[1].pipeline, extent, &second)};
  gpu.submit([&](VkCommandBuffer cmd) {
    VkClearValue clear{};
    VkRenderPassBeginInfo begin{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, framebuffer, {{0, 0}, extent}, 1, &clear};
    vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    if (!pushes.empty()) vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[0]);
    for (auto& push : pushes) {
      vkCmdPushConstants(cmd, sets[0].pipeline, VK_SHADER_STAGE_ALL, 0, pushBytes, push.data());
      vkCmdDraw(cmd, writer.vertexCount, 1, 0, 0);
    }
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[1]);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, sets[1].pipeline, 0, 1, &sets[1].set, 0, nullptr);
    vkCmdDraw(cmd, reader.vertexCount, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
  });
}

}  // namespace etzel::cts
