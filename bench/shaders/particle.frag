#version 450
// Fades out where the scene behind it is near, and is gone where the scene lies in front.
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2D spot;
layout(set = 0, binding = 1) uniform sampler2D depthMap;
layout(location = 0) out vec4 result;
void main() {
  float behind = texelFetch(depthMap, ivec2(gl_FragCoord.xy), 0).r - gl_FragCoord.z;
  result = vec4(color.rgb, color.a * texture(spot, uv).r * clamp(behind * 8.0, 0.0, 1.0));
}
