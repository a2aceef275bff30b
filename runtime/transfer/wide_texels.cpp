#include "runtime/transfer/wide_texels.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/mutant/mutant.h"

namespace etzel::transfer {

using format::FormatInfo;
using format::Numeric;
using format::Texel;

void loadWide(const FormatInfo& info, const std::byte* texels, size_t count, WideTexel* out) {
  const size_t bytes = size_t{info.components()} * 8;
  const uint64_t one = info.isInteger() ? 1 : std::bit_cast<uint64_t>(1.0);
  for (size_t i = 0; i < count; ++i) {
    out[i] = {{0, 0, 0, one}};
    std::memcpy(out[i].word, texels + i * bytes, bytes);
    for (uint64_t& word : out[i].word)
      if (mutated(Mutant::WideBlit)) word &= UINT32_MAX;
  }
}

void storeWide(const FormatInfo& info, const WideTexel* texels, size_t count, std::byte* out) {
  const size_t bytes = size_t{info.components()} * 8;
  for (size_t i = 0; i < count; ++i) std::memcpy(out + i * bytes, texels[i].word, bytes);
}

void widen(Numeric numeric, const Texel* texels, size_t count, WideTexel* out) {
  for (size_t i = 0; i < count; ++i)
    for (uint32_t c = 0; c < 4; ++c) {
      const uint32_t word = texels[i].word[c];
      if (numeric == Numeric::Uint)
        out[i].word[c] = word;
      else if (numeric == Numeric::Sint)
        out[i].word[c] = static_cast<uint64_t>(int64_t{static_cast<int32_t>(word)});
      else
        out[i].word[c] = std::bit_cast<uint64_t>(double{std::bit_cast<float>(word)});
    }
}

void narrow(Numeric numeric, const WideTexel* texels, size_t count, Texel* out) {
  for (size_t i = 0; i < count; ++i)
    for (uint32_t c = 0; c < 4; ++c) {
      const uint64_t word = texels[i].word[c];
      if (numeric == Numeric::Uint)
        out[i].word[c] = static_cast<uint32_t>(std::min<uint64_t>(word, UINT32_MAX));
      else if (numeric == Numeric::Sint)
        out[i].word[c] = static_cast<uint32_t>(std::clamp<int64_t>(static_cast<int64_t>(word), INT32_MIN, INT32_MAX));
      else
        out[i].word[c] = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(word)));
    }
}

void convertSign(Numeric from, Numeric to, WideTexel* texels, size_t count) {
  if (from == to || (from != Numeric::Uint && from != Numeric::Sint)) return;
  for (size_t i = 0; i < count; ++i)
    for (uint64_t& w : texels[i].word)
      if (w >> 63) w = from == Numeric::Sint ? 0 : INT64_MAX;
}

}  // namespace etzel::transfer
