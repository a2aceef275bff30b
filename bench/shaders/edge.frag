#version 450
// A filter over the neighbours of a texel, in a loop over a table: how applications write blurs and edges.
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 result;
const float weight[9] = float[9](-0.5, -0.25, 0.125, -0.25, 0.25, 0.25, 0.125, 0.25, 0.5);
void main() {
  vec2 texel = 1.0 / vec2(textureSize(image, 0));
  vec3 sum = vec3(0.0);
  for (int i = 0; i < 9; ++i) sum += weight[i] * texture(image, uv + texel * vec2(i % 3 - 1, i / 3 - 1)).rgb;
  result = vec4(abs(sum), 1.0);
}
