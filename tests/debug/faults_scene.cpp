// A program for tests of what stops where something goes wrong: texels and elements that are not there, floats that
// leave the numbers, what is demoted, an abort; with specialization constants. Places that tests name have a comment
// "@name".
#include <cstdio>
#include <string>

#include "cts-subset/support/compute.h"
#include "cts-subset/support/draw.h"
#include "tests/debug/scene_main.h"

namespace {

using namespace etzel::cts;

/// Images of 4 x 4 texels with two levels, a buffer of 8, an array of 4.
const char* const kBounds = R"(#version 450
layout(local_size_x = 8) in;
layout(constant_id = 2) const int kColumns = 4;
layout(constant_id = 7) const float kScale = 0.5;
layout(binding = 0, rgba8) uniform image2D picture;
layout(binding = 1) uniform sampler2D drawn;
layout(binding = 2) uniform samplerBuffer texels;
layout(binding = 3) buffer Result { float b[8]; } result;
void main() {
  int id = int(gl_LocalInvocationIndex);
  float weights[4];
  for (int i = 0; i < 4; ++i) weights[i] = float(i) * kScale;
  vec4 sum = texelFetch(drawn, ivec2(id % kColumns, 1), 0);  // @fetch
  sum += texelFetch(drawn, ivec2(0), id / 3);  // @level
  sum += texelFetchOffset(drawn, ivec2(id % 4, id / 4), 0, ivec2(1, 0));  // @offset
  sum += texelFetch(texels, id + 2);  // @buffer
  sum += imageLoad(picture, ivec2(1, id / 2 - 1));  // @load
  imageStore(picture, ivec2(id / 2, id), vec4(1.0));  // @store
  result.b[id] = sum.x + weights[id ^ 3];  // @array
}
)";

const char* const kNumbers = R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Result { float b[]; } result;
layout(push_constant) uniform Push { float zero; };
void main() {
  uint id = gl_LocalInvocationIndex;
  float large = id == 5u ? 1e30 : 1.0;
  float scaled = ldexp(large, 100);  // @scaled
  float difference = scaled - scaled;  // @difference
  float held = scaled * 2.0;  // @held
  result.b[id] = difference + held + zero;
}
)";

/// Right of the picture's edge there are pixels, which are demoted, but no texels.
const char* const kDemoted = R"(#version 450
#extension GL_EXT_demote_to_helper_invocation : enable
layout(binding = 0) uniform sampler2D drawn;
layout(location = 0) out vec4 color;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  if (at.x >= 5) demote;
  color = texelFetch(drawn, at, 0);
  if (at == ivec2(3, 3)) color += texelFetch(drawn, at + 2, 0);  // @outside
}
)";

/// Lane 5 aborts with what its word of the buffer is (SPV_KHR_abort, which GLSL does not have).
const char* const kAbort =
    "; SPIR-V\nOpCapability Shader\nOpCapability !5120\nOpExtension \"SPV_KHR_abort\"\n"
    "OpExtension \"SPV_KHR_storage_buffer_storage_class\"\nOpMemoryModel Logical GLSL450\n"
    "OpEntryPoint GLCompute %main \"main\" %laneVar %in\nOpExecutionMode %main LocalSize 8 1 1\n"
    "OpName %lane \"lane\"\nOpName %word \"word\"\n"
    "OpDecorate %laneVar BuiltIn LocalInvocationIndex\nOpDecorate %words ArrayStride 4\nOpDecorate %block Block\n"
    "OpMemberDecorate %block 0 Offset 0\nOpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 0\n"
    "OpMemberDecorate %shape 0 Offset 0\n"
    "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%u32 = OpTypeInt 32 0\n"
    "%u0 = OpConstant %u32 0\n%u1 = OpConstant %u32 1\n%u5 = OpConstant %u32 5\n%shape = OpTypeStruct %u32\n"
    "%words = OpTypeRuntimeArray %u32\n%block = OpTypeStruct %words\n%blockPtr = OpTypePointer StorageBuffer %block\n"
    "%wordPtr = OpTypePointer StorageBuffer %u32\n%in = OpVariable %blockPtr StorageBuffer\n"
    "%lanePtr = OpTypePointer Input %u32\n%laneVar = OpVariable %lanePtr Input\n"
    "%main = OpFunction %void None %fn\n%entry = OpLabel\n%lane = OpLoad %u32 %laneVar\n"
    "%at = OpAccessChain %wordPtr %in %u0 %lane\n%word = OpLoad %u32 %at\n"
    "%is = OpIEqual %bool %lane %u5\nOpSelectionMerge %behind None\nOpBranchConditional %is %then %behind\n"
    "%then = OpLabel\n%message = OpCompositeConstruct %shape %word\nOpNop\n!0x00031401 %shape %message\n"
    "%behind = OpLabel\nOpStore %at %u1\nOpReturn\nOpFunctionEnd\n";

void bounds(Gpu& gpu) {
  const Image picture = gpu.image({.width = 4, .height = 4, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
  const Image drawn = gpu.image({.width = 4, .height = 4, .levels = 2, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  const Buffer texels = gpu.buffer(4 * 8, nullptr, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT), result = gpu.buffer(32);
  const struct {
    int32_t columns;
    float scale;
  } values{6, 0.25f};
  const VkSpecializationMapEntry entries[] = {{2, 0, 4}, {7, 4, 4}};
  const VkSpecializationInfo specialization{2, entries, sizeof values, &values};
  Dispatch d;
  d.glsl = kBounds, d.specialization = &specialization;
  Binding words{VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER};
  words.texels = gpu.texels(texels, VK_FORMAT_R8G8B8A8_UNORM);
  d.bindings = {storageImage(picture.view), sampled(drawn.view, gpu.sampler()), words, storage(result)};
  gpu.dispatch(d);
  for (uint32_t i = 0; i < 8; ++i) std::printf("%g\n", double(result.as<float>()[i]));
}

void numbers(Gpu& gpu) {
  const Buffer result = gpu.buffer(4 * 8);
  Dispatch d;
  d.glsl = kNumbers, d.bindings = {storage(result)};
  d.push.resize(4);
  gpu.dispatch(d);
  for (uint32_t i = 0; i < 8; ++i) std::printf("%g\n", double(result.as<float>()[i]));
}

void demoted(Gpu& gpu) {
  const Image drawn = gpu.image({.width = 5, .height = 8, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  DrawState s;
  s.vert = coverAll(), s.frag = kDemoted;
  s.colors = {gpu.image({.width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT})};
  s.bindings = {sampled(drawn.view, gpu.sampler())};
  draw(gpu, s);
}

/// The device is lost, which is what the program expects.
void aborts(Gpu& gpu) {
  gpu.requireExtension("VK_KHR_shader_abort");
  const Buffer in = gpu.buffer(std::vector<uint32_t>{10, 11, 12, 13, 14, 15, 16, 17});
  Dispatch d;
  d.module = gpu.assemble(kAbort, false), d.bindings = {storage(in)};
  try {
    gpu.dispatch(d);
    std::printf("nothing was lost\n");
  } catch (const Failure&) {
    std::printf("the device is lost\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return etzel::tests::runScene("etzel-faults-scene", argc, argv,
                                {{"bounds", bounds}, {"numbers", numbers}, {"demoted", demoted}, {"abort", aborts}});
}
