// Filtering of one-, three-dimensional and cube textures and of arrays, with seams; depth comparison before filtering.
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/texture/lookup.h"
#include "cts-subset/cases/texture/sliced_views.h"

namespace etzel::cts {
namespace {

const std::pair<VkImageViewType, const char*> types[] = {{VK_IMAGE_VIEW_TYPE_1D, "1d"},
                                                         {VK_IMAGE_VIEW_TYPE_1D_ARRAY, "1d_array"},
                                                         {VK_IMAGE_VIEW_TYPE_2D, "2d"},
                                                         {VK_IMAGE_VIEW_TYPE_2D_ARRAY, "2d_array"},
                                                         {VK_IMAGE_VIEW_TYPE_3D, "3d"},
                                                         {VK_IMAGE_VIEW_TYPE_CUBE, "cube"},
                                                         {VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, "cube_array"}};
const std::pair<VkSamplerAddressMode, const char*> modes[] = {{VK_SAMPLER_ADDRESS_MODE_REPEAT, "repeat"},
                                                              {VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, "mirror"},
                                                              {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, "edge"},
                                                              {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, "border"}};

ModelTexture shaped(VkImageViewType type) {
  ModelTexture t;
  t.type = type;
  t.width = t.isCube() ? 8 : 11;
  t.height = t.dimensions() == 1 ? 1 : t.isCube() ? 8 : 6;
  t.depth = type == VK_IMAGE_VIEW_TYPE_3D ? 5 : 1;
  t.layers = (t.isCube() ? 6 : 1) * (t.isArray() ? 3 : 1);
  t.levels = 3;
  return t;
}

void filtering(Gpu& gpu, VkImageViewType type, const Look& look, double lod) {
  ModelTexture t = shaped(type);
  if (type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY) gpu.require(gpu.features.features.imageCubeArray, "imageCubeArray");
  t.create(gpu, 5);
  auto at = spread(t, 192, 17);
  auto got =
      lookUp(gpu, t, t.image.view, samplerInfo(look), at, text("textureLod(t, %s, %g)", coordinate(t).c_str(), lod));
  for (size_t i = 0; i < at.size(); ++i) {
    if (t.isCube() && look.filter == VK_FILTER_LINEAR && touchesCorner(t, at[i], 0)) continue;
    // Other levels put texel edges elsewhere: keep nearest away from them.
    Texel want = sampleModel(t, at[i], lod, look);
    double tolerance = look.filter == VK_FILTER_NEAREST && look.mip == VK_SAMPLER_MIPMAP_MODE_NEAREST
                           ? 1e-3
                           : filterTolerance(gpu, 1, t.dimensions() + 1);
    for (size_t c = 0; c < 4; ++c)
      ASSERT_NEAR(got[i][c], want[c], tolerance) << "point " << i << " (" << at[i][0] << ", " << at[i][1] << ", "
                                                 << at[i][2] << ", " << at[i][3] << ") channel " << c;
  }
}

/// Directions just beside edges and corners of the cube: filtering goes around them.
void seam(Gpu& gpu, int face, bool array) {
  if (array) gpu.require(gpu.features.features.imageCubeArray, "imageCubeArray");
  ModelTexture t = shaped(array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE);
  t.create(gpu, 23);
  std::vector<std::array<double, 4>> at;
  for (int side = 0; side < 4; ++side)
    for (int i = 0; i < 16; ++i) {
      double edge = (i & 1 ? 1 - 0.06 * (i % 5 + 1) / 5 : 1 - 0.11), along = (i - 7.5) / 10;
      double s = side < 2 ? (side ? edge : -edge) : along, q = side < 2 ? along : (side & 1 ? edge : -edge);
      auto d = cubeDirection(face, s, q);
      at.push_back({double(float(d[0])), double(float(d[1])), double(float(d[2])), double(i % 3)});
    }
  Look look;
  auto got = lookUp(gpu, t, t.image.view, samplerInfo(look), at, text("textureLod(t, %s, 0.0)", coordinate(t).c_str()));
  for (size_t i = 0; i < at.size(); ++i) {
    if (touchesCorner(t, at[i], 0)) continue;
    Texel want = sampleModel(t, at[i], 0, look);
    for (size_t c = 0; c < 4; ++c)
      ASSERT_NEAR(got[i][c], want[c], filterTolerance(gpu, 1, 2))
          << "side " << i / 16 << " point " << i % 16 << " channel " << c;
  }
}

void shadow(Gpu& gpu, VkImageViewType type, int op, VkFilter filter, VkSamplerAddressMode mode) {
  ModelTexture t = shaped(type);
  if (type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY) gpu.require(gpu.features.features.imageCubeArray, "imageCubeArray");
  t.format = VK_FORMAT_D32_SFLOAT;
  if (filter == VK_FILTER_LINEAR)
    gpu.require(gpu.formatFeatures(t.format) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT, "linear depth");
  t.create(gpu, 31);
  // A texel that equals the reference exactly, so that less and less-or-equal differ.
  for (int i = 0; i < 3; ++i)
    if (type == VK_IMAGE_VIEW_TYPE_2D) t.put(i, i, 0, 0, 0, t.at(i, i, 0, 0, 0));
  Look look;
  look.filter = filter;
  look.compare = op;
  look.reference = t.at(2, 0, 0, 0, 0)[0];
  look.address = {mode, mode, mode};
  look.border = {1, 1, 1, 1};
  auto at = spread(t, 192, 41);
  at[0] = {2.4 / t.width, t.dimensions() == 1 ? 0 : 0.4 / t.height, 0, 0};
  if (t.isCube()) {
    auto d = cubeDirection(0, 2.4 / 8 * 2 - 1, 0.4 / 8 * 2 - 1);
    at[0] = {d[0], d[1], d[2], 0};
  }
  std::string r = text("%.9g", look.reference), call;
  switch (type) {
    case VK_IMAGE_VIEW_TYPE_1D: call = "textureLod(t, vec3(p.x, 0.0, " + r + "), 0.0)"; break;
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY: call = "textureLod(t, vec3(p.xy, " + r + "), 0.0)"; break;
    case VK_IMAGE_VIEW_TYPE_2D: call = "textureLod(t, vec3(p.xy, " + r + "), 0.0)"; break;
    case VK_IMAGE_VIEW_TYPE_2D_ARRAY: call = "textureGrad(t, vec4(p.xyz, " + r + "), vec2(0.0), vec2(0.0))"; break;
    case VK_IMAGE_VIEW_TYPE_CUBE: call = "textureGrad(t, vec4(p.xyz, " + r + "), vec3(0.0), vec3(0.0))"; break;
    default: call = "texture(t, p, " + r + ")"; break;
  }
  auto info = samplerInfo(look);
  info.maxLod = 0;
  auto got = lookUp(gpu, t, t.image.view, info, at, "vec4(" + call + ")");
  for (size_t i = 0; i < at.size(); ++i) {
    if (t.isCube() && filter == VK_FILTER_LINEAR && touchesCorner(t, at[i], 0)) continue;
    double want = sampleModel(t, at[i], 0, look)[0];
    double tolerance = filter == VK_FILTER_LINEAR ? filterTolerance(gpu, 1, 3) : 0;
    ASSERT_NEAR(got[i][0], want, tolerance) << "point " << i;
  }
}

}  // namespace

void registerTextureDims() {
  for (auto [type, name] : types) {
    bool cube = type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    for (auto filter : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
      for (auto [mode, modeName] : modes) {
        if (cube && mode != VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE) continue;  // "address modes are ignored"
        for (double lod : {0.0, 1.0, 1.4}) {
          if (lod > 1 && filter == VK_FILTER_NEAREST) continue;
          if (lod == 1 && filter == VK_FILTER_NEAREST) continue;  // texel edges of level 1 are among the points
          Look look;
          look.filter = filter;
          look.mip = lod > 1 ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST;
          look.address = {mode, mode, mode};
          look.border = {0, 0, 0, 1};
          if (cube && lod > 0) continue;  // corners of higher levels reach far
          add(text("texture.dims.%s.%s.%s.lod%s", name, filter == VK_FILTER_LINEAR ? "linear" : "nearest", modeName,
                   named(lod).c_str()),
              [=, type = type](Gpu& gpu) { filtering(gpu, type, look, lod); });
        }
      }
    if (type == VK_IMAGE_VIEW_TYPE_3D) continue;
    for (int op = 0; op < 8; ++op)
      for (auto filter : {VK_FILTER_NEAREST, VK_FILTER_LINEAR}) {
        auto mode = modes[size_t(op) % 4];
        static const char* ops[] = {"never",   "less",      "equal",         "less_equal",
                                    "greater", "not_equal", "greater_equal", "always"};
        add(text("texture.shadow.%s.%s.%s", name, filter == VK_FILTER_LINEAR ? "linear" : "nearest", ops[op]),
            [=, type = type](Gpu& gpu) { shadow(gpu, type, op, filter, mode.first); });
      }
  }
  for (int face = 0; face < 6; ++face)
    for (bool array : {false, true})
      add(text("texture.seam.%s.face%d", array ? "cube_array" : "cube", face),
          [=](Gpu& gpu) { seam(gpu, face, array); });
  addSlicedViews();
}

}  // namespace etzel::cts
