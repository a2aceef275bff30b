#version 450
layout(location = 0) out vec3 color;
void main() {
  vec2 p[3] = vec2[](vec2(-1.0, -1.0), vec2(3.0, -1.0), vec2(-1.0, 3.0));
  gl_Position = vec4(p[gl_VertexIndex % 3], 0.5, 1.0);
  color = vec3(p[gl_VertexIndex % 3] * 0.25 + 0.25, 0.5);
}
