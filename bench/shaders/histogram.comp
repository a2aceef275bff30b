#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { uint data[]; };
layout(set = 0, binding = 1) buffer Unused { uint unused[]; };
layout(set = 0, binding = 2) buffer Out { uint bins[]; };
shared uint local[256];
void main() {
  uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 4096u;
  local[l] = 0u;
  barrier();
  for (uint i = 0u; i < 16u; ++i) atomicAdd(local[data[base + i * 256u + l] & 255u], 1u);
  barrier();
  atomicAdd(bins[l], local[l]);
}
