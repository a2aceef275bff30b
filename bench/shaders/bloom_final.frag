#version 450
// The picture and its bloom, tone-mapped.
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2D bright;
layout(set = 0, binding = 1) uniform sampler2D bloom;
layout(location = 0) out vec4 result;
void main() {
  vec3 color = mix(texture(bright, uv).rgb, texture(bloom, uv).rgb, 0.3);
  color = color * (2.51 * color + 0.03) / (color * (2.43 * color + 0.59) + 0.14);
  result = vec4(pow(clamp(color, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
}
