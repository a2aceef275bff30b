#version 450
// Reads and writes texels inside and outside of an image.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 3, rgba8) uniform image2D picture;
layout(set = 0, binding = 2) buffer Output { uint values[]; } result;
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy) * 1000003 - ivec2(7000000);
  imageStore(picture, p, vec4(1.0));
  vec4 texel = imageLoad(picture, p);
  result.values[gl_LocalInvocationIndex] = uint(texel.r * 255.0) + uint(texel.g * 255.0);
}
