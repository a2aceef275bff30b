#version 450
layout(constant_id = 0) const float level = 16.0;
layout(vertices = 4) out;
layout(location = 0) in vec4 inColor[];
layout(location = 0) out vec4 outColor[];
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  outColor[gl_InvocationID] = inColor[gl_InvocationID];
  if (gl_InvocationID == 0) {
    for (int i = 0; i < 2; ++i) gl_TessLevelInner[i] = level;
    for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = level;
  }
}
