#version 450
// Private memory, workgroup memory and a barrier: result[i] = i ^ 63 within its workgroup, plus the workgroup's number.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Output { uint values[]; } result;
shared uint passed[64];
void main() {
  uint mine[512];
  uint i = gl_LocalInvocationIndex;
  for (uint k = 0; k < 512; k += 7) mine[k] = k;
  passed[i] = mine[i * 7];
  barrier();
  result.values[gl_GlobalInvocationID.x] = passed[i ^ 63] / 7 + gl_WorkGroupID.x;
}
