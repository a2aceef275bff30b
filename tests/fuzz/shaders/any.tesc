#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 before[][8];
layout(location = 0) out vec4 after[][8];
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  for (int i = 0; i < 8; ++i) after[gl_InvocationID][i] = before[gl_InvocationID][i];
  for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = 2.5;
  for (int i = 0; i < 2; ++i) gl_TessLevelInner[i] = 2.0;
}
