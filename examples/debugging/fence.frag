#version 450
// A fence that one can see through.
layout(early_fragment_tests) in;
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;
void main() {
  vec2 board = fract(place * 8.0);
  if (board.x > 0.5) discard;
  color = vec4(0.5, 0.3, 0.1, 1.0);
}
