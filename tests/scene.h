// What scenes of tests have in common: 16x16 pixels, of which tests look at (5, 5).
#pragma once

#include <cstdint>
#include <vector>

namespace etzel::tests {

constexpr uint32_t kSize = 16;

/// A vertex shader: one triangle that covers everything left of x = 5.5 pixels, at depth 0.25.
inline constexpr const char* kLeftOfLine = R"(#version 450
void main() {
  float right = 5.5 / 8.0 - 1.0;
  vec2 corner = gl_VertexIndex == 0 ? vec2(right, -8) : gl_VertexIndex == 1 ? vec2(right, 8) : vec2(right - 16, 0);
  gl_Position = vec4(corner, 0.25, 1);
})";

/// FNV-1a, by which tests tell pictures apart.
inline uint32_t hashOf(const std::vector<uint8_t>& picture) {
  uint32_t hash = 2166136261u;
  for (const uint8_t byte : picture) hash = (hash ^ byte) * 16777619u;
  return hash;
}

}  // namespace etzel::tests
