#version 450
// words[i] = words[i] * factor + i + term: two of them do not commute, so their order shows.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Words { uint words[]; };
layout(push_constant) uniform Push { uint factor; uint term; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < words.length()) words[i] = words[i] * factor + i + term;
}
