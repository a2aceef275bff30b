#version 450
layout(quads, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec4 inColor[];
layout(location = 0) out vec4 outColor;
#define MIX(what) (mix(mix(what(0), what(1), t.x), mix(what(2), what(3), t.x), t.y))
void main() {
  const vec3 t = gl_TessCoord;
#define PLACE(i) gl_in[i].gl_Position
#define COLOR(i) inColor[i]
  gl_Position = MIX(PLACE);
  outColor = MIX(COLOR);
}
