#version 450
// Some 250 lines when unrolled by hand: what an engine's full material costs to compile.
layout(constant_id = 0) const float kVariant = 1.0;
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 result;

float hash(vec2 p) {  // in integers: the same on every driver
  uint n = uint(p.x) * 1597334677u ^ uint(p.y) * 3812015801u;
  n = (n ^ (n >> 15)) * 2246822519u;
  return float((n ^ (n >> 13)) >> 8) * (kVariant / 16777216.0);
}
float noise(vec2 p) {
  vec2 i = floor(p), f = fract(p);
  f = f * f * (3.0 - 2.0 * f);
  return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x), mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), f.x), f.y);
}
vec3 light(vec3 n, vec3 v, vec3 l, vec3 tint, float roughness) {
  vec3 h = normalize(v + l);
  float a = roughness * roughness, nh = max(dot(n, h), 0.0), nl = max(dot(n, l), 0.0), nv = max(dot(n, v), 0.001);
  float d = nh * nh * (a * a - 1.0) + 1.0;
  float ggx = a * a / (3.14159 * d * d);
  float k = (roughness + 1.0) * (roughness + 1.0) / 8.0;
  float g = nl / (nl * (1.0 - k) + k) * nv / (nv * (1.0 - k) + k);
  vec3 f = tint + (1.0 - tint) * pow(1.0 - max(dot(h, v), 0.0), 5.0);
  return (f * ggx * g / (4.0 * nl * nv + 0.001) + (1.0 - f) * tint / 3.14159) * nl;
}
#define LIGHT(x, y, z) total += light(n, v, normalize(vec3(x, y, z) - vec3(uv, 0.0)), tint * (x + y), rough);
void main() {
  float height = 0.0;
  height += noise(uv * 4.0) * 0.5;
  height += noise(uv * 8.0 + 1.7) * 0.25;
  height += noise(uv * 16.0 + 3.1) * 0.125;
  height += noise(uv * 32.0 + 5.9) * 0.0625;
  vec3 n = normalize(vec3(height - 0.4, noise(uv * 5.0) - 0.5, 1.0)), v = normalize(vec3(0.5 - uv, 1.0));
  vec3 tint = color.rgb;
  float rough = clamp(height, 0.1, 0.9);
  vec3 total = vec3(0.02);
  LIGHT(0.1, 0.2, 0.9) LIGHT(0.7, 0.2, 0.8) LIGHT(0.1, 0.9, 0.7) LIGHT(0.5, 0.5, 0.6)
  LIGHT(0.3, 0.8, 0.5) LIGHT(0.9, 0.1, 0.4) LIGHT(0.2, 0.6, 0.3) LIGHT(0.6, 0.3, 0.2)
  if (height > 0.5) total = mix(total, vec3(0.5), height - 0.5); else total *= 1.0 + height;
  result = vec4(total / (total + 1.0), 1.0);
}
