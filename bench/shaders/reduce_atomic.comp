#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// An element per invocation, and one sum that all subgroups of the dispatch add to.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { uint data[]; };
layout(set = 0, binding = 1) buffer Unused { uint unused[]; };
layout(set = 0, binding = 2) buffer Out { uint sum[]; };
void main() {
  uint own = subgroupAdd(data[gl_GlobalInvocationID.x]);
  if (subgroupElect()) atomicAdd(sum[0], own);
}
