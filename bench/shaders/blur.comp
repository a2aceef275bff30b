#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform sampler2D source;
layout(set = 0, binding = 1, rgba8) writeonly uniform image2D target;
void main() {
  const float weight[5] = float[5](0.0625, 0.25, 0.375, 0.25, 0.0625);
  ivec2 p = ivec2(gl_GlobalInvocationID.xy), last = textureSize(source, 0) - 1;
  vec4 sum = vec4(0.0);
  for (int y = -2; y <= 2; ++y)
    for (int x = -2; x <= 2; ++x)
      sum += texelFetch(source, clamp(p + ivec2(x, y), ivec2(0), last), 0) * (weight[x + 2] * weight[y + 2]);
  imageStore(target, p, sum);
}
