// Subgroups of a required size (subgroupSizeControl): built-ins of workgroups of any shape, and what belongs together
// in every stage that may ask.
#include "cts-subset/cases/shader/subgroup_sizes.h"

#include <map>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

const char* const kExtensions =
    "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_arithmetic : require\n"
    "#extension GL_KHR_shader_subgroup_ballot : require\n";

/// Sizes, numbers and masks in a workgroup whose last subgroup is not full, if `x` * `y` * `z` is no multiple.
void builtIns(Gpu& gpu, uint32_t size, uint32_t x, uint32_t y, uint32_t z) {
  gpu.requireSubgroupSize(size, VK_SHADER_STAGE_COMPUTE_BIT);
  const uint32_t count = x * y * z, groups = 3;
  constexpr uint32_t kWords = 10;
  Buffer r = gpu.buffer(std::vector<uint32_t>(count * groups * kWords, ~0u));
  Dispatch d{std::string("#version 450\n") + kExtensions +
             text("layout(local_size_x=%u, local_size_y=%u, local_size_z=%u) in;\n", x, y, z) +
             "layout(binding=0) buffer R { uint r[]; };\n"
             "void main() { uint at = (gl_WorkGroupID.x * " +
             std::to_string(count) +
             "u + gl_LocalInvocationIndex) * 10u;\n"
             "r[at] = gl_SubgroupSize; r[at + 1] = gl_NumSubgroups; r[at + 2] = gl_SubgroupID;\n"
             "r[at + 3] = gl_SubgroupInvocationID; r[at + 4] = gl_SubgroupEqMask.x; r[at + 5] = gl_SubgroupGeMask.x;\n"
             "r[at + 6] = gl_SubgroupGtMask.x; r[at + 7] = gl_SubgroupLeMask.x; r[at + 8] = gl_SubgroupLtMask.x;\n"
             "r[at + 9] = gl_SubgroupEqMask.y | gl_SubgroupGeMask.z | gl_SubgroupLeMask.w; }\n"};
  d.bindings = {storage(r)};
  d.x = groups;
  d.subgroupSize = size;
  gpu.dispatch(d);
  const uint32_t all = size >= 32 ? ~0u : (1u << size) - 1;
  for (uint32_t g = 0; g < groups; ++g) {
    std::map<uint32_t, uint32_t> lanesOf;  // of each subgroup, as bits
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t* w = r.as<uint32_t>() + (g * count + i) * kWords;
      const uint32_t lane = w[3], own = 1u << lane;
      ASSERT_EQ(w[0], size) << i;
      ASSERT_EQ(w[1], (count + size - 1) / size) << i;
      ASSERT_EQ(w[2] < w[1], true) << i;
      ASSERT_EQ(lane < size, true) << i;
      ASSERT_EQ(w[4], own) << i;
      ASSERT_EQ(w[5], all & ~(own - 1)) << i;
      ASSERT_EQ(w[6], all & ~(own - 1) & ~own) << i;
      ASSERT_EQ(w[7], (own - 1) | own) << i;
      ASSERT_EQ(w[8], own - 1) << i;
      ASSERT_EQ(w[9], 0u) << i;
      ASSERT_EQ(lanesOf[w[2]] & own, 0u) << "two invocations are lane " << lane << " of subgroup " << w[2];
      lanesOf[w[2]] |= own;
    }
    EXPECT_EQ(lanesOf.size(), (count + size - 1) / size);
  }
}

/// Barriers between subgroups, and arrays in workgroup memory by their numbers: a sum over the workgroup.
void workgroupSum(Gpu& gpu, uint32_t size, uint32_t count) {
  gpu.requireSubgroupSize(size, VK_SHADER_STAGE_COMPUTE_BIT);
  std::vector<uint32_t> in(count);
  Random random(count);
  for (uint32_t& v : in) v = random.next();
  Buffer a = gpu.buffer(in), r = gpu.buffer(std::vector<uint32_t>(count, 0));
  Dispatch d{std::string("#version 450\n") + kExtensions + text("layout(local_size_x=%u) in;\n", count) +
             "layout(binding=0) buffer A { uint a[]; };\nlayout(binding=1) buffer R { uint r[]; };\n"
             "shared uint part[256];\n"
             "void main() { uint i = gl_LocalInvocationIndex, v = a[i], inclusive = subgroupInclusiveAdd(v);\n"
             "uint whole = subgroupAdd(v); if (subgroupElect()) part[gl_SubgroupID] = whole;\n"
             "barrier(); uint before = 0u; for (uint s = 0u; s < gl_SubgroupID; ++s) before += part[s];\n"
             "r[i] = before + inclusive; }\n"};
  d.bindings = {storage(a), storage(r)};
  d.subgroupSize = size;
  gpu.dispatch(d);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(r.as<uint32_t>()[i], sum += in[i]) << i;
}

// --- Stages before and of rasterization

constexpr uint32_t kStageWords = 4;

/// Declarations and a function that tells of the invocation `key`: which subgroup it is of, its lane, the subgroup's
/// sum of keys and its size. Subgroups are numbered in the order in which they come.
std::string tellFunction() {
  return std::string(kExtensions) +
         "layout(binding=0) buffer N { uint next; };\nlayout(binding=1) buffer R { uvec4 r[]; };\n"
         "void tell(uint key) { uint n = 0u; if (subgroupElect()) n = atomicAdd(next, 1u);\n"
         "r[key] = uvec4(subgroupBroadcastFirst(n), gl_SubgroupInvocationID, subgroupAdd(key), gl_SubgroupSize); }\n";
}

/// Every key told once; subgroups have no more lanes than `size`, no lane twice, and what they add is their keys.
void expectSubgroups(const Buffer& r, uint32_t keys, uint32_t size) {
  struct Subgroup {
    uint32_t lanes = 0, sum = 0;
  };
  std::map<uint32_t, Subgroup> subgroups;
  const auto wordsOf = [&](uint32_t key) { return r.as<uint32_t>() + key * kStageWords; };
  for (uint32_t key = 0; key < keys; ++key) {
    const uint32_t* w = wordsOf(key);
    ASSERT_EQ(w[3], size) << key;
    ASSERT_EQ(w[1] < size, true) << key;
    Subgroup& s = subgroups[w[0]];
    ASSERT_EQ(s.lanes >> w[1] & 1, 0u) << key;
    s.lanes |= 1u << w[1], s.sum += key;
  }
  for (uint32_t key = 0; key < keys; ++key) ASSERT_EQ(wordsOf(key)[2], subgroups[wordsOf(key)[0]].sum) << key;
}

/// \param size  that every stage requires, and one of them tells of
void stage(Gpu& gpu, VkShaderStageFlagBits which, uint32_t size) {
  gpu.requireSubgroupSize(size, which | VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
  gpu.require((gpu.properties11.subgroupSupportedStages & which) != 0, "subgroup operations of the stage");
  gpu.require(gpu.features.features.vertexPipelineStoresAndAtomics && gpu.features.features.fragmentStoresAndAtomics,
              "stores in all stages");
  constexpr uint32_t kWidth = 16;
  constexpr uint32_t kVertices = 23, kPatchPoints = 3, kControlPoints = 7, kPatches = 5;
  Image target = gpu.image({.format = VK_FORMAT_R8G8B8A8_UNORM,
                            .width = kWidth,
                            .height = kWidth,
                            .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  Buffer next = gpu.buffer(std::vector<uint32_t>(1, 0)),
         r = gpu.buffer(std::vector<uint32_t>(kWidth * kWidth * kStageWords, 0));
  DrawState s;
  s.colors = {target};
  s.bindings = {storage(next), storage(r)};
  s.subgroupSize = size;
  s.frag = writes("vec4(1)");
  const std::string version = "#version 450\n";
  const std::string place = "gl_Position = vec4(0.1 * float(gl_VertexIndex % 5), 0, 0, 1); gl_PointSize = 1.0;";
  s.vert = version + "void main() { " + place + " }\n";
  uint32_t keys = kVertices;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.vertexCount = kVertices;
  if (which == VK_SHADER_STAGE_FRAGMENT_BIT) {
    keys = kWidth * kWidth;
    s.vert = coverAll();
    s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    s.vertexCount = 3;
    s.frag =
        version + tellFunction() + "layout(location=0) out vec4 color;\n" +
        text("void main() { color = vec4(1); tell(uint(gl_FragCoord.y) * %uu + uint(gl_FragCoord.x)); }\n", kWidth);
  } else if (which == VK_SHADER_STAGE_VERTEX_BIT) {
    s.vert = version + tellFunction() + "void main() { " + place + " tell(uint(gl_VertexIndex)); }\n";
  } else if (which == VK_SHADER_STAGE_GEOMETRY_BIT) {
    gpu.require(gpu.features.features.geometryShader, "geometryShader");
    s.geom = version + tellFunction() +
             "layout(points) in;\nlayout(points, max_vertices=1) out;\n"
             "void main() { tell(uint(gl_PrimitiveIDIn)); gl_Position = gl_in[0].gl_Position; gl_PointSize = 1.0;\n"
             "EmitVertex(); }\n";
  } else {
    gpu.require(gpu.features.features.tessellationShader, "tessellationShader");
    const bool isControl = which == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
    const uint32_t each = isControl ? kControlPoints : kPatchPoints;
    keys = kPatches * each;
    s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    s.patchPoints = kPatchPoints;
    s.vertexCount = kPatches * kPatchPoints;
    const std::string points = std::to_string(each);
    // Evaluated at the corners of each patch, as points; one corner is 1 at one of the three coordinates.
    s.tesc = version + (isControl ? tellFunction() : "") + "layout(vertices=" + points +
             ") out;\nvoid main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID % 3].gl_Position;\n"
             "gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1.0;\n" +
             (isControl ? "tell(uint(gl_PrimitiveID) * " + points + "u + uint(gl_InvocationID));" : "") + " }\n";
    s.tese =
        version + (isControl ? "" : tellFunction()) +
        "layout(triangles, point_mode) in;\nvoid main() { gl_Position = gl_in[0].gl_Position; gl_PointSize = 1.0;\n" +
        (isControl ? ""
                   : "tell(uint(gl_PrimitiveID) * " + points + "u + uint(dot(gl_TessCoord, vec3(0, 1, 2)) + 0.5));") +
        " }\n";
  }
  draw(gpu, s);
  expectSubgroups(r, keys, size);
}

}  // namespace

void registerSubgroupSizes() {
  const std::pair<const char*, VkShaderStageFlagBits> stages[] = {
      {"vertex", VK_SHADER_STAGE_VERTEX_BIT},
      {"control", VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
      {"evaluation", VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
      {"geometry", VK_SHADER_STAGE_GEOMETRY_BIT},
      {"fragment", VK_SHADER_STAGE_FRAGMENT_BIT}};
  for (const uint32_t size : {4u, 8u, 16u, 32u}) {
    const std::string name = "subgroup_size.of" + std::to_string(size) + ".";
    add(name + "built_ins.row", [=](Gpu& gpu) { builtIns(gpu, size, 64, 1, 1); });
    add(name + "built_ins.box", [=](Gpu& gpu) { builtIns(gpu, size, 4, 3, 5); });
    add(name + "built_ins.column", [=](Gpu& gpu) { builtIns(gpu, size, 1, 11, 1); });
    add(name + "workgroup_sum.full", [=](Gpu& gpu) { workgroupSum(gpu, size, 256); });
    add(name + "workgroup_sum.rest", [=](Gpu& gpu) { workgroupSum(gpu, size, 53); });
    for (const auto& [stageName, bit] : stages) add(name + stageName, [=, b = bit](Gpu& gpu) { stage(gpu, b, size); });
  }
}

}  // namespace etzel::cts
