#version 450
layout(quads, equal_spacing, cw) in;
layout(location = 0) in vec4 before[][8];
layout(location = 0) out vec4 after[8];
layout(std430, binding = 0) buffer Log { vec4 seen[]; };
void main() {
  vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
  vec4 high = mix(gl_in[2].gl_Position, gl_in[1].gl_Position, gl_TessCoord.y);
  gl_Position = mix(low, high, gl_TessCoord.y);
  for (int i = 0; i < 8; ++i) after[i] = before[i % 3][(i + gl_PrimitiveID) & 7] * gl_TessCoord.z;
  seen[gl_PrimitiveID & 15] = gl_Position + gl_TessLevelOuter[0];
}
