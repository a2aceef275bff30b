#version 450
// What the passes after it work on: the lit colour in high dynamic range, and what lighting needs.
#extension GL_GOOGLE_include_directive : require
#include "../common/lighting.glsl"
layout(location = 0) in vec3 worldPosition;
layout(location = 1) in vec3 worldNormal;
layout(location = 2) in vec2 texCoord;
layout(push_constant) uniform Camera {
  mat4 viewProjection;
  vec4 eye;
} camera;
layout(location = 0) out vec4 lit;
layout(location = 1) out vec4 albedo;
layout(location = 2) out vec4 geometry;  // position, and the normal in 4 x 8 bits
void main() {
  vec2 tile = abs(fract(texCoord * 2.0) - 0.5);
  albedo = vec4(mix(vec3(0.75, 0.66, 0.52), vec3(0.30, 0.34, 0.38), step(0.47, max(tile.x, tile.y))), 1.0);
  geometry = vec4(worldPosition, uintBitsToFloat(packSnorm4x8(vec4(normalize(worldNormal), 0.5))));
  lit = vec4(light(worldPosition, worldNormal, albedo.rgb, camera.eye.xyz) * 1.8, 1.0);
}
