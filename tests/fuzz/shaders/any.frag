#version 450
layout(location = 0) in vec4 before[4];
layout(location = 0) out vec4 color0;
layout(location = 1) out vec4 color1;
void main() {
  color0 = before[0] * 0.25 + before[1] * 0.125;
  color1 = before[2] + before[3] + gl_FragCoord;
}
