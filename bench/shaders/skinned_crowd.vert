#version 450
// Four bones a vertex; instance i is a figure of a crowd with bones of its own.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 bone;
layout(location = 3) in vec4 weight;
layout(set = 0, binding = 0) readonly buffer Bones { mat4 bones[]; };
layout(location = 0) out vec4 outColor;
layout(location = 1) out vec2 outUv;
void main() {
  uvec4 b = bone + uint(gl_InstanceIndex) * 64u;
  mat4 m = weight.x * bones[b.x] + weight.y * bones[b.y] + weight.z * bones[b.z] + weight.w * bones[b.w];
  vec4 p = m * vec4(position, 1.0);
  vec3 n = normalize(mat3(m) * normal);
  vec2 place = (vec2(gl_InstanceIndex % 12, gl_InstanceIndex / 12) + 0.5) / vec2(6.0, 2.0) - 1.0;
  gl_Position = vec4(p.xy * vec2(0.225, 0.45) + place, p.z * 0.5 + 0.4, 1.0);
  outColor = vec4(0.2 + 0.8 * max(dot(n, vec3(0.5, 0.3, -0.8)), 0.0) * vec3(0.9, 0.7, 0.5), 1.0);
  outUv = position.xy;
}
