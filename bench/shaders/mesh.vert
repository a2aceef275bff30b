#version 450
// Positions in clip space and a colour; the push constant moves and tints, so that draws differ.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
layout(push_constant) uniform Push { vec4 offset; vec4 tint; } push;
layout(location = 0) out vec4 outColor;
layout(location = 1) out vec2 outUv;
void main() {
  gl_Position = vec4(position + push.offset.xyz, 1.0);
  outColor = color * push.tint;
  outUv = position.xy * 0.5 + 0.5;
}
