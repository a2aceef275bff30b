#version 450
layout(constant_id = 0) const int operation = 0;
layout(location = 0) in vec4 smooths[4];
layout(location = 4) flat in uvec4 flats[2];
layout(location = 6) noperspective in vec4 lines[2];
layout(location = 0) out vec4 result;
void main() {
  switch (operation) {
    case 0: result = smooths[0] + smooths[1] * smooths[2] - smooths[3]; break;
    case 1: result = vec4(flats[0] + flats[1]) / 16.0; break;
    case 2: result = lines[0] + lines[1]; break;
    case 3: result = interpolateAtOffset(smooths[0], vec2(0.25)); break;
    case 4: result = interpolateAtCentroid(smooths[0]); break;
    default: result = smooths[0] + vec4(flats[0]) / 16.0 + lines[0]; break;
  }
}
