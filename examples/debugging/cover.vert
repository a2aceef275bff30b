#version 450
// The whole picture, as two triangles.
void main() {
  gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0, 0.0, 1.0);
}
