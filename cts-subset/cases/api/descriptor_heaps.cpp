// VK_EXT_descriptor_heap: bindings that are mapped to heaps in every way there is, shaders that reach into heaps
// themselves, and bytes that are no descriptors. The headers of Debian 12 do not have the extension, nor its assembler
// the instructions.
#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/shader/spirv_words.h"
#include "cts-subset/support/gpu.h"

namespace etzel::cts {
namespace {

constexpr const char* kExtension = "VK_EXT_descriptor_heap";

VkStructureType structure(uint32_t offset) { return VkStructureType(1000135000 + offset); }

struct HostRange {
  void* address;
  size_t bytes;
};
struct DeviceRange {
  VkDeviceAddress address;
  VkDeviceSize bytes;
};
struct TexelInfo {
  VkStructureType sType = structure(0);
  const void* pNext = nullptr;
  VkFormat format;
  DeviceRange range;
};
struct ImageInfo {
  VkStructureType sType = structure(1);
  const void* pNext = nullptr;
  const VkImageViewCreateInfo* view;
  VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
};
struct ResourceInfo {
  VkStructureType sType = structure(2);
  const void* pNext = nullptr;
  VkDescriptorType type;
  const void* data;
};
struct BindInfo {
  VkStructureType sType = structure(3);
  const void* pNext = nullptr;
  DeviceRange heap;
  VkDeviceSize reservedOffset, reservedBytes;
};
struct PushInfo {
  VkStructureType sType = structure(4);
  const void* pNext = nullptr;
  uint32_t offset;
  const void* data;
  size_t bytes;
};
enum Source : uint32_t {
  kConstant,
  kPushIndex,
  kIndirectIndex,
  kIndirectArray,
  kHeapData,
  kPushData,
  kPushAddress,
  kIndirectAddress
};
struct ConstantOffset {
  uint32_t heapOffset = 0, arrayStride = 0;
  const VkSamplerCreateInfo* embedded = nullptr;
  uint32_t samplerOffset = 0, samplerStride = 0;
};
struct PushIndex {
  uint32_t heapOffset = 0, pushOffset = 0, indexStride = 0, arrayStride = 0;
  const VkSamplerCreateInfo* embedded = nullptr;
  VkBool32 packed = VK_FALSE;
  uint32_t samplerOffset = 0, samplerPush = 0, samplerIndexStride = 0, samplerArrayStride = 0;
};
struct IndirectIndex {
  uint32_t heapOffset = 0, pushOffset = 0, addressOffset = 0, indexStride = 0, arrayStride = 0;
  const VkSamplerCreateInfo* embedded = nullptr;
  VkBool32 packed = VK_FALSE;
  uint32_t samplerOffset = 0, samplerPush = 0, samplerAddress = 0, samplerIndexStride = 0, samplerArrayStride = 0;
};
struct IndirectArray {
  uint32_t heapOffset = 0, pushOffset = 0, addressOffset = 0, indexStride = 0;
  const VkSamplerCreateInfo* embedded = nullptr;
  VkBool32 packed = VK_FALSE;
  uint32_t samplerOffset = 0, samplerPush = 0, samplerAddress = 0, samplerIndexStride = 0;
};
struct Mapping {
  VkStructureType sType = structure(5);
  const void* pNext = nullptr;
  uint32_t set = 0, first, count = 1, resources = 0x7FFFFFFF;
  Source source;
  union {
    ConstantOffset constant;
    PushIndex pushIndex;
    IndirectIndex indirect;
    IndirectArray indirectArray;
    uint32_t words[2];  ///< offsets: of heap data and push data, in push data, behind two addresses
  };
  Mapping(uint32_t binding, const ConstantOffset& d) : first(binding), source(kConstant), constant(d) {}
  Mapping(uint32_t binding, const PushIndex& d) : first(binding), source(kPushIndex), pushIndex(d) {}
  Mapping(uint32_t binding, const IndirectIndex& d) : first(binding), source(kIndirectIndex), indirect(d) {}
  Mapping(uint32_t binding, const IndirectArray& d) : first(binding), source(kIndirectArray), indirectArray(d) {}
  Mapping(uint32_t binding, Source s, uint32_t a, uint32_t b = 0) : first(binding), source(s), words{a, b} {}
};
struct MappingInfo {
  VkStructureType sType = structure(6);
  const void* pNext = nullptr;
  uint32_t count;
  const Mapping* mappings;
};
struct Flags2 {
  VkStructureType sType = VkStructureType(1000470005);
  const void* pNext = nullptr;
  uint64_t flags = 1ull << 36;
};

constexpr uint32_t kPitch = 128;  // bytes from descriptor to descriptor: no descriptor is larger
constexpr VkDeviceSize kHeapBytes = 64 * 1024;
constexpr VkBufferUsageFlags kHeapUsage = 1u << 28;

/// Both heaps, with what the driver reserves at their ends, and a compute pipeline.
class Heaps {
 public:
  explicit Heaps(Gpu& device) : gpu_(device) {
    gpu_.requireFeatures(kExtension, 1);
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &can};
    vkGetPhysicalDeviceProperties2(gpu_.physical, &all);
    resources = gpu_.buffer(kHeapBytes + can.resourceReserved, nullptr, kHeapUsage);
    samplers = gpu_.buffer(kHeapBytes + can.samplerReservedEmbedded, nullptr, kHeapUsage);
  }

  HostRange slot(const Buffer& heap, uint32_t n) const { return {heap.as<uint8_t>() + n * kPitch, kPitch}; }
  void write(uint32_t n, VkDescriptorType type, const void* data) const {
    ResourceInfo info;
    info.type = type, info.data = data;
    const HostRange to = slot(resources, n);
    ASSERT_EQ(gpu_.proc<VkResult(VKAPI_PTR*)(VkDevice, uint32_t, const ResourceInfo*, const HostRange*)>(
                  "vkWriteResourceDescriptorsEXT")(gpu_.device, 1, &info, &to),
              VK_SUCCESS);
  }
  void storage(uint32_t n, const Buffer& b) const {
    const DeviceRange range{b.address, b.size};
    write(n, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &range);
  }
  void image(uint32_t n, const Image& image, VkFormat format, VkDescriptorType type) const {
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image.handle, view.viewType = VK_IMAGE_VIEW_TYPE_2D, view.format = format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    ImageInfo info;
    info.view = &view;
    write(n, type, &info);
  }
  void sampler(uint32_t n, const VkSamplerCreateInfo& info) const {
    const HostRange to = slot(samplers, n);
    ASSERT_EQ(gpu_.proc<VkResult(VKAPI_PTR*)(VkDevice, uint32_t, const VkSamplerCreateInfo*, const HostRange*)>(
                  "vkWriteSamplerDescriptorsEXT")(gpu_.device, 1, &info, &to),
              VK_SUCCESS);
  }

  void makePipeline(VkShaderModule module, const std::vector<Mapping>& mappings = {}) {
    MappingInfo mapped;
    mapped.count = uint32_t(mappings.size()), mapped.mappings = mappings.data();
    const Flags2 flags;
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, &mapped};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    pipeline_ = gpu_.make(info);
  }
  void makePipeline(const std::string& glsl, const std::vector<Mapping>& mappings) {
    makePipeline(gpu_.shader(VK_SHADER_STAGE_COMPUTE_BIT, glsl), mappings);
  }
  void push(VkCommandBuffer cmd, uint32_t offset, const void* data, size_t bytes) const {
    PushInfo info;
    info.offset = offset, info.data = data, info.bytes = bytes;
    gpu_.proc<void(VKAPI_PTR*)(VkCommandBuffer, const PushInfo*)>("vkCmdPushDataEXT")(cmd, &info);
  }
  void bind(VkCommandBuffer cmd) const {
    const auto bindOne = [&](const char* name, const Buffer& heap, VkDeviceSize reserved) {
      BindInfo info;
      info.heap = {heap.address, heap.size}, info.reservedOffset = kHeapBytes, info.reservedBytes = reserved;
      gpu_.proc<void(VKAPI_PTR*)(VkCommandBuffer, const BindInfo*)>(name)(cmd, &info);
    };
    bindOne("vkCmdBindResourceHeapEXT", resources, can.resourceReserved);
    bindOne("vkCmdBindSamplerHeapEXT", samplers, can.samplerReservedEmbedded);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  }
  /// Binds all, has `before` push its data, and dispatches one workgroup.
  void run(const std::function<void(VkCommandBuffer)>& before = [](VkCommandBuffer) {}) const {
    gpu_.submit([&](VkCommandBuffer cmd) {
      bind(cmd);
      before(cmd);
      vkCmdDispatch(cmd, 1, 1, 1);
    });
  }

  struct Properties {
    VkStructureType sType = structure(8);
    void* pNext = nullptr;
    VkDeviceSize samplerAlignment, resourceAlignment, mostSamplers, mostResources;
    VkDeviceSize samplerReserved, samplerReservedEmbedded, resourceReserved;
    VkDeviceSize samplerBytes, imageBytes, bufferBytes, samplerStep, imageStep, bufferStep, pushBytes;
    size_t captured;
    uint32_t embeddedSamplers, conversionSamplers;
    VkBool32 sparse, isProtected;
  } can{};
  Buffer resources, samplers;

 private:
  Gpu& gpu_;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

Buffer numbers(Gpu& gpu, uint32_t step) {
  Buffer b = gpu.buffer(64);
  for (uint32_t i = 0; i < 16; ++i) b.as<uint32_t>()[i] = i * step;
  return b;
}

const std::string kHead =
    "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\nlayout(local_size_x=16) in;\n"
    "layout(binding=0) buffer R { uint r[]; };\n";
const std::string kArray = kHead +
                           "layout(binding=1) buffer A { uint a[]; } all[4];\n"
                           "void main() { uint i = gl_LocalInvocationIndex; r[i] = all[nonuniformEXT(i & 3)].a[i]; }\n";

/// Results at slot 0, four buffers from slot 4 on, each `step` slots behind the other.
Buffer arrayOf(Gpu& gpu, const Heaps& h, uint32_t step) {
  Buffer out = gpu.buffer(64);
  h.storage(0, out);
  for (uint32_t k = 0; k < 4; ++k) h.storage(4 + k * step, numbers(gpu, 10 + k));
  return out;
}
void expectArray(const Buffer& out) {
  for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], i * (10 + (i & 3))) << i;
}

void constantCase(Gpu& gpu) {
  Heaps h(gpu);
  ConstantOffset array;
  array.heapOffset = 4 * kPitch, array.arrayStride = 3 * kPitch;
  h.makePipeline(kArray, {{0, ConstantOffset{}}, {1, array}});
  const Buffer out = arrayOf(gpu, h, 3);
  h.run();
  expectArray(out);
}

void pushIndexCase(Gpu& gpu) {
  Heaps h(gpu);
  PushIndex array;
  array.heapOffset = kPitch, array.pushOffset = 20, array.indexStride = kPitch, array.arrayStride = 2 * kPitch;
  h.makePipeline(kArray, {{0, ConstantOffset{}}, {1, array}});
  const Buffer out = arrayOf(gpu, h, 2);
  const uint32_t data[] = {99, 3};
  h.run([&](VkCommandBuffer cmd) { h.push(cmd, 16, data, sizeof data); });
  expectArray(out);
}

void indirectIndexCase(Gpu& gpu, bool each) {
  Heaps h(gpu);
  IndirectArray ofEach;
  ofEach.heapOffset = kPitch, ofEach.pushOffset = 24, ofEach.addressOffset = 4, ofEach.indexStride = kPitch;
  IndirectIndex first;
  first.heapOffset = kPitch, first.pushOffset = 24, first.addressOffset = 4, first.indexStride = kPitch;
  first.arrayStride = 2 * kPitch;
  h.makePipeline(kArray, {{0, ConstantOffset{}}, each ? Mapping(1, ofEach) : Mapping(1, first)});
  const Buffer out = arrayOf(gpu, h, 2);
  const Buffer indices = gpu.buffer(std::vector<uint32_t>{77, 3, 5, 7, 9});
  h.run([&](VkCommandBuffer cmd) { h.push(cmd, 24, &indices.address, 8); });
  expectArray(out);
}

/// Buffers that no descriptor names: in the heap, in the push data, behind an address, behind two; of the last only
/// what the shader uses is looked at.
void memoryCase(Gpu& gpu) {
  Heaps h(gpu);
  h.makePipeline(kHead +
                     "layout(binding=1) uniform A { uvec4 a[4]; };\nlayout(binding=2) uniform B { uvec4 b[2]; };\n"
                     "layout(binding=3) buffer C { uint c[]; };\nlayout(binding=4) readonly buffer D { uint d[]; };\n"
                     "void main() { uint i = gl_LocalInvocationIndex; r[i] = a[i / 4][i % 4] + b[i / 8][i / 2 % 4] + "
                     "c[i] + d[i]; c[i] = i; }\n",
                 {{0, ConstantOffset{}},
                  {1, kHeapData, 1024, 8},
                  {2, kPushData, 32},
                  {3, kPushAddress, 16},
                  {4, kIndirectAddress, 0, 8},
                  {9, kIndirectAddress, 128, 8}});
  const Buffer out = gpu.buffer(64), c = numbers(gpu, 100), d = numbers(gpu, 1000);
  h.storage(0, out);
  for (uint32_t i = 0; i < 16; ++i) h.resources.as<uint32_t>()[(1024 + 512) / 4 + i] = i;
  const Buffer addresses = gpu.buffer(std::vector<uint64_t>{0, d.address});
  struct {
    VkDeviceAddress behind;
    uint32_t heapOffset = 512, unused = 0;
    VkDeviceAddress c, more = 0;
    uint32_t b[8];
  } push;
  push.behind = addresses.address, push.c = c.address;
  for (uint32_t i = 0; i < 8; ++i) push.b[i] = i * 10;
  const uint64_t garbage = 1;
  h.run([&](VkCommandBuffer cmd) {
    h.push(cmd, 0, &push, sizeof push);
    h.push(cmd, 128, &garbage, sizeof garbage);
  });
  for (uint32_t i = 0; i < 16; ++i) {
    ASSERT_EQ(out.as<uint32_t>()[i], i * 1101 + i / 2 * 10) << i;
    ASSERT_EQ(c.as<uint32_t>()[i], i);
  }
}

/// Every kind of descriptor, and a null descriptor.
void kindsCase(Gpu& gpu) {
  Heaps h(gpu);
  gpu.require(gpu.robustness2.nullDescriptor, "nullDescriptor");
  ConstantOffset all;
  all.arrayStride = kPitch;
  Mapping mapping(0, all);
  mapping.count = 6;
  h.makePipeline(kHead +
                     "layout(binding=1) uniform U { uvec4 u[4]; };\nlayout(binding=2) uniform utextureBuffer t;\n"
                     "layout(binding=3, r32ui) uniform uimageBuffer s;\n"
                     "layout(binding=4, r32ui) uniform uimage2D p;\nlayout(binding=5) buffer N { uint n[]; };\n"
                     "void main() {\n  int i = int(gl_LocalInvocationIndex);\n"
                     "  r[i] = u[i / 4][i % 4] + texelFetch(t, i).x + imageLoad(s, i).x +\n"
                     "         imageAtomicAdd(p, ivec2(i, 0), 5u) + n.length();\n  imageStore(s, i, uvec4(i));\n}\n",
                 {mapping});
  const Buffer out = gpu.buffer(64), u = numbers(gpu, 1), t = numbers(gpu, 10), s = numbers(gpu, 100);
  const Image image = gpu.image({.format = VK_FORMAT_R32_UINT, .width = 16, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
  const Buffer texels = numbers(gpu, 1000);
  gpu.upload(image, texels.data, 64);
  h.storage(0, out);
  const DeviceRange uniform{u.address, u.size};
  h.write(1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &uniform);
  TexelInfo fetched, stored;
  fetched.format = stored.format = VK_FORMAT_R32_UINT;
  fetched.range = {t.address, t.size}, stored.range = {s.address, s.size};
  h.write(2, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, &fetched);
  h.write(3, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, &stored);
  h.image(4, image, VK_FORMAT_R32_UINT, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
  h.write(5, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, nullptr);
  h.run();
  for (uint32_t i = 0; i < 16; ++i) {
    ASSERT_EQ(out.as<uint32_t>()[i], 1111 * i);
    ASSERT_EQ(s.as<uint32_t>()[i], i);
  }
}

enum class Sampled { Heap, Embedded, Packed };

/// A combined image sampler, whose image and sampler are found apart from each other, and a sampler of its own that
/// goes the other way.
void samplersCase(Gpu& gpu, Sampled how) {
  Heaps h(gpu);
  VkSamplerCreateInfo repeat{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO}, mirror = repeat;
  repeat.addressModeU = VK_SAMPLER_ADDRESS_MODE_REPEAT, mirror.addressModeU = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
  Mapping combined(1, ConstantOffset{}), alone(2, ConstantOffset{}), texture(3, ConstantOffset{});
  combined.constant.heapOffset = texture.constant.heapOffset = 2 * kPitch;
  combined.constant.samplerOffset = 3 * kPitch, alone.constant.heapOffset = 5 * kPitch;
  if (how == Sampled::Embedded) combined.constant.embedded = &repeat, alone.constant.embedded = &mirror;
  if (how == Sampled::Packed) {
    PushIndex packed;
    packed.heapOffset = kPitch, packed.indexStride = packed.samplerIndexStride = kPitch, packed.packed = VK_TRUE;
    packed.pushOffset = 4, packed.samplerOffset = kPitch;
    combined = {1, packed};
  }
  h.makePipeline(kHead +
                     "layout(binding=1) uniform sampler2D c;\nlayout(binding=2) uniform sampler s;\n"
                     "layout(binding=3) uniform texture2D t;\n"
                     "void main() { uint i = gl_LocalInvocationIndex; vec2 at = vec2((i + 2.5) / 4, 0.5);\n"
                     "  r[i] = uint(textureLod(c, at, 0).x * 255.0 + 0.5) * 256 + "
                     "uint(textureLod(sampler2D(t, s), at, 0).x * 255.0 + 0.5); }\n",
                 {{0, ConstantOffset{}}, combined, alone, texture});
  const Image image = gpu.image({.format = VK_FORMAT_R8_UNORM, .width = 4, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  const uint8_t texels[4] = {10, 20, 30, 40};
  gpu.upload(image, texels, 4);
  const Buffer out = gpu.buffer(64);
  h.storage(0, out);
  h.image(2, image, VK_FORMAT_R8_UNORM, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE);
  if (how != Sampled::Embedded) h.sampler(3, repeat), h.sampler(5, mirror);
  const uint32_t packed = 2u << 20 | 1u;
  h.run([&](VkCommandBuffer cmd) { h.push(cmd, 4, &packed, sizeof packed); });
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t n = (i + 2) % 8;
    ASSERT_EQ(out.as<uint32_t>()[i], texels[n % 4] * 256u + texels[n < 4 ? n : 7 - n]) << i;
  }
}

/// A shader that reaches into the heap itself: buffers by an index that it computes, a texel of an image, and words
/// that lie between the descriptors.
void builtInCase(Gpu& gpu) {
  Heaps h(gpu);
  const std::string any = unknownInstruction(4417, "%any 0"), anyBuffer = unknownInstruction(4417, "%anyBuffer 12"),
                    anyTexel = unknownInstruction(4417, "%anyTexel 11");
  std::string t =
      "OpCapability Shader\nOpCapability !5128\nOpCapability !4473\nOpExtension \"SPV_EXT_descriptor_heap\"\n"
      "OpExtension \"SPV_KHR_untyped_pointers\"\nOpMemoryModel Logical GLSL450\n"
      "OpEntryPoint GLCompute %main \"main\" %laneVar %heap\nOpExecutionMode %main LocalSize 16 1 1\n"
      "OpDecorate %laneVar BuiltIn LocalInvocationIndex\n!0x00040047 %heap 11 5123\n" +
      text("OpDecorate %%slots ArrayStride %u\nOpDecorate %%images ArrayStride %u\n", kPitch, kPitch) +
      "OpDecorate %words ArrayStride 4\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
      "%void = OpTypeVoid\n%u32 = OpTypeInt 32 0\n%words = OpTypeRuntimeArray %u32\n%block = OpTypeStruct %words\n" +
      "%image = OpTypeImage %u32 2D 0 0 0 2 R32ui\n%v2 = OpTypeVector %u32 2\n%lanePtr = OpTypePointer Input %u32\n";
  for (const uint32_t n : {0u, 1u, 2u, 3u, 5u, 8u, 512u}) t += text("%%c%u = OpConstant %%u32 %u\n", n, n);
  t += any + anyBuffer + anyTexel + unknownInstruction(5115, "%buffer 12") +
       "%slots = OpTypeRuntimeArray %buffer\n%images = OpTypeRuntimeArray %image\n" +
       unknownInstruction(5129, "%u32 %size %buffer") + unknownInstruction(4418, "%any %heap 0") +
       "%laneVar = OpVariable %lanePtr Input\n%fn = OpTypeFunction %void\n"
       "%main = OpFunction %void None %fn\n%entry = OpLabel\n%lane = OpLoad %u32 %laneVar\nOpNop\n" +
       // The descriptor of the buffer to read from: slot 1 + lane % 2.
       unknownInstruction(4419, "%any %outSlot %slots %heap %c0") +
       unknownInstruction(5119, "%anyBuffer %out %outSlot") +
       "%odd = OpBitwiseAnd %u32 %lane %c1\n%from = OpIAdd %u32 %odd %c1\n" +
       unknownInstruction(4419, "%any %inSlot %slots %heap %from") +
       unknownInstruction(5119, "%anyBuffer %in %inSlot") +
       unknownInstruction(4419, "%anyBuffer %inWord %block %in %c0 %lane") + "%x = OpLoad %u32 %inWord\nOpNop\n" +
       unknownInstruction(4419, "%any %imageSlot %images %heap %c3") +
       "%at = OpCompositeConstruct %v2 %lane %c0\nOpNop\n" +
       unknownInstruction(5126, "%anyTexel %texel %image %imageSlot %at %c0") +
       "%y = OpAtomicIAdd %u32 %texel %c1 %c0 %c5\n%word = OpIAdd %u32 %lane %c512\nOpNop\n" +
       unknownInstruction(4419, "%any %dataWord %words %heap %word") +
       "%z = OpLoad %u32 %dataWord\n"
       "%xy = OpIAdd %u32 %x %y\n%xyz = OpIAdd %u32 %xy %z\n%sum = OpIAdd %u32 %xyz %size\nOpNop\n" +
       unknownInstruction(4419, "%anyBuffer %outWord %block %out %c0 %lane") +
       "OpStore %outWord %sum\nOpReturn\nOpFunctionEnd\n";
  h.makePipeline(gpu.assemble(t, false));
  const Buffer out = gpu.buffer(64);
  h.storage(0, out), h.storage(1, numbers(gpu, 10)), h.storage(2, numbers(gpu, 20));
  const Image image = gpu.image({.format = VK_FORMAT_R32_UINT, .width = 16, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
  const Buffer texels = numbers(gpu, 1000);
  gpu.upload(image, texels.data, 64);
  h.image(3, image, VK_FORMAT_R32_UINT, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
  for (uint32_t i = 0; i < 16; ++i) h.resources.as<uint32_t>()[512 + i] = i * 100000;
  h.run();
  const uint32_t bytes = out.as<uint32_t>()[0];
  EXPECT_TRUE(bytes > 0 && bytes <= h.can.bufferBytes) << bytes;
  for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], i * (i % 2 ? 101020 : 101010) + bytes) << i;
}

/// What is written to a heap between dispatches shows behind the barrier.
void barrierCase(Gpu& gpu) {
  Heaps h(gpu);
  ConstantOffset next;
  next.heapOffset = kPitch;
  h.makePipeline(kHead +
                     "layout(binding=1) buffer A { uint a[]; };\n"
                     "void main() { uint i = gl_LocalInvocationIndex; r[i] = r[i] * 1000 + a[i]; }\n",
                 {{0, ConstantOffset{}}, {1, next}});
  const Buffer out = gpu.buffer(64);
  h.storage(0, out), h.storage(1, numbers(gpu, 1)), h.storage(2, numbers(gpu, 2));
  gpu.submit([&](VkCommandBuffer cmd) {
    h.bind(cmd);
    vkCmdDispatch(cmd, 1, 1, 1);
    fullBarrier(cmd);
    const VkBufferCopy copy{2 * kPitch, kPitch, kPitch};
    vkCmdCopyBuffer(cmd, h.resources.handle, h.resources.handle, 1, &copy);
    fullBarrier(cmd);
    vkCmdDispatch(cmd, 1, 1, 1);
  });
  for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], i * 1002);
}

/// Indices of border colours: the one that was asked for, then the least that nobody has.
void borderColorsCase(Gpu& gpu) {
  gpu.requireFeatures(kExtension, 1);
  gpu.requireExtension(VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME);
  VkSamplerCustomBorderColorCreateInfoEXT color{VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT};
  color.format = VK_FORMAT_R8G8B8A8_UNORM;
  const auto take =
      gpu.proc<VkResult(VKAPI_PTR*)(VkDevice, const VkSamplerCustomBorderColorCreateInfoEXT*, VkBool32, uint32_t*)>(
          "vkRegisterCustomBorderColorEXT");
  const auto give = gpu.proc<void(VKAPI_PTR*)(VkDevice, uint32_t)>("vkUnregisterCustomBorderColorEXT");
  uint32_t asked = 1, first = 9, second = 9;
  ASSERT_EQ(take(gpu.device, &color, VK_TRUE, &asked), VK_SUCCESS);
  ASSERT_EQ(asked, 1u);
  ASSERT_EQ(take(gpu.device, &color, VK_FALSE, &first), VK_SUCCESS);
  ASSERT_EQ(take(gpu.device, &color, VK_FALSE, &second), VK_SUCCESS);
  EXPECT_TRUE(first != 1 && second != 1 && first != second);
  give(gpu.device, asked);
  ASSERT_EQ(take(gpu.device, &color, VK_TRUE, &asked), VK_SUCCESS);
  for (const uint32_t index : {asked, first, second}) give(gpu.device, index);
}

}  // namespace

void registerDescriptorHeaps() {
  add("api.descriptor_heap.constant_offset", constantCase);
  add("api.descriptor_heap.push_index", pushIndexCase);
  add("api.descriptor_heap.indirect_index", [](Gpu& gpu) { indirectIndexCase(gpu, false); });
  add("api.descriptor_heap.indirect_index_array", [](Gpu& gpu) { indirectIndexCase(gpu, true); });
  add("api.descriptor_heap.memory", memoryCase);
  add("api.descriptor_heap.kinds", kindsCase);
  add("api.descriptor_heap.sampler.heap", [](Gpu& gpu) { samplersCase(gpu, Sampled::Heap); });
  add("api.descriptor_heap.sampler.embedded", [](Gpu& gpu) { samplersCase(gpu, Sampled::Embedded); });
  add("api.descriptor_heap.sampler.packed_index", [](Gpu& gpu) { samplersCase(gpu, Sampled::Packed); });
  add("api.descriptor_heap.built_in", builtInCase);
  add("api.descriptor_heap.barrier", barrierCase);
  add("api.descriptor_heap.border_colors", borderColorsCase);
}

}  // namespace etzel::cts
