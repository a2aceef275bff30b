// Raw buffer access: every load width at every word offset, out of bounds per component, null descriptors, zero-sized
// ranges, dynamic offsets; "Robust Buffer Access" and VK_EXT_robustness2.
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

std::vector<uint32_t> pattern(size_t n) {
  std::vector<uint32_t> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = uint32_t(i * 2654435761u ^ 0xa5a5a5a5u);
  return v;
}

const char* type(uint32_t components) {
  static const char* names[] = {"", "uint", "uvec2", "uvec3", "uvec4"};
  return names[components];
}

/// Words of `components` at a byte offset, seen through a scalar-layout block at a misaligned place.
void unaligned(Gpu& gpu, uint32_t components, uint32_t shift, bool store) {
  gpu.require(gpu.features12.scalarBlockLayout, "scalarBlockLayout");
  auto data = pattern(128);
  Buffer a = gpu.buffer(data), b = gpu.buffer(128 * 4);
  std::string head = "#version 450\n#extension GL_EXT_scalar_block_layout : require\nlayout(local_size_x=16) in;\n";
  std::string shape = text("{ uint head[%u]; %s body[]; }", shift, type(components));
  Dispatch d;
  if (store)
    d.glsl =
        head +
        text(
            "layout(binding=0) buffer A { uint a[]; };\nlayout(binding=1, scalar) buffer R %s r;\nvoid main() { uint i "
            "= gl_LocalInvocationIndex; %s v; for (int k = 0; k < %u; ++k) v%s = a[i * %u + k]; r.body[i] = v; }\n",
            shape.c_str(), type(components), components, components == 1 ? "" : "[k]", components);
  else
    d.glsl =
        head +
        text(
            "layout(binding=0, scalar) buffer A %s a;\nlayout(binding=1) buffer R { uint r[]; };\nvoid main() { uint i "
            "= gl_LocalInvocationIndex; %s v = a.body[i]; for (int k = 0; k < %u; ++k) r[i * %u + k] = v%s; }\n",
            shape.c_str(), type(components), components, components, components == 1 ? "" : "[k]");
  d.bindings = {storage(a), storage(b)};
  gpu.dispatch(d);
  for (uint32_t i = 0; i < 16 * components; ++i)
    ASSERT_EQ(b.as<uint32_t>()[i + (store ? shift : 0)], data[i + (store ? 0 : shift)]) << i;
  if (store) {
    for (uint32_t i = 0; i < shift; ++i) ASSERT_EQ(b.as<uint32_t>()[i], 0u) << "before the body";
  }
}

/// A range of `words` words; element i of `components` words lies partly or wholly beyond it.
void outOfBounds(Gpu& gpu, uint32_t components, uint32_t words, int kind) {
  gpu.requireExtension(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
  gpu.require(gpu.robustness2.robustBufferAccess2, "robustBufferAccess2");
  gpu.require(gpu.features12.scalarBlockLayout, "scalarBlockLayout");
  VkPhysicalDeviceRobustness2PropertiesEXT granularity{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &granularity};
  vkGetPhysicalDeviceProperties2(gpu.physical, &p);
  auto data = pattern(256);
  Buffer a = gpu.buffer(data), b = gpu.buffer(256 * 4);
  memset(b.data, 0xee, 256 * 4);
  uint32_t n = 32;
  std::string head = "#version 450\n#extension GL_EXT_scalar_block_layout : require\nlayout(local_size_x=32) in;\n";
  Dispatch d;
  bool isStore = kind == 1, isUniform = kind == 2;
  uint32_t bound = words;
  if (isUniform) {
    bound = uint32_t((words * 4 + granularity.robustUniformBufferAccessSizeAlignment - 1) /
                     granularity.robustUniformBufferAccessSizeAlignment *
                     granularity.robustUniformBufferAccessSizeAlignment / 4);
    d.glsl = head + text(
                        "layout(binding=0, scalar) uniform A { %s a[32]; };\nlayout(binding=1, scalar) buffer R { %s "
                        "r[]; };\nvoid main() { uint i = gl_LocalInvocationIndex; r[i] = a[i]; }\n",
                        type(components), type(components));
    d.bindings = {uniform(a, 0, words * 4), storage(b)};
  } else {
    bound = uint32_t((words * 4 + granularity.robustStorageBufferAccessSizeAlignment - 1) /
                     granularity.robustStorageBufferAccessSizeAlignment *
                     granularity.robustStorageBufferAccessSizeAlignment / 4);
    d.glsl = head + text(
                        "layout(binding=0, scalar) buffer A { %s a[]; };\nlayout(binding=1, scalar) buffer R { %s r[]; "
                        "};\nvoid main() { uint i = gl_LocalInvocationIndex; r[i] = a[i]; }\n",
                        type(components), type(components));
    d.bindings = isStore ? std::vector<Binding>{storage(a), storage(b, 0, words * 4)}
                         : std::vector<Binding>{storage(a, 0, words * 4), storage(b)};
  }
  gpu.dispatch(d);
  for (uint32_t i = 0; i < n * components; ++i) {
    const uint32_t outside = isStore ? 0xeeeeeeeeu : 0;
    uint32_t got = b.as<uint32_t>()[i], want = i < bound ? data[i] : outside;
    // "Robust Buffer Access": an access wider than 32 bits "may be treated as multiple 32-bit accesses", or as one.
    const bool isPart = i < bound && (i / components + 1) * components > bound;
    if (isPart && got == outside) continue;
    ASSERT_EQ(got, want) << "word " << i << " of a range of " << words;
  }
}

void nullDescriptor(Gpu& gpu, int kind) {
  gpu.requireExtension(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
  gpu.require(gpu.robustness2.nullDescriptor, "nullDescriptor");
  Buffer out = gpu.buffer(256);
  memset(out.data, 0xee, 256);
  static const char* declarations[] = {
      "buffer A { uvec4 a[]; };", "uniform A { uvec4 a[4]; };", "uniform usampler2D a;",
      "uniform uimage2D a;",      "uniform usamplerBuffer a;",  "uniform uimageBuffer a;",
      "buffer A { uvec4 a[]; };", "buffer A { uvec4 a[]; };",   "uniform usampler2D a;"};
  static const char* uses[] = {"a[i]",
                               "a[i % 4]",
                               "texelFetch(a, ivec2(i), 0)",
                               "imageLoad(a, ivec2(i))",
                               "texelFetch(a, int(i))",
                               "imageLoad(a, int(i))",
                               "uvec4(uint(a.length()))",
                               "uvec4(atomicAdd(a[i].x, 5u))",
                               "uvec4(textureSize(a, 0), 0, 0)"};
  static const VkDescriptorType types[] = {
      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,         VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
      VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,   VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
  Binding none{types[kind]};
  none.buffer.range = VK_WHOLE_SIZE;
  none.image.sampler = kind == 2 || kind == 8 ? gpu.sampler() : VK_NULL_HANDLE;
  std::string layout = kind == 3 ? "binding=0, rgba32ui" : kind == 5 ? "binding=0, rgba32ui" : "binding=0";
  Dispatch d{"#version 450\nlayout(local_size_x=16) in;\nlayout(" + layout + ") " + declarations[kind] +
             "\nlayout(binding=1) buffer R { uvec4 r[]; };\nvoid main() { uint i = gl_LocalInvocationIndex; r[i] = " +
             uses[kind] + "; }\n"};
  d.bindings = {none, storage(out)};
  gpu.dispatch(d);
  for (int i = 0; i < 64; ++i) {
    uint32_t got = out.as<uint32_t>()[i];
    // Atomics return an undefined value; the device must live.
    if (kind == 7) continue;
    bool isImage = kind == 2 || kind == 3 || kind == 4 || kind == 5;
    if (isImage && i % 4 == 3) {
      ASSERT_TRUE(got == 0 || got == 1) << "alpha of a null image";
    } else {
      ASSERT_EQ(got, 0u) << i;
    }
  }
}

/// VK_EXT_shader_uniform_buffer_unsized_array: what a uniform buffer has behind its last member's first element. In
/// assembly, as compilers may be older; `stride` is in bytes.
void uniformArray(Gpu& gpu, uint32_t stride) {
  gpu.requireFeatures("VK_EXT_shader_uniform_buffer_unsized_array", 1);
  constexpr uint32_t kElements = 32;
  const std::vector<uint32_t> data = pattern(4 + kElements * stride / 4);
  Buffer in = gpu.buffer(data), out = gpu.buffer(4 * kElements);
  Dispatch d;
  d.module = gpu.assemble(
      "OpCapability Shader\nOpExtension \"SPV_KHR_storage_buffer_storage_class\"\nOpMemoryModel Logical GLSL450\n"
      "OpEntryPoint GLCompute %main \"main\" %laneVar %in %out\nOpExecutionMode %main LocalSize 32 1 1\n"
      "OpDecorate %laneVar BuiltIn LocalInvocationIndex\nOpDecorate %tail ArrayStride " +
          std::to_string(stride) +
          "\nOpDecorate %words ArrayStride 4\nOpDecorate %uniform Block\nOpDecorate %storage Block\n"
          "OpMemberDecorate %uniform 0 Offset 0\nOpMemberDecorate %uniform 1 Offset 16\n"
          "OpMemberDecorate %storage 0 Offset 0\n"
          "OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 0\n"
          "OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 1\n"
          "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n"
          "%tail = OpTypeRuntimeArray %u32\n%words = OpTypeRuntimeArray %u32\n"
          "%uniform = OpTypeStruct %u32 %tail\n%storage = OpTypeStruct %words\n"
          "%uniformPtr = OpTypePointer Uniform %uniform\n%storagePtr = OpTypePointer StorageBuffer %storage\n"
          "%inWord = OpTypePointer Uniform %u32\n%outWord = OpTypePointer StorageBuffer %u32\n"
          "%in = OpVariable %uniformPtr Uniform\n%out = OpVariable %storagePtr StorageBuffer\n"
          "%lanePtr = OpTypePointer Input %u32\n%laneVar = OpVariable %lanePtr Input\n"
          "%c0 = OpConstant %u32 0\n%c1 = OpConstant %u32 1\n"
          "%main = OpFunction %void None %fn\n%entry = OpLabel\n%lane = OpLoad %u32 %laneVar\n"
          "%from = OpAccessChain %inWord %in %c1 %lane\n%word = OpLoad %u32 %from\n"
          "%to = OpAccessChain %outWord %out %c0 %lane\nOpStore %to %word\nOpReturn\nOpFunctionEnd\n",
      false);
  d.bindings = {uniform(in), storage(out)};
  gpu.dispatch(d);
  for (uint32_t i = 0; i < kElements; ++i) ASSERT_EQ(out.as<uint32_t>()[i], data[4 + i * stride / 4]) << i;
}

}  // namespace

void registerBufferAccess() {
  for (uint32_t components = 1; components <= 4; ++components)
    for (uint32_t shift = 1; shift <= 7; ++shift)
      for (bool store : {false, true})
        add(text("buffer.unaligned.%s.vec%u.words%u", store ? "store" : "load", components, shift),
            [=](Gpu& gpu) { unaligned(gpu, components, shift, store); });
  static const char* kinds[] = {"load", "store", "uniform"};
  for (int kind = 0; kind < 3; ++kind)
    for (uint32_t components = 1; components <= 4; ++components)
      for (uint32_t words : {1u, 2u, 3u, 5u, 7u, 10u, 16u, 31u})
        add(text("robustness.buffer.%s.vec%u.words%u", kinds[kind], components, words),
            [=](Gpu& gpu) { outOfBounds(gpu, components, words, kind); });
  static const char* nulls[] = {"storage_buffer", "uniform_buffer", "sampled_image", "storage_image", "uniform_texels",
                                "storage_texels", "length",         "atomic",        "texture_size"};
  for (int kind = 0; kind < 9; ++kind)
    add(text("robustness.null_descriptor.%s", nulls[kind]), [=](Gpu& gpu) { nullDescriptor(gpu, kind); });
  for (bool isUniform : {false, true})
    for (uint32_t step : {0u, 1u, 2u, 5u})
      add(text("buffer.dynamic_offset.%s.step%u", isUniform ? "uniform" : "storage", step), [=](Gpu& gpu) {
        uint32_t align = uint32_t(isUniform ? gpu.limits().minUniformBufferOffsetAlignment
                                            : gpu.limits().minStorageBufferOffsetAlignment);
        align = std::max(align, 16u);
        auto data = pattern(align * 2 + 64);
        Buffer a = gpu.buffer(data), out = gpu.buffer(64);
        Binding binding = isUniform ? uniform(a, 0, 64) : storage(a, 0, 64);
        binding.type =
            isUniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
        Dispatch d{std::string("#version 450\nlayout(local_size_x=4) in;\nlayout(binding=0) ") +
                   (isUniform ? "uniform" : "buffer") +
                   " A { uvec4 a[4]; };\nlayout(binding=1) buffer R { uvec4 r[]; };\nvoid main() { "
                   "r[gl_LocalInvocationIndex] = a[gl_LocalInvocationIndex]; }\n"};
        d.bindings = {binding, storage(out)};
        d.dynamicOffsets = {align * step};
        gpu.dispatch(d);
        for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], data[align * step / 4 + i]) << i;
      });
  add("buffer.uniform_array.std140", [](Gpu& gpu) { uniformArray(gpu, 16); });
  add("buffer.uniform_array.scalar", [](Gpu& gpu) { uniformArray(gpu, 4); });
  for (uint32_t bytes : {4u, 8u, 12u, 16u, 20u, 100u, 256u})
    add(text("buffer.length.bytes%u", bytes), [=](Gpu& gpu) {
      Buffer a = gpu.buffer(512), out = gpu.buffer(16);
      Dispatch d{
          "#version 450\nlayout(binding=0) buffer A { uint a[]; };\nlayout(binding=1) buffer R { uint r[]; "
          "};\nlayout(binding=2) buffer C { uint head; uvec2 c[]; };\nvoid main() { r[0] = a.length(); r[1] = "
          "c.length(); }\n"};
      d.bindings = {storage(a, 0, bytes), storage(out), storage(a, 0, bytes)};
      gpu.dispatch(d);
      EXPECT_EQ(out.as<uint32_t>()[0], bytes / 4);
      EXPECT_EQ(out.as<uint32_t>()[1], bytes < 8 ? 0 : (bytes - 8) / 8);
    });
  for (uint32_t bytes : {0u, 8u, 256u})
    add(text("buffer.device_address.at%u", bytes), [=](Gpu& gpu) {
      gpu.require(gpu.features12.bufferDeviceAddress && gpu.features.features.shaderInt64, "bufferDeviceAddress");
      auto data = pattern(128);
      Buffer a = gpu.buffer(data), out = gpu.buffer(64);
      uint64_t address[2] = {a.address + bytes, out.address};
      Dispatch d{
          "#version 450\n#extension GL_EXT_buffer_reference : require\n#extension GL_ARB_gpu_shader_int64 : "
          "require\nlayout(local_size_x=16) in;\nlayout(buffer_reference, buffer_reference_align=4) buffer W { uint "
          "w[]; };\nlayout(push_constant) uniform P { W a; W r; };\nvoid main() { r.w[gl_LocalInvocationIndex] = "
          "a.w[gl_LocalInvocationIndex] + 1; }\n"};
      d.push.assign(reinterpret_cast<uint8_t*>(address), reinterpret_cast<uint8_t*>(address + 2));
      gpu.dispatch(d);
      for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], data[bytes / 4 + i] + 1);
    });
}

}  // namespace etzel::cts
