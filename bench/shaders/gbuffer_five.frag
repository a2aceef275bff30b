#version 450
// What lighting_five.frag reads.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 3) in vec2 uv;
layout(set = 0, binding = 1) uniform sampler2D albedoMap;
layout(push_constant) uniform Object { vec4 place; vec4 tint; vec4 repeat; } object;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 outNormal;
layout(location = 2) out vec2 motion;
layout(location = 3) out vec3 emitted;
layout(location = 4) out vec4 material;
void main() {
  albedo = texture(albedoMap, uv) * object.tint;
  outNormal = vec4(normalize(normal) * 0.5 + 0.5, 1.0);
  motion = position.xz * 0.01;
  emitted = max(object.tint.rgb - 0.8, 0.0) * 4.0;
  material = vec4(0.3 + 0.5 * fract(position.x), object.tint.g, object.place.w, 1.0);
}
