#version 450
// Four bones a vertex, of one figure; the push constant places and scales it.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 bone;
layout(location = 3) in vec4 weight;
layout(set = 0, binding = 0) uniform Bones { mat4 bones[64]; };
layout(push_constant) uniform Push { vec4 place; } push;
layout(location = 0) out vec4 outColor;
layout(location = 1) out vec2 outUv;
void main() {
  mat4 m = weight.x * bones[bone.x] + weight.y * bones[bone.y] + weight.z * bones[bone.z] + weight.w * bones[bone.w];
  vec4 p = m * vec4(position, 1.0);
  vec3 n = normalize(mat3(m) * normal);
  gl_Position = vec4(p.xy * push.place.w * vec2(0.5, 1.0) + push.place.xy, p.z * 0.5 + push.place.z, 1.0);
  outColor = vec4(0.2 + 0.8 * max(dot(n, vec3(0.5, 0.3, -0.8)), 0.0) * vec3(0.9, 0.7, 0.5), 1.0);
  outUv = position.xy;
}
