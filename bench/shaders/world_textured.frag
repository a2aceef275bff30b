#version 450
// Bumps in tangent space, one light with a highlight, and the sky reflected more at flat angles.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;
layout(location = 3) in vec2 uv;
layout(set = 0, binding = 0) uniform Camera { mat4 viewProjection; mat4 lightProjection; vec4 eye; vec4 light; } camera;
layout(set = 0, binding = 1) uniform sampler2D albedoMap;
layout(set = 0, binding = 2) uniform sampler2D bumpMap;
layout(set = 0, binding = 3) uniform samplerCube skyMap;
layout(push_constant) uniform Object { vec4 place; vec4 tint; vec4 repeat; } object;
layout(location = 0) out vec4 result;
void main() {
  vec3 n = normalize(normal);
  vec3 t = normalize(tangent.xyz - n * dot(n, tangent.xyz));
  n = normalize(mat3(t, cross(n, t) * tangent.w, n) * (texture(bumpMap, uv).xyz * 2.0 - 1.0));
  vec3 toEye = normalize(camera.eye.xyz - position);
  vec3 sky = texture(skyMap, reflect(-toEye, n)).rgb;
  float fresnel = 0.04 + 0.96 * pow(1.0 - max(dot(n, toEye), 0.0), 5.0);
  float diffuse = max(dot(n, camera.light.xyz), 0.0);
  float highlight = pow(max(dot(n, normalize(toEye + camera.light.xyz)), 0.0), 32.0);
  vec3 albedo = texture(albedoMap, uv).rgb * object.tint.rgb;
  result = vec4(mix(albedo * (0.2 + 0.8 * diffuse), sky, fresnel) + 0.4 * highlight, 1.0);
}
