#version 450
// One directional light, Blinn-Phong highlights, a little sky light from above, fog toward the horizon.
layout(location = 0) in vec3 worldPosition;
layout(location = 1) in vec3 worldNormal;
layout(location = 2) in vec2 texCoord;
layout(set = 0, binding = 0) uniform sampler2D surface;
layout(push_constant) uniform Camera {
  mat4 viewProjection;
  vec4 eye;
} camera;
layout(location = 0) out vec4 color;
void main() {
  vec3 n = normalize(worldNormal);
  vec3 toLight = normalize(vec3(0.5, 0.8, 0.3));
  vec3 toEye = normalize(camera.eye.xyz - worldPosition);
  vec3 albedo = texture(surface, texCoord).rgb;
  float diffuse = max(dot(n, toLight), 0.0);
  float highlight = pow(max(dot(n, normalize(toLight + toEye)), 0.0), 48.0) * step(0.001, diffuse);
  vec3 sky = mix(vec3(0.10, 0.09, 0.08), vec3(0.20, 0.26, 0.36), n.y * 0.5 + 0.5);
  vec3 lit = albedo * (sky + diffuse * vec3(1.0, 0.95, 0.85)) + highlight * 0.35;
  float fog = 1.0 - exp(-0.0015 * dot(camera.eye.xyz - worldPosition, camera.eye.xyz - worldPosition));
  color = vec4(mix(lit, vec3(0.55, 0.68, 0.82), clamp(fog, 0.0, 1.0)), 1.0);
}
