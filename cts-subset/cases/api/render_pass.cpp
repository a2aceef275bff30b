// Render pass objects: load and store operations, input attachments, subpasses.
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

/// Two subpasses: the first writes a pattern, the second reads it as an input attachment and transforms it.
/// `interpolates`: the second subpass reads an attribute too, `one`, which is 1.
void inputAttachmentCase(Gpu& gpu, const char* expression, uint8_t (*want)(int), bool interpolates = false) {
  const uint32_t size = 16;
  VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  Image first = gpu.image({.width = size, .height = size, .usage = usage}),
        second = gpu.image({.width = size, .height = size, .usage = usage});
  VkAttachmentDescription attachments[2]{};
  for (auto& a : attachments) {
    a.format = VK_FORMAT_R8G8B8A8_UNORM;
    a.samples = VK_SAMPLE_COUNT_1_BIT;
    a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    a.initialLayout = a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  VkAttachmentReference zero{0, VK_IMAGE_LAYOUT_GENERAL}, one{1, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpasses[2]{};
  subpasses[0].colorAttachmentCount = subpasses[1].colorAttachmentCount = 1;
  subpasses[0].pColorAttachments = &zero;
  subpasses[1].pColorAttachments = &one;
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
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, 2, attachments, 2, subpasses, 1, &dependency};
  VkRenderPass pass;
  CTS_VK(vkCreateRenderPass(gpu.device, &info, nullptr, &pass));
  gpu.later([&gpu, pass] { vkDestroyRenderPass(gpu.device, pass, nullptr); });
  VkImageView views[2] = {first.view, second.view};
  VkFramebufferCreateInfo frame{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 2, views, size, size, 1};
  VkFramebuffer framebuffer;
  CTS_VK(vkCreateFramebuffer(gpu.device, &frame, nullptr, &framebuffer));
  gpu.later([&gpu, framebuffer] { vkDestroyFramebuffer(gpu.device, framebuffer, nullptr); });
  Gpu::Set set = gpu.set({inputAttachment(first.view)}, 0);
  std::string frags[2] = {writes("vec4((floor(gl_FragCoord.x) + floor(gl_FragCoord.y) * 16.0) / 255.0, 0, 0, 1)"),
                          std::string("#version 450\nlayout(input_attachment_index=0, binding=0) uniform subpassInput "
                                      "t;\nlayout(location=0) out vec4 color;\n") +
                              (interpolates ? "layout(location = 0) in float one;\n" : "") +
                              "void main() { float v = subpassLoad(t).r; color = vec4(" + expression + "); }\n"};
  VkPipeline pipelines[2];
  for (uint32_t i = 0; i < 2; ++i) {
    DrawState s;
    s.vert = coverAll();
    if (interpolates && i)
      s.vert =
          "#version 450\nlayout(location = 0) out float one;\nvoid main() { one = 1.0; gl_Position = "
          "vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0); }\n";
    s.frag = frags[i];
    const Subpass subpass{pass, i, 1};
    pipelines[i] = makePipeline(gpu, s, set.pipeline, {size, size}, &subpass);
  }
  gpu.submit([&](VkCommandBuffer cmd) {
    VkClearValue clears[2]{};
    VkRenderPassBeginInfo begin{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, framebuffer, {{0, 0}, {16, 16}}, 2, clears};
    vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[0]);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[1]);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, set.pipeline, 0, 1, &set.set, 0, nullptr);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
  });
  auto got = gpu.download(second, 4);
  for (int i = 0; i < 256; ++i) ASSERT_NEAR(got[size_t(i) * 4], want(i), 1) << "pixel " << i;
}

/// Draws to a part of a multisampled image that is red: what lies outside of the render area stays, whatever the load
/// operation does inside ("Load Operations").
void multisampledAreaCase(Gpu& gpu, VkAttachmentLoadOp load, const VkRect2D& area) {
  const uint32_t size = 100;
  Image image = gpu.image({.width = size,
                           .height = size,
                           .samples = VK_SAMPLE_COUNT_4_BIT,
                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT}),
        resolved = gpu.image({.width = size, .height = size});
  VkClearValue red{};
  red.color.float32[0] = 1;
  gpu.clear(image, red);
  DrawState s;
  s.vert = coverAll(), s.frag = writes("vec4(0, 0, 1, 0)");
  s.colors = {image};
  s.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  // "The application must ensure (using scissor if necessary) that all rendering is contained within the render area."
  s.scissors = {area};
  const VkPipeline pipeline = makePipeline(gpu, s, gpu.set({}, 0).pipeline, {size, size});
  VkRenderingAttachmentInfo a{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  a.imageView = image.view;
  a.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  a.loadOp = load;
  a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = area;
  info.layerCount = info.colorAttachmentCount = 1;
  info.pColorAttachments = &a;
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdBeginRendering(cmd, &info);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRendering(cmd);
  });
  gpu.submit([&](VkCommandBuffer cmd) {
    const VkImageSubresourceLayers layers{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageResolve all{layers, {}, layers, {}, {size, size, 1}};
    vkCmdResolveImage(cmd, image.handle, VK_IMAGE_LAYOUT_GENERAL, resolved.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
  });
  std::vector<uint8_t> want(size * size * 4);
  for (uint32_t i = 0; i < size * size; ++i) {
    const int32_t x = int32_t(i % size) - area.offset.x, y = int32_t(i / size) - area.offset.y;
    const bool inside = x >= 0 && y >= 0 && x < int32_t(area.extent.width) && y < int32_t(area.extent.height);
    want[i * 4 + (inside ? 2 : 0)] = 255;
  }
  expectPicture(gpu.download(resolved, 4), want, size, size);
}

}  // namespace

void registerRenderPass() {
  add("render_pass.input_attachment.copy",
      [](Gpu& gpu) { inputAttachmentCase(gpu, "v, 0, 0, 1", [](int i) { return uint8_t(i); }); });
  add("render_pass.input_attachment.invert",
      [](Gpu& gpu) { inputAttachmentCase(gpu, "1.0 - v, 0, 0, 1", [](int i) { return uint8_t(255 - i); }); });
  add("render_pass.input_attachment.interpolated", [](Gpu& gpu) {
    inputAttachmentCase(
        gpu, "v * one, 0, 0, one", [](int i) { return uint8_t(i); }, true);
  });
  add("render_pass.input_attachment.half",
      [](Gpu& gpu) { inputAttachmentCase(gpu, "v * 0.5, 0, 0, 1", [](int i) { return uint8_t(i / 2); }); });
  for (auto load : {VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_LOAD_OP_CLEAR})
    for (uint32_t x : {0u, 3u})
      for (uint32_t w : {5u, 13u})
        add(text("render_pass.dynamic.%s.area%u_%u", load == VK_ATTACHMENT_LOAD_OP_LOAD ? "load" : "clear", x, w),
            [=](Gpu& gpu) {
              Image image = gpu.image({.width = 16, .height = 16, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
              VkClearValue red{};
              red.color.float32[0] = 1;
              gpu.clear(image, red);
              VkRenderingAttachmentInfo a{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
              a.imageView = image.view;
              a.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
              a.loadOp = load;
              a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
              a.clearValue.color.float32[1] = 1;
              VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
              info.renderArea = {{int32_t(x), 2}, {w, 7}};
              info.layerCount = 1;
              info.colorAttachmentCount = 1;
              info.pColorAttachments = &a;
              gpu.submit([&](VkCommandBuffer cmd) {
                vkCmdBeginRendering(cmd, &info);
                VkClearAttachment blue{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
                blue.clearValue.color.float32[2] = 1;
                VkClearRect rect{{{int32_t(x) + 1, 3}, {2, 2}}, 0, 1};
                vkCmdClearAttachments(cmd, 1, &blue, 1, &rect);
                vkCmdEndRendering(cmd);
              });
              std::vector<uint8_t> want(16 * 16 * 4);
              for (uint32_t i = 0; i < 256; ++i) {
                uint32_t px = i % 16, py = i / 16;
                bool area = px >= x && px < x + w && py >= 2 && py<9, box = px> x && px < x + 3 && py >= 3 && py < 5;
                want[i * 4 + (box ? 2 : area && load == VK_ATTACHMENT_LOAD_OP_CLEAR ? 1 : 0)] = 255;
              }
              expectPicture(gpu.download(image, 4), want, 16, 16);
            });
  const struct {
    const char* name;
    VkAttachmentLoadOp load;
  } loads[] = {{"load", VK_ATTACHMENT_LOAD_OP_LOAD},
               {"clear", VK_ATTACHMENT_LOAD_OP_CLEAR},
               {"dont_care", VK_ATTACHMENT_LOAD_OP_DONT_CARE}};
  for (const auto& l : loads)
    for (const VkRect2D& area : {VkRect2D{{3, 5}, {40, 90}}, VkRect2D{{64, 0}, {36, 64}}})
      add(text("render_pass.dynamic.multisampled.%s.area%d_%d", l.name, area.offset.x, area.offset.y),
          [=](Gpu& gpu) { multisampledAreaCase(gpu, l.load, area); });
}

}  // namespace etzel::cts
