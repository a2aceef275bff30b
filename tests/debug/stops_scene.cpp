// A program for tests of where a debugger may stop: instances, layers, views, primitives, patches, pixels that are
// covered in part, draws with labels and pipelines with names, stores to buffers and images. Places that tests name
// have a comment
// "@name".
#include <cstdio>
#include <cstring>

#include "cts-subset/support/compute.h"
#include "cts-subset/support/draw.h"
#include "tests/debug/scene_main.h"

namespace {

using namespace etzel::cts;

const char* const kStores = R"(#version 450
layout(local_size_x = 16) in;
layout(binding = 0) buffer Result { uint count; uint b[]; } result;
layout(binding = 1, rgba8) uniform image2D picture;
layout(binding = 2, r32ui) uniform uimage2DArray layers;
void main() {
  uint id = gl_LocalInvocationIndex;  // @begin
  uint mine = id * 3u;
  result.b[id] = mine + 100u * gl_WorkGroupID.x;  // @store
  if (id % 5u == 2u) atomicAdd(result.count, mine);  // @atomic
  imageStore(picture, ivec2(id % 4u, id / 4u), vec4(float(id) / 16.0));  // @image
  imageAtomicAdd(layers, ivec3(1, 1, id % 2u), id);  // @imageAtomic
  result.b[id] += 1u;  // @again
}
)";

const char* const kFragment = R"(#version 450
layout(location = 0) out vec4 color;
void main() {
  int mask = gl_SampleMaskIn[0];
  color = vec4(mask / 15.0);  // @fragment
}
)";

const char* const kLayer = R"(#version 450
#extension GL_ARB_shader_viewport_layer_array : enable
void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
  gl_Layer = gl_InstanceIndex;  // @layer
}
)";

const char* const kView = R"(#version 450
#extension GL_EXT_multiview : enable
void main() {
  int view = gl_ViewIndex;
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0 + view);  // @view
}
)";

const char* const kCorner = R"(#version 450
void main() { gl_Position = vec4(gl_VertexIndex % 3 == 1 ? 0.5 : -1.0, gl_VertexIndex % 3 == 2 ? 0.7 : -1.0, 0.0, 1.0); }
)";

const char* const kControl = R"(#version 450
layout(vertices = 3) out;
void main() {
  int patchNumber = gl_PrimitiveID;
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;  // @control
  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1.0;
}
)";
const char* const kEvaluation = R"(#version 450
layout(triangles) in;
void main() {
  vec3 where = gl_TessCoord;
  gl_Position = gl_in[0].gl_Position * where.x + gl_in[1].gl_Position * where.y + gl_in[2].gl_Position * where.z;  // @evaluation
}
)";

/// Twenty control points, three warps: behind the barrier each has what the one seven further on wrote.
const char* const kNeighbours = R"(#version 450
layout(vertices = 20) out;
layout(location = 0) out uint own[];
layout(location = 1) out uint theirs[];
void main() {
  own[gl_InvocationID] = uint(gl_InvocationID * gl_InvocationID + 100 * gl_PrimitiveID);  // @own
  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1.0;
  barrier();
  uint neighbour = own[(gl_InvocationID + 7) % 20];  // @neighbour
  theirs[gl_InvocationID] = neighbour * 2u;  // @theirs
}
)";
const char* const kNeighboursSeen = R"(#version 450
layout(triangles) in;
layout(location = 0) in uint own[];
layout(location = 1) in uint theirs[];
layout(binding = 0) buffer Result { uint b[]; } result;
void main() {
  for (int i = 0; i < 20; ++i) result.b[gl_PrimitiveID * 20 + i] = own[i] * 10000u + theirs[i];
  gl_Position = vec4(gl_TessCoord, 1.0);
}
)";

const char* const kTriangles = R"(#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
  for (int i = 0; i < 3; ++i) {
    gl_Position = gl_in[i].gl_Position;  // @geometry
    gl_PrimitiveID = gl_PrimitiveIDIn;
    EmitVertex();
  }
}
)";

DrawState stateOf(Gpu& gpu, const char* vertex, VkSampleCountFlagBits samples, uint32_t layers = 1) {
  DrawState s;
  s.vert = vertex, s.frag = kFragment;
  s.colors = {gpu.image({.width = 8,
                         .height = 8,
                         .layers = layers,
                         .samples = samples,
                         .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                         .view = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D})};
  s.multisample.rasterizationSamples = samples;
  s.layers = layers;
  return s;
}

/// Two pipelines of the same shaders: "plain" draws within "frame" and "shadows", "lit" within "frame" and "lighting".
void labels(Gpu& gpu) {
  DrawState s = stateOf(gpu, kCorner, VK_SAMPLE_COUNT_1_BIT);
  const auto layout = gpu.set({}, 0).pipeline;
  const auto instance = [&](const char* name) { return vkGetInstanceProcAddr(gpu.instance, name); };
  const auto begin = reinterpret_cast<PFN_vkCmdBeginDebugUtilsLabelEXT>(instance("vkCmdBeginDebugUtilsLabelEXT"));
  const auto end = reinterpret_cast<PFN_vkCmdEndDebugUtilsLabelEXT>(instance("vkCmdEndDebugUtilsLabelEXT"));
  const auto setName = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(instance("vkSetDebugUtilsObjectNameEXT"));
  const auto named = [&](const char* name) {
    const VkPipeline pipeline = makePipeline(gpu, s, layout, {8, 8});
    VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    info.objectType = VK_OBJECT_TYPE_PIPELINE, info.pObjectName = name;
    std::memcpy(&info.objectHandle, &pipeline, sizeof pipeline);
    CTS_VK(setName(gpu.device, &info));
    return pipeline;
  };
  const std::pair<const char*, VkPipeline> passes[] = {{"shadows", named("plain")}, {"lighting", named("lit")}};
  s.commands = [&](VkCommandBuffer cmd) {
    VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    label.pLabelName = "frame";
    begin(cmd, &label);
    for (const auto& [name, pipeline] : passes) {
      label.pLabelName = name;
      begin(cmd, &label);
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(cmd, 3, 1, 0, 0);
      end(cmd);
    }
    end(cmd);
  };
  draw(gpu, s);
}

void patches(Gpu& gpu) {
  DrawState s = stateOf(gpu, kCorner, VK_SAMPLE_COUNT_1_BIT);
  s.tesc = kControl, s.tese = kEvaluation;
  s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, s.patchPoints = 3, s.vertexCount = 12;
  draw(gpu, s);
}

/// What control points of a patch know of one another goes to standard output.
void neighbours(Gpu& gpu) {
  const Buffer result = gpu.buffer(4 * 60);
  DrawState s = stateOf(gpu, kCorner, VK_SAMPLE_COUNT_1_BIT);
  s.tesc = kNeighbours, s.tese = kNeighboursSeen;
  s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, s.patchPoints = 3, s.vertexCount = 9;
  s.bindings = {storage(result)};
  draw(gpu, s);
  std::printf("neighbours");
  for (uint32_t i = 0; i < 60; ++i) std::printf(" %u", result.as<uint32_t>()[i]);
  std::printf("\n");
}

/// Four triangles at one place.
void primitives(Gpu& gpu) {
  DrawState s = stateOf(gpu, kCorner, VK_SAMPLE_COUNT_1_BIT);
  s.geom = kTriangles;
  s.vertexCount = 12;
  draw(gpu, s);
}

void layers(Gpu& gpu) {
  DrawState s = stateOf(gpu, kLayer, VK_SAMPLE_COUNT_1_BIT, 3);
  s.instanceCount = 3;
  draw(gpu, s);
}

void views(Gpu& gpu) {
  DrawState s = stateOf(gpu, kView, VK_SAMPLE_COUNT_1_BIT, 3);
  s.viewMask = 7;
  draw(gpu, s);
}

void stores(Gpu& gpu) {
  const Buffer result = gpu.buffer(4 * 17);
  const Image picture = gpu.image({.width = 4, .height = 4, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
  const Image layered = gpu.image({.format = VK_FORMAT_R32_UINT,
                                   .width = 4,
                                   .height = 4,
                                   .layers = 2,
                                   .usage = VK_IMAGE_USAGE_STORAGE_BIT,
                                   .view = VK_IMAGE_VIEW_TYPE_2D_ARRAY});
  Dispatch d;
  d.glsl = kStores, d.bindings = {storage(result), storageImage(picture.view), storageImage(layered.view)}, d.x = 3;
  gpu.dispatch(d);
  std::printf("stores");
  for (uint32_t i = 0; i < 17; ++i) std::printf(" %u", result.as<uint32_t>()[i]);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  return etzel::tests::runScene("etzel-stops-scene", argc, argv,
                                {{"labels", labels},
                                 {"layers", layers},
                                 {"views", views},
                                 {"primitives", primitives},
                                 {"patches", patches},
                                 {"neighbours", neighbours},
                                 {"partly", [](Gpu& gpu) { draw(gpu, stateOf(gpu, kCorner, VK_SAMPLE_COUNT_4_BIT)); }},
                                 {"stores", stores}});
}
