#version 450
layout(location = 0) in vec4 ins[12];
layout(location = 0) out vec4 result;
void main() {
  result = vec4(0.0);
  for (int i = 0; i < 12; ++i) result += ins[i] * 0.02;
}
