#version 450
// Side effects of fragments, and early tests.
layout(early_fragment_tests) in;
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color0;
layout(std430, binding = 0) buffer Counts { uint count[]; };
layout(binding = 1, r32f) uniform image2D picture;
layout(push_constant) uniform Push { vec4 scale; int offset[4]; } push;
void main() {
  const ivec2 at = ivec2(gl_FragCoord.xy);
  const uint before = atomicAdd(count[(at.x + push.offset[at.y & 3]) & 63], 1u);
  const float old = imageLoad(picture, at).x;
  imageStore(picture, at, value * push.scale + old);
  color0 = gl_HelperInvocation ? vec4(0) : value + vec4(before & 3u);
}
