// Several views in one draw ("Multiview"): which view's index the stages of a pipeline see, and that of the device in
// its place (VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT). Libraries have their own flags.
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kSize = 8, kViews = 3;
constexpr const char* kExtension = "#version 450\n#extension GL_EXT_multiview : require\n";

struct Part {
  VkGraphicsPipelineLibraryFlagsEXT parts;
  bool fromDevice;
};

/// A library with the parts' shaders.
VkPipeline library(Gpu& gpu, DrawState s, const Part& part, VkPipelineLayout layout) {
  VkGraphicsPipelineLibraryCreateInfoEXT info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT};
  info.flags = part.parts;
  (part.parts & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT ? s.vert : s.frag).clear();
  s.pipelineNext = &info;
  s.pipelineFlags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  if (part.fromDevice) s.pipelineFlags |= VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT;
  return makePipeline(gpu, s, layout, {kSize, kSize});
}

VkPipeline link(Gpu& gpu, const DrawState& s, const Part (&parts)[2]) {
  const VkPipelineLayout layout = gpu.makePipelineLayout(VK_NULL_HANDLE, 0);
  const VkPipeline libraries[] = {library(gpu, s, parts[0], layout), library(gpu, s, parts[1], layout)};
  const VkPipelineLibraryCreateInfoKHR linked{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, nullptr, 2,
                                              libraries};
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &linked};
  info.layout = layout;
  VkPipeline pipeline;
  CTS_VK(vkCreateGraphicsPipelines(gpu.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  gpu.later([&gpu, pipeline] { vkDestroyPipeline(gpu.device, pipeline, nullptr); });
  return pipeline;
}

/// The vertex shader's view is red, the fragment shader's green. The case's device has the index 0.
void viewIndex(Gpu& gpu, bool vertexFromDevice, bool fragmentFromDevice, bool libraries) {
  gpu.require(gpu.features11.multiview, "multiview");
  if (libraries) gpu.requireFeatures(VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME, 1);
  const Image image = gpu.image({.width = kSize,
                                 .height = kSize,
                                 .layers = kViews,
                                 .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                 .view = VK_IMAGE_VIEW_TYPE_2D_ARRAY});
  DrawState s;
  s.vert = std::string(kExtension) +
           "layout(location = 0) flat out int view;\nvoid main() {\n  view = gl_ViewIndex;\n"
           "  gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);\n}\n";
  s.frag = std::string(kExtension) +
           "layout(location = 0) flat in int view;\nlayout(location = 0) out vec4 color;\n"
           "void main() { color = vec4(view, gl_ViewIndex, 0, 255) / 255.0; }\n";
  s.colors = {image};
  s.viewMask = (1u << kViews) - 1;
  if (libraries) {
    const VkPipeline pipeline = link(gpu, s,
                                     {{VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
                                           VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
                                       vertexFromDevice},
                                      {VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
                                           VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT,
                                       fragmentFromDevice}});
    s.commands = [pipeline](VkCommandBuffer cmd) {
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(cmd, 3, 1, 0, 0);
    };
  } else if (vertexFromDevice) {
    s.pipelineFlags = VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT;
  }
  draw(gpu, s);
  for (uint32_t view = 0; view < kViews; ++view) {
    const auto seen = [&](bool fromDevice) { return static_cast<uint8_t>(fromDevice ? 0 : view); };
    std::vector<uint8_t> expected;
    for (uint32_t i = 0; i < kSize * kSize; ++i)
      expected.insert(expected.end(), {seen(vertexFromDevice), seen(fragmentFromDevice), 0, 255});
    expectPicture(gpu.download(image, 4, 0, view), expected, kSize, kSize);
  }
}

}  // namespace

void registerViews() {
  for (const bool both : {false, true})
    add(std::string("multiview.view_index.whole.") + (both ? "from_device" : "from_view"),
        [=](Gpu& gpu) { viewIndex(gpu, both, both, false); });
  for (const bool vertex : {false, true})
    for (const bool fragment : {false, true})
      add(std::string("multiview.view_index.libraries.vertex_from_") + (vertex ? "device" : "view") +
              ".fragment_from_" + (fragment ? "device" : "view"),
          [=](Gpu& gpu) { viewIndex(gpu, vertex, fragment, true); });
}

}  // namespace etzel::cts
