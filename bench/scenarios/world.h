// A small world as games have: a ground and balls on it, with normals, tangents and texture coordinates, one draw each.
#pragma once

#include <array>
#include <vector>

#include "resources.h"

namespace vkbench {

/// Columns of a matrix, as shaders have it in buffers.
using Matrix = std::array<float, 16>;

struct Camera {
  Matrix viewProjection, lightProjection;
  float eye[4], light[4];
};

class World {
 public:
  explicit World(Gpu& gpu);
  /// With `fragment`, or with depth alone.
  VkPipeline makePipeline(const Target& target, Spirv vertex, Spirv fragment, VkPipelineLayout layout) const;
  /// All objects; the caller has bound pipeline and set.
  void draw(VkCommandBuffer c, const Resources& resources) const;

  const Buffer& camera() const { return camera_; }  ///< uniforms: a Camera

 private:
  struct Range {
    uint32_t firstIndex, indices;
    int32_t firstVertex;
  };
  struct Object {
    Range mesh;
    float place[4], tint[4], repeat[4];  ///< repeat: of texture coordinates
  };
  Gpu& gpu_;
  Buffer vertices_, indices_, camera_;
  std::vector<Object> objects_;
};

}  // namespace vkbench
