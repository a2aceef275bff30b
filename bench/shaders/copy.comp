#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { vec4 source[]; };
layout(set = 0, binding = 1) buffer Unused { uint unused[]; };
layout(set = 0, binding = 2) writeonly buffer Out { vec4 target[]; };
void main() { target[gl_GlobalInvocationID.x] = source[gl_GlobalInvocationID.x]; }
