#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 8) out;
layout(location = 0) in vec4 before[][8];
layout(location = 0) out vec4 after[4];
layout(binding = 0) uniform Shift { vec4 shift[4]; };
void main() {
  for (int copy = 0; copy < 2; ++copy) {
    for (int v = 0; v < 3; ++v) {
      gl_Position = gl_in[v].gl_Position * (0.75 - 0.25 * float(copy)) + vec4(0.1 * float(gl_InvocationID), 0, 0, 0.25);
      for (int i = 0; i < 4; ++i) after[i] = before[v][i + 4 * copy] + shift[(gl_PrimitiveIDIn + i) & 3] * 0.001;
      gl_PrimitiveID = gl_PrimitiveIDIn;
      gl_Layer = 0;
      EmitVertex();
    }
    EndPrimitive();
  }
}
