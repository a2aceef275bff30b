#version 450
// The atlas has distances to the letters' outlines: sharp at any size, and nothing where there is none.
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2D letters;
layout(location = 0) out vec4 result;
void main() {
  float distance = texture(letters, uv).r - 0.5, pixel = max(fwidth(distance), 0.0001);
  float coverage = clamp(distance / pixel + 0.5, 0.0, 1.0);
  if (coverage < 0.01) discard;
  result = vec4(color.rgb, color.a * coverage);
}
