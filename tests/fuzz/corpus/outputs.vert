#version 450
// Built-ins, clip distances, matrices as inputs.
layout(location = 0) in mat4 turn;
layout(location = 4) in ivec4 number;
layout(location = 0) out vec4 vary[6];
layout(std430, binding = 0) readonly buffer Places { vec4 place[]; };
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
void main() {
  vec4 p = place[gl_VertexIndex + number.x % 3];
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1) * 2.0 - 1.0;
  gl_Position = vec4(corner + 0.01 * (turn * p).xy, 0.5, 1.0 + 0.25 * float(gl_InstanceIndex));
  gl_PointSize = 3.0;
  gl_ClipDistance[0] = corner.x + 0.75;
  gl_ClipDistance[1] = 1.0 - corner.y * 0.5;
  gl_CullDistance[0] = 0.5;
  for (int i = 0; i < 6; ++i) vary[i] = p * float(i) + turn[i & 3];
}
