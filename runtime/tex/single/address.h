// From coordinates to texels: wrapping ("Wrapping Operation"), cube faces ("Cube Map Face Selection"), and seamless
// cube edges ("Cube Map Edge Handling"). Internal to tex/.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>

namespace etzel::tex {

/// Largest integer not above f; numbers that have no place in an image (huge, NaN) give an arbitrary small index.
inline int32_t floorToInt(float f) {
  if (!(f > -1073741824.0f && f < 1073741824.0f)) return f > 0 ? 1073741824 : -1073741824;
  const int32_t i = static_cast<int32_t>(f);
  return i - (static_cast<float>(i) > f);
}

/// A texel's index plus an offset, modulo 2^32: shaders may give offsets beyond all limits.
inline int32_t moved(int32_t i, int32_t offset) {
  return static_cast<int32_t>(static_cast<uint32_t>(i) + static_cast<uint32_t>(offset));
}

/// Texel index in [0, size), or -1 for the border.
inline int32_t wrap(VkSamplerAddressMode mode, int32_t i, int32_t size) {
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT: {
      if (static_cast<uint32_t>(i) < static_cast<uint32_t>(size)) return i;
      const int32_t m = i % size;
      return m < 0 ? m + size : m;
    }
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT: {
      int32_t m = i % (2 * size);
      if (m < 0) m += 2 * size;
      return m < size ? m : 2 * size - 1 - m;
    }
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER:
      return static_cast<uint32_t>(i) < static_cast<uint32_t>(size) ? i : -1;
    case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE:
      if (i < 0) i = -1 - i;
      return i < size ? i : size - 1;
    default: return i < 0 ? 0 : i < size ? i : size - 1;
  }
}

struct CubeCoord {
  int32_t face;
  float s, t;        ///< in [0, 1]
  float sc, tc, ma;  ///< before the division; ma > 0
};
CubeCoord selectCubeFace(float x, float y, float z);

/// d(s, t) of the direction's derivative on the face that selectCubeFace chose ("Cube Map Derivative Transformation").
void cubeDerivative(const CubeCoord& c, const float dr[3], float* ds, float* dt);

/// Moves texel (i, j) of `face`, one step outside of it along exactly one axis, to the neighbouring face.
void crossCubeEdge(int32_t& face, int32_t& i, int32_t& j, int32_t size);

}  // namespace etzel::tex
