// Transform feedback: what lands in the buffer, in which order, what does not fit, and going on where it stopped.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/draw/topology.h"
#include "cts-subset/cases/groups.h"

namespace etzel::cts {
namespace {

struct Capture {
  Buffer out, counter;
  VkQueryPool pool = VK_NULL_HANDLE;
  uint64_t written = 0, needed = 0;
};

/// Draws with what `s` says into a buffer of `bytes`, appending. With `resume` each draw has a transform feedback of
/// its own, which begins where the counter says: in another submission, since it reads what the one before has written.
Capture capture(Gpu& gpu, DrawState& s, VkDeviceSize bytes, int draws = 1, bool resume = false) {
  gpu.requireExtension(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME);
  Capture c;
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                             VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT |
                             VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  c.out = gpu.buffer(bytes + 256, nullptr, usage);
  memset(c.out.data, 0xee, bytes + 256);
  c.counter = gpu.buffer(16, nullptr, usage);
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT;
  const int turns = resume ? draws : 1;
  info.queryCount = uint32_t(turns);
  VkPhysicalDeviceTransformFeedbackPropertiesEXT limits{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
  vkGetPhysicalDeviceProperties2(gpu.physical, &p);
  gpu.require(limits.transformFeedbackQueries, "transformFeedbackQueries");
  CTS_VK(vkCreateQueryPool(gpu.device, &info, nullptr, &c.pool));
  gpu.later([&gpu, pool = c.pool] { vkDestroyQueryPool(gpu.device, pool, nullptr); });
  auto bind = gpu.proc<PFN_vkCmdBindTransformFeedbackBuffersEXT>("vkCmdBindTransformFeedbackBuffersEXT");
  auto begin = gpu.proc<PFN_vkCmdBeginTransformFeedbackEXT>("vkCmdBeginTransformFeedbackEXT");
  auto end = gpu.proc<PFN_vkCmdEndTransformFeedbackEXT>("vkCmdEndTransformFeedbackEXT");
  Image target = gpu.image({.width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  s.colors = {target};
  s.frag = writes("vec4(1.0)");
  VkDeviceSize zero = 0, size = bytes;
  for (int turn = 0; turn < turns; ++turn) {
    const auto query = uint32_t(turn);
    s.before = [&](VkCommandBuffer cmd) { vkCmdResetQueryPool(cmd, c.pool, query, 1); };
    s.commands = [&](VkCommandBuffer cmd) {
      bind(cmd, 0, 1, &c.out.handle, &zero, &size);
      vkCmdBeginQuery(cmd, c.pool, query, 0);
      begin(cmd, 0, turn ? 1 : 0, turn ? &c.counter.handle : nullptr, turn ? &zero : nullptr);
      for (int i = resume ? turn : 0; i < (resume ? turn + 1 : draws); ++i)
        vkCmdDraw(cmd, s.vertexCount, s.instanceCount, uint32_t(i) * 100, 0);
      end(cmd, 0, 1, &c.counter.handle, &zero);
      vkCmdEndQuery(cmd, c.pool, query);
    };
    draw(gpu, s);
    uint64_t got[2];
    gpu.results(c.pool, query, 1, 16, got, 16, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    c.written += got[0], c.needed += got[1];
  }
  return c;
}

const char* const captured =
    "#version 450\nlayout(xfb_buffer = 0, xfb_stride = 24) out;\nlayout(location=0, xfb_buffer = 0, xfb_offset = 4) "
    "out vec3 a;\n"
    "layout(location=1, xfb_buffer = 0, xfb_offset = 20) flat out uint b;\n"
    "void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); gl_PointSize = 1.0; a = vec3(gl_VertexIndex, "
    "gl_InstanceIndex, 0.5); b = uint(gl_VertexIndex) * 3u; }\n";

/// Word `w` of captured vertex `i`: the two holes keep what was there.
void expectVertex(const Capture& c, size_t i, uint32_t vertex, uint32_t instance) {
  const uint32_t* words = c.out.as<uint32_t>() + i * 6;
  float f[3];
  memcpy(f, words + 1, 12);
  ASSERT_EQ(words[0], 0xeeeeeeeeu) << "hole before vertex " << i;
  ASSERT_EQ(f[0], float(vertex)) << "vertex " << i;
  ASSERT_EQ(f[1], float(instance)) << "vertex " << i;
  ASSERT_EQ(f[2], 0.5f) << "vertex " << i;
  ASSERT_EQ(words[4], 0xeeeeeeeeu) << "hole in vertex " << i;
  ASSERT_EQ(words[5], vertex * 3) << "vertex " << i;
}

void addCaptures() {
  for (auto& in : topologies) {
    if (in.vertices > 3) continue;
    for (uint32_t n : {3u, 7u, 12u})
      for (uint32_t instances : {1u, 3u})
        add(text("transform_feedback.topology.%s.vertices%u.instances%u", in.name, n, instances),
            [&in, n, instances](Gpu& gpu) {
              DrawState s;
              s.vert = captured;
              s.topology = in.topology;
              s.vertexCount = n;
              s.instanceCount = instances;
              Capture c = capture(gpu, s, 64 * 24 * 3);
              auto want = primitivesOf(in.topology, n);
              size_t at = 0;
              for (uint32_t k = 0; k < instances; ++k)
                for (auto& p : want) {
                  // Strips may begin with another vertex of the same triangle, in the same cyclic order.
                  size_t turn = 0;
                  uint32_t first = uint32_t(std::lround(double(c.out.as<float>()[at * 6 + 1])));
                  for (size_t i = 0; i < p.size(); ++i)
                    if (p[i] == first && p.size() == 3) turn = i;
                  for (size_t i = 0; i < p.size(); ++i) expectVertex(c, at++, p[(i + turn) % p.size()], k);
                }
              EXPECT_EQ(c.written, want.size() * instances);
              EXPECT_EQ(c.needed, want.size() * instances);
              EXPECT_EQ(*c.counter.as<uint32_t>(), at * 24);
              EXPECT_EQ(c.out.as<uint32_t>()[at * 6 + 1], 0xeeeeeeeeu) << "beyond the last vertex";
            });
  }
  for (uint32_t room : {24u, 68u, 72u, 100u, 144u, 300u})
    add(text("transform_feedback.overflow.room%u", room), [=](Gpu& gpu) {
      // Five triangles; whole ones that fit are written, and the query says how many were needed.
      DrawState s;
      s.vert = captured;
      s.vertexCount = 15;
      Capture c = capture(gpu, s, room);
      uint32_t fits = std::min(5u, room / 72);
      for (uint32_t i = 0; i < fits * 3; ++i) expectVertex(c, i, i, 0);
      EXPECT_EQ(c.out.as<uint32_t>()[fits * 18 + 1], 0xeeeeeeeeu);
      EXPECT_EQ(c.written, fits);
      EXPECT_EQ(c.needed, 5u);
    });
  for (bool resume : {false, true})
    for (int draws : {2, 5})
      add(text("transform_feedback.%s.draws%d", resume ? "resume" : "append", draws), [=](Gpu& gpu) {
        DrawState s;
        s.vert = captured;
        s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
        s.vertexCount = 5;
        Capture c = capture(gpu, s, 64 * 24, draws, resume);
        for (int d = 0; d < draws; ++d)
          for (uint32_t i = 0; i < 5; ++i) expectVertex(c, size_t(d) * 5 + i, uint32_t(d) * 100 + i, 0);
        EXPECT_EQ(*c.counter.as<uint32_t>(), uint32_t(draws) * 5 * 24);
      });
}

void addLayouts() {
  add("transform_feedback.nested.doubles", [](Gpu& gpu) {
    // Structures with 64-bit members begin and end at multiples of eight bytes, wherever they lie.
    gpu.require(gpu.features.features.shaderFloat64, "shaderFloat64");
    DrawState s;
    s.vert =
        "#version 450\nlayout(xfb_buffer = 0, xfb_stride = 48) out;\nstruct Inner { vec3 m; double d; float f; };\n"
        "struct Outer { float x; Inner inner; };\n"
        "layout(location = 0, xfb_buffer = 0, xfb_offset = 0) out Block { Outer a; uint b; } block;\n"
        "void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); gl_PointSize = 1.0; block.a.x = 1.5;\n"
        "block.a.inner.m = vec3(2.5, 3.5, 4.5); block.a.inner.d = 5.5lf; block.a.inner.f = 6.5; block.b = 7u; }\n";
    s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.vertexCount = 2;
    Capture c = capture(gpu, s, 2 * 48);
    for (size_t i = 0; i < 2; ++i) {
      const std::byte* at = static_cast<const std::byte*>(c.out.data) + i * 48;
      float f[5];
      double d;
      uint32_t b, hole[2];
      memcpy(&f[0], at, 4), memcpy(&f[1], at + 8, 12), memcpy(&f[4], at + 32, 4);
      memcpy(&d, at + 24, 8), memcpy(&b, at + 40, 4);
      memcpy(&hole[0], at + 4, 4), memcpy(&hole[1], at + 36, 4);
      const float want[5] = {1.5f, 2.5f, 3.5f, 4.5f, 6.5f};
      for (int k = 0; k < 5; ++k) EXPECT_EQ(f[k], want[k]) << "number " << k;
      EXPECT_EQ(d, 5.5);
      EXPECT_EQ(b, 7u);
      for (uint32_t word : hole) EXPECT_EQ(word, 0xeeeeeeeeu);
    }
  });
  for (uint32_t copies : {0u, 1u, 4u})
    add(text("transform_feedback.geometry.copies%u", copies), [=](Gpu& gpu) {
      gpu.require(gpu.features.features.geometryShader, "geometryShader");
      // Points of a geometry shader need a size exactly where the device lets them have one
      // (VkGraphicsPipelineCreateInfo, valid usage of the OutputPoints execution mode).
      const bool sized = gpu.features.features.shaderTessellationAndGeometryPointSize;
      DrawState s;
      s.vert =
          "#version 450\nlayout(location=0) out uint id;\nvoid main() { id = uint(gl_VertexIndex); gl_Position = "
          "vec4(0.0, 0.0, 0.0, 1.0); }\n";
      s.geom = text(
          "#version 450\nlayout(points) in;\nlayout(points, max_vertices = 8) out;\nlayout(location=0) in uint id[];\n"
          "layout(xfb_buffer = 0, xfb_stride = 24) out;\nlayout(location=0, xfb_buffer = 0, xfb_offset = 4) out vec3 "
          "a;\n"
          "layout(location=1, xfb_buffer = 0, xfb_offset = 20) flat out uint b;\n"
          "void main() { for (uint k = 0u; k < %uu; ++k) { uint v = id[0] * 10u + k; a = vec3(v, 0.0, 0.5); b = v * "
          "3u; "
          "gl_Position = vec4(0.0, 0.0, 0.0, 1.0); %s EmitVertex(); } }\n",
          copies, sized ? "gl_PointSize = 1.0;" : "");
      s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
      s.vertexCount = 6;
      // What is captured is all that is looked at. There are drivers that rasterize what lies behind the last vertex
      // where there is none.
      s.raster.rasterizerDiscardEnable = VK_TRUE;
      Capture c = capture(gpu, s, 64 * 24);
      for (uint32_t i = 0; i < 6 * copies; ++i) expectVertex(c, i, i / copies * 10 + i % copies, 0);
      EXPECT_EQ(c.written, 6 * copies);
    });
}

}  // namespace

void registerTransformFeedback() {
  addCaptures();
  addLayouts();
}

}  // namespace etzel::cts
