#version 450
layout(quads, equal_spacing, ccw) in;
layout(location = 0) in vec4 inColor[];
layout(location = 0) out vec4 outColor;
layout(location = 1) out vec2 outUv;
void main() {
  vec2 t = gl_TessCoord.xy;
  vec4 p = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x), mix(gl_in[2].gl_Position, gl_in[3].gl_Position, t.x), t.y);
  p.z += 0.1 * t.x * t.y;
  gl_Position = p;
  outColor = mix(mix(inColor[0], inColor[1], t.x), mix(inColor[2], inColor[3], t.x), t.y);
  outUv = t;
}
