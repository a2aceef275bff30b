// Fragment sizes ("Fragment Shading Rates"): how they are encoded, which there are, and how those of a pipeline, a
// primitive and an attachment become one. Pure functions, any thread.
#pragma once

#include <vulkan/vulkan.h>

#include <bit>

#include "runtime/base/types.h"

namespace etzel::raster {

/// The size of fragments as attachments and shaders encode it: the logarithm of their height in bits 0 and 1, that of
/// their width in bits 2 and 3. 0: a pixel.
using ShadingRate = uint8_t;
inline constexpr uint32_t kShadingRates = 16;

constexpr uint32_t logWidthOf(ShadingRate rate) { return rate >> 2 & 3; }
constexpr uint32_t logHeightOf(ShadingRate rate) { return rate & 3; }
constexpr ShadingRate makeRate(uint32_t logWidth, uint32_t logHeight) {
  return static_cast<ShadingRate>(logWidth << 2 | logHeight);
}

inline constexpr uint32_t kMaxLogFragmentSize = 2;   ///< of the greatest width and height: 4 pixels
inline constexpr uint32_t kMaxLogFragmentRatio = 1;  ///< between width and height
inline constexpr uint32_t kMaxFragmentSamples = 32;  ///< of one fragment: SampleMask is one word
/// Of the pixels that a texel of an attachment stands for, both ways: no block of 8x8 pixels has two rates.
inline constexpr uint32_t kMinLogShadingRateTexel = 3, kMaxLogShadingRateTexel = 4;

/// Whether there are such fragments with so many samples a pixel.
constexpr bool isRate(uint32_t logWidth, uint32_t logHeight, uint32_t samples) {
  const uint32_t ratio = logWidth < logHeight ? logHeight - logWidth : logWidth - logHeight;
  return logWidth <= kMaxLogFragmentSize && logHeight <= kMaxLogFragmentSize && ratio <= kMaxLogFragmentRatio &&
         samples << (logWidth + logHeight) <= kMaxFragmentSamples;
}

/// The rate that stands for one of any size: of those that are no wider and no higher the one with the greatest area;
/// of two with the same the wider.
constexpr ShadingRate nearestRate(uint32_t logWidth, uint32_t logHeight, uint32_t samples) {
  uint32_t bestWidth = 0, bestHeight = 0;
  for (uint32_t w = 0; w <= kMaxLogFragmentSize && w <= logWidth; ++w)
    for (uint32_t h = 0; h <= kMaxLogFragmentSize && h <= logHeight; ++h)
      if (isRate(w, h, samples) && w + h >= bestWidth + bestHeight) bestWidth = w, bestHeight = h;
  return makeRate(bestWidth, bestHeight);
}

struct NearestRates {
  ShadingRate of[5][kShadingRates];  ///< by the logarithm of the samples a pixel
  constexpr NearestRates() : of() {
    for (uint32_t log = 0; log < 5; ++log)
      for (uint32_t rate = 0; rate < kShadingRates; ++rate) of[log][rate] = nearestRate(rate >> 2, rate & 3, 1u << log);
  }
};
inline constexpr NearestRates kNearestRates;

/// nearestRate() of the size 2^logWidth x 2^logHeight. \param samples 1, 2, 4, 8 or 16
constexpr ShadingRate clampRate(uint32_t logWidth, uint32_t logHeight, uint32_t samples) {
  const uint32_t width = logWidth < 3 ? logWidth : 3, height = logHeight < 3 ? logHeight : 3;
  return kNearestRates.of[std::countr_zero(samples)][makeRate(width, height)];
}

/// "Combining the Fragment Shading Rates": one of the two operations, its inputs and its result clamped.
constexpr ShadingRate combineRates(ShadingRate a, ShadingRate b, VkFragmentShadingRateCombinerOpKHR op,
                                   uint32_t samples) {
  a = clampRate(logWidthOf(a), logHeightOf(a), samples), b = clampRate(logWidthOf(b), logHeightOf(b), samples);
  const auto combine = [op](uint32_t x, uint32_t y) {
    switch (op) {
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR: return y;
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR: return x < y ? x : y;
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR: return x > y ? x : y;
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR: return x + y;  // of logarithms
      default: return x;
    }
  };
  return clampRate(combine(logWidthOf(a), logWidthOf(b)), combine(logHeightOf(a), logHeightOf(b)), samples);
}

}  // namespace etzel::raster
