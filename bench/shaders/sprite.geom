#version 450
// A point becomes a quad.
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 inColor[];
layout(location = 0) out vec4 outColor;
layout(location = 1) out vec2 outUv;
void main() {
  for (int i = 0; i < 4; ++i) {
    vec2 corner = vec2(i & 1, i >> 1);
    gl_Position = gl_in[0].gl_Position + vec4((corner - 0.5) * vec2(0.0042, 0.0074), 0.0, 0.0);
    outColor = inColor[0];
    outUv = corner;
    EmitVertex();
  }
  EndPrimitive();
}
