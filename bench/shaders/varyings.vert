#version 450
layout(push_constant) uniform Push { vec4 color; vec4 map; float depth0; float depthStep; } push;
layout(location = 0) out vec4 smooths[4];
layout(location = 4) flat out uvec4 flats[2];
layout(location = 6) noperspective out vec4 lines[2];
void main() {
  vec2 p = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
  float layer = float(gl_InstanceIndex);
  float w = 1.0 + 0.2 * p.x + 0.5 * p.y;
  gl_Position = vec4(vec3(p * 2.0 - 1.0, push.depth0 + push.depthStep * layer) * w, w);
  for (int i = 0; i < 4; ++i) smooths[i] = push.color * float(i) + vec4(p, p.yx) * 0.1;
  for (int i = 0; i < 2; ++i) flats[i] = uvec4(gl_InstanceIndex + i);
  for (int i = 0; i < 2; ++i) lines[i] = vec4(p.yx, p) * 0.1;
}
