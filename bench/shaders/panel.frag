#version 450
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 result;
void main() { result = vec4(texture(image, uv).rgb, 0.6); }
