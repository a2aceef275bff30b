// Sums COUNT elements per invocation, then a tree over the workgroup in shared memory with a barrier per level.
#version 450
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint COUNT = 4;
layout(std430, set = 0, binding = 0) readonly buffer In { float data[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { float sums[]; };
shared float partial[256];
void main() {
  uint tid = gl_LocalInvocationID.x;
  uint base = gl_WorkGroupID.x * 256 * COUNT + tid;
  float s = 0.0;
  for (uint i = 0; i < COUNT; ++i) s += data[base + i * 256];
  partial[tid] = s;
  barrier();
  for (uint step = 128; step > 0; step >>= 1) {
    if (tid < step) partial[tid] += partial[tid + step];
    barrier();
  }
  if (tid == 0) sums[gl_WorkGroupID.x] = partial[0];
}
