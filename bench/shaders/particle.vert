#version 450
// An instance is a square that faces the viewer.
layout(location = 0) in vec4 place;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 outColor;
layout(location = 1) out vec2 outUv;
void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  gl_Position = vec4(place.xy + (corner - 0.5) * place.w * 2.0 / vec2(1920.0, 1080.0), place.z, 1.0);
  outColor = color;
  outUv = corner;
}
