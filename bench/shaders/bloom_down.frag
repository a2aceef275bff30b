#version 450
// Half the size: thirteen bilinear samples, five overlapping squares of four.
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(location = 0) out vec4 result;
vec3 at(vec2 texels) { return texture(from, uv + texels / vec2(textureSize(from, 0))).rgb; }
void main() {
  vec3 sum = at(vec2(0)) * 0.125;
  for (int i = 0; i < 4; ++i) {
    vec2 corner = vec2(i & 1, i >> 1) * 2.0 - 1.0;
    vec2 side = i < 2 ? vec2(corner.x, 0.0) : vec2(0.0, corner.x);
    sum += at(corner) * 0.125 + at(corner * 2.0) * 0.03125 + at(side * 2.0) * 0.0625;
  }
  result = vec4(sum, 1.0);
}
