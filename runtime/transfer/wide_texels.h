// Texels with components of 64 bits, in blits that do not filter: what format::Texel would halve stays whole. Internal
// to transfer/; pure functions, any thread.
#pragma once

#include "runtime/format/format.h"

namespace etzel::transfer {

inline bool isWide(const format::FormatInfo& info) { return info.channel[0].bits == 64; }

/// A texel of four components: bits of doubles, or integers of 64 bits with the sign of their format.
struct WideTexel {
  uint64_t word[4];
};

/// Texels of a format with components of 64 bits. Missing components are 0, missing alpha is 1.
void loadWide(const format::FormatInfo& info, const std::byte* texels, size_t count, WideTexel* out);
void storeWide(const format::FormatInfo& info, const WideTexel* texels, size_t count, std::byte* out);

/// Texels as a format with fewer bits has them, in full.
void widen(format::Numeric numeric, const format::Texel* texels, size_t count, WideTexel* out);
/// The reverse: the nearest float, the nearest integer.
void narrow(format::Numeric numeric, const WideTexel* texels, size_t count, format::Texel* out);

/// Integers of one sign as those of the other: what the other cannot hold becomes the nearest that it can.
void convertSign(format::Numeric from, format::Numeric to, WideTexel* texels, size_t count);

}  // namespace etzel::transfer
