// Attributes that advance by instances: every divisor, from every first instance ("Vertex Attribute Divisor in
// Instanced Rendering").
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kElements = 32;

void divisor(Gpu& gpu, uint32_t divisor, uint32_t instances, uint32_t first) {
  gpu.require(gpu.features.features.vertexPipelineStoresAndAtomics, "vertexPipelineStoresAndAtomics");
  if (divisor != 1) {
    gpu.requireExtension(VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME);
    VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT has{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &has};
    vkGetPhysicalDeviceFeatures2(gpu.physical, &features);
    gpu.require(has.vertexAttributeInstanceRateDivisor, "vertexAttributeInstanceRateDivisor");
    gpu.require(divisor || has.vertexAttributeInstanceRateZeroDivisor, "vertexAttributeInstanceRateZeroDivisor");
  }
  std::vector<uint32_t> elements;
  for (uint32_t i = 0; i < kElements; ++i) elements.push_back(1000 + 7 * i);
  Buffer out = gpu.buffer(kElements * 4);
  Image target = gpu.image({.width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  DrawState s;
  s.vert =
      "#version 450\nlayout(location=0) in uint element;\nlayout(binding=0) buffer R { uint r[]; };\nvoid main() { "
      "r[gl_InstanceIndex] = element; gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 1.0; }\n";
  s.frag = writes("vec4(1.0)");
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.colors = {target};
  s.bindings = {storage(out)};
  s.vertices = gpu.buffer(elements);
  s.attributes = {{VK_FORMAT_R32_UINT, 0}};
  s.stride = 4;
  s.rate = VK_VERTEX_INPUT_RATE_INSTANCE;
  s.vertexCount = 1, s.instanceCount = instances, s.firstInstance = first;
  const VkVertexInputBindingDivisorDescriptionEXT description{0, divisor};
  VkPipelineVertexInputDivisorStateCreateInfoEXT state{
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT};
  state.vertexBindingDivisorCount = 1;
  state.pVertexBindingDivisors = &description;
  if (divisor != 1) s.vertexInputNext = &state;
  draw(gpu, s);
  for (uint32_t i = 0; i < instances; ++i)
    EXPECT_EQ(out.as<uint32_t>()[first + i], elements[first + (divisor ? i / divisor : 0)]) << "instance " << first + i;
}

}  // namespace

void registerInstancing() {
  for (uint32_t d : {0u, 1u, 2u, 3u, 7u})
    for (uint32_t instances : {1u, 6u, 17u})
      for (uint32_t first : {0u, 5u})
        // A first instance other than 0 with a divisor other than 1 is optional (supportsNonZeroFirstInstance).
        if (first == 0 || d == 1)
          add(text("draw.divisor%u.instances%u.from%u", d, instances, first),
              [=](Gpu& gpu) { divisor(gpu, d, instances, first); });
}

}  // namespace etzel::cts
