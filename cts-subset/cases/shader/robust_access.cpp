// Access beyond the end of texel buffers, images, vertex buffers and arrays of no elements, element by element: nothing
// is written, zero is read ("Robust Buffer Access", "Robust Image Access", VK_EXT_robustness2).
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/shader/robust_samples.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

void require2(Gpu& gpu, bool image) {
  gpu.requireExtension(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
  gpu.require(image ? gpu.robustness2.robustImageAccess2 : gpu.robustness2.robustBufferAccess2, "robustness2");
}

struct TexelFormat {
  VkFormat format;
  const char *name, *glsl, *prefix;
  uint32_t bytes, components;
};
const TexelFormat texelFormats[] = {{VK_FORMAT_R32_UINT, "r32ui", "r32ui", "u", 4, 1},
                                    {VK_FORMAT_R32G32B32A32_UINT, "rgba32ui", "rgba32ui", "u", 16, 4},
                                    {VK_FORMAT_R8G8B8A8_UNORM, "rgba8", "rgba8", "", 4, 4},
                                    {VK_FORMAT_R32_SFLOAT, "r32f", "r32f", "", 4, 1}};

/// 16 texels of a buffer of 64 are visible; 48 invocations look at -8 … 39.
void texelBuffer(Gpu& gpu, const TexelFormat& f, bool storageKind, bool write) {
  require2(gpu, false);
  auto need = storageKind ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT : VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
  if (!(gpu.formatFeatures(f.format, true) & need)) throw NotSupported("format feature");
  Buffer b =
      gpu.buffer(64 * f.bytes, nullptr,
                 storageKind ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT : VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
  Buffer out = gpu.buffer(48 * 16);
  memset(b.data, 0xff, b.size);
  memset(out.data, 0xee, out.size);
  uint32_t offset = uint32_t(gpu.limits().minTexelBufferOffsetAlignment);
  offset = std::max(offset, 16u) % (16 * f.bytes);
  Binding texels{};
  texels.type = storageKind ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  texels.texels = gpu.texels(b, f.format, offset, 16 * f.bytes);
  std::string p = f.prefix, type = p + "vec4";
  Dispatch d{"#version 450\nlayout(local_size_x=48) in;\nlayout(binding=0" +
             (storageKind ? std::string(", ") + f.glsl : std::string()) + ") uniform " + p +
             (storageKind ? "imageBuffer" : "samplerBuffer") + " t;\nlayout(binding=1) buffer R { " + type +
             " r[]; };\nvoid main() { int i = int(gl_LocalInvocationIndex); " +
             (write ? "imageStore(t, i - 8, " + type + "(0));"
                    : std::string("r[i] = ") + (storageKind ? "imageLoad" : "texelFetch") + "(t, i - 8);") +
             " }\n"};
  d.bindings = {texels, storage(out)};
  gpu.dispatch(d);
  for (int i = 0; i < 48; ++i) {
    bool inside = i >= 8 && i < 24;
    if (write) continue;
    for (uint32_t c = 0; c < 4; ++c) {
      uint32_t got = out.as<uint32_t>()[i * 4 + int(c)];
      if (inside && f.format == VK_FORMAT_R32_SFLOAT && c == 0) continue;  // all ones are no number
      uint32_t one = *f.prefix ? 1u : 0x3f800000u;
      uint32_t want = inside ? (c < f.components ? (*f.prefix ? ~0u : one) : c == 3 ? one : 0) : 0;
      // "(0, 0, 0) with alpha 0 or 1" outside
      if (!inside && c == 3 && f.components < 4 && got == one) continue;
      ASSERT_EQ(got, want) << "texel " << i - 8 << " component " << c;
    }
  }
  for (uint32_t i = 0; i < 64 * f.bytes; ++i) {
    bool zero = write && i >= offset && i < offset + 16 * f.bytes;
    ASSERT_EQ(b.as<uint8_t>()[i], zero ? 0 : 0xff) << "byte " << i;
  }
}

/// Loads and stores around an image of 5 x 4 x 3 (or layers), some beyond every side.
void storageImageCase(Gpu& gpu, VkImageViewType type, bool write) {
  require2(gpu, true);
  bool is3d = type == VK_IMAGE_VIEW_TYPE_3D, is1d = type == VK_IMAGE_VIEW_TYPE_1D,
       array = type == VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  ImageDesc desc{
      .format = VK_FORMAT_R32_UINT, .width = 5, .height = is1d ? 1u : 4u, .usage = VK_IMAGE_USAGE_STORAGE_BIT};
  desc.type = is1d ? VK_IMAGE_TYPE_1D : is3d ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  desc.view = type;
  if (is3d) desc.depth = 3;
  // The view shows layers 1 … 3 of five, so that "outside" has texels too.
  if (array) desc.layers = 5;
  Image image = gpu.image(desc);
  std::vector<uint32_t> data(5 * desc.height * desc.depth, 0xabcd0000u);
  for (uint32_t i = 0; i < data.size(); ++i) data[i] += i;
  for (uint32_t layer = 0; layer < desc.layers; ++layer) gpu.upload(image, data.data(), data.size() * 4, 0, layer);
  VkImageView view = array ? gpu.view(image, type, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 3}, desc.format) : image.view;
  Buffer out = gpu.buffer(16 * 16 * 16 * 4);
  memset(out.data, 0xee, out.size);
  std::string kind = is1d    ? "uimage1D"
                     : is3d  ? "uimage3D"
                     : array ? "uimage2DArray"
                             : "uimage2D",
              p = is1d            ? "p.x"
                  : is3d || array ? "p"
                                  : "p.xy";
  Dispatch d{
      "#version 450\nlayout(local_size_x=16) in;\nlayout(binding=0, r32ui) uniform " + kind +
      " t;\nlayout(binding=1) buffer R { uint r[]; };\nvoid main() { ivec3 p = ivec3(gl_GlobalInvocationID) - 5; uint "
      "at = (gl_GlobalInvocationID.z * 16u + gl_GlobalInvocationID.y) * 16u + gl_GlobalInvocationID.x;\n" +
      (write ? "imageStore(t, " + p + ", uvec4(7u));" : "r[at] = imageLoad(t, " + p + ").r;") + " }\n"};
  d.bindings = {storageImage(view), storage(out)};
  // Each texel is stored once.
  d.y = write && is1d ? 1 : 16, d.z = write && !is3d && !array ? 1 : 16;
  gpu.dispatch(d);
  int depth = is3d ? 3 : array ? 3 : 1, height = int(desc.height);
  for (int z = 0; z < 16 && !write; ++z)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x) {
        int px = x - 5, py = is1d ? 0 : y - 5, pz = is3d || array ? z - 5 : 0;
        bool inside = px >= 0 && px < 5 && py >= 0 && py < height && pz >= 0 && pz < depth;
        uint32_t want = inside ? 0xabcd0000u + uint32_t(((is3d ? pz : 0) * height + py) * 5 + px) : 0;
        ASSERT_EQ(out.as<uint32_t>()[(z * 16 + y) * 16 + x], want) << px << "," << py << "," << pz;
      }
  for (uint32_t layer = 0; layer < desc.layers; ++layer) {
    auto bytes = gpu.download(image, 4, 0, layer);
    for (uint32_t i = 0; i < data.size(); ++i) {
      uint32_t got;
      memcpy(&got, &bytes[i * 4], 4);
      bool hit = write && (!array || (layer >= 1 && layer <= 3));
      ASSERT_EQ(got, hit ? 7 : data[i]) << "texel " << i << " of layer " << layer;
    }
  }
}

/// texelFetch beyond the image, its levels and its layers.
void fetchOutside(Gpu& gpu, int what) {
  require2(gpu, true);
  Image image = gpu.image({.format = VK_FORMAT_R32G32B32A32_UINT,
                           .width = 8,
                           .height = 8,
                           .layers = 2,
                           .levels = 3,
                           .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  VkClearValue ones{};
  for (auto& c : ones.color.uint32) c = 0x11111111u;
  gpu.clear(image, ones);
  Buffer out = gpu.buffer(64 * 16);
  static const char* calls[] = {"texelFetch(t, ivec3(i - 16, 3, 1), 0)", "texelFetch(t, ivec3(3, i - 16, 1), 0)",
                                "texelFetch(t, ivec3(1, 1, i - 16), 0)", "texelFetch(t, ivec3(0, 0, 1), i - 16)",
                                "texelFetch(t, ivec3(i - 16, 0, 0), 1)"};
  Dispatch d{
      std::string(
          "#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform usampler2DArray t;\nlayout(binding=1) "
          "buffer R { uvec4 r[]; };\nvoid main() { int i = int(gl_LocalInvocationIndex); r[i] = ") +
      calls[what] + "; }\n"};
  d.bindings = {sampled(image.view, gpu.sampler()), storage(out)};
  gpu.dispatch(d);
  int limits[] = {8, 8, 2, 3, 4};
  for (int i = 0; i < 64; ++i)
    for (int c = 0; c < 4; ++c)
      ASSERT_EQ(out.as<uint32_t>()[i * 4 + c], i >= 16 && i < 16 + limits[what] ? 0x11111111u : 0u)
          << i - 16 << " component " << c;
}

/// Vertices whose attribute lies partly or wholly beyond the buffer read 0.
void vertexBuffer(Gpu& gpu, uint32_t components, uint32_t bytes) {
  require2(gpu, false);
  gpu.require(gpu.features.features.vertexPipelineStoresAndAtomics, "vertexPipelineStoresAndAtomics");
  static const VkFormat formats[] = {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32_UINT,
                                     VK_FORMAT_R32G32B32A32_UINT};
  Buffer vertices = gpu.buffer(512), out = gpu.buffer(32 * 16);
  memset(vertices.data, 0x77, 512);
  memset(out.data, 0xee, out.size);
  Image target = gpu.image({.width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  DrawState s;
  s.vert =
      "#version 450\nlayout(location=0) in uvec4 v;\nlayout(binding=0) buffer R { uvec4 r[]; };\nvoid main() { "
      "r[gl_VertexIndex] = v; gl_Position = vec4(0.0, 0.0, 0.0, 1.0); gl_PointSize = 1.0; }\n";
  s.frag = writes("vec4(1.0)");
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.attributes = {{formats[components - 1], 0}};
  s.stride = components * 4;
  s.colors = {target};
  s.bindings = {storage(out)};
  s.commands = [&](VkCommandBuffer cmd) {
    VkDeviceSize zero = 0, size = bytes;
    vkCmdBindVertexBuffers2(cmd, 0, 1, &vertices.handle, &zero, &size, nullptr);
    vkCmdDraw(cmd, 32, 1, 0, 0);
  };
  draw(gpu, s);
  for (uint32_t v = 0; v < 32; ++v)
    for (uint32_t c = 0; c < 4; ++c) {
      bool inside = (v + 1) * components * 4 <= bytes;
      uint32_t got = out.as<uint32_t>()[v * 4 + c], want = inside && c < components ? 0x77777777u
                                                           : inside && c == 3       ? 1
                                                                                    : 0;
      if (!inside && c == 3 && components < 4 && got == 1) continue;  // the missing component's value is 0 or 1
      ASSERT_EQ(got, want) << "vertex " << v << " component " << c;
    }
}

/// An array of no elements after a header: reads give 0, writes and atomics vanish.
void emptyArray(Gpu& gpu, int what) {
  require2(gpu, false);
  Buffer a = gpu.buffer(256), out = gpu.buffer(16);
  for (int i = 0; i < 64; ++i) a.as<uint32_t>()[i] = 0x33333333u;
  static const char* bodies[] = {
      "r[0] = uint(b.length()); r[1] = b[0].x; r[2] = b[3].y;",
      "b[0] = uvec2(1u); b[5].y = 2u; r[0] = 0u; r[1] = r[2] = 0u;",
      "r[0] = atomicAdd(b[0].x, 1u); r[1] = atomicExchange(b[2].y, 5u); r[2] = 0u; r[0] = 0u; r[1] = 0u;"};
  Dispatch d{std::string("#version 450\nlayout(binding=0) buffer A { uvec4 head; uvec2 b[]; };\nlayout(binding=1) "
                         "buffer R { uint r[]; };\nvoid main() { ") +
             bodies[what] + " }\n"};
  VkPhysicalDeviceRobustness2PropertiesEXT granularity{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &granularity};
  vkGetPhysicalDeviceProperties2(gpu.physical, &p);
  gpu.require(granularity.robustStorageBufferAccessSizeAlignment <= 16, "ranges of 16 bytes");
  d.bindings = {storage(a, 0, 16), storage(out)};
  gpu.dispatch(d);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(out.as<uint32_t>()[i], 0u) << i;
  for (int i = 0; i < 64; ++i) ASSERT_EQ(a.as<uint32_t>()[i], 0x33333333u) << "word " << i;
}

/// A vertex shader's location that nothing describes has zeros, or zeros and a one.
void noAttribute(Gpu& gpu, const std::string& prefix) {
  gpu.requireFeatures("VK_EXT_vertex_attribute_robustness", 1);
  gpu.require(gpu.features.features.vertexPipelineStoresAndAtomics, "vertexPipelineStoresAndAtomics");
  Image color = gpu.image({.width = 4, .height = 4, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  Buffer out = gpu.buffer(std::vector<uint32_t>(6 * 4, 7));
  DrawState s;
  s.attributes = {{VK_FORMAT_R32_UINT, 0}};
  s.stride = 4;
  s.vertices = gpu.buffer(std::vector<uint32_t>{5, 6, 7});
  s.vert = "#version 450\nlayout(location=0) in uint given;\nlayout(location=3) in " + prefix +
           "vec4 none;\nlayout(binding=0) buffer R { uvec4 r[]; };\nvoid main() { r[gl_VertexIndex * 2] = "
           "uvec4(given); r[gl_VertexIndex * 2 + 1] = " +
           (prefix.empty() ? "floatBitsToUint(none)" : "uvec4(none)") + "; gl_Position = vec4(2, 2, 0, 1); }\n";
  s.frag = writes("vec4(1)");
  s.bindings = {storage(out)};
  s.colors = {color};
  s.clearColors = VkClearValue{};
  draw(gpu, s);
  const uint32_t one = prefix.empty() ? 0x3F800000u : 1;
  for (uint32_t v = 0; v < 3; ++v) {
    const uint32_t* words = out.as<uint32_t>() + v * 8;
    EXPECT_EQ(words[0], 5 + v);
    for (uint32_t c = 4; c < 7; ++c) EXPECT_EQ(words[c], 0u) << "vertex " << v;
    EXPECT_TRUE(words[7] == 0 || words[7] == one) << words[7];
  }
}

}  // namespace

void registerRobustAccess() {
  for (auto& f : texelFormats)
    for (int kind = 0; kind < 3; ++kind) {
      static const char* names[] = {"uniform", "storage_load", "storage_store"};
      add(text("robustness.texel_buffer.%s.%s", names[kind], f.name),
          [&f, kind](Gpu& gpu) { texelBuffer(gpu, f, kind > 0, kind == 2); });
    }
  for (auto [type, name] : {std::pair{VK_IMAGE_VIEW_TYPE_1D, "1d"},
                            {VK_IMAGE_VIEW_TYPE_2D, "2d"},
                            {VK_IMAGE_VIEW_TYPE_2D_ARRAY, "2d_array"},
                            {VK_IMAGE_VIEW_TYPE_3D, "3d"}})
    for (bool write : {false, true})
      add(text("robustness.image.%s.%s", write ? "store" : "load", name),
          [=, type = type](Gpu& gpu) { storageImageCase(gpu, type, write); });
  static const char* axes[] = {"x", "y", "layer", "level", "x_of_level1"};
  for (int what = 0; what < 5; ++what)
    add(text("robustness.image.fetch.%s", axes[what]), [=](Gpu& gpu) { fetchOutside(gpu, what); });
  addRobustSamples();
  for (uint32_t components = 1; components <= 4; ++components)
    for (uint32_t bytes : {4u, 16u, 36u, 60u, 100u})
      add(text("robustness.vertex.components%u.bytes%u", components, bytes),
          [=](Gpu& gpu) { vertexBuffer(gpu, components, bytes); });
  for (const char* prefix : {"", "i", "u"})
    add(text("robustness.vertex.no_attribute.%svec4", prefix), [=](Gpu& gpu) { noAttribute(gpu, prefix); });
  static const char* kinds[] = {"read", "write", "atomic"};
  for (int what = 0; what < 3; ++what)
    add(text("robustness.empty_array.%s", kinds[what]), [=](Gpu& gpu) { emptyArray(gpu, what); });
}

}  // namespace etzel::cts
