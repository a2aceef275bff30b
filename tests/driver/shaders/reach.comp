#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Reads and writes at an address of the application's making.
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint value; };
layout(set = 0, binding = 2) buffer Output { uint values[]; } result;
layout(push_constant) uniform Push { uint low; uint high; uint add; } push;
void main() {
  Word word = Word(uvec2(push.low, push.high));
  result.values[0] = word.value;
  result.values[1] = atomicAdd(word.value, push.add);
  word.value += 1u;
}
