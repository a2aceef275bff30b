#version 450
// A blur whose radius grows from the centre: eight samples on a circle, of the level whose texels are as large.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(set = 0, binding = 1, rgba8) writeonly uniform image2D target;
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(target);
  if (any(greaterThanEqual(p, size))) return;
  vec2 at = (vec2(p) + 0.5) / vec2(size);
  float radius = 0.5 + 24.0 * distance(at, vec2(0.5));
  float lod = log2(radius);
  vec4 sum = textureLod(from, at, lod);
  for (int i = 0; i < 8; ++i) {
    float angle = float(i) * 0.7853982;
    sum += textureLod(from, at + vec2(cos(angle), sin(angle)) * radius / vec2(size), lod);
  }
  imageStore(target, p, sum / 9.0);
}
