#version 450
// Lights every sample of a multisampled G-buffer: four lights, one of them with a highlight.
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2DMS albedoMap;
layout(set = 0, binding = 1) uniform sampler2DMS normalMap;
layout(location = 0) out vec4 result;
void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  vec4 albedo = texelFetch(albedoMap, p, gl_SampleID);
  vec3 n = texelFetch(normalMap, p, gl_SampleID).xyz * 2.0 - 1.0;
  vec3 light = vec3(0.1);
  for (int i = 0; i < 4; ++i) {
    vec3 l = normalize(vec3(vec2(i & 1, i >> 1) - uv, 0.5));
    light += max(dot(n, l), 0.0) * vec3(0.2, 0.25, 0.3);
  }
  result = vec4(albedo.rgb * light, 1.0);
}
