#version 450
// A triangle over most of the picture, with something in every location that a shader under test may read.
layout(location = 0) in vec4 data[4];
layout(location = 0) out vec4 vary[8];
void main() {
  vec2 corner = vec2(gl_VertexIndex % 3 == 1 ? 3.0 : -0.9, gl_VertexIndex % 3 == 2 ? 3.0 : -0.9);
  gl_Position = vec4(corner, 0.25 + 0.125 * float(gl_VertexIndex % 3), 1.0);
  for (int i = 0; i < 8; ++i) vary[i] = data[i & 3] + float(i);
}
