#version 450
// An object of a world, placed and scaled, for shaders that light it.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;
layout(location = 3) in vec2 uv;
layout(set = 0, binding = 0) uniform Camera { mat4 viewProjection; mat4 lightProjection; vec4 eye; vec4 light; } camera;
layout(push_constant) uniform Object { vec4 place; vec4 tint; vec4 repeat; } object;
layout(location = 0) out vec3 outPosition;
layout(location = 1) out vec3 outNormal;
layout(location = 2) out vec4 outTangent;
layout(location = 3) out vec2 outUv;
void main() {
  vec3 world = position * object.place.w + object.place.xyz;
  gl_Position = camera.viewProjection * vec4(world, 1.0);
  outPosition = world;
  outNormal = normal;
  outTangent = tangent;
  outUv = uv * object.repeat.xy;
}
