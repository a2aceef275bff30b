// What compressed blocks are decoded to when somebody keeps their texels: a format that holds exactly what
// decodeBlock() gives, so that whoever samples such texels instead of the blocks sees the same bits.
#pragma once

#include "runtime/format/format.h"

namespace etzel::format {

/// Formats without alpha have such ones here, too, of which every texel is opaque: they are none of find()'s.
/// Texels have 2, 4 or 8 bytes. \returns null: the format is not compressed
const FormatInfo* decodedFormat(const FormatInfo& blocks);

/// Whether blocks of both formats are decoded to the same bytes: they are one format, but for what sRGB codes mean.
bool decodeAlike(const FormatInfo& a, const FormatInfo& b);

/// Decodes the texels of a block that are in its first `width` columns and `height` rows; rows of a slice follow those
/// of the slice before. \pre decodedFormat(blocks)
/// \param rowPitch bytes from a row of `texels` to the next
void decodeTexels(const FormatInfo& blocks, const std::byte* block, uint32_t width, uint32_t height, std::byte* texels,
                  size_t rowPitch);

}  // namespace etzel::format
