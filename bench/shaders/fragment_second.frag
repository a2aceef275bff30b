#version 450
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(location = 0, index = 0) out vec4 result;
layout(location = 0, index = 1) out vec4 second;
void main() {
  result = vec4(color.rg * uv, color.ba);
  second = vec4(uv, 0.5, 0.3);
}
