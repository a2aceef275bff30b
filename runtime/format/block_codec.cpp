#include "runtime/format/block_codec.h"

#include "runtime/format/convert.h"

namespace etzel::format {
namespace {

/// 8-bit codes to what a shader sees. Alpha is never sRGB-encoded.
void toTexels(const Rgba8* source, size_t count, bool srgb, Texel* texels) {
  for (size_t i = 0; i < count; ++i) {
    for (int c = 0; c < 4; ++c) {
      const uint8_t code = source[i].c[c];
      texels[i].word[c] = floatToBits(srgb && c < 3 ? kSrgbToLinear[code] : static_cast<float>(code) / 255.0f);
    }
  }
}

}  // namespace

bool decodeCodes(const FormatInfo& info, const std::byte* block, Rgba8 texels[16]) {
  switch (info.compression) {
    case Compression::Bc: return decodeBcCodes(info, block, texels);
    case Compression::Etc2: return decodeEtcCodes(info, block, texels);
    default: return false;
  }
}

void decodeBlock(const FormatInfo& info, const std::byte* block, Texel* texels) {
  Rgba8 codes[16];
  if (decodeCodes(info, block, codes)) return toTexels(codes, 16, info.numeric == Numeric::Srgb, texels);
  switch (info.compression) {
    case Compression::Bc: return decodeBc(info, block, texels);
    case Compression::Etc2: return decodeEtc(info, block, texels);
    case Compression::Astc: return decodeAstc(info, block, texels);
    case Compression::None: break;
  }
}

}  // namespace etzel::format
