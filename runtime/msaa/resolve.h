// Averages of the samples of pixels ("Resolving Multisample Images"), shared by subpass resolves and vkCmdResolveImage.
// Sums have a fixed form, so that compressed and plain surfaces give the same bytes. Any thread.
#pragma once

#include "runtime/format/format.h"
#include "runtime/msaa/fragment_surface.h"

namespace etzel::msaa {

/// True for formats whose components are all unsigned normalized bytes: their average is one of integers.
bool isBytesUnorm(const format::FormatInfo& info);

/// Averages pixels [x, x + width) x [y, y + height) of such a format: (sum + samples / 2) / samples, rounded down, per
/// byte. Rows of `out` lie `outPitch` bytes apart. Quickest for areas that begin and end between tiles.
void averageBytes(const FragmentSurface& s, uint32_t x, uint32_t y, uint32_t width, uint32_t height, std::byte* out,
                  size_t outPitch);

/// Averages pixels [x, x + count) of row y as floats: neighbours are added pairwise, then the pairs' sums, and so on.
/// Where all samples are equal that is the sample itself (unless the sum overflows), which is why it is this sum.
void averageFloats(const FragmentSurface& s, format::DecodeFn decode, uint32_t x, uint32_t y, uint32_t count,
                   format::Texel* out);

}  // namespace etzel::msaa
