#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) writeonly uniform image2D image;
void main() {
  const vec2 at = vec2(gl_GlobalInvocationID.xy) / 1024.0;
  if (gl_GlobalInvocationID.y < 1080) imageStore(image, ivec2(gl_GlobalInvocationID.xy), vec4(fract(at), at.x * at.y, 0.5));
}
