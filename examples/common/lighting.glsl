// One directional light, Blinn-Phong highlights, a little sky light from above, fog toward the horizon.
vec3 light(vec3 position, vec3 normal, vec3 albedo, vec3 eye) {
  vec3 n = normalize(normal);
  vec3 toLight = normalize(vec3(0.5, 0.8, 0.3));
  vec3 toEye = normalize(eye - position);
  float diffuse = max(dot(n, toLight), 0.0);
  float highlight = pow(max(dot(n, normalize(toLight + toEye)), 0.0), 48.0) * step(0.001, diffuse);
  vec3 sky = mix(vec3(0.10, 0.09, 0.08), vec3(0.20, 0.26, 0.36), n.y * 0.5 + 0.5);
  vec3 lit = albedo * (sky + diffuse * vec3(1.0, 0.95, 0.85)) + highlight * 0.35;
  float fog = 1.0 - exp(-0.0015 * dot(eye - position, eye - position));
  return mix(lit, vec3(0.55, 0.68, 0.82), clamp(fog, 0.0, 1.0));
}
