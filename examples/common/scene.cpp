#include "scene.h"

#include <array>
#include <cmath>

namespace demo {
namespace {

using Vec3 = std::array<float, 3>;
constexpr float kPi = 3.14159265f;

Vec3 sub(Vec3 a, Vec3 b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec3 add(Vec3 a, Vec3 b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec3 scale(Vec3 a, float s) { return {a[0] * s, a[1] * s, a[2] * s}; }
float dot(Vec3 a, Vec3 b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 cross(Vec3 a, Vec3 b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }
Vec3 normalize(Vec3 a) { return scale(a, 1 / std::sqrt(dot(a, a))); }

/// A grid of (rows + 1) x (columns + 1) vertices from a function of (u, v) in [0, 1].
template <class F>
void addGrid(Mesh& mesh, uint32_t rows, uint32_t columns, F vertexAt) {
  const auto base = static_cast<uint32_t>(mesh.vertices.size());
  for (uint32_t r = 0; r <= rows; ++r)
    for (uint32_t c = 0; c <= columns; ++c)
      mesh.vertices.push_back(vertexAt(static_cast<float>(c) / columns, static_cast<float>(r) / rows));
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < columns; ++c) {
      const uint32_t a = base + r * (columns + 1) + c, b = a + columns + 1;
      for (uint32_t i : {a, b, a + 1, a + 1, b, b + 1}) mesh.indices.push_back(i);
    }
}

Vertex makeVertex(Vec3 p, Vec3 n, float u, float v) { return {{p[0], p[1], p[2]}, {n[0], n[1], n[2]}, {u, v}}; }

void addSphere(Mesh& mesh, Vec3 center, float radius) {
  addGrid(mesh, 24, 48, [=](float u, float v) {
    const float a = u * 2 * kPi, b = v * kPi;
    const Vec3 n = {std::sin(b) * std::cos(a), std::cos(b), std::sin(b) * std::sin(a)};
    return makeVertex(add(center, scale(n, radius)), n, u * 4, v * 2);
  });
}

void addColumn(Mesh& mesh, Vec3 foot, float radius, float height) {
  addGrid(mesh, 1, 32, [=](float u, float v) {
    const float a = u * 2 * kPi;
    const Vec3 n = {std::cos(a), 0, std::sin(a)};
    return makeVertex(add(foot, {n[0] * radius, v * height, n[2] * radius}), n, u * 3, v * height / 2);
  });
}

Vec3 knot(float t) {
  const float r = 2 + std::cos(3 * t);
  return {r * std::cos(2 * t), std::sin(3 * t), r * std::sin(2 * t)};
}

void addKnot(Mesh& mesh, Vec3 center, float size, float tube) {
  addGrid(mesh, 320, 20, [=](float u, float v) {
    const float t = v * 2 * kPi;
    const Vec3 p = knot(t), tangent = normalize(sub(knot(t + 0.01f), p));
    const Vec3 side = normalize(cross(tangent, {0.1f, 1, 0.2f})), up = cross(side, tangent);
    const float a = u * 2 * kPi;
    const Vec3 n = add(scale(side, std::cos(a)), scale(up, std::sin(a)));
    return makeVertex(add(center, scale(add(p, scale(n, tube)), size)), n, u * 2, v * 40);
  });
}

}  // namespace

Mesh makeScene() {
  Mesh mesh;
  addGrid(mesh, 8, 8, [](float u, float v) {
    return makeVertex({(u - 0.5f) * 60, 0, (v - 0.5f) * 60}, {0, 1, 0}, u * 20, v * 20);
  });
  addKnot(mesh, {0, 3.2f, 0}, 0.85f, 0.42f);
  for (int i = 0; i < 8; ++i) {
    const float a = (i + 0.5f) * kPi / 4;
    const Vec3 foot = {8 * std::cos(a), 0, 8 * std::sin(a)};
    addColumn(mesh, foot, 0.35f, 5.0f);
    addSphere(mesh, add(foot, {0, 5.5f, 0}), 0.7f);
  }
  addSphere(mesh, {3.6f, 0.8f, 4.2f}, 0.8f);
  addSphere(mesh, {-3.2f, 1.0f, 4.6f}, 1.0f);
  return mesh;
}

std::vector<uint8_t> makeTexture(uint32_t size) {
  std::vector<uint8_t> texels(size_t(size) * size * 4);
  uint32_t seed = 12345;
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x) {
      const uint32_t cell = size / 4, cx = x / cell, cy = y / cell;
      const bool grout = x % cell < cell / 16 || y % cell < cell / 16;
      seed = seed * 1664525u + 1013904223u;
      const int grain = static_cast<int>(seed >> 24) % 24;
      const bool dark = (cx + cy) % 2;
      const int rgb[3] = {grout ? 60 : dark ? 150 : 205, grout ? 58 : dark ? 92 : 190, grout ? 55 : dark ? 70 : 165};
      uint8_t* t = &texels[(size_t(y) * size + x) * 4];
      for (int c = 0; c < 3; ++c) t[c] = static_cast<uint8_t>(rgb[c] + grain);
      t[3] = 255;
    }
  return texels;
}

Camera makeCamera(float aspect) {
  const Vec3 eye = {9.2f, 5.0f, 9.2f}, target = {0, 2.5f, 0};
  const Vec3 f = normalize(sub(target, eye)), s = normalize(cross(f, {0, 1, 0})), u = cross(s, f);
  const float focal = 1 / std::tan(0.5f * 50 * kPi / 180), nearPlane = 0.5f, farPlane = 100;
  const float zScale = farPlane / (nearPlane - farPlane), zOffset = nearPlane * farPlane / (nearPlane - farPlane);
  const float view[4][4] = {{s[0], u[0], -f[0], 0},
                            {s[1], u[1], -f[1], 0},
                            {s[2], u[2], -f[2], 0},
                            {-dot(s, eye), -dot(u, eye), dot(f, eye), 1}};
  Camera camera{};
  for (int c = 0; c < 4; ++c) {
    camera.viewProjection[c * 4 + 0] = view[c][0] * focal / aspect;
    camera.viewProjection[c * 4 + 1] = -view[c][1] * focal;  // Vulkan's y points down
    camera.viewProjection[c * 4 + 2] = view[c][2] * zScale + view[c][3] * zOffset;
    camera.viewProjection[c * 4 + 3] = -view[c][2];
  }
  camera.eye[0] = eye[0], camera.eye[1] = eye[1], camera.eye[2] = eye[2], camera.eye[3] = 1;
  return camera;
}

}  // namespace demo
