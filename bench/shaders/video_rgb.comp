#version 450
// Planar video to colours: luma texel by texel, chroma of half the size between its texels.
layout(local_size_x = 32, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D luma;
layout(set = 0, binding = 1) uniform sampler2D chroma;
layout(set = 0, binding = 2, rgba8) writeonly uniform image2D target;
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(target);
  if (any(greaterThanEqual(p, size))) return;
  float y = (texelFetch(luma, p, 0).r - 0.0625) * 1.164;
  vec2 c = texture(chroma, (vec2(p) + 0.5) / vec2(size)).rg - 0.5;
  imageStore(target, p, vec4(y + 1.793 * c.y, y - 0.213 * c.x - 0.533 * c.y, y + 2.112 * c.x, 1.0));
}
