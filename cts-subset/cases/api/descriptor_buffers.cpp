// VK_EXT_descriptor_buffer: sets that a case writes into buffers byte by byte, of every kind of descriptor, beside
// pushed ones and embedded samplers.
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/gpu.h"

namespace etzel::cts {
namespace {

/// One binding of a set, and what is in it: `count` elements, all of one type.
struct Slot {
  VkDescriptorType type;
  uint32_t count = 1;
  std::vector<VkSampler> samplers = {};  ///< immutable
  VkDescriptorBindingFlags flags = 0;
};

/// Sets in one buffer, and a compute pipeline with them.
class DescriptorBuffer {
 public:
  explicit DescriptorBuffer(Gpu& device) : gpu_(device) {
    gpu_.requireExtension(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &can};
    vkGetPhysicalDeviceProperties2(gpu_.physical, &all);
    buffer = gpu_.buffer(
        64 * 1024, nullptr,
        VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT);
  }

  /// Appends the layout of the next set. \returns its number
  uint32_t addSet(const std::vector<Slot>& slots, VkDescriptorSetLayoutCreateFlags flags = 0) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    std::vector<VkDescriptorBindingFlags> bindingFlags;
    for (uint32_t i = 0; i < slots.size(); ++i) {
      bindings.push_back({i, slots[i].type, slots[i].count, VK_SHADER_STAGE_COMPUTE_BIT,
                          slots[i].samplers.empty() ? nullptr : slots[i].samplers.data()});
      bindingFlags.push_back(slots[i].flags);
    }
    const VkDescriptorSetLayoutBindingFlagsCreateInfo next{
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, uint32_t(bindingFlags.size()),
        bindingFlags.data()};
    const VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &next,
                                               flags | VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                               uint32_t(bindings.size()), bindings.data()};
    layouts.push_back(gpu_.make(info));
    return uint32_t(layouts.size() - 1);
  }

  /// A place in the buffer for a set of that layout, one step behind those before.
  VkDeviceSize placeFor(uint32_t set) {
    VkDeviceSize bytes = 0;
    gpu_.proc<PFN_vkGetDescriptorSetLayoutSizeEXT>("vkGetDescriptorSetLayoutSizeEXT")(gpu_.device, layouts[set],
                                                                                      &bytes);
    const VkDeviceSize step = can.descriptorBufferOffsetAlignment, at = end_ + step;
    end_ = (at + bytes + step - 1) / step * step;
    if (end_ > buffer.size) throw Failure("the sets do not fit");
    return at;
  }
  /// Where a binding lies in a set at `place`.
  uint8_t* at(VkDeviceSize place, uint32_t set, uint32_t binding) const {
    VkDeviceSize offset = 0;
    gpu_.proc<PFN_vkGetDescriptorSetLayoutBindingOffsetEXT>("vkGetDescriptorSetLayoutBindingOffsetEXT")(
        gpu_.device, layouts[set], binding, &offset);
    return buffer.as<uint8_t>() + place + offset;
  }
  void write(uint8_t* to, VkDescriptorType type, VkDescriptorDataEXT data, size_t bytes) const {
    const VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, nullptr, type, data};
    gpu_.proc<PFN_vkGetDescriptorEXT>("vkGetDescriptorEXT")(gpu_.device, &info, bytes, to);
  }
  void writeStorage(uint8_t* to, const Buffer& b) const {
    const VkDescriptorAddressInfoEXT info = addressOf(b);
    VkDescriptorDataEXT data;
    data.pStorageBuffer = &info;
    write(to, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data, storageBytes());
  }
  /// Features that are enabled decide which of the sizes counts.
  size_t storageBytes() const { return can.robustStorageBufferDescriptorSize; }
  static VkDescriptorAddressInfoEXT addressOf(const Buffer& b, VkFormat format = VK_FORMAT_UNDEFINED) {
    return {VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, nullptr, b.address, b.size, format};
  }

  void makePipeline(const std::string& glsl) {
    const VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0,
                                                uint32_t(layouts.size()), layouts.data()};
    layout = gpu_.make(layoutInfo);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, nullptr,
                                     VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = gpu_.shader(VK_SHADER_STAGE_COMPUTE_BIT, glsl);
    info.stage.pName = "main";
    info.layout = layout;
    pipeline_ = gpu_.make(info);
  }
  void bind(VkCommandBuffer cmd) const {
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    const VkDescriptorBufferBindingInfoEXT info{
        VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr, buffer.address,
        VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT};
    gpu_.proc<PFN_vkCmdBindDescriptorBuffersEXT>("vkCmdBindDescriptorBuffersEXT")(cmd, 1, &info);
  }
  void set(VkCommandBuffer cmd, uint32_t number, VkDeviceSize place) const {
    const uint32_t first = 0;
    gpu_.proc<PFN_vkCmdSetDescriptorBufferOffsetsEXT>("vkCmdSetDescriptorBufferOffsetsEXT")(
        cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, number, 1, &first, &place);
  }

  VkPhysicalDeviceDescriptorBufferPropertiesEXT can{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
  Buffer buffer;
  std::vector<VkDescriptorSetLayout> layouts;
  VkPipelineLayout layout = VK_NULL_HANDLE;

 private:
  Gpu& gpu_;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDeviceSize end_ = 0;
};

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

Buffer numbers(Gpu& gpu, uint32_t step) {
  Buffer b = gpu.buffer(64);
  for (uint32_t i = 0; i < 16; ++i) b.as<uint32_t>()[i] = i * step;
  return b;
}

/// Two dispatches with the same sets the other way round.
void offsetsCase(Gpu& gpu) {
  DescriptorBuffer d(gpu);
  const uint32_t from = d.addSet({{kStorage}}), to = d.addSet({{kStorage}});
  d.makePipeline(
      "#version 450\nlayout(local_size_x=16) in;\nlayout(set=0, binding=0) buffer A { uint a[]; };\n"
      "layout(set=1, binding=0) buffer R { uint r[]; };\n"
      "void main() { uint i = gl_LocalInvocationIndex; r[i] += a[i]; }\n");
  const Buffer a = numbers(gpu, 1), b = numbers(gpu, 100);
  const VkDeviceSize places[2] = {d.placeFor(from), d.placeFor(to)};
  d.writeStorage(d.at(places[0], from, 0), a);
  d.writeStorage(d.at(places[1], to, 0), b);
  gpu.submit([&](VkCommandBuffer cmd) {
    d.bind(cmd);
    d.set(cmd, 0, places[0]), d.set(cmd, 1, places[1]);
    vkCmdDispatch(cmd, 1, 1, 1);
    fullBarrier(cmd);
    d.set(cmd, 0, places[1]), d.set(cmd, 1, places[0]);
    vkCmdDispatch(cmd, 1, 1, 1);
  });
  for (uint32_t i = 0; i < 16; ++i) {
    ASSERT_EQ(b.as<uint32_t>()[i], 101 * i);
    ASSERT_EQ(a.as<uint32_t>()[i], 102 * i);
  }
}

/// Elements of an array that the shader chooses; the last binding has fewer elements than its layout says.
void arrayCase(Gpu& gpu, bool variable) {
  gpu.require(gpu.features12.descriptorBindingVariableDescriptorCount, "descriptorBindingVariableDescriptorCount");
  gpu.require(gpu.features12.shaderStorageBufferArrayNonUniformIndexing, "nonuniform indices");
  DescriptorBuffer d(gpu);
  const VkDescriptorBindingFlags flags =
      variable ? VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT | VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT : 0;
  const uint32_t set = d.addSet({{kStorage}, {kStorage, variable ? 9u : 4u, {}, flags}});
  d.makePipeline(
      "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\nlayout(local_size_x=16) in;\n"
      "layout(binding=0) buffer R { uint r[]; };\nlayout(binding=1) buffer A { uint a[]; } all[];\n"
      "void main() { uint i = gl_LocalInvocationIndex; r[i] = all[nonuniformEXT(i & 3)].a[i]; }\n");
  const VkDeviceSize place = d.placeFor(set);
  const Buffer out = gpu.buffer(64);
  d.writeStorage(d.at(place, set, 0), out);
  for (uint32_t k = 0; k < 4; ++k) d.writeStorage(d.at(place, set, 1) + k * d.storageBytes(), numbers(gpu, 10 + k));
  gpu.submit([&](VkCommandBuffer cmd) {
    d.bind(cmd);
    d.set(cmd, 0, place);
    vkCmdDispatch(cmd, 1, 1, 1);
  });
  for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], i * (10 + (i & 3)));
}

/// Every kind of descriptor that has no sampler, and a null descriptor.
void kindsCase(Gpu& gpu) {
  DescriptorBuffer d(gpu);
  const uint32_t set = d.addSet({{kStorage},
                                 {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
                                 {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER},
                                 {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER},
                                 {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                                 {kStorage}});
  d.makePipeline(
      "#version 450\nlayout(local_size_x=16) in;\nlayout(binding=0) buffer R { uint r[]; };\n"
      "layout(binding=1) uniform U { uvec4 u[4]; };\nlayout(binding=2) uniform utextureBuffer t;\n"
      "layout(binding=3, r32ui) uniform uimageBuffer s;\nlayout(binding=4, r32ui) uniform uimage2D p;\n"
      "layout(binding=5) buffer N { uint n[]; };\n"
      "void main() {\n  int i = int(gl_LocalInvocationIndex);\n"
      "  r[i] = u[i / 4][i % 4] + texelFetch(t, i).x + imageLoad(s, i).x + imageLoad(p, ivec2(i, 0)).x + n.length();\n"
      "  imageStore(s, i, uvec4(i));\n}\n");
  const Buffer out = gpu.buffer(64), u = numbers(gpu, 1), t = numbers(gpu, 10), s = numbers(gpu, 100);
  const Image image = gpu.image({.format = VK_FORMAT_R32_UINT, .width = 16, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
  const Buffer texels = numbers(gpu, 1000);
  gpu.upload(image, texels.data, 64);
  const VkDeviceSize place = d.placeFor(set);
  d.writeStorage(d.at(place, set, 0), out);
  VkDescriptorDataEXT data;
  const VkDescriptorAddressInfoEXT uniform = d.addressOf(u), fetched = d.addressOf(t, VK_FORMAT_R32_UINT),
                                   stored = d.addressOf(s, VK_FORMAT_R32_UINT);
  const VkDescriptorImageInfo viewed{VK_NULL_HANDLE, image.view, VK_IMAGE_LAYOUT_GENERAL};
  data.pUniformBuffer = &uniform;
  d.write(d.at(place, set, 1), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, data, d.can.robustUniformBufferDescriptorSize);
  data.pUniformTexelBuffer = &fetched;
  d.write(d.at(place, set, 2), VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, data,
          d.can.robustUniformTexelBufferDescriptorSize);
  data.pStorageTexelBuffer = &stored;
  d.write(d.at(place, set, 3), VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, data,
          d.can.robustStorageTexelBufferDescriptorSize);
  data.pStorageImage = &viewed;
  d.write(d.at(place, set, 4), VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, data, d.can.storageImageDescriptorSize);
  data.pStorageBuffer = nullptr;
  gpu.require(gpu.robustness2.nullDescriptor, "nullDescriptor");
  d.write(d.at(place, set, 5), kStorage, data, d.storageBytes());
  gpu.submit([&](VkCommandBuffer cmd) {
    d.bind(cmd);
    d.set(cmd, 0, place);
    vkCmdDispatch(cmd, 1, 1, 1);
  });
  for (uint32_t i = 0; i < 16; ++i) {
    ASSERT_EQ(out.as<uint32_t>()[i], 1111 * i);
    ASSERT_EQ(s.as<uint32_t>()[i], i);
  }
}

/// The bytes of an inline uniform block lie in the descriptor buffer themselves.
void inlineCase(Gpu& gpu) {
  gpu.require(gpu.features13.inlineUniformBlock, "inlineUniformBlock");
  DescriptorBuffer d(gpu);
  const uint32_t set = d.addSet({{kStorage}, {VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 64}, {kStorage}});
  d.makePipeline(
      "#version 450\nlayout(local_size_x=16) in;\nlayout(binding=0) buffer R { uint r[]; };\n"
      "layout(binding=1) uniform U { uvec4 u[4]; };\nlayout(binding=2) buffer A { uint a[]; };\n"
      "void main() { uint i = gl_LocalInvocationIndex; r[i] = u[i / 4][i % 4] + a[i]; }\n");
  const Buffer out = gpu.buffer(64), a = numbers(gpu, 7);
  const VkDeviceSize places[2] = {d.placeFor(set), d.placeFor(set)};
  for (uint32_t k = 0; k < 2; ++k) {
    d.writeStorage(d.at(places[k], set, 0), out);
    uint32_t values[16];
    for (uint32_t i = 0; i < 16; ++i) values[i] = (k + 1) * 1000 + i;
    memcpy(d.at(places[k], set, 1), values, sizeof values);
    d.writeStorage(d.at(places[k], set, 2), a);
  }
  for (uint32_t k = 0; k < 2; ++k) {
    gpu.submit([&](VkCommandBuffer cmd) {
      d.bind(cmd);
      d.set(cmd, 0, places[k]);
      vkCmdDispatch(cmd, 1, 1, 1);
    });
    for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], (k + 1) * 1000 + 8 * i);
  }
}

/// Samplers that are written into the set, immutable but written all the same, or embedded in the layout of another.
void samplersCase(Gpu& gpu, bool embedded, bool immutable) {
  DescriptorBuffer d(gpu);
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.addressModeU = VK_SAMPLER_ADDRESS_MODE_REPEAT;
  const VkSampler sampler = gpu.sampler(info);
  const std::vector<VkSampler> own = immutable ? std::vector{sampler} : std::vector<VkSampler>{};
  const VkDescriptorType kind = embedded ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  const uint32_t set = d.addSet({{kStorage}, {kind, 1, embedded ? std::vector<VkSampler>{} : own}});
  if (embedded)
    d.addSet({{VK_DESCRIPTOR_TYPE_SAMPLER, 1, {sampler}}},
             VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT);
  const std::string head = "#version 450\nlayout(local_size_x=16) in;\nlayout(binding=0) buffer R { uint r[]; };\n";
  const std::string body =
      "void main() { uint i = gl_LocalInvocationIndex; r[i] = uint(textureLod(IMAGE, vec2((i + 2.5) / 4, 0.5), 0).x * "
      "255.0 + 0.5); }\n";
  std::string glsl = head +
                     (embedded ? "layout(binding=1) uniform texture2D t;\nlayout(set=1, binding=0) uniform "
                                 "sampler s;\n#define IMAGE sampler2D(t, s)\n"
                               : "layout(binding=1) uniform sampler2D t;\n#define IMAGE t\n") +
                     body;
  d.makePipeline(glsl);
  const Image image = gpu.image({.format = VK_FORMAT_R8_UNORM, .width = 4, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  const uint8_t texels[4] = {10, 20, 30, 40};
  gpu.upload(image, texels, 4);
  const Buffer out = gpu.buffer(64);
  const VkDeviceSize place = d.placeFor(set);
  d.writeStorage(d.at(place, set, 0), out);
  const VkDescriptorImageInfo viewed{embedded ? VK_NULL_HANDLE : sampler, image.view, VK_IMAGE_LAYOUT_GENERAL};
  VkDescriptorDataEXT data;
  data.pCombinedImageSampler = &viewed;
  d.write(d.at(place, set, 1), kind, data,
          embedded ? d.can.sampledImageDescriptorSize : d.can.combinedImageSamplerDescriptorSize);
  gpu.submit([&](VkCommandBuffer cmd) {
    d.bind(cmd);
    d.set(cmd, 0, place);
    if (embedded)
      gpu.proc<PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT>("vkCmdBindDescriptorBufferEmbeddedSamplersEXT")(
          cmd, VK_PIPELINE_BIND_POINT_COMPUTE, d.layout, 1);
    vkCmdDispatch(cmd, 1, 1, 1);
  });
  for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], texels[(i + 2) % 4]) << i;
}

/// One set in the buffer, another one pushed.
void pushedCase(Gpu& gpu) {
  DescriptorBuffer d(gpu);
  gpu.requireExtension(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  gpu.require(d.can.bufferlessPushDescriptors, "bufferlessPushDescriptors");
  const uint32_t set = d.addSet({{kStorage}});
  d.addSet({{kStorage}}, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  d.makePipeline(
      "#version 450\nlayout(local_size_x=16) in;\nlayout(set=0, binding=0) buffer R { uint r[]; };\n"
      "layout(set=1, binding=0) buffer A { uint a[]; };\n"
      "void main() { uint i = gl_LocalInvocationIndex; r[i] = r[i] * 1000 + a[i]; }\n");
  const Buffer out = gpu.buffer(64), a = numbers(gpu, 1), b = numbers(gpu, 2);
  const VkDeviceSize place = d.placeFor(set);
  d.writeStorage(d.at(place, set, 0), out);
  gpu.submit([&](VkCommandBuffer cmd) {
    d.bind(cmd);
    d.set(cmd, 0, place);
    for (const Buffer& pushed : {a, b}) {
      const VkDescriptorBufferInfo info{pushed.handle, 0, VK_WHOLE_SIZE};
      const VkWriteDescriptorSet write = vktest::write(VK_NULL_HANDLE, 0, kStorage, &info);
      gpu.proc<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR")(cmd, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                                           d.layout, 1, 1, &write);
      vkCmdDispatch(cmd, 1, 1, 1);
      fullBarrier(cmd);
    }
  });
  for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], i * 1002);
}

}  // namespace

void registerDescriptorBuffers() {
  add("api.descriptor_buffer.offsets", offsetsCase);
  add("api.descriptor_buffer.array", [](Gpu& gpu) { arrayCase(gpu, false); });
  add("api.descriptor_buffer.variable_count", [](Gpu& gpu) { arrayCase(gpu, true); });
  add("api.descriptor_buffer.kinds", kindsCase);
  add("api.descriptor_buffer.inline_block", inlineCase);
  add("api.descriptor_buffer.sampler.written", [](Gpu& gpu) { samplersCase(gpu, false, false); });
  add("api.descriptor_buffer.sampler.immutable", [](Gpu& gpu) { samplersCase(gpu, false, true); });
  add("api.descriptor_buffer.sampler.embedded", [](Gpu& gpu) { samplersCase(gpu, true, true); });
  add("api.descriptor_buffer.pushed", pushedCase);
}

}  // namespace etzel::cts
