#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// A matrix of halves times a vector: a workgroup computes two rows, whose products its subgroups sum up.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer Weights { f16vec4 weights[]; };
layout(set = 0, binding = 1) readonly buffer In { vec4 values[]; };
layout(set = 0, binding = 2) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Push { uint columns; } push;
#include "matvec_rows.glsl"
void main() {
  const uint row = gl_WorkGroupID.x * 2u, quads = push.columns / 4u;
  float sums[2] = float[2](0.0, 0.0);
  for (uint i = gl_LocalInvocationID.x; i < quads; i += gl_WorkGroupSize.x) {
    vec4 v = values[i];
    for (uint r = 0u; r < 2u; ++r) sums[r] += dot(vec4(weights[(row + r) * quads + i]), v);
  }
  storeRows(row, sums);
}
