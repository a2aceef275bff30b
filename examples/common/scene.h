// The demo's scene: triangles and a texture, made by arithmetic alone so that the picture is the same everywhere.
#pragma once

#include <cstdint>
#include <vector>

namespace demo {

struct Vertex {
  float position[3], normal[3], uv[2];
};
struct Mesh {
  std::vector<Vertex> vertices;
  std::vector<uint32_t> indices;
};
struct Camera {
  float viewProjection[16];  ///< column-major, Vulkan clip space
  float eye[4];
};

/// Floor, columns, a torus knot and spheres.
Mesh makeScene();
/// size x size RGBA8 texels: tiles with grout and grain.
std::vector<uint8_t> makeTexture(uint32_t size);
Camera makeCamera(float aspect);

}  // namespace demo
