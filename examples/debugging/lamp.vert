#version 450
// A lamp with a slanted side.
void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  gl_Position = vec4(corner.x * 1.1 - 1.0 + corner.y * 0.3, corner.y * 2.0 - 1.0, 0.0, 1.0);
}
