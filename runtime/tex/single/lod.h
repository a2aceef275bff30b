// Level of detail: "LOD Operation", "Image Level(s) Selection", and the footprint of anisotropic filtering. Internal
// to tex/.
#pragma once

#include "runtime/abi/level_of_detail.h"
#include "runtime/tex/view.h"

namespace etzel::tex {

/// log2 that is the same on every machine; exact for powers of two, error below 2^-20. 0 gives -127.
float log2Exact(float f);

inline constexpr float kMaxLodBias = 16.0f;  ///< VkPhysicalDeviceLimits::maxSamplerLodBias
using abi::kLodSteps;

/// Derivatives of the unnormalized texel coordinates of the base level, per pixel.
struct Footprint {
  float dx[3] = {}, dy[3] = {};
};

struct Lod {
  float lambdaPrime = 0;  ///< before clamping
  float lambda = 0;
  bool magnify = false;
  uint32_t level[2] = {};  ///< [1] == [0] when one level is enough
  float weight = 0;        ///< of level[1]
  uint32_t probes = 1;     ///< anisotropic samples along the major axis
  float axis[3] = {};      ///< the major axis: texels of the base level between the footprint's ends
};

/// Base LOD of a footprint, and its anisotropic probes when the sampler asks for them; integers have no average, and
/// therefore none. \returns lambda_base; sets probes and axis
float footprintLod(const ImageView& view, const Sampler& sampler, const Footprint& footprint, uint32_t dims, Lod* lod);

/// Adds biases to `base`, clamps, selects levels. `shaderMinLod` is the MinLod operand, 0 without.
void selectLevels(const ImageView& view, const Sampler& sampler, float base, float bias, float shaderMinLod, Lod* lod);

}  // namespace etzel::tex
