// Resolving depth and stencil with every mode, by passes and by vkCmdResolveImage2, and vkCmdResolveImage of regions
// and layers.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/samples.h"

namespace etzel::cts {
namespace {

constexpr uint32_t size = 8;

const char* modeName(VkResolveModeFlagBits mode) {
  switch (mode) {
    case VK_RESOLVE_MODE_SAMPLE_ZERO_BIT: return "zero";
    case VK_RESOLVE_MODE_AVERAGE_BIT: return "average";
    case VK_RESOLVE_MODE_MIN_BIT: return "min";
    case VK_RESOLVE_MODE_MAX_BIT: return "max";
    default: return "none";
  }
}

double resolved(VkResolveModeFlagBits mode, const std::vector<double>& samples) {
  double sum = 0;
  for (double s : samples) sum += s;
  switch (mode) {
    case VK_RESOLVE_MODE_SAMPLE_ZERO_BIT: return samples[0];
    case VK_RESOLVE_MODE_AVERAGE_BIT: return sum / double(samples.size());
    case VK_RESOLVE_MODE_MIN_BIT: return *std::min_element(samples.begin(), samples.end());
    default: return *std::max_element(samples.begin(), samples.end());
  }
}

/// vkCmdResolveImage2 of whole images with modes (VK_KHR_maintenance10). The first is that of colours as well.
void resolveByCommand(Gpu& gpu, const Image& many, const Image& one, VkResolveModeFlagBits depthMode,
                      VkResolveModeFlagBits stencilMode, VkFlags flags = 0) {
  const struct {  // VkResolveImageModeInfoKHR, which not all headers have
    VkStructureType sType;
    const void* pNext;
    VkFlags flags;
    VkResolveModeFlagBits resolveMode, stencilResolveMode;
  } modes{VkStructureType(1000630004), nullptr, flags, depthMode, stencilMode};
  VkImageResolve2 r{VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2};
  r.srcSubresource = r.dstSubresource = {many.aspect, 0, 0, 1};
  r.extent = {size, size, 1};
  VkResolveImageInfo2 info{VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2, &modes};
  info.srcImage = many.handle, info.dstImage = one.handle;
  info.srcImageLayout = info.dstImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  info.regionCount = 1, info.pRegions = &r;
  gpu.submit([&](VkCommandBuffer cmd) { vkCmdResolveImage2(cmd, &info); });
}

/// Sample k of pixel x gets a depth and a stencil value of its own, by one draw for each sample through the sample
/// mask.
void depthStencil(Gpu& gpu, VkFormat format, uint32_t n, VkResolveModeFlagBits depthMode,
                  VkResolveModeFlagBits stencilMode, bool byCommand) {
  if (byCommand) gpu.requireExtension("VK_KHR_maintenance10");
  if (!(gpu.formatFeatures(format) & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT))
    throw NotSupported("depth format");
  gpu.require(gpu.limits().framebufferDepthSampleCounts & n && gpu.limits().framebufferStencilSampleCounts & n,
              "samples");
  VkImageAspectFlags aspects = aspectsOf(format);
  bool hasDepth = aspects & VK_IMAGE_ASPECT_DEPTH_BIT, hasStencil = aspects & VK_IMAGE_ASPECT_STENCIL_BIT;
  gpu.require(!depthMode || gpu.properties12.supportedDepthResolveModes & depthMode, "depth resolve mode");
  gpu.require(!stencilMode || gpu.properties12.supportedStencilResolveModes & stencilMode, "stencil resolve mode");
  if (hasDepth && hasStencil && depthMode != stencilMode)
    gpu.require(gpu.properties12.independentResolve ||
                    (gpu.properties12.independentResolveNone && (!depthMode || !stencilMode)),
                "independentResolve");
  VkImageUsageFlags usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  Image many =
      gpu.image({.format = format, .width = size, .height = size, .samples = VkSampleCountFlagBits(n), .usage = usage});
  Image one = gpu.image({.format = format, .width = size, .height = size, .usage = usage});
  VkClearValue clear{};
  clear.depthStencil = {0.875f, 77};
  gpu.clear(many, clear), gpu.clear(one, clear);
  static const int depths[] = {3, 11, 6, 1, 14, 9, 2, 12, 5, 15, 8, 4, 10, 7, 13, 16};
  for (uint32_t k = 0; k < n; ++k) {
    DrawState s;
    s.vert = coverAll(text("%.9g", depths[k] / 32.0));
    s.frag = "#version 450\nvoid main() {}\n";
    s.depth = &many;
    s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
    VkSampleMask mask = 1u << k;
    s.multisample.pSampleMask = &mask;
    s.depthStencil.depthTestEnable = s.depthStencil.depthWriteEnable = hasDepth;
    s.depthStencil.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    s.depthStencil.stencilTestEnable = hasStencil;
    s.depthStencil.front = s.depthStencil.back = {VK_STENCIL_OP_KEEP,
                                                  VK_STENCIL_OP_REPLACE,
                                                  VK_STENCIL_OP_KEEP,
                                                  VK_COMPARE_OP_ALWAYS,
                                                  0xff,
                                                  0xff,
                                                  uint32_t(depths[(k + 3) % 16]) * 9};
    s.scissors = {{{0, 0}, {4, size}}};  // the right half keeps the clear values
    if (k + 1 == n && !byCommand)
      s.depthResolve = &one, s.depthResolveMode = depthMode, s.stencilResolveMode = stencilMode;
    draw(gpu, s);
  }
  if (byCommand) resolveByCommand(gpu, many, one, depthMode, stencilMode);
  std::vector<double> z(depths, depths + n), st;
  for (double& v : z) v /= 32;
  for (uint32_t k = 0; k < n; ++k) st.push_back(depths[(k + 3) % 16] * 9);
  if (hasDepth) {
    bool d16 = format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D16_UNORM_S8_UINT;
    bool d24 = format == VK_FORMAT_X8_D24_UNORM_PACK32 || format == VK_FORMAT_D24_UNORM_S8_UINT;
    auto bytes = gpu.download(one, d16 ? 2 : 4, 0, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    for (uint32_t p = 0; p < size * size; ++p) {
      uint32_t raw = 0;
      memcpy(&raw, &bytes[p * (d16 ? 2 : 4)], d16 ? 2 : 4);
      float f;
      memcpy(&f, &raw, 4);
      double got = d16 ? raw / 65535.0 : d24 ? (raw & 0xffffff) / 16777215.0 : double(f);
      double want = depthMode && p % size < 4 ? resolved(depthMode, z) : 0.875;
      ASSERT_NEAR(got, want, d16 ? 1.6 / 65535 : 1e-6) << "depth of pixel " << p;
    }
  }
  if (hasStencil) {
    auto bytes = gpu.download(one, 1, 0, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
    for (uint32_t p = 0; p < size * size; ++p)
      ASSERT_EQ(bytes[p], stencilMode && p % size < 4 ? resolved(stencilMode, st) : 77) << "stencil of pixel " << p;
  }
}

/// vkCmdResolveImage: a region with offsets from one layer to another.
void region(Gpu& gpu, VkFormat format, uint32_t n, bool moved) {
  requireSamples(gpu, n);
  gpu.require(gpu.features.features.sampleRateShading, "sampleRateShading");
  VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  Image many = gpu.image({.format = format,
                          .width = size,
                          .height = size,
                          .layers = 2,
                          .samples = VkSampleCountFlagBits(n),
                          .usage = usage});
  Image one = gpu.image({.format = format, .width = 16, .height = 16, .layers = 3, .usage = usage});
  gpu.clear(many, {}), gpu.clear(one, {});
  DrawState s;
  s.vert = coverAll();
  s.frag =
      writes("vec4((float(gl_SampleID) + floor(gl_FragCoord.x) * 2.0 + floor(gl_FragCoord.y)) / 64.0, 0.25, 0.5, 1.0)");
  s.colors = {many};
  s.colors[0].view = gpu.view(many, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 1}, format);
  s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
  draw(gpu, s);
  VkImageResolve r{};
  r.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1};
  r.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 2, 1};
  r.extent = {size, size, 1};
  if (moved) r.srcOffset = {2, 3, 0}, r.dstOffset = {7, 5, 0}, r.extent = {5, 4, 1};
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdResolveImage(cmd, many.handle, VK_IMAGE_LAYOUT_GENERAL, one.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &r);
  });
  size_t texel = format == VK_FORMAT_R32G32B32A32_SFLOAT ? 16 : 4;
  auto bytes = gpu.download(one, texel, 0, 2);
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) {
      int sx = x - r.dstOffset.x, sy = y - r.dstOffset.y;
      bool in = sx >= 0 && sy >= 0 && sx < int(r.extent.width) && sy < int(r.extent.height);
      double want = in ? ((n - 1) / 2.0 + (sx + r.srcOffset.x) * 2 + sy + r.srcOffset.y) / 64 : 0, got;
      const uint8_t* p = &bytes[size_t(y * 16 + x) * texel];
      if (texel == 16) {
        float f;
        memcpy(&f, p, 4);
        got = double(f);
      } else {
        got = p[0] / 255.0;
        if (format == VK_FORMAT_R8G8B8A8_SRGB)
          got = got <= 0.04045 ? got / 12.92 : std::pow((got + 0.055) / 1.055, 2.4);
      }
      ASSERT_NEAR(got, want, texel == 16 ? 1e-5 : format == VK_FORMAT_R8G8B8A8_SRGB ? 0.009 : 0.0045) << x << "," << y;
    }
  for (uint8_t b : gpu.download(one, texel, 0, 0)) ASSERT_EQ(b, 0) << "another layer";
}

/// A rendering without draws that ends in a resolve, with flags of its attachment.
void resolveByRendering(Gpu& gpu, const Image& many, const Image& one, VkFlags flags) {
  const struct {  // VkRenderingAttachmentFlagsInfoKHR, which not all headers have
    VkStructureType sType;
    const void* pNext;
    VkFlags flags;
  } chained{VkStructureType(1000630002), nullptr, flags};
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, &chained};
  color.imageView = many.view, color.resolveImageView = one.view;
  color.imageLayout = color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD, color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea.extent = {size, size};
  info.layerCount = 1;
  info.colorAttachmentCount = 1, info.pColorAttachments = &color;
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdBeginRendering(cmd, &info);
    vkCmdEndRendering(cmd);
  });
}

/// Half of the samples of an sRGB image are white, the others black: their average is half of the light, or half of the
/// codes where the transfer function is skipped ("Render Pass Multisample Resolve Operations").
void transferFunction(Gpu& gpu, uint32_t n, bool byCommand, bool skip) {
  gpu.requireExtension("VK_KHR_maintenance10");
  requireSamples(gpu, n);
  struct {  // VkPhysicalDeviceMaintenance10PropertiesKHR
    VkStructureType sType;
    void* pNext;
    VkBool32 rgba4OpaqueBlackSwizzled, applies, control;
  } maintenance10{VkStructureType(1000630001), nullptr, 0, 0, 0};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &maintenance10};
  vkGetPhysicalDeviceProperties2(gpu.physical, &properties);
  gpu.require(maintenance10.control, "resolveSrgbFormatSupportsTransferFunctionControl");
  const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const Image many = gpu.image({.format = VK_FORMAT_R8G8B8A8_SRGB,
                                .width = size,
                                .height = size,
                                .samples = VkSampleCountFlagBits(n),
                                .usage = usage});
  const Image one = gpu.image({.format = VK_FORMAT_R8G8B8A8_SRGB, .width = size, .height = size, .usage = usage});
  gpu.clear(many, {}), gpu.clear(one, {});
  DrawState s;
  s.vert = coverAll();
  s.frag = writes("vec4(1)");
  s.colors = {many};
  s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
  const VkSampleMask half = (1u << n / 2) - 1;
  s.multisample.pSampleMask = &half;
  draw(gpu, s);
  if (byCommand)
    resolveByCommand(gpu, many, one, VK_RESOLVE_MODE_AVERAGE_BIT, VK_RESOLVE_MODE_NONE, skip ? 1 : 2);
  else
    resolveByRendering(gpu, many, one, skip ? 2 : 4);
  const std::vector<uint8_t> picture = gpu.download(one, 4);
  for (size_t i = 0; i < picture.size(); ++i)
    ASSERT_NEAR(picture[i], skip || i % 4 == 3 ? 127.5 : 187.5, 0.6) << "pixel " << i / 4 << " component " << i % 4;
}

}  // namespace

void registerResolve() {
  for (uint32_t n : {2u, 8u})
    for (bool byCommand : {false, true})
      for (bool skip : {false, true})
        add(text("resolve.transfer_function.%s.%s.x%u", byCommand ? "command" : "rendering", skip ? "skip" : "enable",
                 n),
            [=](Gpu& gpu) { transferFunction(gpu, n, byCommand, skip); });
  const VkResolveModeFlagBits modes[] = {VK_RESOLVE_MODE_NONE, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
                                         VK_RESOLVE_MODE_AVERAGE_BIT, VK_RESOLVE_MODE_MIN_BIT, VK_RESOLVE_MODE_MAX_BIT};
  const std::pair<VkFormat, const char*> formats[] = {{VK_FORMAT_D16_UNORM, "d16"},
                                                      {VK_FORMAT_D32_SFLOAT, "d32"},
                                                      {VK_FORMAT_D24_UNORM_S8_UINT, "d24s8"},
                                                      {VK_FORMAT_D32_SFLOAT_S8_UINT, "d32s8"},
                                                      {VK_FORMAT_S8_UINT, "s8"}};
  for (auto [format, name] : formats)
    for (uint32_t n : {2u, 4u, 8u, 16u})
      for (auto depth : modes)
        for (auto stencil : modes) {
          bool d = aspectsOf(format) & VK_IMAGE_ASPECT_DEPTH_BIT, s = aspectsOf(format) & VK_IMAGE_ASPECT_STENCIL_BIT;
          if ((!d && depth) || (!s && stencil) || stencil == VK_RESOLVE_MODE_AVERAGE_BIT || (!depth && !stencil))
            continue;
          if (d && s && n != 4 && n != 8) continue;
          add(text("resolve.depth_stencil.%s.x%u.depth_%s.stencil_%s", name, n, modeName(depth), modeName(stencil)),
              [=, format = format](Gpu& gpu) { depthStencil(gpu, format, n, depth, stencil, false); });
          if (n == 4)
            add(text("resolve.command.%s.x%u.depth_%s.stencil_%s", name, n, modeName(depth), modeName(stencil)),
                [=, format = format](Gpu& gpu) { depthStencil(gpu, format, n, depth, stencil, true); });
        }
  for (auto [format, name] : {std::pair{VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
                              {VK_FORMAT_R8G8B8A8_SRGB, "srgba8"},
                              {VK_FORMAT_R32G32B32A32_SFLOAT, "rgba32f"}})
    for (uint32_t n : {2u, 4u, 8u, 16u})
      for (bool moved : {false, true})
        add(text("resolve.command.%s.x%u.%s", name, n, moved ? "moved" : "whole"),
            [=, format = format](Gpu& gpu) { region(gpu, format, n, moved); });
}

}  // namespace etzel::cts
