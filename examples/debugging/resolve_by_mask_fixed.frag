#version 450
#extension GL_AMD_shader_fragment_mask : require
// The average of a pixel's samples, each fragment fetched by the mask.
layout(binding = 0) uniform sampler2DMS samples;
layout(location = 0) out vec4 color;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  uint mask = fragmentMaskFetchAMD(samples, at);
  vec4 sum = vec4(0.0);
  for (uint s = 0u; s < 4u; ++s) {
    uint fragment = (mask >> (4u * s)) & 15u;
    sum += fragmentFetchAMD(samples, at, fragment);
  }
  color = sum / 4.0;
}
