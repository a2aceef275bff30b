// Decoders and encoders of all uncompressed formats, generated from the rows of format.def.
#include <cstring>

#include "runtime/format/convert.h"
#include "runtime/format/format.h"
#include "runtime/format/newer_formats.h"

namespace etzel::format {
namespace {

constexpr uint32_t kOne = 0x3F800000u;

template <VkFormat format, uint32_t bytesOf, Numeric numericOf, Channel... channels>
struct Layout {
  static constexpr VkFormat id = format;
  static constexpr uint32_t bytes = bytesOf;
  static constexpr Numeric numeric = numericOf;
  static constexpr Channel channel[4] = {channels...};
};

template <class Word>
Word load(const std::byte* p) {
  Word w;
  std::memcpy(&w, p, sizeof(Word));
  return w;
}
template <class Word>
void store(std::byte* p, Word w) {
  std::memcpy(p, &w, sizeof(Word));
}

constexpr bool isByteAligned(Channel c) {
  return c.shift % 8 == 0 && (c.bits == 8 || c.bits == 16 || c.bits == 32 || c.bits == 64);
}

/// The code of one component. Channels that are not whole bytes lie in a 16-bit unit (the 6- and 4-bit gaps of the
/// 10X6 and 12X4 formats) or in the one packed word of the texel.
template <class L, int c>
uint64_t loadCode(const std::byte* texel) {
  constexpr Channel ch = L::channel[c];
  if constexpr (isByteAligned(ch)) {
    const std::byte* p = texel + ch.shift / 8;
    if constexpr (ch.bits == 8)
      return static_cast<uint8_t>(*p);
    else if constexpr (ch.bits == 16)
      return load<uint16_t>(p);
    else if constexpr (ch.bits == 32)
      return load<uint32_t>(p);
    else
      return load<uint64_t>(p);
  } else if constexpr (L::bytes == 1) {
    return static_cast<uint32_t>(static_cast<uint8_t>(*texel)) >> ch.shift & ((1u << ch.bits) - 1);
  } else if constexpr (L::bytes == 2 || L::bytes == 8) {
    return static_cast<uint32_t>(load<uint16_t>(texel + ch.shift / 16 * 2)) >> ch.shift % 16 & ((1u << ch.bits) - 1);
  } else {
    return load<uint32_t>(texel) >> ch.shift & ((1u << ch.bits) - 1);
  }
}

template <uint32_t bits>
int64_t signExtend(uint64_t code) {
  if constexpr (bits == 0)
    return 0;
  else
    return static_cast<int64_t>(code << (64 - bits)) >> (64 - bits);
}

template <Numeric numeric, uint32_t bits, bool isAlpha>
uint32_t decodeCode(uint64_t code) {
  const uint32_t u = static_cast<uint32_t>(code);
  switch (numeric) {
    case Numeric::Srgb:
      if constexpr (!isAlpha) return floatToBits(kSrgbToLinear[u & 255]);
      [[fallthrough]];
    case Numeric::Unorm: return floatToBits(unormToFloat<bits>(u));
    case Numeric::Snorm:
      return floatToBits(snormToFloat < bits < 32 ? bits : 31 > (static_cast<int32_t>(signExtend<bits>(code))));
    case Numeric::Uscaled: return floatToBits(static_cast<float>(u));
    case Numeric::Sscaled: return floatToBits(static_cast<float>(signExtend<bits>(code)));
    case Numeric::Uint: return u;
    case Numeric::Sint: return static_cast<uint32_t>(signExtend<bits>(code));
    case Numeric::Float:
      if constexpr (bits == 16) return floatToBits(halfToFloat(u));
      if constexpr (bits == 64) return floatToBits(static_cast<float>(std::bit_cast<double>(code)));
      return u;
    case Numeric::Ufloat: return floatToBits(ufloatToFloat < bits == 11 ? 6 : 5 > (u));
  }
  return 0;
}

template <Numeric numeric, uint32_t bits, bool isAlpha>
uint64_t encodeCode(uint32_t word) {
  constexpr uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << (bits & 63)) - 1;
  const float f = bitsToFloat(word);
  switch (numeric) {
    case Numeric::Srgb:
      if constexpr (!isAlpha) return linearToSrgb8(f);
      [[fallthrough]];
    case Numeric::Unorm: return floatToUnorm<bits>(f);
    case Numeric::Snorm: return static_cast<uint64_t>(floatToSnorm < bits < 32 ? bits : 31 > (f)) & mask;
    case Numeric::Uscaled: {
      const double limit = static_cast<double>(mask);
      return f > 0 ? static_cast<uint64_t>(roundToInt(f < limit ? static_cast<double>(f) : limit)) : 0;
    }
    case Numeric::Sscaled: {
      const double limit = static_cast<double>(mask >> 1), d = f == f ? f : 0.0f;
      return static_cast<uint64_t>(roundToInt(d > limit ? limit : d >= -limit - 1 ? d : -limit - 1)) & mask;
    }
    case Numeric::Uint: return bits >= 32 ? word : word < mask ? word : mask;
    case Numeric::Sint: {
      const int64_t v = static_cast<int32_t>(word);
      if constexpr (bits >= 32) return static_cast<uint64_t>(v) & mask;
      constexpr int64_t limit = static_cast<int64_t>(mask >> 1);
      return static_cast<uint64_t>(v > limit ? limit : v < -limit - 1 ? -limit - 1 : v) & mask;
    }
    case Numeric::Float:
      if constexpr (bits == 16) return floatToHalf(f);
      if constexpr (bits == 64) return std::bit_cast<uint64_t>(static_cast<double>(f));
      return word;
    case Numeric::Ufloat: return floatToUfloat < bits == 11 ? 6 : 5 > (f);
  }
  return 0;
}

template <class L, int c>
uint32_t decodeComponent(const std::byte* texel) {
  constexpr Channel ch = L::channel[c];
  constexpr bool isInteger = L::numeric == Numeric::Uint || L::numeric == Numeric::Sint;
  if constexpr (ch.bits == 0)
    return c < 3 ? 0 : isInteger ? 1 : kOne;
  else
    return decodeCode<L::numeric, ch.bits, c == 3>(loadCode<L, c>(texel));
}

template <class L>
void decodeTexels(const std::byte* source, Texel* texels, size_t count) {
  for (size_t i = 0; i < count; ++i, source += L::bytes) {
    if constexpr (L::id == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32) {
      float rgb[3];
      sharedExponentToFloat(load<uint32_t>(source), rgb);
      texels[i] = {{floatToBits(rgb[0]), floatToBits(rgb[1]), floatToBits(rgb[2]), kOne}};
    } else {
      texels[i] = {{decodeComponent<L, 0>(source), decodeComponent<L, 1>(source), decodeComponent<L, 2>(source),
                    decodeComponent<L, 3>(source)}};
    }
  }
}

template <class L, int c>
void encodeComponent(uint32_t word, std::byte* texel, uint64_t& packed) {
  constexpr Channel ch = L::channel[c];
  if constexpr (ch.bits == 0)
    return;
  else {
    const uint64_t code = encodeCode<L::numeric, ch.bits, c == 3>(word);
    if constexpr (isByteAligned(ch)) {
      std::byte* p = texel + ch.shift / 8;
      if constexpr (ch.bits == 8)
        *p = static_cast<std::byte>(code);
      else if constexpr (ch.bits == 16)
        store(p, static_cast<uint16_t>(code));
      else if constexpr (ch.bits == 32)
        store(p, static_cast<uint32_t>(code));
      else
        store(p, code);
    } else {
      packed |= code << ch.shift;
    }
  }
}

template <class L>
void encodeTexels(const Texel* texels, std::byte* destination, size_t count) {
  // Formats are either byte-aligned throughout or packed throughout; A8 has its only component last.
  constexpr Channel ch = L::channel[0].bits ? L::channel[0] : L::channel[3];
  for (size_t i = 0; i < count; ++i, destination += L::bytes) {
    if constexpr (L::id == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32) {
      float rgb[3];
      for (int c = 0; c < 3; ++c) rgb[c] = bitsToFloat(texels[i].word[c]);
      store(destination, floatToSharedExponent(rgb));
    } else {
      uint64_t packed = 0;
      encodeComponent<L, 0>(texels[i].word[0], destination, packed);
      encodeComponent<L, 1>(texels[i].word[1], destination, packed);
      encodeComponent<L, 2>(texels[i].word[2], destination, packed);
      encodeComponent<L, 3>(texels[i].word[3], destination, packed);
      if constexpr (!isByteAligned(ch)) std::memcpy(destination, &packed, L::bytes);
    }
  }
}

struct Codec {
  DecodeFn decode;
  EncodeFn encode;
};

Codec codecOf(VkFormat format) {
  switch (static_cast<uint32_t>(format)) {  // some formats are newer than the enum
#define ETZEL_COLOR(name, bytes, numeric, rb, rs, gb, gs, bb, bs, ab, as)                                          \
  case VK_FORMAT_##name: {                                                                                         \
    using L = Layout<VK_FORMAT_##name, bytes, Numeric::numeric, Channel{rb, rs}, Channel{gb, gs}, Channel{bb, bs}, \
                     Channel{ab, as}>;                                                                             \
    return {decodeTexels<L>, encodeTexels<L>};                                                                     \
  }
#define ETZEL_DEPTH(name, bytes, stencilBytes, numeric, bits)                                                       \
  case VK_FORMAT_##name: {                                                                                          \
    using L = Layout<VK_FORMAT_##name, bytes, Numeric::numeric, Channel{bits, 0}, Channel{}, Channel{}, Channel{}>; \
    return {decodeTexels<L>, encodeTexels<L>};                                                                      \
  }
#include "runtime/format/format.def"
    default: return {nullptr, nullptr};
  }
}

}  // namespace

DecodeFn decoder(VkFormat format) { return codecOf(format).decode; }
EncodeFn encoder(VkFormat format) { return codecOf(format).encode; }

}  // namespace etzel::format
