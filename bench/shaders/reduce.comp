#version 450
// Each workgroup sums 2048 words through shared memory, halving with a barrier each time.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { uint data[]; };
layout(set = 0, binding = 1) buffer Unused { uint unused[]; };
layout(set = 0, binding = 2) writeonly buffer Out { uint sums[]; };
shared uint part[256];
void main() {
  uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 2048u;
  uint s = 0u;
  for (uint i = 0u; i < 8u; ++i) s += data[base + i * 256u + l];
  part[l] = s;
  barrier();
  for (uint step = 128u; step > 0u; step >>= 1) {
    if (l < step) part[l] += part[l + step];
    barrier();
  }
  if (l == 0u) sums[gl_WorkGroupID.x] = part[0];
}
