// Texels that do not lie in an image as they are read: also for eight lanes at a time (lanes/). Internal to tex/.
#pragma once

#include "runtime/tex/view.h"

namespace etzel::tex {

/// The border colour as a texel of the view's format, before the component mapping ("Texel Replacement").
format::Texel borderTexel(const ImageView& view, const Sampler& sampler);

/// The largest block's texels, of eight bytes each.
struct BlockTexels {
  std::byte texel[6 * 6 * 6 * 8];
};
/// The texels of a block, of format::decodedFormat(), row by row, out of a cache of this thread, or in `spare` where
/// there is no memory for one; valid until the next call.
const std::byte* decodedBlock(const format::FormatInfo& info, const std::byte* block, BlockTexels& spare);

}  // namespace etzel::tex
