#version 450
layout(triangles, fractional_even_spacing, ccw) in;
layout(location = 0) in vec4 inColor[];
layout(location = 0) out vec4 outColor;
#define MIX(what) (what(0) * t.x + what(1) * t.y + what(2) * t.z)
void main() {
  const vec3 t = gl_TessCoord;
#define PLACE(i) gl_in[i].gl_Position
#define COLOR(i) inColor[i]
  gl_Position = MIX(PLACE);
  outColor = MIX(COLOR);
}
