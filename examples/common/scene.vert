#version 450
// Transforms the scene and hands world-space position and normal to the lighting.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(push_constant) uniform Camera {
  mat4 viewProjection;
  vec4 eye;
} camera;
layout(location = 0) out vec3 worldPosition;
layout(location = 1) out vec3 worldNormal;
layout(location = 2) out vec2 texCoord;
void main() {
  worldPosition = position;
  worldNormal = normal;
  texCoord = uv;
  gl_Position = camera.viewProjection * vec4(position, 1.0);
}
