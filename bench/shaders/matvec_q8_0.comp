#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// A matrix in blocks of 32 signed bytes with a half as scale, times a vector. An invocation has eight columns at a time.
layout(local_size_x = 32) in;
struct Block { float16_t scale; uint16_t pairs[16]; };
layout(set = 0, binding = 0) readonly buffer Weights { Block blocks[]; };
layout(set = 0, binding = 1) readonly buffer In { vec4 values[]; };
layout(set = 0, binding = 2) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Push { uint columns; } push;
#include "matvec_rows.glsl"
vec2 two(uint pair) { return vec2(bitfieldExtract(int(pair), 0, 8), bitfieldExtract(int(pair), 8, 8)); }
void main() {
  const uint row = gl_WorkGroupID.x * 2u, perRow = push.columns / 32u;
  float sums[2] = float[2](0.0, 0.0);
  for (uint column = gl_LocalInvocationID.x * 8u; column < push.columns; column += gl_WorkGroupSize.x * 8u) {
    vec4 v0 = values[column / 4u], v1 = values[column / 4u + 1u];
    for (uint r = 0u; r < 2u; ++r) {
      const uint b = (row + r) * perRow + column / 32u, at = column % 32u / 2u;
      vec4 w0 = vec4(two(uint(blocks[b].pairs[at])), two(uint(blocks[b].pairs[at + 1u])));
      vec4 w1 = vec4(two(uint(blocks[b].pairs[at + 2u])), two(uint(blocks[b].pairs[at + 3u])));
      sums[r] += float(blocks[b].scale) * (dot(w0, v0) + dot(w1, v1));
    }
  }
  storeRows(row, sums);
}
