// The fragment shaders of the model test, as one function of what an invocation sees. The reference calls it for each
// fragment, the device's kernel for each lane: only what happens around it is compared.
#pragma once

#include "raster/model/operation.h"

namespace etzel::raster::model {

struct Invocation {
  uint32_t x = 0, y = 0;
  uint32_t sample = 0;   ///< SampleId; 0 unless ShaderTraits::sampleRate
  uint32_t maskIn = 0;   ///< SampleMaskIn; 0 unless ShaderTraits::readsMask
  uint32_t seed = 0;     ///< of the triangle
  uint32_t fetched = 0;  ///< first word of the texel at fetchPlace(); 0 without ShaderTraits::fetches
};

struct Outputs {
  format::Texel color[2];
  format::Texel second;
  bool killed = false;
  uint32_t sampleMask = ~0u, stencilRef = 0;
  float depth = 0;
};

/// One texel: of ShaderTraits::fetches, or in kStorage.
struct Place {
  uint32_t x, y, layer, sample;
};

/// `color`: formats of the attachments, null where there is none.
Outputs shade(const ShaderTraits& traits, const format::FormatInfo* const color[2], const Invocation& in);
/// Depends on the pixel, the seed and the sample only.
Place fetchPlace(const World& world, const ShaderTraits& traits, const Invocation& in);
/// Different for different pixels, in another tile than the pixel's own; the same layer for all pixels of a triangle.
Place storePlace(const World& world, const Invocation& in);
uint32_t storeValue(const Invocation& in);
/// The aspect that ShaderTraits::fetches reads: depth of images that have it.
inline VkImageAspectFlags fetchedAspect(const World& world, ImageId id) {
  const VkImageAspectFlags aspects = world.aspectsOf(id);
  return aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT} : aspects;
}

}  // namespace etzel::raster::model
