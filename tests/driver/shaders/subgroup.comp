#version 450
#extension GL_KHR_shader_subgroup_basic : require
// result[i] = the subgroup's size, and 100 times the number of the lane.
layout(local_size_x = 64) in;
layout(set = 0, binding = 2) buffer Output { uint values[]; } result;
void main() { result.values[gl_LocalInvocationIndex] = gl_SubgroupSize + 100u * gl_SubgroupInvocationID; }
