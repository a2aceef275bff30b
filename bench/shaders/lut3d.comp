#version 450
// Colours through a table of three dimensions, between its eight nearest entries.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(set = 0, binding = 1) uniform sampler3D table;
layout(set = 0, binding = 2, rgba8) writeonly uniform image2D target;
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(target);
  if (any(greaterThanEqual(p, size))) return;
  vec3 color = texelFetch(from, p, 0).rgb;
  float count = float(textureSize(table, 0).x);
  imageStore(target, p, vec4(textureLod(table, (color * (count - 1.0) + 0.5) / count, 0.0).rgb, 1.0));
}
