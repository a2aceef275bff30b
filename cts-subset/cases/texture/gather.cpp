// textureGather in all forms: components, offsets, comparison, cubes, arrays, swizzles. "Texel Gathering":
// the four texels of a linear filter's footprint, in the order (0,1) (1,1) (1,0) (0,0).
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

enum Kind { Plain, ConstOffset, DynamicOffset, FourOffsets };
const char* const kindNames[] = {"plain", "offset", "dynamic_offset", "offsets"};
constexpr int size = 8;

struct Gather {
  VkFormat format;
  int component;
  Kind kind;
  bool array;
  VkSamplerAddressMode address;
  bool swizzle = false;
  int compare = -1;
};

int wrap(int i, VkSamplerAddressMode mode) {
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT: return ((i % size) + size) % size;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT: {
      int m = ((i % (2 * size)) + 2 * size) % (2 * size);
      return m < size ? m : 2 * size - 1 - m;
    }
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER: return i < 0 || i >= size ? -1 : i;
    default: return std::clamp(i, 0, size - 1);
  }
}

bool isDepth(const Gather& g) { return g.compare >= 0; }
bool isUint(const Gather& g) { return g.format == VK_FORMAT_R8G8B8A8_UINT || g.format == VK_FORMAT_R32G32B32A32_UINT; }
bool isSint(const Gather& g) { return g.format == VK_FORMAT_R16G16B16A16_SINT; }

/// What a texel holds, 0 to 127, as an integer; unorm formats read it / 255, D32 / 128.
int value(int x, int y, int layer, int c) { return (x * 7 + y * 31 + layer * 57 + c * 97 + 3) & 127; }

Image makeImage(Gpu& gpu, const Gather& g) {
  uint32_t layers = g.array ? 3 : 1;
  auto attachment = VkImageUsageFlags(isDepth(g) ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : 0);
  Image image = gpu.image({.format = g.format,
                           .width = size,
                           .height = size,
                           .layers = layers,
                           .usage = VK_IMAGE_USAGE_SAMPLED_BIT | attachment,
                           .view = g.array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D});
  for (uint32_t layer = 0; layer < layers; ++layer) {
    std::vector<uint8_t> bytes;
    auto put = [&](auto v) {
      auto* p = reinterpret_cast<uint8_t*>(&v);
      bytes.insert(bytes.end(), p, p + sizeof v);
    };
    for (int y = 0; y < size; ++y)
      for (int x = 0; x < size; ++x)
        for (int c = 0; c < (isDepth(g) ? 1 : 4); ++c) {
          int v = value(x, y, int(layer), c);
          if (isDepth(g))
            put(float(v) / 128);
          else if (g.format == VK_FORMAT_R32G32B32A32_SFLOAT)
            put(float(v));
          else if (g.format == VK_FORMAT_R16G16B16A16_SINT)
            put(int16_t(-v));
          else if (g.format == VK_FORMAT_R32G32B32A32_UINT)
            put(uint32_t(v) << 20);
          else
            put(uint8_t(v));
        }
    gpu.upload(image, bytes.data(), bytes.size(), 0, layer);
  }
  return image;
}

VkSampler makeSampler(Gpu& gpu, const Gather& g) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.addressModeU = info.addressModeV = info.addressModeW = g.address;
  info.borderColor =
      isUint(g) || isSint(g) ? VK_BORDER_COLOR_INT_TRANSPARENT_BLACK : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
  info.compareEnable = isDepth(g);
  info.compareOp = VkCompareOp(std::max(0, g.compare));
  return gpu.sampler(info);
}

std::string shaderOf(const Gather& g) {
  std::string prefix = isUint(g) ? "u" : isSint(g) ? "i" : "", p = g.array ? "at[i].xyz" : "at[i].xy";
  std::string reference = isDepth(g) ? ", 0.5" : "", component = isDepth(g) ? "" : text(", %d", g.component), call;
  switch (g.kind) {
    case Plain: call = "textureGather(t, " + p + reference + component + ")"; break;
    case ConstOffset: call = "textureGatherOffset(t, " + p + reference + ", ivec2(-3, 2)" + component + ")"; break;
    case DynamicOffset:
      call =
          "textureGatherOffset(t, " + p + reference + ", ivec2(int(at[i].w) - 4, 3 - int(at[i].w))" + component + ")";
      break;
    case FourOffsets:
      call = "textureGatherOffsets(t, " + p + reference +
             ", ivec2[](ivec2(-8, 7), ivec2(0, 1), ivec2(3, -2), ivec2(1, 1))" + component + ")";
      break;
  }
  return "#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform " + prefix + "sampler2D" +
         (g.array ? "Array" : "") + (isDepth(g) ? "Shadow" : "") +
         " t;\nlayout(binding=1) buffer A { vec4 at[]; };\nlayout(binding=2) buffer R { " + prefix +
         "vec4 r[]; };\nvoid main() { uint i = gl_LocalInvocationIndex; r[i] = " + call + "; }\n";
}

/// The result of comparing 0.5 with what is stored.
bool compared(int compare, double stored) {
  switch (compare) {
    case 0: return false;
    case 1: return 0.5 < stored;
    case 2: return 0.5 == stored;
    case 3: return 0.5 <= stored;
    case 4: return 0.5 > stored;
    case 5: return 0.5 != stored;
    case 6: return 0.5 >= stored;
    default: return true;
  }
}

/// Component `k` of what point `i` gathers, whose footprint's lowest texel is `base`.
double expected(const Gather& g, const std::array<int, 2>& base, int i, int k) {
  static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}}, four[4][2] = {{-8, 7}, {0, 1}, {3, -2}, {1, 1}};
  int ox = order[k][0], oy = order[k][1];
  if (g.kind == ConstOffset) ox -= 3, oy += 2;
  if (g.kind == DynamicOffset) ox += i % 7 - 4, oy += 3 - i % 7;
  if (g.kind == FourOffsets) ox = four[k][0], oy = four[k][1];  // each of the four takes its (0, 0) texel
  int x = wrap(base[0] + ox, g.address), y = wrap(base[1] + oy, g.address), layer = g.array ? i % 3 : 0;
  bool border = x < 0 || y < 0;
  int c = g.component, fixed = -1;
  if (g.swizzle) c == 0 ? c = 2 : c == 2 ? c = 0 : c == 1 ? fixed = 1 : fixed = 0;
  double v = border ? 0 : value(x, y, layer, c);
  if (isDepth(g)) return compared(g.compare, v / 128);
  if (fixed >= 0) return fixed;
  if (g.format == VK_FORMAT_R8G8B8A8_UNORM) v /= 255;
  if (isSint(g)) v = -v;
  if (g.format == VK_FORMAT_R32G32B32A32_UINT) v *= 1 << 20;
  return v;
}

void run(Gpu& gpu, const Gather& g) {
  gpu.require(g.kind == Plain || g.kind == ConstOffset || gpu.features.features.shaderImageGatherExtended,
              "shaderImageGatherExtended");
  Image image = makeImage(gpu, g);
  VkImageView view = image.view;
  VkComponentMapping swizzle = {VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R,
                                VK_COMPONENT_SWIZZLE_ZERO};
  if (g.swizzle)
    view = gpu.view(image, g.array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                    {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, g.array ? 3u : 1u}, g.format, swizzle);
  VkSampler sampler = makeSampler(gpu, g);
  const int n = 64;
  std::vector<float> at(n * 4);
  Random random(8);
  std::vector<std::array<int, 2>> base(n);
  for (int i = 0; i < n; ++i) {
    // Coordinates well inside the square between four texel centres, so that the footprint is certain.
    base[size_t(i)] = {int(random.below(size + 4)) - 3, int(random.below(size + 4)) - 3};
    at[size_t(i) * 4] = (float(base[size_t(i)][0]) + 0.5f + random.range(0.2f, 0.8f)) / size;
    at[size_t(i) * 4 + 1] = (float(base[size_t(i)][1]) + 0.5f + random.range(0.2f, 0.8f)) / size;
    at[size_t(i) * 4 + 2] = float(i % 3);
    at[size_t(i) * 4 + 3] = float(i % 7);
  }
  Buffer coords = gpu.buffer(at), out = gpu.buffer(n * 16);
  Dispatch d{shaderOf(g)};
  d.bindings = {sampled(view, sampler), storage(coords), storage(out)};
  gpu.dispatch(d);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k) {
      double got = isUint(g)   ? out.as<uint32_t>()[i * 4 + k]
                   : isSint(g) ? out.as<int32_t>()[i * 4 + k]
                               : double(out.as<float>()[i * 4 + k]);
      ASSERT_NEAR(got, expected(g, base[size_t(i)], i, k), 1e-5)
          << "point " << i << " at " << at[size_t(i) * 4] * size << "," << at[size_t(i) * 4 + 1] * size << " component "
          << k;
    }
}

void cube(Gpu& gpu, int component) {
  // Away from edges: each face's interior, addressed by the table "Cube Map Face Selection".
  Image image = gpu.image({.width = size,
                           .height = size,
                           .layers = 6,
                           .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
                           .view = VK_IMAGE_VIEW_TYPE_CUBE,
                           .flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT});
  auto value = [](int x, int y, int face, int c) { return uint8_t((x * 5 + y * 41 + face * 37 + c * 71) & 255); };
  for (int face = 0; face < 6; ++face) {
    std::vector<uint8_t> bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(value(i / 4 % 8, i / 32, face, i % 4));
    gpu.upload(image, bytes.data(), bytes.size(), 0, uint32_t(face));
  }
  std::vector<float> at;
  for (int face = 0; face < 6; ++face)
    for (int i = 0; i < 10; ++i) {
      float s = (float(1 + i % 5) + 1.0f) / 4 - 1,
            t = (float(1 + i / 2) + 1.0f) / 4 - 1;  // between texels (1 + i % 5) and the next
      float v[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
      for (float c : v[face]) at.push_back(c * 2.5f);
      at.push_back(0);
    }
  at.resize(256);
  Buffer coords = gpu.buffer(at), out = gpu.buffer(64 * 16);
  Dispatch d{
      text("#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform samplerCube t;\nlayout(binding=1) "
           "buffer A { vec4 at[]; };\nlayout(binding=2) buffer R { vec4 r[]; };\n"
           "void main() { uint i = gl_LocalInvocationIndex; r[i] = textureGather(t, at[i].xyz, %d); }\n",
           component)};
  d.bindings = {sampled(image.view, gpu.sampler()), storage(coords), storage(out)};
  gpu.dispatch(d);
  for (int i = 0; i < 60; ++i)
    for (int k = 0; k < 4; ++k) {
      static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
      int x = 1 + i % 10 % 5 + order[k][0], y = 1 + i % 10 / 2 + order[k][1];
      ASSERT_NEAR(out.as<float>()[i * 4 + k], value(x, y, i / 10, component) / 255.0, 1e-5)
          << "face " << i / 10 << " point " << i % 10 << " component " << k;
    }
}

}  // namespace

void registerGather() {
  const std::pair<VkFormat, const char*> formats[] = {{VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
                                                      {VK_FORMAT_R8G8B8A8_UINT, "rgba8ui"},
                                                      {VK_FORMAT_R16G16B16A16_SINT, "rgba16i"},
                                                      {VK_FORMAT_R32G32B32A32_SFLOAT, "rgba32f"},
                                                      {VK_FORMAT_R32G32B32A32_UINT, "rgba32ui"}};
  const std::pair<VkSamplerAddressMode, const char*> modes[] = {{VK_SAMPLER_ADDRESS_MODE_REPEAT, "repeat"},
                                                                {VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, "mirror"},
                                                                {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, "edge"},
                                                                {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, "border"}};
  int turn = 0;
  for (auto [format, name] : formats)
    for (int kind = 0; kind < 4; ++kind)
      for (int component = 0; component < 4; ++component)
        for (bool array : {false, true}) {
          auto [mode, modeName] = modes[size_t(turn++ / 2 + kind) % 4];
          Gather g{format, component, Kind(kind), array, mode};
          add(text("texture.gather.%s.%s.%s.%s.component%d", array ? "2d_array" : "2d", name, kindNames[kind], modeName,
                   component),
              [g](Gpu& gpu) { run(gpu, g); });
        }
  for (auto [mode, modeName] : modes)
    for (int kind = 0; kind < 4; ++kind)
      for (int component = 0; component < 4; ++component) {
        Gather g{formats[0].first, component, Kind(kind), false, mode, true};
        add(text("texture.gather.swizzle.%s.%s.component%d", modeName, kindNames[kind], component),
            [g](Gpu& gpu) { run(gpu, g); });
      }
  for (int compare = 0; compare < 8; ++compare)
    for (int kind = 0; kind < 4; ++kind) {
      Gather g{VK_FORMAT_D32_SFLOAT, 0, Kind(kind), kind % 2 == 1, modes[compare % 4].first, false, compare};
      add(text("texture.gather.compare.op%d.%s", compare, kindNames[kind]), [g](Gpu& gpu) { run(gpu, g); });
    }
  for (int component = 0; component < 4; ++component)
    add(text("texture.gather.cube.component%d", component), [=](Gpu& gpu) { cube(gpu, component); });
}

}  // namespace etzel::cts
