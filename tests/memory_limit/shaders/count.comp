#version 450
// What every device must still be able to do.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Output { uint values[]; } result;
void main() { result.values[gl_GlobalInvocationID.x] = 3 * gl_GlobalInvocationID.x + 1; }
