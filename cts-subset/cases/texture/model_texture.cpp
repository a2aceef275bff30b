// The reference of texture lookups. It favours plain words over speed.
#include "cts-subset/cases/texture/model_texture.h"

#include <algorithm>
#include <cmath>

namespace etzel::cts {

bool ModelTexture::isArray() const {
  return type == VK_IMAGE_VIEW_TYPE_1D_ARRAY || type == VK_IMAGE_VIEW_TYPE_2D_ARRAY ||
         type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
}

int ModelTexture::dimensions() const {
  switch (type) {
    case VK_IMAGE_VIEW_TYPE_1D:
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY: return 1;
    case VK_IMAGE_VIEW_TYPE_2D:
    case VK_IMAGE_VIEW_TYPE_2D_ARRAY: return 2;
    default: return 3;
  }
}

const char* ModelTexture::glslType() const {
  switch (type) {
    case VK_IMAGE_VIEW_TYPE_1D: return "1D";
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY: return "1DArray";
    case VK_IMAGE_VIEW_TYPE_2D: return "2D";
    case VK_IMAGE_VIEW_TYPE_2D_ARRAY: return "2DArray";
    case VK_IMAGE_VIEW_TYPE_3D: return "3D";
    case VK_IMAGE_VIEW_TYPE_CUBE: return "Cube";
    default: return "CubeArray";
  }
}

int ModelTexture::extent(int axis, int level) const {
  return std::max(1, (axis == 0 ? width : axis == 1 ? height : depth) >> level);
}

size_t ModelTexture::index(int x, int y, int z, int layer, int level) const {
  return ((size_t(layer) * size_t(extent(2, level)) + size_t(z)) * size_t(extent(1, level)) + size_t(y)) *
             size_t(extent(0, level)) +
         size_t(x);
}
Texel ModelTexture::at(int x, int y, int z, int layer, int level) const {
  return texels_[size_t(level)][index(x, y, z, layer, level)];
}
void ModelTexture::put(int x, int y, int z, int layer, int level, const Texel& value) {
  texels_[size_t(level)][index(x, y, z, layer, level)] = value;
}

void ModelTexture::create(Gpu& gpu, uint64_t seed) {
  Random random(seed);
  bool isDepth = format == VK_FORMAT_D32_SFLOAT;
  ImageDesc desc{.format = format,
                 .width = uint32_t(width),
                 .height = uint32_t(height),
                 .depth = uint32_t(depth),
                 .layers = uint32_t(layers),
                 .levels = uint32_t(levels),
                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
  desc.type = dimensions() == 1               ? VK_IMAGE_TYPE_1D
              : type == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D
                                              : VK_IMAGE_TYPE_2D;
  desc.view = type;
  if (isCube()) desc.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  if (sparse) desc.flags |= VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
  if (isDepth) desc.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  image = gpu.image(desc);
  texels_.assign(size_t(levels), {});
  for (int level = 0; level < levels; ++level) {
    texels_[size_t(level)].resize(size_t(extent(0, level) * extent(1, level) * extent(2, level) * layers));
    for (int layer = 0; layer < layers; ++layer) {
      std::vector<uint8_t> bytes;
      auto append = [&](auto v) {
        auto* p = reinterpret_cast<uint8_t*>(&v);
        bytes.insert(bytes.end(), p, p + sizeof v);
      };
      for (int z = 0; z < extent(2, level); ++z)
        for (int y = 0; y < extent(1, level); ++y)
          for (int x = 0; x < extent(0, level); ++x) {
            Texel value{};
            for (size_t c = 0; c < (isDepth ? 1 : 4); ++c) {
              uint32_t v = random.below(256);
              value[c] = v;
              switch (format) {
                case VK_FORMAT_D32_SFLOAT: value[c] = v / 256.0, append(float(value[c])); break;
                case VK_FORMAT_R32G32B32A32_SFLOAT: value[c] = v - 100.5, append(float(value[c])); break;
                case VK_FORMAT_R8G8B8A8_SINT: value[c] = int8_t(v), append(uint8_t(v)); break;
                case VK_FORMAT_R8G8B8A8_UNORM: value[c] = v / 255.0, append(uint8_t(v)); break;
                default: append(uint8_t(v));
              }
            }
            put(x, y, z, layer, level, value);
          }
      gpu.upload(image, bytes.data(), bytes.size(), uint32_t(level), uint32_t(layer));
    }
  }
}

int wrapped(int i, int n, VkSamplerAddressMode mode) {
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT: return ((i % n) + n) % n;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT: {
      int m = ((i % (2 * n)) + 2 * n) % (2 * n);
      return m < n ? m : 2 * n - 1 - m;
    }
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER: return i < 0 || i >= n ? -1 : i;
    case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE: return std::clamp(i >= 0 ? i : -1 - i, 0, n - 1);
    default: return std::clamp(i, 0, n - 1);
  }
}

bool comparesTo(int op, double reference, double stored) {
  switch (op) {
    case VK_COMPARE_OP_NEVER: return false;
    case VK_COMPARE_OP_LESS: return reference < stored;
    case VK_COMPARE_OP_EQUAL: return reference == stored;
    case VK_COMPARE_OP_LESS_OR_EQUAL: return reference <= stored;
    case VK_COMPARE_OP_GREATER: return reference > stored;
    case VK_COMPARE_OP_NOT_EQUAL: return reference != stored;
    case VK_COMPARE_OP_GREATER_OR_EQUAL: return reference >= stored;
    default: return true;
  }
}

namespace {

// "Cube map face and coordinate selection": the major axis, and what (sc, tc) are on each face.
struct FaceAxes {
  int major, sc, tc;
  double majorSign, scSign, tcSign;
};
const FaceAxes faces[6] = {{0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1}, {1, 0, 2, 1, 1, 1},
                           {1, 0, 2, -1, 1, -1}, {2, 0, 1, 1, 1, -1},  {2, 0, 1, -1, -1, -1}};

int faceOf(const std::array<double, 3>& d) {
  double x = std::fabs(d[0]), y = std::fabs(d[1]), z = std::fabs(d[2]);
  // Ties go to z, then y.
  if (z >= x && z >= y) return d[2] < 0 ? 5 : 4;
  if (y >= x) return d[1] < 0 ? 3 : 2;
  return d[0] < 0 ? 1 : 0;
}

/// (s, t) in 0…1 on a face.
std::array<double, 2> onFace(int face, const std::array<double, 3>& d) {
  const FaceAxes& a = faces[face];
  double ma = std::fabs(d[size_t(a.major)]);
  return {(a.scSign * d[size_t(a.sc)] / ma + 1) / 2, (a.tcSign * d[size_t(a.tc)] / ma + 1) / 2};
}

/// Texel (i, j) of a face, which may lie one beyond an edge: then the texel of the face around it ("Cube Map Edge
/// Handling"). Beyond a corner: the average of the three texels that meet there.
Texel cubeTexel(const ModelTexture& t, int face, int i, int j, int cube, int level) {
  int n = t.extent(0, level);
  bool outI = i < 0 || i >= n, outJ = j < 0 || j >= n;
  if (!outI && !outJ) return t.at(i, j, 0, cube * 6 + face, level);
  if (outI && outJ) {
    int ci = std::clamp(i, 0, n - 1), cj = std::clamp(j, 0, n - 1);
    Texel a = cubeTexel(t, face, ci, cj, cube, level), b = cubeTexel(t, face, i, cj, cube, level),
          c = cubeTexel(t, face, ci, j, cube, level), r{};
    for (size_t k = 0; k < 4; ++k) r[k] = (a[k] + b[k] + c[k]) / 3;
    return r;
  }
  // Fold the plane of the face around the cube's edge: what is beyond it along sc or tc goes down the major axis.
  const FaceAxes& a = faces[face];
  double s = (i + 0.5) / n * 2 - 1, q = (j + 0.5) / n * 2 - 1;
  double beyond = std::fabs(outI ? s : q) - 1;
  std::array<double, 3> d{};
  d[size_t(a.sc)] = a.scSign * std::clamp(s, -1.0, 1.0);
  d[size_t(a.tc)] = a.tcSign * std::clamp(q, -1.0, 1.0);
  d[size_t(a.major)] = a.majorSign * (1 - beyond);
  int next = outI ? a.sc : a.tc;
  int neighbour = next == 0 ? (d[0] < 0 ? 1 : 0) : next == 1 ? (d[1] < 0 ? 3 : 2) : (d[2] < 0 ? 5 : 4);
  auto p = onFace(neighbour, d);
  return t.at(std::clamp(int(std::floor(p[0] * n)), 0, n - 1), std::clamp(int(std::floor(p[1] * n)), 0, n - 1), 0,
              cube * 6 + neighbour, level);
}

struct Place {
  int face = 0, layer = 0;
  std::array<double, 3> uvw{};  ///< in texels of the level
};

Place place(const ModelTexture& t, const std::array<double, 4>& at, int level) {
  Place p;
  int layer = t.isArray() ? int(std::nearbyint(at[size_t(t.dimensions())])) : 0;
  p.layer = std::clamp(layer, 0, t.layers / (t.isCube() ? 6 : 1) - 1);
  if (t.isCube()) {
    std::array<double, 3> d{at[0], at[1], at[2]};
    p.face = faceOf(d);
    auto st = onFace(p.face, d);
    p.uvw = {st[0] * t.extent(0, level), st[1] * t.extent(1, level), 0};
  } else {
    for (int k = 0; k < t.dimensions(); ++k) p.uvw[size_t(k)] = at[size_t(k)] * t.extent(k, level);
  }
  return p;
}

Texel fetch(const ModelTexture& t, const Place& p, std::array<int, 3> i, int level, const Look& look) {
  Texel r;
  if (t.isCube()) {
    r = cubeTexel(t, p.face, i[0], i[1], p.layer, level);
  } else {
    bool border = false;
    for (int k = 0; k < 3; ++k) {
      if (k >= t.dimensions())
        i[size_t(k)] = 0;
      else
        i[size_t(k)] = wrapped(i[size_t(k)], t.extent(k, level), look.address[size_t(k)]);
      border |= i[size_t(k)] < 0;
    }
    r = border ? look.border : t.at(i[0], i[1], i[2], p.layer, level);
  }
  if (look.compare >= 0) r = {comparesTo(look.compare, look.reference, r[0]) ? 1.0 : 0.0, 0, 0, 0};
  return r;
}

Texel sampleLevel(const ModelTexture& t, const std::array<double, 4>& at, int level, const Look& look) {
  Place p = place(t, at, level);
  int n = t.isCube() ? 2 : t.dimensions();
  std::array<int, 3> i{};
  if (look.filter == VK_FILTER_NEAREST) {
    for (size_t k = 0; k < size_t(n); ++k) i[k] = int(std::floor(p.uvw[k]));
    if (t.isCube())
      for (size_t k = 0; k < 2; ++k) i[k] = std::clamp(i[k], 0, t.extent(0, level) - 1);
    return fetch(t, p, i, level, look);
  }
  std::array<double, 3> weight{};
  for (size_t k = 0; k < size_t(n); ++k) {
    double f = p.uvw[k] - 0.5;
    i[k] = int(std::floor(f));
    weight[k] = f - i[k];
  }
  Texel sum{};
  for (int corner = 0; corner < 1 << n; ++corner) {
    std::array<int, 3> j = i;
    double w = 1;
    for (size_t k = 0; k < size_t(n); ++k) {
      bool up = corner >> k & 1;
      j[k] += up;
      w *= up ? weight[k] : 1 - weight[k];
    }
    if (w == 0) continue;
    Texel v = fetch(t, p, j, level, look);
    for (size_t c = 0; c < 4; ++c) sum[c] += w * v[c];
  }
  return sum;
}

}  // namespace

std::array<double, 3> cubeDirection(int face, double s, double t) {
  const FaceAxes& a = faces[face];
  std::array<double, 3> d{};
  d[size_t(a.major)] = a.majorSign;
  d[size_t(a.sc)] = a.scSign * s;
  d[size_t(a.tc)] = a.tcSign * t;
  return d;
}

/// In how many directions the footprint leaves the face.
static int leaves(const ModelTexture& t, const std::array<double, 4>& at, int level) {
  Place p = place(t, at, level);
  int out = 0, n = t.extent(0, level);
  for (size_t k = 0; k < 2; ++k) out += p.uvw[k] < 0.5 || p.uvw[k] > n - 0.5;
  return out;
}
bool touchesCorner(const ModelTexture& t, const std::array<double, 4>& at, int level) {
  return leaves(t, at, level) == 2;
}
bool touchesEdge(const ModelTexture& t, const std::array<double, 4>& at, int level) { return leaves(t, at, level) > 0; }

Texel sampleModel(const ModelTexture& t, const std::array<double, 4>& at, double lambda, const Look& look) {
  lambda = std::clamp(lambda, 0.0, double(t.levels - 1));
  if (look.mip == VK_SAMPLER_MIPMAP_MODE_NEAREST)
    return sampleLevel(t, at, std::clamp(int(std::ceil(lambda + 0.5)) - 1, 0, t.levels - 1), look);
  int level = int(std::floor(lambda)), next = std::min(t.levels - 1, level + 1);
  double w = lambda - level;
  Texel a = sampleLevel(t, at, level, look), b = sampleLevel(t, at, next, look), r;
  for (size_t c = 0; c < 4; ++c) r[c] = a[c] * (1 - w) + b[c] * w;
  return r;
}

std::array<double, 4> gatherModel(const ModelTexture& t, const std::array<double, 4>& at, const Look& look, int c,
                                  std::array<int, 2> offset) {
  static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  Place p = place(t, at, 0);
  std::array<double, 4> r;
  for (size_t k = 0; k < 4; ++k) {
    std::array<int, 3> i = {int(std::floor(p.uvw[0] - 0.5)) + offset[0] + order[k][0],
                            int(std::floor(p.uvw[1] - 0.5)) + offset[1] + order[k][1], 0};
    r[k] = fetch(t, p, i, 0, look)[size_t(look.compare >= 0 ? 0 : c)];
  }
  return r;
}

}  // namespace etzel::cts
