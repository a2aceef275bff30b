#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// Prefix sums of 1024 words a workgroup with subgroup scans. mode 0: data and block sums; 1: the block sums themselves;
// 2: adds the block's offset.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { uint data[]; };
layout(set = 0, binding = 1) buffer Sums { uint sums[]; };
layout(set = 0, binding = 2) buffer Out { uint result[]; };
layout(push_constant) uniform Push { uint mode; } push;
shared uint part[256];
void main() {
  uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 1024u + l * 4u;
  if (push.mode == 2u) {
    if (gl_WorkGroupID.x == 0u) return;
    uint offset = sums[gl_WorkGroupID.x - 1u];
    for (uint i = 0u; i < 4u; ++i) result[base + i] += offset;
    return;
  }
  uint v[4];
  uint total = 0u;
  for (uint i = 0u; i < 4u; ++i) {
    total += push.mode == 0u ? data[base + i] : sums[base + i];
    v[i] = total;
  }
  uint inSubgroup = subgroupInclusiveAdd(total);
  if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u) part[gl_SubgroupID] = inSubgroup;
  barrier();
  uint before = inSubgroup - total;
  for (uint i = 0u; i < gl_SubgroupID; ++i) before += part[i];
  for (uint i = 0u; i < 4u; ++i) {
    if (push.mode == 0u) result[base + i] = before + v[i]; else sums[base + i] = before + v[i];
  }
  if (push.mode == 0u && l == 255u) sums[gl_WorkGroupID.x] = before + total;
}
