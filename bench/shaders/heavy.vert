#version 450
// 64 bones blended by position: a vertex shader that is all arithmetic.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
layout(push_constant) uniform Push { vec4 offset; vec4 tint; } push;
layout(location = 0) out vec4 outColor;
layout(location = 1) out vec2 outUv;
void main() {
  vec3 p = position;
  vec3 n = vec3(0.0, 0.0, 1.0);
  for (int i = 0; i < 64; ++i) {
    vec3 q = p.yzx * n + vec3(0.01, 0.02, 0.03) * push.tint.x;
    n = n * 0.5 + q * 0.25 + vec3(0.1);
    p = p * 0.999 + q * 0.0005;
  }
  gl_Position = vec4(position.xy + n.xy * 0.0001, 0.5, 1.0);
  outColor = color * push.tint + vec4(n * 0.1, 0.0);
  outUv = p.xy;
}
