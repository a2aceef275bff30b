#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push { uint n; } push;
shared float tileA[16][16];
shared float tileB[16][16];
void main() {
  uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  uint lx = gl_LocalInvocationID.x, ly = gl_LocalInvocationID.y;
  float sum = 0.0;
  for (uint t = 0u; t < push.n; t += 16u) {
    tileA[ly][lx] = a[y * push.n + t + lx];
    tileB[ly][lx] = b[(t + ly) * push.n + x];
    barrier();
    for (uint k = 0u; k < 16u; ++k) sum += tileA[ly][k] * tileB[k][lx];
    barrier();
  }
  c[y * push.n + x] = sum;
}
