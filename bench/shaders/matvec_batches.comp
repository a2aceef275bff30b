#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_control_flow_attributes : enable
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// The product of matvec_q8_0 in the form of a kernel for all shapes: batches lie anywhere, rounds are counted, with one
// more for lanes that still have columns, and go by fours as long as there are so many.
layout(local_size_x = 32) in;
struct Block { float16_t scale; uint16_t pairs[16]; };
layout(set = 0, binding = 0) readonly buffer Weights { Block blocks[]; };
layout(set = 0, binding = 1) readonly buffer In { vec4 values[]; };
layout(set = 0, binding = 2) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Push { uint columns, batches, weightsOfBatch, valuesOfBatch; } push;
#include "matvec_rows.glsl"
vec2 two(uint pair) { return vec2(bitfieldExtract(int(pair), 0, 8), bitfieldExtract(int(pair), 8, 8)); }
vec4 four(uint b, uint at) { return vec4(two(uint(blocks[b].pairs[at])), two(uint(blocks[b].pairs[at + 1u]))); }
void round(inout float sums[2], uint row, uint i, uint batch) {
  const uint column = (i * gl_WorkGroupSize.x + gl_LocalInvocationID.x) * 8u, at = column % 32u;
  const uint value = batch * push.valuesOfBatch + column - at;
  vec4 v0 = values[(value + at) / 4u], v1 = values[(value + at) / 4u + 1u];
  uint first = row * push.columns;
  [[unroll]] for (uint r = 0u; r < 2u; ++r) {
    const uint b = batch * push.weightsOfBatch / 32u + (first + column) / 32u;
    first += push.columns;
    float sum = dot(four(b, at / 2u), v0);
    sum += dot(four(b, at / 2u + 2u), v1);
    sums[r] += sum * float(blocks[b].scale);
  }
}
void main() {
  const uint row = gl_WorkGroupID.x * 2u, together = gl_WorkGroupSize.x * 8u;
  const uint batch = gl_WorkGroupID.y == 0u ? 0u : gl_WorkGroupID.y % push.batches;
  float sums[2] = float[2](0.0, 0.0);
  uint rounds = push.columns / together;
  if (rounds * together + gl_LocalInvocationID.x * 8u < push.columns) ++rounds;
  uint i = 0u;
  while (i < (rounds & ~3u)) {
    [[unroll]] for (uint k = 0u; k < 4u; ++k) {
      round(sums, row, i, batch);
      ++i;
    }
  }
  while (i < rounds) {
    round(sums, row, i, batch);
    ++i;
  }
  storeRows(row, sums);
}
