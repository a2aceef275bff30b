#version 450
// A square of 16 by 16 little squares, one an instance.
layout(location = 0) out vec4 color;
void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
  vec2 cell = vec2(gl_InstanceIndex & 15, gl_InstanceIndex >> 4);
  gl_Position = vec4((cell + corner) / 8.0 - 1.0, 0.5, 1.0);
  color = vec4(1.0, 0.0, 1.0, 1.0);
}
