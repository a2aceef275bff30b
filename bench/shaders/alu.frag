#version 450
// 256 multiply-adds on scalars a round of the loop's 16 (8 vec4 pairs). x and y feed each other, so the chain is not
// linear and cannot be folded; |x|, |y| stay below 1, so rounding differences between drivers die out.
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(push_constant) uniform Push { vec4 color; vec4 map; float depth0; float depthStep; uint count; uint seed; } push;
layout(location = 0) out vec4 result;
void main() {
  vec4 a = vec4(uv, uv.yx) * 0.25, b = color * 0.25;
  vec4 x = a, y = b;
  for (uint i = 0u; i < push.count; ++i) {
    x = x * y + a; y = y * x + b;
    x = x * y + b; y = y * x + a;
    x = x * y + a; y = y * x + b;
    x = x * y + b; y = y * x + a;
  }
  result = x * 0.5 + y * 0.5;
}
