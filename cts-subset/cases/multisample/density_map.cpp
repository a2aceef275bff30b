// VK_EXT_fragment_density_map: texels of an image say how large fragments may be in a region of the framebuffer. They
// are hints: fragments may always be smaller, so what is looked at is that none is larger than its texel allows.
#include <cmath>
#include <memory>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/samples.h"

namespace etzel::cts {
namespace {

// Not in all headers: VK_EXT_fragment_density_map_offset, VK_KHR_maintenance10.
struct RenderingEnd {
  VkStructureType sType = VkStructureType(1000619003);
  const void* pNext = nullptr;
};
using EndRendering2 = void(VKAPI_PTR*)(VkCommandBuffer, const RenderingEnd*);
constexpr VkRenderingFlags kPerLayer = 1u << 5;  // VK_RENDERING_PER_LAYER_FRAGMENT_DENSITY_BIT_VALVE

/// A device with density maps in place of shading rates: no device may have both.
class DensityGpu {
 public:
  explicit DensityGpu(Gpu& first) {
    const std::string rates = VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME;
    const bool added = Gpu::withheld().insert(rates).second;
    gpu_ = std::make_unique<Gpu>();
    if (added) Gpu::withheld().erase(rates);
    gpu_->digesting = first.digesting;
    gpu_->requireFeatures(VK_EXT_FRAGMENT_DENSITY_MAP_EXTENSION_NAME, 1);
    VkPhysicalDeviceFragmentDensityMapFeaturesEXT features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_DENSITY_MAP_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 f{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features, {}};
    vkGetPhysicalDeviceFeatures2(gpu_->physical, &f);
    gpu_->require(features.fragmentDensityMapNonSubsampledImages, "fragmentDensityMapNonSubsampledImages");
    VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties, {}};
    vkGetPhysicalDeviceProperties2(gpu_->physical, &p);
  }
  Gpu& operator*() { return *gpu_; }
  Gpu* operator->() { return gpu_.get(); }

  VkPhysicalDeviceFragmentDensityMapPropertiesEXT properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_DENSITY_MAP_PROPERTIES_EXT};

 private:
  std::unique_ptr<Gpu> gpu_;
};

using Density = std::array<uint8_t, 2>;
constexpr Density kFull = {255, 255}, kQuarter = {64, 64};

/// How a map of two by two texels is used.
struct Use {
  std::vector<std::array<Density, 4>> layers;  ///< row by row
  bool pass = false;                           ///< a render pass object, else dynamic rendering
  uint32_t views = 0;
  bool perLayer = false;            ///< layers of the framebuffer in place of views
  std::vector<VkOffset2D> offsets;  ///< in texels
  VkImageCreateFlags targetFlags = 0;
};

/// What each layer's pixels say: width and height of their fragment, and the invocations of a fragment.
class Picture {
 public:
  Picture(DensityGpu& gpu, const Use& use) : gpu_(gpu), use_(use) {
    const VkExtent2D least = gpu.properties.minFragmentDensityTexelSize;
    texel_ = {std::max(least.width, 16u), std::max(least.height, 16u)};
    extent_ = {2 * texel_.width, 2 * texel_.height};
    const uint32_t layers = std::max<uint32_t>(1, use.views);
    target_ = gpu->image({.format = VK_FORMAT_R32G32B32A32_SFLOAT,
                          .width = extent_.width,
                          .height = extent_.height,
                          .layers = layers,
                          .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                          .view = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                          .flags = use.targetFlags});
    makeMap();
    if (use.pass)
      renderPass();
    else
      rendering();
    for (uint32_t i = 0; i < layers; ++i) pixels_.push_back(gpu->download(target_, 16, 0, i));
  }
  VkExtent2D texel() const { return texel_; }
  VkExtent2D extent() const { return extent_; }
  /// At a pixel.
  std::array<float, 4> at(uint32_t x, uint32_t y, uint32_t layer = 0) const {
    std::array<float, 4> c;
    std::memcpy(c.data(), &pixels_[layer][(size_t(y) * extent_.width + x) * 16], 16);
    return c;
  }
  /// No fragment whose centre lies in a texel's region is larger than a density allows.
  void expectNoLarger(uint32_t column, uint32_t row, Density d, uint32_t layer = 0) const {
    const double most = 255.0 * 255.0 / (std::max(d[0] - 0.5, 0.5) * std::max(d[1] - 0.5, 0.5));
    for (uint32_t y = row * texel_.height; y < (row + 1) * texel_.height; ++y)
      for (uint32_t x = column * texel_.width; x < (column + 1) * texel_.width; ++x) {
        const auto c = at(x, y, layer);
        ASSERT_GE(c[0], 1.0f);
        ASSERT_GE(c[1], 1.0f);
        ASSERT_LE(double(c[0]) * double(c[1]), most) << "at " << x << ", " << y << " of layer " << layer;
      }
  }

 private:
  void makeMap() {
    const uint32_t layers = uint32_t(use_.layers.size());
    Image map = gpu_->image({.format = VK_FORMAT_R8G8_UNORM,
                             .width = 2,
                             .height = 2,
                             .layers = layers,
                             .usage = VK_IMAGE_USAGE_FRAGMENT_DENSITY_MAP_BIT_EXT,
                             .flags = offsetFlag()});
    for (uint32_t i = 0; i < layers; ++i) gpu_->upload(map, use_.layers[i].data(), 8, 0, i);
    map_ = gpu_->view(map, layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                      {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers}, map.desc.format);
  }
  VkImageCreateFlags offsetFlag() const { return use_.offsets.empty() ? 0 : 1u << 15; }
  DrawState state() const {
    DrawState s;
    s.vert =
        "#version 450\n#extension GL_ARB_shader_viewport_layer_array : enable\nvoid main() {\n"
        "vec2 p = vec2(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1);\ngl_Position = vec4(p, 0, 1);\n" +
        std::string(use_.perLayer ? "gl_Layer = gl_InstanceIndex;\n" : "") + "}\n";
    s.frag =
        "#version 450\n#extension GL_EXT_fragment_invocation_density : require\nlayout(location = 0) out vec4 color;\n"
        "void main() { color = vec4(gl_FragSizeEXT, gl_FragInvocationCountEXT, 1); }\n";
    s.colors = {target_};
    s.viewMask = use_.perLayer || !use_.views ? 0 : (1u << use_.views) - 1;
    return s;
  }
  std::vector<VkOffset2D> offsets() const {
    std::vector<VkOffset2D> o = use_.offsets;
    for (VkOffset2D& each : o) each = {each.x * int32_t(texel_.width), each.y * int32_t(texel_.height)};
    return o;
  }
  void rendering() {
    DrawState s = state();
    s.pipelineFlags = VK_PIPELINE_CREATE_RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_BIT_EXT;
    const Gpu::Set set = gpu_->set({}, 0);
    const VkPipeline pipeline = makePipeline(*gpu_, s, set.pipeline, extent_);
    const VkRenderingFragmentDensityMapAttachmentInfoEXT density{
        VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_INFO_EXT, nullptr, map_, VK_IMAGE_LAYOUT_GENERAL};
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = target_.view;
    color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO, &density};
    if (use_.perLayer) info.flags = kPerLayer;
    info.renderArea = {{0, 0}, extent_};
    info.layerCount = use_.perLayer ? use_.views : 1;
    info.viewMask = s.viewMask;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    const std::vector<VkOffset2D> moved = offsets();
    const VkSubpassFragmentDensityMapOffsetEndInfoQCOM end{
        VK_STRUCTURE_TYPE_SUBPASS_FRAGMENT_DENSITY_MAP_OFFSET_END_INFO_QCOM, nullptr, uint32_t(moved.size()),
        moved.data()};
    gpu_->submit([&](VkCommandBuffer cmd) {
      vkCmdBeginRendering(cmd, &info);
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(cmd, 3, use_.perLayer ? use_.views : 1, 0, 0);
      const RenderingEnd ending{.pNext = &end};
      if (moved.empty())
        vkCmdEndRendering(cmd);
      else
        gpu_->proc<EndRendering2>("vkCmdEndRendering2EXT")(cmd, &ending);
    });
  }
  VkRenderPass makePass(const DrawState& s) {
    VkAttachmentDescription2 attachments[2] = {{VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2},
                                               {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2}};
    for (VkAttachmentDescription2& a : attachments) {
      a.samples = VK_SAMPLE_COUNT_1_BIT;
      a.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
      a.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
      a.initialLayout = a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    attachments[0].format = target_.desc.format, attachments[0].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachments[0].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachments[1].format = VK_FORMAT_R8G8_UNORM;
    VkAttachmentReference2 color{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 0, VK_IMAGE_LAYOUT_GENERAL,
                                 VK_IMAGE_ASPECT_COLOR_BIT};
    VkSubpassDescription2 subpass{VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2};
    subpass.viewMask = s.viewMask;
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &color;
    const VkRenderPassFragmentDensityMapCreateInfoEXT density{
        VK_STRUCTURE_TYPE_RENDER_PASS_FRAGMENT_DENSITY_MAP_CREATE_INFO_EXT, nullptr, {1, VK_IMAGE_LAYOUT_GENERAL}};
    VkRenderPassCreateInfo2 info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2, &density};
    info.attachmentCount = 2;
    info.pAttachments = attachments;
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    VkRenderPass pass;
    CTS_VK(vkCreateRenderPass2(gpu_->device, &info, nullptr, &pass));
    Gpu& gpu = *gpu_;
    gpu.later([&gpu, pass] { vkDestroyRenderPass(gpu.device, pass, nullptr); });
    return pass;
  }
  void renderPass() {
    const DrawState s = state();
    const VkRenderPass pass = makePass(s);
    const VkImageView views[2] = {target_.view, map_};
    const VkFramebufferCreateInfo frame{
        VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 2, views, extent_.width, extent_.height, 1};
    VkFramebuffer framebuffer;
    CTS_VK(vkCreateFramebuffer(gpu_->device, &frame, nullptr, &framebuffer));
    Gpu& gpu = *gpu_;
    gpu.later([&gpu, framebuffer] { vkDestroyFramebuffer(gpu.device, framebuffer, nullptr); });
    const Gpu::Set set = gpu.set({}, 0);
    const Subpass subpass{pass, 0, 1};
    const VkPipeline pipeline = makePipeline(gpu, s, set.pipeline, extent_, &subpass);
    const std::vector<VkOffset2D> moved = offsets();
    const VkSubpassFragmentDensityMapOffsetEndInfoQCOM offset{
        VK_STRUCTURE_TYPE_SUBPASS_FRAGMENT_DENSITY_MAP_OFFSET_END_INFO_QCOM, nullptr, uint32_t(moved.size()),
        moved.data()};
    gpu.submit([&](VkCommandBuffer cmd) {
      const VkClearValue clear{};
      const VkRenderPassBeginInfo begin{
          VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, framebuffer, {{0, 0}, extent_}, 1, &clear};
      vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(cmd, 3, 1, 0, 0);
      const VkSubpassEndInfo end{VK_STRUCTURE_TYPE_SUBPASS_END_INFO, moved.empty() ? nullptr : &offset};
      vkCmdEndRenderPass2(cmd, &end);
    });
  }

  DensityGpu& gpu_;
  const Use& use_;
  VkExtent2D texel_{}, extent_{};
  Image target_;
  VkImageView map_ = VK_NULL_HANDLE;
  std::vector<std::vector<uint8_t>> pixels_;
};

/// "Fragment Area Conversion": four densities, each for its own region.
void texels(Gpu& first, bool pass) {
  DensityGpu gpu(first);
  const std::array<Density, 4> map = {kQuarter, kFull, Density{255, 128}, Density{128, 255}};
  const Picture picture(gpu, {.layers = {map}, .pass = pass});
  for (uint32_t i = 0; i < 4; ++i) picture.expectNoLarger(i % 2, i / 2, map[i]);
  EXPECT_EQ(picture.at(0, 0)[2], 1.0f);  // one invocation a fragment
}

/// Each view has the map's layer of its own, or they share the only one.
void views(Gpu& first, bool pass, bool shared) {
  DensityGpu gpu(first);
  gpu->require(gpu->features11.multiview, "multiview");
  const std::array<Density, 4> coarse = {kQuarter, kQuarter, kQuarter, kQuarter},
                               left = {kFull, kQuarter, kFull, kQuarter}, right = {kQuarter, kFull, kQuarter, kFull};
  Use use{.layers = {left, coarse, right}, .pass = pass, .views = 3};
  if (shared) use.layers = {left};
  const Picture picture(gpu, use);
  for (uint32_t view = 0; view < 3; ++view)
    for (uint32_t i = 0; i < 4; ++i) picture.expectNoLarger(i % 2, i / 2, use.layers[shared ? 0 : view][i], view);
}

/// VK_VALVE_fragment_density_map_layered: layers of the framebuffer have theirs.
void layers(Gpu& first) {
  DensityGpu gpu(first);
  gpu->requireFeatures("VK_VALVE_fragment_density_map_layered", 1);
  gpu->require(gpu->features12.shaderOutputLayer, "shaderOutputLayer");
  const std::array<Density, 4> left = {kFull, kQuarter, kFull, kQuarter}, right = {kQuarter, kFull, kQuarter, kFull};
  const Use use{.layers = {left, right}, .views = 2, .perLayer = true};
  const Picture picture(gpu, use);
  for (uint32_t layer = 0; layer < 2; ++layer)
    for (uint32_t i = 0; i < 4; ++i) picture.expectNoLarger(i % 2, i / 2, use.layers[layer][i], layer);
}

/// VK_EXT_fragment_density_map_offset: the map is moved by a texel, and its edge goes on.
void offset(Gpu& first, bool pass) {
  DensityGpu gpu(first);
  gpu->requireFeatures("VK_EXT_fragment_density_map_offset", 1);
  const Picture picture(
      gpu,
      {.layers = {{kFull, kQuarter, kFull, kQuarter}}, .pass = pass, .offsets = {{1, 0}}, .targetFlags = 1u << 15});
  for (uint32_t i = 0; i < 4; ++i) picture.expectNoLarger(i % 2, i / 2, kFull);
}

}  // namespace

void registerDensityMap() {
  add("density_map.texels.rendering", [](Gpu& gpu) { texels(gpu, false); });
  add("density_map.texels.pass", [](Gpu& gpu) { texels(gpu, true); });
  for (bool pass : {false, true})
    for (bool shared : {false, true})
      add(text("density_map.views.%s.%s", pass ? "pass" : "rendering", shared ? "shared" : "each"),
          [=](Gpu& gpu) { views(gpu, pass, shared); });
  add("density_map.layers", layers);
  add("density_map.offset.rendering", [](Gpu& gpu) { offset(gpu, false); });
  add("density_map.offset.pass", [](Gpu& gpu) { offset(gpu, true); });
}

}  // namespace etzel::cts
