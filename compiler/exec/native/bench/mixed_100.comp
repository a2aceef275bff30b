// About a hundred instructions of what shaders do: vectors, a dot product, a mix, integer hashing, one branch.
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Data { vec4 data[]; };
layout(push_constant) uniform Push { vec4 light; vec4 tint; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  vec4 v = data[i];
  vec3 n = normalize(v.xyz);
  float lit = max(dot(n, light.xyz), 0.0);
  vec3 color = mix(tint.rgb, v.rgb, lit) * lit + vec3(0.1, 0.2, 0.3);
  uint h = i * 747796405u + 2891336453u;
  h = ((h >> ((h >> 28) + 4u)) ^ h) * 277803737u;
  h = (h >> 22) ^ h;
  float noise = float(h & 0xFFFFu) * (1.0 / 65536.0);
  if (noise > 0.5) color = color * color + noise;
  vec3 r = reflect(-light.xyz, n);
  color += clamp(r * r * tint.a, 0.0, 1.0) * noise;
  data[i] = vec4(sqrt(color), v.w + noise);
}
