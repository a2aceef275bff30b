// Tessellation: how many triangles levels make, that they tile the patch, where fractional spacing puts vertices, patch
// sizes, per-patch data, discarded patches, winding and point mode.
#include <algorithm>
#include <cmath>
#include <set>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

struct Levels {
  double inner[2], outer[4];
};

enum Spacing { Equal, Even, Odd };
const char* const spacingNames[] = {"equal", "fractional_even", "fractional_odd"};
const char* const spacingWords[] = {"equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"};

/// "Tessellator Spacing": segments of an edge.
int segments(double level, Spacing spacing) {
  if (spacing == Equal) return int(std::ceil(std::clamp(level, 1.0, 64.0)));
  if (spacing == Even) return std::max(2, 2 * int(std::ceil(std::clamp(level, 2.0, 64.0) / 2)));
  return 2 * int(std::ceil((std::clamp(level, 1.0, 63.0) - 1) / 2)) + 1;
}

/// "Triangle Tessellation", "Quad Tessellation", "Isoline Tessellation": primitives of one patch.
int triangles(const std::string& domain, const Levels& l, Spacing spacing) {
  int o[4], count = 0;
  for (int i = 0; i < 4; ++i) o[i] = segments(l.outer[i], spacing);
  if (domain == "isolines") return segments(l.outer[0], Equal) * o[1];
  if (domain == "triangles") {
    int n = segments(l.inner[0], spacing);
    if (n == 1 && o[0] == 1 && o[1] == 1 && o[2] == 1) return 1;
    if (n == 1) n = segments(1.0001, spacing);  // "as though the inner level were 1 + epsilon"
    // Rings: between an edge of a segments and one of b there are a + b triangles; the middle is a triangle or a point.
    for (int ring = n, first = 1; ring > 1; ring -= 2, first = 0) {
      for (int side = 0; side < 3; ++side) count += (first ? o[side] : ring) + std::max(0, ring - 2);
    }
    return count + (n % 2 ? 1 : 0);
  }
  int n = segments(l.inner[0], spacing), m = segments(l.inner[1], spacing);
  if (n == 1 && m == 1 && o[0] == 1 && o[1] == 1 && o[2] == 1 && o[3] == 1) return 2;
  if (n == 1) n = segments(1.0001, spacing);
  if (m == 1) m = segments(1.0001, spacing);
  count = 2 * (n - 2) * (m - 2);  // the inner rectangle
  count += o[0] + (m - 2) + o[2] + (m - 2) + o[1] + (n - 2) + o[3] + (n - 2);
  return count;
}

std::string control(const Levels& l, uint32_t points) {
  return text(
      "#version 450\nlayout(vertices = %u) out;\nvoid main() { gl_out[gl_InvocationID].gl_Position = "
      "gl_in[gl_InvocationID].gl_Position; gl_TessLevelInner[0] = %.9g; gl_TessLevelInner[1] = %.9g;\n"
      "gl_TessLevelOuter[0] = %.9g; gl_TessLevelOuter[1] = %.9g; gl_TessLevelOuter[2] = %.9g; gl_TessLevelOuter[3] = "
      "%.9g; }\n",
      points, l.inner[0], l.inner[1], l.outer[0], l.outer[1], l.outer[2], l.outer[3]);
}

struct Patch {
  Image target;
  DrawState s;
  explicit Patch(Gpu& gpu, const std::string& domain, const Levels& levels, Spacing spacing,
                 const char* order = "ccw") {
    gpu.require(gpu.features.features.tessellationShader, "tessellationShader");
    target = gpu.image({.width = 64, .height = 64, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    gpu.clear(target, {});
    s.vert = "#version 450\nvoid main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }\n";
    s.tesc = control(levels, 1);
    // Quads and lines fill the unit square, triangles its lower left half.
    s.tese = text(
        "#version 450\nlayout(%s, %s, %s) in;\nvoid main() { gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.0, "
        "1.0); }\n",
        domain.c_str(), spacingWords[spacing], order);
    s.frag = writes("vec4(1.0 / 255.0, 0.0, 0.0, 1.0)");
    s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    s.patchPoints = 1;
    s.vertexCount = 1;
    s.colors = {target};
    s.attachment.blendEnable = VK_TRUE;
    s.attachment.srcColorBlendFactor = s.attachment.dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
    s.attachment.srcAlphaBlendFactor = s.attachment.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
  }
};

/// A pixel of the domain is covered by exactly one triangle, one outside by none.
void tiles(Gpu& gpu, const std::string& domain, const Levels& levels, Spacing spacing) {
  Patch p(gpu, domain, levels, spacing);
  draw(gpu, p.s);
  std::vector<uint8_t> want(64 * 64 * 4);
  auto got = gpu.download(p.target, 4);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      uint8_t* w = &want[size_t(y * 64 + x) * 4];
      const uint8_t* g = &got[size_t(y * 64 + x) * 4];
      int sum = x + y + 1;  // 64 on the triangle's long side
      bool in = domain == "quads" || sum < 64;
      w[0] = in ? 1 : 0, w[3] = in ? 255 : 0;
      if (domain == "triangles" && std::abs(sum - 64) <= 1) memcpy(w, g, 4);  // either way on the long side
    }
  expectPicture(got, want, 64, 64);
}

void counts(Gpu& gpu, const std::string& domain, const Levels& levels, Spacing spacing, bool discarded) {
  gpu.require(gpu.features.features.pipelineStatisticsQuery, "pipelineStatisticsQuery");
  Patch p(gpu, domain, levels, spacing);
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
  info.queryCount = 1;
  info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_CONTROL_SHADER_PATCHES_BIT;
  VkQueryPool pool;
  CTS_VK(vkCreateQueryPool(gpu.device, &info, nullptr, &pool));
  gpu.later([&gpu, pool] { vkDestroyQueryPool(gpu.device, pool, nullptr); });
  p.s.before = [&](VkCommandBuffer cmd) { vkCmdResetQueryPool(cmd, pool, 0, 1), vkCmdBeginQuery(cmd, pool, 0, 0); };
  p.s.after = [&](VkCommandBuffer cmd) { vkCmdEndQuery(cmd, pool, 0); };
  p.s.vertexCount = 3;
  draw(gpu, p.s);
  uint64_t result[2];
  gpu.results(pool, 0, 1, 16, result, 16, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  EXPECT_EQ(result[0], discarded ? 0 : 3 * uint64_t(triangles(domain, levels, spacing)));
  EXPECT_EQ(result[1], 3u);
  if (!discarded) return;
  for (uint8_t byte : gpu.download(p.target, 4)) ASSERT_EQ(byte, 0);
}

/// The places along an outer edge, from points that append their coordinate to a list.
void places(Gpu& gpu, double level, Spacing spacing) {
  gpu.require(gpu.features.features.vertexPipelineStoresAndAtomics, "vertexPipelineStoresAndAtomics");
  Patch p(gpu, "quads", {{level, level}, {level, level, level, level}}, spacing);
  Buffer out = gpu.buffer(65536);
  p.s.tese = text(
      "#version 450\nlayout(quads, %s, point_mode) in;\nlayout(binding=0) buffer R { uint n, pad; vec2 r[]; };\n"
      "void main() { r[atomicAdd(n, 1u)] = gl_TessCoord.xy; gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.0, 1.0); "
      "gl_PointSize = 1.0; }\n",
      spacingWords[spacing]);
  p.s.bindings = {storage(out)};
  if (!gpu.features.features.shaderTessellationAndGeometryPointSize)
    p.s.tese.replace(p.s.tese.find("gl_PointSize = 1.0;"), 19, "");
  draw(gpu, p.s);
  std::set<float> edge;
  uint32_t n = std::min(8000u, *out.as<uint32_t>());
  for (uint32_t i = 0; i < n; ++i)
    if (out.as<float>()[3 + i * 2] == 0) edge.insert(out.as<float>()[2 + i * 2]);
  int want = segments(level, spacing);
  ASSERT_EQ(int(edge.size()), want + 1);
  std::vector<float> at(edge.begin(), edge.end());
  std::vector<double> lengths;
  for (size_t i = 0; i + 1 < at.size(); ++i) lengths.push_back(double(at[i + 1]) - double(at[i]));
  // Symmetric; equal segments, but for two of equal length that are "typically shorter than the others" when spacing is
  // fractional: how much shorter is the implementation's choice, but at full levels they are not.
  for (size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(at[i], 1 - at[at.size() - 1 - i], 1e-5);
  std::sort(lengths.begin(), lengths.end());
  size_t first = spacing == Equal || level >= want || lengths.size() < 3 ? 0 : 2;
  for (size_t i = first; i < lengths.size(); ++i) EXPECT_NEAR(lengths[i], lengths.back(), 1e-3) << i;
  if (first) {
    EXPECT_NEAR(lengths[0], lengths[1], 1e-3);
    EXPECT_LT(lengths[1], lengths[2]);
  }
}

void patchData(Gpu& gpu, uint32_t in, uint32_t out) {
  gpu.require(gpu.features.features.tessellationShader, "tessellationShader");
  gpu.require(std::max(in, out) <= gpu.limits().maxTessellationPatchSize, "maxTessellationPatchSize");
  Patch p(gpu, "quads", {{1, 1}, {1, 1, 1, 1}}, Equal);
  // Input points carry their number; each output point sums the inputs that are congruent to it; the patch takes the
  // sum.
  p.s.vert =
      "#version 450\nlayout(location=0) out float v;\nvoid main() { v = float(gl_VertexIndex); gl_Position = "
      "vec4(0.0); }\n";
  p.s.tesc = text(
      "#version 450\nlayout(vertices = %u) out;\nlayout(location=0) in float v[];\nlayout(location=0) out float w[];\n"
      "layout(location=1) patch out float total;\nvoid main() { float s = 0.0; for (int i = gl_InvocationID; i < "
      "gl_PatchVerticesIn; i += %u) s += v[i];\n"
      "w[gl_InvocationID] = s; barrier(); if (gl_InvocationID == 0) { total = 0.0; for (int i = 0; i < %u; ++i) total "
      "+= w[i]; }\n"
      "gl_TessLevelInner = float[](1.0, 1.0); gl_TessLevelOuter = float[](1.0, 1.0, 1.0, 1.0); }\n",
      out, out, out);
  p.s.tese =
      "#version 450\nlayout(quads) in;\nlayout(location=0) in float w[];\nlayout(location=1) patch in float total;\n"
      "layout(location=0) out vec4 c;\nvoid main() { c = vec4(total, w[gl_PatchVerticesIn - 1], float(gl_PrimitiveID), "
      "float(gl_PatchVerticesIn));\n"
      "gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.0, 1.0); if (gl_PrimitiveID == 1) gl_Position.x = "
      "gl_TessCoord.x - 1.0; }\n";
  p.s.frag =
      "#version 450\nlayout(location=0) in vec4 c; layout(location=0) out vec4 color;\nvoid main() { color = c; }\n";
  p.s.patchPoints = in;
  p.s.vertexCount = in * 2;
  p.s.attachment.blendEnable = VK_FALSE;
  Image target = gpu.image(
      {.format = VK_FORMAT_R32G32B32A32_SFLOAT, .width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  p.s.colors = {target};
  draw(gpu, p.s);
  auto bytes = gpu.download(target, 16);
  auto* f = reinterpret_cast<float*>(bytes.data());
  for (uint32_t x = 0; x < 8; ++x) {
    uint32_t patch = x < 4 ? 1 : 0;  // the second patch lies over the left half
    double total = 0, last = 0;
    for (uint32_t i = 0; i < in; ++i) {
      total += patch * in + i;
      if (i % out == out - 1) last += patch * in + i;
    }
    const float* v = f + (8 * 3 + x) * 4;
    ASSERT_NEAR(v[0], total, 0.01) << "pixel " << x;
    ASSERT_NEAR(v[1], last, 0.01) << "pixel " << x;
    ASSERT_NEAR(v[2], patch, 1e-3);
    ASSERT_NEAR(v[3], out, 1e-3);
  }
}

}  // namespace

void registerTessellation() {
  const double list[] = {1, 1.5, 2, 3, 4.25, 7, 16};
  for (const char* domain : {"triangles", "quads", "isolines"})
    for (int spacing = 0; spacing < 3; ++spacing)
      for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 7; j += 2) {
          // Outer levels differ from each other and from the inner ones.
          Levels l{{list[i], list[(i + 3) % 7]}, {list[j], list[(j + 1) % 7], list[(j + 2) % 7], list[(j + 5) % 7]}};
          std::string d = domain;
          std::string name = text("%s.%s.inner%d.outer%d", domain, spacingNames[spacing], i, j);
          if (d != "isolines") add("tessellation.tiles." + name, [=](Gpu& gpu) { tiles(gpu, d, l, Spacing(spacing)); });
          add("tessellation.count." + name, [=](Gpu& gpu) { counts(gpu, d, l, Spacing(spacing), false); });
        }
  for (int edge = 0; edge < 4; ++edge)
    for (const char* domain : {"triangles", "quads"}) {
      if (edge == 3 && domain[0] == 't') continue;
      for (double none : {0.0, -1.0})
        add(text("tessellation.discard.%s.outer%d.%s", domain, edge, named(none).c_str()), [=](Gpu& gpu) {
          Levels l{{2, 2}, {2, 2, 2, 2}};
          l.outer[edge] = none;
          counts(gpu, domain, l, Equal, true);
        });
    }
  for (int spacing = 0; spacing < 3; ++spacing)
    for (double level : {1.0, 2.0, 2.3, 3.7, 5.0, 8.5, 31.2, 64.0, 90.0})
      add(text("tessellation.spacing.%s.level%s", spacingNames[spacing], named(level).c_str()),
          [=](Gpu& gpu) { places(gpu, level, Spacing(spacing)); });
  for (uint32_t in : {1u, 3u, 4u, 7u, 16u, 32u})
    for (uint32_t out : {1u, 3u, 4u, 9u, 32u})
      add(text("tessellation.patch.in%u.out%u", in, out), [=](Gpu& gpu) { patchData(gpu, in, out); });
  for (const char* order : {"cw", "ccw"})
    for (const char* domain : {"triangles", "quads"})
      for (bool lowerLeft : {false, true})
        add(text("tessellation.winding.%s.%s.%s", domain, order, lowerLeft ? "lower_left" : "upper_left"),
            [=](Gpu& gpu) {
              Patch p(gpu, domain, {{3, 3}, {3, 3, 3, 3}}, Equal, order);
              VkPipelineTessellationDomainOriginStateCreateInfo origin{
                  VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO};
              origin.domainOrigin =
                  lowerLeft ? VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT : VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT;
              p.s.tessellationNext = &origin;
              p.s.raster.cullMode = VK_CULL_MODE_BACK_BIT;
              p.s.raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
              draw(gpu, p.s);
              auto got = gpu.download(p.target, 4);
              // (u, v) maps to (x, y) with y down: an order that is counter-clockwise in an upper left (u, v) space,
              // where v also points down, is so in the framebuffer.
              bool ccw = std::string(order) == "ccw";
              EXPECT_EQ(got[(20 * 64 + 20) * 4] != 0, lowerLeft ? !ccw : ccw);
            });
}

}  // namespace etzel::cts
