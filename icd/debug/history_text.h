// Histories as JSON: what pixels hold, and what happened to the samples of a fragment.
#pragma once

#include "icd/debug/history.h"

namespace etzel::icd {

/// A number as JSON; infinities and NaN are strings.
std::string numberText(double value);
std::string numberText(float value);

/// The samples of a pixel: an array of arrays of components.
std::string contentsText(const raster::PixelContents& contents, VkFormat format);
/// {"image","attachment","format","before","after","fragmentsBefore",...}
std::string imageText(const TouchedImage& image);

/// Adds what a fragment went through to `to`: coverage, tests, the shader's results, what took samples away.
void describeFragment(const raster::FragmentVisit& visit, JsonObject& to);
/// Members of how a draw writes an attachment (TouchedImage::details): blending, write mask, logic operation.
std::string writeText(const raster::FragmentVisit& visit, uint32_t attachment);

}  // namespace etzel::icd
