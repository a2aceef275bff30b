// uniform_chain.comp with indices that differ between lanes.
#version 450
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint rounds; };
void main() {
  uint at = gl_GlobalInvocationID.x * 7u, sum = 0;
  for (uint r = 0; r < rounds; ++r) {
    at = data[at & 255u] + r;
    sum = sum * 31u + (at ^ (sum >> 7));
  }
  data[256 + gl_GlobalInvocationID.x] = sum;
}
