// Decoded rows of a subresource, for blits and resolves: rows are decoded once each while they are in use. Internal to
// transfer/; one object per thread.
#pragma once

#include <vector>

#include "runtime/transfer/region.h"

namespace etzel::transfer {

class TexelRows {
 public:
  TexelRows(const Image& image, const mem::PlaneLayout& plane, uint32_t mip);

  /// Texels [0, width) of a row; valid until seven other rows have been asked for.
  const format::Texel* row(uint32_t layer, uint32_t sample, uint32_t y, uint32_t z);
  uint32_t width() const { return mip_.width; }

 private:
  struct Slot {
    uint64_t key = ~uint64_t{0};
    uint64_t used = 0;  ///< when it was last asked for
    std::vector<format::Texel> texels;
  };
  void decode(uint32_t layer, uint32_t sample, uint32_t y, uint32_t z, format::Texel* out) const;

  const Image image_;
  const mem::PlaneLayout& plane_;
  const mem::MipLayout& mip_;
  uint32_t mipLevel_;
  const format::FormatInfo& info_;
  format::DecodeFn decode_;
  static constexpr uint32_t kSlots = 8;
  Slot slot_[kSlots];
  uint64_t clock_ = 0;
};

}  // namespace etzel::transfer
