#version 450
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(location = 0) out uvec4 result;
void main() { result = uvec4(vec4(color.rg * uv, color.ba) * 100.0); }
