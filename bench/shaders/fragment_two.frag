#version 450
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 results[2];
void main() {
  for (int i = 0; i < 2; ++i) results[i] = vec4(color.rg * uv * float(i), color.ba);
}
