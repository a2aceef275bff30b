// The reference's images: an array with a texel for every sample, and nothing else.
#pragma once

#include <cstring>

#include "raster/model/operation.h"

namespace etzel::raster::model {

/// One aspect of an image.
struct PlainPlane {
  VkFormat format = VK_FORMAT_UNDEFINED;  ///< of the plane alone
  const format::FormatInfo* info = nullptr;
  format::DecodeFn decode = nullptr;
  format::EncodeFn encode = nullptr;
  uint32_t bytes = 0, width = 0, height = 0, samples = 1;
  uint32_t meaning = ~0u;  ///< texels of four bytes: the bits that mean something
  std::vector<std::byte> texels;

  PlainPlane() = default;
  PlainPlane(VkFormat f, uint32_t w, uint32_t h, uint32_t s)
      : format(f),
        info(format::find(f)),
        decode(format::decoder(f)),
        encode(format::encoder(f)),
        bytes(info->blockBytes),
        width(w),
        height(h),
        samples(s) {
    if (info->isStencil()) bytes = 1;
    if (f == VK_FORMAT_X8_D24_UNORM_PACK32) meaning = 0xFFFFFF;
    texels.resize(size_t{kLayers} * s * h * w * bytes);
  }
  explicit operator bool() const { return info != nullptr; }

  std::byte* at(uint32_t x, uint32_t y, uint32_t layer, uint32_t sample) {
    return texels.data() + (((size_t{layer} * samples + sample) * height + y) * width + x) * bytes;
  }
  uint32_t word(uint32_t x, uint32_t y, uint32_t layer, uint32_t sample) {
    uint32_t w = 0;
    std::memcpy(&w, at(x, y, layer, sample), std::min(bytes, 4u));
    return w & meaning;
  }
  format::Texel texel(uint32_t x, uint32_t y, uint32_t layer, uint32_t sample) {
    format::Texel t{};
    decode(at(x, y, layer, sample), &t, 1);
    return t;
  }
  /// Gives all samples of a rectangle one texel.
  void fill(const Rect& r, uint32_t layer, const std::byte* texel) {
    for (uint32_t s = 0; s < samples; ++s)
      for (uint32_t y = r.y0; y < r.y1; ++y)
        for (uint32_t x = r.x0; x < r.x1; ++x) std::memcpy(at(x, y, layer, s), texel, bytes);
  }
};

}  // namespace etzel::raster::model
