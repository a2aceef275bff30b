#version 450
// Deferred shading of a multisampled G-buffer: lighting for each sample, or for each distinct combination of fragments.
#extension GL_AMD_shader_fragment_mask : require
#extension GL_GOOGLE_include_directive : require
#include "../common/lighting.glsl"
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const bool byFragment = false;
layout(constant_id = 1) const int samples = 8;
layout(set = 0, binding = 1) uniform sampler2DMS albedo;
layout(set = 0, binding = 2) uniform sampler2DMS geometry;
layout(set = 0, binding = 3, rgba8) uniform writeonly image2D result;
layout(push_constant) uniform Camera {
  mat4 viewProjection;
  vec4 eye;
} camera;

vec3 shade(vec4 a, vec4 g) {
  vec4 normal = unpackSnorm4x8(floatBitsToUint(g.w));
  if (normal.w == 0.0) return a.rgb;  // the sky: nothing was drawn here
  return light(g.xyz, normal.xyz, a.rgb, camera.eye.xyz);
}

void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(p, imageSize(result)))) return;
  vec3 sum = vec3(0.0);
  int shaded = 0;  // what it has cost
  if (byFragment) {
    uint albedoMask = fragmentMaskFetchAMD(albedo, p), geometryMask = fragmentMaskFetchAMD(geometry, p);
    for (uint rest = (1u << samples) - 1u; rest != 0u;) {
      int first = 4 * findLSB(rest);
      uint a = bitfieldExtract(albedoMask, first, 4), g = bitfieldExtract(geometryMask, first, 4);
      uint same = 0u;
      for (int s = 0; s < samples; ++s)
        same |= uint(bitfieldExtract(albedoMask, 4 * s, 4) == a && bitfieldExtract(geometryMask, 4 * s, 4) == g) << s;
      sum += shade(fragmentFetchAMD(albedo, p, a), fragmentFetchAMD(geometry, p, g)) * float(bitCount(same));
      rest &= ~same;
      ++shaded;
    }
  } else {
    for (int s = 0; s < samples; ++s) sum += shade(texelFetch(albedo, p, s), texelFetch(geometry, p, s));
    shaded = samples;
  }
  imageStore(result, p, vec4(pow(sum / float(samples), vec3(1.0 / 2.2)), float(shaded) / 255.0));
}
