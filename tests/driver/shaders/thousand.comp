#version 450
// About a thousand instructions, each of which needs the one before.
layout(local_size_x = 64) in;
layout(set = 0, binding = 2) buffer Output { uint values[]; } result;
#define STEP(n) x = x * 1664525u + n; y ^= x >> 9; y = (y << 5) + x; f = f * 0.75 + float(y & 0xFFu); x += uint(f);
#define TEN(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7) STEP(n + 8) STEP(n + 9)
void main() {
  uint x = gl_GlobalInvocationID.x, y = 7u;
  float f = 1.0;
  TEN(0u) TEN(10u) TEN(20u) TEN(30u) TEN(40u) TEN(50u) TEN(60u) TEN(70u) TEN(80u) TEN(90u) TEN(100u) TEN(110u)
  result.values[gl_GlobalInvocationID.x] = x ^ y ^ floatBitsToUint(f);
}
