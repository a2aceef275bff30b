#version 450
// One level from the one before: a bilinear sample between four texels.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(set = 0, binding = 1, rgba8) writeonly uniform image2D target;
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(target);
  if (any(greaterThanEqual(p, size))) return;
  imageStore(target, p, textureLod(from, (vec2(p) + 0.5) / vec2(size), 0.0));
}
