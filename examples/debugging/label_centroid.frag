#version 450
layout(location = 0) centroid in vec2 place;
layout(location = 0) out vec4 color;
vec3 atlas(vec2 at) {
  bool beside = at.x > 1.0;
  return beside ? vec3(1.0, 0.0, 0.0) : vec3(0.1, 0.5, 0.2);
}
void main() {
  vec3 texel = atlas(place);
  color = vec4(texel, 1.0);
}
