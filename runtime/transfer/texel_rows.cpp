#include "runtime/transfer/texel_rows.h"

namespace etzel::transfer {

TexelRows::TexelRows(const Image& image, const mem::PlaneLayout& plane, uint32_t mip)
    : image_(image),
      plane_(plane),
      mip_(plane.mip[mip]),
      mipLevel_(mip),
      info_(*format::find(plane.format)),
      decode_(format::decoder(plane.format)) {}

const format::Texel* TexelRows::row(uint32_t layer, uint32_t sample, uint32_t y, uint32_t z) {
  const uint64_t key = (uint64_t{layer} << 48) | (uint64_t{sample} << 40) | (uint64_t{z} << 20) | y;
  // The row that was asked for longest ago makes room, so that the rows of one filter footprint stay together.
  Slot* oldest = &slot_[0];
  for (Slot& slot : slot_) {
    if (slot.key == key) {
      slot.used = ++clock_;
      return slot.texels.data();
    }
    if (slot.used < oldest->used) oldest = &slot;
  }
  Slot& slot = *oldest;
  slot.key = key;
  slot.used = ++clock_;
  slot.texels.resize(alignUp(mip_.width, plane_.blockWidth));
  decode(layer, sample, y, z, slot.texels.data());
  return slot.texels.data();
}

void TexelRows::decode(uint32_t layer, uint32_t sample, uint32_t y, uint32_t z, format::Texel* out) const {
  const std::byte* source =
      image_.memory + image_.layout->texelOffset(plane_, mipLevel_, layer, sample, 0, y / plane_.blockHeight, z);
  if (decode_) {
    decode_(source, out, mip_.width);
    return;
  }
  format::Texel block[12 * 12];
  const uint32_t line = y % plane_.blockHeight * plane_.blockWidth;
  for (uint32_t x = 0; x < mip_.width; x += plane_.blockWidth, source += plane_.blockBytes) {
    format::decodeBlock(info_, source, block);
    std::copy_n(block + line, plane_.blockWidth, out + x);
  }
}

}  // namespace etzel::transfer
