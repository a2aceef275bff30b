#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push { uint n; } push;
void main() {
  uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  float sum = 0.0;
  for (uint k = 0u; k < push.n; ++k) sum += a[y * push.n + k] * b[k * push.n + x];
  c[y * push.n + x] = sum;
}
