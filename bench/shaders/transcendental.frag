#version 450
// 20 scalar functions a round: sin, exp2, log2, inversesqrt, cos on four components.
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(push_constant) uniform Push { vec4 color; vec4 map; float depth0; float depthStep; uint count; uint seed; } push;
layout(location = 0) out vec4 result;
void main() {
  vec4 a = vec4(uv, uv.yx) + 0.1;
  vec4 x = a;
  for (uint i = 0u; i < push.count; ++i) {
    x = sin(x + a);
    x = exp2(x * 0.5);
    x = log2(x + 1.0) + color;
    x = inversesqrt(x + 1.0);
    x = cos(x * a);
  }
  result = x * 0.5 + 0.5;
}
