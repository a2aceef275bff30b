#version 450
// Neighbouring pixels run very different numbers of rounds.
layout(location = 1) in vec2 uv;
layout(push_constant) uniform Push { vec4 color; vec4 map; float depth0; float depthStep; uint count; uint seed; } push;
layout(location = 0) out vec4 result;
void main() {
  uvec2 p = uvec2(gl_FragCoord.xy);
  uint n = ((p.x * 1664525u) ^ (p.y * 22695477u) ^ push.seed);
  n = (n >> 11) % push.count;
  uint x = push.seed;
  for (uint i = 0u; i < n; ++i) {
    x = x * 747796405u + 2891336453u;
    if ((x & 0x100u) != 0u) x ^= x >> 7; else x += p.x;
  }
  result = unpackUnorm4x8(x);
}
