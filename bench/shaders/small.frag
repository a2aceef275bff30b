#version 450
// A small material; the specialization constant makes every pipeline a new one.
layout(constant_id = 0) const float kVariant = 1.0;
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 result;
void main() { result = vec4(color.rgb * (uv.x * kVariant), 1.0); }
