#version 450
// One cube per instance, placed from its index.
layout(push_constant) uniform Push { vec4 offset; vec4 tint; } push;
layout(location = 0) out vec4 outColor;
layout(location = 1) out vec2 outUv;
void main() {
  const int corner[36] = int[36](0,1,3, 0,3,2, 4,6,7, 4,7,5, 0,4,5, 0,5,1, 2,3,7, 2,7,6, 0,2,6, 0,6,4, 1,5,7, 1,7,3);
  int c = corner[gl_VertexIndex];
  vec3 p = vec3(c & 1, (c >> 1) & 1, (c >> 2) & 1) - 0.5;
  float a = float(gl_InstanceIndex) * 0.37 + push.offset.w;
  mat2 r = mat2(cos(a), -sin(a), sin(a), cos(a));
  p.xz = r * p.xz;
  p.yz = r * p.yz;
  vec2 cell = vec2(gl_InstanceIndex % 125, gl_InstanceIndex / 125) / vec2(62.5, 40.0) - 1.0 + vec2(0.008, 0.0125);
  gl_Position = vec4(cell + p.xy * vec2(0.009, 0.016), 0.5 + p.z * 0.2, 1.0);
  outColor = vec4(p + 0.5, 1.0) * push.tint;
  outUv = p.xy;
}
