#version 450
// Interpolation, derivatives, discarding, depth, samples.
layout(location = 0) in vec4 smoothly;
layout(location = 1) centroid in vec4 inside;
layout(location = 2) noperspective in vec4 flatly;
layout(location = 3) flat in ivec4 number;
layout(location = 4) in vec4 rows[2];
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) uniform Colors { vec4 color[8]; };
layout(location = 0) out vec4 color0;
layout(location = 1) out vec4 color1;
void main() {
  vec4 sum = texture(picture, smoothly.xy) + interpolateAtOffset(smoothly, vec2(0.25, -0.125));
  sum += interpolateAtSample(rows[1], gl_SampleID) * fwidth(inside) + dFdxFine(flatly);
  if (gl_FrontFacing && int(gl_FragCoord.x) % 5 == 4) discard;
  for (int i = 0; i < (number.x & 3); ++i) sum += texture(picture, sum.zw, float(i)) * color[(number.y + i) & 7];
  gl_FragDepth = clamp(gl_FragCoord.z + 0.01 * sum.x, 0.0, 1.0);
  gl_SampleMask[0] = gl_SampleMaskIn[0] & ~(int(sum.y) & 1);
  color0 = sum;
  color1 = vec4(gl_SamplePosition, gl_PointCoord) + rows[gl_PrimitiveID & 1];
}
