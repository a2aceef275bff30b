#version 450
// Twice the size: nine samples with the weights of a tent, added to what the level has.
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(location = 0) out vec4 result;
void main() {
  vec2 texel = 1.0 / vec2(textureSize(from, 0));
  vec3 sum = vec3(0.0);
  for (int y = -1; y <= 1; ++y)
    for (int x = -1; x <= 1; ++x)
      sum += texture(from, uv + vec2(x, y) * texel).rgb * float((2 - abs(x)) * (2 - abs(y))) / 16.0;
  result = vec4(sum, 0.6);
}
