#version 450
layout(early_fragment_tests) in;
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(location = 0) out vec4 result;
void main() {
  result = vec4(color.rg * uv, color.ba);
  values[uint(gl_FragCoord.y) * 1920u + uint(gl_FragCoord.x)] = 1u;
}
