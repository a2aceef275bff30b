// C = A * B with 16 x 16 tiles in shared memory, one element per invocation.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, set = 0, binding = 0) readonly buffer MatrixA { float a[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { float b[]; };
layout(std430, set = 0, binding = 2) writeonly buffer MatrixC { float c[]; };
layout(push_constant) uniform Push { uint n; };
shared float tileA[16][16], tileB[16][16];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint column = gl_WorkGroupID.x * 16 + x, row = gl_WorkGroupID.y * 16 + y;
  float sum = 0.0;
  for (uint t = 0; t < n; t += 16) {
    tileA[y][x] = a[row * n + t + x];
    tileB[y][x] = b[(t + y) * n + column];
    barrier();
    for (uint k = 0; k < 16; ++k) sum += tileA[y][k] * tileB[k][x];
    barrier();
  }
  c[row * n + column] = sum;
}
