#version 450
layout(vertices = 4) out;
layout(location = 0) in vec4 before[][8];
layout(location = 0) out vec4 after[][4];
layout(location = 4) patch out vec4 shared_[2];
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID % 3].gl_Position + before[0][1] * 0.01;
  for (int i = 0; i < 4; ++i) after[gl_InvocationID][i] = before[gl_InvocationID % 3][i];
  barrier();
  if (gl_InvocationID == 1) {
    shared_[0] = after[(gl_InvocationID + 1) & 3][2];
    shared_[1] = vec4(gl_PrimitiveID, gl_PatchVerticesIn, 0, 1);
    gl_TessLevelOuter[0] = 1.0 + abs(after[2][0].x);
    gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 3.5;
    gl_TessLevelInner[0] = 2.0;
  }
}
