#version 450
// result[i] = 5, and then 9 where the word 4 GiB further on lies in the buffer, or where places have 32 bits.
layout(local_size_x = 64) in;
layout(set = 0, binding = 2) buffer Output { uint values[]; } result;
void main() {
  result.values[gl_LocalInvocationIndex] = 5u;
  result.values[gl_LocalInvocationIndex + 0x40000000u] = 9u;
}
