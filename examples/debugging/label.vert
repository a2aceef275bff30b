#version 450
// A label; its picture goes from 0 to 1 in an atlas that has another one beside it.
layout(location = 0) out vec2 place;
void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  place = corner;
  gl_Position = vec4((vec2(8.4, 10.0) + corner * vec2(32.0, 40.0)) / 32.0 - 1.0, 0.0, 1.0);
}
