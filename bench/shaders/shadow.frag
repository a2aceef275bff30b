#version 450
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2DShadow image;
layout(location = 0) out vec4 result;
void main() { result = vec4(texture(image, vec3(uv, uv.x * 0.5 + 0.25)), uv, 1.0); }
