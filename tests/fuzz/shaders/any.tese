#version 450
layout(triangles, fractional_odd_spacing) in;
layout(location = 0) in vec4 before[][8];
layout(location = 0) out vec4 after[8];
void main() {
  gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                gl_TessCoord.z * gl_in[2].gl_Position;
  for (int i = 0; i < 8; ++i) after[i] = gl_TessCoord.x * before[0][i] + gl_TessCoord.y * before[1][i];
}
