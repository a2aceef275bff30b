// Sixteen independent chains of a * b + c: the peak of the arithmetic units.
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Data { float data[]; };
layout(push_constant) uniform Push { uint rounds; float b, c; };
void main() {
  float x = data[gl_GlobalInvocationID.x];
  vec4 v0 = vec4(x, x + 1.0, x + 2.0, x + 3.0), v1 = v0 + 4.0, v2 = v0 + 8.0, v3 = v0 + 12.0;
  for (uint r = 0; r < rounds; ++r) {
    v0 = v0 * b + c;
    v1 = v1 * b + c;
    v2 = v2 * b + c;
    v3 = v3 * b + c;
  }
  vec4 sum = v0 + v1 + v2 + v3;
  data[gl_GlobalInvocationID.x] = sum.x + sum.y + sum.z + sum.w;
}
