#version 450
// A round point with a soft edge.
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main() {
  vec2 p = gl_PointCoord * 2.0 - 1.0;
  result = vec4(color.rgb, color.a * max(1.0 - dot(p, p), 0.0));
}
