#version 450
// Makes colours of light, sample by sample.
layout(binding = 0) uniform sampler2DMS samples;
layout(location = 0) out vec4 color;
vec3 toneMapped(vec3 light) {
  return light / (1.0 + light);
}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec3 sum = vec3(0.0);
  for (int s = 0; s < 4; ++s) sum += toneMapped(texelFetch(samples, at, s).rgb);
  color = vec4(sum / 4.0, 1.0);
}
