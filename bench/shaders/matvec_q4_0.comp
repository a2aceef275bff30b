#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// A matrix in blocks of 32 half bytes with a half as scale, times a vector: byte i of a block has column i in its lower
// half and column i + 16 in its upper one, and eight means zero. An invocation has four bytes at a time.
layout(local_size_x = 32) in;
struct Block { float16_t scale; uint16_t pairs[8]; };
layout(set = 0, binding = 0) readonly buffer Weights { Block blocks[]; };
layout(set = 0, binding = 1) readonly buffer In { vec4 values[]; };
layout(set = 0, binding = 2) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Push { uint columns; } push;
#include "matvec_rows.glsl"
void main() {
  const uint row = gl_WorkGroupID.x * 2u, perRow = push.columns / 32u;
  float sums[2] = float[2](0.0, 0.0);
  for (uint i = gl_LocalInvocationID.x; i < push.columns / 8u; i += gl_WorkGroupSize.x) {
    const uint quarter = i % 4u, first = i / 4u * 8u + quarter;  // four columns each
    vec4 low = values[first], high = values[first + 4u];
    for (uint r = 0u; r < 2u; ++r) {
      const uint b = (row + r) * perRow + i / 4u;
      const uint bytes = uint(blocks[b].pairs[quarter * 2u]) | uint(blocks[b].pairs[quarter * 2u + 1u]) << 16;
      vec4 w0 = vec4(bytes & 0xfu, bytes >> 8 & 0xfu, bytes >> 16 & 0xfu, bytes >> 24 & 0xfu) - 8.0;
      vec4 w1 = vec4(bytes >> 4 & 0xfu, bytes >> 12 & 0xfu, bytes >> 20 & 0xfu, bytes >> 28) - 8.0;
      sums[r] += float(blocks[b].scale) * (dot(w0, low) + dot(w1, high));
    }
  }
  storeRows(row, sums);
}
