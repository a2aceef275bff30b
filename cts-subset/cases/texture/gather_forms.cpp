// More forms of textureGather: cubes and arrays of cubes over their seams, comparison there, offsets up to the limits,
// swizzled views of every format and array, and the residency answer of sparse lookups.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/texture/lookup.h"

namespace etzel::cts {
namespace {

/// Coordinates whose four texels are certain: between texel centres, some beyond the edges.
std::vector<std::array<double, 4>> between(const ModelTexture& t, int n) {
  Random random(61);
  std::vector<std::array<double, 4>> at;
  for (int i = 0; i < n; ++i) {
    std::array<double, 4> p{};
    double s = (int(random.below(uint32_t(t.width + 1))) - 0.5 + double(random.range(0.2f, 0.8f))) / t.width;
    double q = (int(random.below(uint32_t(t.height + 1))) - 0.5 + double(random.range(0.2f, 0.8f))) / t.height;
    if (t.isCube()) {
      // Within half a texel of an edge the footprint has texels of two faces.
      auto d = cubeDirection(i % 6, std::clamp(s, 0.004, 0.996) * 2 - 1, std::clamp(q, 0.004, 0.996) * 2 - 1);
      for (size_t k = 0; k < 3; ++k) p[k] = double(float(d[k] * 1.75));
    } else {
      p[0] = double(float(s + int(random.below(3)) - 1)), p[1] = double(float(q + int(random.below(3)) - 1));
    }
    if (t.isArray()) p[size_t(t.dimensions())] = i % (t.layers / (t.isCube() ? 6 : 1));
    at.push_back(p);
  }
  return at;
}

void expectGather(const ModelTexture& t, const std::vector<std::array<double, 4>>& at, const std::vector<Texel>& got,
                  const Look& look, int c, const std::function<std::array<int, 2>(size_t)>& offset) {
  for (size_t i = 0; i < at.size(); ++i) {
    // "Cube images ignore the wrap modes": only VK_FILTER_LINEAR goes around edges, which integers cannot have.
    if (t.isCube() && (look.filter == VK_FILTER_LINEAR ? touchesCorner(t, at[i], 0) : touchesEdge(t, at[i], 0)))
      continue;
    auto want = gatherModel(t, at[i], look, c, offset(i));
    for (size_t k = 0; k < 4; ++k) ASSERT_NEAR(got[i][k], want[k], 1e-5) << "point " << i << " component " << k;
  }
}

void cubes(Gpu& gpu, bool array, VkFormat format, int component) {
  if (array) gpu.require(gpu.features.features.imageCubeArray, "imageCubeArray");
  ModelTexture t;
  t.type = array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
  t.width = t.height = 8, t.layers = array ? 18 : 6, t.format = format;
  t.create(gpu, 71);
  auto at = between(t, 192);
  Look look;
  if (format == VK_FORMAT_R8G8B8A8_UINT || format == VK_FORMAT_R8G8B8A8_SINT) look.filter = VK_FILTER_NEAREST;
  auto got = lookUp(gpu, t, t.image.view, samplerInfo(look), at,
                    text("textureGather(t, %s, %d)", coordinate(t).c_str(), component));
  expectGather(t, at, got, look, component, [](size_t) { return std::array<int, 2>{}; });
}

void compared(Gpu& gpu, VkImageViewType type, int op) {
  ModelTexture t;
  t.type = type;
  if (type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY) gpu.require(gpu.features.features.imageCubeArray, "imageCubeArray");
  t.width = t.height = 8;
  t.layers = (t.isCube() ? 6 : 1) * (t.isArray() ? 3 : 1);
  t.format = VK_FORMAT_D32_SFLOAT;
  t.create(gpu, 73);
  auto at = between(t, 192);
  Look look;
  bool linear = gpu.formatFeatures(t.format) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
  look.filter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  look.compare = op;
  look.reference = t.at(3, 3, 0, 0, 0)[0];
  auto got = lookUp(gpu, t, t.image.view, samplerInfo(look), at,
                    text("textureGather(t, %s, %.9g)", coordinate(t).c_str(), look.reference));
  expectGather(t, at, got, look, 0, [](size_t) { return std::array<int, 2>{}; });
}

/// Offsets that the device promises: minTexelGatherOffset … maxTexelGatherOffset.
void limits(Gpu& gpu, VkSamplerAddressMode mode, bool array, bool four) {
  gpu.require(gpu.features.features.shaderImageGatherExtended, "shaderImageGatherExtended");
  ModelTexture t;
  t.type = array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  t.width = 13, t.height = 7, t.layers = array ? 3 : 1, t.format = VK_FORMAT_R32G32B32A32_SFLOAT;
  t.create(gpu, 79);
  int low = gpu.limits().minTexelGatherOffset, high = int(gpu.limits().maxTexelGatherOffset);
  auto at = between(t, 128);
  Look look;
  look.filter = VK_FILTER_NEAREST;
  look.address = {mode, mode, mode};
  std::string p = coordinate(t);
  if (!four) {
    auto got = lookUp(gpu, t, t.image.view, samplerInfo(look), at,
                      text("textureGatherOffset(t, %s, ivec2(%d + int(i) %% %d, %d - int(i * 7u) %% %d), 1)", p.c_str(),
                           low, high - low + 1, high, high - low + 1));
    expectGather(t, at, got, look, 1, [&](size_t i) {
      return std::array<int, 2>{low + int(i) % (high - low + 1), high - int(i * 7) % (high - low + 1)};
    });
    return;
  }
  auto got =
      lookUp(gpu, t, t.image.view, samplerInfo(look), at,
             text("textureGatherOffsets(t, %s, ivec2[](ivec2(%d, %d), ivec2(%d, 0), ivec2(0, %d), ivec2(-1, 2)), 2)",
                  p.c_str(), low, high, high, low));
  const int offsets[4][2] = {{low, high}, {high, 0}, {0, low}, {-1, 2}};
  for (size_t i = 0; i < at.size(); ++i)
    for (size_t k = 0; k < 4; ++k) {
      auto one = gatherModel(t, at[i], look, 2, {offsets[k][0], offsets[k][1]});
      ASSERT_NEAR(got[i][k], one[3], 1e-5) << "point " << i << " component " << k;  // its (0, 0) texel
    }
}

const VkComponentSwizzle R = VK_COMPONENT_SWIZZLE_R, G = VK_COMPONENT_SWIZZLE_G, B = VK_COMPONENT_SWIZZLE_B,
                         A = VK_COMPONENT_SWIZZLE_A, I = VK_COMPONENT_SWIZZLE_IDENTITY, Z = VK_COMPONENT_SWIZZLE_ZERO,
                         O = VK_COMPONENT_SWIZZLE_ONE;
const std::pair<VkComponentMapping, const char*> swizzles[] = {
    {{A, B, G, R}, "abgr"}, {{G, G, A, A}, "ggaa"}, {{Z, I, O, I}, "0i1i"}, {{B, R, I, O}, "bri1"}};

void swizzled(Gpu& gpu, VkFormat format, VkComponentMapping mapping, VkImageViewType type, int component) {
  ModelTexture t;
  t.type = type;
  t.width = t.height = 8, t.layers = t.isCube() ? 6 : t.isArray() ? 3 : 1, t.format = format;
  t.create(gpu, 83);
  VkImageView view = gpu.view(t.image, type, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, uint32_t(t.layers)}, format, mapping);
  auto at = between(t, 64);
  Look look;
  look.filter = VK_FILTER_NEAREST;
  auto got =
      lookUp(gpu, t, view, samplerInfo(look), at, text("textureGather(t, %s, %d)", coordinate(t).c_str(), component));
  VkComponentSwizzle s = (&mapping.r)[component];
  if (s == O || s == Z) {
    for (auto& g : got)
      for (double v : g) ASSERT_EQ(v, s == O ? 1 : 0);
    return;
  }
  int c = s == I ? component : int(s - R);
  expectGather(t, at, got, look, c, [](size_t) { return std::array<int, 2>{}; });
}

/// A sparse lookup of a sparse image that is bound completely: its code says "resident", its texels are those of a
/// plain one.
void residency(Gpu& gpu, const char* call, bool gather, int component) {
  gpu.require(gpu.features.features.shaderResourceResidency, "shaderResourceResidency");
  gpu.require(gpu.features.features.sparseBinding, "sparseBinding");
  gpu.require(gpu.features.features.sparseResidencyImage2D, "sparseResidencyImage2D");
  ModelTexture t;
  t.sparse = true;
  t.width = t.height = 136;  // more than one block of 128 x 128 texels, which 32-bit formats have
  t.create(gpu, 89);
  auto at = between(t, 64);
  Look look;
  look.filter = VK_FILTER_NEAREST;
  // The texel comes back through an argument; a code that is not resident replaces it by an impossible value.
  auto got = lookUp(gpu, t, t.image.view, samplerInfo(look), at,
                    text("vec4(-1.0); vec4 v; int code = %s; if (sparseTexelsResidentARB(code)) r[i] = v", call),
                    "#extension GL_ARB_sparse_texture2 : require\n");
  if (gather) return expectGather(t, at, got, look, component, [](size_t) { return std::array<int, 2>{}; });
  for (size_t i = 0; i < at.size(); ++i) {
    Texel want = sampleModel(t, at[i], 0, look);
    for (size_t c = 0; c < 4; ++c) ASSERT_NEAR(got[i][c], want[c], 1e-5) << "point " << i;
  }
}

}  // namespace

void registerGatherForms() {
  const std::pair<VkFormat, const char*> formats[] = {{VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
                                                      {VK_FORMAT_R8G8B8A8_UINT, "rgba8ui"},
                                                      {VK_FORMAT_R8G8B8A8_SINT, "rgba8i"},
                                                      {VK_FORMAT_R32G32B32A32_SFLOAT, "rgba32f"}};
  for (auto [format, name] : formats)
    for (int component = 0; component < 4; ++component) {
      for (bool array : {false, true})
        add(text("texture.gather.%s.seams.%s.component%d", array ? "cube_array" : "cube", name, component),
            [=, format = format](Gpu& gpu) { cubes(gpu, array, format, component); });
      for (auto& [mapping, swizzle] : swizzles)
        for (auto [type, typeName] : {std::pair{VK_IMAGE_VIEW_TYPE_2D, "2d"},
                                      {VK_IMAGE_VIEW_TYPE_2D_ARRAY, "2d_array"},
                                      {VK_IMAGE_VIEW_TYPE_CUBE, "cube"}})
          add(text("texture.gather.view_swizzle.%s.%s.%s.component%d", typeName, name, swizzle, component),
              [=, m = mapping, format = format, type = type](Gpu& gpu) { swizzled(gpu, format, m, type, component); });
    }
  for (int op = 0; op < 8; ++op)
    for (auto [type, name] : {std::pair{VK_IMAGE_VIEW_TYPE_2D, "2d"},
                              {VK_IMAGE_VIEW_TYPE_2D_ARRAY, "2d_array"},
                              {VK_IMAGE_VIEW_TYPE_CUBE, "cube"},
                              {VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, "cube_array"}})
      add(text("texture.gather.shadow.%s.op%d", name, op), [=, type = type](Gpu& gpu) { compared(gpu, type, op); });
  for (auto [mode, modeName] : {std::pair{VK_SAMPLER_ADDRESS_MODE_REPEAT, "repeat"},
                                {VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, "mirror"},
                                {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, "edge"},
                                {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, "border"}})
    for (bool array : {false, true})
      for (bool four : {false, true})
        add(text("texture.gather.limits.%s.%s.%s", array ? "2d_array" : "2d", four ? "offsets" : "offset", modeName),
            [=, mode = mode](Gpu& gpu) { limits(gpu, mode, array, four); });
  for (int component = 0; component < 4; ++component)
    add(text("texture.sparse.gather.component%d", component), [=](Gpu& gpu) {
      residency(gpu, text("sparseTextureGatherARB(t, p.xy, v, %d)", component).c_str(), true, component);
    });
  add("texture.sparse.sample", [](Gpu& gpu) { residency(gpu, "sparseTextureLodARB(t, p.xy, 0.0, v)", false, 0); });
}

}  // namespace etzel::cts
