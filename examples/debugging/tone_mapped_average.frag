#version 450
// Makes colours of light.
layout(binding = 1) uniform sampler2D average;
layout(location = 0) out vec4 color;
vec3 toneMapped(vec3 light) {
  vec3 shown = light / (1.0 + light);
  return shown;
}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec3 light = texelFetch(average, at, 0).rgb;
  color = vec4(toneMapped(light), 1.0);
}
