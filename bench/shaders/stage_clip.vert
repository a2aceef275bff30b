#version 450
layout(push_constant) uniform Push { vec4 offset; vec4 tint; } push;
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
out float gl_ClipDistance[2];
layout(location = 0) out vec4 outColor;
void main() {
  gl_Position = vec4(position, 1.0) + vec4(push.offset.xyz, 0.0);
  gl_ClipDistance[0] = position.x + position.y;
  gl_ClipDistance[1] = 1.2 - length(position.xy);
  outColor = color;
}
