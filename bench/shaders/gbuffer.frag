#version 450
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 normal;
void main() {
  albedo = color;
  normal = vec4(normalize(vec3(uv - 0.5, 0.7)) * 0.5 + 0.5, 1.0);
}
