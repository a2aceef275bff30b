#version 450
layout(push_constant) uniform Push { vec4 offset; vec4 tint; } push;
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 outs[12];
void main() {
  gl_Position = vec4(position, 1.0) + vec4(push.offset.xyz, 0.0);
  for (int i = 0; i < 12; ++i) outs[i] = color * float(i) + push.tint;
}
