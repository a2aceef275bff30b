// VK_EXT_sample_locations: coverage follows the positions that an application chooses, per pixel of the grid, given
// with the pipeline or dynamically; gl_SamplePosition keeps telling them.
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/samples.h"

namespace etzel::cts {
namespace {

constexpr uint32_t size = 8;

VkPhysicalDeviceSampleLocationsPropertiesEXT requireLocations(Gpu& gpu, uint32_t n) {
  gpu.requireExtension(VK_EXT_SAMPLE_LOCATIONS_EXTENSION_NAME);
  requireSamples(gpu, n);
  VkPhysicalDeviceSampleLocationsPropertiesEXT limits{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLE_LOCATIONS_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
  vkGetPhysicalDeviceProperties2(gpu.physical, &p);
  gpu.require(limits.sampleLocationSampleCounts & n, "sampleLocationSampleCounts");
  return limits;
}

/// Positions in sixteenths, other ones for each pixel of the grid; no two share an x or a y when n <= 15.
std::vector<VkSampleLocationEXT> locations(const VkPhysicalDeviceSampleLocationsPropertiesEXT& limits, uint32_t n,
                                           VkExtent2D grid, uint64_t seed) {
  Random random(seed);
  std::vector<VkSampleLocationEXT> list;
  for (uint32_t pixel = 0; pixel < grid.width * grid.height; ++pixel) {
    uint32_t turn = random.below(16), flip = random.below(2);
    for (uint32_t k = 0; k < n; ++k) {
      auto sixteenth = [&](uint32_t v) {
        return std::clamp(float(v % 16) / 16, limits.sampleLocationCoordinateRange[0],
                          limits.sampleLocationCoordinateRange[1]);
      };
      list.push_back({sixteenth(k * 3 + turn), sixteenth((flip ? 15 - k : k) * 5 + turn * 7)});
    }
  }
  return list;
}

void coverage(Gpu& gpu, uint32_t n, bool dynamic, bool vertical, int sixteenth, bool wholeGrid) {
  auto limits = requireLocations(gpu, n);
  gpu.require(gpu.limits().subPixelPrecisionBits >= 5, "edges between the lines of the sample grid");
  gpu.require(limits.sampleLocationSubPixelBits >= 4, "sampleLocationSubPixelBits");
  VkMultisamplePropertiesEXT grid{VK_STRUCTURE_TYPE_MULTISAMPLE_PROPERTIES_EXT};
  auto query = reinterpret_cast<PFN_vkGetPhysicalDeviceMultisamplePropertiesEXT>(
      vkGetInstanceProcAddr(gpu.instance, "vkGetPhysicalDeviceMultisamplePropertiesEXT"));
  query(gpu.physical, VkSampleCountFlagBits(n), &grid);
  ASSERT_GE(grid.maxSampleLocationGridSize.width, 1u);
  ASSERT_GE(grid.maxSampleLocationGridSize.height, 1u);
  VkExtent2D used = wholeGrid ? grid.maxSampleLocationGridSize : VkExtent2D{1, 1};
  auto list = locations(limits, n, used, uint64_t(sixteenth) + 7);
  VkSampleLocationsInfoEXT info{VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT,
                                nullptr,
                                VkSampleCountFlagBits(n),
                                used,
                                uint32_t(list.size()),
                                list.data()};
  VkPipelineSampleLocationsStateCreateInfoEXT state{VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT,
                                                    nullptr, VK_TRUE, info};
  VkDynamicState word = VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT;
  VkPipelineDynamicStateCreateInfo dynamicState{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 1,
                                                &word};
  Image image = gpu.image({.format = VK_FORMAT_R32G32B32A32_SFLOAT,
                           .width = size,
                           .height = size,
                           .samples = VkSampleCountFlagBits(n),
                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
  gpu.clear(image, {});
  float edge = 3 + float(sixteenth) / 16 + 1.0f / 32;
  DrawState s;
  std::string e = text("%.9g", double(edge) / 4 - 1);
  // What is left of (or above) an edge, as one triangle.
  s.vert = "#version 450\nvoid main() { vec2 p = gl_VertexIndex == 2 ? vec2(" + e + " - 40.0, 0.0) : vec2(" + e +
           ", gl_VertexIndex == 0 ? -30.0 : 30.0); gl_Position = vec4(" + (vertical ? "p.yx" : "p") +
           ", 0.0, 1.0); }\n";
  bool positions = gpu.features.features.sampleRateShading && limits.variableSampleLocations;
  s.frag = writes(positions ? "vec4(1.0, gl_SamplePosition, 1.0)" : "vec4(1.0)");
  s.colors = {image};
  s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
  s.multisample.pNext = &state;
  if (dynamic) {
    // What the pipeline says is ignored.
    static const VkSampleLocationEXT wrong[16] = {};
    state.sampleLocationsInfo.pSampleLocations = wrong;
    state.sampleLocationsInfo.sampleLocationGridSize = {1, 1};
    state.sampleLocationsInfo.sampleLocationsCount = n;
    s.dynamic = &dynamicState;
    auto set = gpu.proc<PFN_vkCmdSetSampleLocationsEXT>("vkCmdSetSampleLocationsEXT");
    s.commands = [set, &info](VkCommandBuffer cmd) {
      set(cmd, &info);
      vkCmdDraw(cmd, 3, 1, 0, 0);
    };
  }
  draw(gpu, s);
  auto got = samplesOf(gpu, image);
  for (uint32_t p = 0; p < size * size; ++p) {
    uint32_t x = p % size, y = p / size;
    const VkSampleLocationEXT* at = &list[(y % used.height * used.width + x % used.width) * n];
    for (uint32_t k = 0; k < n; ++k) {
      float place = vertical ? float(y) + at[k].y : float(x) + at[k].x;
      const float* v = &got[(k * size * size + p) * 4];
      ASSERT_EQ(v[0] != 0, place < edge) << "pixel " << x << "," << y << " sample " << k << " at " << at[k].x << ","
                                         << at[k].y;
      if (v[0] == 0 || !positions) continue;
      ASSERT_FLOAT_EQ(v[1], at[k].x) << "gl_SamplePosition of sample " << k;
      ASSERT_FLOAT_EQ(v[2], at[k].y) << "gl_SamplePosition of sample " << k;
    }
  }
}

}  // namespace

void registerSampleLocations() {
  for (uint32_t n : {1u, 2u, 4u, 8u, 16u}) {
    for (bool dynamic : {false, true})
      for (bool vertical : {false, true})
        for (bool wholeGrid : {false, true})
          for (int sixteenth : {0, 3, 8, 13})
            add(text("multisample.locations.x%u.%s.%s.%s.at%d", n, dynamic ? "dynamic" : "pipeline",
                     wholeGrid ? "grid" : "pixel", vertical ? "y" : "x", sixteenth),
                [=](Gpu& gpu) { coverage(gpu, n, dynamic, vertical, sixteenth, wholeGrid); });
    add(text("multisample.locations.x%u.depth", n), [=](Gpu& gpu) {
      // Depth is that of the chosen place: a plane whose depth is x against a constant one.
      auto limits = requireLocations(gpu, n);
      gpu.require(gpu.limits().framebufferDepthSampleCounts & n, "depth samples");
      auto list = locations(limits, n, {1, 1}, 99);
      VkPipelineSampleLocationsStateCreateInfoEXT state{
          VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT,
          nullptr,
          VK_TRUE,
          {VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT, nullptr, VkSampleCountFlagBits(n), {1, 1}, n, list.data()}};
      Image image = gpu.image({.format = VK_FORMAT_R32G32B32A32_SFLOAT,
                               .width = size,
                               .height = size,
                               .samples = VkSampleCountFlagBits(n),
                               .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
      Image depth = gpu.image({.format = VK_FORMAT_D32_SFLOAT,
                               .width = size,
                               .height = size,
                               .samples = VkSampleCountFlagBits(n),
                               .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                               .flags = VK_IMAGE_CREATE_SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_BIT_EXT});
      gpu.clear(image, {});
      VkClearValue clear;
      clear.depthStencil = {3.46875f / 16 + 0.25f, 0};
      gpu.clear(depth, clear);
      DrawState s;
      s.vert =
          "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, "
          "gl_VertexIndex == 1 ? 1.25 : 0.25, 1); }\n";
      s.frag = writes("vec4(1.0)");
      s.colors = {image};
      s.depth = &depth;
      s.depthStencil.depthTestEnable = VK_TRUE;
      s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS;
      s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
      s.multisample.pNext = &state;
      draw(gpu, s);
      auto got = samplesOf(gpu, image);
      for (uint32_t k = 0; k < n; ++k)
        for (uint32_t p = 0; p < 64; ++p)
          ASSERT_EQ(got[(k * 64 + p) * 4] != 0, float(p % 8) + list[k].x < 3.46875f)
              << "pixel " << p << " sample " << k;
    });
  }
}

}  // namespace etzel::cts
