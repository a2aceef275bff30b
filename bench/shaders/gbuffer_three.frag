#version 450
// What lighting_three.frag reads.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 3) in vec2 uv;
layout(set = 0, binding = 1) uniform sampler2D albedoMap;
layout(push_constant) uniform Object { vec4 place; vec4 tint; vec4 repeat; } object;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 outNormal;
layout(location = 2) out vec2 material;
void main() {
  albedo = texture(albedoMap, uv) * object.tint;
  outNormal = vec4(normalize(normal), 1.0);
  material = vec2(0.3 + 0.5 * fract(position.x), object.tint.g);
}
