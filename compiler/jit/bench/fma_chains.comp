// Sixteen independent chains of a * b + c: the peak of the arithmetic units.
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Data { float data[]; };
layout(push_constant) uniform Push { uint rounds; float b, c; };
void main() {
  float x = data[gl_GlobalInvocationID.x];
  float v[16];
  for (int i = 0; i < 16; ++i) v[i] = x + float(i);
  float m = b + x * 0.0, a = c + x * 0.0;
  for (uint r = 0; r < rounds; ++r) {
    v[0] = v[0] * m + a;   v[1] = v[1] * m + a;   v[2] = v[2] * m + a;   v[3] = v[3] * m + a;
    v[4] = v[4] * m + a;   v[5] = v[5] * m + a;   v[6] = v[6] * m + a;   v[7] = v[7] * m + a;
    v[8] = v[8] * m + a;   v[9] = v[9] * m + a;   v[10] = v[10] * m + a; v[11] = v[11] * m + a;
    v[12] = v[12] * m + a; v[13] = v[13] * m + a; v[14] = v[14] * m + a; v[15] = v[15] * m + a;
  }
  float sum = 0.0;
  for (int i = 0; i < 16; ++i) sum += v[i];
  data[gl_GlobalInvocationID.x] = sum;
}
