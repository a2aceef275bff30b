#version 450
layout(vertices = 4) out;
layout(location = 0) in vec4 inColor[];
layout(location = 0) out vec4 outColor[];
layout(push_constant) uniform Push { vec4 offset; vec4 tint; } push;
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  outColor[gl_InvocationID] = inColor[gl_InvocationID];
  if (gl_InvocationID == 0) {
    float level = push.offset.w;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = level;
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = level;
  }
}
