#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 2) buffer Output { uint values[]; } result;
void main() {
  while (result.values[0] != 0xFFFFFFFFu) result.values[1] += 1u;
}
