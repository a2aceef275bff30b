#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
// Workgroup memory, barriers, atomics, subgroups.
layout(local_size_x = 16, local_size_y = 2) in;
layout(std430, binding = 0) buffer Data { uint count; uint word[]; } data;
shared uint sums[32];
shared vec4 rows[8][2];
void main() {
  const uint me = gl_LocalInvocationIndex;
  sums[me] = data.word[gl_GlobalInvocationID.x];
  rows[me & 7u][me >> 4] = vec4(me, 1, 2, 3);
  barrier();
  for (uint step = 16u; step > 0u; step >>= 1) {
    if (me < step) sums[me] += sums[me + step];
    barrier();
  }
  uint s = subgroupAdd(sums[me]) + subgroupExclusiveMax(me) + subgroupShuffleXor(me, 3u);
  uvec4 votes = subgroupBallot((s & 1u) == 0u);
  atomicAdd(data.count, subgroupBallotBitCount(votes));
  atomicMin(sums[0], s);
  barrier();
  data.word[me] = s + sums[0] + uint(rows[(me + 1u) & 7u][1].x);
}
