#version 450
layout(location = 0) out vec4 color;
void main() {
  color = vec4(16.0, 14.0, 9.0, 1.0);
}
