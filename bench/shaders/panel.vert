#version 450
// Instance i is a rectangle somewhere on the target.
layout(location = 1) out vec2 outUv;
void main() {
  const vec2 size = vec2(0.2, 0.25);
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  vec2 at = fract(float(gl_InstanceIndex) * vec2(0.7548777, 0.5698403)) * (2.0 - size) - 1.0;
  gl_Position = vec4(at + corner * size, 0.0, 1.0);
  outUv = corner;
}
