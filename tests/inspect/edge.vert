#version 450
// One triangle that covers everything left of a vertical line.
layout(push_constant) uniform Push { float right; };  // normalized device coordinates
void main() {
  vec2 corner = gl_VertexIndex == 0 ? vec2(right, -8) : gl_VertexIndex == 1 ? vec2(right, 8) : vec2(right - 16, 0);
  gl_Position = vec4(corner, 0.5, 1);
}
