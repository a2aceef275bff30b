#include "runtime/tex/single/lod.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace etzel::tex {

using abi::kLog2Curve;

float log2Exact(float f) {
  const uint32_t w = std::bit_cast<uint32_t>(f);
  if (!(f > 0)) return -127.0f;
  int32_t exponent = static_cast<int32_t>(w >> 23) - 127;
  float m = std::bit_cast<float>((w & 0x7FFFFFu) | 0x3F800000u);  // [1, 2)
  if (exponent == 128) return 128.0f;
  if (m > abi::kLog2Fold) m *= 0.5f, ++exponent;
  // In pairs, so that the chain is short.
  const float t = m - 1, t2 = t * t;
  const float p01 = kLog2Curve[0] + t * kLog2Curve[1], p23 = kLog2Curve[2] + t * kLog2Curve[3];
  const float p45 = kLog2Curve[4] + t * kLog2Curve[5];
  const float p = (p01 + t2 * p23) + (t2 * t2) * (p45 + t2 * kLog2Curve[6]);
  return static_cast<float>(exponent) + t * p;
}

float footprintLod(const ImageView& view, const Sampler& sampler, const Footprint& f, uint32_t dims, Lod* lod) {
  float xx = 0, yy = 0;
  for (uint32_t i = 0; i < dims; ++i) xx += f.dx[i] * f.dx[i], yy += f.dy[i] * f.dy[i];
  if (!(xx >= 0)) xx = 0;  // NaN coordinates
  if (!(yy >= 0)) yy = 0;
  const float major = std::max(xx, yy), minor = std::min(xx, yy);
  // Within a texel there is nothing to average.
  const bool uneven = major > minor && major > 1 && major < 1e30f;
  if (sampler.anisotropic && sampler.maxAnisotropy > 1 && dims == 2 && uneven && !view.info->isInteger()) {
    const float rhoMax = std::sqrt(major), rhoMin = std::sqrt(minor);
    const float ratio = rhoMin > 0 ? std::min(rhoMax / rhoMin, sampler.maxAnisotropy) : sampler.maxAnisotropy;
    const float probes = std::ceil(ratio);
    lod->probes = static_cast<uint32_t>(std::clamp(probes, 1.0f, 16.0f));
    for (uint32_t i = 0; i < dims; ++i) lod->axis[i] = xx > yy ? f.dx[i] : f.dy[i];
    return log2Exact(rhoMax / ratio);
  }
  return 0.5f * log2Exact(major);
}

void selectLevels(const ImageView& view, const Sampler& sampler, float base, float bias, float shaderMinLod, Lod* lod) {
  const float limited = std::clamp(sampler.mipLodBias + bias, -kMaxLodBias, kMaxLodBias);
  lod->lambdaPrime = base + limited;
  const float least = std::max(std::max(sampler.minLod, shaderMinLod), view.minLod - static_cast<float>(view.baseMip));
  lod->lambda = std::max(std::min(lod->lambdaPrime, sampler.maxLod), least);
  if (!(lod->lambda == lod->lambda)) lod->lambda = 0;
  lod->magnify = lod->lambda <= 0;

  const float last = static_cast<float>(view.mipCount - 1);
  const float d = std::clamp(lod->lambda, 0.0f, last);
  if (sampler.mipmapMode == VK_SAMPLER_MIPMAP_MODE_NEAREST || view.mipCount == 1) {
    // "Image Level(s) Selection": nearest(d') = ceil(d' + 0.5) - 1 is preferred.
    lod->level[0] = lod->level[1] = static_cast<uint32_t>(std::clamp(std::ceil(d + 0.5f) - 1.0f, 0.0f, last));
    lod->weight = 0;
  } else {
    const auto fixed = static_cast<uint32_t>(std::floor(d * kLodSteps + 0.5f));
    lod->level[0] = fixed / kLodSteps;
    lod->weight = static_cast<float>(fixed % kLodSteps) / kLodSteps;
    lod->level[1] = lod->weight > 0 ? lod->level[0] + 1 : lod->level[0];
  }
}

}  // namespace etzel::tex
