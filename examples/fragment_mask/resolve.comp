#version 450
// A custom resolve: tone-maps first and averages then, so that bright edges stay smooth. It costs a tone mapping for
// each sample, or, through the fragment mask, one for each distinct colour: one in nearly every pixel.
#extension GL_AMD_shader_fragment_mask : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const bool byFragment = false;
layout(constant_id = 1) const int samples = 8;
layout(set = 0, binding = 0) uniform sampler2DMS lit;
layout(set = 0, binding = 3, rgba8) uniform writeonly image2D result;

vec3 toneMapped(vec3 c) { return (c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14); }

void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(p, imageSize(result)))) return;
  vec3 sum = vec3(0.0);
  int shaded = 0;  // what it has cost
  if (byFragment) {
    uint mask = fragmentMaskFetchAMD(lit, p);
    for (uint rest = (1u << samples) - 1u; rest != 0u;) {
      uint fragment = bitfieldExtract(mask, 4 * findLSB(rest), 4);
      uint same = 0u;
      for (int s = 0; s < samples; ++s) same |= uint(bitfieldExtract(mask, 4 * s, 4) == fragment) << s;
      sum += toneMapped(fragmentFetchAMD(lit, p, fragment).rgb) * float(bitCount(same));
      rest &= ~same;
      ++shaded;
    }
  } else {
    for (int s = 0; s < samples; ++s) sum += toneMapped(texelFetch(lit, p, s).rgb);
    shaded = samples;
  }
  imageStore(result, p, vec4(pow(sum / float(samples), vec3(1.0 / 2.2)), float(shaded) / 255.0));
}
