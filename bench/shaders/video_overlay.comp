#version 450
// A picture in three planes of bytes, chroma of half the size, laid over another one: how video's overlays work.
layout(local_size_x = 32, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D below_y;
layout(set = 0, binding = 1) uniform sampler2D below_u;
layout(set = 0, binding = 2) uniform sampler2D below_v;
layout(set = 0, binding = 3) uniform sampler2D above_y;
layout(set = 0, binding = 4) uniform sampler2D above_u;
layout(set = 0, binding = 5) uniform sampler2D above_v;
layout(set = 0, binding = 6, r8) writeonly uniform image2D target_y;
layout(set = 0, binding = 7, r8) writeonly uniform image2D target_u;
layout(set = 0, binding = 8, r8) writeonly uniform image2D target_v;
const ivec2 kPlace = ivec2(100, 50);
#define PLANE(below, above, target, place)                                               \
  if (all(lessThan(p, imageSize(target)))) {                                             \
    ivec2 from = p - (place);                                                            \
    if (all(greaterThanEqual(from, ivec2(0))) && all(lessThan(from, textureSize(above, 0)))) \
      imageStore(target, p, texelFetch(above, from, 0));                                 \
    else                                                                                 \
      imageStore(target, p, texelFetch(below, p, 0));                                    \
  }
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy);
  PLANE(below_y, above_y, target_y, kPlace)
  PLANE(below_u, above_u, target_u, kPlace / 2)
  PLANE(below_v, above_v, target_v, kPlace / 2)
}
