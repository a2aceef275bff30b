#version 450
// One light, whose shadows' edges are nine filtered comparisons.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(set = 0, binding = 0) uniform Camera { mat4 viewProjection; mat4 lightProjection; vec4 eye; vec4 light; } camera;
layout(set = 0, binding = 1) uniform sampler2DShadow shadowMap;
layout(push_constant) uniform Object { vec4 place; vec4 tint; vec4 repeat; } object;
layout(location = 0) out vec4 result;
void main() {
  vec4 at = camera.lightProjection * vec4(position, 1.0);
  vec2 uv = at.xy * 0.5 + 0.5, texel = 1.0 / vec2(textureSize(shadowMap, 0));
  float light = 0.0;
  for (int y = -1; y <= 1; ++y)
    for (int x = -1; x <= 1; ++x) light += texture(shadowMap, vec3(uv + vec2(x, y) * texel, at.z - 0.004));
  vec3 n = normalize(normal), toEye = normalize(camera.eye.xyz - position);
  float diffuse = max(dot(n, camera.light.xyz), 0.0);
  float highlight = pow(max(dot(n, normalize(toEye + camera.light.xyz)), 0.0), 24.0);
  result = vec4(object.tint.rgb * (0.2 + light / 9.0 * (0.7 * diffuse + 0.3 * highlight)), 1.0);
}
