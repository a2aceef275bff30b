#version 450
layout(triangles) in;
layout(line_strip, max_vertices = 2) out;
layout(location = 0) in vec4 inColor[];
layout(location = 0) out vec4 outColor;
void emit(int i, vec4 move) {
  gl_Position = gl_in[i].gl_Position + move;
  outColor = inColor[i];
  EmitVertex();
}
void main() {
  const vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;
  const vec3 across = cross(gl_in[1].gl_Position.xyz - gl_in[0].gl_Position.xyz, gl_in[2].gl_Position.xyz - gl_in[0].gl_Position.xyz);
  emit(0, middle - gl_in[0].gl_Position);
  emit(0, middle - gl_in[0].gl_Position + vec4(normalize(across) * 0.02, 0.0));
}
