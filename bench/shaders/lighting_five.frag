#version 450
// Eight lights over a G-buffer of albedo, normals, motion, emitted light and material; positions come from depth.
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform Camera { mat4 viewProjection; mat4 lightProjection; vec4 eye; vec4 light; } camera;
layout(set = 0, binding = 1) uniform sampler2D depthMap;
layout(set = 0, binding = 2) uniform sampler2D albedoMap;
layout(set = 0, binding = 3) uniform sampler2D normalMap;
layout(set = 0, binding = 4) uniform sampler2D motionMap;
layout(set = 0, binding = 5) uniform sampler2D emittedMap;
layout(set = 0, binding = 6) uniform sampler2D materialMap;
layout(location = 0) out vec4 result;
void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  float depth = texelFetch(depthMap, p, 0).r;
  vec3 albedo = texelFetch(albedoMap, p, 0).rgb, n = texelFetch(normalMap, p, 0).xyz * 2.0 - 1.0;
  vec2 motion = texelFetch(motionMap, p, 0).xy;
  vec4 material = texelFetch(materialMap, p, 0);
  vec3 position = vec3((uv * 2.0 - 1.0) * 12.0, depth * 60.0);
  vec3 sum = albedo * (0.1 + 0.4 * max(dot(n, camera.light.xyz), 0.0)) + texelFetch(emittedMap, p, 0).rgb * 0.2;
  for (int i = 0; i < 8; ++i) {
    vec3 to = vec3(float(i & 3) * 6.0 - 9.0, float(i >> 2) * 6.0 - 3.0, 54.0) - position;
    float fall = 1.0 / (1.0 + dot(to, to) * 0.1);
    sum += albedo * fall * material.y * max(dot(n, normalize(to)), 0.0);
  }
  sum += abs(motion.x + motion.y) * 0.2;
  result = vec4(depth < 1.0 ? sum : vec3(0.3, 0.4, 0.6) * (1.0 - uv.y * 0.5), 1.0);
}
