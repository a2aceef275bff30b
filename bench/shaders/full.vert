#version 450
// A triangle that covers the target; instance i is a layer with its own depth and tint. `uv` gets the matrix `map`.
layout(push_constant) uniform Push { vec4 color; vec4 map; float depth0; float depthStep; uint count; uint seed; } push;
layout(location = 0) out vec4 outColor;
layout(location = 1) out vec2 outUv;
void main() {
  vec2 p = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
  float layer = float(gl_InstanceIndex);
  gl_Position = vec4(p * 2.0 - 1.0, push.depth0 + push.depthStep * layer, 1.0);
  outColor = push.color * (1.0 - 0.09 * layer);
  outUv = mat2(push.map.xy, push.map.zw) * p;
}
