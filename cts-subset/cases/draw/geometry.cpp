// Geometry shaders: what they get from each topology, what they emit, layers, viewports, instances, primitive numbers,
// strips that end early.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/draw/topology.h"
#include "cts-subset/cases/groups.h"

namespace etzel::cts {
namespace {

void receives(Gpu& gpu, const Topology& in, uint32_t n) {
  const auto want = primitivesOf(in.topology, n);
  DrawState s;
  s.vertexCount = n;
  const auto got = receivedPrimitives(gpu, in, s);
  ASSERT_EQ(got.size(), want.size());
  for (uint32_t p = 0; p < want.size(); ++p) {
    ASSERT_EQ(got[p].number, p);
    ASSERT_EQ(got[p].vertices, want[p]) << "vertices of primitive " << p;
  }
}

/// A point becomes a quad: strips of several lengths, invocations, layers and viewports.
void emits(Gpu& gpu, uint32_t strips, uint32_t invocations, bool layers) {
  gpu.require(gpu.features.features.geometryShader, "geometryShader");
  Image target =
      gpu.image({.width = 16, .height = 16, .layers = layers ? 4u : 1u, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  gpu.clear(target, {});
  DrawState s;
  s.vert = "#version 450\nvoid main() { gl_Position = vec4(float(gl_VertexIndex), 0.0, 0.0, 1.0); }\n";
  // Quad k of invocation j of point v covers 2 x 2 pixels at (2 (4 j + k), 4 v) and has the colour (v, j, k); each
  // strip is ended by hand, and one half-made triangle is thrown away.
  s.geom = text(
      "#version 450\nlayout(points, invocations = %u) in;\nlayout(triangle_strip, max_vertices = %u) out;\n"
      "layout(location=0) out vec4 c;\nvoid main() { float v = gl_in[0].gl_Position.x;\nfor (int k = 0; k < %u; ++k) "
      "{\n"
      "  vec2 at = vec2(2.0 * float(gl_InvocationID * 4 + k), 4.0 * v);\n"
      "  for (int i = 0; i < 4; ++i) { c = vec4(v, gl_InvocationID, k, 255.0) / 255.0; %s gl_PrimitiveID = 7;\n"
      "    gl_Position = vec4((at + 2.0 * vec2(i & 1, i >> 1)) / 8.0 - 1.0, 0.0, 1.0); EmitVertex(); }\n"
      "  EndPrimitive();\n  gl_Position = vec4(-1.0, -1.0, 0.0, 1.0); c = vec4(1.0); EmitVertex();\n"
      "  gl_Position = vec4(1.0, -1.0, 0.0, 1.0); c = vec4(1.0); EmitVertex(); EndPrimitive();\n} }\n",
      invocations, strips * 6, strips, layers ? "gl_Layer = int(v);" : "");
  s.frag =
      "#version 450\nlayout(location=0) in vec4 c; layout(location=0) out vec4 color;\nvoid main() { color = "
      "gl_PrimitiveID == 7 ? c : vec4(1.0); }\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.vertexCount = 4;
  s.colors = {target};
  s.layers = layers ? 4 : 1;
  draw(gpu, s);
  for (uint32_t layer = 0; layer < (layers ? 4 : 1); ++layer) {
    std::vector<uint8_t> want(16 * 16 * 4);
    for (uint32_t v = 0; v < 4; ++v)
      for (uint32_t j = 0; j < invocations; ++j)
        for (uint32_t k = 0; k < strips; ++k)
          for (uint32_t i = 0; i < 4; ++i) {
            uint32_t x = 2 * (j * 4 + k) + i % 2, y = 4 * v + i / 2;
            if (x >= 16 || (layers && layer != v)) continue;
            uint8_t* w = &want[(y * 16 + x) * 4];
            w[0] = uint8_t(v), w[1] = uint8_t(j), w[2] = uint8_t(k), w[3] = 255;
          }
    expectPicture(gpu.download(target, 4, 0, layer), want, 16, 16);
  }
}

}  // namespace

void registerGeometry() {
  for (auto& in : topologies)
    for (uint32_t n : {4u, 6u, 8u, 11u, 12u, 24u})
      add(text("geometry.input.%s.vertices%u", in.name, n), [&in, n](Gpu& gpu) { receives(gpu, in, n); });
  for (uint32_t strips : {1u, 2u, 3u, 4u})
    for (uint32_t invocations : {1u, 2u, 5u})
      for (bool layers : {false, true})
        add(text("geometry.emit.%s.strips%u.invocations%u", layers ? "layers" : "plain", strips, invocations),
            [=](Gpu& gpu) { emits(gpu, strips, invocations, layers); });
}

}  // namespace etzel::cts
