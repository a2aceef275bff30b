#version 450
layout(location = 0) in vec4 place;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 outColor;
void main() {
  gl_Position = vec4(place.xyz, 1.0);
  gl_PointSize = place.w;
  outColor = color;
}
