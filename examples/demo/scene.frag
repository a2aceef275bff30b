#version 450
#extension GL_GOOGLE_include_directive : require
#include "../common/lighting.glsl"
layout(location = 0) in vec3 worldPosition;
layout(location = 1) in vec3 worldNormal;
layout(location = 2) in vec2 texCoord;
layout(set = 0, binding = 0) uniform sampler2D surface;
layout(push_constant) uniform Camera {
  mat4 viewProjection;
  vec4 eye;
} camera;
layout(location = 0) out vec4 color;
void main() {
  color = vec4(light(worldPosition, worldNormal, texture(surface, texCoord).rgb, camera.eye.xyz), 1.0);
}
