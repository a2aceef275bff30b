#include "runtime/format/block_codec.h"

#include "runtime/format/convert.h"

namespace etzel::format {

void toTexels(const Rgba8* source, size_t count, bool srgb, Texel* texels) {
  for (size_t i = 0; i < count; ++i) {
    for (int c = 0; c < 4; ++c) {
      const uint8_t code = source[i].c[c];
      texels[i].word[c] = floatToBits(srgb && c < 3 ? kSrgbToLinear[code] : static_cast<float>(code) / 255.0f);
    }
  }
}

void decodeBlock(const FormatInfo& info, const std::byte* block, Texel* texels) {
  switch (info.compression) {
    case Compression::Bc: return decodeBc(info, block, texels);
    case Compression::Etc2: return decodeEtc(info, block, texels);
    case Compression::Astc: return decodeAstc(info, block, texels);
    case Compression::None: break;
  }
}

}  // namespace etzel::format
