// Weights of cubic filters ("Cubic Texel Filtering": Catmull-Rom).
#pragma once

namespace etzel::tex {

/// Weights of the texels before, at, behind and two behind a coordinate that lies `a` texels behind the second's
/// centre. They add up to one; the outer ones are not positive.
inline void cubicWeights(float a, float weight[4]) {
  const float a2 = a * a, a3 = a2 * a;
  weight[0] = -0.5f * a + a2 - 0.5f * a3;
  weight[1] = 1.0f - 2.5f * a2 + 1.5f * a3;
  weight[2] = 0.5f * a + 2.0f * a2 - 1.5f * a3;
  weight[3] = -0.5f * a2 + 0.5f * a3;
}

}  // namespace etzel::tex
