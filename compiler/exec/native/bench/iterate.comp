// z = z * z + c until it grows too large: each round waits for the one before, and lanes leave one by one.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, set = 0, binding = 0) writeonly buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint rounds; float scale; uint width; };
void main() {
  vec2 c = vec2(gl_GlobalInvocationID.xy) * scale - vec2(1.5, 1.0), z = c;
  uint n = 0;
  for (; n < rounds && dot(z, z) < 4.0; ++n) z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
  data[gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x] = n;
}
