#include "runtime/format/decoded.h"

#include <cstring>

#include "runtime/format/block_codec.h"

namespace etzel::format {
namespace {

/// Blocks of 4x4 texels that decodeCodes() knows.
bool hasCodes(const FormatInfo& f) {
  if (f.compression == Compression::Etc2) return f.components() >= 3 && f.numeric != Numeric::Snorm;
  return f.compression == Compression::Bc && f.components() >= 3 &&
         (f.numeric == Numeric::Unorm || f.numeric == Numeric::Srgb);
}

VkFormat decodedVkFormat(const FormatInfo& f) {
  if (f.compression == Compression::None) return VK_FORMAT_UNDEFINED;
  if (f.numeric == Numeric::Srgb) return VK_FORMAT_R8G8B8A8_SRGB;
  if (hasCodes(f)) return VK_FORMAT_R8G8B8A8_UNORM;
  if (f.components() >= 3) return VK_FORMAT_R16G16B16A16_SFLOAT;  // BC6H and ASTC, whose numbers are halves
  const bool ramps = f.compression == Compression::Bc && f.numeric == Numeric::Unorm;
  if (f.components() == 1) return ramps ? VK_FORMAT_R16_UNORM : VK_FORMAT_R32_SFLOAT;
  return ramps ? VK_FORMAT_R16G16_UNORM : VK_FORMAT_R32G32_SFLOAT;
}

FormatInfo withoutAlpha(VkFormat format) {
  FormatInfo f = *find(format);
  f.channel[3] = {};
  return f;
}

}  // namespace

const FormatInfo* decodedFormat(const FormatInfo& blocks) {
  static const FormatInfo opaque[] = {withoutAlpha(VK_FORMAT_R8G8B8A8_UNORM), withoutAlpha(VK_FORMAT_R8G8B8A8_SRGB),
                                      withoutAlpha(VK_FORMAT_R16G16B16A16_SFLOAT)};
  const VkFormat format = decodedVkFormat(blocks);
  if (blocks.channel[3].bits == 0)
    for (const FormatInfo& f : opaque)
      if (f.format == format) return &f;
  return find(format);
}

bool decodeAlike(const FormatInfo& a, const FormatInfo& b) {
  if (a.format == b.format) return true;
  return hasCodes(a) && hasCodes(b) && a.compression == b.compression && a.blockBytes == b.blockBytes &&
         a.components() == b.components() && (a.format + 1 == b.format || b.format + 1 == a.format);
}

void decodeTexels(const FormatInfo& blocks, const std::byte* block, uint32_t width, uint32_t height, std::byte* texels,
                  size_t rowPitch) {
  Rgba8 codes[16];
  if (decodeCodes(blocks, block, codes)) {
    for (uint32_t y = 0; y < height; ++y) std::memcpy(texels + y * rowPitch, codes + 4 * y, width * sizeof(Rgba8));
    return;
  }
  Texel all[6 * 6 * 6];
  decodeBlock(blocks, block, all);
  const EncodeFn encode = encoder(decodedVkFormat(blocks));
  for (uint32_t y = 0; y < height; ++y) encode(all + size_t{y} * blocks.blockWidth, texels + y * rowPitch, width);
}

}  // namespace etzel::format
