// Texels that invocations read or write, four each: IMAGE is the type of what they lie in, PLACE(p) where, for a place on
// a plane, READ(p) reads one, and WRITE(p, v) writes one.
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const int kWrites = 0;
layout(set = 0, binding = 0) LAYOUT uniform IMAGE image;
layout(set = 0, binding = 1) buffer Sums { uint sums[]; };

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy) * 2;
#ifdef WRITE
  if (kWrites == 1) {
    for (int i = 0; i < 4; ++i) {
      const ivec2 p = at + ivec2(i & 1, i >> 1);
      WRITE(p, vec4(vec2(p) / 1024.0, 0.25 * float(i), 0.5));
    }
    return;
  }
#endif
  const uvec4 sum = uvec4(256.0 * (READ(at) + READ(at + ivec2(1, 0)) + READ(at + ivec2(0, 1)) + READ(at + ivec2(1, 1))));
  sums[gl_GlobalInvocationID.y * 512 + gl_GlobalInvocationID.x] = sum.x + sum.y * 3u + sum.z * 5u + sum.w * 7u;
}
