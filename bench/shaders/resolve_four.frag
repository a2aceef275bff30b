#version 450
// Four samples, each tone-mapped before the average and mapped back behind it.
layout(set = 0, binding = 0) uniform sampler2DMS samples;
layout(location = 0) out vec4 result;
void main() {
  vec3 sum = vec3(0.0);
  for (int s = 0; s < 4; ++s) {
    vec3 color = texelFetch(samples, ivec2(gl_FragCoord.xy), s).rgb;
    sum += color / (1.0 + max(color.r, max(color.g, color.b)));
  }
  sum /= 4.0;
  result = vec4(sum / (1.0 - max(sum.r, max(sum.g, sum.b))), 1.0);
}
