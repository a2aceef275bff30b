#version 450
layout(triangles) in;
layout(line_strip, max_vertices = 4) out;
layout(location = 0) in vec4 inColor[];
layout(location = 0) out vec4 outColor;
void emit(int i, vec4 move) {
  gl_Position = gl_in[i].gl_Position + move;
  outColor = inColor[i];
  EmitVertex();
}
void main() {
  for (int i = 0; i < 4; ++i) emit(i % 3, vec4(0.0));
}
