// What multisampling cases share: sample positions, reading samples back, a render pass of two subpasses.
#pragma once

#include <array>

#include "cts-subset/support/draw.h"

namespace etzel::cts {

/// Ends the case unless colour attachments (of floats and fixed-point numbers, or of integers) have `n` samples.
void requireSamples(Gpu& gpu, uint32_t n, bool integer = false);

/// The table "Standard sample locations", in sixteenths of a pixel.
std::vector<std::array<int, 2>> standardLocations(uint32_t n);

/// Every sample of an image of floats, through texelFetch: [sample][pixel], four channels each.
std::vector<float> samplesOf(Gpu& gpu, const Image& image);

/// An image of 32-bit floats to draw to and to sample, cleared to 0; the case ends where it cannot have `samples`.
Image floatTarget(Gpu& gpu, uint32_t samples, uint32_t width, uint32_t height);

/// A render pass that clears `image` to 0, draws `writer` into it once for each of `pushes` in its first subpass, and
/// draws `reader` without attachments but with the image as input attachment in the second.
void twoSubpasses(Gpu& gpu, const Image& image, const DrawState& writer,
                  const std::vector<std::vector<uint8_t>>& pushes, const DrawState& reader);

}  // namespace etzel::cts
