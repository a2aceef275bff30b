#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// An element per invocation: a subgroup adds its own up, and one of its invocations adds that to the workgroup's sum.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { uint data[]; };
layout(set = 0, binding = 1) buffer Unused { uint unused[]; };
layout(set = 0, binding = 2) writeonly buffer Out { uint sums[]; };
shared uint sum;
void main() {
  if (gl_LocalInvocationID.x == 0u) sum = 0u;
  barrier();
  uint own = subgroupAdd(data[gl_GlobalInvocationID.x]);
  if (subgroupElect()) atomicAdd(sum, own);
  barrier();
  if (gl_LocalInvocationID.x == 0u) sums[gl_WorkGroupID.x] = sum;
}
