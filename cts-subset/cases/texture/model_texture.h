// A sampled image and its double on the CPU: texels with random values, and the texture operations of "Texel
// Filtering", "Wrapping Operation", "Cube Map Face Selection" and "Texel Gathering" written down in doubles.
#pragma once

#include <array>
#include <vector>

#include "cts-subset/support/draw.h"

namespace etzel::cts {

using Texel = std::array<double, 4>;

struct ModelTexture {
  VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;  ///< or an RGBA format of 8-bit integers, R32G32B32A32_SFLOAT, D32_SFLOAT
  int width = 16, height = 16, depth = 1;      ///< texels of level 0; 1 in the dimensions that the type lacks
  int layers = 1;                              ///< a cube has 6, an array of n cubes 6 n
  int levels = 1;
  bool sparse = false;  ///< its memory is bound page by page, all of it

  /// Makes the image with random texels; the same seed gives the same texels.
  void create(Gpu& gpu, uint64_t seed);

  bool isCube() const { return type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY; }
  bool isArray() const;
  int dimensions() const;        ///< of a coordinate without its layer; 3 for cubes
  const char* glslType() const;  ///< "2DArray"
  int extent(int axis, int level) const;
  Texel at(int x, int y, int z, int layer, int level) const;
  void put(int x, int y, int z, int layer, int level, const Texel& value);

  Image image;

 private:
  size_t index(int x, int y, int z, int layer, int level) const;
  std::vector<std::vector<Texel>> texels_;  ///< by level
};

/// How a sampler looks at a texture.
struct Look {
  VkFilter filter = VK_FILTER_LINEAR;
  VkSamplerMipmapMode mip = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  std::array<VkSamplerAddressMode, 3> address{};
  Texel border = {0, 0, 0, 0};
  int compare = -1;  ///< VkCompareOp, or none: then texels are compared before filtering
  double reference = 0;
};

/// The texel that a coordinate of integers means after wrapping, or -1 for the border.
int wrapped(int i, int size, VkSamplerAddressMode mode);

/// The result of a lookup at `level of detail` lambda. Coordinates as in GLSL: the layer follows the position.
Texel sampleModel(const ModelTexture& t, const std::array<double, 4>& at, double lambda, const Look& look);

/// The texels of a linear footprint in the order (0,1) (1,1) (1,0) (0,0), moved by `offset`, component `c` of each
/// (or the comparison's result).
std::array<double, 4> gatherModel(const ModelTexture& t, const std::array<double, 4>& at, const Look& look, int c,
                                  std::array<int, 2> offset);

/// Whether the footprint of the coordinate on a cube's face reaches over a corner, where results are an average.
bool touchesCorner(const ModelTexture& t, const std::array<double, 4>& at, int level);
/// Whether it reaches over an edge.
bool touchesEdge(const ModelTexture& t, const std::array<double, 4>& at, int level);

/// A direction through the point (s, t), each in -1…1, of a face.
std::array<double, 3> cubeDirection(int face, double s, double t);

bool comparesTo(int op, double reference, double stored);

}  // namespace etzel::cts
