#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 24) out;
layout(location = 0) in vec4 inColor[];
layout(location = 0) out vec4 outColor;
void emit(int i, vec4 move) {
  gl_Position = gl_in[i].gl_Position + move;
  outColor = inColor[i];
  EmitVertex();
}
void main() {
  for (int shell = 0; shell < 8; ++shell) {
    for (int i = 0; i < 3; ++i) emit(i, vec4(0.01, 0.01, -0.01, 0.0) * float(shell));
    EndPrimitive();
  }
}
