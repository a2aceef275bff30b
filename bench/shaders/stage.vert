#version 450
// What a vertex does besides being placed: pipelines say what. The mesh lies beside the target by `offset`.
layout(constant_id = 0) const int operation = 0;
layout(push_constant) uniform Push { vec4 offset; vec4 tint; } push;
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
layout(set = 0, binding = 0) readonly buffer Places { vec4 places[]; };
layout(set = 0, binding = 1) uniform Bones { mat4 bones[64]; };
layout(set = 0, binding = 2) uniform sampler2D heights;
layout(location = 0) out vec4 outColor;
void main() {
  vec4 p = vec4(position, 1.0) + vec4(push.offset.xyz, 0.0);
  vec4 c = color * push.tint;
  switch (operation) {
    case 0: p = bones[0] * p; break;
    case 1: p = bones[gl_VertexIndex & 63] * p; break;
    case 2: p += places[gl_VertexIndex & 4095] * 0.01; break;
    case 3: p.z += textureLod(heights, position.xy * 0.5 + 0.5, 0.0).r * 0.1; break;
    case 4: p.z += texelFetch(heights, ivec2(gl_VertexIndex & 255, gl_VertexIndex >> 8 & 255), 0).r * 0.1; break;
    case 5: c.rgb *= max(dot(normalize(position), normalize(vec3(1.0, 2.0, 3.0))), 0.2); break;
    case 6: p.y += 0.01 * sin(position.x * 40.0); break;
    case 7: p = vec4(float(gl_VertexIndex % 300) / 150.0 - 1.0, float(gl_VertexIndex / 300) / 150.0 - 1.0, 0.5, 1.0) + vec4(push.offset.xyz, 0.0); break;
    default: break;
  }
  gl_Position = p;
  outColor = c;
}
