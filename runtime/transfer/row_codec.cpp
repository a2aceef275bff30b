#include "runtime/transfer/row_codec.h"

#include <algorithm>
#include <cstring>

#include "runtime/transfer/wide_texels.h"

namespace etzel::transfer {
namespace {

using format::FormatInfo;
using format::Numeric;
using format::Texel;
using format::TexelLayout;

constexpr size_t kPiece = 64;  ///< texels that are numbers at a time

float* floats(Texel* texels) { return reinterpret_cast<float*>(texels); }
const float* floats(const Texel* texels) { return reinterpret_cast<const float*>(texels); }

bool hasByteChannels(const FormatInfo& info) {
  if (!info.isColor() || info.compression != format::Compression::None || info.isYcbcr()) return false;
  for (const format::Channel& c : info.channel)
    if (c.bits && (c.bits != 8 || c.shift % 8)) return false;
  return true;
}

/// Integer blits keep values that both sides can hold; a sign change between Uint and Sint saturates at zero or the
/// greatest positive number.
void convertSign(Numeric from, Numeric to, Texel* texels, size_t count) {
  if (from == to || (from != Numeric::Uint && from != Numeric::Sint)) return;
  for (size_t i = 0; i < count; ++i)
    for (uint32_t& w : texels[i].word)
      if (w >> 31) w = from == Numeric::Sint ? 0 : 0x7FFFFFFFu;
}

template <class Unit, size_t units>
void gather(const std::byte* row, const uint32_t* columns, size_t count, std::byte* out) {
  struct Words {
    Unit word[units];
  };
  for (size_t i = 0; i < count; ++i)
    std::memcpy(out + i * sizeof(Words), row + columns[i] * sizeof(Words), sizeof(Words));
}

/// The layout of a format, if it is one that row_lanes.h knows; 32-bit integers are no numbers to mix.
TexelLayout knownLayout(const FormatInfo& info) {
  switch (info.layout) {
    case TexelLayout::Rgba16F:
    case TexelLayout::Rg11B10F: return info.layout;
    case TexelLayout::Rgba32: return info.numeric == Numeric::Float ? info.layout : TexelLayout::Other;
    default: return isBytes4(info.layout) ? info.layout : TexelLayout::Other;
  }
}
/// Whether texels differ in the order of their colours at most.
bool differInOrder(TexelLayout a, TexelLayout b) {
  return a == b || (isBytes4(a) && isBytes4(b) && isSrgb(a) == isSrgb(b));
}

}  // namespace

RowDecoder::RowDecoder(VkFormat format)
    : lanes_(rowLanes()),
      decode_(format::decoder(format)),
      layout_(knownLayout(*format::find(format))),
      texelBytes_(format::find(format)->blockBytes) {}

void RowDecoder::decode(const std::byte* texels, size_t count, Texel* out) const {
  const bool swap = isBlueFirst(layout_);
  switch (layout_) {
    case TexelLayout::Rgba8:
    case TexelLayout::Bgra8: return lanes_.decodeUnorm(texels, swap, count, floats(out));
    case TexelLayout::Rgba8Srgb:
    case TexelLayout::Bgra8Srgb: return lanes_.decodeSrgb(texels, swap, count, floats(out));
    case TexelLayout::Rgba16F: return lanes_.decodeHalf(texels, count, floats(out));
    case TexelLayout::Rg11B10F: return lanes_.decodeSmallFloats(texels, count, floats(out));
    case TexelLayout::Rgba32: std::memcpy(out, texels, count * sizeof(Texel)); return;
    default: return decode_(texels, out, count);
  }
}

RowEncoder::RowEncoder(VkFormat format)
    : lanes_(rowLanes()),
      encode_(format::encoder(format)),
      layout_(knownLayout(*format::find(format))),
      texelBytes_(format::find(format)->blockBytes) {}

void RowEncoder::encode(const Texel* texels, size_t count, std::byte* out) const {
  const bool swap = isBlueFirst(layout_);
  switch (layout_) {
    case TexelLayout::Rgba8:
    case TexelLayout::Bgra8: return lanes_.encodeUnorm(floats(texels), swap, count, out);
    case TexelLayout::Rgba8Srgb:
    case TexelLayout::Bgra8Srgb: return lanes_.encodeSrgb(floats(texels), swap, count, out);
    case TexelLayout::Rgba16F: return lanes_.encodeHalf(floats(texels), count, out);
    case TexelLayout::Rg11B10F: return lanes_.encodeSmallFloats(floats(texels), count, out);
    case TexelLayout::Rgba32: std::memcpy(out, texels, count * sizeof(Texel)); return;
    default: return encode_(texels, out, count);
  }
}

void RowEncoder::encodeMix(const Texel* a, const Texel* b, float weight, size_t count, Texel* scratch,
                           std::byte* out) const {
  if (weight == 0) return encode(a, count, out);
  if (layout_ == TexelLayout::Rgba8 || layout_ == TexelLayout::Bgra8)
    return lanes_.mixRowsToUnorm(floats(a), floats(b), weight, isBlueFirst(layout_), count, out);
  lanes_.mixRows(floats(a), floats(b), weight, count, floats(scratch));
  encode(scratch, count, out);
}

RowConverter::RowConverter(VkFormat from, VkFormat to, uint64_t texels)
    : decoder_(from), encoder_(to), from_(*format::find(from)), to_(*format::find(to)) {
  const TexelLayout layoutFrom = knownLayout(from_), layoutTo = knownLayout(to_);
  constexpr uint64_t kManyTexels = 2048;
  if (from == to) {
    way_ = Way::Copy;
  } else if (isWide(from_) || isWide(to_)) {
    way_ = Way::WideNumbers;
  } else if (layoutFrom != TexelLayout::Other && differInOrder(layoutFrom, layoutTo)) {
    way_ = layoutFrom == layoutTo ? Way::Copy : Way::Swap;
  } else if (texels >= kManyTexels && hasByteChannels(from_) && hasByteChannels(to_) &&
             (layoutFrom == TexelLayout::Other || layoutTo == TexelLayout::Other)) {
    way_ = Way::Bytes;
    makeByteMap(from_, to_);
  }
}

void RowConverter::makeByteMap(const FormatInfo& from, const FormatInfo& to) {
  map_ = std::make_unique<ByteMap>();
  // Components do not look at each other: texels of equal bytes show all that can happen to each.
  std::byte in[256 * 4], out[256 * 4];
  Texel texels[256];
  for (uint32_t i = 0; i < 256 * from.blockBytes; ++i) in[i] = static_cast<std::byte>(i / from.blockBytes);
  decoder_.decode(in, 256, texels);
  convertSign(from.numeric, to.numeric, texels, 256);
  encoder_.encode(texels, 256, out);
  for (uint32_t i = 0; i < 256 * to.blockBytes; ++i)
    map_->code[i % to.blockBytes][i / to.blockBytes] = static_cast<uint8_t>(out[i]);
  for (int c = 0; c < 4; ++c)
    if (to.channel[c].bits && from.channel[c].bits) map_->source[to.channel[c].shift / 8] = from.channel[c].shift / 8;
}

void RowConverter::convertBytes(const std::byte* from, size_t count, std::byte* to) const {
  const ByteMap& map = *map_;
  const uint32_t fromBytes = decoder_.texelBytes(), toBytes = encoder_.texelBytes();
  for (uint32_t i = 0; i < toBytes; ++i) {
    const std::byte* in = from + map.source[i];
    std::byte* out = to + i;
    const std::array<uint8_t, 256>& code = map.code[i];
    for (size_t k = 0; k < count; ++k, in += fromBytes, out += toBytes)
      *out = static_cast<std::byte>(code[static_cast<uint8_t>(*in)]);
  }
}

void RowConverter::convertNumbers(const std::byte* from, size_t count, std::byte* to) const {
  Texel texels[kPiece];
  decoder_.decode(from, count, texels);
  convertSign(from_.numeric, to_.numeric, texels, count);
  encoder_.encode(texels, count, to);
}

void RowConverter::convertWide(const std::byte* from, size_t count, std::byte* to) const {
  Texel texels[kPiece];
  WideTexel wide[kPiece];
  if (isWide(from_)) {
    loadWide(from_, from, count, wide);
  } else {
    decoder_.decode(from, count, texels);
    widen(from_.numeric, texels, count, wide);
  }
  convertSign(from_.numeric, to_.numeric, wide, count);
  if (isWide(to_)) return storeWide(to_, wide, count, to);
  narrow(to_.numeric, wide, count, texels);
  encoder_.encode(texels, count, to);
}

void RowConverter::convert(const std::byte* from, size_t count, std::byte* to) const {
  switch (way_) {
    case Way::Copy: std::memcpy(to, from, count * encoder_.texelBytes()); return;
    case Way::Swap: return rowLanes().swapRedBlue(from, count, to);
    case Way::Bytes:
      for (size_t n; count > 0; count -= n) {  // pieces, so that texels stay in the nearest cache
        n = std::min<size_t>(count, 1024);
        convertBytes(from, n, to);
        from += n * decoder_.texelBytes(), to += n * encoder_.texelBytes();
      }
      return;
    case Way::Numbers:
    case Way::WideNumbers:
      for (size_t n; count > 0; count -= n) {
        n = std::min(count, kPiece);
        way_ == Way::Numbers ? convertNumbers(from, n, to) : convertWide(from, n, to);
        from += n * decoder_.texelBytes(), to += n * encoder_.texelBytes();
      }
      return;
  }
}

GatherFn gatherTexels(uint32_t texelBytes) {
  switch (texelBytes) {
    case 1: return gather<uint8_t, 1>;
    case 2: return gather<uint16_t, 1>;
    case 3: return gather<uint8_t, 3>;
    case 4: return gather<uint32_t, 1>;
    case 6: return gather<uint16_t, 3>;
    case 8: return gather<uint64_t, 1>;
    case 12: return gather<uint32_t, 3>;
    case 16: return gather<uint64_t, 2>;
    case 24: return gather<uint64_t, 3>;
    default: return gather<uint64_t, 4>;
  }
}

}  // namespace etzel::transfer
