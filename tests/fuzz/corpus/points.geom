#version 450
layout(points) in;
layout(points, max_vertices = 4) out;
layout(location = 0) in vec4 before[][8];
layout(location = 0) out vec4 after[2];
void main() {
  for (int i = 0; i < 4; ++i) {
    if (before[0][i].x < -1e30) continue;
    gl_Position = gl_in[0].gl_Position * vec4(0.2, 0.2, 1, 1) + vec4(0.3 * vec2(i & 1, i >> 1), 0, 0);
    gl_PointSize = 1.0 + float(i);
    after[0] = before[0][i];
    after[1] = vec4(gl_PrimitiveIDIn);
    EmitVertex();
  }
}
