#version 450
// out[i] = in[i] + bias, far beyond the buffers' ends too.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Input { uint values[]; } source[2];
layout(set = 0, binding = 2) buffer Output { uint values[]; } result;
layout(push_constant) uniform Push { uint bias; uint stride; uint index; } push;
void main() {
  uint i = gl_GlobalInvocationID.x;
  result.values[i] = source[push.index].values[i * push.stride] + push.bias;
}
