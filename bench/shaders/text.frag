#version 450
// The atlas has coverage.
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2D letters;
layout(location = 0) out vec4 result;
void main() { result = vec4(color.rgb, color.a * texture(letters, uv).r); }
