#include "world.h"

#include <cmath>
#include <cstddef>

namespace vkbench {
namespace {

using Vec3 = std::array<float, 3>;

struct WorldVertex {
  float position[3], normal[3], tangent[4], uv[2];
};

Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
float dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec3 unit(const Vec3& v) {
  const float length = std::sqrt(dot(v, v));
  return {v[0] / length, v[1] / length, v[2] / length};
}

/// The eye at the origin, looking along z, y downwards.
Matrix view(const Vec3& eye, const Vec3& at) {
  const Vec3 z = unit(minus(at, eye)), x = unit(cross(z, {0, 1, 0})), y = cross(z, x);
  return {x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1};
}

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix r{};
  for (size_t column = 0; column < 4; ++column)
    for (size_t row = 0; row < 4; ++row)
      for (size_t k = 0; k < 4; ++k) r[column * 4 + row] += a[k * 4 + row] * b[column * 4 + k];
  return r;
}

/// To x and y of -1 to 1 and z of 0 to 1, seen from `eye`.
Matrix perspective(const Vec3& eye, const Vec3& at, float aspect) {
  constexpr float kNear = 0.5f, kFar = 60, kScale = 1.5f;
  const Matrix projection = {kScale / aspect,
                             0,
                             0,
                             0,
                             0,
                             kScale,
                             0,
                             0,
                             0,
                             0,
                             kFar / (kFar - kNear),
                             1,
                             0,
                             0,
                             -kNear * kFar / (kFar - kNear),
                             0};
  return times(projection, view(eye, at));
}

Matrix orthographic(const Vec3& eye, const Vec3& at, float halfSize, float depth) {
  const Matrix projection = {1 / halfSize, 0, 0, 0, 0, 1 / halfSize, 0, 0, 0, 0, 1 / depth, 0, 0, 0, 0, 1};
  return times(projection, view(eye, at));
}

/// A grid of `columns` x `rows` quads, whose corners `at` gives for u and v of 0 to 1.
template <class F>
void appendGrid(std::vector<WorldVertex>& vertices, std::vector<uint32_t>& indices, uint32_t columns, uint32_t rows,
                F at) {
  for (uint32_t y = 0; y <= rows; ++y)
    for (uint32_t x = 0; x <= columns; ++x) vertices.push_back(at(float(x) / float(columns), float(y) / float(rows)));
  for (uint32_t y = 0; y < rows; ++y)
    for (uint32_t x = 0; x < columns; ++x) {
      const uint32_t a = y * (columns + 1) + x, b = a + 1, c = a + columns + 1, d = c + 1;
      for (const uint32_t i : {a, b, d, a, d, c}) indices.push_back(i);
    }
}

WorldVertex groundAt(float u, float v) {
  return {{(u - 0.5f) * 40, 0, (0.5f - v) * 40}, {0, 1, 0}, {1, 0, 0, 1}, {u, v}};
}

WorldVertex ballAt(float u, float v) {
  const float a = u * 6.2831853f, b = v * 3.14159265f;
  const float n[3] = {std::sin(b) * std::cos(a), std::cos(b), std::sin(b) * std::sin(a)};
  return {{n[0], n[1], n[2]}, {n[0], n[1], n[2]}, {-std::sin(a), 0, std::cos(a), 1}, {u, v}};
}

}  // namespace

World::World(Gpu& gpu) : gpu_(gpu) {
  std::vector<WorldVertex> vertices;
  std::vector<uint32_t> indices;
  appendGrid(vertices, indices, 40, 40, groundAt);
  const Range ground{0, uint32_t(indices.size()), 0};
  const auto ballVertex = int32_t(vertices.size());
  appendGrid(vertices, indices, 32, 20, ballAt);
  const Range ball{ground.indices, uint32_t(indices.size()) - ground.indices, ballVertex};
  vertices_ = bufferOf<WorldVertex>(gpu, vertices);
  indices_ = bufferOf<uint32_t>(gpu, indices);

  objects_.push_back({ground, {0, 0, 0, 1}, {0.8f, 0.8f, 0.75f, 1}, {12, 12, 0, 0}});
  Random random(61);
  for (int i = 0; i < 48; ++i) {
    const float size = 0.5f + 0.6f * random.unit();
    objects_.push_back({ball,
                        {float(i % 8 - 4) * 2.6f + random.unit(), size, float(i / 8 - 3) * 2.8f + random.unit(), size},
                        {0.5f + 0.5f * random.unit(), 0.5f + 0.5f * random.unit(), 0.5f + 0.5f * random.unit(), 1},
                        {3, 2, 0, 0}});
  }
  const Vec3 eye = {2, 6, -14}, middle = {0, 0.5f, -1}, sun = {-12, 16, -8};
  Camera camera{perspective(eye, middle, float(kWidth) / kHeight), orthographic(sun, {0, 0, 0}, 14, 45), {}, {}};
  std::copy(eye.begin(), eye.end(), camera.eye);
  const Vec3 light = unit(sun);
  std::copy(light.begin(), light.end(), camera.light);
  camera_ = bufferOf<Camera>(gpu, std::vector{camera});
}

VkPipeline World::makePipeline(const Target& target, Spirv vertex, Spirv fragment, VkPipelineLayout layout) const {
  GraphicsDesc d{.stages = {{VK_SHADER_STAGE_VERTEX_BIT, vertex}},
                 .target = &target,
                 .depthTest = true,
                 .cull = VK_CULL_MODE_BACK_BIT,
                 .stride = sizeof(WorldVertex),
                 .attributes = {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(WorldVertex, position)},
                                {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(WorldVertex, normal)},
                                {2, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(WorldVertex, tangent)},
                                {3, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(WorldVertex, uv)}}};
  if (!fragment.empty()) d.stages.push_back({VK_SHADER_STAGE_FRAGMENT_BIT, fragment});
  return gpu_.makePipeline(d, layout);
}

void World::draw(VkCommandBuffer c, const Resources& resources) const {
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(c, 0, 1, &vertices_.buffer, &zero);
  vkCmdBindIndexBuffer(c, indices_.buffer, 0, VK_INDEX_TYPE_UINT32);
  for (const Object& o : objects_) {
    struct {
      float place[4], tint[4], repeat[4];
    } constants;
    std::copy_n(o.place, 4, constants.place);
    std::copy_n(o.tint, 4, constants.tint);
    std::copy_n(o.repeat, 4, constants.repeat);
    resources.push(c, constants);
    vkCmdDrawIndexed(c, o.mesh.indices, 1, o.mesh.firstIndex, o.mesh.firstVertex, 0);
  }
}

}  // namespace vkbench
